// SPDX-License-Identifier: Apache-2.0
// What a program promises about a value: the content of `assume` ops, merged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tileport/ir/module.hpp>
#include <utility>
#include <vector>

namespace tileport::diff {

/// All promises about one value. Merging keeps the strongest: the least common multiple of divisors, the
/// intersection of bounds, all lists of equal elements.
struct Facts {
  /// (every, along) -> divisor, in bytes for pointers and in units for integers.
  std::map<std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>, std::uint64_t> divisors;
  std::optional<std::int64_t> lower;  ///< Inclusive.
  std::optional<std::int64_t> upper;  ///< Inclusive.
  std::set<std::vector<std::int64_t>> same_elements;

  friend bool operator==(const Facts&, const Facts&) = default;

  void merge(const Facts& other);
  /// Whether everything that `other` promises follows from this.
  bool implies(const Facts& other) const;
  /// The part of this that doesn't follow from `other`.
  Facts beyond(const Facts& other) const;
  bool empty() const { return *this == Facts{}; }
};

/// The fact of an assume's predicate; predicates of an unknown kind are refused by the reader.
Facts fact_of(const ir::Attribute& predicate);

/// "div_by<16>, bounded<0, ?>", as the text form writes predicates.
std::string to_string(const Facts& facts);

}  // namespace tileport::diff
