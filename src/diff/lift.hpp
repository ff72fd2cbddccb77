// SPDX-License-Identifier: Apache-2.0
// Builds a Graph: liveness backward, then expressions forward.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "diff/graph.hpp"

namespace tileport::diff {

class Lift {
 public:
  explicit Lift(Graph& graph) : graph_(graph) {}
  void run();

 private:
  using Operands = std::vector<ir::ValueId>;

  void mark_block(ir::BlockId block);
  void mark_op(ir::OpId id);
  void lift_block(ir::BlockId block, std::uint32_t depth, std::uint32_t region);
  void lift_op(ir::OpId id, std::uint32_t depth);
  void close_block(ir::BlockId block, const std::vector<bool>& dropped);
  void assume(ir::OpId id);
  void define_results(ir::OpId id, const std::vector<bool>& dropped = {});
  void define(ir::ValueId value, Id id) { graph_.values[ir::index(value)] = {id, value, 0}; }
  /// Gives a value the expression and the facts of another.
  void forward(ir::ValueId value, ir::ValueId to) { graph_.values[ir::index(value)] = graph_.value(to); }

  /// Without the results that are dropped, and with other types of the results if any are given.
  Id signature(ir::OpId id, const std::vector<bool>& dropped, const std::vector<Id>& types = {});
  Id operation_id(ir::OpId id, const std::vector<Id>& content);
  std::uint32_t add_facts(Facts facts);
  void count(Rule rule) { graph_.counts.add(rule); }

  // Rules on single ops (rules_of_values.cpp). True: the results are defined and the op is folded.
  bool apply_rule(ir::OpId id);
  bool pass_operand(ir::OpId id, Rule rule);
  bool constant(ir::OpId id);
  bool cast_constant(ir::OpId id);
  bool reshape(ir::OpId id);
  bool spread_constant(ir::OpId id);
  bool extend_constant(ir::OpId id);
  bool join_tokens(ir::OpId id);
  bool truncate(ir::OpId id);
  bool pointer_to_int(ir::OpId id);
  bool one_element_atomic(ir::OpId id);
  // Rules on several ops (rules_of_forms.cpp).
  struct Bounds {
    std::int64_t lower;
    std::int64_t upper;
  };
  ir::TypeKind element_of(ir::ValueId value) const;
  Bounds bounds_of(ir::ValueId value, int depth) const;
  bool ceil_division(ir::OpId id);
  bool select_extreme(ir::OpId id);
  bool compares_with_zero(ir::ValueId value, std::string_view predicate, Id number) const;
  bool corrected_remainder(ir::OpId id);
  void find_permutes();
  bool permuted_load(ir::OpId id);
  bool permuted_result(ir::OpId id);
  bool become_constant(ir::OpId id, std::uint64_t bits, Rule rule);
  const Expression* expression(ir::ValueId value) const;
  const Expression* expression(Id id) const;

  // Control flow (lift_control.cpp).
  void lift_if(ir::OpId id, std::uint32_t depth);
  void lift_loop(ir::OpId id, std::uint32_t depth);
  std::optional<ir::ValueId> passed_through(ir::OpId id, std::size_t result) const;
  bool leaves_region(ir::BlockId block, bool of_loop) const;
  bool is_outside(ir::ValueId value, ir::OpId branch) const;
  std::uint32_t depth_of(ir::BlockId block) const { return depths_[ir::index(block)]; }

  Graph& graph_;
  std::vector<bool> used_;             ///< By value.
  std::vector<std::uint32_t> depths_;  ///< By block.

  struct Scalar {
    Id id = 0;
    Id type = 0;
  };
  std::unordered_map<std::uint32_t, ir::OpId> permute_of_;  ///< By value: the permute that alone reads it.
  std::unordered_map<std::uint32_t, Id> permuted_;          ///< By value: what that permute gives.
  std::unordered_map<Id, Scalar> one_element_;  ///< Results of rank 1 of atomics -> what they are at rank 0.
};

}  // namespace tileport::diff
