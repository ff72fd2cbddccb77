// SPDX-License-Identifier: Apache-2.0
// Kinds that change what a program promises or hints: assumes, overflow, inbounds, optimization hints.
#include <algorithm>
#include <limits>

#include "mutation/kind_table.hpp"

namespace tileport::mutation {
namespace {

using ir::Attribute;
using ir::OpId;
using ir::ValueId;

const Attribute* predicate_of(const Context& context, OpId op) {
  return promises(*context.module.op(op).info) ? context.module.tagged(op, "predicate") : nullptr;
}

ValueId base_of(const ir::Module& module, OpId assume) {
  ValueId value = module.operand(assume, 0);
  while (const auto producer = module.producer_of(value)) {
    if (!promises(*module.op(*producer).info)) break;
    value = module.operand(*producer, 0);
  }
  return value;
}

/// Whether the assume is the only one of its kind about values written like its own: otherwise another may
/// say what it says.
bool is_only_promise(const Context& context, OpId op, Attribute::Kind kind) {
  const ValueId base = base_of(context.module, op);
  return std::ranges::none_of(context.ops(), [&](OpId other) {
    const Attribute* predicate = other == op ? nullptr : predicate_of(context, other);
    return predicate != nullptr && predicate->kind == kind &&
           context.same(base_of(context.module, other), base);
  });
}

/// Values that keep promises by what they are: ids of blocks, indices of loops.
bool keeps_promises(const Context& context, ValueId base) {
  const auto producer = context.module.producer_of(base);
  if (producer) {
    const ir::OpInfo& info = *context.module.op(*producer).info;
    return info.is("get_tile_block_id") || info.is("get_num_tile_blocks");
  }
  const ir::Value& argument = context.module.value(base);
  const ir::RegionId region = context.module.block(ir::BlockId{argument.owner_id}).parent;
  if (ir::index(region) == ir::kNone) return false;
  return argument.index == 0 && context.module.op(context.module.region(region).parent).info->is("for");
}

bool is_divisor(const Context& context, OpId op) {
  const Attribute* predicate = predicate_of(context, op);
  return predicate != nullptr && predicate->kind == Attribute::Kind::div_by && predicate->bits > 1 &&
         context.live(op) && is_only_promise(context, op, Attribute::Kind::div_by);
}
std::uint32_t divisors(const Context& context, OpId op) { return is_divisor(context, op) ? 1 : 0; }
void set_predicate(Edit& edit, OpId op, Attribute predicate) {
  edit.slot(op, *attribute_of(edit.module, op, "predicate")).word =
      ir::index(edit.builder.attribute(std::move(predicate)));
}
template <bool more>
void change_divisor(Edit& edit, OpId op, std::uint32_t) {
  Attribute predicate = *edit.module.tagged(op, "predicate");
  predicate.bits = more ? predicate.bits * 2 : predicate.bits / 2;
  set_predicate(edit, op, std::move(predicate));
}

std::uint32_t bounds(const Context& context, OpId op) {
  const Attribute* predicate = predicate_of(context, op);
  return predicate != nullptr && predicate->kind == Attribute::Kind::bounded && context.live(op) &&
                 is_only_promise(context, op, Attribute::Kind::bounded) &&
                 !keeps_promises(context, base_of(context.module, op))
             ? 2
             : 0;
}
void tighten(Edit& edit, OpId op, std::uint32_t variant) {
  constexpr std::int64_t kSomeBound = 1 << 20;
  Attribute predicate = *edit.module.tagged(op, "predicate");
  if (variant == 0) {
    predicate.first = predicate.first.value_or(-1) + 1;
  } else {
    predicate.second = predicate.second.value_or(kSomeBound) - 1;
  }
  set_predicate(edit, op, std::move(predicate));
}
void loosen(Edit& edit, OpId op, std::uint32_t variant) {
  Attribute predicate = *edit.module.tagged(op, "predicate");
  // Variant 0 moves a bound, variant 1 takes it away.
  auto& bound = predicate.first ? predicate.first : predicate.second;
  const std::int64_t away = predicate.first ? -1 : 1;
  if (variant == 0) {
    *bound += away;
  } else {
    bound.reset();
  }
  set_predicate(edit, op, std::move(predicate));
}

std::uint32_t droppable_assumes(const Context& context, OpId op) {
  const Attribute* predicate = predicate_of(context, op);
  if (predicate == nullptr || !context.live(op) || !is_only_promise(context, op, predicate->kind)) return 0;
  if (predicate->kind == Attribute::Kind::div_by && predicate->bits <= 1) return 0;
  return predicate->kind == Attribute::Kind::bounded && keeps_promises(context, base_of(context.module, op))
             ? 0
             : 1;
}
void drop_assume(Edit& edit, OpId op, std::uint32_t) {
  const ValueId result = edit.module.result(op, 0);
  edit.also = edit.context.users(result);
  edit.builder.replace_all_uses(result, edit.module.operand(op, 0));
  edit.take_out(op);
}

/// Operands that are numbers or pointers of which nothing is promised.
std::vector<std::size_t> unpromised(const Context& context, OpId op) {
  std::vector<std::size_t> found;
  const ir::Operation& operation = context.module.op(op);
  if (!context.live(op) || promises(*operation.info)) return found;
  for (std::size_t i = 0; i < operation.operands.count; ++i) {
    const ValueId value = context.module.operand(op, i);
    const ir::Value& definition = context.module.value(value);
    const bool parameter =
        definition.owner == ir::Value::Owner::block_argument &&
        ir::index(context.module.block(ir::BlockId{definition.owner_id}).parent) == ir::kNone;
    const ir::TypeKind kind = element_kind(context.module, value);
    if (!parameter || (kind != ir::TypeKind::pointer && (!ir::is_integer(kind) || kind == ir::TypeKind::i1)))
      continue;
    const bool spoken_of = std::ranges::any_of(context.ops(), [&](OpId other) {
      return predicate_of(context, other) != nullptr && base_of(context.module, other) == value;
    });
    if (!spoken_of) found.push_back(i);
  }
  return found;
}
std::uint32_t addable_assumes(const Context& context, OpId op) {
  return static_cast<std::uint32_t>(unpromised(context, op).size());
}
OpId insert_assume(Edit& edit, ValueId value, ir::AttributeId predicate) {
  ir::OperationParts parts;
  parts.info = ir::find_op("assume");
  parts.operands = {value};
  parts.group_sizes[0] = 1;
  parts.results = {edit.module.value(value).type};
  parts.words[*parts.info->attribute_index("predicate")] = ir::index(predicate);
  return edit.builder.insert(parts);
}
void add_assume(Edit& edit, OpId op, std::uint32_t variant) {
  constexpr std::uint64_t kSomeDivisor = 16;
  const std::size_t operand = unpromised(edit.context, op)[variant];
  edit.builder.before(op);
  const OpId assume =
      insert_assume(edit, edit.module.operand(op, operand), edit.builder.div_by(kSomeDivisor));
  edit.set_operand(op, operand, edit.module.result(assume, 0));
  edit.also = {assume};
}

std::optional<std::size_t> overflow_of(const ir::Module& module, OpId op) {
  const auto& attributes = module.op(op).info->attributes;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i].enumeration == &ir::kIntegerOverflow) return i;
  }
  return std::nullopt;
}
/// Overflow flags that promise more, or less, than the op's. The numbers are sets of promises.
template <bool more>
std::vector<std::uint64_t> other_flags(const Context& context, OpId op) {
  std::vector<std::uint64_t> found;
  const auto attribute = overflow_of(context.module, op);
  if (!attribute || !context.live(op)) return found;
  const ir::AttributeSlot& slot =
      context.module.attribute_slots[context.module.op(op).attributes.first + *attribute];
  const std::uint64_t now = slot.present ? slot.word : 0;
  for (std::uint64_t other = 0; other < ir::kIntegerOverflow.values.size(); ++other) {
    const bool beyond = (other & ~now) != 0;
    if (other != now && beyond == more) found.push_back(other);
  }
  return found;
}
template <bool more>
std::uint32_t count_flags(const Context& context, OpId op) {
  return static_cast<std::uint32_t>(other_flags<more>(context, op).size());
}
template <bool more>
void take_flags(Edit& edit, OpId op, std::uint32_t variant) {
  edit.slot(op, *overflow_of(edit.module, op)) = {.word = other_flags<more>(edit.context, op)[variant],
                                                  .present = true};
}

