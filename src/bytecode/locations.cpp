// SPDX-License-Identifier: Apache-2.0
//   debug := varint n functions, filler 4, n × u32 start of the function's slice in the list,
//            varint m, filler 8, m × u64 attribute ids (1-based, 0 = unknown), attribute table
//   entry := varint tag, then by tag
//     unknown
//     compile unit    file
//     file            name, directory
//     lexical block   scope, file, line, column
//     location        scope, file name, line, column
//     subprogram      file, line, name, linkage name, compile unit, scope line [13.5: flags]
//     call site       callee, caller

#include "bytecode/locations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bytecode/codes.hpp"
#include "bytecode/tables.hpp"

namespace tileport::bytecode {
namespace {

using ir::LocationId;

/// Bounds the copies of call chains: writers nest callers, which are shared, and hardly ever callees, which
/// are copied.
constexpr std::size_t kLocationsPerEntry = 16;

std::uint32_t narrow(std::uint64_t number) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(number, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

Locations::Locations(ir::Module& module, const Tables& tables, const Container& container, Cursor& errors)
    : module_(module), tables_(tables) {
  if (!container.section(SectionId::debug)) return;
  present_ = true;
  Cursor in = *container.section(SectionId::debug);
  slices_.resize(in.count("functions", 4));
  in.align(4);
  for (Slice& slice : slices_) slice.first = in.fixed(4);
  ids_.resize(in.count("locations", 8));
  in.align(8);
  for (std::uint64_t& id : ids_) id = in.fixed(8);
  for (std::size_t i = 0; i < slices_.size() && in.ok(); ++i) {
    slices_[i].last = i + 1 < slices_.size() ? slices_[i + 1].first : ids_.size();
    if (slices_[i].first > slices_[i].last || slices_[i].last > ids_.size()) {
      in.fail(code::kDebug, fmt::format("locations of function {} are out of range", i + 1), in.start());
    }
  }
  if (in.ok()) entries_ = read_offset_table(in, 4);
  checked_.resize(entries_.size());
  errors.adopt(in);
}

void Locations::enter_function(std::uint64_t number) {
  active_ = number != 0;
  if (!active_) return;
  position_ = slices_[number - 1].first;
  end_ = slices_[number - 1].last;
}

LocationId Locations::next(Cursor& errors, std::uint64_t at) {
  if (!active_ || !errors.ok()) return LocationId{};
  if (position_ == end_) {
    errors.fail(code::kDebug, "the debug section has no location for this op", at);
    return LocationId{};
  }
  return resolve(ids_[position_++], errors, 0);
}

Locations::Tag Locations::open(std::uint64_t attribute, Cursor& errors, Cursor& item) const {
  if (attribute == 0 || !errors.ok()) return Tag::unknown;
  if (attribute > entries_.size()) {
    errors.fail(code::kDebug,
                fmt::format("debug entry {} does not exist; the file has {}", attribute, entries_.size()));
    return Tag::unknown;
  }
  item = entries_[attribute - 1];
  const std::uint64_t tag = item.varint();
  errors.adopt(item);
  return tag <= static_cast<std::uint64_t>(Tag::call_site) ? static_cast<Tag>(tag) : Tag::unknown;
}

bool Locations::check(std::uint64_t attribute, std::initializer_list<Tag> allowed, Cursor& errors,
                      std::size_t depth) {
  Cursor item({}, 0);
  const Tag tag = open(attribute, errors, item);
  if (!errors.ok()) return false;
  if (std::ranges::find(allowed, tag) == allowed.end() || depth > kLongestCallChain) {
    errors.fail(code::kDebug, fmt::format("debug entry {} is not what its user needs", attribute),
                item.start());
    return false;
  }
  if (checked_[attribute - 1]) return true;
  const auto reference = [&](std::initializer_list<Tag> kinds) {
    const std::uint64_t id = item.varint();
    errors.adopt(item);
    return errors.ok() && check(id, kinds, errors, depth + 1);
  };
  bool good = true;
  switch (tag) {
    case Tag::compile_unit:
      good = reference({Tag::file});
      break;
    case Tag::file:
      string(item);
      string(item);
      break;
    case Tag::lexical_block:
      good = reference({Tag::lexical_block, Tag::subprogram}) && reference({Tag::file});
      item.varint();
      item.varint();
      break;
    case Tag::subprogram:
      good = reference({Tag::file});
      item.varint();
      string(item);
      string(item);
      good = good && reference({Tag::compile_unit});
      item.varint();
      break;
    default:
      break;
  }
  errors.adopt(item);
  if (!good || !errors.ok()) return false;
  checked_[attribute - 1] = true;
  return true;
}

LocationId Locations::resolve(std::uint64_t attribute, Cursor& errors, std::size_t depth) {
  if (const auto known = resolved_.find(attribute); known != resolved_.end()) return known->second;
  Cursor item({}, 0);
  const Tag tag = open(attribute, errors, item);
  if (!errors.ok()) return LocationId{};
  if (depth > kLongestCallChain) {
    errors.fail(code::kDebug, fmt::format("more than {} call sites in one location", kLongestCallChain),
                item.start());
    return LocationId{};
  }
  LocationId result{};
  switch (tag) {
    case Tag::unknown:
      break;
    case Tag::location:
      result = read_location(item, errors);
      break;
    case Tag::call_site:
      result = read_call_site(item, errors, depth);
      break;
    default:
      item.fail(code::kDebug, fmt::format("debug entry {} is not a location", attribute), item.start());
      break;
  }
  errors.adopt(item);
  resolved_.emplace(attribute, result);
  return result;
}

LocationId Locations::read_location(Cursor& item, Cursor& errors) {
  const std::uint64_t scope = item.varint();
  ir::SourceLocation location;
  location.file = string(item);
  location.line = narrow(item.varint());
  location.column = narrow(item.varint());
  if (!item.ok() || !check(scope, {Tag::lexical_block, Tag::subprogram}, errors, 0)) return LocationId{};
  location.function = function_of_scope(scope, errors);
  module_.locations.push_back(std::move(location));
  return LocationId{static_cast<std::uint32_t>(module_.locations.size() - 1)};
}

LocationId Locations::read_call_site(Cursor& item, Cursor& errors, std::size_t depth) {
  const std::uint64_t callee = item.varint();
  const std::uint64_t caller = item.varint();
  if (!item.ok()) return LocationId{};
  LocationId inner = resolve(callee, errors, depth + 1);
  const LocationId outer = resolve(caller, errors, depth + 1);
  // The callee may be used by other call sites: copy its chain, and hang the caller to the end of the copy.
  LocationId head{};
  std::uint32_t last = 0;
  std::size_t length = 0;
  for (; ir::index(inner) != 0 && errors.ok(); inner = module_.locations[ir::index(inner)].inlined_at) {
    if (++length > kLongestCallChain || module_.locations.size() > kLocationsPerEntry * entries_.size()) {
      errors.fail(code::kDebug, "too many call sites in one location", item.start());
      return LocationId{};
    }
    module_.locations.push_back(ir::SourceLocation(module_.locations[ir::index(inner)]));
    const auto copy = static_cast<std::uint32_t>(module_.locations.size() - 1);
    if (last == 0) {
      head = LocationId{copy};
    } else {
      module_.locations[last].inlined_at = LocationId{copy};
    }
    last = copy;
  }
  if (last == 0) return outer;
  module_.locations[last].inlined_at = outer;
  return head;
}

std::string Locations::function_of_scope(std::uint64_t attribute, Cursor& errors) const {
  Cursor item({}, 0);
  while (open(attribute, errors, item) == Tag::lexical_block) attribute = item.varint();
  item.varint();
  item.varint();
  return string(item);
}

}  // namespace tileport::bytecode
