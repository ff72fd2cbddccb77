// SPDX-License-Identifier: Apache-2.0
// Diagnostic codes of the translator. 0001–0099: wrong use; 0101 on: a kernel that can't be expressed.
#pragma once

#include <string_view>

namespace tileport::translate::code {

inline constexpr std::string_view kNoKernel = "TP-T0001";
inline constexpr std::string_view kSeveralKernels = "TP-T0002";
inline constexpr std::string_view kDuplicateName = "TP-T0003";
inline constexpr std::string_view kBadName = "TP-T0004";
inline constexpr std::string_view kArgumentNames = "TP-T0005";

inline constexpr std::string_view kNoHandler = "TP-T0101";  ///< The op itself.
inline constexpr std::string_view kUnread = "TP-T0102";  ///< An attribute, flag or operand nobody translated.
inline constexpr std::string_view kType = "TP-T0103";    ///< A type.
inline constexpr std::string_view kValue = "TP-T0104";  ///< An attribute's value, or a combination of values.
inline constexpr std::string_view kConstant = "TP-T0105";            ///< A constant's content.
inline constexpr std::string_view kHint = "TP-T0106";                ///< An optimization hint.
inline constexpr std::string_view kReduction = "TP-T0107";           ///< The form of a reduce or scan.
inline constexpr std::string_view kControl = "TP-T0108";             ///< The form of an if, for or loop.
inline constexpr std::string_view kGlobal = "TP-T0109";              ///< Module-level data.
inline constexpr std::string_view kSignature = "TP-T0110";           ///< The entry's arguments.
inline constexpr std::string_view kDefectiveReference = "TP-T0111";  ///< What was captured is itself wrong.

}  // namespace tileport::translate::code
