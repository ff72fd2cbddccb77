// SPDX-License-Identifier: Apache-2.0
// Promises and hints of ops that compute the same values. A port that promises less is slower; one that
// promises more is wrong wherever the promise doesn't hold, so it is never accepted.
#include <fmt/format.h>

#include <algorithm>

#include "diff/align.hpp"
#include "diff/hints.hpp"
#include "diff/site.hpp"

namespace tileport::diff {
namespace {

using ir::OpId;
using ir::ValueId;

std::optional<std::size_t> overflow_index(const ir::OpInfo& info) {
  for (std::size_t i = 0; i < info.attributes.size(); ++i) {
    if (info.attributes[i].enumeration == &ir::kIntegerOverflow) return i;
  }
  return std::nullopt;
}

std::uint64_t overflow_word(const Graph& graph, OpId id) {
  if (const auto& meant = graph.node(id).overflow) return *meant;
  return graph.module.word(id, "overflow").value_or(0);
}

/// none 0, no_signed_wrap 1, no_unsigned_wrap 2, no_wrap 3: the numbers are the sets of promises.
static_assert(ir::number(ir::kIntegerOverflow, "no_wrap") ==
              (ir::number(ir::kIntegerOverflow, "no_signed_wrap") |
               ir::number(ir::kIntegerOverflow, "no_unsigned_wrap")));

Facts promised(const std::unordered_map<Id, Facts>& by_expression, Id base) {
  const auto found = by_expression.find(base);
  return found == by_expression.end() ? Facts{} : found->second;
}

Group group_of(const Facts& facts) {
  return facts.divisors.empty() && facts.same_elements.empty() ? Group::bounds : Group::divisibility;
}

/// The assume of `base` whose promise doesn't follow from `known`.
std::optional<OpId> assume_beyond(const Graph& graph, ValueId base, const Facts& known) {
  const auto assumes = graph.assumes_of.find(ir::index(base));
  if (assumes == graph.assumes_of.end()) return std::nullopt;
  for (const OpId id : assumes->second) {
    if (!known.implies(fact_of(*graph.module.tagged(id, "predicate")))) return id;
  }
  return std::nullopt;
}

}  // namespace

void Alignment::facts(OpId a, OpId b) {
  if (overflow_index(*a_.module.op(a).info)) overflow(a, b);
  hints(a, b);
  if (a_.module.op(a).info->attribute_index("inbounds")) inbounds(a, b);
  const auto& left = a_.node(a).operands;
  const auto& right = b_.node(b).operands;
  if (left.size() != right.size()) return;
  std::vector<ValueId> order = right;
  if (order.size() >= 2 && a_.value(left[0]).id != b_.value(order[0]).id &&
      has(a_.module.op(a).info->traits, ir::Trait::commutative)) {
    std::swap(order[0], order[1]);
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (a_.value(left[i]).id == b_.value(order[i]).id) operand_facts(a, b, left[i], order[i]);
  }
}

void Alignment::overflow(OpId a, OpId b) {
  const std::uint64_t in_a = overflow_word(a_, a);
  const std::uint64_t in_b = overflow_word(b_, b);
  if (in_a == in_b) return;
  const bool more = (in_b & ~in_a) != 0;
  report(Group::arithmetic, more ? FindingClass::mistranslation : FindingClass::specialization_loss,
         more ? FindingSeverity::critical : FindingSeverity::warning, more ? Effect::value : Effect::code,
         fmt::format("overflow is {} in the reference, {} in the port", ir::kIntegerOverflow.values[in_a],
                     ir::kIntegerOverflow.values[in_b]),
         site(a_, a), site(b_, b));
}

void Alignment::inbounds(OpId a, OpId b) {
  const auto promises = [](const Graph& graph, OpId id) {
    const ir::Attribute* attribute = graph.module.tagged(id, "inbounds");
    return attribute == nullptr ? std::vector<std::int64_t>{} : attribute->numbers;
  };
  const auto in_a = promises(a_, a);
  const auto in_b = promises(b_, b);
  for (std::size_t i = 0; i < std::max(in_a.size(), in_b.size()); ++i) {
    const bool left = i < in_a.size() && in_a[i] != 0;
    const bool right = i < in_b.size() && in_b[i] != 0;
    if (left == right) continue;
    report(Group::bounds, right ? FindingClass::mistranslation : FindingClass::specialization_loss,
           right ? FindingSeverity::critical : FindingSeverity::warning, right ? Effect::value : Effect::code,
           fmt::format("inbounds[{}] is {} in the reference, {} in the port", i, left, right), site(a_, a),
           site(b_, b));
  }
}

void Alignment::hint_values(const Hints& a, const Hints& b, const Site& in_a, const Site& in_b) {
  for (const auto& [key, value] : a.values) {
    const auto found = b.values.find(key);
    if (found == b.values.end()) {
      report(Group::hints, FindingClass::hint_value, FindingSeverity::warning, Effect::code,
             fmt::format("the hint {} is {} in the reference, absent in the port", key, value), in_a, in_b,
             Side::reference);
    } else if (found->second != value) {
      report(Group::hints, FindingClass::hint_value, FindingSeverity::critical, Effect::code,
             fmt::format("the hint {} is {} in the reference, {} in the port", key, value, found->second),
             in_a, in_b);
    } else if (a.keys.at(key) != b.keys.at(key)) {
      b_.counts.add(Rule::hint_key);
    }
  }
  for (const auto& [key, value] : b.values) {
    if (a.values.contains(key)) continue;
    report(Group::hints, FindingClass::hint_value, FindingSeverity::critical, Effect::code,
           fmt::format("the hint {} is absent in the reference, {} in the port", key, value), in_a, in_b,
           Side::port);
  }
}

void Alignment::hints(OpId a, OpId b) {
  const auto in_a = hints_of(a_.module, a);
  const auto in_b = hints_of(b_.module, b);
  if (!in_a && !in_b) return;
  const Hints left = resolve_hints(a_.module, in_a, target_);
  const Hints right = resolve_hints(b_.module, in_b, target_);
  const bool same = left.values == right.values;  // Then the places aren't needed, and they cost a walk.
  hint_values(left, right, same ? Site{} : site(a_, a), same ? Site{} : site(b_, b));
}

void Alignment::operand_facts(OpId a, OpId b, ValueId in_a, ValueId in_b) {
  const Facts& left = a_.facts_of(in_a);
  const Facts& right = b_.facts_of(in_b);
  if (left == right) return;
  Facts all_left = a_.inherent_facts(a_.value(in_a).base);
  all_left.merge(left);
  Facts all_right = b_.inherent_facts(b_.value(in_b).base);
  all_right.merge(right);
  const std::string what = fmt::format("{}, used by {}", value_text(a_.module, a_.value(in_a).base),
                                       a_.module.op(a).info->mnemonic);
  if (const Facts lost = left.beyond(all_right); !lost.empty()) {
    const auto assume = assume_beyond(a_, a_.value(in_a).base, all_right);
    report(group_of(lost), FindingClass::specialization_loss, FindingSeverity::warning, Effect::code,
           fmt::format("the reference assumes {} of {}; the port doesn't", to_string(lost), what),
           site(a_, assume.value_or(a)), site(b_, b), Side::reference);
  }
  if (const Facts more = right.beyond(all_left); !more.empty()) {
    if (promised(a_.always_promised, a_.value(in_a).id).implies(more)) {
      b_.counts.add(Rule::fact_placement);
      return;
    }
    const auto assume = assume_beyond(b_, b_.value(in_b).base, all_left);
    report(group_of(more), FindingClass::mistranslation, FindingSeverity::critical, Effect::value,
           fmt::format("the port assumes {} of {}; the reference doesn't", to_string(more), what),
           site(a_, a), site(b_, assume.value_or(b)), Side::port);
  }
}

/// An assume that nothing uses still makes the program undefined where it is false.
void Alignment::dead_assumptions() {
  for (const Assumption& assumption : b_.assumptions) {
    if (assumption.live) continue;
    Facts known = promised(a_.promised, assumption.base);
    const ValueId base{assumption.base_value};
    known.merge(b_.inherent_facts(base));
    const Facts more = assumption.fact.beyond(known);
    if (more.empty()) continue;
    report(group_of(more), FindingClass::mistranslation, FindingSeverity::critical, Effect::value,
           fmt::format("the port assumes {} of {}; the reference doesn't", to_string(more),
                       value_text(b_.module, base)),
           block_site(a_, a_.body), site(b_, assumption.op), Side::port);
  }
}

void Alignment::entry_facts() {
  const ir::Function& left = a_.kernel;
  const ir::Function& right = b_.kernel;
  const Site in_a = entry_site(a_.original, left);
  const Site in_b = entry_site(b_.original, right);
  hint_values(resolve_hints(a_.original, left.hints, target_),
              resolve_hints(b_.original, right.hints, target_), in_a, in_b);
}

}  // namespace tileport::diff
