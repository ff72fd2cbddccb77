// SPDX-License-Identifier: Apache-2.0
// What would mend a finding: the Rust that says what the reference says at that place.
#include <algorithm>
#include <string>
#include <tileport/diff/compare.hpp>

namespace tileport::diff {
namespace {

/// A statement on one line, without what rustfmt put between its parts.
std::string one_line(const std::string& statement) {
  std::string line;
  bool space = false;
  for (const char c : statement) {
    if (c == ' ' || c == '\n') {
      space = !line.empty();
      continue;
    }
    if (space && line.back() != '(' && c != ')') line += ' ';
    // A list that was broken ends with a comma.
    if (space && c == ')' && line.back() == ',') line.pop_back();
    space = false;
    line += c;
  }
  return line;
}

std::string fix_of(const Finding& finding, const RustSource& reference) {
  const bool stated = ir::index(finding.reference.op) < reference.of_op.size();
  const std::string statement =
      stated ? one_line(reference.of_op[ir::index(finding.reference.op)]) : std::string();
  if (finding.group == Group::hints && !stated) return reference.attribute;
  if (finding.side == Side::port && finding.group != Group::hints)
    return "leave out what makes `" + finding.port.text + "`";
  if (finding.group == Group::specialization && !stated)
    return "give the entry the reference's parameters: what is constant there must not be left to the launch";
  return statement;
}

}  // namespace

void suggest(Comparison& comparison, const RustSource& reference) {
  for (Finding& finding : comparison.findings) finding.fix = fix_of(finding, reference);
}

}  // namespace tileport::diff
