// SPDX-License-Identifier: Apache-2.0
// Functions, globals, and the order of ops in bodies.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <tileport/ir/type_rules.hpp>
#include <tileport/text/print.hpp>
#include <unordered_set>

#include "verify/families.hpp"

namespace tileport::verify {
namespace {

using ir::BlockId;
using ir::OpId;

constexpr Rule kRules[] = {
    {"TP-V0003", "A value is defined before it is used, in the same body or one around it",
     "MLIR: dominance"},
    {"TP-V0004", "A body ends with a terminator, and no other op of it is one", "MLIR: terminators"},
    {"TP-V0005", "Attributes of a kernel's arguments are dictionaries, one each, whose keys name a dialect",
     "MLIR: FunctionOpInterface"},
    {"TP-V0006", "Kernels and globals have names of their own", "MLIR: SymbolTable"},
    {"TP-V0007", "A kernel takes tiles of rank 0 and gives nothing, and its body takes what its type says",
     "cuda-tile 13.3, EntryOp::verify; tileirdisasm 13.5.37"},
    {"TP-V0008", "Kernels are public", "tileirdisasm 13.5.37, observed"},
    {"TP-V0009", "A global is a tile of rank 1 of integers or floats", "cuda-tile 13.3, GlobalOp::verify"},
    {"TP-V0010", "A body takes no more arguments than its op gives it: none in if",
     "cuda-tile 13.3, Ops.td: NoRegionArguments"},
    {"TP-V0011", "Hints of a kernel or an op are a dictionary for each target",
     "cuda-tile 13.3, OptimizationHintsAttr::verify"},
    {"TP-V0012", "The bytes of a constant are one element or all elements of its type",
     "tileirdisasm 13.5.37, observed"},
};
constexpr const Rule& kDominance = kRules[0];
constexpr const Rule& kTerminator = kRules[1];
constexpr const Rule& kArgumentAttributes = kRules[2];
constexpr const Rule& kSymbols = kRules[3];
constexpr const Rule& kSignature = kRules[4];
constexpr const Rule& kPublic = kRules[5];
constexpr const Rule& kGlobal = kRules[6];
constexpr const Rule& kArguments = kRules[7];
constexpr const Rule& kHints = kRules[8];
constexpr const Rule& kConstant = kRules[9];

class Bodies {
 public:
  Bodies(Findings& findings, const ir::Module& module)
      : findings_(findings), module_(module), defined_(module.values.size()) {}

  /// `holder` is the op that the block belongs to, or "entry".
  void check(BlockId id, std::string_view holder) {
    const ir::Block& block = module_.block(id);
    define(block.arguments, true);
    for (OpId op : block.ops) check_op(op, op == block.ops.back(), holder);
    for (OpId op : block.ops) define(module_.op(op).results, false);
    define(block.arguments, false);
  }

 private:
  void define(ir::Range values, bool visible) {
    for (std::uint32_t v = values.first; v < values.first + values.count; ++v) defined_[v] = visible ? 1 : 0;
  }

  void check_op(OpId id, bool last, std::string_view holder) {
    const ir::Operation& op = module_.op(id);
    const auto operands = module_.operands(id);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (defined_[ir::index(operands[i])] != 0) continue;
      findings_.error(kDominance, id,
                      fmt::format("operand {} of {} is not defined before it", i, op.info->mnemonic));
    }
    const bool terminates = ir::has(op.info->traits, ir::Trait::terminator);
    if (last && !terminates) {
      findings_.error(kTerminator, id, fmt::format("the body of {} does not end with a terminator", holder));
    } else if (!last && terminates) {
      findings_.error(kTerminator, id, fmt::format("{} is not the last op of its body", op.info->mnemonic));
    }
    for (std::size_t r = 0; r < op.regions.count; ++r) {
      const auto body = module_.body(id, r);
      if (!body) continue;
      if (op.info->is("if") && module_.block(*body).arguments.count != 0) {
        findings_.error(kArguments, id, "the branches of an if take no arguments");
      }
      if (module_.block(*body).ops.empty()) {
        findings_.error(kTerminator, id, fmt::format("the body of {} is empty", op.info->mnemonic));
      }
      check(*body, op.info->mnemonic);
    }
    define(op.results, true);
  }

