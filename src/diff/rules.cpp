// SPDX-License-Identifier: Apache-2.0
#include "diff/rules.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tileport::diff {

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
