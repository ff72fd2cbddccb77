// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/compiler.hpp"

namespace tileport::cpu {

/// Puts values into the buffers of others, all at once, and then gives a signal. `loop_body`: the values are
/// dead afterwards if they live in there, so buffers may be exchanged.
Result<void> move_values(Compiler& compiler, ir::OpId op, std::span<const ir::ValueId> sources,
                         std::span<const ir::ValueId> targets, const Scope* loop_body, Signal then);

/// In reduction.cpp.
Result<void> reduce(Op op);
Result<void> scan(Op op);

}  // namespace tileport::cpu
