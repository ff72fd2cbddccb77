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
#include <vector>

#include "bytecode/cursor.hpp"
#include "bytecode/format.hpp"

namespace tileport::bytecode {

/// A section where it stands; `offset` and `size` are the payload's.
struct SectionPlace {
  SectionId id = SectionId::end;
  bool aligned = false;
  std::uint64_t alignment = 1;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

struct Container {
  ir::Version version;
  std::array<std::optional<Cursor>, kSectionKinds> sections;  ///< The last one of each id.
  std::vector<SectionPlace> order;                            ///< All of them as they stand.

  const std::optional<Cursor>& section(SectionId id) const { return sections[static_cast<std::size_t>(id)]; }
};

/// Reads the whole file down to the sections' payloads. Any order and repeated sections are legal, as in the
/// reference reader; nothing may follow the end marker.
Result<Container> read_container(std::span<const std::byte> bytes);

}  // namespace tileport::bytecode
