// SPDX-License-Identifier: Apache-2.0
// Codes of the diagnostics about building and editing. A code never changes its meaning; new ones go to the
// end.
#pragma once

#include <string_view>

namespace tileport::ir::code {
inline constexpr std::string_view kUnknownOp = "TP-I0001";    ///< No op has this mnemonic.
inline constexpr std::string_view kUnknownName = "TP-I0002";  ///< The op has no such group or attribute.
inline constexpr std::string_view kOperands = "TP-I0003";     ///< Too many or too few operands of a group.
inline constexpr std::string_view kResults = "TP-I0004";      ///< Too many or too few results.
inline constexpr std::string_view kContent = "TP-I0005";    ///< An attribute can't have this kind of content.
inline constexpr std::string_view kMissing = "TP-I0006";    ///< An attribute that must be given is not.
inline constexpr std::string_view kUsed = "TP-I0007";       ///< An op whose results are used can't be erased.
inline constexpr std::string_view kNotInBody = "TP-I0008";  ///< The op never stands in a body.
inline constexpr std::string_view kNoPlace = "TP-I0009";    ///< It isn't said where ops go.
inline constexpr std::string_view kForeign = "TP-I0010";  ///< A part of another module, or of none any more.
inline constexpr std::string_view kNoLocation = "TP-I0011";  ///< The kernel has no place in a source.
}  // namespace tileport::ir::code
