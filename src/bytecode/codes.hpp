// SPDX-License-Identifier: Apache-2.0
// Codes of the reader's diagnostics. A code never changes its meaning; new ones go to the end.
#pragma once

#include <cstddef>
#include <string_view>

namespace tileport::bytecode {

namespace code {
inline constexpr std::string_view kUnreadable = "TP-B0001";  ///< The file can't be opened or read.
inline constexpr std::string_view kMagic = "TP-B0002";       ///< Not Tile IR bytecode.
inline constexpr std::string_view kVersion = "TP-B0003";     ///< A version that is not supported.
inline constexpr std::string_view kHeaderTag = "TP-B0004";   ///< Unknown header bits, or preview content.
inline constexpr std::string_view kTruncated = "TP-B0005";   ///< The bytes end too early.
inline constexpr std::string_view kTrailing = "TP-B0006";    ///< Bytes follow where nothing may.
inline constexpr std::string_view kSection = "TP-B0007";    ///< A section that doesn't exist in this version.
inline constexpr std::string_view kAlignment = "TP-B0008";  ///< A section's alignment is wrong.
inline constexpr std::string_view kMissingSection = "TP-B0009";  ///< A section that must be there is not.
inline constexpr std::string_view kOffsetTable = "TP-B0010";  ///< A table entry that isn't within the data.
inline constexpr std::string_view kLongVarint = "TP-B0011";   ///< A variable-length number doesn't end.
inline constexpr std::string_view kIndex = "TP-B0012";        ///< An index beyond its table.
inline constexpr std::string_view kCount = "TP-B0013";        ///< A count that the bytes left can't hold.
inline constexpr std::string_view kType = "TP-B0014";         ///< A malformed or unknown type.
inline constexpr std::string_view kConstant = "TP-B0015";     ///< A constant whose bytes don't fit its type.
inline constexpr std::string_view kOpcode = "TP-B0016";       ///< An op that doesn't exist in this version.
inline constexpr std::string_view kFlags = "TP-B0017";        ///< Flag bits that the op doesn't have.
inline constexpr std::string_view kEnumerator = "TP-B0018";   ///< A number that the enumeration doesn't have.
inline constexpr std::string_view kOperand = "TP-B0019";  ///< An operand that isn't defined at this place.
inline constexpr std::string_view kArity = "TP-B0020";    ///< Too many or too few operands, results, regions.
inline constexpr std::string_view kAttribute = "TP-B0021";  ///< A malformed or unknown attribute.
inline constexpr std::string_view kNesting = "TP-B0022";    ///< Nested too deeply.
inline constexpr std::string_view kFunction =
    "TP-B0023";  ///< A function that isn't a kernel, or a bad signature.
inline constexpr std::string_view kDebug = "TP-B0024";   ///< Malformed debug information.
inline constexpr std::string_view kGlobal = "TP-B0026";  ///< A malformed global.
inline constexpr std::string_view kBody = "TP-B0025";    ///< A body without the terminator it needs.
inline constexpr std::string_view kVersionLacks =
    "TP-B0027";  ///< Something that the version to be written does not have.
inline constexpr std::string_view kContradiction = "TP-B0028";  ///< A module that no file can hold.
}  // namespace code

/// Longer numbers come from no writer (a 65-bit one takes 10 bytes).
inline constexpr std::size_t kLongestVarint = 10;
/// Regions in regions, and attributes in attributes: far beyond what any compiler accepts, well within the
/// stack.
inline constexpr std::size_t kDeepestRegion = 200;
inline constexpr std::size_t kDeepestAttribute = 32;

}  // namespace tileport::bytecode
