// SPDX-License-Identifier: Apache-2.0
#include "text/locations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "text/literals.hpp"

namespace tileport::text {

using ir::DebugEntry;

Locations::Index Locations::thing_of(ir::DebugId id, std::size_t nesting) {
  if (things_of_[ir::index(id)] != kNew) return things_of_[ir::index(id)];
  const DebugEntry& entry = module_.debug_entry(id);
  Thing thing{.kind = Kind::unknown, .entry = &entry};
  const auto part = [&](ir::DebugId of) { thing.parts.push_back(thing_of(of, nesting + 1)); };
  // Entries that refer to themselves are none that a reader lets pass.
  const auto kind = nesting > 2 * ir::kMostFrames ? DebugEntry::Kind::unknown : entry.kind;
  switch (kind) {
    case DebugEntry::Kind::unknown:
      break;
    case DebugEntry::Kind::compile_unit:
      thing.kind = Kind::compile_unit;
      part(entry.file);
      break;
    case DebugEntry::Kind::file:
      thing.kind = Kind::file;
      break;
    case DebugEntry::Kind::lexical_block:
      thing.kind = Kind::lexical_block;
      part(entry.scope);
      part(entry.file);
      break;
    case DebugEntry::Kind::location:
      thing.kind = Kind::location;
      thing.parts.push_back(intern({.kind = Kind::place, .entry = &entry}));
      part(entry.scope);
      break;
    case DebugEntry::Kind::subprogram:
      thing.kind = Kind::subprogram;
      part(entry.file);
      part(entry.scope);
      break;
    case DebugEntry::Kind::call_site:
      thing.kind = Kind::call_site;
      part(entry.scope);
      part(entry.caller);
      break;
  }
  return things_of_[ir::index(id)] = intern(std::move(thing));
}

Locations::Index Locations::intern(Thing thing) {
  const DebugEntry& entry = *thing.entry;
  std::string key = fmt::format("{} {}", static_cast<int>(thing.kind), fmt::join(thing.parts, " "));
  const bool numbers =
      thing.kind == Kind::place || thing.kind == Kind::lexical_block || thing.kind == Kind::subprogram;
  if (numbers) key += fmt::format(" {} {} {} {}", entry.line, entry.column, entry.scope_line, entry.flags);
  const bool named = thing.kind == Kind::place || thing.kind == Kind::file || thing.kind == Kind::subprogram;
  if (named) key += " " + quoted(entry.name);
  if (named && thing.kind != Kind::place) key += quoted(entry.other_name);
  const auto [found, fresh] = by_content_.emplace(std::move(key), static_cast<Index>(things_.size()));
  if (fresh) things_.push_back(std::move(thing));
  return found->second;
}

std::uint32_t Locations::collect(Index index) {
  if (things_[index].depth != 0) return things_[index].depth;
  collected_.push_back(index);
  std::uint32_t deepest = 0;
  for (Index part : things_[index].parts) deepest = std::max(deepest, collect(part));
  return things_[index].depth = deepest + 1;
}

void Locations::number() {
  std::ranges::stable_sort(collected_, {}, [this](Index index) {
    return std::tuple(things_[index].depth, alias(things_[index].kind));
  });
  std::map<std::string_view, std::uint32_t> counters;
  for (Index index : collected_) things_[index].number = counters[alias(things_[index].kind)]++;
}

std::string_view Locations::alias(Kind kind) {
  switch (kind) {
    case Kind::compile_unit:
      return "di_compile_unit";
    case Kind::file:
      return "di_file";
    case Kind::lexical_block:
      return "di_lexical_block";
    case Kind::subprogram:
      return "di_subprogram";
    default:
      return "loc";
  }
}

std::string Locations::name(Index index) const {
  const Thing& thing = things_[index];
  std::string text = fmt::format("#{}", alias(thing.kind));
  if (thing.number != 0) text += fmt::to_string(thing.number);
  return text;
}

std::string Locations::quoted(ir::StringId id) const {
  std::string text = "\"";
  append_escaped(text, module_.string(id));
  return text + '"';
}

std::string Locations::definition(const Thing& thing) const {
  const DebugEntry& entry = *thing.entry;
  const auto part = [&](std::size_t i) { return name(thing.parts[i]); };
  switch (thing.kind) {
    case Kind::unknown:
      return "loc(unknown)";
    case Kind::compile_unit:
      return fmt::format("#cuda_tile.di_compile_unit<file = {}>", part(0));
    case Kind::file:
      return fmt::format("#cuda_tile.di_file<{} in {}>", quoted(entry.name), quoted(entry.other_name));
    case Kind::lexical_block:
      return fmt::format("#cuda_tile.di_lexical_block<scope = {}, file = {}, line = {}, column = {}>",
                         part(0), part(1), entry.line, entry.column);
    case Kind::place: {
      const bool named = !module_.string(entry.name).empty();
      return fmt::format("loc({}:{}:{})", named ? quoted(entry.name) : "\"-\"", entry.line, entry.column);
    }
    case Kind::location:
      return fmt::format("#cuda_tile.di_loc<{} in {}>", part(0), part(1));
    case Kind::subprogram: {
      std::string text = fmt::format(
          "#cuda_tile.di_subprogram<file = {}, line = {}, name = {}, linkageName = {}, compileUnit = {}",
          part(0), entry.line, quoted(entry.name), quoted(entry.other_name), part(1));
      if (entry.scope_line != 0) text += fmt::format(", scopeLine = {}", entry.scope_line);
      if (entry.flags != 0) text += ", flags = declaration";
      return text + '>';
    }
    case Kind::call_site:
      return fmt::format("loc(callsite({} at {}))", part(0), part(1));
  }
  return {};
}

void Locations::append_use(std::string& out, ir::DebugId id) {
  out += " loc(";
  out += name(thing_of(id));
  out += ')';
}

void Locations::append_definitions(std::string& out) const {
  for (Index index : collected_) out += fmt::format("{} = {}\n", name(index), definition(things_[index]));
}

}  // namespace tileport::text
