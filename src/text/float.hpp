// SPDX-License-Identifier: Apache-2.0
// The float formats of the dialect, decoded exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <tileport/ir/type.hpp>

namespace tileport::text {

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

}  // namespace tileport::text
