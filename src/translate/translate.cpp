// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <set>
#include <tileport/translate/translate.hpp>

#include "translate/codes.hpp"
#include "translate/constants.hpp"
#include "translate/declarations.hpp"
#include "translate/entry.hpp"
#include "translate/reduction_tree.hpp"
#include "translate/source.hpp"
#include "translate/variants.hpp"

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
  Entry original(*specialization.module, kernel, {specialization.argument_names}, options);
  original.translate();
  Diagnostics remaining = original.diagnostics();
  std::erase_if(remaining, [&](const Diagnostic& told) {
    return std::ranges::none_of(refused.diagnostics(),
                                [&](const Diagnostic& other) { return other.message == told.message; });
  });
  return remaining.empty() ? refused.diagnostics() : remaining;
}

/// The element types behind an entry's pointers, in order: "f16_f32"; the three first tell entries apart well
/// enough.
std::string dtypes(const ir::Module& module, const ir::Function& kernel) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> all;
  for (std::uint32_t i = 0; i < module.block(kernel.body).arguments.count && all.size() < kMost; ++i) {
    const ir::Type& type = module.type_of(module.argument(kernel.body, i));
    if (type.kind != ir::TypeKind::tile) continue;
    const ir::Type& pointer = module.type(type.element);
    if (pointer.kind != ir::TypeKind::pointer) continue;
    std::string name(element_name(module.type(pointer.element).kind));
    if (std::ranges::find(all, name) == all.end()) all.push_back(std::move(name));
  }
  return join(all, "_");
}

/// Translates kernel by kernel and puts the file together.
class Translator {
 public:
  Translator(const std::vector<Specialization>& specializations,
             const std::vector<const ir::Function*>& kernels, const Options& options)
      : specializations_(specializations), kernels_(kernels), options_(options) {}

  void add(const std::string& kernel, const std::vector<std::size_t>& members) {
    std::vector<Marked> marked;
    for (const std::size_t i : members) {
      if (auto text = mark(i)) marked.push_back(std::move(*text));
    }
    if (marked.empty()) return;
    texts_ += fmt::format("\n#[cutile::module]\npub mod {} {{\n    use cutile::core::*;\n", kernel);
    std::set<Need> needs;
    std::string entries;
    for (const Group& each : options_.generic ? group(marked, specializations_) : alone(marked)) {
      const Entry entry = write(kernel, each);
      needs.insert(entry.needs().begin(), entry.needs().end());
      entries += "\n" + entry.source();
    }
    with_bf16_trait_ = with_bf16_trait_ || needs.contains(Need::bf16_trait);
    if (needs.contains(Need::tileir)) texts_ += "    use cutile::tileir::*;\n";
    for (Need need : needs) {
      if (const Declaration* declaration = find_declaration(need)) texts_ += declaration->text;
    }
    texts_ += entries + "}\n";
  }

  Translation take() {
    Source out;
    write_header(out, options_.header);
    result_.source = out.str() + std::string(with_bf16_trait_ ? bf16_trait_declaration() : "") + texts_;
    return std::move(result_);
  }

 private:
  /// Nothing after a refusal.
  std::optional<Marked> mark(std::size_t i) {
    const Specialization& specialization = specializations_[i];
    const ir::Function& kernel = *kernels_[i];
    const auto with_trees = with_reduction_trees(*specialization.module, kernel.body);
    const ir::Module& module = with_trees ? *with_trees : *specialization.module;
    Entry entry(module, kernel, {specialization.argument_names}, options_, Literals::marked());
    entry.translate();
    if (entry.diagnostics().empty())
      return Marked{i, entry.source(), entry.read_literals(), entry.instance_hints()};
    if (!specialization.is_variation) {
      result_.refusals.push_back(
          {specialization.name, diagnostics_of(specialization, kernel, options_, entry)});
    }
    return std::nullopt;
  }

  static std::vector<Group> alone(const std::vector<Marked>& marked) {
    std::vector<Group> groups;
    for (const Marked& each : marked) {
      groups.push_back({{&each}, {}, std::vector(each.literals.size(), Group::kNoGeneric)});
    }
    return groups;
  }

