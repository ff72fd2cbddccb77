// SPDX-License-Identifier: Apache-2.0
// Kinds that change what an op says: enumerations, flags, axes, constants, identities.
#include <algorithm>
#include <bit>
#include <cstring>

#include "mutation/kind_table.hpp"

namespace tileport::mutation {
namespace {

using ir::OpId;

std::optional<std::size_t> attribute_with(const Context& context, OpId op, const ir::Enumeration& enumeration,
                                          std::size_t which = 0) {
  const auto& attributes = context.module.op(op).info->attributes;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i].enumeration == &enumeration && which-- == 0) return i;
  }
  return std::nullopt;
}

std::uint64_t word_of(const ir::Module& module, OpId op, std::size_t attribute) {
  const ir::AttributeSlot& slot = module.attribute_slots[module.op(op).attributes.first + attribute];
  return slot.present ? slot.word : module.op(op).info->attributes[attribute].default_value.value_or(0);
}

/// The enumerators other than the present one of the op's attributes with this enumeration.
template <const ir::Enumeration& enumeration>
std::uint32_t other_enumerators(const Context& context, OpId op) {
  if (!context.live(op)) return 0;
  std::uint32_t count = 0;
  while (const auto attribute = attribute_with(context, op, enumeration, count)) {
    const ir::AttributeSlot& slot =
        context.module.attribute_slots[context.module.op(op).attributes.first + *attribute];
    const bool stated = slot.present || context.module.op(op).info->attributes[*attribute].default_value;
    if (!stated) break;
    ++count;
  }
  return count * static_cast<std::uint32_t>(enumeration.values.size() - 1);
}

template <const ir::Enumeration& enumeration>
void next_enumerator(Edit& edit, OpId op, std::uint32_t variant) {
  const auto others = static_cast<std::uint32_t>(enumeration.values.size() - 1);
  const auto attribute = *attribute_with(edit.context, op, enumeration, variant / others);
  const std::uint64_t now = word_of(edit.module, op, attribute);
  edit.slot(op, attribute) = {.word = (now + 1 + variant % others) % enumeration.values.size(),
                              .present = true};
}

/// An ordering other than weak needs a scope, and weak has none.
void other_ordering(Edit& edit, OpId op, std::uint32_t variant) {
  next_enumerator<ir::kMemoryOrdering>(edit, op, variant);
  const auto scope = attribute_of(edit.module, op, "memory_scope");
  if (!scope || !edit.module.op(op).info->attributes[*scope].optional) return;
  if (edit.module.enumerator(op, "memory_ordering_semantics") == "weak") {
    (void)edit.builder.remove_attribute(op, "memory_scope");
  } else if (!edit.slot(op, *scope).present) {
    (void)edit.builder.set_attribute(op, "memory_scope", std::string("device"));
  }
}

std::uint32_t flags(const Context& context, OpId op) {
  if (!context.live(op)) return 0;
  return static_cast<std::uint32_t>(std::ranges::count_if(
      context.module.op(op).info->flags,
      [](const ir::FlagInfo& flag) { return flag.kind == ir::FlagInfo::Kind::unit_attribute; }));
}

void flip_flag(Edit& edit, OpId op, std::uint32_t variant) {
  const auto& all = edit.module.op(op).info->flags;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind == ir::FlagInfo::Kind::unit_attribute && variant-- == 0) {
      edit.module.ops[ir::index(op)].flags ^= 1U << i;
      return;
    }
  }
}

std::uint32_t axes(const Context& context, OpId op) {
  const ir::Operation& operation = context.module.op(op);
  if (!context.live(op) || !attribute_of(context.module, op, "dim") || operation.operands.count == 0)
    return 0;
  const std::size_t rank = context.module.type_of(context.module.operand(op, 0)).shape.size();
  return rank < 2 ? 0 : static_cast<std::uint32_t>(rank - 1);
}

void other_axis(Edit& edit, OpId op, std::uint32_t variant) {
  const std::size_t rank = edit.module.type_of(edit.module.operand(op, 0)).shape.size();
  ir::AttributeSlot& dim = edit.slot(op, *attribute_of(edit.module, op, "dim"));
  dim.word = (dim.word + 1 + variant) % rank;
}

/// A scan of one element goes nowhere.
std::uint32_t directions(const Context& context, OpId op) {
  const auto dim = attribute_of(context.module, op, "dim");
  if (!context.live(op) || !attribute_of(context.module, op, "reverse")) return 0;
  const std::uint64_t axis = word_of(context.module, op, *dim);
  const auto& shape = context.module.type_of(context.module.operand(op, 0)).shape;
  return axis < shape.size() && shape[axis] > 1 ? 1 : 0;
}

void other_direction(Edit& edit, OpId op, std::uint32_t) {
  ir::AttributeSlot& reverse = edit.slot(op, *attribute_of(edit.module, op, "reverse"));
  reverse = {.word = reverse.word ^ 1U, .present = true};
}

std::uint32_t permutations(const Context& context, OpId op) {
  if (!context.live(op) || !context.module.op(op).info->is("permute")) return 0;
  const ir::Attribute* order = context.module.tagged(op, "permutation");
  return order == nullptr || order->numbers.size() < 2
             ? 0
             : static_cast<std::uint32_t>(order->numbers.size() - 1);
}

void other_permutation(Edit& edit, OpId op, std::uint32_t variant) {
  std::vector<std::int64_t> order = edit.module.tagged(op, "permutation")->numbers;
  std::swap(order[variant], order[variant + 1]);
  edit.slot(op, *attribute_of(edit.module, op, "permutation")).word =
      ir::index(edit.builder.numbers(std::move(order)));
}

