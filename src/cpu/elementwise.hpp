// SPDX-License-Identifier: Apache-2.0
// Instructions that compute each element from the elements at the same place, whatever their storage.
#pragma once

#include <memory>

#include "cpu/compiler.hpp"
#include "cpu/kernels/codecs.hpp"
#include "cpu/kernels/elementwise.hpp"

namespace tileport::cpu {

/// Around the kernel: what makes its inputs of what tiles hold, and what tiles hold of its result.
struct ElementwiseOp final : Payload {
  static constexpr std::size_t kMostInputs = 3;
  Elementwise kernel = nullptr;
  /// Null: the tile's elements as they stand.
  Elementwise prepare[kMostInputs] = {};
  Elementwise then = nullptr;                  ///< On the result of the kernel, before `finish`.
  Elementwise finish = nullptr;                ///< To what the tile holds.
  std::uint8_t input_bytes[kMostInputs] = {};  ///< Of an element as the kernel reads it.
  std::uint8_t result_bytes = 0;               ///< As the kernel writes it.
  int rounding = 0;                            ///< Of <cfenv>; what is computed in.
};

Signal run_elementwise(Frame& frame, const Instruction& instruction);

/// Decoding and encoding as Elementwise functions; null if a kind needs none.
Elementwise prepare_float(ir::TypeKind kind);
Elementwise finish_float(ir::TypeKind kind, Rounding rounding);
/// i1 and i4: to a signed byte, or to an unsigned one.
Elementwise prepare_integer(ir::TypeKind kind, bool is_signed);
Elementwise finish_integer(ir::TypeKind kind);

/// The enumerator of an op's rounding mode.
Rounding rounding_of(std::string_view enumerator);
int environment(Rounding rounding);

/// A float op in the compute type of its result: float, or double for f64.
std::shared_ptr<ElementwiseOp> float_op(Elementwise kernel, ir::TypeKind kind, std::size_t inputs,
                                        Rounding rounding, bool flush);

}  // namespace tileport::cpu
