// SPDX-License-Identifier: Apache-2.0
// Attributes that stand in the module's table.
#include <tileport/ir/builder.hpp>

namespace tileport::ir {

using Kind = Attribute::Kind;

AttributeId Builder::attribute(Attribute attribute) {
  module_.attributes.push_back(std::move(attribute));
  return AttributeId{static_cast<std::uint32_t>(module_.attributes.size() - 1)};
}

AttributeId Builder::integer(TypeKind type, std::int64_t value) {
  const unsigned width = bit_width(type);
  Attribute made{.kind = Kind::integer, .type = simple(type)};
  made.bits = static_cast<std::uint64_t>(value);
  if (width < 64) made.bits &= (std::uint64_t{1} << width) - 1;
  return attribute(std::move(made));
}

AttributeId Builder::floating(TypeKind type, std::uint64_t bits) {
  return attribute({.kind = Kind::floating, .type = simple(type), .bits = bits});
}

AttributeId Builder::boolean(bool value) {
  return attribute({.kind = Kind::boolean, .bits = value ? 1U : 0U});
}

AttributeId Builder::text(std::string_view value) {
  return attribute({.kind = Kind::string, .string = string(value)});
}

AttributeId Builder::array(std::vector<AttributeId> items) {
  Attribute made{.kind = Kind::array};
  made.items = std::move(items);
  return attribute(std::move(made));
}

AttributeId Builder::dictionary(std::span<const std::pair<std::string, AttributeId>> entries) {
  Attribute made{.kind = Kind::dictionary};
  for (const auto& [key, item] : entries) {
    made.keys.push_back(string(key));
    made.items.push_back(item);
  }
  return attribute(std::move(made));
}

AttributeId Builder::hints(std::span<const std::pair<std::string, AttributeId>> entries) {
  const AttributeId made = dictionary(entries);
  module_.attributes[index(made)].kind = Kind::optimization_hints;
  return made;
}

AttributeId Builder::numbers(std::vector<std::int64_t> values) {
  Attribute made{.kind = Kind::number_list};
  made.numbers = std::move(values);
  return attribute(std::move(made));
}

AttributeId Builder::div_by(std::uint64_t divisor, std::optional<std::int64_t> every,
                            std::optional<std::int64_t> along) {
  return attribute({.kind = Kind::div_by, .bits = divisor, .first = every, .second = along});
}

AttributeId Builder::bounded(std::optional<std::int64_t> lower, std::optional<std::int64_t> upper) {
  return attribute({.kind = Kind::bounded, .first = lower, .second = upper});
}

AttributeId Builder::same_elements(std::vector<std::int64_t> groups) {
  Attribute made{.kind = Kind::same_elements};
  made.numbers = std::move(groups);
  return attribute(std::move(made));
}

}  // namespace tileport::ir