template <bool now>
std::vector<std::size_t> dimensions(const ir::Module& module, OpId op) {
  std::vector<std::size_t> found;
  if (!attribute_of(module, op, "inbounds")) return found;
  const Attribute* promised = module.tagged(op, "inbounds");
  const std::size_t count = module.operands(op, "index").size();
  for (std::size_t i = 0; i < count; ++i) {
    const bool here = promised != nullptr && i < promised->numbers.size() && promised->numbers[i] != 0;
    if (here == now) found.push_back(i);
  }
  return found;
}
template <bool now>
std::uint32_t inbounds(const Context& context, OpId op) {
  const auto attribute = attribute_of(context.module, op, "inbounds");
  if (!attribute || context.module.version < context.module.op(op).info->attributes[*attribute].since)
    return 0;
  return static_cast<std::uint32_t>(dimensions<now>(context.module, op).size());
}
template <bool now>
void turn_inbounds(Edit& edit, OpId op, std::uint32_t variant) {
  const std::size_t at = dimensions<now>(edit.module, op)[variant];
  const Attribute* promised = edit.module.tagged(op, "inbounds");
  std::vector<std::int64_t> numbers = promised != nullptr ? promised->numbers : std::vector<std::int64_t>{};
  numbers.resize(edit.module.operands(op, "index").size());
  numbers[at] = now ? 0 : 1;
  edit.slot(op, *attribute_of(edit.module, op, "inbounds")) = {
      .word = ir::index(edit.builder.numbers(std::move(numbers))), .present = true};
}

