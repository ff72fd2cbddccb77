// SPDX-License-Identifier: Apache-2.0
#include "diff/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tileport::diff {

std::string_view name(FindingClass kind) {
  constexpr std::array<std::string_view, 8> kNames = {
      "mistranslation", "specialization_loss", "hint_value",  "source_semantics",
      "host_abi",       "compiler_limitation", "equivalence", "noise"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name(FindingSeverity severity) {
  constexpr std::array<std::string_view, 3> kNames = {"critical", "warning", "note"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::string_view name(Group group) {
  constexpr std::array<std::string_view, 17> kNames = {
      "memory_family", "tile_structure", "layout",     "addresses",     "masks",          "reductions",
      "mma",           "math",           "arithmetic", "control_flow",  "specialization", "divisibility",
      "bounds",        "hints",          "tokens",     "block_mapping", "dtype"};
  return kNames[static_cast<std::size_t>(group)];
}

std::string_view name(Side side) {
  constexpr std::array<std::string_view, 3> kNames = {"both", "reference", "port"};
  return kNames[static_cast<std::size_t>(side)];
}

std::string_view name(Owner owner) {
  constexpr std::array<std::string_view, 3> kNames = {"kernel", "host", "none"};
  return kNames[static_cast<std::size_t>(owner)];
}

std::string_view name(Effect effect) {
  constexpr std::array<std::string_view, 4> kNames = {"value", "code", "none", "unknown"};
  return kNames[static_cast<std::size_t>(effect)];
}

std::string_view name(Equality equality) {
  constexpr std::array<std::string_view, 3> kNames = {"equal", "equal_up_to", "differs"};
  return kNames[static_cast<std::size_t>(equality)];
}

std::string to_string(const Comparison& comparison) {
  std::string text;
  const auto add_site = [&](std::string_view side, const Site& site) {
    const std::string place = site.line == 0 ? std::string() : fmt::format("{}:{}  ", site.file, site.line);
    text += fmt::format("  {:9}  {}{}\n", side, place, site.path);
    if (!site.text.empty()) text += fmt::format("             {}\n", site.text);
  };
  for (const Finding& finding : comparison.findings) {
    text += fmt::format("{}: {} [{}: {}]\n", name(finding.severity), finding.message, name(finding.group),
                        name(finding.kind));
    add_site("reference", finding.reference);
    add_site("port", finding.port);
    if (!finding.fix.empty()) text += fmt::format("  fix        {}\n", finding.fix);
  }
  for (const Note& note : comparison.notes)
    text += fmt::format("note: {} x {}: {}\n", note.rule, note.count, note.message);
  return text + std::string(name(comparison.equality)) + "\n";
}

std::vector<RuleDescription> rules() {
  std::vector<RuleDescription> all;
  for (const RuleInfo& info : kRules) all.push_back({info.name, info.reason});
  return all;
}

std::vector<Note> notes_of(const RuleCounts& reference, const RuleCounts& port) {
  std::vector<Note> notes;
  for (const RuleInfo& info : kRules) {
    const std::uint32_t a = reference[info.rule];
    const std::uint32_t b = port[info.rule];
    if (a == b) continue;
    Note note;
    note.rule = info.name;
    note.count = std::max(a, b) - std::min(a, b);
    note.message = fmt::format("{} ({} in the reference, {} in the port)", info.reason, a, b);
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace tileport::diff
