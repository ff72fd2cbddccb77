// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/compiler.hpp"

namespace tileport::cpu {

/// mmaf, mmaf_scaled and mmai. Products are exact in the type they are summed in (float, double, int32),
/// except those of f32, tf32 and f64, which are fused with the sum; acc comes first, then k in order. A sum
/// in f16 is kept in float and rounded once. `fast_acc` allows less and changes nothing.
Result<void> multiply_floats(Op op);
Result<void> multiply_scaled(Op op);
Result<void> multiply_integers(Op op);

}  // namespace tileport::cpu
