// SPDX-License-Identifier: Apache-2.0
// Padding of pointer loads. cuTile Rust takes one scalar; Tile IR takes a tile of the result's shape.
#pragma once

#include <cstdint>
#include <optional>
#include <tileport/ir/module.hpp>

namespace tileport::translate {

/// One element that a load's padding repeats: a value of rank 0, or the bits of a constant.
struct PaddingElement {
  std::optional<ir::ValueId> value;
  std::uint64_t bits = 0;
};

/// The element, if cuTile Rust's load can spread it the same way: the padding itself if it is a scalar; for a
/// padding of rank 1 the source of broadcast(reshape(scalar)) or what a constant repeats. Nothing otherwise;
/// cutile 0.5.0 spreads through rank 1 only.
std::optional<PaddingElement> padding_element(const ir::Module& module, ir::ValueId padding);

}  // namespace tileport::translate
