// SPDX-License-Identifier: Apache-2.0
// Source places as the text writes them: " loc(#loc7)" behind ops, and definitions of all aliases at the end.
//
// Aliases are MLIR's. Everything that a place is made of has one: files, compile units, scopes, the bare
// place in a file, the place in its scope, call sites. Equal contents are one thing, whatever their entries.
// Things are collected in the order in which the text needs them first, a whole before its parts; then sorted
// by how deep their parts go and by the kind's name, and numbered for each name in that order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tileport/ir/module.hpp>
#include <unordered_map>
#include <vector>

namespace tileport::text {

class Locations {
 public:
  explicit Locations(const ir::Module& module) : module_(module), things_of_(module.debug.size(), kNew) {}

  /// Something is printed that has this place.
  void collect(ir::DebugId id) { collect(thing_of(id)); }
  /// Gives numbers to all that was collected.
  void number();

  /// " loc(#loc7)"; collected and numbered before.
  void append_use(std::string& out, ir::DebugId id);
  void append_definitions(std::string& out) const;

 private:
  /// Sorted by the names of their aliases.
  enum class Kind : std::uint8_t {
    compile_unit,
    file,
    lexical_block,
    subprogram,
    unknown,
    place,  ///< File, line and column of a location.
    location,
    call_site,
  };
  using Index = std::uint32_t;
  static constexpr Index kNew = 0xFFFFFFFF;

  struct Thing {
    Kind kind = Kind::unknown;
    const ir::DebugEntry* entry = nullptr;
    std::vector<Index> parts{};  ///< In the order of the text.
    std::uint32_t depth = 0;     ///< 0: not collected.
    std::uint32_t number = 0;
  };

  Index thing_of(ir::DebugId id, std::size_t nesting = 0);
  Index intern(Thing thing);
  std::uint32_t collect(Index index);
  static std::string_view alias(Kind kind);
  std::string name(Index index) const;
  std::string definition(const Thing& thing) const;
  std::string quoted(ir::StringId id) const;

  const ir::Module& module_;
  std::vector<Thing> things_;
  std::vector<Index> things_of_;  ///< By debug entry.
  std::unordered_map<std::string, Index> by_content_;
  std::vector<Index> collected_;
};

}  // namespace tileport::text
