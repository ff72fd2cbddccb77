// SPDX-License-Identifier: Apache-2.0
// How a number of a specialization follows from the constants of its kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tileport::translate {

/// A constant of a Python kernel with its value; a bool counts as 0 or 1.
struct Constant {
  std::string name;
  std::variant<std::int64_t, double> value;
};

/// An expression over constants.
struct Derivation {
  std::string operation;       ///< "constant", "number", or a name of `derivation_operations`.
  std::string name;            ///< Of a constant.
  std::int64_t number = 0;     ///< Of a number.
  std::vector<Derivation> of;  ///< What an operation works on.

  /// "BLOCK", "cdiv(N, BLOCK)", "2 * BLOCK", "bits(EPS)".
  std::string text() const;
};

std::vector<std::string_view> derivation_operations();

/// The number, or nothing: a constant is missing or of the wrong type, a division by zero, a result beyond
/// 53 bits, an unknown operation.
std::optional<std::int64_t> evaluate(const Derivation& derivation, std::span<const Constant> constants);

/// The simplest derivation that gives `wanted[i]` from `rows[i]` for every i, or nothing. Rows have the same
/// constants in the same order. A float's bits, those of an f32, are looked for only if `bits_of_float`.
std::optional<Derivation> derive(std::span<const std::vector<Constant>> rows,
                                 std::span<const std::int64_t> wanted, bool bits_of_float);

}  // namespace tileport::translate
