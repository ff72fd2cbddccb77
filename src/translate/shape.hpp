// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "translate/entry.hpp"

namespace tileport::translate {

/// The second argument of `permute`. Above rank 4 it has no macro, and cutile 0.5.0 takes the long form only
/// from a `let` of its own, which this writes.
std::string axis_order(Entry& entry, std::span<const std::int32_t> axes);

}  // namespace tileport::translate
