// SPDX-License-Identifier: Apache-2.0
// Prints floats as MLIR does, on top of LLVM's decimal conversion:
//   zero         0.000000e+00
//   not finite   the bit pattern in hexadecimal
//   otherwise    d.dddddde+XX if reading that gives the same bits back; else with as many digits as LLVM
//                finds the format to hold ("3.1415927", "9.99999998E+18"); hexadecimal if that has no point
// LLVM cuts the exact decimal expansion in two steps: first a power of ten is divided away, rounding down, so
// that about the needed digits are left; only then the digits are rounded half up. So 3.140625 becomes
// 3.140630e+00.

#include "text/float.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>
#include <tileport/text/print.hpp>

#include "text/big_unsigned.hpp"

namespace tileport::text {

using ir::TypeKind;

FloatFormat float_format(TypeKind kind) {
  switch (kind) {
    case TypeKind::f16:
      return {5, 10, 15, true, TopExponent::special};
    case TypeKind::bf16:
      return {8, 7, 127, true, TopExponent::special};
    case TypeKind::tf32:
      return {8, 10, 127, true, TopExponent::special};
    case TypeKind::f64:
      return {11, 52, 1023, true, TopExponent::special};
    case TypeKind::f8E4M3FN:
      return {4, 3, 7, true, TopExponent::one_nan};
    case TypeKind::f8E5M2:
      return {5, 2, 15, true, TopExponent::special};
    case TypeKind::f8E8M0FNU:
      return {8, 0, 127, false, TopExponent::power_of_two};
    case TypeKind::f4E2M1FN:
      return {2, 1, 1, true, TopExponent::finite};
    case TypeKind::fnv8E5M3FNU:
      return {5, 3, 15, false, TopExponent::one_nan};
    default:
      return {8, 23, 127, true, TopExponent::special};
  }
}

namespace {

/// digits × 10^exponent, without trailing zeros.
struct Decimal {
  std::string digits;
  int exponent = 0;

