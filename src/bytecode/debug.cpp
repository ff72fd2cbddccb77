// SPDX-License-Identifier: Apache-2.0
//   debug := varint n functions, filler 4, n × u32 start of the function's slice in the list,
//            varint m, filler 8, m × u64 attribute ids (1-based, 0 = unknown), attribute table
//   entry := varint tag, its fields (format.hpp)
// The reference reader looks at an entry only when something uses it, so a malformed or dangling entry that
// nothing uses is legal. What follows an entry's last number is ignored.

#include "bytecode/debug.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "bytecode/codes.hpp"
#include "bytecode/format.hpp"

namespace tileport::bytecode {
namespace {

using ir::DebugEntry;
using ir::DebugId;
using Kind = ir::DebugEntry::Kind;

std::string missing_entry(std::uint64_t id, std::size_t entries) {
  return fmt::format("debug entry {} does not exist; the file has {}", id, entries - 1);
}

/// The reference reader takes no table at the very end of the section, not even an empty one.
void need_more(Cursor& in) {
  if (in.ok() && in.at_end()) in.fail(code::kTruncated, "the debug section ends before its tables do");
}

class EntryReader {
 public:
  EntryReader(Cursor& in, const Tables& tables, std::size_t entries)
      : in_(in), tables_(tables), entries_(entries) {}

  void reference(DebugId& id) {
    const std::uint64_t start = in_.offset();
    const std::uint64_t number = in_.varint();
    if (number >= entries_) in_.fail(code::kDebug, missing_entry(number, entries_), start);
    id = DebugId{static_cast<std::uint32_t>(number)};
  }
  void string(ir::StringId& id) { id = tables_.string(in_); }
  void number(std::uint32_t& number) {
    constexpr std::uint64_t kLargest = std::numeric_limits<std::uint32_t>::max();
    number = static_cast<std::uint32_t>(std::min(in_.varint(), kLargest));
  }
  void flags(std::uint64_t& flags) {
    const std::uint64_t start = in_.offset();
    flags = in_.varint();
    if (flags > kDeclaration)
      in_.fail(code::kFlags, fmt::format("a subprogram has unknown flags {:#x}", flags), start);
  }

 private:
  Cursor& in_;
  const Tables& tables_;
  std::size_t entries_;
};

}  // namespace

DebugReader::DebugReader(ir::Module& module, const Tables& tables, const Container& container, Cursor& errors)
    : module_(module), tables_(tables) {
  if (!container.section(SectionId::debug)) return;
  present_ = true;
  Cursor in = *container.section(SectionId::debug);
  starts_.resize(in.count("functions", 4));
  in.align(4);
  need_more(in);
  for (std::uint64_t& start : starts_) start = in.fixed(4);
  ids_.resize(in.count("locations", 8));
  in.align(8);
  need_more(in);
  for (std::uint64_t& id : ids_) id = in.fixed(8);
  for (std::size_t i = 0; i < starts_.size() && in.ok(); ++i) {
    const std::size_t last = i + 1 < starts_.size() ? starts_[i + 1] : ids_.size();
    if (starts_[i] > last || last > ids_.size()) {
      in.fail(code::kDebug, fmt::format("locations of function {} are out of range", i + 1), in.start());
    }
  }
  if (!in.ok()) {
    errors.adopt(in);
    return;
  }
  Cursor offsets = in;
  offsets.varint();
  offsets.align(kOffsetWidth);
  need_more(offsets);
  in.adopt(offsets);
  const OffsetTable table(in, kOffsetWidth);
  errors.adopt(in);
  module_.debug.resize(table.size() + std::size_t{1});
  heights_.resize(module_.debug.size());
  places_.resize(module_.debug.size());
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    Cursor entry = table.entry(i);
    places_[i + 1] = entry.start();
    read_entry(entry, i + 1);
  }
}

void DebugReader::read_entry(Cursor& in, std::uint32_t id) {
  DebugEntry entry;
  const std::uint64_t tag = in.varint();
  // A tag that doesn't exist is a place that isn't known, whatever follows it.
  if (tag <= static_cast<std::uint64_t>(Kind::call_site)) entry.kind = static_cast<Kind>(tag);
  EntryReader fields(in, tables_, module_.debug.size());
  debug_fields(fields, entry, module_.version);
  if (in.ok()) {
    module_.debug[id] = entry;
  } else {
    defects_.emplace(id, in.failure());
  }
}

void DebugReader::enter_function(std::uint64_t number) {
  active_ = number != 0;
  if (!active_) return;
  position_ = starts_[number - 1];
  end_ = number < starts_.size() ? starts_[number] : ids_.size();
}

DebugId DebugReader::next(Cursor& errors, std::uint64_t at) {
  if (!active_ || !errors.ok()) return DebugId{};
  if (position_ == end_) {
    errors.fail(code::kDebug, "the debug section has no location for this op", at);
    return DebugId{};
  }
  const std::uint64_t id = ids_[position_++];
  if (!check(id, {Kind::location, Kind::call_site, Kind::unknown}, errors, 0)) return DebugId{};
  return DebugId{static_cast<std::uint32_t>(id)};
}

bool DebugReader::check(std::uint64_t id, Kinds allowed, Cursor& errors, std::size_t depth) {
  if (id >= module_.debug.size()) {
    errors.fail(code::kDebug, missing_entry(id, module_.debug.size()));
    return false;
  }
  const auto number = static_cast<std::uint32_t>(id);
  if (const auto defect = defects_.find(number); defect != defects_.end()) {
    errors.fail(defect->second.code, defect->second.message, defect->second.place.offset);
    return false;
  }
  const DebugEntry& entry = module_.debug[number];
  if (std::ranges::find(allowed, entry.kind) == allowed.end()) {
    errors.fail(code::kDebug, fmt::format("debug entry {} is not what its user needs", id), places_[number]);
    return false;
  }
  if (heights_[number] != 0) return true;
  // The depth ends cycles; the height is the same whatever was checked before.
  std::uint32_t below = 0;
  const bool good = depth <= ir::kMostFrames && check_references(entry, errors, depth + 1, below);
  if (errors.ok() && (!good || below >= ir::kMostFrames)) {
    errors.fail(code::kDebug,
                fmt::format("more than {} scopes or call sites in one location", ir::kMostFrames),
                places_[number]);
  }
  heights_[number] = below + 1;
  return errors.ok();
}

bool DebugReader::check_references(const DebugEntry& entry, Cursor& errors, std::size_t depth,
                                   std::uint32_t& height) {
  const auto refers = [&](DebugId id, Kinds kinds) {
    if (!check(ir::index(id), kinds, errors, depth)) return false;
    height = std::max(height, heights_[ir::index(id)]);
    return true;
  };
  switch (entry.kind) {
    case Kind::unknown:
    case Kind::file:
      return true;
    case Kind::compile_unit:
      return refers(entry.file, {Kind::file});
    case Kind::lexical_block:
      return refers(entry.scope, {Kind::lexical_block, Kind::subprogram}) && refers(entry.file, {Kind::file});
    case Kind::location:
      return refers(entry.scope, {Kind::lexical_block, Kind::subprogram});
    case Kind::subprogram:
      return refers(entry.file, {Kind::file}) && refers(entry.scope, {Kind::compile_unit});
    case Kind::call_site:
      return refers(entry.scope, {Kind::location, Kind::call_site, Kind::unknown}) &&
             refers(entry.caller, {Kind::location, Kind::call_site, Kind::unknown});
  }
  return false;
}

}  // namespace tileport::bytecode
