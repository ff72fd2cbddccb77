// SPDX-License-Identifier: Apache-2.0
// Similarity is that of multisets: for every live op its statement and its number, facts of the entry too.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tileport/diff/pairs.hpp>

#include "diff/graph.hpp"
#include "diff/hints.hpp"

namespace tileport::diff {
namespace {

/// A kernel as a sorted multiset.
using Features = std::vector<Id>;

Features features_of(const EntryRef& entry, Interner& interner) {
  const auto function = std::ranges::find_if(entry.module->functions, [&](const ir::Function& candidate) {
    return candidate.is_kernel && entry.module->string(candidate.name) == entry.entry;
  });
  Features features;
  if (function == entry.module->functions.end()) return features;
  Graph graph(*entry.module, *function, interner);
  ModuleKeys keys(graph.original, interner);
  ir::walk(graph.original, function->body, [&](ir::OpId id) {
    const OpNode& node = graph.node(id);
    const ir::OpInfo& info = *graph.original.op(id).info;
    if (!node.live && !has(info.traits, ir::Trait::promises)) return;
    Key statement("feature");
    statement.add(info.mnemonic);
    for (std::size_t i = 0; i < info.attributes.size(); ++i) statement.add(keys.slot(id, i));
    for (std::uint32_t i = 0; i < graph.original.op(id).results.count; ++i)
      statement.add(keys.type(graph.original.value(graph.original.result(id, i)).type));
    features.push_back(interner(statement));
    features.push_back(interner(Key("computes").add(node.id)));
  });
  features.push_back(interner(Key("signature").add(keys.type(function->type))));
  if (function->hints)
    features.push_back(interner(Key("hints").add(attribute_text(graph.original, *function->hints))));
  std::ranges::sort(features);
  return features;
}

double similarity_of(const Features& a, const Features& b) {
  std::vector<Id> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  const std::size_t all = a.size() + b.size() - common.size();
  return all == 0 ? 1.0 : static_cast<double>(common.size()) / static_cast<double>(all);
}

Diagnostic ambiguous(const EntryRef& entry, std::string_view side,
                     const std::vector<std::string>& candidates) {
  Diagnostic made;
  made.code = "TP-D0005";
  made.message =
      fmt::format("which entry is the counterpart of '{}' of the {} is ambiguous: {} are as similar",
                  entry.label, side, fmt::join(candidates, ", "));
  made.place.file = entry.module->file;
  made.advice = "Say which entries belong together in a pairs file (--pairs)";
  return made;
}

class Matching {
 public:
  Matching(std::span<const EntryRef> a, std::span<const EntryRef> b)
      : a_(a), b_(b), scores_(a.size() * b.size()) {
    Interner interner;
    std::vector<Features> left;
    std::vector<Features> right;
    for (const EntryRef& entry : a) left.push_back(features_of(entry, interner));
    for (const EntryRef& entry : b) right.push_back(features_of(entry, interner));
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) scores_[i * b.size() + j] = similarity_of(left[i], right[j]);
    }
  }

  Result<std::vector<ProposedPair>> run() {
    std::vector<bool> used_a(a_.size());
    std::vector<bool> used_b(b_.size());
    std::vector<ProposedPair> pairs;
    for (std::size_t round = 0; round < std::min(a_.size(), b_.size()); ++round) {
      ProposedPair best{0, 0, -1};
      for (std::size_t i = 0; i < a_.size(); ++i) {
        for (std::size_t j = 0; j < b_.size() && !used_a[i]; ++j) {
          if (!used_b[j] && score(i, j) > best.similarity) best = {i, j, score(i, j)};
        }
      }
      if (const auto problem = rivals(best, used_a, used_b)) return fail(*problem);
      used_a[best.reference] = used_b[best.port] = true;
      pairs.push_back(best);
    }
    std::ranges::sort(pairs, {}, &ProposedPair::reference);
    return pairs;
  }

 private:
  double score(std::size_t i, std::size_t j) const { return scores_[i * b_.size() + j]; }

  std::optional<Diagnostic> rivals(const ProposedPair& best, const std::vector<bool>& used_a,
                                   const std::vector<bool>& used_b) const {
    std::vector<std::string> in_b;
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (!used_b[j] && score(best.reference, j) == best.similarity) in_b.push_back("'" + b_[j].label + "'");
    }
    if (in_b.size() > 1) return ambiguous(a_[best.reference], "reference", in_b);
    std::vector<std::string> in_a;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (!used_a[i] && score(i, best.port) == best.similarity) in_a.push_back("'" + a_[i].label + "'");
    }
    if (in_a.size() > 1) return ambiguous(b_[best.port], "port", in_a);
    return std::nullopt;
  }

  std::span<const EntryRef> a_;
  std::span<const EntryRef> b_;
  std::vector<double> scores_;
};

}  // namespace

double similarity(const EntryRef& reference, const EntryRef& port) {
  Interner interner;
  return similarity_of(features_of(reference, interner), features_of(port, interner));
}

Result<std::vector<ProposedPair>> propose_pairs(std::span<const EntryRef> reference,
                                                std::span<const EntryRef> port) {
  return Matching(reference, port).run();
}

}  // namespace tileport::diff
