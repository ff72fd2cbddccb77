// SPDX-License-Identifier: Apache-2.0
// Enumerations of the dialect: each value's number in the bytecode is its place in the list, its name is the
// text's.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <string_view>

namespace tileport::ir {

struct Enumeration {
  std::string_view name;
  std::string_view mnemonic;  ///< Of its attribute, #cuda_tile.rounding<zero>; empty if that is an integer.
  std::span<const std::string_view> values;
  /// Values from this number on appear only in bytecode 13.`newer_minor`.
  std::uint64_t newer_from = ~std::uint64_t{0};
  std::uint8_t newer_minor = 1;

  constexpr bool has(std::uint64_t value, std::uint8_t minor) const {
    return value < values.size() && (value < newer_from || minor >= newer_minor);
  }
};

/// The number of a value. The name must exist: rows of the op table are checked while they are compiled.
constexpr std::uint64_t number(const Enumeration& enumeration, std::string_view value) {
  for (std::uint64_t i = 0; i < enumeration.values.size(); ++i) {
    if (enumeration.values[i] == value) return i;
  }
  assert(false && "no such enumerator");
  return 0;
}

namespace enumerators {
inline constexpr std::string_view kRounding[] = {"nearest_even",        "zero",        "negative_inf",
                                                 "positive_inf",        "approx",      "full",
                                                 "nearest_int_to_zero", "nearest_away"};
inline constexpr std::string_view kOverflow[] = {"none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap"};
inline constexpr std::string_view kSignedness[] = {"unsigned", "signed"};
inline constexpr std::string_view kPredicate[] = {
    "equal", "not_equal", "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"};
inline constexpr std::string_view kOrdering[] = {"unordered", "ordered"};
inline constexpr std::string_view kMemoryOrdering[] = {"weak", "relaxed", "acquire", "release", "acq_rel"};
inline constexpr std::string_view kMemoryScope[] = {"tl_blk", "device", "sys"};
inline constexpr std::string_view kAtomicMode[] = {"and", "or",  "xor",  "add",  "addf",
                                                   "max", "min", "umax", "umin", "xchg"};
inline constexpr std::string_view kReductionKind[] = {"add", "min", "max",  "and",
                                                      "or",  "xor", "umin", "umax"};
inline constexpr std::string_view kPaddingValue[] = {"zero", "neg_zero", "nan", "pos_inf", "neg_inf"};
inline constexpr std::string_view kPointerAttribute[] = {"none", "unicast", "multicast"};
inline constexpr std::string_view kVisibility[] = {"public", "private"};
}  // namespace enumerators

inline constexpr Enumeration kRoundingMode{"RoundingMode", "rounding", enumerators::kRounding, 7, 4};
inline constexpr Enumeration kIntegerOverflow{"IntegerOverflow", "overflow", enumerators::kOverflow};
inline constexpr Enumeration kSignedness{"Signedness", "signedness", enumerators::kSignedness};
inline constexpr Enumeration kComparisonPredicate{"ComparisonPredicate", "comparison_predicate",
                                                  enumerators::kPredicate};
inline constexpr Enumeration kComparisonOrdering{"ComparisonOrdering", "comparison_ordering",
                                                 enumerators::kOrdering};
inline constexpr Enumeration kMemoryOrdering{"MemoryOrderingSemantics", "", enumerators::kMemoryOrdering};
inline constexpr Enumeration kMemoryScope{"MemoryScope", "", enumerators::kMemoryScope};
inline constexpr Enumeration kAtomicMode{"AtomicRMWMode", "", enumerators::kAtomicMode};
inline constexpr Enumeration kReductionKind{"MultimemReductionKind", "multimem_reduction_kind",
                                            enumerators::kReductionKind};
inline constexpr Enumeration kPaddingValue{"PaddingValue", "padding_value", enumerators::kPaddingValue};
inline constexpr Enumeration kPointerAttribute{"PtrAttr", "ptr_attr", enumerators::kPointerAttribute};
inline constexpr Enumeration kVisibility{"SymbolVisibility", "symbol_visibility", enumerators::kVisibility};

}  // namespace tileport::ir
