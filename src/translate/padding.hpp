// SPDX-License-Identifier: Apache-2.0
// Padding of pointer loads: a tile of the result's shape in Tile IR, one scalar in cutile's own declaration.
#pragma once

#include <optional>
#include <tileport/ir/module.hpp>

namespace tileport::translate {

/// The scalar that a padding repeats, if cutile 0.5.0 spreads it with the same ops: the padding itself if it
/// is one; for a padding of rank 1 the source of broadcast(reshape(scalar)). Nothing otherwise.
std::optional<ir::ValueId> padding_scalar(const ir::Module& module, ir::ValueId padding);

}  // namespace tileport::translate
