// SPDX-License-Identifier: Apache-2.0
// Reads Tile IR bytecode.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <tileport/core/diagnostic.hpp>
#include <tileport/ir/module.hpp>

namespace tileport::bytecode {

/// Reads one file's bytes. `file` only names it in diagnostics and in Module::file. Every malformed input
/// ends in a TP-B diagnostic with the byte offset; nothing is guessed.
Result<ir::Module> read(std::span<const std::byte> bytes, std::string file = {});

/// Opens and reads a file; TP-B0001 if it can't be opened.
Result<ir::Module> read_file(const std::string& path);

}  // namespace tileport::bytecode
