// SPDX-License-Identifier: Apache-2.0
// Padding of pointer loads. cuTile Rust takes one scalar; Tile IR takes a tile of the result's shape.
#pragma once

#include <optional>
#include <tileport/ir/module.hpp>

namespace tileport::translate {

/// The scalar that a load's padding repeats, if cuTile Rust's load can spread it the same way: the padding
/// itself if it is a scalar, the source of broadcast(reshape(scalar)) if the padding is of rank 1. Nothing
/// otherwise; cutile 0.5.0 spreads through rank 1 only.
std::optional<ir::ValueId> padding_scalar(const ir::Module& module, ir::ValueId padding);

}  // namespace tileport::translate
