// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tileport/verify/verify.hpp>
#include <unordered_map>

#include "verify/access.hpp"
#include "verify/families.hpp"

namespace tileport::verify {
namespace {

FamilyRules of_family(ir::Family family) {
  switch (family) {
    case ir::Family::arith:
      return arith_rules();
    case ir::Family::math:
      return math_rules();
    case ir::Family::convert:
      return convert_rules();
    case ir::Family::shape:
      return shape_rules();
    case ir::Family::memory:
      return memory_rules();
    case ir::Family::atomic:
      return atomic_rules();
    case ir::Family::control:
      return control_rules();
    case ir::Family::view:
      return view_rules();
    case ir::Family::misc:
      break;
  }
  return misc_rules();
}

constexpr ir::Family kFamilies[] = {ir::Family::arith,   ir::Family::math,   ir::Family::convert,
                                    ir::Family::shape,   ir::Family::memory, ir::Family::atomic,
                                    ir::Family::control, ir::Family::view,   ir::Family::misc};

/// The functions of irregular ops, found once.
OpRule rule_of(const ir::OpInfo& info) {
  static const std::unordered_map<const ir::OpInfo*, OpRule> all = [] {
    std::unordered_map<const ir::OpInfo*, OpRule> map;
    for (const ir::OpInfo* each : ir::all_ops())
      map.emplace(each, of_family(each->family).find(each->mnemonic));
    return map;
  }();
  const auto found = all.find(&info);
  // A row that is not of the table: a test's.
  return found != all.end() ? found->second : of_family(info.family).find(info.mnemonic);
}

void check_op(Findings& findings, const ir::Module& module, ir::OpId id) {
  const Op op(module, id);
  check_version(findings, op);
  if (!check_row(findings, op)) return;
  if (const OpRule rule = rule_of(op.info)) rule(findings, op);
}

Diagnostics check(const ir::Module& module, const bytecode::Layout* layout, const Options& options) {
  Findings findings(module);
  if (!check_tables(findings, module)) return findings.take();
  if (layout) check_layout(findings, module, *layout);
  const std::size_t before = findings.size();
  check_types(findings, module);
  // Rules of ops rely on types that are good.
  if (findings.size() == before) {
    check_functions(findings, module);
    check_structure(findings, module);
    check_debug(findings, module);
    for (const ir::Function& function : module.functions) {
      ir::walk(module, function.body, [&](ir::OpId id) { check_op(findings, module, id); });
    }
    if (!options.target.empty()) check_target(findings, module, options.target);
  }
  Diagnostics all = findings.take();
  if (options.strict) {
    for (Diagnostic& finding : all) finding.severity = Severity::error;
  }
  return all;
}

}  // namespace

Diagnostics verify(const ir::Module& module, const Options& options) {
  return check(module, nullptr, options);
}

Diagnostics verify(const bytecode::Document& document, const Options& options) {
  return check(document.module, &document.layout, options);
}

Diagnostics verify(const ir::Module& module, const bytecode::Layout& layout, const Options& options) {
  return check(module, &layout, options);
}

bool has_errors(const Diagnostics& findings) {
  return std::ranges::any_of(findings, [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::span<const Rule> rules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> list;
    const auto add = [&](std::span<const Rule> some) { list.insert(list.end(), some.begin(), some.end()); };
    for (auto some : {table_rules(), structure_rules(), type_rules(), row_rules(), access_rules(),
                      debug_rules(), hint_rules(), target_rules(), layout_rules()})
      add(some);
    for (ir::Family family : kFamilies) add(of_family(family).rules);
    std::ranges::sort(list, {}, &Rule::code);
    return list;
  }();
  return all;
}

}  // namespace tileport::verify
