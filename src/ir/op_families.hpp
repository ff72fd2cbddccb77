// SPDX-License-Identifier: Apache-2.0
// The families' parts of the op table, and the words that their rows are written in.
#pragma once

#include <span>
#include <string_view>
#include <tileport/ir/op_table.hpp>

namespace tileport::ir {

std::span<const OpInfo> arith_ops();
std::span<const OpInfo> math_ops();
std::span<const OpInfo> convert_ops();
std::span<const OpInfo> shape_ops();
std::span<const OpInfo> memory_ops();
std::span<const OpInfo> atomic_ops();
std::span<const OpInfo> control_ops();
std::span<const OpInfo> view_ops();
std::span<const OpInfo> misc_ops();

constexpr FlagInfo unit(std::string_view name) { return {name, FlagInfo::Kind::unit_attribute}; }

constexpr AttributeInfo attribute(std::string_view name, Encoding encoding, Version since = {13, 1}) {
  return {.name = name, .encoding = encoding, .since = since};
}

/// An enumeration attribute. `fallback` names what it means where it is absent and what the text leaves out.
constexpr AttributeInfo enumeration(std::string_view name, const Enumeration& values,
                                    std::string_view fallback = {}, Version since = {13, 1}) {
  AttributeInfo info{.name = name, .encoding = Encoding::enumeration, .enumeration = &values, .since = since};
  if (!fallback.empty()) info.default_value = number(values, fallback);
  return info;
}

constexpr AttributeInfo defaulted(AttributeInfo info, std::uint64_t value) {
  info.default_value = value;
  return info;
}

/// Per dimension of a view, whether an access promises not to reach beyond the tensor.
constexpr AttributeInfo inbounds(Version since) {
  AttributeInfo info = attribute("inbounds", Encoding::boolean_array, since);
  info.one_per = "index";
  return info;
}

/// The attribute stands in the file only if the flag of its name is set.
constexpr AttributeInfo optional(AttributeInfo info) {
  info.optional = true;
  return info;
}

}  // namespace tileport::ir
