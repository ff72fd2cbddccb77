// SPDX-License-Identifier: Apache-2.0
// Functions, their bodies, and globals.
#pragma once

#include <tileport/ir/module.hpp>

#include "bytecode/container.hpp"
#include "bytecode/cursor.hpp"
#include "bytecode/debug.hpp"
#include "bytecode/tables.hpp"

namespace tileport::bytecode {

void read_functions(ir::Module& module, const Tables& tables, DebugReader& debug, Cursor in, Cursor& errors);
void read_globals(ir::Module& module, const Tables& tables, Cursor in, Cursor& errors);

}  // namespace tileport::bytecode
