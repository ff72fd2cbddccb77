// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tileport/mutation/mutation.hpp>
#include <tileport/verify/verify.hpp>

#include "mutation/kind_table.hpp"

namespace tileport::mutation {
namespace {

using ir::OpId;

const std::vector<KindRow>& rows() {
  static const std::vector<KindRow> all = [] {
    std::vector<KindRow> made;
    for (const auto& group : {attribute_kinds(), operand_kinds(), control_kinds(), type_kinds(), op_kinds(),
                              fact_kinds(), neutral_kinds()}) {
      made.insert(made.end(), group.begin(), group.end());
    }
    return made;
  }();
  return all;
}

/// The ops and what directly uses their results; assumes hand a value on. Ops that stand in no block any
/// more, or not yet, have no path.
std::vector<std::string> paths_of(const ir::Module& module, const std::vector<OpId>& changed) {
  std::set<OpId> ops(changed.begin(), changed.end());
  std::set<ir::ValueId> results;
  const auto add_results = [&](OpId op) {
    if (ir::index(op) >= module.ops.size()) return;
    for (std::uint32_t i = 0; i < module.op(op).results.count; ++i) results.insert(module.result(op, i));
  };
  for (const OpId op : changed) add_results(op);
  std::vector<std::string> paths;
  for (const ir::Function& function : module.functions) {
    if (!function.is_kernel) continue;
    ir::walk(module, function.body, [&](OpId op) {
      const bool uses = std::ranges::any_of(module.operands(op),
                                            [&](ir::ValueId value) { return results.contains(value); });
      if (uses && promises(*module.op(op).info)) add_results(op);
      if (uses || ops.contains(op)) paths.push_back(module.access_path(op));
    });
  }
  return paths;
}

}  // namespace

std::string_view name(Change change) {
  constexpr std::array<std::string_view, 4> kNames = {"value", "stronger_facts", "weaker_facts", "neutral"};
  return kNames[static_cast<std::size_t>(change)];
}

std::span<const Kind> kinds() {
  static const std::vector<Kind> all = [] {
    std::vector<Kind> made;
    for (const KindRow& row : rows()) made.push_back(row.kind);
    return made;
  }();
  return all;
}

std::vector<Site> sites(const ir::Module& module) {
  const Context context(module);
  std::vector<Site> found;
  for (const OpId op : context.ops()) {
    for (std::uint32_t kind = 0; kind < rows().size(); ++kind) {
      const std::uint32_t variants = rows()[kind].variants(context, op);
      for (std::uint32_t variant = 0; variant < variants; ++variant) found.push_back({kind, op, variant});
    }
  }
  return found;
}

std::optional<Mutant> mutate(const ir::Module& module, const Site& site) {
  const Context context(module);
  Mutant mutant;
  mutant.module = module;
  Edit edit(mutant.module, context);
  rows()[site.kind].apply(edit, site.op, site.variant);
  if (verify::has_errors(verify::verify(mutant.module))) return std::nullopt;
  std::vector<OpId> changed = edit.also;
  changed.push_back(site.op);
  mutant.original_paths = paths_of(module, changed);
  mutant.mutant_paths = paths_of(mutant.module, changed);
  if (context.is_first_of_kernel(site.op)) {
    mutant.original_paths.push_back("@" + module.string(module.function_of(site.op).name));
    mutant.mutant_paths.push_back(mutant.original_paths.back());
  }
  return mutant;
}

std::string describe(const ir::Module& module, const Site& site) {
  return fmt::format("{} of {}, variant {}", rows()[site.kind].kind.name, module.access_path(site.op),
                     site.variant);
}

}  // namespace tileport::mutation
