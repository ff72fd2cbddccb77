// SPDX-License-Identifier: Apache-2.0
// Loops over contiguous elements. They are compiled for processors with AVX2, FMA and F16C where the machine
// is an x86-64, so no file of this folder includes what others instantiate too (containers, strings).
#pragma once

#include <cstddef>
#include <cstdint>

namespace tileport::cpu {

/// Computes `count` elements. Inputs and result don't overlap.
using Elementwise = void (*)(const void* const* inputs, void* result, std::size_t count);

enum class IntegerOp : std::uint8_t {
  add,
  sub,
  mul,
  mul_high,
  div_signed,
  div_unsigned,
  div_floor,
  div_ceil_signed,
  div_ceil_unsigned,
  rem_signed,
  rem_unsigned,
  neg,
  abs,
  max_signed,
  max_unsigned,
  min_signed,
  min_unsigned,
  shl,
  shr_signed,
  shr_unsigned,
  and_,
  or_,
  xor_,
};
/// Of elements of 1, 2, 4 or 8 bytes. Wraps; divisions by zero and shifts by the width or more give 0.
Elementwise integer_kernel(IntegerOp op, unsigned bytes);

/// Numbers are the dialect's ComparisonPredicate. The result is a byte, 0 or 1.
enum class Predicate : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };
Elementwise integer_comparison(Predicate predicate, bool is_signed, unsigned bytes);
/// Ordered: false if one is NaN; unordered: true.
Elementwise float_comparison(Predicate predicate, bool ordered, bool is_double);

enum class FloatOp : std::uint8_t {
  add,
  sub,
  mul,
  div,
  rem,
  fma,
  fma_to_odd,  ///< float only: rounded to odd, so that rounding it again to 11 bits or less is exact.
  neg,
  abs,
  max,
  min,
  max_nan,
  min_nan,
  ceil,
  floor,
  sqrt,
  copy,
  rsqrt,
  exp,
  exp2,
  log,
  log2,
  pow,
  sin,
  cos,
  tan,
  sinh,
  cosh,
  tanh,
  atan2,
};
/// Of float or double, in the rounding mode of the thread. Functions from rsqrt on are computed in double and
/// rounded once for float.
Elementwise float_kernel(FloatOp op, bool is_double);
bool is_transcendental(FloatOp op);

/// inputs: condition (bytes 0 or 1), value if true, value if false.
Elementwise select_kernel(unsigned bytes);

/// From one width to another, by sign or with zeros; narrowing cuts.
Elementwise integer_resize(unsigned from_bytes, unsigned to_bytes, bool is_signed);
/// `to_odd` (only for float): what does not fit is rounded to odd.
Elementwise integer_to_float(unsigned bytes, bool is_signed, bool is_double, bool to_odd);
/// Cuts off the fraction; what is out of range becomes the nearest integer that is not, NaN becomes 0.
Elementwise float_to_integer(bool is_double, unsigned bytes, bool is_signed);
Elementwise float_to_double();
Elementwise double_to_float(bool to_odd);
/// inputs: addresses, offsets (as int64); result: address + offset * scale, for scale = 1, 2, 4, 8.
Elementwise offset_kernel(unsigned scale);

/// Masks the low bits of bytes; sign-extends a 1- or 4-bit field of bytes.
Elementwise mask_bits(unsigned bits);
Elementwise extend_bits(unsigned bits);
/// Subnormal floats become zeros of their sign.
Elementwise flush_subnormals();

}  // namespace tileport::cpu
