// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>

#include "diff/graph.hpp"

namespace tileport::diff {
namespace {

using ir::BlockId;
using ir::Module;
using ir::OpId;

bool ends_with(const Module& module, std::optional<BlockId> block, std::string_view mnemonic) {
  return block && !module.block(*block).ops.empty() &&
         module.op(module.block(*block).ops.back()).info->is(mnemonic);
}

void turn_into_yield(Module& module, OpId terminator) {
  assert(module.op(terminator).operands.count == 0);
  module.ops[ir::index(terminator)].info = ir::find_op("yield");
}

/// The block of a region of an `if`; made, with an empty yield, if the region has none.
BlockId branch_of(Module& module, OpId branch, std::size_t region) {
  if (const auto block = module.body(branch, region)) return *block;
  const auto region_id = module.op(branch).regions.first + static_cast<std::uint32_t>(region);
  const BlockId block{static_cast<std::uint32_t>(module.blocks.size())};
  const OpId yield{static_cast<std::uint32_t>(module.ops.size())};
  ir::Operation end;
  end.info = ir::find_op("yield");
  end.parent = block;
  module.ops.push_back(end);
  module.blocks.push_back({ir::RegionId{region_id}, {}, {yield}});
  module.regions[region_id].blocks = {ir::index(block), 1};
  return block;
}

/// Moves what stands behind the `if` at `place` of `block` into its branch `region`, in front of the yield.
void move_rest(Module& module, BlockId block, std::size_t place, std::size_t region) {
  const OpId branch = module.block(block).ops[place];
  const BlockId target = branch_of(module, branch, region);
  auto& from = module.blocks[ir::index(block)].ops;
  auto& to = module.blocks[ir::index(target)].ops;
  const auto first = from.begin() + static_cast<std::ptrdiff_t>(place) + 1;
  const auto last = from.end() - 1;  // The function's own return stays.
  for (auto moved = first; moved != last; ++moved) module.ops[ir::index(*moved)].parent = target;
  to.insert(to.end() - 1, first, last);
  from.erase(first, last);
}

/// The results of an `if` whose other branch returns are what this branch yields: puts that in their place.
void replace_results(Module& module, OpId branch, std::size_t region) {
  ir::Operation& op = module.ops[ir::index(branch)];
  if (op.results.count == 0) return;
  const OpId end = module.block(*module.body(branch, region)).ops.back();
  for (std::uint32_t i = 0; i < op.results.count; ++i) {
    std::ranges::replace(module.operand_pool, module.result(branch, i), module.operand(end, i));
  }
  op.results.count = 0;
  module.ops[ir::index(end)].operands.count = 0;
}

/// Which branch of an `if` always returns: 0, 1, or nothing.
std::optional<std::size_t> returning_branch(const Module& module, OpId id) {
  const ir::Operation& op = module.op(id);
  if (!op.info->is("if")) return std::nullopt;
  const bool first = ends_with(module, module.body(id, 0), "return");
  const bool second = ends_with(module, module.body(id, 1), "return");
  if (first == second) return std::nullopt;
  const std::size_t other = first ? 1 : 0;
  // The rest can only move where control falls through, and results come from there.
  const auto block = module.body(id, other);
  if (block && !ends_with(module, block, "yield")) return std::nullopt;
  if (op.results.count != (block ? module.operands(module.block(*block).ops.back()).size() : 0))
    return std::nullopt;
  return first ? 0 : 1;
}

}  // namespace

std::uint32_t rewrite_early_returns(Module& module, BlockId body) {
  std::uint32_t times = 0;
  // The block that the kernel's rest is in: the body, then the branch that it moved to.
  BlockId block = body;
  bool again = true;
  while (again && !module.block(block).ops.empty()) {
    again = false;
    const auto& ops = module.block(block).ops;
    for (std::size_t place = 0; place + 1 < ops.size(); ++place) {
      const OpId branch = ops[place];
      const auto returning = returning_branch(module, branch);
      if (!returning) continue;
      const BlockId left = *module.body(branch, *returning);
      turn_into_yield(module, module.block(left).ops.back());
      replace_results(module, branch, 1 - *returning);
      move_rest(module, block, place, 1 - *returning);
      ++times;
      block = *module.body(branch, 1 - *returning);
      again = true;
      break;
    }
  }
  return times;
}

}  // namespace tileport::diff
