// SPDX-License-Identifier: Apache-2.0
// What a file holds that every reader passes over. The layout beside a module has it, because the faithful
// writer needs it.
#include <fmt/format.h>

#include <algorithm>
#include <tileport/bytecode/layout.hpp>

#include "verify/families.hpp"

namespace tileport::verify {
namespace {

using bytecode::Layout;

constexpr Rule kRules[] = {
    {"TP-V1201", "A section stands once (a warning)",
     "tileirdisasm 13.5.37, observed: it takes the last one"},
    {"TP-V1202", "No bytes stand where readers look at none (a warning)", "tileirdisasm 13.5.37, observed"},
    {"TP-V1203", "Numbers have their shortest form, flags and filler no ignored bits (a warning)",
     "tileirdisasm 13.5.37, observed"},
    {"TP-V1204", "Entries of a table follow one another without gap or overlap (a warning)",
     "tileirdisasm 13.5.37, observed"},
};
constexpr const Rule& kRepeated = kRules[0];
constexpr const Rule& kIgnoredBytes = kRules[1];
constexpr const Rule& kLongForm = kRules[2];
constexpr const Rule& kTable = kRules[3];

constexpr std::string_view kSections[] = {"end",      "string", "function", "debug",
                                          "constant", "type",   "global",   "producer"};

/// In the order of Layout::Item; those of which there are several first.
std::string_view name(Layout::Item item) {
  switch (item) {
    case Layout::Item::section:
      return "the head of section";
    case Layout::Item::strings:
      return "the table of strings";
    case Layout::Item::types:
      return "the table of types";
    case Layout::Item::constants:
      return "the table of constants";
    case Layout::Item::debug_entries:
      return "the table of debug entries";
    case Layout::Item::string:
      return "string";
    case Layout::Item::type:
      return "type";
    case Layout::Item::constant:
      return "constant";
    case Layout::Item::debug_entry:
      return "debug entry";
    case Layout::Item::functions:
      return "the function section";
    case Layout::Item::globals:
      return "the global section";
    case Layout::Item::debug:
      return "the debug section";
    case Layout::Item::producer:
      return "the producer section";
    case Layout::Item::function:
      return "function";
    case Layout::Item::global:
      return "global";
    case Layout::Item::op:
      break;
  }
  return "an op";
}

bool is_one_of_many(Layout::Item item) {
  switch (item) {
    case Layout::Item::section:
    case Layout::Item::string:
    case Layout::Item::type:
    case Layout::Item::constant:
    case Layout::Item::debug_entry:
    case Layout::Item::function:
    case Layout::Item::global:
      return true;
    default:
      return false;
  }
}

/// cuda-tile's own writer fills the function section up to a multiple of 8.
bool is_padding(const Layout::Deviation& deviation) {
  constexpr std::size_t kAlignment = 8;
  return deviation.item == Layout::Item::functions && deviation.bytes.size() < kAlignment &&
         std::ranges::all_of(deviation.bytes, [](char byte) { return byte == '\xCB'; });
}

/// The number of an f64 whose sign is in its 65th bit; TP-V0715 says it where it matters.
bool is_lost_sign(const Layout::Deviation& deviation) {
  constexpr std::size_t kLongest = 10;
  return deviation.bytes.size() == kLongest && (deviation.bytes.back() & 2) != 0;
}

}  // namespace

std::span<const Rule> layout_rules() { return kRules; }

void check_layout(Findings& findings, const ir::Module& module, const Layout& layout) {
  for (const Layout::Section& section : layout.sections) {
    if (!section.replaced) continue;
    findings.warning(kRepeated, fmt::format("the {} section stands more than once; the last one counts",
                                            kSections[section.id & 7]));
  }
  for (const auto& [item, table] : layout.tables) {
    findings.warning(kTable, fmt::format("entries of {} overlap, or leave bytes between them", name(item)));
  }
  for (const Layout::Deviation& deviation : layout.deviations) {
    if (is_padding(deviation) || is_lost_sign(deviation)) continue;
    const bool tail = deviation.place == Layout::kTail;
    const std::string where = is_one_of_many(deviation.item)
                                  ? fmt::format("{} {}", name(deviation.item), deviation.number)
                                  : std::string(name(deviation.item));
    const std::string message =
        tail ? fmt::format("{} bytes follow {}, which no reader looks at", deviation.bytes.size(), where)
             : fmt::format(
                   "{} is written in an unusual way: longer than needed, or with bits that no reader "
                   "looks at",
                   where);
    const Rule& rule = tail ? kIgnoredBytes : kLongForm;
    if (deviation.item == Layout::Item::op && deviation.number < module.ops.size()) {
      findings.warning(rule, ir::OpId{deviation.number}, message);
    } else {
      findings.warning(rule, message);
    }
  }
}

}  // namespace tileport::verify
