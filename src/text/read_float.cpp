// SPDX-License-Identifier: Apache-2.0
// Reads decimal floats exactly: the digits become one integer, the powers of ten are multiplied on or divided
// away with everything that is lost remembered in one bit, and the quotient, which has more bits than any
// format keeps, is rounded once.
#include <algorithm>
#include <cstdlib>

#include "text/big_unsigned.hpp"
#include "text/float.hpp"

namespace tileport::text {
namespace {

/// No format needs more digits to tell a number from the middle between two of its values (f64: 767).
constexpr std::size_t kMostDigits = 800;
/// Beyond these powers of ten every number is infinite or zero (f64: 309 and -324).
constexpr long kLargestPower = 400;

/// A decimal number as digits × 10^exponent.
struct Decimal {
  std::string_view digits_before, digits_after;
  long exponent = 0;
};

Decimal split(std::string_view text) {
  Decimal parts;
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  if (e < text.size()) {
    const bool negative = text[e + 1] == '-';
    for (char c : text.substr(e + 1)) {
      // Far beyond any power that matters, and no overflow.
      if (c >= '0' && c <= '9' && parts.exponent < 100'000'000)
        parts.exponent = 10 * parts.exponent + (c - '0');
    }
    if (negative) parts.exponent = -parts.exponent;
  }
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  parts.digits_before = mantissa.substr(0, point);
  if (point < mantissa.size()) parts.digits_after = mantissa.substr(point + 1);
  return parts;
}

/// The significant digits as an integer; what is cut off counts as a digit 1 behind them, which is on the
/// same side of every value and every middle.
BigUnsigned significant(const Decimal& parts, long& exponent, long& digits) {
  BigUnsigned number(0);
  std::uint32_t chunk = 0;
  std::uint32_t scale = 1;
  std::size_t taken = 0;
  bool cut = false;
  const auto push = [&](unsigned digit) {
    chunk = 10 * chunk + digit;
    scale *= 10;
    if (scale == 1'000'000'000) {
      number.multiply(scale);
      number.add(chunk);
      chunk = 0;
      scale = 1;
    }
  };
  exponent = parts.exponent - static_cast<long>(parts.digits_after.size());
  for (std::string_view part : {parts.digits_before, parts.digits_after}) {
    for (char c : part) {
      if (taken == 0 && c == '0') continue;
      if (taken == kMostDigits) {
        cut = cut || c != '0';
        ++exponent;
        continue;
      }
      push(static_cast<unsigned>(c - '0'));
      ++taken;
    }
  }
  if (cut) {
    push(1);
    --exponent;
    ++taken;
  }
  number.multiply(scale);
  number.add(chunk);
  digits = static_cast<long>(taken);
  return number;
}

/// significand × 2^exponent, the significand of at least 66 bits unless it is zero.
struct Binary {
  BigUnsigned significand;
  long exponent;
  bool lost;
};

Binary to_binary(BigUnsigned number, long power) {
  constexpr std::size_t kBits = 66;
  Binary result{std::move(number), power, false};
  const auto tens = static_cast<unsigned>(std::abs(power));
  // log2(5) < 7/3.
  const std::size_t wanted = kBits + (power < 0 ? std::size_t{tens} * 7 / 3 + 1 : 0);
  const std::size_t bits = result.significand.bit_length();
  const auto shift = static_cast<unsigned>(bits < wanted ? wanted - bits : 0);
  result.significand.shift_left(shift);
  result.exponent -= static_cast<long>(shift);
  if (power >= 0) {
    result.significand.multiply_power(5, tens);
    return result;
  }
  constexpr unsigned kFivesAtOnce = 13;
  constexpr std::uint32_t kFives = 1'220'703'125;
  for (unsigned left = tens; left != 0;) {
    const unsigned now = std::min(left, kFivesAtOnce);
    std::uint32_t divisor = kFives;
    for (unsigned i = now; i < kFivesAtOnce; ++i) divisor /= 5;
    result.lost = result.significand.divide(divisor) != 0 || result.lost;
    left -= now;
  }
  return result;
}

std::optional<std::uint64_t> infinity(const FloatFormat& format, std::uint64_t sign) {
  if (format.top != TopExponent::special) return std::nullopt;
  const std::uint64_t top = (std::uint64_t{1} << format.exponent_bits) - 1;
  return sign | top << format.mantissa_bits;
}

std::optional<std::uint64_t> rounded(const Binary& value, const FloatFormat& format, std::uint64_t sign) {
  const long leading = static_cast<long>(value.significand.bit_length()) - 1 + value.exponent;
  const bool powers = format.top == TopExponent::power_of_two;
  const long smallest = powers ? leading : 1 - format.bias;
  long unit = std::max(leading, smallest) - format.mantissa_bits;
  bool lost = value.lost;
  std::uint64_t kept =
      value.significand.shifted_right(static_cast<std::size_t>(unit - value.exponent - 1), lost);
  const bool half = (kept & 1U) != 0;
  kept >>= 1;
  if (half && (lost || (kept & 1U) != 0)) ++kept;
  if (kept >> (format.mantissa_bits + 1) != 0) {
    kept >>= 1;
    ++unit;
  }
  const std::uint64_t one = std::uint64_t{1} << format.mantissa_bits;
  const long exponent = kept >= one ? unit + format.mantissa_bits + format.bias : 0;
  if (exponent < 0) return std::nullopt;  // Only exponents, and none so small.
  const long top = (1L << format.exponent_bits) - 1;
  const std::uint64_t mantissa = kept & (one - 1);
  const bool nan = exponent == top && (format.top == TopExponent::one_nan || powers) && mantissa == one - 1;
  if (exponent > top || nan || (exponent == top && format.top == TopExponent::special))
    return infinity(format, sign);
  return sign | static_cast<std::uint64_t>(exponent) << format.mantissa_bits | mantissa;
}

}  // namespace

std::optional<std::uint64_t> read_float(ir::TypeKind kind, bool negative, std::string_view decimal) {
  const FloatFormat format = float_format(kind);
  if (negative && !format.is_signed) return std::nullopt;
  const std::uint64_t sign =
      negative ? std::uint64_t{1} << (format.exponent_bits + format.mantissa_bits) : std::uint64_t{0};
  long exponent = 0;
  long digits = 0;
  const Decimal parts = split(decimal);
  BigUnsigned number = significant(parts, exponent, digits);
  if (digits == 0 || digits + exponent < -kLargestPower) {
    if (format.top == TopExponent::power_of_two) return std::nullopt;
    return sign;
  }
  if (digits + exponent > kLargestPower) return infinity(format, sign);
  return rounded(to_binary(std::move(number), exponent), format, sign);
}

}  // namespace tileport::text
