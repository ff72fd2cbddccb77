// SPDX-License-Identifier: Apache-2.0
// The float formats of the dialect: decoded exactly, and made of decimal text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tileport/ir/type.hpp>

namespace tileport::text {

/// What the pattern with all exponent bits set means.
enum class TopExponent : std::uint8_t {
  special,       ///< Infinity, and NaN with a mantissa.
  one_nan,       ///< Finite, but NaN if the mantissa is all ones, too.
  finite,        ///< Finite.
  power_of_two,  ///< The format has only exponents: no zero, and NaN if all bits are set.
};

struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool is_signed;
  TopExponent top;
};

FloatFormat float_format(ir::TypeKind kind);

/// A finite value significand × 2^exponent, or what it is instead.
struct DecodedFloat {
  enum class Class : std::uint8_t { finite, infinity, nan };
  Class kind = Class::finite;
  bool negative = false;
  std::uint64_t significand = 0;
  int exponent = 0;
};

DecodedFloat decode_float(ir::TypeKind kind, std::uint64_t bits);

/// The value if it is an integer from 0 to 2^64 - 1 and not -0.
std::optional<std::uint64_t> as_unsigned(const DecodedFloat& value);

/// The bits nearest to a decimal number "digits.digits[e[+-]digits]", ties to even; a value beyond the
/// largest becomes infinity. Nothing if the format has no such value: no infinity, no sign, no zero. Time and
/// memory are bounded whatever the exponent, and linear in the number of digits.
std::optional<std::uint64_t> read_float(ir::TypeKind kind, bool negative, std::string_view decimal);

}  // namespace tileport::text
