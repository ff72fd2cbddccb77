// SPDX-License-Identifier: Apache-2.0
// Which specializations of a kernel share an entry, and which of its literals are const generics.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tileport/translate/translate.hpp>
#include <vector>

#include "translate/literals.hpp"

namespace tileport::translate {

/// A specialization translated with marks for literals.
struct Marked {
  std::size_t specialization = 0;  ///< Index of it.
  std::string text;
  std::vector<Literal> literals;
  std::map<std::string, std::int32_t> hints;  ///< Those that an instance can have.
};

/// Specializations that share an entry.
struct Group {
  std::vector<const Marked*> members;
  std::vector<Generic> generics;
  /// For each literal of the text the place of its generic; kNoGeneric: it is the same in all members.
  std::vector<std::size_t> generic_of;

  static constexpr std::size_t kNoGeneric = static_cast<std::size_t>(-1);

  std::vector<GenericValue> values(const Marked& member) const;
  bool has_same_hints() const;
  /// The first member that is no variation; null: there is none.
  const Marked* captured(const std::vector<Specialization>& specializations) const;
};

/// Groups of one kernel, in order of their first members. Literals that no derivation explains split a
/// group; groups of nothing but variations are left out.
std::vector<Group> group(const std::vector<Marked>& marked,
                         const std::vector<Specialization>& specializations);

}  // namespace tileport::translate
