// SPDX-License-Identifier: Apache-2.0
// Whether two modules are the same program, written alike.
#pragma once

#include <optional>
#include <string>
#include <tileport/ir/module.hpp>

namespace tileport::ir {

/// Where and how the second module differs first, as a sentence; nothing if they are equal. Equal are modules
/// with the same globals and functions in the same order, and in them the same ops with the same operands,
/// results, attributes and types, in the same order.
///
/// The layout of the tables does not matter, nor does what the text form leaves out: the version, debug
/// information, attributes of arguments, whether a constant whose elements are equal is stored as one
/// element, the order of keys and the widths of integers in dictionaries, whether a default is written.
std::optional<std::string> first_difference(const Module& left, const Module& right);

}  // namespace tileport::ir
