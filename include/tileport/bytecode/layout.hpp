// SPDX-License-Identifier: Apache-2.0
// What a bytecode file holds beyond its module: the order of sections, filler, numbers in longer forms than
// needed, ignored bits and bytes. With it a module is written back byte for byte.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tileport::bytecode {

/// Deviations are kept with the item that they stand in, so that changes of other items don't move them.
struct Layout {
  enum class Item : std::uint8_t {
    section,  ///< The header of the n-th section.
    strings,  ///< The head of a table: its count and filler.
    types,
    constants,
    debug_entries,
    string,  ///< One entry of a table.
    type,
    constant,
    debug_entry,
    functions,  ///< Counts and ignored bytes of a section.
    globals,
    debug,
    producer,
    function,
    global,
    op,
  };

  struct Section {
    std::uint8_t id = 0;
    bool aligned = false;
    std::uint64_t alignment = 1;
    /// The payload of a section that a later one of the same id replaces: nothing in the module is its.
    std::optional<std::string> replaced{};
  };

  /// Bytes that are not what the plain encoding of `value` would be: a number in a longer form, ignored bits,
  /// filler (`value` is its length). Used again while the module still says `value`.
  struct Deviation {
    Item item = Item::section;
    std::uint32_t number = 0;  ///< Which section, entry, function or op.
    std::uint32_t place = 0;   ///< The how manieth number, byte or filler of the item; kTail.
    std::uint64_t value = 0;
    std::string bytes;
  };
  /// `place` of ignored bytes that follow everything else in an item.
  static constexpr std::uint32_t kTail = std::numeric_limits<std::uint32_t>::max();

  /// A table whose entries don't follow one another without gap or overlap.
  struct Table {
    std::vector<std::uint64_t> offsets;
    std::string data;
  };

  /// Locations of functions and ops, where they are not one slice a function in the order of functions.
  struct Slices {
    std::vector<std::uint64_t> of_functions;  ///< The 1-based number of each function's slice; 0 = none.
    std::vector<std::uint64_t> starts;        ///< Where each slice begins in `ids`.
    std::vector<std::uint64_t> ids;           ///< Debug entries, those that nothing uses included.
  };

  std::vector<Section> sections;
  std::vector<Deviation> deviations;  ///< Sorted by item, number and place.
  std::map<Item, Table> tables;       ///< By the item of the table's head.
  std::optional<Slices> slices;
  /// Older versions don't write the token that print_tko makes; its type may then be in the module only.
  /// Both 0 if the type table of the module is the file's.
  std::uint32_t types_in_file = 0;
  std::uint32_t types_in_module = 0;
};

}  // namespace tileport::bytecode