  Entry write(const std::string& kernel, const Group& each) {
    const std::size_t first = each.captured(specializations_)->specialization;
    const Specialization& specialization = specializations_[first];
    const ir::Function& function = *kernels_[first];
    Variant variant{options_.generic ? variant_name(kernel, specialization, function) : specialization.name,
                    kernel,
                    each.generics,
                    {},
                    {},
                    false};
    std::vector<std::string> written(each.generic_of.size());
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (each.generic_of[i] != Group::kNoGeneric) written[i] = each.generics[each.generic_of[i]].name;
    }
    variant.has_hints_by_instance = !each.has_same_hints();
    for (const Marked* member : each.members) {
      const Specialization& of = specializations_[member->specialization];
      auto& instances = of.is_variation ? variant.variations : variant.instances;
      instances.push_back({of.name, each.values(*member), {}});
      if (variant.has_hints_by_instance) instances.back().hints = member->hints;
    }
    const auto with_trees = with_reduction_trees(*specialization.module, function.body);
    const ir::Module& module = with_trees ? *with_trees : *specialization.module;
    Entry entry(module, function, {specialization.argument_names, &variant}, options_,
                Literals::written(std::move(written), each.captured(specializations_)->literals));
    entry.translate();
    assert(entry.diagnostics().empty() && "what was refused has no text with marks");
    result_.variants.push_back(std::move(variant));
    return entry;
  }

  std::string variant_name(const std::string& kernel, const Specialization& specialization,
                           const ir::Function& function) {
    const std::string types = dtypes(*specialization.module, function);
    const std::string stem = types.empty() ? kernel : kernel + "_" + types;
    std::string name = stem;
    for (unsigned number = 2; !variant_names_.insert(name).second; ++number) {
      name = fmt::format("{}_{}", stem, number);
    }
    return name;
  }

  const std::vector<Specialization>& specializations_;
  const std::vector<const ir::Function*>& kernels_;
  const Options& options_;
  Translation result_;
  std::string texts_;
  std::set<std::string> variant_names_;
  bool with_bf16_trait_ = false;
};

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

Statements statements(const ir::Module& module, const ir::Function& kernel) {
  const std::vector<std::string> no_names;
  const Options options;
  Entry entry(module, kernel, {no_names}, options);
  entry.translate();
  Statements all{entry.entry_attribute(), entry.statements()};
  // The function of a reduction or scan is one closure, or has a word of its own: reduce_sum. What is written
  // where it is used first stands with the op that uses it.
  std::vector<ir::OpId> ops;
  std::vector<std::optional<ir::OpId>> first_user(module.ops.size());
  ir::walk(module, kernel.body, [&](ir::OpId op) {
    ops.push_back(op);
    for (const ir::ValueId operand : module.operands(op)) {
      const auto producer = module.producer_of(operand);
      if (producer && !first_user[ir::index(*producer)]) first_user[ir::index(*producer)] = op;
    }
    const auto around = module.parent_op(op);
    if (around && (module.op(*around).info->is("reduce") || module.op(*around).info->is("scan")))
      all.of_op[ir::index(op)] = all.of_op[ir::index(*around)];
  });
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    std::string& own = all.of_op[ir::index(*op)];
    if (const auto user = first_user[ir::index(*op)]; user && own.empty()) own = all.of_op[ir::index(*user)];
  }
  return all;
}

Result<Translation> translate(const std::vector<Specialization>& specializations, const Options& options) {
  const auto kernels = check(specializations);
  if (!kernels) return tl::unexpected(kernels.error());
  Translator translator(specializations, *kernels, options);
  std::vector<std::string> order;  // Of first appearance.
  std::map<std::string, std::vector<std::size_t>> of_kernel;
  for (std::size_t i = 0; i < specializations.size(); ++i) {
    auto& members = of_kernel[specializations[i].kernel];
    if (members.empty()) order.push_back(specializations[i].kernel);
    members.push_back(i);
  }
  for (const std::string& kernel : order) translator.add(kernel, of_kernel[kernel]);
  return translator.take();
}

}  // namespace tileport::translate
