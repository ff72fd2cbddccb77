// SPDX-License-Identifier: Apache-2.0
// Blocks are matched by number first: equal numbers are equal computations, whatever their order. What is
// left over on both sides and has an effect is paired by likeness and handed to localize.cpp.
#include "diff/align.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "diff/site.hpp"

namespace tileport::diff {
namespace {

using ir::BlockId;
using ir::OpId;

/// Beyond this many leftovers pairs are taken in order: likeness costs the product of both sides.
constexpr std::size_t kMostScored = 256;

/// Length of the longest increasing subsequence.
std::size_t longest_increasing(const std::vector<std::size_t>& places) {
  std::vector<std::size_t> tails;
  for (const std::size_t place : places) {
    const auto at = std::ranges::lower_bound(tails, place);
    if (at == tails.end()) {
      tails.push_back(place);
    } else {
      *at = place;
    }
  }
  return tails.size();
}

bool is_terminator(const Graph& graph, OpId id) {
  return has(graph.module.op(id).info->traits, ir::Trait::terminator);
}

/// A block's ops that take part: live, not taken in by a rule, no promises.
std::vector<OpId> members(const Graph& graph, BlockId block) {
  std::vector<OpId> ops;
  for (const OpId id : graph.module.block(block).ops) {
    const OpNode& node = graph.node(id);
    const bool promises = has(graph.module.op(id).info->traits, ir::Trait::promises);
    if (node.live && !node.folded && !promises && !is_terminator(graph, id)) ops.push_back(id);
  }
  return ops;
}

}  // namespace

Site entry_site(const ir::Module& module, const ir::Function& kernel) {
  Site site;
  site.path = "@" + module.string(kernel.name);
  site.text = fmt::format("entry with {} parameters", module.type(kernel.type).inputs.size());
  const ir::SourceLocation place = module.source(kernel.location);
  site.file = place.file;
  site.line = place.line;
  site.column = place.column;
  return site;
}

void Alignment::run() {
  entry_facts();
  to_align_.emplace_back(a_.body, b_.body);
  while (!to_align_.empty() || !to_localize_.empty()) {
    if (!to_localize_.empty()) {
      const auto [a, b] = to_localize_.back();
      to_localize_.pop_back();
      localize(a, b);
      continue;
    }
    const auto [a, b] = to_align_.back();
    to_align_.pop_back();
    blocks(a, b);
  }
  count_repeats();
  dead_assumptions();
}

void Alignment::report(Group group, FindingClass kind, FindingSeverity severity, Effect effect,
                       std::string message, Site a, Site b, Side side) {
  if (!reported_.insert(fmt::format("{}\n{}\n{}", message, a.path, b.path)).second) return;
  Finding finding;
  finding.group = group;
  finding.side = side;
  finding.kind = kind;
  finding.severity = severity;
  finding.effect = effect;
  finding.message = std::move(message);
  finding.reference = std::move(a);
  finding.port = std::move(b);
  findings.push_back(std::move(finding));
}

Site Alignment::site(Graph& graph, OpId id) const {
  // An op that the early-return rule made stands for the `if` around it.
  if (ir::index(id) >= graph.original.ops.size()) id = *graph.module.parent_op(id);
  return graph.sites(id);
}

Site Alignment::block_site(Graph& graph, BlockId block) const {
  const ir::RegionId region = graph.module.block(block).parent;
  if (ir::index(region) == ir::kNone) return entry_site(graph.original, graph.kernel);
  return site(graph, graph.module.region(region).parent);
}

void Alignment::matched(OpId a, OpId b) {
  facts(a, b);
  const auto place = [](const Graph& graph, OpId id) {
    if (ir::index(id) >= graph.original.ops.size()) return ir::SourceLocation{};
    return graph.original.source(graph.original.op(id).location);
  };
  const ir::SourceLocation in_a = place(a_, a);
  const ir::SourceLocation in_b = place(b_, b);
  if (in_a.file != in_b.file || in_a.line != in_b.line) b_.counts.add(Rule::debug_locations);
  const auto& left = a_.node(a).operands;
  const auto& right = b_.node(b).operands;
  if (has(a_.module.op(a).info->traits, ir::Trait::commutative) && left.size() >= 2 && right.size() >= 2 &&
      a_.value(left[0]).id != b_.value(right[0]).id) {
    b_.counts.add(Rule::commuted_operands);
  }
}

void Alignment::regions(OpId a, OpId b) {
  const std::size_t count = std::min(a_.module.op(a).regions.count, b_.module.op(b).regions.count);
  for (std::size_t r = 0; r < count; ++r) {
    const auto in_a = a_.module.body(a, r);
    const auto in_b = b_.module.body(b, r);
    if (in_a && in_b) {
      to_align_.emplace_back(*in_a, *in_b);
    } else if (in_a || in_b) {
      // One side has no block: everything of the other is extra.
      for (const OpId id : in_a ? members(a_, *in_a) : Ops{}) {
        if (a_.node(id).effect) only_in_reference(id, b_.module.op(b).parent);
      }
      for (const OpId id : in_b ? members(b_, *in_b) : Ops{}) {
        if (b_.node(id).effect) only_in_port(a_.module.op(a).parent, id);
      }
    }
  }
}

void Alignment::blocks(BlockId a, BlockId b) {
  const Ops left = members(a_, a);
  const Ops right = members(b_, b);
  std::unordered_map<Id, std::deque<std::size_t>> waiting;
  for (std::size_t i = 0; i < left.size(); ++i) waiting[a_.node(left[i]).id].push_back(i);
  std::vector<bool> taken(left.size(), false);
  std::vector<std::size_t> order;
  Ops effects_b;
  for (const OpId id : right) {
    auto found = waiting.find(b_.node(id).id);
    if (found == waiting.end() || found->second.empty()) {
      (b_.node(id).effect ? effects_b : rest_b_).push_back(id);
      continue;
    }
    const std::size_t place = found->second.front();
    found->second.pop_front();
    taken[place] = true;
    order.push_back(place);
    matched(left[place], id);
    regions(left[place], id);
  }
  b_.counts.add(Rule::value_order, static_cast<std::uint32_t>(order.size() - longest_increasing(order)));
  Ops effects_a;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (taken[i]) continue;
    (a_.node(left[i]).effect ? effects_a : rest_a_).push_back(left[i]);
  }
  effects(a, effects_a, b, effects_b);
  terminators(a, b);
}

