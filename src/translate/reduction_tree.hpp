// SPDX-License-Identifier: Apache-2.0
// Reductions and scans that cutile 0.5.0 has no call for, as trees of steps on tiles.
//
// A body is made of elementwise ops on single elements, so it works on tiles of any shape. A reduce halves
// its axis log2(extent) times and puts the halves together by the body. A scan does Sklansky's steps: it puts
// the last running value of every even block of 1, 2, 4, … elements together with all of the odd block behind
// it. Both take it from Tile IR that the order is free and that the identity is one.
#pragma once

#include <optional>
#include <tileport/ir/module.hpp>

namespace tileport::translate {

/// The module with trees in place of the reductions and scans below `body` that have no call; nothing if
/// there are none, or one has a body that works on more than elements.
std::optional<ir::Module> with_reduction_trees(const ir::Module& module, ir::BlockId body);

}  // namespace tileport::translate
