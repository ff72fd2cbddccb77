// SPDX-License-Identifier: Apache-2.0
// Debug information: the module's debug table, and which entry each op of each function has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <tileport/ir/module.hpp>
#include <vector>

#include "bytecode/container.hpp"
#include "bytecode/cursor.hpp"
#include "bytecode/tables.hpp"

namespace tileport::bytecode {

class DebugReader {
 public:
  /// Fills the module's debug table.
  DebugReader(ir::Module& module, const Tables& tables, const Container& container, Cursor& errors);

  bool present() const { return present_; }
  std::size_t functions() const { return starts_.size(); }

  /// Starts on the locations of the function with this 1-based number; its own location comes first, then one
  /// an op in program order. Number 0: no locations follow.
  void enter_function(std::uint64_t number);
  /// The next location. `errors` gets the mistakes of the debug section, and a missing location at `at`.
  ir::DebugId next(Cursor& errors, std::uint64_t at);

 private:
  using Kinds = std::initializer_list<ir::DebugEntry::Kind>;

  void read_entry(Cursor& in, std::uint32_t id);
  /// Follows everything that an entry refers to. False, with an error, if it isn't one of the kinds that its
  /// user needs, if it is malformed, or if anything that it refers to is so.
  bool check(std::uint64_t id, Kinds allowed, Cursor& errors, std::size_t depth);
  bool check_references(const ir::DebugEntry& entry, Cursor& errors, std::size_t depth,
                        std::uint32_t& height);

  ir::Module& module_;
  const Tables& tables_;
  bool present_ = false;
  std::vector<std::uint64_t> starts_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::uint64_t> places_;   ///< Where each entry begins in the file.
  Defects defects_;                     ///< Why an entry can't be used.
  std::vector<std::uint32_t> heights_;  ///< Of checked entries: how deep references go; 0 = not checked.
  std::size_t position_ = 0;
  std::size_t end_ = 0;
  bool active_ = false;
};

}  // namespace tileport::bytecode
