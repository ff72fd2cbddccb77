// SPDX-License-Identifier: Apache-2.0
// Kinds that write the same program otherwise.
#include <algorithm>

#include "mutation/kind_table.hpp"

namespace tileport::mutation {
namespace {

using ir::OpId;
using ir::ValueId;

bool is_plain(const ir::Module& module, OpId op) {
  const ir::Operation& operation = module.op(op);
  return is_pure(*operation.info) && operation.regions.count == 0;
}

std::uint32_t once_a_kernel(const Context& context, OpId op) {
  return context.is_first_of_kernel(op) ? 1 : 0;
}
void rename_entry(Edit& edit, OpId op, std::uint32_t) {
  auto kernel = std::ranges::find(edit.module.functions, edit.module.op(op).parent, &ir::Function::body);
  kernel->name = edit.builder.string(edit.module.string(kernel->name) + "_renamed");
}
void other_producer(Edit& edit, OpId, std::uint32_t) {
  edit.module.producer = edit.builder.string("another");
}
void newer_version(Edit& edit, OpId, std::uint32_t) { edit.module.version.minor += 1; }

std::uint32_t placed(const Context& context, OpId op) {
  return ir::index(context.module.op(op).location) != 0;
}
void forget_place(Edit& edit, OpId op, std::uint32_t) { edit.module.ops[ir::index(op)].location = {}; }

std::optional<OpId> next_op(const ir::Module& module, OpId op) {
  const auto& ops = module.block(module.op(op).parent).ops;
  const auto at = std::ranges::find(ops, op);
  return at == ops.end() || at + 1 == ops.end() ? std::nullopt : std::optional(*(at + 1));
}
/// The op behind it, which computes something else without an effect.
std::uint32_t swappable(const Context& context, OpId op) {
  const auto next = next_op(context.module, op);
  if (!next || !is_plain(context.module, op) || !is_plain(context.module, *next)) return 0;
  return std::ranges::none_of(context.module.operands(*next),
                              [&](ValueId value) { return context.module.producer_of(value) == op; })
             ? 1
             : 0;
}
void swap_with_next(Edit& edit, OpId op, std::uint32_t) {
  auto& ops = edit.module.blocks[ir::index(edit.module.op(op).parent)].ops;
  const auto at = std::ranges::find(ops, op);
  std::iter_swap(at, at + 1);
}

/// Operands that an op without effect computes.
std::vector<std::size_t> recomputable(const Context& context, OpId op, bool constant) {
  std::vector<std::size_t> found;
  if (!context.live(op)) return found;
  const auto operands = context.module.operands(op);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto producer = context.module.producer_of(operands[i]);
    if (!producer || !is_plain(context.module, *producer)) continue;
    const ir::OpInfo& info = *context.module.op(*producer).info;
    // A token is a place in an order, not a computation that could be done twice.
    if (info.is("make_token") || info.is("join_tokens") || info.is("constant") != constant) continue;
    found.push_back(i);
  }
  return found;
}
template <bool constant>
std::uint32_t count_recomputable(const Context& context, OpId op) {
  return static_cast<std::uint32_t>(recomputable(context, op, constant).size());
}
template <bool constant>
void recompute(Edit& edit, OpId op, std::uint32_t variant) {
  const std::size_t operand = recomputable(edit.context, op, constant)[variant];
  const ValueId value = edit.module.operand(op, operand);
  const OpId copy = edit.copy_before(*edit.module.producer_of(value), op);
  edit.set_operand(op, operand, edit.module.result(copy, edit.module.value(value).index));
}

std::uint32_t plain(const Context& context, OpId op) {
  return is_plain(context.module, op) && !context.module.op(op).info->is("make_token") ? 1 : 0;
}
void add_dead_copy(Edit& edit, OpId op, std::uint32_t) {
  const auto next = next_op(edit.module, op);
  if (next) edit.copy_before(op, *next);
}

std::uint32_t commutative(const Context& context, OpId op) {
  return has(context.module.op(op).info->traits, ir::Trait::commutative) ? 1 : 0;
}
void commute(Edit& edit, OpId op, std::uint32_t) {
  const std::uint32_t first = edit.module.op(op).operands.first;
  std::swap(edit.module.operand_pool[first], edit.module.operand_pool[first + 1]);
}

std::uint32_t assumes(const Context& context, OpId op) {
  return promises(*context.module.op(op).info) && context.live(op) ? 1 : 0;
}
void repeat_assume(Edit& edit, OpId op, std::uint32_t) {
  const OpId first = edit.copy_before(op, op);
  edit.set_operand(op, 0, edit.module.result(first, 0));
}

/// Ids of blocks are never negative: an assume that says so says nothing.
std::uint32_t block_ids(const Context& context, OpId op) {
  const ir::OpInfo& info = *context.module.op(op).info;
  return context.live(op) && (info.is("get_tile_block_id") || info.is("get_num_tile_blocks"))
             ? context.module.op(op).results.count
             : 0;
}
void bound_block_id(Edit& edit, OpId op, std::uint32_t variant) {
  const ValueId id = edit.module.result(op, variant);
  ir::OperationParts parts;
  parts.info = ir::find_op("assume");
  parts.operands = {id};
  parts.group_sizes[0] = 1;
  parts.results = {edit.module.value(id).type};
  parts.words[*parts.info->attribute_index("predicate")] = ir::index(edit.builder.bounded(0, std::nullopt));
  edit.builder.after(op);
  const OpId assume = edit.builder.insert(parts);
  edit.builder.replace_all_uses(id, edit.module.result(assume, 0));
  edit.set_operand(assume, 0, id);
}

std::uint32_t short_splats(const Context& context, OpId op) {
  constexpr std::uint64_t kMostElements = 4096;
  if (!context.module.op(op).info->is("constant")) return 0;
  const ir::TypeKind kind = element_kind(context.module, context.module.result(op, 0));
  const std::uint64_t count = ir::element_count(context.module.type_of(context.module.result(op, 0)));
  const std::string& raw = context.module.constants[*context.module.word(op, "value")];
  return kind != ir::TypeKind::i1 && ir::bit_width(kind) % 8 == 0 && raw.size() == ir::bit_width(kind) / 8 &&
                 count > 1 && count <= kMostElements
             ? 1
             : 0;
}
void write_out(Edit& edit, OpId op, std::uint32_t) {
  ir::AttributeSlot& value = edit.slot(op, *attribute_of(edit.module, op, "value"));
  const std::string element = edit.module.constants[value.word];
  std::string all;
  for (std::uint64_t i = 0; i < ir::element_count(edit.module.type_of(edit.module.result(op, 0))); ++i)
    all += element;
  value.word = static_cast<std::uint64_t>(edit.builder.constant(all));
}

std::uint32_t without_else(const Context& context, OpId op) {
  return context.module.op(op).info->is("if") && context.module.op(op).results.count == 0 &&
                 !context.module.body(op, 1)
             ? 1
             : 0;
}
void add_else(Edit& edit, OpId op, std::uint32_t) {
  edit.builder.body(op, 1, {});
  ir::OperationParts parts;
  parts.info = ir::find_op("yield");
  edit.builder.insert(parts);
}

/// Computed in a region from values of outside: can be computed in front of the region's op.
std::uint32_t hoistable(const Context& context, OpId op) {
  const auto around = context.module.parent_op(op);
  if (!around || !is_plain(context.module, op) || context.module.op(op).info->is("make_token")) return 0;
  const ir::OpInfo& info = *context.module.op(*around).info;
  if (!info.is("for") && !info.is("loop") && !info.is("if")) return 0;
  return std::ranges::all_of(context.module.operands(op),
                             [&](ValueId value) { return context.visible(value, *around); })
             ? 1
             : 0;
}
void hoist(Edit& edit, OpId op, std::uint32_t) {
  const OpId around = *edit.module.parent_op(op);
  edit.take_out(op);
  const ir::BlockId block = edit.module.op(around).parent;
  auto& ops = edit.module.blocks[ir::index(block)].ops;
  ops.insert(std::ranges::find(ops, around), op);
  edit.module.ops[ir::index(op)].parent = block;
}

std::uint32_t results(const Context& context, OpId op) { return context.module.op(op).results.count != 0; }
void write_type_twice(Edit& edit, OpId op, std::uint32_t) {
  edit.module.types.push_back(edit.module.type_of(edit.module.result(op, 0)));
  edit.module.values[ir::index(edit.module.result(op, 0))].type =
      ir::TypeId{static_cast<std::uint32_t>(edit.module.types.size() - 1)};
}

std::uint32_t joins(const Context& context, OpId op) {
  return context.module.op(op).info->is("join_tokens") && context.module.op(op).operands.count > 1 ? 1 : 0;
}
void turn_tokens(Edit& edit, OpId op, std::uint32_t) {
  const ir::Range operands = edit.module.op(op).operands;
  std::reverse(edit.module.operand_pool.begin() + operands.first,
               edit.module.operand_pool.begin() + operands.first + operands.count);
}

const KindRow kRows[] = {
    {{"renamed_entry", Change::neutral, "every kernel"}, once_a_kernel, rename_entry},
    {{"other_producer", Change::neutral, "every kernel"}, once_a_kernel, other_producer},
    {{"newer_version", Change::neutral, "every kernel"}, once_a_kernel, newer_version},
    {{"no_debug_place", Change::neutral, "ops with a place in the source"}, placed, forget_place},
    {{"reordered", Change::neutral, "ops without effect before one that doesn't use them"},
     swappable,
     swap_with_next},
    {{"duplicate_constant", Change::neutral, "live uses of constants"},
     count_recomputable<true>,
     recompute<true>},
    {{"duplicate_value", Change::neutral, "live uses of ops without effect"},
     count_recomputable<false>,
     recompute<false>},
    {{"dead_copy", Change::neutral, "ops without effect"}, plain, add_dead_copy},
    {{"commuted", Change::neutral, "commutative ops"}, commutative, commute},
    {{"repeated_assume", Change::neutral, "live assumes"}, assumes, repeat_assume},
    {{"bounded_block_id", Change::neutral, "live ids and numbers of blocks"}, block_ids, bound_block_id},
    {{"splat_written_out", Change::neutral, "constants of up to 4096 equal elements"},
     short_splats,
     write_out},
    {{"empty_else", Change::neutral, "ifs without results and else"}, without_else, add_else},
    {{"hoisted", Change::neutral, "ops without effect in loops and branches that use nothing of there"},
     hoistable,
     hoist},
    {{"type_written_twice", Change::neutral, "ops with results"}, results, write_type_twice},
    {{"joined_otherwise", Change::neutral, "joins of several tokens"}, joins, turn_tokens},
};

}  // namespace

std::span<const KindRow> neutral_kinds() { return kRows; }

}  // namespace tileport::mutation
