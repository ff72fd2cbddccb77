// SPDX-License-Identifier: Apache-2.0
// Debug information: a graph of entries in one flat table, and source places as views of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tileport/ir/type.hpp>

namespace tileport::ir {

/// Index into Module::debug, which is also the number of the entry in the bytecode; 0 is "unknown".
enum class DebugId : std::uint32_t {};

/// One entry. Members by kind, in the order of the bytecode:
///   unknown         nothing is known of the place
///   compile_unit    file
///   file            name, other_name = its directory
///   lexical_block   scope, file, line, column
///   location        scope, name = the file as the front end calls it, line, column
///   subprogram      file, line, name, other_name = the symbol, scope = the compile unit, scope_line,
///                   flags (since 13.5; 1 = declaration)
///   call_site       scope = the callee's place, caller
/// `scope` of a lexical block or location is a lexical block or subprogram. Readers check what functions and
/// ops use; an entry that nothing uses may refer to anything.
struct DebugEntry {
  enum class Kind : std::uint8_t {
    unknown,
    compile_unit,
    file,
    lexical_block,
    location,
    subprogram,
    call_site,
  };
  Kind kind = Kind::unknown;
  DebugId scope{};
  DebugId file{};
  DebugId caller{};
  StringId name{};
  StringId other_name{};
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t scope_line = 0;
  std::uint64_t flags = 0;

  friend bool operator==(const DebugEntry&, const DebugEntry&) = default;
};

/// A place in the front end's source, viewed in the module's tables; valid while the module is unchanged.
struct SourceLocation {
  std::string_view file{};      ///< Name as recorded, with directory if there is one.
  std::string_view function{};  ///< Innermost subprogram; may be empty.
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  bool known() const { return line != 0 || !file.empty(); }
};

/// Call sites that `Module::frames` follows, and scopes that a location may be nested in.
inline constexpr std::size_t kMostFrames = 256;

}  // namespace tileport::ir