// ---- hints: of an op, and of the entry at its first op

std::optional<std::size_t> hints_of(const ir::Module& module, OpId op) {
  const auto& attributes = module.op(op).info->attributes;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i].encoding == ir::Encoding::optimization_hints) return i;
  }
  return std::nullopt;
}
const Attribute* stated_hints(const ir::Module& module, OpId op) {
  const auto attribute = hints_of(module, op);
  if (!attribute) return nullptr;
  const ir::AttributeSlot& slot = module.attribute_slots[module.op(op).attributes.first + *attribute];
  return slot.present ? &module.attribute(ir::AttributeId{static_cast<std::uint32_t>(slot.word)}) : nullptr;
}
ir::Function& kernel_of(ir::Module& module, OpId op) {
  return *std::ranges::find(module.functions, module.op(op).parent, &ir::Function::body);
}
/// The hints that a kind of hints changes at an op: variants [0, n) are the op's, those after it the entry's.
const Attribute* entry_hints(const Context& context, OpId op) {
  if (!context.is_first_of_kernel(op)) return nullptr;
  const ir::Function& kernel = kernel_of(const_cast<ir::Module&>(context.module), op);
  return kernel.hints ? &context.module.attribute(*kernel.hints) : nullptr;
}
/// Keys of the `default` entry; others hold for some target only.
std::vector<std::size_t> default_keys(const ir::Module& module, const Attribute* hints) {
  std::vector<std::size_t> keys;
  if (hints == nullptr || hints->items.size() != 1 || module.string(hints->keys.front()) != "default")
    return keys;
  const Attribute& entry = module.attribute(hints->items.front());
  for (std::size_t k = 0; k < entry.keys.size(); ++k) keys.push_back(k);
  return keys;
}
std::uint32_t hint_keys(const Context& context, OpId op) {
  return static_cast<std::uint32_t>(default_keys(context.module, stated_hints(context.module, op)).size() +
                                    default_keys(context.module, entry_hints(context, op)).size());
}
/// Writes the hints with one key changed (by `change`) or, if that says so, without it.
template <class Change>
void change_hint(Edit& edit, OpId op, std::uint32_t variant, Change change) {
  const Attribute* own = stated_hints(edit.module, op);
  const auto own_keys = static_cast<std::uint32_t>(default_keys(edit.module, own).size());
  const bool of_op = variant < own_keys;
  Attribute all = of_op ? *own : edit.module.attribute(*kernel_of(edit.module, op).hints);
  Attribute entry = edit.module.attribute(all.items.front());
  change(entry, of_op ? variant : variant - own_keys);
  all.items.front() = edit.builder.attribute(entry);
  const ir::AttributeId made = edit.builder.attribute(all);
  if (of_op) {
    edit.slot(op, *hints_of(edit.module, op)).word = ir::index(made);
  } else {
    kernel_of(edit.module, op).hints = made;
  }
}
void other_hint(Edit& edit, OpId op, std::uint32_t variant) {
  change_hint(edit, op, variant, [&](Attribute& entry, std::uint32_t key) {
    Attribute value = edit.module.attribute(entry.items[key]);
    value.bits = value.kind == Attribute::Kind::boolean ? value.bits ^ 1U : value.bits * 2;
    entry.items[key] = edit.builder.attribute(value);
  });
}
void drop_hint(Edit& edit, OpId op, std::uint32_t variant) {
  change_hint(edit, op, variant, [](Attribute& entry, std::uint32_t key) {
    entry.items.erase(entry.items.begin() + key);
    entry.keys.erase(entry.keys.begin() + key);
  });
}
/// Kernels that don't hint an occupancy, and accesses through views that don't hint a latency.
std::uint32_t addable_hints(const Context& context, OpId op) {
  const bool access = context.module.op(op).info->is("load_view_tko") && !stated_hints(context.module, op);
  const Attribute* of_entry = entry_hints(context, op);
  const bool entry =
      context.is_first_of_kernel(op) && (of_entry == nullptr || of_entry->items.empty() ||
                                         context.module.attribute(of_entry->items.front()).items.empty());
  return (access ? 1U : 0U) + (entry ? 1U : 0U);
}
void add_hint(Edit& edit, OpId op, std::uint32_t variant) {
  const bool access = edit.module.op(op).info->is("load_view_tko") && !stated_hints(edit.module, op);
  const std::pair<std::string, ir::AttributeId> hint{access && variant == 0 ? "latency" : "occupancy",
                                                     edit.builder.integer(ir::TypeKind::i32, 3)};
  const std::pair<std::string, ir::AttributeId> entry{"default", edit.builder.dictionary({{hint}})};
  const ir::AttributeId hints = edit.builder.hints({{entry}});
  if (access && variant == 0) {
    (void)edit.builder.set_attribute(op, "optimization_hints", hints);
  } else {
    kernel_of(edit.module, op).hints = hints;
  }
}

