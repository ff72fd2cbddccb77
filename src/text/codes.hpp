// SPDX-License-Identifier: Apache-2.0
// Codes of the parser's diagnostics. A code never changes its meaning; new ones go to the end.
#pragma once

#include <cstddef>
#include <string_view>

namespace tileport::text {

namespace code {
inline constexpr std::string_view kUnreadable = "TP-X0001";   ///< The file can't be opened or read.
inline constexpr std::string_view kCharacter = "TP-X0002";    ///< A character that no token begins with.
inline constexpr std::string_view kString = "TP-X0003";       ///< A string that doesn't end, or a bad escape.
inline constexpr std::string_view kExpected = "TP-X0004";     ///< Another token is needed here.
inline constexpr std::string_view kUnknownOp = "TP-X0005";    ///< The dialect has no such op.
inline constexpr std::string_view kUnknownType = "TP-X0006";  ///< The dialect has no such type.
inline constexpr std::string_view kUndefined = "TP-X0007";    ///< A value that isn't defined here.
inline constexpr std::string_view kRedefined = "TP-X0008";    ///< A name that is taken.
inline constexpr std::string_view kResultCount = "TP-X0009";  ///< Names and results of an op don't match.
inline constexpr std::string_view kTypeMismatch = "TP-X0010";  ///< A value has another type than written.
inline constexpr std::string_view kNumber = "TP-X0011";        ///< A number that is malformed or too large.
inline constexpr std::string_view kConstant = "TP-X0012";      ///< Elements that don't fit their tile.
inline constexpr std::string_view kEnumerator = "TP-X0013";    ///< A word that the attribute can't be.
inline constexpr std::string_view kAttribute = "TP-X0014";     ///< A malformed or unknown attribute.
inline constexpr std::string_view kMissing = "TP-X0015";       ///< An attribute or operand is not given.
inline constexpr std::string_view kNesting = "TP-X0016";       ///< Nested too deeply.
inline constexpr std::string_view kUnclosed = "TP-X0017";      ///< The text ends inside of something.
inline constexpr std::string_view kAlias = "TP-X0018";         ///< An alias that isn't defined, or twice.
inline constexpr std::string_view kLocation = "TP-X0019";      ///< A malformed location.
inline constexpr std::string_view kVersion = "TP-X0020";       ///< The wanted version can't hold this.
inline constexpr std::string_view kArity = "TP-X0021";         ///< Too many or too few operands or results.
inline constexpr std::string_view kTooMany = "TP-X0022";       ///< More errors than are reported.
inline constexpr std::string_view kTooLong = "TP-X0023";       ///< The text is larger than a parser takes.
inline constexpr std::string_view kModules = "TP-X0024";       ///< Not exactly one module.
inline constexpr std::string_view kTerminator = "TP-X0025";    ///< A body without the terminator it needs.
inline constexpr std::string_view kTypeRule = "TP-X0026";      ///< A type that can't be.
}  // namespace code

/// Regions in regions, attributes in attributes, types in types: far beyond any compiler's output, well
/// within the stack.
inline constexpr std::size_t kDeepestRegion = 200;
inline constexpr std::size_t kDeepestAttribute = 32;
inline constexpr std::size_t kDeepestType = 32;
/// After so many errors the rest is noise.
inline constexpr std::size_t kMostErrors = 20;
inline constexpr std::size_t kLongestText = std::size_t{1} << 30;

}  // namespace tileport::text
