// SPDX-License-Identifier: Apache-2.0
// Ops that a generated module declares itself, as `cutile::core` declares its own.
//
// cutile's compiler learns how to compile a call from the attribute `cuda_tile::op` of the function that is
// called, wherever that is declared. Where the declaration in `cutile::core` says less than the op can and
// the compiler knows, a declaration of our own says it: the op is exact, and nothing is rewritten.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "translate/entry.hpp"

namespace tileport::translate {

struct Declaration {
  std::string_view function;
  std::string_view text;  ///< Rust, indented for a module's body.
};

/// Null for needs that are no op.
const Declaration* find_declaration(Need need);

/// Marks the op as needed and gives the name of its function.
std::string declared(Entry& entry, Need need);

/// Whether a variable of this name would hide the function of a declaration.
bool is_declared(std::string_view name);

}  // namespace tileport::translate
