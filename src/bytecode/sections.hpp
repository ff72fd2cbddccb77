// SPDX-License-Identifier: Apache-2.0
// From a container to a module.
#pragma once

#include <tileport/core/diagnostic.hpp>
#include <tileport/ir/module.hpp>

#include "bytecode/container.hpp"

namespace tileport::bytecode {

/// Reads the sections of a file; diagnostics and module don't name the file yet.
Result<ir::Module> read_sections(const Container& container);

}  // namespace tileport::bytecode
