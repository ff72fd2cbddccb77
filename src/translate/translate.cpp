// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tileport/translate/translate.hpp>

#include "translate/codes.hpp"
#include "translate/constants.hpp"
#include "translate/declarations.hpp"
#include "translate/entry.hpp"
#include "translate/reduction_tree.hpp"
#include "translate/source.hpp"

namespace tileport::translate {
namespace {

Diagnostic wrong(std::string_view code, const ir::Module* module, std::string message,
                 std::string advice = {}) {
  Diagnostic diagnostic{std::string(code), Severity::error, std::move(message), {}, std::move(advice)};
  if (module) diagnostic.place.file = module->file;
  return diagnostic;
}

/// The module's only kernel, or what is wrong.
Result<const ir::Function*> only_kernel(const Specialization& specialization) {
  const ir::Module& module = *specialization.module;
  const ir::Function* kernel = nullptr;
  for (const ir::Function& function : module.functions) {
    if (!function.is_kernel) continue;
    if (kernel) {
      return fail(wrong(code::kSeveralKernels, &module,
                        fmt::format("the module of {} has several kernels", specialization.name),
                        "translate modules with one kernel each"));
    }
    kernel = &function;
  }
  if (!kernel) {
    return fail(
        wrong(code::kNoKernel, &module, fmt::format("the module of {} has no kernel", specialization.name)));
  }
  return kernel;
}

Result<std::vector<const ir::Function*>> check(const std::vector<Specialization>& specializations) {
  std::vector<const ir::Function*> kernels;
  std::set<std::string_view> names;
  Diagnostics diagnostics;
  for (const Specialization& each : specializations) {
    for (const std::string& name : {each.name, each.kernel}) {
      if (is_identifier(name)) continue;
      diagnostics.push_back(wrong(code::kBadName, each.module,
                                  fmt::format("'{}' can't be the name of a Rust item", name),
                                  "use letters, digits and underscores, and no Rust keyword"));
    }
    if (!names.insert(each.name).second) {
      diagnostics.push_back(wrong(code::kDuplicateName, each.module,
                                  fmt::format("two specializations have the name {}", each.name)));
    }
    auto kernel = only_kernel(each);
    if (!kernel) {
      diagnostics.insert(diagnostics.end(), kernel.error().begin(), kernel.error().end());
      continue;
    }
    const auto arguments = each.module->block((*kernel)->body).arguments.count;
    if (!each.argument_names.empty() && each.argument_names.size() != arguments) {
      diagnostics.push_back(wrong(code::kArgumentNames, each.module,
                                  fmt::format("{} has {} arguments but {} argument names were given",
                                              each.name, arguments, each.argument_names.size())));
    }
    kernels.push_back(*kernel);
  }
  if (!diagnostics.empty()) return tl::unexpected(std::move(diagnostics));
  return kernels;
}

void write_header(Source& out, const std::string& header) {
  std::size_t start = 0;
  while (start < header.size()) {
    const std::size_t end = std::min(header.find('\n', start), header.size());
    const std::string line = header.substr(start, end - start);
    out.line(line.empty() ? "//" : "// " + line);
    start = end + 1;
  }
  // One statement an op, also for ops whose results nobody reads; names are the Python source's.
  out.line("#![allow(clippy::all, non_snake_case, unreachable_code, unsafe_op_in_unsafe_fn)]");
  out.line("#![allow(unused_assignments, unused_variables)]");
}

/// Why a kernel is refused. Paths are those of the module that was given, also where trees were put in.
Diagnostics diagnostics_of(const Specialization& specialization, const ir::Function& kernel,
                           const Options& options, const Entry& refused) {
  if (&refused.module() == specialization.module) return refused.diagnostics();
  Entry original(*specialization.module, kernel, specialization, options);
  original.translate();
  Diagnostics remaining = original.diagnostics();
  std::erase_if(remaining, [&](const Diagnostic& told) {
    return std::ranges::none_of(refused.diagnostics(),
                                [&](const Diagnostic& other) { return other.message == told.message; });
  });
  return remaining.empty() ? refused.diagnostics() : remaining;
}

}  // namespace

std::string kernel_name(const ir::Module& module) {
  const auto kernel = std::ranges::find(module.functions, true, &ir::Function::is_kernel);
  if (kernel == module.functions.end()) return "kernel";
  std::string name(module.source(kernel->location).function);
  if (name.empty()) {
    // cuTile Python mangles parameters and constants into the symbol, behind "_Kt" and a version.
    name = module.string(kernel->name);
    const std::size_t suffix = name.rfind("_Kt");
    if (suffix != std::string::npos && suffix != 0) name.resize(suffix);
  }
  return is_identifier(name) ? name : "kernel";
}

Result<Translation> translate(const std::vector<Specialization>& specializations, const Options& options) {
  const auto kernels = check(specializations);
  if (!kernels) return tl::unexpected(kernels.error());
  Translation result;
  std::vector<std::string> modules;                       // In order of first appearance.
  std::map<std::string, std::vector<std::string>> texts;  // Entries of each.
  std::map<std::string, std::set<Need>> needs;            // Of each module.
  bool with_bf16_trait = false;
  for (std::size_t i = 0; i < specializations.size(); ++i) {
    const Specialization& specialization = specializations[i];
    const ir::Function& kernel = *(*kernels)[i];
    const auto with_trees = with_reduction_trees(*specialization.module, kernel.body);
    Entry entry(with_trees ? *with_trees : *specialization.module, kernel, specialization, options);
    entry.translate();
    if (!entry.diagnostics().empty()) {
      result.refusals.push_back(
          {specialization.name, diagnostics_of(specialization, kernel, options, entry)});
      continue;
    }
    if (!texts.contains(specialization.kernel)) modules.push_back(specialization.kernel);
    texts[specialization.kernel].push_back(entry.source());
    needs[specialization.kernel].insert(entry.needs().begin(), entry.needs().end());
    with_bf16_trait = with_bf16_trait || entry.needs().contains(Need::bf16_trait);
    result.entries.push_back(specialization.name);
  }
  Source out;
  write_header(out, options.header);
  std::string source = out.str();
  if (with_bf16_trait) source += bf16_trait_declaration();
  for (const std::string& kernel : modules) {
    source += fmt::format("\n#[cutile::module]\npub mod {} {{\n    use cutile::core::*;\n", kernel);
    if (needs[kernel].contains(Need::tileir)) source += "    use cutile::tileir::*;\n";
    for (Need need : needs[kernel]) {
      if (const Declaration* declaration = find_declaration(need)) source += declaration->text;
    }
    for (const std::string& entry : texts[kernel]) source += "\n" + entry;
    source += "}\n";
  }
  result.source = std::move(source);
  return result;
}

}  // namespace tileport::translate
