// SPDX-License-Identifier: Apache-2.0
// Control flow, and ops whose body is a function of elements.
#include <fmt/format.h>

#include <algorithm>
#include <tileport/text/print.hpp>

#include "verify/dispatch.hpp"
#include "verify/families.hpp"

namespace tileport::verify {
namespace {

using ir::BlockId;
using ir::OpId;
using ir::TypeId;
using ir::TypeKind;

constexpr Rule kRules[] = {
    {"TP-V0701", "The induction variable of a for has the type of its bounds",
     "cuda-tile 13.3, ForOp::verifyRegions"},
    {"TP-V0702", "The body of a loop takes its initial values", "cuda-tile 13.3, verifyLoopIterValues"},
    {"TP-V0703", "Loops carry, and loops and ifs give, no views",
     "cuda-tile 13.3, verifyLoopIterValues, IfOp::verify"},
    {"TP-V0704", "Each branch of an if yields what the if gives", "cuda-tile 13.3, IfOp::verify"},
    {"TP-V0705", "An if that gives something has both branches", "cuda-tile 13.3, IfOp::verify"},
    {"TP-V0706", "break and continue stand in a loop, with only ifs between",
     "cuda-tile 13.3, verifyEarlyExitOp"},
    {"TP-V0707", "break gives what its loop gives; continue gives the values of the next iteration",
     "cuda-tile 13.3, BreakOp::verify, ContinueOp::verify"},
    {"TP-V0708", "return gives nothing, and stands in no for", "tileirdisasm 13.5.37, observed"},
    {"TP-V0709", "reduce and scan have operands, and a result each", "cuda-tile 13.3, verifyAggregateOp"},
    {"TP-V0710", "There is one identity an operand, of its element type",
     "cuda-tile 13.3, verifyAggregateOp"},
    {"TP-V0711", "reduce and scan work along a dimension that exists", "cuda-tile 13.3, verifyAggregateOp"},
    {"TP-V0712", "The result of a reduce is its operand without the dimension",
     "cuda-tile 13.3, ReduceOp::inferReturnTypes"},
    {"TP-V0713", "The body of reduce and scan takes two elements of each operand, and yields one of each",
     "cuda-tile 13.3, verifyAggregateOpRegions"},
    {"TP-V0714", "The body of reduce and scan has no effect beyond its result",
     "tileirdisasm 13.5.37, observed"},
    {"TP-V0715",
     "Identities of f64 have the sign that cuda-tile meant: 1.7.0 writes negative ones with a 65th bit, "
     "which readers drop (a warning)",
     "cuda-tile 1.7.0, observed in its bytecode and in machine code"},
};
constexpr const Rule& kInduction = kRules[0];
constexpr const Rule& kCarried = kRules[1];
constexpr const Rule& kNoViews = kRules[2];
constexpr const Rule& kYields = kRules[3];
constexpr const Rule& kElse = kRules[4];
constexpr const Rule& kEarlyExit = kRules[5];
constexpr const Rule& kExitTypes = kRules[6];
constexpr const Rule& kReturn = kRules[7];
constexpr const Rule& kOperands = kRules[8];
constexpr const Rule& kIdentities = kRules[9];
constexpr const Rule& kDimension = kRules[10];
constexpr const Rule& kReduced = kRules[11];
constexpr const Rule& kBody = kRules[12];
constexpr const Rule& kEffectFree = kRules[13];
constexpr const Rule& kSignLost = kRules[14];

std::vector<TypeId> types_of(const Op& op, const Values& values) {
  std::vector<TypeId> types;
  for (std::size_t i = 0; i < values.size(); ++i) types.push_back(op.module.value(values[i]).type);
  return types;
}

std::vector<TypeId> argument_types(const Op& op, std::size_t first) {
  std::vector<TypeId> types;
  if (const auto body = op.module.body(op.id)) {
    const std::uint32_t count = op.module.block(*body).arguments.count;
    for (std::size_t i = first; i < count; ++i) {
      types.push_back(op.module.value(op.module.argument(*body, i)).type);
    }
  }
  return types;
}

bool same_types(const Op& op, const std::vector<TypeId>& a, const std::vector<TypeId>& b) {
  return std::ranges::equal(a, b, [&](TypeId x, TypeId y) { return same(op.module, x, y); });
}

std::string types_text(const Op& op, const std::vector<TypeId>& types) {
  std::string result;
  for (TypeId type : types) {
    if (!result.empty()) result += ", ";
    result += text::print(op.module, type);
  }
  return "(" + result + ")";
}

void check_no_views(Findings& findings, const Op& op, const std::vector<TypeId>& types,
                    std::string_view what) {
  for (TypeId id : types) {
    const TypeKind kind = op.module.type(id).kind;
    if (kind != TypeKind::tensor_view && !ir::is_view(kind)) continue;
    findings.error(kNoViews, op, fmt::format("{} {} a {}", op.mnemonic(), what, ir::keyword(kind)),
                   "make the view where it is used");
    return;
  }
}

void check_carried(Findings& findings, const Op& op, std::size_t first_argument) {
  const auto initial = types_of(op, op.values("initValues"));
  const auto carried = argument_types(op, first_argument);
  if (!same_types(op, initial, carried)) {
    findings.error(kCarried, op,
                   fmt::format("{} starts with {}, its body takes {}", op.mnemonic(), types_text(op, initial),
                               types_text(op, carried)));
  }
  check_no_views(findings, op, carried, "carries");
  check_no_views(findings, op, types_of(op, op.values("result_types")), "gives");
}

void for_(Findings& findings, const Op& op) {
  const auto arguments = argument_types(op, 0);
  const TypeId bound = op.module.value(op.values("lowerBound")[0]).type;
  if (arguments.empty() || !same(op.module, arguments[0], bound)) {
    findings.error(
        kInduction, op,
        fmt::format("for counts in {}, its body takes {}", op.text("lowerBound"), types_text(op, arguments)));
  }
  check_carried(findings, op, 1);
}

void loop(Findings& findings, const Op& op) { check_carried(findings, op, 0); }

void check_branch(Findings& findings, const Op& op, BlockId block, std::string_view name) {
  const auto& ops = op.module.block(block).ops;
  if (ops.empty() || !op.module.op(ops.back()).info->is("yield")) return;
  const Op yield(op.module, ops.back());
  const auto yielded = types_of(op, yield.values("operands"));
  const auto results = types_of(op, op.values("result_types"));
  if (same_types(op, yielded, results)) return;
  findings.error(kYields, op,
                 fmt::format("if gives {}, its {} branch yields {}", types_text(op, results), name,
                             types_text(op, yielded)));
}

void if_(Findings& findings, const Op& op) {
  check_no_views(findings, op, types_of(op, op.values("result_types")), "gives");
  if (const auto then = op.module.body(op.id, 0)) check_branch(findings, op, *then, "then");
  if (const auto otherwise = op.module.body(op.id, 1)) {
    check_branch(findings, op, *otherwise, "else");
  } else if (!op.values("result_types").empty()) {
    findings.error(kElse, op, "an if that gives something needs an else branch");
  }
}

/// The loop that an early exit leaves or continues: the nearest op above that is no if. Nothing at function
/// level.
std::optional<OpId> enclosing(const Op& op) {
  auto above = op.parent();
  while (above && op.module.op(*above).info->is("if")) above = op.module.parent_op(*above);
  return above;
}

void check_exit_types(Findings& findings, const Op& op, const std::vector<TypeId>& wanted) {
  const auto given = types_of(op, op.values("operands"));
  if (same_types(op, given, wanted)) return;
  findings.error(
      kExitTypes, op,
      fmt::format("{} must give {}, got {}", op.mnemonic(), types_text(op, wanted), types_text(op, given)));
}

void break_(Findings& findings, const Op& op) {
  const auto above = enclosing(op);
  if (!above || !op.module.op(*above).info->is("loop")) {
    findings.error(kEarlyExit, op, "break stands in no loop");
    return;
  }
  const Op loop(op.module, *above);
  check_exit_types(findings, op, types_of(loop, loop.values("result_types")));
}

void continue_(Findings& findings, const Op& op) {
  const auto above = enclosing(op);
  const bool loops = above && (op.module.op(*above).info->is("loop") || op.module.op(*above).info->is("for"));
  if (!loops) {
    findings.error(kEarlyExit, op, "continue stands in no for or loop");
    return;
  }
  const Op loop(op.module, *above);
  check_exit_types(findings, op,
                   types_of(loop, loop.values(loop.mnemonic() == "for" ? "result_types" : "initValues")));
}

void return_(Findings& findings, const Op& op) {
  if (!op.values("operands").empty()) {
    findings.error(kReturn, op, "return gives something, but kernels give nothing");
  }
  for (auto above = op.parent(); above; above = op.module.parent_op(*above)) {
    const std::string_view name = op.module.op(*above).info->mnemonic;
    if (name == "if" || name == "loop") continue;
    findings.error(kReturn, op, fmt::format("return stands in a {}", name),
                   "return from a loop or an if, or make the rest of the body conditional");
    return;
  }
}

/// Whether an op and everything below it only computes: assumes, for example, do not count as such.
bool is_effect_free(const ir::Module& module, OpId id) {
  const ir::Operation& op = module.op(id);
  if (op.regions.count == 0) return ir::has(op.info->traits, ir::Trait::pure) || op.info->is("yield");
  for (std::size_t i = 0; i < op.regions.count; ++i) {
    const auto body = module.body(id, i);
    if (!body) continue;
    for (OpId inner : module.block(*body).ops) {
      if (!is_effect_free(module, inner)) return false;
    }
  }
  return true;
}

void check_identities(Findings& findings, const Op& op) {
  const Values operands = op.values("operands");
  const auto& identities = op.module.tagged(op.id, "identities")->items;
  if (identities.size() != operands.size()) {
    findings.error(kIdentities, op,
                   fmt::format("{} has {} operands and {} identities", op.mnemonic(), operands.size(),
                               identities.size()));
    return;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const ir::Attribute& identity = op.module.attribute(identities[i]);
    const bool number =
        identity.kind == ir::Attribute::Kind::integer || identity.kind == ir::Attribute::Kind::floating;
    const TypeKind wanted = op.element_type(op.module.type_of(operands[i])).kind;
    const TypeKind got = number ? op.module.type(identity.type).kind : TypeKind::token;
    const auto half = [](TypeKind kind) { return kind == TypeKind::f16 || kind == TypeKind::bf16; };
    if (identity.sign_lost) {
      findings.warning(
          kSignLost, op.id,
          fmt::format("identity {} of {} lost its sign: cuda-tile 1.7.0 wrote a 65th bit, which every "
                      "reader drops, so the kernel computes with the wrong one",
                      i, op.mnemonic()),
          "use a cuda-tile that writes it right, or reduce in float32");
    }
    // f16 for bf16 and the reverse are let through by the dialect.
    if (wanted == got || (half(wanted) && half(got))) continue;
    findings.error(kIdentities, op,
                   fmt::format("identity {} of {} must be of type {}, got {}", i, op.mnemonic(),
                               ir::keyword(wanted), number ? ir::keyword(got) : "something else"));
  }
}

/// A tile of rank 0 whose elements are those of `operand`.
bool is_element_of(const Op& op, TypeId id, ir::ValueId operand) {
  const ir::Type& type = op.module.type(id);
  return type.kind == TypeKind::tile && type.shape.empty() &&
         same(op.module, type.element, op.module.type_of(operand).element);
}

void check_body(Findings& findings, const Op& op) {
  const Values operands = op.values("operands");
  const auto body = op.module.body(op.id);
  if (!body) return;
  const auto arguments = argument_types(op, 0);
  bool good = arguments.size() == 2 * operands.size();
  for (std::size_t i = 0; i < arguments.size() && good; ++i) {
    good = is_element_of(op, arguments[i], operands[i / 2]);
  }
  if (!good) {
    findings.error(kBody, op,
                   fmt::format("the body of {} must take two elements of each operand, it takes {}",
                               op.mnemonic(), types_text(op, arguments)));
  }
  const auto& ops = op.module.block(*body).ops;
  if (ops.empty() || !op.module.op(ops.back()).info->is("yield")) return;
  const Op yield(op.module, ops.back());
  const auto yielded = types_of(op, yield.values("operands"));
  good = yielded.size() == operands.size();
  for (std::size_t i = 0; i < yielded.size() && good; ++i) {
    const ir::Type& type = op.module.type(yielded[i]);
    good =
        type.kind == TypeKind::tile && same(op.module, type.element, op.module.type_of(operands[i]).element);
  }
  if (!good) {
    findings.error(kBody, yield,
                   fmt::format("the body of {} must yield one element of each operand, it yields {}",
                               op.mnemonic(), types_text(op, yielded)));
  }
  for (OpId inner : ops) {
    if (inner == ops.back() || is_effect_free(op.module, inner)) continue;
    findings.error(kEffectFree, inner,
                   fmt::format("{} has effects, so it can't stand in the body of {}",
                               op.module.op(inner).info->mnemonic, op.mnemonic()));
  }
}

void aggregate(Findings& findings, const Op& op) {
  const Values operands = op.values("operands");
  const Values results = op.values("result_types");
  if (operands.empty() || operands.size() != results.size()) {
    findings.error(
        kOperands, op,
        fmt::format("{} has {} operands and {} results", op.mnemonic(), operands.size(), results.size()));
    return;
  }
  check_identities(findings, op);
  const std::uint64_t dimension = op.word("dim");
  const std::size_t rank = op.shape("operands").size();
  if (dimension >= rank) {
    findings.error(
        kDimension, op,
        fmt::format("{} can't work along dimension {} of rank {}", op.mnemonic(), dimension, rank));
  } else if (op.mnemonic() == "reduce") {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const ir::Type& operand = op.module.type_of(operands[i]);
      const ir::Type& result = op.module.type_of(results[i]);
      std::vector<std::int64_t> shape = operand.shape;
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dimension));
      if (shape == result.shape && same(op.module, operand.element, result.element)) continue;
      findings.error(kReduced, op,
                     fmt::format("reduce of {} along dimension {} can't give {}", op.text("operands", i),
                                 dimension, op.text("result_types", i)));
    }
  }
  check_body(findings, op);
}

constexpr Case kCases[] = {{"for", for_},         {"loop", loop},          {"if", if_},
                           {"break", break_},     {"continue", continue_}, {"return", return_},
                           {"reduce", aggregate}, {"scan", aggregate}};

}  // namespace

FamilyRules control_rules() {
  return {kRules, [](std::string_view mnemonic) { return find_case(kCases, mnemonic); }};
}

}  // namespace tileport::verify
