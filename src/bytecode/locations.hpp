// SPDX-License-Identifier: Apache-2.0
// Debug information: which source location each op of each function has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <tileport/ir/module.hpp>
#include <unordered_map>
#include <vector>

#include "bytecode/container.hpp"
#include "bytecode/cursor.hpp"
#include "bytecode/tables.hpp"

namespace tileport::bytecode {

class Locations {
 public:
  Locations(ir::Module& module, const Tables& tables, const Container& container, Cursor& errors);

  bool present() const { return present_; }
  std::size_t functions() const { return slices_.size(); }

  /// Starts on the locations of the function with this 1-based number; its own location comes first, then one
  /// an op in program order. Number 0: no locations follow.
  void enter_function(std::uint64_t number);
  /// The next location. `errors` gets the mistakes of the debug section, and a missing location at `at`.
  ir::LocationId next(Cursor& errors, std::uint64_t at);

 private:
  struct Slice {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  enum class Tag : std::uint8_t {
    unknown,
    compile_unit,
    file,
    lexical_block,
    location,
    subprogram,
    call_site
  };

  /// Reads an entry's tag and leaves `item` behind it. Id 0, and tags that don't exist, are "unknown".
  Tag open(std::uint64_t attribute, Cursor& errors, Cursor& item) const;
  /// Follows a reference to a scope, file or compile unit to its end; false, with an error, if something is
  /// wrong.
  bool check(std::uint64_t attribute, std::initializer_list<Tag> allowed, Cursor& errors, std::size_t depth);
  ir::LocationId resolve(std::uint64_t attribute, Cursor& errors, std::size_t depth);
  ir::LocationId read_location(Cursor& item, Cursor& errors);
  ir::LocationId read_call_site(Cursor& item, Cursor& errors, std::size_t depth);
  std::string function_of_scope(std::uint64_t attribute, Cursor& errors) const;
  std::string string(Cursor& in) const {
    const ir::StringId id = tables_.string(in);
    return in.ok() ? module_.string(id) : std::string();
  }

  ir::Module& module_;
  const Tables& tables_;
  bool present_ = false;
  std::vector<Slice> slices_;
  std::vector<std::uint64_t> ids_;
  std::vector<Cursor> entries_;
  std::vector<bool> checked_;  ///< Entries that `check` found good.
  std::unordered_map<std::uint64_t, ir::LocationId> resolved_;
  std::size_t position_ = 0;
  std::size_t end_ = 0;
  bool active_ = false;
};

}  // namespace tileport::bytecode
