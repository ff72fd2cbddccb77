// SPDX-License-Identifier: Apache-2.0
// Debug information: which source location each op of each function has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tileport/ir/module.hpp>
#include <unordered_map>
#include <vector>

#include "bytecode/container.hpp"
#include "bytecode/cursor.hpp"

namespace tileport::bytecode {

class Locations {
 public:
  Locations(ir::Module& module, const Container& container, Cursor& errors);

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

  ir::LocationId resolve(std::uint64_t attribute, Cursor& errors, std::size_t depth);
  ir::LocationId read_location(Cursor& item, Cursor& errors);
  ir::LocationId read_call_site(Cursor& item, Cursor& errors, std::size_t depth);
  std::string_view function_of_scope(std::uint64_t attribute, Cursor& errors);
  std::string_view string(Cursor& in) const;
  /// The entry with a 1-based id; false for 0 (unknown) and at a mistake.
  bool entry(std::uint64_t attribute, Cursor& errors, Cursor& item) const;

  ir::Module& module_;
  bool present_ = false;
  std::vector<Slice> slices_;
  std::vector<std::uint64_t> ids_;
  std::vector<Cursor> entries_;
  std::unordered_map<std::uint64_t, ir::LocationId> resolved_;
  std::size_t position_ = 0;
  std::size_t end_ = 0;
  bool active_ = false;
};

}  // namespace tileport::bytecode
