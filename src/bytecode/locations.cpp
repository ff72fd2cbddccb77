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

enum class DebugTag : std::uint64_t {
  unknown,
  compile_unit,
  file,
  lexical_block,
  location,
  subprogram,
  call_site
};

/// Bounds the copies of call chains: writers nest callers, which are shared, and hardly ever callees, which
/// are copied.
constexpr std::size_t kLocationsPerEntry = 16;

std::uint32_t narrow(std::uint64_t number) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(number, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

Locations::Locations(ir::Module& module, const Container& container, Cursor& errors) : module_(module) {
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

bool Locations::entry(std::uint64_t attribute, Cursor& errors, Cursor& item) const {
  if (attribute == 0) return false;
  if (attribute > entries_.size()) {
    errors.fail(code::kDebug,
                fmt::format("debug entry {} does not exist; the file has {}", attribute, entries_.size()));
    return false;
  }
  item = entries_[attribute - 1];
  return true;
}

LocationId Locations::resolve(std::uint64_t attribute, Cursor& errors, std::size_t depth) {
  if (const auto known = resolved_.find(attribute); known != resolved_.end()) return known->second;
  Cursor item({}, 0);
  if (!entry(attribute, errors, item)) return LocationId{};
  if (depth > kLongestCallChain) {
    errors.fail(code::kDebug, fmt::format("more than {} call sites in one location", kLongestCallChain),
                item.start());
    return LocationId{};
  }
  LocationId result{};
  switch (static_cast<DebugTag>(item.varint())) {
    case DebugTag::location:
      result = read_location(item, errors);
      break;
    case DebugTag::call_site:
      result = read_call_site(item, errors, depth);
      break;
    case DebugTag::compile_unit:
    case DebugTag::file:
    case DebugTag::lexical_block:
    case DebugTag::subprogram:
      item.fail(code::kDebug, fmt::format("debug entry {} is not a location", attribute), item.start());
      break;
    default:
      break;  // The unknown location; the reference reader takes every unknown tag for it.
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
  if (item.ok()) location.function = function_of_scope(scope, errors);
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

std::string_view Locations::function_of_scope(std::uint64_t attribute, Cursor& errors) {
  Cursor item({}, 0);
  for (std::size_t depth = 0; depth < kLongestCallChain && entry(attribute, errors, item); ++depth) {
    switch (static_cast<DebugTag>(item.varint())) {
      case DebugTag::lexical_block:
        attribute = item.varint();
        break;
      case DebugTag::subprogram: {
        item.varint();
        item.varint();
        const std::string_view name = string(item);
        errors.adopt(item);
        return name;
      }
      default:
        return {};
    }
  }
  return {};
}

std::string_view Locations::string(Cursor& in) const {
  const std::uint32_t number = in.table_index("string", module_.strings.size());
  return in.ok() ? std::string_view(module_.strings[number]) : std::string_view{};
}

}  // namespace tileport::bytecode
