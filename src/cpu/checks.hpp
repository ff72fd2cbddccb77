// SPDX-License-Identifier: Apache-2.0
// Instructions that only look: at divisors, shift counts, and promises.
#pragma once

#include "cpu/compiler.hpp"
#include "cpu/kernels/elementwise.hpp"

namespace tileport::cpu {

/// Puts a check before an integer op whose result some operands leave undefined: a divisor of zero, a shift
/// by the width or more, an overflow that its flags exclude. Nothing if unchecked, or if nothing can go
/// wrong.
void check_integers(Op op, IntegerOp kernel);
/// The same for the predicate of an assume.
void check_assume(Op op);

/// A shared slot that holds one element.
Operand constant_word(Compiler& compiler, std::uint64_t bits, ir::TypeKind kind);

}  // namespace tileport::cpu
