// SPDX-License-Identifier: Apache-2.0
// Entries of the type table.
#pragma once

#include <cstddef>
#include <tileport/core/diagnostic.hpp>
#include <tileport/ir/module.hpp>
#include <vector>

#include "bytecode/cursor.hpp"
#include "bytecode/tables.hpp"

namespace tileport::bytecode {

/// Reads one entry. Ids are checked against `table_size` only: an entry may refer to a later one.
ir::Type read_type(Cursor& in, ir::Version version, std::size_t table_size);

/// Checks what the entries refer to (a pointer's element, a view's tensor_view …) and tile shapes. Fills
/// `bad`, also for entries that refer to bad ones. No cycle survives: every kind may only refer to simpler
/// kinds.
void check_types(const std::vector<ir::Type>& types, Defects& bad, const OffsetTable& table);

}  // namespace tileport::bytecode
