// SPDX-License-Identifier: Apache-2.0
#include "diff/matcher.hpp"

#include <algorithm>
#include <deque>

namespace tileport::diff {

using ir::BlockId;
using ir::OpId;
using ir::ValueId;

namespace {

/// Of the left ops of a mnemonic this many are compared with an op.
constexpr std::ptrdiff_t kMostCandidates = 8;

bool is_terminator(const ir::Module& module, OpId op) {
  return has(module.op(op).info->traits, ir::Trait::terminator);
}

}  // namespace

Matcher::Matcher(Graph& reference, Graph& port, Interner& interner)
    : in_reference(port.original.ops.size(), OpId{ir::kNone}),
      in_port(reference.original.ops.size(), OpId{ir::kNone}),
      value_in_reference(port.original.values.size(), ValueId{ir::kNone}),
      a_(reference),
      b_(port),
      interner_(interner),
      keys_a_(reference.original, interner),
      keys_b_(port.original, interner) {}

Id Matcher::state(const ir::Module& module, ModuleKeys& keys, OpId id) {
  const ir::Operation& op = module.op(id);
  Key key("statement");
  key.add(op.info->mnemonic);
  for (std::size_t i = 0; i < op.info->flags.size(); ++i) {
    if (op.info->flags[i].kind == ir::FlagInfo::Kind::unit_attribute) key.add(op.flags >> i & 1U);
  }
  for (std::size_t i = 0; i < op.info->attributes.size(); ++i) key.add(keys.slot(id, i));
  for (const std::uint32_t size : module.segments(id)) key.add(size);
  for (std::uint32_t i = 0; i < op.results.count; ++i)
    key.add(keys.type(module.value(module.result(id, i)).type));
  for (std::size_t r = 0; r < op.regions.count; ++r) key.add(module.body(id, r) ? 1U : 0U);
  return interner_(key);
}

void Matcher::state_all(const ir::Module& module, const ir::Function& kernel, ModuleKeys& keys,
                        std::vector<Id>& all) {
  all.resize(module.ops.size());
  ir::walk(module, kernel.body, [&](OpId op) { all[ir::index(op)] = state(module, keys, op); });
}

/// Of several ops that compute the same, those are partners that serve the same purpose: their first users
/// are the same.
void Matcher::find_first_users(const Graph& graph, std::vector<Id>& users) {
  users.assign(graph.original.ops.size(), 0);
  ir::walk(graph.original, graph.kernel.body, [&](OpId op) {
    for (const ValueId operand : graph.original.operands(op)) {
      const auto producer = graph.original.producer_of(operand);
      if (producer && users[ir::index(*producer)] == 0) users[ir::index(*producer)] = graph.node(op).id;
    }
  });
}

void Matcher::run() {
  state_all(a_.original, a_.kernel, keys_a_, statements_a_);
  state_all(b_.original, b_.kernel, keys_b_, statements_b_);
  find_first_users(a_, first_user_a_);
  find_first_users(b_, first_user_b_);
  blocks.emplace_back(a_.kernel.body, b_.kernel.body);
  // Blocks of paired ops are added while the list is walked.
  for (std::size_t i = 0; i < blocks.size(); ++i) match_blocks(blocks[i].first, blocks[i].second);
}

void Matcher::match_blocks(BlockId a, BlockId b) {
  const auto& left = a_.original.block(a);
  const auto& right = b_.original.block(b);
  bool same_arguments = left.arguments.count == right.arguments.count;
  for (std::uint32_t i = 0; same_arguments && i < left.arguments.count; ++i) {
    same_arguments = keys_a_.type(a_.original.value(a_.original.argument(a, i)).type) ==
                     keys_b_.type(b_.original.value(b_.original.argument(b, i)).type);
  }
  for (std::uint32_t i = 0; same_arguments && i < left.arguments.count; ++i)
    value_in_reference[ir::index(b_.original.argument(b, i))] = a_.original.argument(a, i);
  match_equal(left.ops, right.ops);
  if (!left.ops.empty() && !right.ops.empty() && is_terminator(a_.original, left.ops.back()) &&
      is_terminator(b_.original, right.ops.back()) && is_free(left.ops.back()) &&
      ir::index(in_reference[ir::index(right.ops.back())]) == ir::kNone) {
    pair(left.ops.back(), right.ops.back());
  }
  prepare_left(left.ops);
  Ops rest;
  for (const OpId op : right.ops) {
    if (ir::index(in_reference[ir::index(op)]) != ir::kNone) continue;
    if (!match_stated(op) && !match_alike(op, true)) rest.push_back(op);
  }
  std::erase_if(rest, [&](OpId op) { return match_stated(op) || match_operands(op); });
  std::erase_if(rest, [&](OpId op) { return match_stated(op) || match_alike(op, false); });
}

void Matcher::match_equal(const Ops& a, const Ops& b) {
  const auto comparable = [](const Graph& graph, OpId op) {
    return !has(graph.original.op(op).info->traits, ir::Trait::promises);
  };
  std::unordered_map<Id, std::deque<OpId>> waiting;
  for (const OpId op : a) {
    if (comparable(a_, op)) waiting[a_.node(op).id].push_back(op);
  }
  for (const OpId op : b) {
    if (!comparable(b_, op)) continue;
    const auto found = waiting.find(b_.node(op).id);
    if (found == waiting.end()) continue;
    auto& queue = found->second;
    auto best = queue.end();
    int most = -1;
    for (auto other = queue.begin(); other != queue.end() && other - queue.begin() < kMostCandidates;
         ++other) {
      // A rule may have given ops of several mnemonics one number.
      if (a_.original.op(*other).info != b_.original.op(op).info) continue;
      const int score = (unchanged(*other, op) ? 2 : 0) +
                        (first_user_a_[ir::index(*other)] == first_user_b_[ir::index(op)] ? 1 : 0);
      if (score <= most) continue;
      most = score;
      best = other;
    }
    if (best == queue.end()) continue;
    const OpId other = *best;
    queue.erase(best);
    pair(other, op);
  }
}

void Matcher::pair(OpId a, OpId b) {
  in_port[ir::index(a)] = b;
  in_reference[ir::index(b)] = a;
  pair_values(a, b);
  const std::size_t regions = std::min(a_.original.op(a).regions.count, b_.original.op(b).regions.count);
  for (std::size_t r = 0; r < regions; ++r) {
    const auto in_a = a_.original.body(a, r);
    const auto in_b = b_.original.body(b, r);
    if (in_a && in_b) blocks.emplace_back(*in_a, *in_b);
  }
}

void Matcher::pair_values(OpId a, OpId b) {
  const ir::Operation& left = a_.original.op(a);
  const ir::Operation& right = b_.original.op(b);
  if (left.results.count != right.results.count) return;
  for (std::uint32_t i = 0; i < left.results.count; ++i)
    value_in_reference[ir::index(b_.original.result(b, i))] = a_.original.result(a, i);
}

bool Matcher::unchanged(OpId in_a, OpId in_b) const {
  if (statement(a_, in_a) != statement(b_, in_b)) return false;
  return std::ranges::equal(a_.original.operands(in_a), b_.original.operands(in_b),
                            [&](ValueId x, ValueId y) { return value_in_reference[ir::index(y)] == x; });
}

void Matcher::prepare_left(const Ops& a) {
  left_by_statement_.clear();
  left_by_operands_.clear();
  left_by_mnemonic_.clear();
  // Queues are emptied from their ends.
  for (auto op = a.rbegin(); op != a.rend(); ++op) {
    if (!is_free(*op)) continue;
    Key operands("operands");
    for (const ValueId value : a_.original.operands(*op)) operands.add(ir::index(value));
    left_by_mnemonic_[a_.original.op(*op).info].push_back(*op);
    if (a_.original.operands(*op).empty()) {
      left_by_statement_[Key(operands).add(statements_a_[ir::index(*op)]).text()].push_back(*op);
      continue;
    }
    left_by_operands_[operands.text()].push_back(*op);
    left_by_statement_[operands.add(statements_a_[ir::index(*op)]).text()].push_back(*op);
  }
}

bool Matcher::operand_key(OpId b, Key& key) const {
  for (const ValueId value : b_.original.operands(b)) {
    const ValueId in_a = value_in_reference[ir::index(value)];
    if (ir::index(in_a) == ir::kNone) return false;
    key.add(ir::index(in_a));
  }
  return true;
}

bool Matcher::match_stated(OpId b) {
  Key key("operands");
  if (!operand_key(b, key)) return false;
  const auto found = left_by_statement_.find(key.add(statements_b_[ir::index(b)]).text());
  if (found == left_by_statement_.end()) return false;
  while (!found->second.empty()) {
    const OpId a = found->second.back();
    found->second.pop_back();
    if (!is_free(a)) continue;
    pair(a, b);
    return true;
  }
  return false;
}

bool Matcher::match_operands(OpId b) {
  Key key("operands");
  if (b_.original.operands(b).empty() || !operand_key(b, key)) return false;
  const auto found = left_by_operands_.find(key.text());
  if (found == left_by_operands_.end()) return false;
  while (!found->second.empty()) {
    const OpId a = found->second.back();
    found->second.pop_back();
    if (!is_free(a) || a_.original.op(a).results.count != b_.original.op(b).results.count ||
        a_.original.op(a).info->regions != 0 || b_.original.op(b).info->regions != 0) {
      continue;
    }
    pair(a, b);
    return true;
  }
  return false;
}

/// Shared operands count most; then whether the ops say the same.
int Matcher::likeness(OpId a, OpId b) const {
  int shared = 0;
  const auto left = a_.original.operands(a);
  const auto right = b_.original.operands(b);
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
    shared += value_in_reference[ir::index(right[i])] == left[i] ? 1 : 0;
  const bool constants = left.empty() && right.empty();
  return (shared > 0 || constants ? 4 : 0) + 2 * shared +
         (statements_a_[ir::index(a)] == statements_b_[ir::index(b)] ? 1 : 0);
}

bool Matcher::match_alike(OpId b, bool share_operands) {
  const auto found = left_by_mnemonic_.find(b_.original.op(b).info);
  if (found == left_by_mnemonic_.end()) return false;
  Ops& queue = found->second;
  while (!queue.empty() && !is_free(queue.back())) queue.pop_back();
  OpId best{ir::kNone};
  int most = share_operands ? 3 : -1;
  for (std::size_t i = 0; i < std::min(queue.size(), std::size_t{kMostCandidates}); ++i) {
    const OpId a = queue[queue.size() - 1 - i];
    // A loop may carry more or fewer values; others are another op then.
    if (!is_free(a) || (a_.original.op(a).results.count != b_.original.op(b).results.count &&
                        a_.original.op(a).info->regions == 0)) {
      continue;
    }
    if (const int score = likeness(a, b); score > most) {
      most = score;
      best = a;
    }
  }
  if (ir::index(best) == ir::kNone) return false;
  pair(best, b);
  return true;
}

}  // namespace tileport::diff