void Alignment::terminators(BlockId a, BlockId b) {
  const auto& left = a_.module.block(a).ops;
  const auto& right = b_.module.block(b).ops;
  if (left.empty() || right.empty() || !is_terminator(a_, left.back()) || !is_terminator(b_, right.back()))
    return;
  if (a_.node(left.back()).id == b_.node(right.back()).id) {
    facts(left.back(), right.back());
  } else {
    differ(left.back(), right.back());
  }
}

int Alignment::similarity(OpId a, OpId b) const {
  if (a_.module.op(a).info != b_.module.op(b).info) return 0;
  const OpNode& left = a_.node(a);
  const OpNode& right = b_.node(b);
  int score = 1 + (left.signature == right.signature ? 4 : 0);
  for (std::size_t i = 0; i < left.operands.size() && i < right.operands.size(); ++i) {
    if (a_.value(left.operands[i]).id == b_.value(right.operands[i]).id) score += 2;
  }
  return score;
}

/// Pairs ops with effects that have no equal on the other side: the most alike first, and of equals the first
/// ones.
void Alignment::effects(BlockId in_a, const Ops& a, BlockId in_b, const Ops& b) {
  struct Candidate {
    int score;
    std::size_t a;
    std::size_t b;
  };
  std::vector<Candidate> candidates;
  if (a.size() <= kMostScored && b.size() <= kMostScored) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) {
        if (const int score = similarity(a[i], b[j]); score > 0) candidates.push_back({score, i, j});
      }
    }
    std::ranges::stable_sort(candidates,
                             [](const Candidate& x, const Candidate& y) { return x.score > y.score; });
  } else {
    std::unordered_map<const ir::OpInfo*, std::deque<std::size_t>> waiting;
    for (std::size_t i = 0; i < a.size(); ++i) waiting[a_.module.op(a[i]).info].push_back(i);
    for (std::size_t j = 0; j < b.size(); ++j) {
      auto& queue = waiting[b_.module.op(b[j]).info];
      if (queue.empty()) continue;
      candidates.push_back({1, queue.front(), j});
      queue.pop_front();
    }
  }
  std::vector<bool> used_a(a.size(), false);
  std::vector<bool> used_b(b.size(), false);
  std::vector<std::pair<OpId, OpId>> pairs;
  for (const Candidate& candidate : candidates) {
    if (used_a[candidate.a] || used_b[candidate.b]) continue;
    used_a[candidate.a] = used_b[candidate.b] = true;
    pairs.emplace_back(a[candidate.a], b[candidate.b]);
  }
  // The worklist is a stack; the first ops of the program should be looked at first.
  std::ranges::sort(pairs, std::greater{});
  for (const auto& [left, right] : pairs) differ(left, right);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!used_a[i]) only_in_reference(a[i], in_b);
  }
  for (std::size_t j = 0; j < b.size(); ++j) {
    if (!used_b[j]) only_in_port(in_a, b[j]);
  }
}

/// Pure ops left over: computed elsewhere (another block), or more often, on one side.
void Alignment::count_repeats() {
  std::unordered_map<Id, std::uint32_t> waiting;
  for (const OpId id : rest_a_) ++waiting[a_.node(id).id];
  Ops more_b;
  for (const OpId id : rest_b_) {
    auto found = waiting.find(b_.node(id).id);
    if (found != waiting.end() && found->second > 0) {
      --found->second;
      b_.counts.add(Rule::value_placement);
    } else {
      more_b.push_back(id);
    }
  }
  const auto repeats = [](Graph& graph, const Graph& other, OpId id) {
    if (graph.module.op(id).results.count == 0) return;
    const Id value = graph.value(graph.module.result(id, 0)).id;
    const std::uint32_t elsewhere = other.copies_of(value);
    if (elsewhere == 0 || graph.copies_of(value) <= elsewhere) return;
    graph.counts.add(graph.module.op(id).info->is("constant") ? Rule::duplicate_constant
                                                              : Rule::duplicate_value);
  };
  for (const OpId id : rest_a_) {
    auto& left = waiting[a_.node(id).id];
    if (left == 0) continue;
    --left;
    repeats(a_, b_, id);
  }
  for (const OpId id : more_b) repeats(b_, a_, id);
}

}  // namespace tileport::diff