  Findings& findings_;
  const ir::Module& module_;
  std::vector<std::uint8_t> defined_;  ///< By ValueId: it may be used here.
};

bool are_hints(const ir::Module& module, const ir::Attribute& hints) {
  return hints.kind == ir::Attribute::Kind::optimization_hints &&
         std::ranges::all_of(hints.items, [&](ir::AttributeId item) {
           return module.attribute(item).kind == ir::Attribute::Kind::dictionary;
         });
}

bool are_argument_attributes(const ir::Module& module, const ir::Attribute& attributes) {
  return attributes.kind == ir::Attribute::Kind::array &&
         std::ranges::all_of(attributes.items, [&](ir::AttributeId id) {
           const ir::Attribute& item = module.attribute(id);
           return item.kind == ir::Attribute::Kind::dictionary &&
                  std::ranges::all_of(item.keys, [&](ir::StringId key) {
                    return module.string(key).find('.') != std::string::npos;
                  });
         });
}

void check_function(Findings& findings, const ir::Module& module, const ir::Function& function) {
  const std::string& name = module.string(function.name);
  const ir::Type& type = module.type(function.type);
  if (function.is_private) findings.error(kPublic, function, fmt::format("kernel '{}' is private", name));
  if (function.hints && !are_hints(module, module.attribute(*function.hints))) {
    findings.error(kHints, function, fmt::format("the hints of kernel '{}' are not hints", name));
  } else {
    check_hints(findings, module, function);
  }
  if (function.argument_attributes &&
      !are_argument_attributes(module, module.attribute(*function.argument_attributes))) {
    findings.error(
        kArgumentAttributes, function,
        fmt::format("attributes of the arguments of kernel '{}' must be dictionaries of \"dialect.name\"",
                    name));
  } else if (function.argument_attributes) {
    const std::size_t given = module.attribute(*function.argument_attributes).items.size();
    if (given != 0 && type.kind == ir::TypeKind::function && given != type.inputs.size()) {
      findings.error(
          kArgumentAttributes, function,
          fmt::format("kernel '{}' has {} arguments and attributes for {}", name, type.inputs.size(), given));
    }
  }
  if (type.kind != ir::TypeKind::function || !function.is_kernel) {
    findings.error(kSignature, function, fmt::format("'{}' is no kernel", name));
    return;
  }
  const auto scalar = [&](ir::TypeId id) {
    return module.type(id).kind == ir::TypeKind::tile && module.type(id).shape.empty();
  };
  if (!type.results.empty())
    findings.error(kSignature, function, fmt::format("kernel '{}' gives results", name));
  if (!std::ranges::all_of(type.inputs, scalar)) {
    findings.error(kSignature, function,
                   fmt::format("arguments of kernel '{}' must be tiles of rank 0", name));
  }
  const ir::Range arguments = module.block(function.body).arguments;
  bool good = arguments.count == type.inputs.size();
  for (std::uint32_t i = 0; i < arguments.count && good; ++i) {
    good = same(module, module.values[arguments.first + i].type, type.inputs[i]);
  }
  if (!good) {
    findings.error(kSignature, function,
                   fmt::format("the body of kernel '{}' does not take what its type says", name));
  }
  if (module.block(function.body).ops.empty()) {
    findings.error(kTerminator, function, fmt::format("the body of kernel '{}' is empty", name));
  }
}

bool fits(const ir::Module& module, const std::string& bytes, const ir::Type& tile) {
  return ir::fills_tile(bytes.size(), module.type(tile.element).kind, tile);
}

bool is_number_tile(const ir::Module& module, ir::TypeId id) {
  const ir::Type& type = module.type(id);
  return type.kind == ir::TypeKind::tile && ir::is_element(module.type(type.element).kind);
}

void check_global(Findings& findings, const ir::Module& module, const ir::Global& global) {
  const std::string& name = module.string(global.name);
  if (!is_number_tile(module, global.type)) {
    findings.error(kGlobal, global,
                   fmt::format("global '{}' must be a tile of integers or floats, got {}", name,
                               text::print(module, global.type)));
    return;
  }
  if (module.type(global.type).shape.size() != 1) {
    findings.error(
        kGlobal, global,
        fmt::format("global '{}' must be of rank 1, got {}", name, text::print(module, global.type)));
  }
  if (!fits(module, module.constants[static_cast<std::size_t>(global.value)], module.type(global.type))) {
    findings.error(kConstant, global, fmt::format("the bytes of global '{}' don't fit its type", name));
  }
}

void check_attributes(Findings& findings, const ir::Module& module, OpId id) {
  const ir::Operation& op = module.op(id);
  for (std::size_t i = 0; i < op.attributes.count; ++i) {
    const ir::AttributeSlot& slot = module.attribute_slots[op.attributes.first + i];
    if (!slot.present) continue;
    const ir::Encoding encoding = op.info->attributes[i].encoding;
    if (encoding == ir::Encoding::optimization_hints && are_hints(module, module.attributes[slot.word])) {
      check_hints(findings, Op(module, id));
    } else if (encoding == ir::Encoding::optimization_hints) {
      findings.error(kHints, id,
                     fmt::format("the hints of {} are not a dictionary for each target", op.info->mnemonic));
    } else if (encoding == ir::Encoding::constant) {
      const ir::TypeId type = module.value(module.result(id, 0)).type;
      if (is_number_tile(module, type) && !fits(module, module.constants[slot.word], module.type(type))) {
        findings.error(kConstant, id,
                       fmt::format("the bytes of {} don't fit its type {}", op.info->mnemonic,
                                   text::print(module, type)));
      }
    }
  }
}

}  // namespace

std::span<const Rule> structure_rules() { return kRules; }

void check_functions(Findings& findings, const ir::Module& module) {
  std::unordered_set<std::string_view> names;
  const auto claim = [&](ir::StringId id, const auto& owner) {
    if (names.insert(module.string(id)).second) return;
    findings.error(kSymbols, owner, fmt::format("the name '{}' is taken", module.string(id)));
  };
  for (const ir::Global& global : module.globals) {
    claim(global.name, global);
    check_global(findings, module, global);
  }
  for (const ir::Function& function : module.functions) {
    claim(function.name, function);
    check_function(findings, module, function);
  }
}

void check_structure(Findings& findings, const ir::Module& module) {
  Bodies bodies(findings, module);
  for (const ir::Function& function : module.functions) {
    bodies.check(function.body, "entry");
    ir::walk(module, function.body, [&](OpId id) { check_attributes(findings, module, id); });
  }
}

}  // namespace tileport::verify
