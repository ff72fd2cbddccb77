// SPDX-License-Identifier: Apache-2.0
// Reads the text form of Tile IR: what `print` writes, and the other forms in which MLIR tools write the same
// (docs/tile_ir.md lists them).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tileport/core/diagnostic.hpp>
#include <tileport/ir/builder.hpp>
#include <tileport/ir/module.hpp>
#include <vector>

namespace tileport::text {

struct ParseOptions {
  /// Names the text in diagnostics and in Module::file.
  std::string file{};
  /// The text does not say for which version it is. Nothing: 13.3, or the first later version that has all
  /// that is in the text. Otherwise whatever this version does not have is an error (TP-X0020).
  std::optional<ir::Version> version{};
};

/// Parses one module, or all of what stands outside of any. After an error it goes on with the next op, so
/// the diagnostics tell several; each has a line and a column (in bytes). What is well-formed but not valid
/// (an `addf` of integers, a `break` outside of a loop) is not its business. Time is linear in the size.
Result<ir::Module> parse(std::string_view text, const ParseOptions& options = {});

/// Parses a text with any number of modules.
Result<std::vector<ir::Module>> parse_modules(std::string_view text, const ParseOptions& options = {});

/// Opens and parses a file; TP-X0001 if it can't be opened.
Result<ir::Module> parse_file(const std::string& path, ParseOptions options = {});

/// One type, "tile<16x8xf32>", put into the module that a builder works on.
Result<ir::TypeId> parse_type(std::string_view text, ir::Builder& builder);

}  // namespace tileport::text