  void drop_trailing_zeros() {
    while (digits.size() > 1 && digits.back() == '0') {
      digits.pop_back();
      ++exponent;
    }
  }
};

/// LLVM's decimal conversion with at most `precision` digits.
Decimal to_decimal(const DecodedFloat& value, unsigned precision) {
  BigUnsigned number(value.significand);
  Decimal decimal;
  if (value.exponent >= 0) {
    number.shift_left(static_cast<unsigned>(value.exponent));
  } else {
    // An odd significand, so this is the exact expansion: s × 2^-k = s × 5^k × 10^-k.
    const unsigned zeros = std::min<unsigned>(static_cast<unsigned>(std::countr_zero(value.significand)),
                                              static_cast<unsigned>(-value.exponent));
    number = BigUnsigned(value.significand >> zeros);
    const unsigned places = static_cast<unsigned>(-value.exponent) - zeros;
    number.multiply_power(5, places);
    decimal.exponent = -static_cast<int>(places);
  }
  // 196/59 and 59/196 are LLVM's approximations of log2(10) and log10(2).
  const std::size_t needed = (std::size_t{precision} * 196 + 58) / 59;
  if (number.bit_length() > needed) {
    const auto tens = static_cast<unsigned>((number.bit_length() - needed) * 59 / 196);
    number.divide_power(10, tens);
    decimal.exponent += static_cast<int>(tens);
  }
  decimal.digits = number.digits();
  decimal.drop_trailing_zeros();
  if (decimal.digits.size() > precision) {
    const bool up = decimal.digits[precision] >= '5';
    decimal.exponent += static_cast<int>(decimal.digits.size() - precision);
    decimal.digits.resize(precision);
    if (up) {
      std::size_t i = precision;
      while (i > 0 && decimal.digits[i - 1] == '9') decimal.digits[--i] = '0';
      if (i == 0) {
        decimal.digits.insert(decimal.digits.begin(), '1');
      } else {
        ++decimal.digits[i - 1];
      }
    }
    decimal.drop_trailing_zeros();
  }
  return decimal;
}

/// m × 10^p compared with n × 2^q.
std::strong_ordering compare(std::uint64_t m, int p, std::uint64_t n, int q) {
  BigUnsigned left(m);
  BigUnsigned right(n);
  const auto magnitude = [](int number) { return static_cast<unsigned>(std::abs(number)); };
  (p >= 0 ? left : right).multiply_power(5, magnitude(p));
  (p - q >= 0 ? left : right).shift_left(magnitude(p - q));
  return left <=> right;
}

/// Whether reading m × 10^p, rounding to nearest and ties to even, gives this value.
bool reads_back(std::uint64_t m, int p, const DecodedFloat& value, const FloatFormat& format) {
  const std::uint64_t s = value.significand;
  const auto upper = compare(m, p, 2 * s + 1, value.exponent - 1);
  // Below the smallest significand of a binade the neighbours are twice as close.
  const std::uint64_t smallest = std::uint64_t{1} << format.mantissa_bits;
  const bool binade = s == smallest && value.exponent > 1 - format.bias - format.mantissa_bits;
  const bool powers = format.top == TopExponent::power_of_two;
  const auto lower = binade || powers ? compare(m, p, 4 * s - 1, value.exponent - 2)
                                      : compare(m, p, 2 * s - 1, value.exponent - 1);
  if (powers) return lower >= 0 && upper < 0;
  const bool even = s % 2 == 0;
  return even ? lower >= 0 && upper <= 0 : lower > 0 && upper < 0;
}

std::string scientific(const Decimal& decimal) {
  std::string text = decimal.digits.substr(0, 1) + "." + decimal.digits.substr(1);
  text.append(8 - text.size(), '0');
  const int exponent = decimal.exponent + static_cast<int>(decimal.digits.size()) - 1;
  return text + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
}

/// The form with as many digits as the format holds: plain if the exponent is small, else "9.99999998E+18".
std::string full_precision(const Decimal& decimal, unsigned precision) {
  constexpr int kMostZeros = 3;
  const int size = static_cast<int>(decimal.digits.size());
  const int leading = decimal.exponent + size - 1;
  bool plain = false;
  if (decimal.exponent >= 0) {
    plain = decimal.exponent <= kMostZeros && size + decimal.exponent <= static_cast<int>(precision);
  } else {
    plain = leading >= 0 || -leading <= kMostZeros;
  }
  if (!plain) {
    return fmt::format("{}.{}E{}{}", decimal.digits[0], size == 1 ? "0" : decimal.digits.substr(1),
                       leading < 0 ? '-' : '+', std::abs(leading));
  }
  if (decimal.exponent >= 0)
    return decimal.digits + std::string(static_cast<std::size_t>(decimal.exponent), '0');
  const int whole = decimal.exponent + size;
  if (whole > 0) {
    return decimal.digits.substr(0, static_cast<std::size_t>(whole)) + "." +
           decimal.digits.substr(static_cast<std::size_t>(whole));
  }
  return "0." + std::string(static_cast<std::size_t>(-whole), '0') + decimal.digits;
}

}  // namespace

DecodedFloat decode_float(TypeKind kind, std::uint64_t bits) {
  const FloatFormat format = float_format(kind);
  const std::uint64_t mantissa_mask = (std::uint64_t{1} << format.mantissa_bits) - 1;
  const std::uint64_t top = (std::uint64_t{1} << format.exponent_bits) - 1;
  const std::uint64_t mantissa = bits & mantissa_mask;
  const std::uint64_t exponent = bits >> format.mantissa_bits & top;
  DecodedFloat value;
  value.negative = format.is_signed && (bits >> (format.mantissa_bits + format.exponent_bits) & 1) != 0;
  const bool all_ones = exponent == top && mantissa == mantissa_mask;
  if (format.top == TopExponent::special && exponent == top) {
    value.kind = mantissa == 0 ? DecodedFloat::Class::infinity : DecodedFloat::Class::nan;
  } else if ((format.top == TopExponent::one_nan || format.top == TopExponent::power_of_two) && all_ones) {
    value.kind = DecodedFloat::Class::nan;
  }
  const bool subnormal = exponent == 0 && format.top != TopExponent::power_of_two;
  value.significand = subnormal ? mantissa : mantissa | std::uint64_t{1} << format.mantissa_bits;
  value.exponent = (subnormal ? 1 : static_cast<int>(exponent)) - format.bias - format.mantissa_bits;
  return value;
}

std::optional<std::uint64_t> as_unsigned(const DecodedFloat& value) {
  if (value.kind != DecodedFloat::Class::finite || value.negative) return std::nullopt;
  if (value.significand == 0) return 0;
  if (value.exponent >= 0) {
    if (std::bit_width(value.significand) + value.exponent > 64) return std::nullopt;
    return value.significand << value.exponent;
  }
  if (std::countr_zero(value.significand) < -value.exponent) return std::nullopt;
  return value.significand >> -value.exponent;
}

std::string print_float(TypeKind kind, std::uint64_t bits) {
  const std::string hexadecimal = fmt::format("0x{:0{}X}", bits, (ir::bit_width(kind) + 3) / 4);
  const DecodedFloat value = decode_float(kind, bits);
  if (value.kind != DecodedFloat::Class::finite) return hexadecimal;
  const std::string sign = value.negative ? "-" : "";
  if (value.significand == 0) return sign + "0.000000e+00";
  const FloatFormat format = float_format(kind);
  constexpr unsigned kShortPrecision = 6;
  const Decimal shorter = to_decimal(value, kShortPrecision);
  if (reads_back(std::stoull(shorter.digits), shorter.exponent, value, format))
    return sign + scientific(shorter);
  const unsigned precision = 2 + static_cast<unsigned>(format.mantissa_bits + 1) * 59 / 196;
  const std::string longer = full_precision(to_decimal(value, precision), precision);
  return longer.find('.') == std::string::npos ? hexadecimal : sign + longer;
}

}  // namespace tileport::text
