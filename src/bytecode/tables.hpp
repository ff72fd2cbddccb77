// SPDX-License-Identifier: Apache-2.0
// The tables that everything else refers to: strings, types, constants.
//
// The reference reader looks at an entry only when something uses it, so a malformed entry that nothing uses
// is legal. Defects are kept with the entry and reported when it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tileport/ir/module.hpp>
#include <vector>

#include "bytecode/container.hpp"
#include "bytecode/cursor.hpp"

namespace tileport::bytecode {

/// What becomes of an entry whose offsets are not within the data, or whose end is before its start.
enum class Entries : std::uint8_t {
  checked,  ///< Its cursor has failed.
  clamped,  ///< It reaches to the end of the data; the reference reader treats strings so.
};

/// Splits a table "varint count, filler to `width`, count offsets of `width` bytes, items" into its items.
std::vector<Cursor> read_offset_table(Cursor& in, std::size_t width, Entries entries = Entries::checked);

class Tables {
 public:
  /// Fills the module's strings, types and constants.
  Tables(ir::Module& module, const Container& container, Cursor& errors);

  ir::StringId string(Cursor& in) const {
    return ir::StringId{in.table_index("string", module_.strings.size())};
  }
  /// A type of any kind; fails if its entry is malformed.
  ir::TypeId type(Cursor& in) const;
  ir::ConstantId constant(Cursor& in) const {
    return ir::ConstantId{in.table_index("constant", module_.constants.size())};
  }

  /// Fails unless the constant's bytes are one element or all elements of the tile type.
  void check_constant(Cursor& in, ir::ConstantId constant, ir::TypeId type, std::uint64_t at) const;

 private:
  void read_types(const Container& container, Cursor& errors);
  void read_constants(const Container& container, Cursor& errors);

  ir::Module& module_;
  std::vector<std::optional<Diagnostic>> bad_types_;  ///< Why an entry can't be used.
  std::vector<std::optional<Diagnostic>> bad_constants_;
};

}  // namespace tileport::bytecode
