// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tileport/ir/module.hpp>

namespace tileport::diff {

/// Of a kernel's ops, their numbers and operands: what an edit script of it takes for granted.
std::uint64_t fingerprint(const ir::Module& module, const ir::Function& kernel);

}  // namespace tileport::diff
