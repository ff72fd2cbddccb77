// SPDX-License-Identifier: Apache-2.0
// Which op of the port is which op of the reference, as an edit script wants it: one to one, each block's ops
// within one block of the other side, and so that as few ops as can be found easily differ.
//
// 1. Ops with equal numbers (graph.hpp) are the same computation: they are paired in order, and the blocks of
//    paired ops with regions with them.
// 2. What is left is looked at in the order of the port. An op that says and takes exactly what a left op of
//    the reference does is that op; so whatever merely follows from a difference further up costs nothing.
// 3. Else the most alike of the next few left ops of its mnemonic is taken, if it shares an operand with it;
//    then one that takes the same operands, though it is another op; then the next of its mnemonic.
// Each step looks at a bounded number of candidates, so time grows with the number of ops.
#pragma once

#include <cstdint>
#include <tileport/diff/edit_script.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "diff/graph.hpp"

namespace tileport::diff {

class Matcher {
 public:
  Matcher(Graph& reference, Graph& port, Interner& interner);

  void run();

  /// By OpId of the port (or the reference): the other side's op, or kNone.
  std::vector<ir::OpId> in_reference;
  std::vector<ir::OpId> in_port;
  /// Paired blocks, outer ones first.
  std::vector<std::pair<ir::BlockId, ir::BlockId>> blocks;
  /// By ValueId of the port: what the paired op or block makes in its place, or kNone. A paired block whose
  /// arguments have other types has others throughout.
  std::vector<ir::ValueId> value_in_reference;

  /// Everything that an op itself says: attributes, facts too, flags, sizes of groups, types of results.
  Id statement(const Graph& graph, ir::OpId op) const {
    return (&graph == &a_ ? statements_a_ : statements_b_)[ir::index(op)];
  }
  /// Whether two paired ops say the same of the same operands.
  bool unchanged(ir::OpId in_a, ir::OpId in_b) const;

 private:
  using Ops = std::vector<ir::OpId>;

  Id state(const ir::Module& module, ModuleKeys& keys, ir::OpId op);
  void state_all(const ir::Module& module, const ir::Function& kernel, ModuleKeys& keys,
                 std::vector<Id>& all);
  static void find_first_users(const Graph& graph, std::vector<Id>& users);
  void match_blocks(ir::BlockId a, ir::BlockId b);
  void match_equal(const Ops& a, const Ops& b);
  bool match_stated(ir::OpId b);
  bool match_alike(ir::OpId b, bool share_operands);
  bool match_operands(ir::OpId b);
  void prepare_left(const Ops& a);
  void pair(ir::OpId a, ir::OpId b);
  void pair_values(ir::OpId a, ir::OpId b);
  bool is_free(ir::OpId a) const { return ir::index(in_port[ir::index(a)]) == ir::kNone; }
  int likeness(ir::OpId a, ir::OpId b) const;
  /// Key of an op's statement with its operands as values of the reference; nothing if one has none.
  bool operand_key(ir::OpId b, Key& key) const;

  Graph& a_;
  Graph& b_;
  Interner& interner_;
  ModuleKeys keys_a_;
  ModuleKeys keys_b_;
  std::vector<Id> statements_a_;
  std::vector<Id> statements_b_;
  std::vector<Id> first_user_a_;  ///< By op: the number of the first op that uses a result.
  std::vector<Id> first_user_b_;
  /// Ops of the present block of the reference that are left.
  std::unordered_map<std::string, Ops> left_by_statement_;
  std::unordered_map<std::string, Ops> left_by_operands_;
  std::unordered_map<const ir::OpInfo*, Ops> left_by_mnemonic_;
};

/// The script that a matcher's partners ask for.
EditScript write_script(Graph& reference, Graph& port, const Matcher& matcher);

}  // namespace tileport::diff
