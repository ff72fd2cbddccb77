// SPDX-License-Identifier: Apache-2.0
// Puts two graphs side by side: which op of the port stands for which of the reference, where they first
// diverge, and which facts differ although the values agree.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tileport/diff/compare.hpp>
#include <unordered_set>
#include <utility>
#include <vector>

#include "diff/graph.hpp"

namespace tileport::diff {

class Alignment {
 public:
  Alignment(Graph& reference, Graph& port, std::string target)
      : a_(reference), b_(port), target_(std::move(target)) {}

  /// Compares both layers. Findings are in the order of the reference; rules are counted in the port's graph.
  void run();

  std::vector<Finding> findings;

 private:
  using OpId = ir::OpId;
  using Ops = std::vector<OpId>;

  // Blocks (align.cpp).
  void blocks(ir::BlockId a, ir::BlockId b);
  void regions(OpId a, OpId b);
  void terminators(ir::BlockId a, ir::BlockId b);
  void effects(ir::BlockId in_a, const Ops& a, ir::BlockId in_b, const Ops& b);
  void matched(OpId a, OpId b);
  void count_repeats();
  int similarity(OpId a, OpId b) const;

  // Divergence (localize.cpp).
  void differ(OpId a, OpId b);
  void localize(OpId a, OpId b);
  void constant_delta(OpId a, OpId b);
  bool types_of_operands_differ(OpId a, OpId b);
  bool signature_delta(OpId a, OpId b);
  void operand_delta(OpId a, OpId b);
  void operand_pair(OpId a, OpId b, std::size_t i, ir::ValueId in_a, ir::ValueId in_b);
  Group operand_group(OpId a, std::size_t i) const;
  bool group_delta(OpId a, OpId b);
  void only_in_reference(OpId a, ir::BlockId where_in_b);
  void only_in_port(ir::BlockId where_in_a, OpId b);

  // Facts (fact_layer.cpp).
  void entry_facts();
  void facts(OpId a, OpId b);
  void overflow(OpId a, OpId b);
  void inbounds(OpId a, OpId b);
  void hints(OpId a, OpId b);
  void hint_values(const struct Hints& a, const struct Hints& b, const Site& in_a, const Site& in_b);
  void operand_facts(OpId a, OpId b, ir::ValueId in_a, ir::ValueId in_b);
  void dead_assumptions();

  Site site(Graph& graph, OpId id) const;
  Site block_site(Graph& graph, ir::BlockId block) const;
  void report(Group group, FindingClass kind, FindingSeverity severity, Effect effect, std::string message,
              Site a, Site b, Side side = Side::both);
  void mistranslation(Group group, std::string message, Site a, Site b, Side side = Side::both) {
    report(group, FindingClass::mistranslation, FindingSeverity::critical, Effect::value, std::move(message),
           std::move(a), std::move(b), side);
  }

  Graph& a_;
  Graph& b_;
  std::string target_;
  std::vector<std::pair<OpId, OpId>> to_localize_;
  std::vector<std::pair<ir::BlockId, ir::BlockId>> to_align_;
  std::unordered_set<std::uint64_t> seen_;
  std::set<std::string> reported_;
  Ops rest_a_;  ///< Live pure ops without a partner in their block.
  Ops rest_b_;
};

/// Site of the kernel itself.
Site entry_site(const ir::Module& module, const ir::Function& kernel);

}  // namespace tileport::diff
