// SPDX-License-Identifier: Apache-2.0
// Functions of floats. What the dialect leaves approximate is computed as well as kernels/functions.cpp says.
#include <cmath>

#include "cpu/elementwise.hpp"
#include "cpu/mma.hpp"

namespace tileport::cpu {
namespace {

using ir::TypeKind;

template <FloatOp kernel>
Result<void> function(Op op) {
  const TypeKind kind = op.compiler.element(op.result());
  // sqrt is the only one with modes of rounding that are exact.
  const Rounding rounding =
      kernel == FloatOp::sqrt ? rounding_of(op.enumerator("rounding_mode")) : Rounding::nearest_even;
  const bool flushes = kernel == FloatOp::sqrt || kernel == FloatOp::rsqrt || kernel == FloatOp::exp2;
  op.compiler.elementwise(op.id, op.result(), op.operands(), run_elementwise,
                          float_op(float_kernel(kernel, is_double(kind)), kind, op.operands().size(),
                                   rounding, flushes && op.flag("flush_to_zero")));
  return {};
}

template <bool is_double>
void integer_exponents(const void* const* inputs, void* result, std::size_t count) {
  using T = std::conditional_t<is_double, double, float>;
  // Inputs come as bases and, in double, exponents.
  const T* bases = static_cast<const T*>(inputs[0]);
  const double* exponents = static_cast<const double*>(inputs[1]);
  T* results = static_cast<T*>(result);
  for (std::size_t i = 0; i < count; ++i) {
    results[i] = static_cast<T>(std::pow(static_cast<double>(bases[i]), exponents[i]));
  }
}

Result<void> integer_power(Op op) {
  const TypeKind kind = op.compiler.element(op.result());
  auto made = float_op(is_double(kind) ? &integer_exponents<true> : &integer_exponents<false>, kind, 1,
                       Rounding::nearest_even, false);
  const std::uint8_t bytes = tile_bytes(op.compiler.element(op.operand(1)));
  made->prepare[1] = integer_to_float(bytes, true, true, false);
  made->input_bytes[1] = 8;
  op.compiler.elementwise(op.id, op.result(), op.operands(), run_elementwise, std::move(made));
  return {};
}

constexpr Handler kHandlers[] = {
    {"ceil", function<FloatOp::ceil>}, {"floor", function<FloatOp::floor>},
    {"sqrt", function<FloatOp::sqrt>}, {"rsqrt", function<FloatOp::rsqrt>},
    {"exp", function<FloatOp::exp>},   {"exp2", function<FloatOp::exp2>},
    {"log", function<FloatOp::log>},   {"log2", function<FloatOp::log2>},
    {"fpowf", function<FloatOp::pow>}, {"fpowi", integer_power},
    {"sin", function<FloatOp::sin>},   {"cos", function<FloatOp::cos>},
    {"tan", function<FloatOp::tan>},   {"atan2", function<FloatOp::atan2>},
    {"sinh", function<FloatOp::sinh>}, {"cosh", function<FloatOp::cosh>},
    {"tanh", function<FloatOp::tanh>}, {"mmaf", multiply_floats},
    {"mmaf_scaled", multiply_scaled},  {"mmai", multiply_integers},
};

}  // namespace

std::span<const Handler> math_handlers() { return kHandlers; }

}  // namespace tileport::cpu
