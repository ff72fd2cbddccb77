// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "cpu/plan.hpp"

namespace tileport::cpu {

/// The bits of each parameter, and whether arguments fit. Arrays are written out as cuTile passes them
/// (address, extents, strides) if the kernel has more parameters than there are arguments.
Result<std::vector<std::uint64_t>> argument_words(const Plan& plan, std::span<const Argument> arguments);

}  // namespace tileport::cpu
