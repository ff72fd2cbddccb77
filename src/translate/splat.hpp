// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "translate/entry.hpp"

namespace tileport::translate {

/// How a tile that repeats one element is written.
struct Splat {
  std::string role;   ///< A name for it.
  std::string type;   ///< Its Rust type.
  std::string shape;  ///< The same as an argument.
  std::string value;  ///< The element, or a const generic.
  ir::TypeKind kind{};
  bool is_generic = false;
  /// Set: the element is written as an integer of this kind with the same bits, which have this type.
  std::optional<ir::TypeKind> carrier;
  std::string carrier_type;

  /// Equal for splats that are written alike.
  std::string key() const { return type + " = " + value; }
};

/// Nothing if no form is exact.
std::optional<Splat> splat(Entry& entry, ir::TypeKind kind, std::uint64_t bits,
                           std::span<const std::int64_t> shape);
/// Writes the statements that make it and gives the variable.
std::string write(Entry& entry, const Splat& splat);

}  // namespace tileport::translate
