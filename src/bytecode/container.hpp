// SPDX-License-Identifier: Apache-2.0
// The container: header, and sections found by their ids.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tileport/core/diagnostic.hpp>
#include <tileport/ir/module.hpp>

#include "bytecode/cursor.hpp"

namespace tileport::bytecode {

enum class SectionId : std::uint8_t { end, string, function, debug, constant, type, global, producer };
inline constexpr std::size_t kSectionKinds = 8;

struct Container {
  ir::Version version;
  std::array<std::optional<Cursor>, kSectionKinds> sections;  ///< The last one of each id.

  const std::optional<Cursor>& section(SectionId id) const { return sections[static_cast<std::size_t>(id)]; }
};

/// Reads the whole file down to the sections' payloads. Any order and repeated sections are legal, as in the
/// reference reader; nothing may follow the end marker.
Result<Container> read_container(std::span<const std::byte> bytes);

}  // namespace tileport::bytecode
