// SPDX-License-Identifier: Apache-2.0
// Where two computations first diverge. Starting from a pair of ops with different numbers, the operands that
// neither side knows from the other lead further up, until the difference is the op's own, or one operand is
// known: then the op was given another value.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tileport/text/print.hpp>

#include "diff/align.hpp"
#include "diff/groups.hpp"
#include "diff/site.hpp"

namespace tileport::diff {
namespace {

using ir::OpId;
using ir::ValueId;

std::string extents(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> parts;
  for (const std::int64_t n : numbers)
    parts.push_back(n == ir::kDynamic ? std::string("?") : fmt::format("{}", n));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string padding_name(const std::optional<ir::PaddingValue>& padding) {
  return padding ? std::string(ir::kPaddingValue.values[static_cast<std::size_t>(*padding)]) : "none";
}

/// What differs between two types, part by part: "padding is neg_inf in the reference, none in the port".
struct TypeDelta {
  std::vector<std::string> parts;
  std::string_view first;  ///< What the first part is about, as group_of takes it.
};
void type_delta(const ir::Module& a, ir::TypeId in_a, const ir::Module& b, ir::TypeId in_b,
                TypeDelta& delta) {
  const ir::Type& left = a.type(in_a);
  const ir::Type& right = b.type(in_b);
  const auto part = [&](std::string_view what, std::string_view about, const std::string& x,
                        const std::string& y) {
    if (x == y) return;
    if (delta.parts.empty()) delta.first = about;
    delta.parts.push_back(fmt::format("{} is {} in the reference, {} in the port", what, x, y));
  };
  if (left.kind != right.kind) {
    return part("the type", "element type", text::print(a, in_a), text::print(b, in_b));
  }
  const bool view = ir::is_view(left.kind);
  part(view ? "the tile's shape" : "the shape", "shape", extents(left.shape), extents(right.shape));
  part("strides", "strides", extents(left.strides), extents(right.strides));
  part("dim_map", "dim_map", fmt::format("[{}]", fmt::join(left.dim_map, ", ")),
       fmt::format("[{}]", fmt::join(right.dim_map, ", ")));
  part("sparse_dim", "sparse_dim", fmt::format("{}", left.sparse_dim), fmt::format("{}", right.sparse_dim));
  part("padding", "padding", padding_name(left.padding), padding_name(right.padding));
  const bool nested =
      !ir::is_element(left.kind) && left.kind != ir::TypeKind::token && left.kind != ir::TypeKind::function;
  if (nested && ir::is_element(a.type(left.element).kind) && ir::is_element(b.type(right.element).kind)) {
    part("the element type", "element type", text::print(a, left.element), text::print(b, right.element));
  } else if (nested) {
    type_delta(a, left.element, b, right.element, delta);
  }
}

/// The name of the group that operand `i` belongs to.
std::string operand_name(const ir::Module& module, OpId id, std::size_t i) {
  const ir::OpInfo& info = *module.op(id).info;
  std::size_t first = 0;
  for (std::size_t g = 0; g < info.operands.size(); ++g) {
    const std::size_t size = module.operands(id, g).size();
    if (i < first + size) {
      return size == 1 && info.operands[g].arity != ir::Arity::variadic
                 ? std::string(info.operands[g].name)
                 : fmt::format("{}[{}]", info.operands[g].name, i - first);
    }
    first += size;
  }
  return fmt::format("operand {}", i);
}

/// The `constant` op that a made constant comes from.
OpId written_constant(const Graph& graph, OpId id) {
  while (graph.node(id).folded) {
    const auto source = graph.module.producer_of(graph.module.operand(id, 0));
    if (!source) break;
    id = *source;
    // Assumes may stand in between.
    while (has(graph.module.op(id).info->traits, ir::Trait::promises))
      id = *graph.module.producer_of(graph.module.operand(id, 0));
  }
  return id;
}

/// Whether the reference's type fixes extents or strides that the port's leaves to the launch, and nothing
/// else.
bool only_less_static(const ir::Type& a, const ir::Type& b) {
  const auto less = [](const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& y) {
    return std::ranges::equal(x, y,
                              [](std::int64_t p, std::int64_t q) { return p == q || q == ir::kDynamic; });
  };
  return a.kind == ir::TypeKind::tensor_view && b.kind == a.kind && less(a.shape, b.shape) &&
         less(a.strides, b.strides);
}

}  // namespace

void Alignment::differ(OpId a, OpId b) {
  const std::uint64_t pair = std::uint64_t{ir::index(a)} << 32 | ir::index(b);
  if (seen_.insert(pair).second) to_localize_.emplace_back(a, b);
}

void Alignment::only_in_reference(OpId a, ir::BlockId where) {
  mistranslation(
      group_of(a_.module, a, {}),
      fmt::format("{} of the reference has no counterpart in the port", a_.module.op(a).info->mnemonic),
      site(a_, a), block_site(b_, where), Side::reference);
}

void Alignment::only_in_port(ir::BlockId where, OpId b) {
  mistranslation(
      group_of(b_.module, b, {}),
      fmt::format("{} of the port has no counterpart in the reference", b_.module.op(b).info->mnemonic),
      block_site(a_, where), site(b_, b), Side::port);
}

/// Constants are compared where they are written, behind the reshapes and casts that make them.
void Alignment::constant_delta(OpId a, OpId b) {
  const OpId left = written_constant(a_, a);
  const OpId right = written_constant(b_, b);
  const std::string in_a = slot_text(a_.original, left, 0);
  const std::string in_b = slot_text(b_.original, right, 0);
  if (in_a != in_b) {
    mistranslation(Group::arithmetic,
                   fmt::format("the constant is {} in the reference, {} in the port", in_a, in_b),
                   site(a_, left), site(b_, right));
    return;
  }
  TypeDelta delta;
  type_delta(a_.module, a_.module.value(a_.module.result(a, 0)).type, b_.module,
             b_.module.value(b_.module.result(b, 0)).type, delta);
  mistranslation(group_of(a_.module, a, delta.first), fmt::format("{}", fmt::join(delta.parts, "; ")),
                 site(a_, a), site(b_, b));
}

void Alignment::localize(OpId a, OpId b) {
  if (a_.node(a).constant && b_.node(b).constant) return constant_delta(a, b);
  const ir::OpInfo* left = a_.module.op(a).info;
  const ir::OpInfo* right = b_.module.op(b).info;
  if (left != right) {
    mistranslation(group_of(a_.module, a, {}),
                   fmt::format("{} in the reference, {} in the port", left->mnemonic, right->mnemonic),
                   site(a_, a), site(b_, b));
    return;
  }
  const std::size_t before = findings.size();
  const bool less_static = signature_delta(a, b);
  // Extents that became operands are the other half of the same loss.
  if (!less_static) operand_delta(a, b);
  regions(a, b);
  if (findings.size() == before) facts(a, b);
}

/// Whether some operand has another type: then another result type follows from that, and the cause is
/// further up.
bool Alignment::types_of_operands_differ(OpId a, OpId b) {
  const auto left = a_.module.operands(a);
  const auto right = b_.module.operands(b);
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (!ir::same_type(a_.module, a_.module.value(left[i]).type, b_.module, b_.module.value(right[i]).type))
      return true;
  }
  return false;
}

/// What an op itself says otherwise. True if all of it is that a view of the port fixes less.
bool Alignment::signature_delta(OpId a, OpId b) {
  if (a_.node(a).signature == b_.node(b).signature) return false;
  const ir::Operation& left = a_.module.op(a);
  const ir::Operation& right = b_.module.op(b);
  bool less_static = false;
  for (std::size_t i = 0; i < left.info->attributes.size(); ++i) {
    if (is_fact(left.info->attributes[i]) || a_.slot_key(a, i) == b_.slot_key(b, i)) continue;
    const bool constant = left.info->is("constant");
    mistranslation(group_of(a_.module, a, left.info->attributes[i].name),
                   fmt::format("{} is {} in the reference, {} in the port",
                               constant ? "the constant" : left.info->attributes[i].name,
                               slot_text(a_.original, a, i), slot_text(b_.original, b, i)),
                   site(a_, a), site(b_, b));
  }
  for (std::size_t i = 0; i < left.info->flags.size(); ++i) {
    if (left.info->flags[i].kind != ir::FlagInfo::Kind::unit_attribute) continue;
    const bool in_a = (left.flags >> i & 1U) != 0;
    const bool in_b = (right.flags >> i & 1U) != 0;
    if (in_a == in_b) continue;
    mistranslation(group_of(a_.module, a, left.info->flags[i].name),
                   fmt::format("{} is {} in the reference, {} in the port", left.info->flags[i].name,
                               in_a ? "set" : "not set", in_b ? "set" : "not set"),
                   site(a_, a), site(b_, b));
  }
  const bool inherited = types_of_operands_differ(a, b) && !left.info->is("make_tensor_view");
  for (std::uint32_t i = 0; i < left.results.count && i < right.results.count && !inherited; ++i) {
    const ir::TypeId in_a = a_.module.value(a_.module.result(a, i)).type;
    const ir::TypeId in_b = b_.module.value(b_.module.result(b, i)).type;
    TypeDelta delta;
    type_delta(a_.module, in_a, b_.module, in_b, delta);
    if (delta.parts.empty()) continue;
    const bool loss = only_less_static(a_.module.type(in_a), b_.module.type(in_b));
    less_static |= loss;
    report(loss ? Group::specialization : group_of(a_.module, a, delta.first),
           loss ? FindingClass::specialization_loss : FindingClass::mistranslation, FindingSeverity::critical,
           loss ? Effect::code : Effect::value, fmt::format("{}", fmt::join(delta.parts, "; ")), site(a_, a),
           site(b_, b));
  }
  if (left.results.count != right.results.count) {
    mistranslation(group_of(a_.module, a, {}),
                   fmt::format("{} has {} results in the reference, {} in the port", left.info->mnemonic,
                               left.results.count, right.results.count),
                   site(a_, a), site(b_, b));
  }
  return less_static;
}

/// An operand group that only one side has, or of another size.
bool Alignment::group_delta(OpId a, OpId b) {
  const ir::OpInfo& info = *a_.module.op(a).info;
  bool differs = false;
  for (std::size_t g = 0; g < info.operands.size(); ++g) {
    const std::size_t in_a = a_.module.operands(a, g).size();
    const std::size_t in_b = b_.module.operands(b, g).size();
    if (in_a == in_b) continue;
    differs = true;
    const std::string_view name = info.operands[g].name;
    if (in_a == 0 || in_b == 0) {
      mistranslation(group_of(a_.module, a, name),
                     fmt::format("{} is given in the {} only", name, in_a != 0 ? "reference" : "port"),
                     site(a_, a), site(b_, b));
    } else {
      mistranslation(group_of(a_.module, a, name),
                     fmt::format("{} has {} values in the reference, {} in the port", name, in_a, in_b),
                     site(a_, a), site(b_, b));
    }
  }
  return differs;
}

void Alignment::operand_delta(OpId a, OpId b) {
  const auto& left = a_.node(a).operands;
  const auto& right = b_.node(b).operands;
  const bool plain =
      left.size() == a_.module.operands(a).size() && right.size() == b_.module.operands(b).size();
  if (plain && group_delta(a, b)) return;
  if (left.size() != right.size()) {
    mistranslation(group_of(a_.module, a, {}),
                   fmt::format("{} has {} operands in the reference, {} in the port",
                               a_.module.op(a).info->mnemonic, left.size(), right.size()),
                   site(a_, a), site(b_, b));
    return;
  }
  std::vector<Id> in_a;
  std::vector<Id> in_b;
  for (const ValueId value : left) in_a.push_back(a_.value(value).id);
  for (const ValueId value : right) in_b.push_back(b_.value(value).id);
  if (in_a == in_b) return;
  std::vector<ValueId> port_order = right;
  if (has(a_.module.op(a).info->traits, ir::Trait::commutative) && in_a.size() >= 2 &&
      (in_a[0] == in_b[1] || in_a[1] == in_b[0])) {
    std::swap(port_order[0], port_order[1]);
    std::swap(in_b[0], in_b[1]);
  } else if (std::ranges::is_permutation(in_a, in_b)) {
    std::size_t first = 0;
    while (in_a[first] == in_b[first]) ++first;
    mistranslation(operand_group(a, first),
                   fmt::format("{} has the same operands in another order", a_.module.op(a).info->mnemonic),
                   site(a_, a), site(b_, b));
    return;
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (in_a[i] != in_b[i]) operand_pair(a, b, i, left[i], port_order[i]);
  }
}

/// The group of a difference in one operand. Operands that a rule took from further up have no name.
Group Alignment::operand_group(OpId a, std::size_t i) const {
  std::size_t first = 0;
  for (std::size_t g = 0; g < a_.module.op(a).info->operands.size(); ++g) {
    first += a_.module.operands(a, g).size();
    if (i < first) return group_of(a_.module, a, a_.module.op(a).info->operands[g].name);
  }
  return group_of(a_.module, a, {});
}

void Alignment::operand_pair(OpId a, OpId b, std::size_t i, ValueId in_a, ValueId in_b) {
  const auto made_a = a_.producer(in_a);
  const auto made_b = b_.producer(in_b);
  // A value that one side computes more often than the other was made differently there; one that both sides
  // compute as often is the right value in the wrong place.
  const auto surplus = [](const Graph& graph, const Graph& other, ValueId value) {
    return graph.copies_of(graph.value(value).id) > other.copies_of(graph.value(value).id);
  };
  const bool new_a = made_a && surplus(a_, b_, in_a);
  const bool new_b = made_b && surplus(b_, a_, in_b);
  if (new_a && new_b) {
    const bool same_result =
        a_.module.value(a_.value(in_a).base).index == b_.module.value(b_.value(in_b).base).index;
    if (same_result || a_.module.op(*made_a).info != b_.module.op(*made_b).info)
      return differ(*made_a, *made_b);
  }
  const bool plain = a_.node(a).operands.size() == a_.module.operands(a).size();
  const std::string name = plain ? operand_name(a_.module, a, i) : fmt::format("operand {}", i);
  const std::string message =
      fmt::format("{} of {} is {} in the reference, {} in the port", name, a_.module.op(a).info->mnemonic,
                  value_text(a_.module, a_.value(in_a).base), value_text(b_.module, b_.value(in_b).base));
  // A value that only one side has is the better place there: an op was left out or put in.
  mistranslation(operand_group(a, i), message, site(a_, new_a && !new_b ? *made_a : a),
                 site(b_, new_b && !new_a ? *made_b : b));
}

}  // namespace tileport::diff
