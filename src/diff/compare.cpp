// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <tileport/diff/compare.hpp>
#include <tileport/text/print.hpp>
#include <utility>

#include "diff/align.hpp"
#include "diff/entries.hpp"
#include "diff/graph.hpp"
#include "diff/hints.hpp"
#include "diff/rules.hpp"
#include "diff/site.hpp"

namespace tileport::diff {
namespace {

void compare_parameters(const ir::Module& a, const ir::Function& in_a, const ir::Module& b,
                        const ir::Function& in_b, std::vector<Finding>& findings) {
  const auto& left = a.type(in_a.type).inputs;
  const auto& right = b.type(in_b.type).inputs;
  Finding finding;
  finding.group = Group::specialization;
  finding.effect = Effect::value;
  finding.reference = entry_site(a, in_a);
  finding.port = entry_site(b, in_b);
  if (left.size() != right.size()) {
    // More parameters: something that the reference was specialized for is left to the launch.
    finding.kind =
        right.size() > left.size() ? FindingClass::specialization_loss : FindingClass::mistranslation;
    finding.message = fmt::format("the entry has {} parameters in the reference, {} in the port", left.size(),
                                  right.size());
    findings.push_back(finding);
    return;
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (ir::same_type(a, left[i], b, right[i])) continue;
    finding.message = fmt::format("parameter {} is {} in the reference, {} in the port", i,
                                  text::print(a, left[i]), text::print(b, right[i]));
    findings.push_back(finding);
  }
}

/// Attributes of parameters: from bytecode 13.5 on.
void compare_parameter_attributes(const ir::Module& a, const ir::Function& in_a, const ir::Module& b,
                                  const ir::Function& in_b, std::vector<Finding>& findings) {
  const auto text = [](const ir::Module& module, const ir::Function& function) {
    const bool given =
        function.argument_attributes && !module.attribute(*function.argument_attributes).items.empty();
    return given ? attribute_text(module, *function.argument_attributes) : std::string("none");
  };
  if (text(a, in_a) == text(b, in_b)) return;
  Finding finding;
  finding.group = Group::specialization;
  finding.message = fmt::format("attributes of the parameters are {} in the reference, {} in the port",
                                text(a, in_a), text(b, in_b));
  finding.reference = entry_site(a, in_a);
  finding.port = entry_site(b, in_b);
  findings.push_back(std::move(finding));
}

void compare_files(const ir::Module& a, const ir::Function& in_a, const ir::Module& b,
                   const ir::Function& in_b, RuleCounts& counts) {
  const auto producer = [](const ir::Module& module) {
    return module.producer ? module.string(*module.producer) : std::string();
  };
  if (a.string(in_a.name) != b.string(in_b.name)) counts.add(Rule::entry_name);
  if (a.version != b.version) counts.add(Rule::bytecode_version);
  if (producer(a) != producer(b)) counts.add(Rule::producer);
}

Finding unexplained(const ir::Module& a, const ir::Function& in_a, const ir::Module& b,
                    const ir::Function& in_b) {
  Finding finding;
  finding.effect = Effect::value;
  finding.message = "the kernels compute different values; the ops that differ could not be paired";
  finding.reference = entry_site(a, in_a);
  finding.port = entry_site(b, in_b);
  return finding;
}

}  // namespace

Result<Comparison> compare(const ir::Module& reference, const ir::Module& port,
                           const CompareOptions& options) {
  const auto entries = find_entries(reference, port, options);
  if (!entries) return tl::unexpected<Diagnostics>(entries.error());
  const ir::Function* const left = entries->reference;
  const ir::Function* const right = entries->port;
  Interner interner;
  Graph a(reference, *left, interner);
  Graph b(port, *right, interner);
  Comparison result;
  compare_parameters(reference, *left, port, *right, result.findings);
  const bool same_values = a.content == b.content && result.findings.empty();
  compare_parameter_attributes(reference, *left, port, *right, result.findings);

  Alignment alignment(a, b, options.target);
  alignment.run();
  std::ranges::move(alignment.findings, std::back_inserter(result.findings));
  // Lost hints and weaker facts don't explain other values.
  const bool explained = std::ranges::any_of(result.findings, [](const Finding& finding) {
    return finding.effect == Effect::value || (finding.kind == FindingClass::specialization_loss &&
                                               finding.severity == FindingSeverity::critical);
  });
  if (!same_values && !explained) result.findings.push_back(unexplained(reference, *left, port, *right));
  // What is wrong before what is slow, each in the order in which it was found.
  std::ranges::stable_sort(result.findings, {},
                           [](const Finding& finding) { return std::pair(finding.severity, finding.kind); });

  compare_files(reference, *left, port, *right, b.counts);
  result.notes = notes_of(a.counts, b.counts);
  result.equality = !result.findings.empty() ? Equality::differs
                    : result.notes.empty()   ? Equality::equal
                                             : Equality::equal_up_to;
  return result;
}

}  // namespace tileport::diff
