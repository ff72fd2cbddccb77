// SPDX-License-Identifier: Apache-2.0
// Gives places in a source to ops of modules that tests build.
#pragma once

#include <string>
#include <tileport/ir/module.hpp>
#include <utility>

namespace debug_entries {

namespace ir = tileport::ir;

inline ir::StringId string(ir::Module& module, std::string text) {
  module.strings.push_back(std::move(text));
  return ir::StringId{static_cast<std::uint32_t>(module.strings.size() - 1)};
}

inline ir::DebugId add(ir::Module& module, const ir::DebugEntry& entry) {
  module.debug.push_back(entry);
  return ir::DebugId{static_cast<std::uint32_t>(module.debug.size() - 1)};
}

/// A place in `function` of `file`, with all entries that it needs.
inline ir::DebugId place(ir::Module& module, const std::string& file, const std::string& function,
                         std::uint32_t line, std::uint32_t column = 0) {
  using Kind = ir::DebugEntry::Kind;
  const ir::StringId name = string(module, file);
  const ir::StringId symbol = string(module, function);
  const auto in = add(module, {.kind = Kind::file, .name = name, .other_name = string(module, "")});
  const auto unit = add(module, {.kind = Kind::compile_unit, .file = in});
  const auto scope = add(module, {.kind = Kind::subprogram,
                                  .scope = unit,
                                  .file = in,
                                  .name = symbol,
                                  .other_name = symbol,
                                  .line = line,
                                  .scope_line = line});
  return add(module, {.kind = Kind::location, .scope = scope, .name = name, .line = line, .column = column});
}

}  // namespace debug_entries