std::uint32_t identities(const Context& context, OpId op) {
  if (!context.live(op) || !attribute_of(context.module, op, "identities")) return 0;
  return static_cast<std::uint32_t>(context.module.tagged(op, "identities")->items.size());
}

void other_identity(Edit& edit, OpId op, std::uint32_t variant) {
  ir::Attribute all = *edit.module.tagged(op, "identities");
  ir::Attribute one = edit.module.attribute(all.items[variant]);
  one.bits ^= 1;
  all.items[variant] = edit.builder.attribute(one);
  edit.slot(op, *attribute_of(edit.module, op, "identities")).word = ir::index(edit.builder.attribute(all));
}

std::size_t element_size(const Context& context, OpId op) {
  return (ir::bit_width(element_kind(context.module, context.module.result(op, 0))) + 7) / 8;
}

bool is_live_constant(const Context& context, OpId op) {
  return context.live(op) && context.module.op(op).info->is("constant");
}

std::uint32_t constants(const Context& context, OpId op) { return is_live_constant(context, op) ? 1 : 0; }

std::uint32_t float_constants(const Context& context, OpId op) {
  return is_live_constant(context, op) &&
                 ir::is_float(element_kind(context.module, context.module.result(op, 0))) &&
                 ir::bit_width(element_kind(context.module, context.module.result(op, 0))) >= 16
             ? 1
             : 0;
}

/// Changes the constant's first element, which is all of a splat.
template <class Function>
void change_element(Edit& edit, OpId op, Function change) {
  ir::AttributeSlot& value = edit.slot(op, *attribute_of(edit.module, op, "value"));
  std::string raw = edit.module.constants[value.word];
  const ir::TypeKind kind = element_kind(edit.module, edit.module.result(op, 0));
  if (kind == ir::TypeKind::i1) {
    const bool splat = raw.size() == 1 && (raw[0] == '\0' || raw[0] == '\xff');
    raw[0] ^= static_cast<char>(splat ? 0xff : 1);
  } else {
    const std::size_t size = element_size(edit.context, op);
    std::uint64_t bits = 0;
    std::memcpy(&bits, raw.data(), size);
    bits = change(bits, kind);
    std::memcpy(raw.data(), &bits, size);
  }
  value.word = static_cast<std::uint64_t>(edit.builder.constant(raw));
}

/// Integers by one; floats by the lowest bit of the exponent or, for infinities, a finite number.
void other_constant(Edit& edit, OpId op, std::uint32_t) {
  change_element(edit, op, [](std::uint64_t bits, ir::TypeKind kind) -> std::uint64_t {
    if (!ir::is_float(kind)) return bits + 1;
    const unsigned width = ir::bit_width(kind);
    return width < 16 ? bits ^ 1U : bits ^ 1ULL << (width - 5);
  });
}
void next_float(Edit& edit, OpId op, std::uint32_t) {
  change_element(edit, op, [](std::uint64_t bits, ir::TypeKind) { return bits ^ 1U; });
}
void other_sign(Edit& edit, OpId op, std::uint32_t) {
  change_element(edit, op, [](std::uint64_t bits, ir::TypeKind kind) {
    return bits ^ 1ULL << (ir::bit_width(kind) - 1);
  });
}

constexpr std::string_view kLive = "live ops that state it";

const KindRow kRows[] = {
    {{"rounding", Change::value, kLive},
     other_enumerators<ir::kRoundingMode>,
     next_enumerator<ir::kRoundingMode>},
    {{"signedness", Change::value, kLive},
     other_enumerators<ir::kSignedness>,
     next_enumerator<ir::kSignedness>},
    {{"predicate", Change::value, "live comparisons"},
     other_enumerators<ir::kComparisonPredicate>,
     next_enumerator<ir::kComparisonPredicate>},
    {{"nan_ordering", Change::value, "live comparisons of floats"},
     other_enumerators<ir::kComparisonOrdering>,
     next_enumerator<ir::kComparisonOrdering>},
    {{"memory_ordering", Change::value, "memory accesses"},
     other_enumerators<ir::kMemoryOrdering>,
     other_ordering},
    {{"memory_scope", Change::value, "memory accesses with a scope"},
     other_enumerators<ir::kMemoryScope>,
     next_enumerator<ir::kMemoryScope>},
    {{"atomic_mode", Change::value, "atomic ops"},
     other_enumerators<ir::kAtomicMode>,
     next_enumerator<ir::kAtomicMode>},
    {{"flag", Change::value, "live ops with unit flags: flush_to_zero, propagate_nan, unsignedCmp …"},
     flags,
     flip_flag},
    {{"axis", Change::value, "live reductions, scans and concatenations of rank 2 or more"},
     axes,
     other_axis},
    {{"scan_direction", Change::value, "live scans of more than one element"}, directions, other_direction},
    {{"permutation", Change::value, "live permutes"}, permutations, other_permutation},
    {{"identity", Change::value, "live reductions and scans"}, identities, other_identity},
    {{"constant", Change::value, "live constants"}, constants, other_constant},
    {{"constant_ulp", Change::value, "live constants of floats"}, float_constants, next_float},
    {{"constant_sign", Change::value, "live constants of floats, zeros too"}, float_constants, other_sign},
};

}  // namespace

std::span<const KindRow> attribute_kinds() { return kRows; }

}  // namespace tileport::mutation
