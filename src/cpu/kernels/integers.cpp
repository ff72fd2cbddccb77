// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "cpu/kernels/elementwise.hpp"

namespace tileport::cpu {
namespace {

template <class T, class R, auto F>
void unary(const void* const* inputs, void* result, std::size_t count) {
  const T* __restrict a = static_cast<const T*>(inputs[0]);
  R* __restrict r = static_cast<R*>(result);
  for (std::size_t i = 0; i < count; ++i) r[i] = static_cast<R>(F(a[i]));
}

template <class T, class R, auto F>
void binary(const void* const* inputs, void* result, std::size_t count) {
  const T* __restrict a = static_cast<const T*>(inputs[0]);
  const T* __restrict b = static_cast<const T*>(inputs[1]);
  R* __restrict r = static_cast<R*>(result);
  for (std::size_t i = 0; i < count; ++i) r[i] = static_cast<R>(F(a[i], b[i]));
}

// Wrapping arithmetic: in an unsigned type that integral promotion doesn't make signed.
template <class U>
using Wide = std::conditional_t<(sizeof(U) < 4), std::uint32_t, U>;

enum class Towards : std::uint8_t { zero, floor, ceil };

template <class T, Towards towards>
constexpr T divide(T a, T b) {
  using U = std::make_unsigned_t<T>;
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(U{0} - static_cast<U>(a));  // the smallest number overflows
  }
  const T quotient = static_cast<T>(a / b);
  const T rest = static_cast<T>(a % b);
  const bool negative = (rest < 0) != (b < 0);
  if (towards == Towards::floor && rest != 0 && negative) return static_cast<T>(quotient - 1);
  if (towards == Towards::ceil && rest != 0 && !negative) return static_cast<T>(quotient + 1);
  return quotient;
}

template <class T>
constexpr T remainder(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

template <class U>
constexpr U high_product(U a, U b) {
  if constexpr (sizeof(U) == 8) {
    __extension__ using Double = unsigned __int128;
    return static_cast<U>((static_cast<Double>(a) * b) >> 64);
  } else {
    return static_cast<U>((static_cast<std::uint64_t>(a) * b) >> (8 * sizeof(U)));
  }
}

template <class U>
Elementwise integer(IntegerOp op) {
  using S = std::make_signed_t<U>;
  using W = Wide<U>;
  constexpr U kWidth = 8 * sizeof(U);
  switch (op) {
    case IntegerOp::add:
      return &binary<U, U, [](U a, U b) { return W{a} + W{b}; }>;
    case IntegerOp::sub:
      return &binary<U, U, [](U a, U b) { return W{a} - W{b}; }>;
    case IntegerOp::mul:
      return &binary<U, U, [](U a, U b) { return W{a} * W{b}; }>;
    case IntegerOp::mul_high:
      return &binary<U, U, [](U a, U b) { return high_product(a, b); }>;
    case IntegerOp::div_signed:
      return &binary<S, S, [](S a, S b) { return divide<S, Towards::zero>(a, b); }>;
    case IntegerOp::div_floor:
      return &binary<S, S, [](S a, S b) { return divide<S, Towards::floor>(a, b); }>;
    case IntegerOp::div_ceil_signed:
      return &binary<S, S, [](S a, S b) { return divide<S, Towards::ceil>(a, b); }>;
    case IntegerOp::div_unsigned:
      return &binary<U, U, [](U a, U b) { return divide<U, Towards::zero>(a, b); }>;
    case IntegerOp::div_ceil_unsigned:
      return &binary<U, U, [](U a, U b) { return divide<U, Towards::ceil>(a, b); }>;
    case IntegerOp::rem_signed:
      return &binary<S, S, [](S a, S b) { return remainder(a, b); }>;
    case IntegerOp::rem_unsigned:
      return &binary<U, U, [](U a, U b) { return remainder(a, b); }>;
    case IntegerOp::neg:
      return &unary<U, U, [](U a) { return W{0} - W{a}; }>;
    case IntegerOp::abs:
      return &unary<U, U, [](U a) { return static_cast<S>(a) < 0 ? W{0} - W{a} : W{a}; }>;
    case IntegerOp::max_signed:
      return &binary<S, S, [](S a, S b) { return (a > b) ? a : b; }>;
    case IntegerOp::max_unsigned:
      return &binary<U, U, [](U a, U b) { return (a > b) ? a : b; }>;
    case IntegerOp::min_signed:
      return &binary<S, S, [](S a, S b) { return a < b ? a : b; }>;
    case IntegerOp::min_unsigned:
      return &binary<U, U, [](U a, U b) { return a < b ? a : b; }>;
    case IntegerOp::shl:
      return &binary<U, U, [](U a, U b) { return b < kWidth ? W{a} << (b & (kWidth - 1)) : W{0}; }>;
    case IntegerOp::shr_unsigned:
      return &binary<U, U, [](U a, U b) { return b < kWidth ? (W{a} >> (b & (kWidth - 1))) : W{0}; }>;
    case IntegerOp::shr_signed:
      return &binary<U, U, [](U a, U b) {
        return b < kWidth ? static_cast<U>(static_cast<S>(a) >> (b & (kWidth - 1))) : U{0};
      }>;
    case IntegerOp::and_:
      return &binary<U, U, [](U a, U b) { return a & b; }>;
    case IntegerOp::or_:
      return &binary<U, U, [](U a, U b) { return a | b; }>;
    case IntegerOp::xor_:
      return &binary<U, U, [](U a, U b) { return a ^ b; }>;
  }
  return nullptr;
}

template <class T>
Elementwise comparison(Predicate predicate) {
  using B = std::uint8_t;
  switch (predicate) {
    case Predicate::equal:
      return &binary<T, B, [](T a, T b) { return a == b; }>;
    case Predicate::not_equal:
      return &binary<T, B, [](T a, T b) { return a != b; }>;
    case Predicate::less:
      return &binary<T, B, [](T a, T b) { return a < b; }>;
    case Predicate::less_equal:
      return &binary<T, B, [](T a, T b) { return a <= b; }>;
    case Predicate::greater:
      return &binary<T, B, [](T a, T b) { return (a > b); }>;
    case Predicate::greater_equal:
      return &binary<T, B, [](T a, T b) { return a >= b; }>;
  }
  return nullptr;
}

template <class From, class To>
void resize(const void* const* inputs, void* result, std::size_t count) {
  const From* __restrict a = static_cast<const From*>(inputs[0]);
  To* __restrict r = static_cast<To*>(result);
  for (std::size_t i = 0; i < count; ++i) r[i] = static_cast<To>(a[i]);
}

template <class From>
Elementwise resize_to(unsigned bytes) {
  switch (bytes) {
    case 1:
      return &resize<From, std::int8_t>;
    case 2:
      return &resize<From, std::int16_t>;
    case 4:
      return &resize<From, std::int32_t>;
    default:
      return &resize<From, std::int64_t>;
  }
}

template <class T>
void choose(const void* const* inputs, void* result, std::size_t count) {
  const std::uint8_t* __restrict condition = static_cast<const std::uint8_t*>(inputs[0]);
  const T* __restrict a = static_cast<const T*>(inputs[1]);
  const T* __restrict b = static_cast<const T*>(inputs[2]);
  T* __restrict r = static_cast<T*>(result);
  for (std::size_t i = 0; i < count; ++i) r[i] = condition[i] ? a[i] : b[i];
}

template <std::int64_t scale>
void offset(const void* const* inputs, void* result, std::size_t count) {
  const std::uint64_t* __restrict a = static_cast<const std::uint64_t*>(inputs[0]);
  const std::uint64_t* __restrict b = static_cast<const std::uint64_t*>(inputs[1]);
  std::uint64_t* __restrict r = static_cast<std::uint64_t*>(result);
  for (std::size_t i = 0; i < count; ++i) r[i] = a[i] + b[i] * scale;
}

}  // namespace

Elementwise integer_kernel(IntegerOp op, unsigned bytes) {
  switch (bytes) {
    case 1:
      return integer<std::uint8_t>(op);
    case 2:
      return integer<std::uint16_t>(op);
    case 4:
      return integer<std::uint32_t>(op);
    default:
      return integer<std::uint64_t>(op);
  }
}

Elementwise integer_comparison(Predicate predicate, bool is_signed, unsigned bytes) {
  switch (bytes) {
    case 1:
      return is_signed ? comparison<std::int8_t>(predicate) : comparison<std::uint8_t>(predicate);
    case 2:
      return is_signed ? comparison<std::int16_t>(predicate) : comparison<std::uint16_t>(predicate);
    case 4:
      return is_signed ? comparison<std::int32_t>(predicate) : comparison<std::uint32_t>(predicate);
    default:
      return is_signed ? comparison<std::int64_t>(predicate) : comparison<std::uint64_t>(predicate);
  }
}

Elementwise integer_resize(unsigned from_bytes, unsigned to_bytes, bool is_signed) {
  switch (from_bytes) {
    case 1:
      return is_signed ? resize_to<std::int8_t>(to_bytes) : resize_to<std::uint8_t>(to_bytes);
    case 2:
      return is_signed ? resize_to<std::int16_t>(to_bytes) : resize_to<std::uint16_t>(to_bytes);
    case 4:
      return is_signed ? resize_to<std::int32_t>(to_bytes) : resize_to<std::uint32_t>(to_bytes);
    default:
      return resize_to<std::int64_t>(to_bytes);
  }
}

Elementwise select_kernel(unsigned bytes) {
  switch (bytes) {
    case 1:
      return &choose<std::uint8_t>;
    case 2:
      return &choose<std::uint16_t>;
    case 4:
      return &choose<std::uint32_t>;
    default:
      return &choose<std::uint64_t>;
  }
}

Elementwise offset_kernel(unsigned scale) {
  switch (scale) {
    case 1:
      return &offset<1>;
    case 2:
      return &offset<2>;
    case 4:
      return &offset<4>;
    default:
      return &offset<8>;
  }
}

Elementwise mask_bits(unsigned bits) {
  using B = std::uint8_t;
  return bits == 1 ? &unary<B, B, [](B a) { return a & 1; }> : &unary<B, B, [](B a) { return a & 15; }>;
}

Elementwise extend_bits(unsigned bits) {
  using B = std::uint8_t;
  return bits == 1 ? &unary<B, B, [](B a) { return 0 - (a & 1); }>
                   : &unary<B, B, [](B a) { return ((a & 15) ^ 8) - 8; }>;
}

}  // namespace tileport::cpu