constexpr std::string_view kAssume =
    "live assumes, where no other assume speaks of the same value in the same way";

const KindRow kRows[] = {
    {{"div_by_more", Change::stronger_facts, kAssume}, divisors, change_divisor<true>},
    {{"bound_tightened", Change::stronger_facts, "the same, of values that aren't bounded by what they are"},
     bounds,
     tighten},
    {{"assume_added", Change::stronger_facts, "live uses of parameters of which nothing is assumed"},
     addable_assumes,
     add_assume},
    {{"overflow_more", Change::stronger_facts, "live integer ops"}, count_flags<true>, take_flags<true>},
    {{"inbounds_more", Change::stronger_facts, "accesses of views, from 13.4 on"},
     inbounds<false>,
     turn_inbounds<false>},
    {{"hint_changed", Change::stronger_facts, "entries and accesses with default hints"},
     hint_keys,
     other_hint},
    {{"hint_added", Change::stronger_facts, "entries and loads of views without hints"},
     addable_hints,
     add_hint},
    {{"div_by_less", Change::weaker_facts, kAssume}, divisors, change_divisor<false>},
    {{"bound_loosened", Change::weaker_facts, "the same, of values that aren't bounded by what they are"},
     bounds,
     loosen},
    {{"assume_dropped", Change::weaker_facts, kAssume}, droppable_assumes, drop_assume},
    {{"overflow_less", Change::weaker_facts, "live integer ops with an overflow flag"},
     count_flags<false>,
     take_flags<false>},
    {{"inbounds_less", Change::weaker_facts, "accesses of views that promise it, from 13.4 on"},
     inbounds<true>,
     turn_inbounds<true>},
    {{"hint_dropped", Change::weaker_facts, "entries and accesses with default hints"}, hint_keys, drop_hint},
};

}  // namespace

std::span<const KindRow> fact_kinds() { return kRows; }

}  // namespace tileport::mutation
