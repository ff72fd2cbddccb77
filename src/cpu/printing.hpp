// SPDX-License-Identifier: Apache-2.0
// Elements as bytes of constants, and tiles as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tileport/ir/type.hpp>
#include <vector>

namespace tileport::cpu {

/// The elements of a constant as tiles hold them: one for each of `count`, whether it is a splat or not.
std::string tile_elements(std::string_view raw, ir::TypeKind kind, std::uint64_t count);

/// An element as a number.
double element_as_double(const std::byte* element, ir::TypeKind kind);
std::int64_t element_as_integer(const std::byte* element, ir::TypeKind kind);

struct PrintedTile {
  const std::byte* elements;
  bool uniform;
  std::size_t size;
  ir::TypeKind kind;
  std::vector<std::int64_t> shape;
};

/// print_tko's text: conversions of C's printf, each for the next tile. A tile that is no scalar becomes
/// nested lists, its elements converted one by one.
std::string format_tiles(std::string_view format, std::span<const PrintedTile> tiles);

}  // namespace tileport::cpu
