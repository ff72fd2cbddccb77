// SPDX-License-Identifier: Apache-2.0
#include "diff/facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace tileport::diff {
namespace {

/// Least common multiple; if it doesn't fit, the larger of the two, which is weaker and so still true.
std::uint64_t common_multiple(std::uint64_t a, std::uint64_t b) {
  if (a == 0 || b == 0) return std::max(a, b);
  const std::uint64_t factor = b / std::gcd(a, b);
  return a > std::numeric_limits<std::uint64_t>::max() / factor ? std::max(a, b) : a * factor;
}

}  // namespace

void Facts::merge(const Facts& other) {
  for (const auto& [place, divisor] : other.divisors) {
    auto [known, added] = divisors.try_emplace(place, divisor);
    if (!added) known->second = common_multiple(known->second, divisor);
  }
  if (other.lower) lower = std::max(lower.value_or(*other.lower), *other.lower);
  if (other.upper) upper = std::min(upper.value_or(*other.upper), *other.upper);
  same_elements.insert(other.same_elements.begin(), other.same_elements.end());
}

Facts Facts::beyond(const Facts& other) const {
  Facts rest;
  for (const auto& [place, divisor] : divisors) {
    const auto known = other.divisors.find(place);
    const bool follows =
        divisor == 1 || (known != other.divisors.end() && divisor != 0 && known->second % divisor == 0);
    if (!follows) rest.divisors.emplace(place, divisor);
  }
  if (lower && (!other.lower || *other.lower < *lower)) rest.lower = lower;
  if (upper && (!other.upper || *other.upper > *upper)) rest.upper = upper;
  std::ranges::set_difference(same_elements, other.same_elements,
                              std::inserter(rest.same_elements, rest.same_elements.end()));
  return rest;
}

bool Facts::implies(const Facts& other) const { return other.beyond(*this).empty(); }

Facts fact_of(const ir::Attribute& predicate) {
  using Kind = ir::Attribute::Kind;
  Facts facts;
  if (predicate.kind == Kind::div_by) {
    facts.divisors[{predicate.first, predicate.second}] = predicate.bits;
  } else if (predicate.kind == Kind::bounded) {
    facts.lower = predicate.first;
    facts.upper = predicate.second;
  } else if (predicate.kind == Kind::same_elements) {
    facts.same_elements.insert(predicate.numbers);
  }
  return facts;
}

std::string to_string(const Facts& facts) {
  std::vector<std::string> parts;
  for (const auto& [place, divisor] : facts.divisors) {
    std::string text = fmt::format("div_by<{}", divisor);
    if (place.first) text += fmt::format(", every {}", *place.first);
    if (place.second) text += fmt::format(" along {}", *place.second);
    parts.push_back(text + ">");
  }
  if (facts.lower || facts.upper) {
    const auto bound = [](const std::optional<std::int64_t>& b) {
      return b ? fmt::format("{}", *b) : std::string("?");
    };
    parts.push_back(fmt::format("bounded<{}, {}>", bound(facts.lower), bound(facts.upper)));
  }
  for (const auto& numbers : facts.same_elements) {
    parts.push_back(fmt::format("same_elements<[{}]>", fmt::join(numbers, ", ")));
  }
  return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace tileport::diff
