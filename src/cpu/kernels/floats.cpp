// SPDX-License-Identifier: Apache-2.0
// IEEE arithmetic of float and double, in the thread's rounding mode, and conversions.
//
// Rounding to odd: a result that is not exact gets a last bit of 1. Rounding it again, to at least two bits
// less, then gives what rounding the exact value once would (Boldo and Melquiond, 2008).
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "cpu/kernels/elementwise.hpp"

namespace tileport::cpu {

Elementwise transcendental_kernel(FloatOp op, bool is_double);  // In functions.cpp.

namespace {

template <class T, class R, auto F>
void unary(const void* const* inputs, void* result, std::size_t count) {
  const T* __restrict a = static_cast<const T*>(inputs[0]);
  R* __restrict r = static_cast<R*>(result);
  for (std::size_t i = 0; i < count; ++i) r[i] = F(a[i]);
}

template <class T, class R, auto F>
void binary(const void* const* inputs, void* result, std::size_t count) {
  const T* __restrict a = static_cast<const T*>(inputs[0]);
  const T* __restrict b = static_cast<const T*>(inputs[1]);
  R* __restrict r = static_cast<R*>(result);
  for (std::size_t i = 0; i < count; ++i) r[i] = F(a[i], b[i]);
}

template <class T, auto F>
void ternary(const void* const* inputs, void* result, std::size_t count) {
  const T* __restrict a = static_cast<const T*>(inputs[0]);
  const T* __restrict b = static_cast<const T*>(inputs[1]);
  const T* __restrict c = static_cast<const T*>(inputs[2]);
  T* __restrict r = static_cast<T*>(result);
  for (std::size_t i = 0; i < count; ++i) r[i] = F(a[i], b[i], c[i]);
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
constexpr T magnitude(T a) {
  return std::bit_cast<T>(std::bit_cast<Bits<T>>(a) & ~(Bits<T>{1} << (8 * sizeof(T) - 1)));
}
template <class T>
constexpr T negated(T a) {
  return std::bit_cast<T>(std::bit_cast<Bits<T>>(a) ^ (Bits<T>{1} << (8 * sizeof(T) - 1)));
}

// Of equal numbers only zeros differ in their bits: +0 is the larger.
template <class T>
constexpr T larger(T a, T b) {
  const T equal = std::bit_cast<T>(std::bit_cast<Bits<T>>(a) & std::bit_cast<Bits<T>>(b));
  const T chosen = a > b ? a : b;
  return a == b ? equal : chosen;
}
template <class T>
constexpr T smaller(T a, T b) {
  const T equal = std::bit_cast<T>(std::bit_cast<Bits<T>>(a) | std::bit_cast<Bits<T>>(b));
  const T chosen = a < b ? a : b;
  return a == b ? equal : chosen;
}

template <class T>
constexpr T kQuietNan = std::numeric_limits<T>::quiet_NaN();

/// IEEE 754-2019 maximumNumber: NaN only if both are.
template <class T, T (*pick)(T, T)>
constexpr T number(T a, T b) {
  const T both = pick(a, b);
  const T without_b = b != b ? a : both;
  const T without_a = a != a ? b : without_b;
  return a != a && b != b ? kQuietNan<T> : without_a;
}
/// IEEE 754-2019 maximum: NaN if one is.
template <class T, T (*pick)(T, T)>
constexpr T propagating(T a, T b) {
  const T both = pick(a, b);
  return a != a || b != b ? kQuietNan<T> : both;
}

/// A double as a float, rounded to odd. Too large becomes the largest finite one, whose last bit is 1.
inline float odd_float(double exact) {
  const float nearest = static_cast<float>(exact);
  const double back = nearest;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  // Towards zero first: one less in magnitude if rounding went up.
  const bool inexact = back != exact && exact == exact;
  const bool up = magnitude(back) > magnitude(exact);
  bits -= inexact && up ? 1U : 0U;
  bits |= inexact ? 1U : 0U;
  return std::bit_cast<float>(bits);
}

/// a * b + c of numbers with up to 11 bits: the product is exact in double, and the sum's error is known.
inline float fused_to_odd(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double addend = c;
  const double sum = product + addend;
  const double virtual_addend = sum - product;
  const double error = (product - (sum - virtual_addend)) + (addend - virtual_addend);
  std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
  // The exact sum lies between `sum` and its neighbour on the side of the error.
  const bool inexact = error != 0 && error == error && magnitude(sum) <= std::numeric_limits<double>::max();
  const bool inwards = (error < 0) != (sum < 0);
  bits -= inexact && inwards ? 1U : 0U;
  bits |= inexact ? 1U : 0U;
  return odd_float(std::bit_cast<double>(bits));
}

template <class T>
Elementwise arithmetic(FloatOp op) {
  switch (op) {
    case FloatOp::add:
      return &binary<T, T, [](T a, T b) { return a + b; }>;
    case FloatOp::sub:
      return &binary<T, T, [](T a, T b) { return a - b; }>;
    case FloatOp::mul:
      return &binary<T, T, [](T a, T b) { return a * b; }>;
    case FloatOp::div:
      return &binary<T, T, [](T a, T b) { return a / b; }>;
    case FloatOp::rem:
      return &binary<T, T, [](T a, T b) { return std::fmod(a, b); }>;
    case FloatOp::fma:
      return &ternary<T, [](T a, T b, T c) { return std::fma(a, b, c); }>;
    case FloatOp::neg:
      return &unary<T, T, [](T a) { return negated(a); }>;
    case FloatOp::abs:
      return &unary<T, T, [](T a) { return magnitude(a); }>;
    case FloatOp::max:
      return &binary<T, T, [](T a, T b) { return number<T, larger<T>>(a, b); }>;
    case FloatOp::min:
      return &binary<T, T, [](T a, T b) { return number<T, smaller<T>>(a, b); }>;
    case FloatOp::max_nan:
      return &binary<T, T, [](T a, T b) { return propagating<T, larger<T>>(a, b); }>;
    case FloatOp::min_nan:
      return &binary<T, T, [](T a, T b) { return propagating<T, smaller<T>>(a, b); }>;
    case FloatOp::ceil:
      return &unary<T, T, [](T a) { return std::ceil(a); }>;
    case FloatOp::floor:
      return &unary<T, T, [](T a) { return std::floor(a); }>;
    case FloatOp::sqrt:
      return &unary<T, T, [](T a) { return std::sqrt(a); }>;
    case FloatOp::copy:
      return &unary<T, T, [](T a) { return a; }>;
    default:
      return transcendental_kernel(op, std::is_same_v<T, double>);
  }
}

template <class T>
Elementwise comparison(Predicate predicate, bool ordered) {
  using B = std::uint8_t;
  if (ordered) {
    switch (predicate) {
      case Predicate::equal:
        return &binary<T, B, [](T a, T b) { return a == b; }>;
      case Predicate::not_equal:
        return &binary<T, B, [](T a, T b) { return (a < b) | (a > b); }>;
      case Predicate::less:
        return &binary<T, B, [](T a, T b) { return a < b; }>;
      case Predicate::less_equal:
        return &binary<T, B, [](T a, T b) { return a <= b; }>;
      case Predicate::greater:
        return &binary<T, B, [](T a, T b) { return (a > b); }>;
      case Predicate::greater_equal:
        return &binary<T, B, [](T a, T b) { return a >= b; }>;
    }
  }
  switch (predicate) {
    case Predicate::equal:
      return &binary<T, B, [](T a, T b) { return !((a < b) | (a > b)); }>;
    case Predicate::not_equal:
      return &binary<T, B, [](T a, T b) { return a != b; }>;
    case Predicate::less:
      return &binary<T, B, [](T a, T b) { return !(a >= b); }>;
    case Predicate::less_equal:
      return &binary<T, B, [](T a, T b) { return !(a > b); }>;
    case Predicate::greater:
      return &binary<T, B, [](T a, T b) { return !(a <= b); }>;
    case Predicate::greater_equal:
      return &binary<T, B, [](T a, T b) { return !(a < b); }>;
  }
  return nullptr;
}

template <class I>
inline float odd_from_integer(I value) {
  // Keeps 32 leading bits, the last of which stands for all that is cut off; then one rounding to odd.
  using U = std::make_unsigned_t<I>;
  const bool negative = value < 0;
  U rest = negative ? U{0} - static_cast<U>(value) : static_cast<U>(value);
  int shift = 0;
  while (rest >> 32) {
    rest = (rest >> 1) | (rest & 1);
    ++shift;
  }
  const double scaled = std::ldexp(static_cast<double>(rest), shift);
  return odd_float(negative ? -scaled : scaled);
}

template <class I>
Elementwise from_integer(bool is_double, bool to_odd) {
  if (is_double) return &unary<I, double, [](I a) { return static_cast<double>(a); }>;
  if (!to_odd) return &unary<I, float, [](I a) { return static_cast<float>(a); }>;
  if constexpr (sizeof(I) == 8) return &unary<I, float, [](I a) { return odd_from_integer(a); }>;
  return &unary<I, float, [](I a) { return odd_float(static_cast<double>(a)); }>;
}

template <class T, class I>
inline I saturated(T a) {
  // Both bounds are powers of two, so they are exact; the upper one is the first that is too large.
  constexpr T kBelow = static_cast<T>(std::numeric_limits<I>::min());
  constexpr I kHalf = std::numeric_limits<I>::max() / 2 + 1;
  constexpr T kAbove = static_cast<T>(kHalf) * 2;
  if (a != a) return 0;
  if (a >= kAbove) return std::numeric_limits<I>::max();
  if (a < kBelow) return std::numeric_limits<I>::min();
  return static_cast<I>(a);
}

template <class T>
Elementwise to_integer(unsigned bytes, bool is_signed) {
  switch (bytes) {
    case 1:
      return is_signed ? &unary<T, std::int8_t, saturated<T, std::int8_t>>
                       : static_cast<Elementwise>(&unary<T, std::uint8_t, saturated<T, std::uint8_t>>);
    case 2:
      return is_signed ? &unary<T, std::int16_t, saturated<T, std::int16_t>>
                       : static_cast<Elementwise>(&unary<T, std::uint16_t, saturated<T, std::uint16_t>>);
    case 4:
      return is_signed ? &unary<T, std::int32_t, saturated<T, std::int32_t>>
                       : static_cast<Elementwise>(&unary<T, std::uint32_t, saturated<T, std::uint32_t>>);
    default:
      return is_signed ? &unary<T, std::int64_t, saturated<T, std::int64_t>>
                       : static_cast<Elementwise>(&unary<T, std::uint64_t, saturated<T, std::uint64_t>>);
  }
}

}  // namespace

bool is_transcendental(FloatOp op) { return op >= FloatOp::rsqrt; }

Elementwise float_kernel(FloatOp op, bool is_double) {
  if (op == FloatOp::fma_to_odd) return &ternary<float, fused_to_odd>;
  return is_double ? arithmetic<double>(op) : arithmetic<float>(op);
}

Elementwise float_comparison(Predicate predicate, bool ordered, bool is_double) {
  return is_double ? comparison<double>(predicate, ordered) : comparison<float>(predicate, ordered);
}

Elementwise integer_to_float(unsigned bytes, bool is_signed, bool is_double, bool to_odd) {
  switch (bytes) {
    case 1:
      return is_signed ? from_integer<std::int8_t>(is_double, to_odd)
                       : from_integer<std::uint8_t>(is_double, to_odd);
    case 2:
      return is_signed ? from_integer<std::int16_t>(is_double, to_odd)
                       : from_integer<std::uint16_t>(is_double, to_odd);
    case 4:
      return is_signed ? from_integer<std::int32_t>(is_double, to_odd)
                       : from_integer<std::uint32_t>(is_double, to_odd);
    default:
      return is_signed ? from_integer<std::int64_t>(is_double, to_odd)
                       : from_integer<std::uint64_t>(is_double, to_odd);
  }
}

Elementwise float_to_integer(bool is_double, unsigned bytes, bool is_signed) {
  return is_double ? to_integer<double>(bytes, is_signed) : to_integer<float>(bytes, is_signed);
}

Elementwise float_to_double() {
  return &unary<float, double, [](float a) { return static_cast<double>(a); }>;
}

Elementwise double_to_float(bool to_odd) {
  if (to_odd) return &unary<double, float, odd_float>;
  return &unary<double, float, [](double a) { return static_cast<float>(a); }>;
}

Elementwise flush_subnormals() {
  return &unary<float, float, [](float a) {
    const float zero = std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) & 0x80000000U);
    return magnitude(a) < std::numeric_limits<float>::min() ? zero : a;
  }>;
}

}  // namespace tileport::cpu
