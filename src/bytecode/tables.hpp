// SPDX-License-Identifier: Apache-2.0
// The tables that everything else refers to: strings, types, constants.
//
// The reference reader looks at an entry only when something uses it, so a malformed entry that nothing uses
// is legal. Defects are kept with the entry and reported when it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tileport/ir/module.hpp>
#include <unordered_map>
#include <vector>

#include "bytecode/container.hpp"
#include "bytecode/cursor.hpp"

namespace tileport::bytecode {

/// Why entries of a table can't be used, by their number.
using Defects = std::unordered_map<std::uint32_t, Diagnostic>;

/// What becomes of an entry whose offsets are not within the data, or whose end is before its start.
enum class Entries : std::uint8_t {
  checked,  ///< Its cursor has failed.
  clamped,  ///< It reaches to the end of the data; the reference reader treats strings so.
};

/// A table "varint count, filler to `width`, count offsets of `width` bytes, entries".
class OffsetTable {
 public:
  /// Takes all bytes that are left.
  OffsetTable(Cursor& in, std::size_t width, Entries entries = Entries::checked);

  std::uint32_t size() const { return static_cast<std::uint32_t>(offsets_.size()); }
  /// Where an entry begins in the file.
  std::uint64_t start(std::uint32_t number) const;
  Cursor entry(std::uint32_t number) const;

 private:
  std::size_t width_;
  Entries entries_;
  std::vector<std::uint64_t> offsets_;
  std::span<const std::byte> data_;
  std::uint64_t table_start_ = 0;
  std::uint64_t data_start_ = 0;
};

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
  Defects bad_types_;
  Defects bad_constants_;
};

}  // namespace tileport::bytecode
