// SPDX-License-Identifier: Apache-2.0
// Locations and debug information. The bytecode knows places in a subprogram or block and call sites of them;
// MLIR knows more. What has no scope (a bare "file":1:2) is read and becomes unknown, as in NVIDIA's writer;
// a named location is what it names, a fused one is its first part that is known.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/codes.hpp"
#include "text/parse_attributes.hpp"

namespace tileport::text {
namespace {

using ir::DebugEntry;
using ir::DebugId;
using Kind = AttributeValue::Kind;
using Debug = ir::DebugEntry::Kind;

/// One "key = value" of a debug attribute.
struct Field {
  std::string_view owner;
  std::string_view key;
  DebugId DebugEntry::* reference = nullptr;
  std::uint32_t DebugEntry::* number = nullptr;
  ir::StringId DebugEntry::* name = nullptr;
};

constexpr Field kFields[] = {
    {"di_compile_unit", "file", &DebugEntry::file},
    {"di_lexical_block", "scope", &DebugEntry::scope},
    {"di_lexical_block", "file", &DebugEntry::file},
    {"di_lexical_block", "line", nullptr, &DebugEntry::line},
    {"di_lexical_block", "column", nullptr, &DebugEntry::column},
    {"di_subprogram", "file", &DebugEntry::file},
    {"di_subprogram", "line", nullptr, &DebugEntry::line},
    {"di_subprogram", "name", nullptr, nullptr, &DebugEntry::name},
    {"di_subprogram", "linkageName", nullptr, nullptr, &DebugEntry::other_name},
    {"di_subprogram", "compileUnit", &DebugEntry::scope},
    {"di_subprogram", "scopeLine", nullptr, &DebugEntry::scope_line},
};

/// The kinds that a reference may lead to.
bool may_refer(Debug from, DebugId DebugEntry::* field, Debug to) {
  if (field == &DebugEntry::file) return to == Debug::file;
  if (from == Debug::subprogram) return to == Debug::compile_unit;
  return to == Debug::subprogram || to == Debug::lexical_block;
}

}  // namespace

bool AttributeParser::location(DebugId& place_id) {
  AttributeValue read;
  read.token = in_.token();
  if (!in_.expect("loc") || !in_.expect("(") || !place(read, 0) || !in_.expect(")")) return false;
  place_id = read.debug;
  return true;
}

/// Fills `made` with kind debug (unknown included) or location.
bool AttributeParser::place(AttributeValue& made, std::size_t depth) {
  made.token = in_.token();
  if (depth >= ir::kMostFrames)
    return in_.error(code::kNesting, fmt::format("locations are nested more than {} deep", ir::kMostFrames),
                     made.token);
  made.kind = Kind::debug;
  if (in_.accept("unknown")) return true;
  if (in_.at("callsite")) return call_site(made, depth);
  if (in_.at("fused")) return fused(made, depth);
  if (in_.at("loc")) {
    in_.advance();
    return in_.expect("(") && place(made, depth + 1) && in_.expect(")");
  }
  if (in_.at(TokenKind::attribute)) {
    if (!value(made)) return false;
    if (made.kind == Kind::debug || made.kind == Kind::location) return true;
    return in_.error(code::kLocation, fmt::format("{} is no location", description(made.kind)), made.token);
  }
  if (!in_.at(TokenKind::string)) return in_.expected("a location");
  if (!string(made.text)) return false;
  if (in_.accept("(")) return place(made, depth + 1) && in_.expect(")");
  if (!in_.accept(":")) return true;
  std::array<std::int64_t, 2> numbers{};
  if (!types_.integer(numbers[0]) || !in_.expect(":") || !types_.integer(numbers[1])) return false;
  made.kind = Kind::location;
  made.numbers.assign(numbers.begin(), numbers.end());
  return true;
}

bool AttributeParser::call_site(AttributeValue& made, std::size_t depth) {
  const Token start = in_.take();
  AttributeValue callee;
  AttributeValue caller;
  if (!in_.expect("(") || !place(callee, depth + 1) || !in_.expect("at") || !place(caller, depth + 1) ||
      !in_.expect(")")) {
    return false;
  }
  made.token = start;
  made.debug = ir::index(callee.debug) == 0 ? caller.debug : callee.debug;
  if (ir::index(callee.debug) == 0 || ir::index(caller.debug) == 0) return true;
  return add_debug({.kind = Debug::call_site, .scope = callee.debug, .caller = caller.debug}, made);
}

bool AttributeParser::fused(AttributeValue& made, std::size_t depth) {
  in_.advance();
  if (in_.accept("<")) {
    AttributeValue metadata;
    if (!value(metadata, depth + 1) || !in_.expect(">")) return false;
  }
  if (!in_.expect("[")) return false;
  DebugId first{};
  do {
    AttributeValue part;
    if (!place(part, depth + 1)) return false;
    if (ir::index(first) == 0) first = part.debug;
  } while (in_.accept(","));
  made.kind = Kind::debug;
  made.debug = first;
  return in_.expect("]");
}

bool AttributeParser::add_debug(const DebugEntry& entry, AttributeValue& made) {
  std::uint32_t height = 0;
  for (DebugId id : {entry.scope, entry.file, entry.caller})
    height = std::max(height, context_.debug_heights[ir::index(id)]);
  if (height >= ir::kMostFrames) {
    return in_.error(code::kNesting,
                     fmt::format("debug information is nested more than {} deep", ir::kMostFrames),
                     made.token);
  }
  made.kind = Kind::debug;
  made.debug = context_.builder->debug(entry);
  context_.debug_heights.resize(context_.module->debug.size(), height + 1);
  return true;
}

bool AttributeParser::debug_reference(DebugId& to) {
  AttributeValue read;
  if (!value(read)) return false;
  if (read.kind != Kind::debug)
    return in_.error(code::kLocation, fmt::format("{} is no debug information", description(read.kind)),
                     read.token);
  to = read.debug;
  return true;
}

bool AttributeParser::debug_location(AttributeValue& made) {
  AttributeValue at;
  DebugEntry entry{.kind = Debug::location};
  const Token scope = in_.token();
  if (!place(at, 0) || !in_.expect("in") || !debug_reference(entry.scope)) return false;
  if (at.kind != Kind::location)
    return in_.error(code::kLocation, "a di_loc needs a file, a line and a column", at.token);
  if (!may_refer(Debug::location, &DebugEntry::scope, context_.module->debug_entry(entry.scope).kind))
    return in_.error(code::kLocation, "the scope of a di_loc must be a subprogram or a lexical block", scope);
  entry.name = context_.builder->string(at.text);
  entry.line = static_cast<std::uint32_t>(std::clamp<std::int64_t>(at.numbers[0], 0, UINT32_MAX));
  entry.column = static_cast<std::uint32_t>(std::clamp<std::int64_t>(at.numbers[1], 0, UINT32_MAX));
  return add_debug(entry, made);
}

bool AttributeParser::debug_field(std::string_view owner, DebugEntry& entry) {
  Token key;
  if (!in_.expect(TokenKind::identifier, "a key", key) || !in_.expect("=")) return false;
  if (owner == "di_subprogram" && key.text == "flags") {
    std::int64_t flags = 0;
    if (!types_.integer(flags)) return false;
    entry.flags = static_cast<std::uint64_t>(flags);
    return context_.need({13, 5}, "'flags' of a subprogram", key);
  }
  const auto field = std::ranges::find_if(
      kFields, [&](const Field& row) { return row.owner == owner && row.key == key.text; });
  if (field == std::end(kFields))
    return in_.error(code::kLocation, fmt::format("{} has no '{}'", owner, key.text), key);
  const Token at = in_.token();
  if (field->reference) {
    DebugId& to = entry.*field->reference;
    if (!debug_reference(to)) return false;
    if (may_refer(entry.kind, field->reference, context_.module->debug_entry(to).kind)) return true;
    return in_.error(code::kLocation, fmt::format("'{}' of a {} can't be this", key.text, owner), at);
  }
  if (field->number) {
    std::int64_t number = 0;
    if (!types_.integer(number)) return false;
    entry.*field->number = static_cast<std::uint32_t>(std::clamp<std::int64_t>(number, 0, UINT32_MAX));
    return true;
  }
  std::string text;
  if (!string(text)) return false;
  entry.*field->name = context_.builder->string(text);
  return true;
}

bool AttributeParser::debug_value(std::string_view name, AttributeValue& made) {
  if (!in_.expect("<")) return false;
  if (name == "di_loc") return debug_location(made) && in_.expect(">");
  DebugEntry entry;
  if (name == "di_file") {
    std::string file;
    std::string folder;
    if (!string(file) || !in_.expect("in") || !string(folder) || !in_.expect(">")) return false;
    entry.kind = Debug::file;
    entry.name = context_.builder->string(file);
    entry.other_name = context_.builder->string(folder);
    return add_debug(entry, made);
  }
  if (name == "di_compile_unit") {
    entry.kind = Debug::compile_unit;
  } else if (name == "di_subprogram") {
    entry.kind = Debug::subprogram;
    entry.name = entry.other_name = context_.builder->string("");
  } else if (name == "di_lexical_block") {
    entry.kind = Debug::lexical_block;
  } else {
    return in_.error(code::kLocation, fmt::format("'{}' is no debug information of Tile IR", name),
                     made.token);
  }
  do {
    if (!debug_field(name, entry)) return false;
  } while (in_.accept(","));
  for (const Field& field : kFields) {
    if (field.owner == name && field.reference && ir::index(entry.*field.reference) == 0)
      return in_.error(code::kLocation, fmt::format("a {} needs '{}'", name, field.key), made.token);
  }
  return in_.expect(">") && add_debug(entry, made);
}

}  // namespace tileport::text
