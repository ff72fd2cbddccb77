// SPDX-License-Identifier: Apache-2.0
#include "diff/entries.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

namespace tileport::diff {
namespace {

/// Regions nested deeper than this are no kernel: walking them could exhaust the stack.
constexpr std::uint32_t kDeepestRegion = 256;
/// Of a module's entries this many are told when none fits.
constexpr std::size_t kMostToldNames = 8;

Diagnostic diagnostic(const ir::Module& module, std::string_view side, std::string code, std::string message,
                      std::string advice) {
  Diagnostic made;
  made.code = std::move(code);
  made.message = fmt::format("{}: {}", side, message);
  made.place.file = module.file;
  made.advice = std::move(advice);
  return made;
}

/// Whether some block has more than kDeepestRegion regions around it. Parents have lower depth, so one climb
/// a block that stops at the limit is enough.
bool is_too_deep(const ir::Module& module) {
  for (std::uint32_t b = 0; b < module.blocks.size(); ++b) {
    ir::BlockId block{b};
    std::uint32_t depth = 0;
    while (ir::index(module.block(block).parent) != ir::kNone) {
      if (++depth > kDeepestRegion) return true;
      block = module.op(module.region(module.block(block).parent).parent).parent;
    }
  }
  return false;
}

Result<const ir::Function*> find_entry(const ir::Module& module, std::string_view side,
                                       const std::string& wanted) {
  std::vector<const ir::Function*> kernels;
  std::vector<std::string> names;
  for (const ir::Function& function : module.functions) {
    if (!function.is_kernel) continue;
    kernels.push_back(&function);
    if (names.size() < kMostToldNames) names.push_back(module.string(function.name));
  }
  if (kernels.size() > kMostToldNames) names.emplace_back("…");
  if (kernels.empty()) {
    return fail(diagnostic(module, side, "TP-D0001", "the module has no kernel",
                           "Compare modules that have at least one entry"));
  }
  if (wanted.empty() && kernels.size() > 1) {
    return fail(
        diagnostic(module, side, "TP-D0002",
                   fmt::format("the module has {} kernels: {}", kernels.size(), fmt::join(names, ", ")),
                   "Name the entry to compare, or compare all entries by pairs"));
  }
  if (is_too_deep(module)) {
    return fail(diagnostic(module, side, "TP-D0003",
                           fmt::format("regions are nested more than {} deep", kDeepestRegion),
                           "No front end emits such code; the file is probably damaged"));
  }
  if (wanted.empty()) return kernels.front();
  const ir::Function* found = nullptr;
  for (const ir::Function* kernel : kernels) {
    if (module.string(kernel->name) == wanted) found = found == nullptr ? kernel : found;
  }
  if (found != nullptr) return found;
  return fail(diagnostic(module, side, "TP-D0004",
                         fmt::format("there is no entry '{}'; there are: {}", wanted, fmt::join(names, ", ")),
                         "Name an entry of the module"));
}

}  // namespace

Result<Entries> find_entries(const ir::Module& reference, const ir::Module& port,
                             const CompareOptions& options) {
  const auto left = find_entry(reference, "reference", options.reference_entry);
  if (!left) return tl::unexpected<Diagnostics>(left.error());
  const auto right = find_entry(port, "port", options.port_entry);
  if (!right) return tl::unexpected<Diagnostics>(right.error());
  return Entries{*left, *right};
}

}  // namespace tileport::diff
