// SPDX-License-Identifier: Apache-2.0
// What a difference is about: the rows of the checklist that ports are judged by.
#pragma once

#include <string_view>
#include <tileport/diff/compare.hpp>
#include <tileport/ir/module.hpp>

namespace tileport::diff {

/// The group of a difference in an op, or in a part of it: an operand group or attribute by its name in the
/// op table, or a part of a type ("padding", "dim_map", "strides", "shape", "type"); empty for the op itself.
Group group_of(const ir::Module& module, ir::OpId op, std::string_view part);

}  // namespace tileport::diff
