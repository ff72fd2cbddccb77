// SPDX-License-Identifier: Apache-2.0
// Ops with regions.
#include <algorithm>

#include "diff/lift.hpp"

namespace tileport::diff {

using ir::BlockId;
using ir::OpId;
using ir::ValueId;

namespace {

/// A region without a block and one whose block only yields nothing are the same.
bool is_empty(const ir::Module& module, std::optional<BlockId> block) {
  if (!block) return true;
  const auto& ops = module.block(*block).ops;
  return ops.empty() || (ops.size() == 1 && module.op(ops.front()).info->is("yield") &&
                         module.operands(ops.front()).empty());
}

}  // namespace

bool Lift::is_outside(ValueId value, OpId branch) const {
  const ir::Value& definition = graph_.module.value(value);
  const BlockId block = definition.owner == ir::Value::Owner::op_result
                            ? graph_.module.op(OpId{definition.owner_id}).parent
                            : BlockId{definition.owner_id};
  // A value that a branch can name is defined in the branch or in a block around the `if`.
  return depth_of(block) <= depth_of(graph_.module.op(branch).parent);
}

/// The value of an outer scope that every branch yields as this result. Branches that leave a loop or return
/// yield nothing. It equals the result whichever branch runs.
std::optional<ValueId> Lift::passed_through(OpId id, std::size_t result) const {
  std::optional<ValueId> passed;
  for (std::size_t r = 0; r < graph_.module.op(id).regions.count; ++r) {
    const auto block = graph_.module.body(id, r);
    if (!block || graph_.module.block(*block).ops.empty()) return std::nullopt;
    const OpId end = graph_.module.block(*block).ops.back();
    if (!graph_.module.op(end).info->is("yield")) continue;
    const auto yielded = graph_.module.operands(end);
    if (result >= yielded.size()) return std::nullopt;
    const ValueId value = yielded[result];
    if (!is_outside(graph_.value(value).base, id)) return std::nullopt;
    if (passed && graph_.value(*passed).id != graph_.value(value).id) return std::nullopt;
    if (!passed) passed = value;
  }
  return passed;
}

void Lift::lift_if(OpId id, std::uint32_t depth) {
  const ir::Module& module = graph_.module;
  const ir::Operation& op = module.op(id);
  for (std::uint32_t r = 0; r < op.regions.count; ++r) {
    if (const auto block = module.body(id, r)) lift_block(*block, depth + 1, r);
  }
  std::vector<bool> dropped(op.results.count, false);
  for (std::uint32_t i = 0; i < op.results.count; ++i) {
    const auto passed = passed_through(id, i);
    if (!passed) continue;
    dropped[i] = true;
    forward(module.result(id, i), *passed);
    count(Rule::pass_through_yields);
  }
  OpNode& node = graph_.ops[ir::index(id)];
  std::vector<Id> content;
  for (std::uint32_t r = 0; r < op.regions.count; ++r) {
    const auto block = module.body(id, r);
    if (block) close_block(*block, dropped);
    if (block && r == 1 && is_empty(module, block)) count(Rule::empty_else);
    const bool all_dropped = std::ranges::all_of(dropped, [](bool one) { return one; });
    const bool nothing =
        is_empty(module, block) || (all_dropped && module.block(*block).ops.size() == 1 &&
                                    module.op(module.block(*block).ops.front()).info->is("yield"));
    content.push_back(nothing ? graph_.interner_(Key("empty")) : graph_.blocks[ir::index(*block)]);
    if (block) node.may_leave |= leaves_region(*block, false);
  }
  node.signature = signature(id, dropped);
  node.id = operation_id(id, content);
  define_results(id, dropped);
}

void Lift::lift_loop(OpId id, std::uint32_t depth) {
  const ir::Module& module = graph_.module;
  const bool is_function = has(module.op(id).info->traits, ir::Trait::pure);  // reduce, scan
  OpNode& node = graph_.ops[ir::index(id)];
  std::vector<Id> content;
  for (std::uint32_t r = 0; r < module.op(id).regions.count; ++r) {
    const auto block = module.body(id, r);
    if (!block) continue;
    lift_block(*block, depth + 1, r);
    close_block(*block, {});
    content.push_back(graph_.blocks[ir::index(*block)]);
    if (!is_function) node.may_leave |= leaves_region(*block, true);
  }
  node.signature = signature(id, {});
  node.id = operation_id(id, content);
  define_results(id);
}

/// Whether control may leave more than this region's op: a return, and outside of loops a break or continue.
bool Lift::leaves_region(BlockId block, bool of_loop) const {
  return std::ranges::any_of(graph_.module.block(block).ops, [&](OpId id) {
    if (!graph_.node(id).may_leave) return false;
    if (!of_loop) return true;
    // From a loop only a return gets out; find one below.
    bool returns = false;
    const auto look = [&](OpId inner) { returns |= graph_.module.op(inner).info->is("return"); };
    look(id);
    for (std::size_t r = 0; r < graph_.module.op(id).regions.count; ++r) {
      if (const auto inner = graph_.module.body(id, r)) ir::walk(graph_.module, *inner, look);
    }
    return returns;
  });
}

}  // namespace tileport::diff
