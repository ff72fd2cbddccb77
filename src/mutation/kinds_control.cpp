// SPDX-License-Identifier: Apache-2.0
// Kinds that change loops and branches.
#include <algorithm>

#include "mutation/kind_table.hpp"

namespace tileport::mutation {
namespace {

using ir::BlockId;
using ir::OpId;
using ir::ValueId;

template <std::size_t group>
std::uint32_t other_bounds(const Context& context, OpId op) {
  if (!context.module.op(op).info->is("for") || !context.live(op)) return 0;
  return static_cast<std::uint32_t>(context.others(op, group).size());
}
template <std::size_t group>
void take_bound(Edit& edit, OpId op, std::uint32_t variant) {
  edit.set_operand(op, group, edit.context.others(op, group)[variant]);
}

/// Neighbouring values of one type that are written differently, from operand `first` on.
std::vector<std::size_t> swappable(const Context& context, OpId op, std::size_t first) {
  std::vector<std::size_t> found;
  const auto operands = context.module.operands(op);
  for (std::size_t i = first; i + 1 < operands.size(); ++i) {
    if (context.same_type(operands[i], operands[i + 1]) && !context.same(operands[i], operands[i + 1]))
      found.push_back(i);
  }
  return found;
}
void swap_at(Edit& edit, OpId op, std::size_t at) {
  const std::uint32_t first = edit.module.op(op).operands.first;
  std::swap(edit.module.operand_pool[first + at], edit.module.operand_pool[first + at + 1]);
}

std::optional<std::size_t> first_initial(const ir::Module& module, OpId op) {
  const auto group = module.op(op).info->operand_group("initValues");
  if (!group) return std::nullopt;
  return first_of_group(module, op, *group);
}
std::uint32_t carried(const Context& context, OpId op) {
  const auto first = first_initial(context.module, op);
  return first && context.live(op) ? static_cast<std::uint32_t>(swappable(context, op, *first).size()) : 0;
}
void swap_carried(Edit& edit, OpId op, std::uint32_t variant) {
  swap_at(edit, op, swappable(edit.context, op, *first_initial(edit.module, op))[variant]);
}

std::uint32_t initial_values(const Context& context, OpId op) {
  const auto first = first_initial(context.module, op);
  if (!first || !context.live(op)) return 0;
  std::uint32_t count = 0;
  for (std::size_t i = *first; i < context.module.operands(op).size(); ++i)
    count += context.others(op, i).empty() ? 0 : 1;
  return count;
}
void take_initial_value(Edit& edit, OpId op, std::uint32_t variant) {
  for (std::size_t i = *first_initial(edit.module, op);; ++i) {
    const auto others = edit.context.others(op, i);
    if (others.empty() || variant-- != 0) continue;
    edit.set_operand(op, i, others.front());
    return;
  }
}

bool is_live_terminator(const Context& context, OpId op) {
  return has(context.module.op(op).info->traits, ir::Trait::terminator) && context.live(op);
}
std::uint32_t handed_on(const Context& context, OpId op) {
  return is_live_terminator(context, op) ? static_cast<std::uint32_t>(swappable(context, op, 0).size()) : 0;
}
void swap_handed_on(Edit& edit, OpId op, std::uint32_t variant) {
  swap_at(edit, op, swappable(edit.context, op, 0)[variant]);
}

std::uint32_t other_handed_on(const Context& context, OpId op) {
  if (!is_live_terminator(context, op)) return 0;
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < context.module.operands(op).size(); ++i)
    count += context.others(op, i).empty() ? 0 : 1;
  return count;
}
void take_handed_on(Edit& edit, OpId op, std::uint32_t variant) {
  for (std::size_t i = 0;; ++i) {
    const auto others = edit.context.others(op, i);
    if (others.empty() || variant-- != 0) continue;
    edit.set_operand(op, i, others.front());
    return;
  }
}

bool only_yields_nothing(const ir::Module& module, BlockId block) {
  const auto& ops = module.block(block).ops;
  return ops.empty() || (ops.size() == 1 && module.operands(ops.front()).empty() &&
                         module.op(ops.front()).info->is("yield"));
}
/// Whether two branches are certainly written alike: op for op, of the same values of outside.
bool same_branches(const Context& context, BlockId a, BlockId b) {
  const auto& left = context.module.block(a).ops;
  const auto& right = context.module.block(b).ops;
  return std::ranges::equal(left, right, [&](OpId x, OpId y) {
    return context.module.op(x).info == context.module.op(y).info &&
           std::ranges::equal(context.module.operands(x), context.module.operands(y),
                              [&](ValueId p, ValueId q) { return context.same(p, q); });
  });
}
std::uint32_t branches(const Context& context, OpId op) {
  if (!context.module.op(op).info->is("if") || !context.live(op)) return 0;
  const auto first = context.module.body(op, 0);
  const auto second = context.module.body(op, 1);
  return first && second &&
                 !(only_yields_nothing(context.module, *first) &&
                   only_yields_nothing(context.module, *second)) &&
                 !same_branches(context, *first, *second)
             ? 1
             : 0;
}
void swap_branches(Edit& edit, OpId op, std::uint32_t) {
  const std::uint32_t first = edit.module.op(op).regions.first;
  std::swap(edit.module.regions[first].blocks, edit.module.regions[first + 1].blocks);
  for (std::size_t r = 0; r < 2; ++r) {
    edit.module.blocks[ir::index(*edit.module.body(op, r))].parent =
        ir::RegionId{first + static_cast<std::uint32_t>(r)};
  }
  // What each branch hands on is what changed places.
  for (std::size_t r = 0; r < 2; ++r)
    edit.also.push_back(edit.module.block(*edit.module.body(op, r)).ops.back());
}

const KindRow kRows[] = {
    {{"loop_start", Change::value, "counted loops with another such value in scope"},
     other_bounds<0>,
     take_bound<0>},
    {{"loop_bound", Change::value, "counted loops with another such value in scope"},
     other_bounds<1>,
     take_bound<1>},
    {{"loop_step", Change::value, "counted loops with another such value in scope"},
     other_bounds<2>,
     take_bound<2>},
    {{"carried_order", Change::value, "loops with neighbouring initial values of one type that differ"},
     carried,
     swap_carried},
    {{"initial_value", Change::value, "carried values with another such value in scope"},
     initial_values,
     take_initial_value},
    {{"yield_order", Change::value, "terminators with neighbouring values of one type that differ"},
     handed_on,
     swap_handed_on},
    {{"yielded_value", Change::value, "terminators with another such value in scope"},
     other_handed_on,
     take_handed_on},
    {{"branches", Change::value, "ifs with two branches that aren't written alike"}, branches, swap_branches},
};

}  // namespace

std::span<const KindRow> control_kinds() { return kRows; }

}  // namespace tileport::mutation
