// SPDX-License-Identifier: Apache-2.0
// Anti-unification of texts: two members of a group differ in literals only. A literal's values over the
// members are its column; literals of one column are one const generic, which must follow from the kernel's
// constants, or be a divisor.
#include "translate/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "translate/names.hpp"
#include "translate/rust_types.hpp"
#include "translate/selectors.hpp"

namespace tileport::translate {
namespace {

using Column = std::vector<std::int64_t>;

/// Literals of different families never share a generic.
enum class Family { number, float_bits, divisor, type };

Family family(const Literal& literal) {
  if (literal.kind == Literal::Kind::divisor) return Family::divisor;
  if (literal.kind == Literal::Kind::type) return Family::type;
  const bool is_float = literal.kind == Literal::Kind::element && literal.type == ir::TypeKind::f32;
  return is_float ? Family::float_bits : Family::number;
}

Column column(const std::vector<const Marked*>& members, std::size_t literal) {
  Column values;
  for (const Marked* member : members) values.push_back(member->literals[literal].value);
  return values;
}

bool is_uniform(const Column& values) {
  return std::ranges::all_of(values, [&](std::int64_t value) { return value == values.front(); });
}

std::string upper_snake_case(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte)) {
      result += static_cast<char>(std::toupper(byte));
    } else if (!result.empty() && result.back() != '_') {
      result += '_';
    }
  }
  while (!result.empty() && result.back() == '_') result.pop_back();
  return result;
}

std::string wish_for(const Generic& generic, const Literal& literal, bool is_only_type) {
  if (generic.is_type)
    return is_only_type || literal.about.empty() ? "E" : camel_case(literal.about) + "Element";
  if (!generic.derivation && !generic.refuted) return upper_snake_case(literal.about) + "_DIVISOR";
  // "cdiv(N, BLOCK)" becomes CDIV_N_BLOCK.
  const Derivation& of = generic.derivation ? *generic.derivation : *generic.refuted;
  const bool is_bits = of.operation == "bits";
  const std::string name = upper_snake_case((is_bits ? of.of.front() : of).text());
  return is_bits ? name + "_BITS" : name;
}

/// The literals that differ between members, by kind and column, in order of appearance.
struct Varying {
  const Literal* first;
  Column values;
  std::vector<std::size_t> places;
};

std::vector<Varying> varying(const std::vector<const Marked*>& members) {
  std::vector<Varying> result;
  std::map<std::pair<Family, Column>, std::size_t> known;
  const auto& literals = members.front()->literals;
  for (std::size_t i = 0; i < literals.size(); ++i) {
    Column values = column(members, i);
    if (is_uniform(values)) continue;
    const auto [found, is_new] = known.try_emplace({family(literals[i]), values}, result.size());
    if (is_new) result.push_back({&literals[i], std::move(values), {}});
    result[found->second].places.push_back(i);
  }
  return result;
}

/// Members that agree in these columns, in order of their first.
std::vector<std::vector<const Marked*>> split(const std::vector<const Marked*>& members,
                                              const std::vector<const Varying*>& by) {
  std::vector<std::vector<const Marked*>> parts;
  std::map<Column, std::size_t> known;
  for (std::size_t m = 0; m < members.size(); ++m) {
    Column key;
    for (const Varying* each : by) key.push_back(each->values[m]);
    const auto [found, is_new] = known.try_emplace(std::move(key), parts.size());
    if (is_new) parts.emplace_back();
    parts[found->second].push_back(members[m]);
  }
  return parts;
}

class Grouping {
 public:
  explicit Grouping(const std::vector<Specialization>& specializations) : specializations_(specializations) {}

  void add(const std::vector<const Marked*>& members) {
    const std::vector<Varying> all = varying(members);
    const auto rows = constants(members);
    Group group{members, {}, std::vector(members.front()->literals.size(), Group::kNoGeneric)};
    Names names;
    const auto types =
        std::ranges::count(all, Family::type, [](const Varying& each) { return family(*each.first); });
    std::vector<const Varying*> unexplained;
    for (const Varying& each : all) {
      const Family of = family(*each.first);
      Generic generic{{}, of == Family::type, {}, {}};
      if (of == Family::number || of == Family::float_bits) {
        generic.derivation = derive(rows, each.values, of == Family::float_bits);
        if (!generic.derivation) generic.refuted = derive_captured(members, each);
        if (!generic.derivation && !generic.refuted) {
          unexplained.push_back(&each);
          continue;
        }
      }
      generic.name = names.claim(wish_for(generic, *each.first, types == 1));
      for (const std::size_t place : each.places) group.generic_of[place] = group.generics.size();
      group.generics.push_back(std::move(generic));
    }
    if (unexplained.empty()) {
      groups_.push_back(std::move(group));
      return;
    }
    for (const auto& part : split(members, unexplained)) add(part);
  }

  std::vector<Group> take() { return std::move(groups_); }

 private:
  /// What explains the members that are no variations.
  std::optional<Derivation> derive_captured(const std::vector<const Marked*>& members,
                                            const Varying& column) const {
    std::vector<const Marked*> captured;
    Column values;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (specializations_[members[i]->specialization].is_variation) continue;
      captured.push_back(members[i]);
      values.push_back(column.values[i]);
    }
    if (captured.empty()) return std::nullopt;
    return derive(constants(captured), values, family(*column.first) == Family::float_bits);
  }

  std::vector<std::vector<Constant>> constants(const std::vector<const Marked*>& members) const {
    std::vector<std::vector<Constant>> rows;
    for (const Marked* member : members) rows.push_back(specializations_[member->specialization].constants);
    return rows;
  }

  const std::vector<Specialization>& specializations_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<GenericValue> Group::values(const Marked& member) const {
  std::vector<GenericValue> result(generics.size());
  for (std::size_t i = 0; i < generic_of.size(); ++i) {
    if (generic_of[i] == kNoGeneric) continue;
    const std::int64_t value = member.literals[i].value;
    if (generics[generic_of[i]].is_type) {
      result[generic_of[i]] = std::string(element_name(static_cast<ir::TypeKind>(value)));
    } else {
      result[generic_of[i]] = value;
    }
  }
  return result;
}

const Marked* Group::captured(const std::vector<Specialization>& specializations) const {
  const auto found = std::ranges::find_if(
      members, [&](const Marked* member) { return !specializations[member->specialization].is_variation; });
  return found == members.end() ? nullptr : *found;
}

bool Group::has_same_hints() const {
  return std::ranges::all_of(members,
                             [&](const Marked* member) { return member->hints == members.front()->hints; });
}

std::vector<Group> group(const std::vector<Marked>& marked,
                         const std::vector<Specialization>& specializations) {
  std::vector<std::vector<const Marked*>> structures;
  std::map<std::string_view, std::size_t> known;
  for (const Marked& each : marked) {
    const auto [found, is_new] = known.try_emplace(each.text, structures.size());
    if (is_new) structures.emplace_back();
    structures[found->second].push_back(&each);
  }
  Grouping grouping(specializations);
  for (const auto& members : structures) grouping.add(members);
  std::vector<Group> groups = grouping.take();
  std::erase_if(groups, [&](const Group& each) { return each.captured(specializations) == nullptr; });
  return groups;
}

}  // namespace tileport::translate
