// SPDX-License-Identifier: Apache-2.0
// Rules that give one op's result another, equal expression. They apply to both sides alike, so that a form
// that cuTile Rust can't write meets the form that stands for it.
#include <algorithm>
#include <utility>

#include "diff/lift.hpp"

namespace tileport::diff {

using ir::OpId;
using ir::ValueId;

const Expression* Lift::expression(Id id) const { return graph_.expressions_.find(id); }

const Expression* Lift::expression(ValueId value) const { return expression(graph_.value(value).id); }

bool Lift::apply_rule(OpId id) {
  const ir::OpInfo& info = *graph_.module.op(id).info;
  if (info.is("constant")) return constant(id);
  if (info.is("bitcast")) return pass_operand(id, Rule::same_type_bitcast) || cast_constant(id);
  if (info.is("reshape")) return pass_operand(id, Rule::reshape_chain) || spread_constant(id) || reshape(id);
  if (info.is("broadcast")) return spread_constant(id);
  if (info.is("exti")) return extend_constant(id);
  if (info.is("join_tokens")) return join_tokens(id);
  if (info.is("trunci")) return truncate(id);
  if (info.is("ptr_to_int")) return pointer_to_int(id);
  if (info.is("divi")) return ceil_division(id);
  if (info.is("select")) return corrected_remainder(id) || select_extreme(id);
  if (info.is("load_view_tko")) return permuted_load(id);
  if (info.is("permute")) return permuted_result(id);
  if (info.is("atomic_rmw_tko")) return one_element_atomic(id);
  return false;
}

/// The result has the operand's type and so is the operand.
bool Lift::pass_operand(OpId id, Rule rule) {
  const ir::Module& module = graph_.module;
  const ValueId result = module.result(id, 0);
  const ValueId operand = graph_.node(id).operands.front();
  if (graph_.keys().type(module.value(result).type) != graph_.keys().type(module.value(operand).type))
    return false;
  forward(result, operand);
  graph_.ops[ir::index(id)].folded = true;
  if (graph_.node(id).live) count(rule);
  return true;
}

bool Lift::constant(OpId id) {
  const ir::Module& module = graph_.module;
  const ValueId result = module.result(id, 0);
  const ir::TypeId type = module.value(result).type;
  const auto word = module.word(id, "value");
  const auto content = constant_content(module, type, ir::ConstantId{static_cast<std::uint32_t>(*word)});
  OpNode& node = graph_.ops[ir::index(id)];
  node.id = graph_.keys().constant(graph_.keys().type(type), content);
  node.constant = true;
  define_results(id);
  graph_.expressions_[graph_.value(result).id].splat = content.splat;
  return true;
}

/// The op's result is a constant of its type with these bits.
bool Lift::become_constant(OpId id, std::uint64_t bits, Rule rule) {
  const ValueId result = graph_.module.result(id, 0);
  const Id type = graph_.keys().type(graph_.module.value(result).type);
  OpNode& node = graph_.ops[ir::index(id)];
  node.id = graph_.keys().constant(type, {bits, {}});
  // As if it were the constant op: what it was made of is no part of it.
  node.operands.clear();
  node.signature = graph_.interner_(Key("made constant").add(node.id));
  node.folded = true;
  node.constant = true;
  define_results(id);
  Expression& made = graph_.expressions_[graph_.value(result).id];
  made.splat = bits;
  made.info = ir::find_op("constant");
  if (node.live) count(rule);
  return true;
}

bool Lift::cast_constant(OpId id) {
  const Expression* source = expression(graph_.node(id).operands.front());
  if (source == nullptr || !source->splat) return false;
  const auto width = [&](ValueId value) {
    const ir::Type& type = graph_.module.type_of(value);
    return type.kind == ir::TypeKind::tile ? ir::bit_width(graph_.module.type(type.element).kind) : 0U;
  };
  const unsigned bits = width(graph_.module.result(id, 0));
  if (bits == 0 || bits != width(graph_.module.operand(id, 0))) return false;
  return become_constant(id, *source->splat, Rule::bitcast_constant);
}

bool Lift::spread_constant(OpId id) {
  const Expression* source = expression(graph_.node(id).operands.front());
  if (source == nullptr || !source->splat) return false;
  return become_constant(id, *source->splat, Rule::splat_constant_form);
}

bool Lift::extend_constant(OpId id) {
  const ValueId operand = graph_.module.operand(id, 0);
  const Expression* source = expression(graph_.node(id).operands.front());
  if (source == nullptr || !source->splat) return false;
  const auto kind = [&](ValueId value) {
    return graph_.module.type(graph_.module.type_of(value).element).kind;
  };
  const unsigned unused = 64 - ir::bit_width(kind(operand));
  const bool is_signed = graph_.module.enumerator(id, "signedness") == "signed";
  const std::uint64_t high = *source->splat << unused;
  const std::uint64_t extended =
      is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(high) >> unused) : high >> unused;
  const unsigned beyond = 64 - ir::bit_width(kind(graph_.module.result(id, 0)));
  return become_constant(id, extended << beyond >> beyond, Rule::extended_constant);
}

/// reshape(reshape(x)) keeps the row-major order twice, so it is reshape(x), or x if the shape is back.
bool Lift::reshape(OpId id) {
  const ir::Module& module = graph_.module;
  OpNode& node = graph_.ops[ir::index(id)];
  const ValueId operand = node.operands.front();
  const ValueId result = module.result(id, 0);
  if (const auto scalar = one_element_.find(graph_.value(operand).id);
      scalar != one_element_.end() && scalar->second.type == graph_.keys().type(module.value(result).type)) {
    graph_.values[ir::index(result)] = {scalar->second.id, graph_.value(operand).base, 0};
    node.folded = true;
    return true;
  }
  const auto inner = graph_.producer(operand);
  if (!inner || !module.op(*inner).info->is("reshape")) return false;
  if (node.live) count(Rule::reshape_chain);
  node.operands.front() = graph_.node(*inner).operands.front();
  if (pass_operand(id, Rule::reshape_chain)) return true;
  node.id = operation_id(id, {});
  define_results(id);
  return true;
}

/// A token waits for a set of tokens: order, repeats and nesting mean nothing.
bool Lift::join_tokens(OpId id) {
  OpNode& node = graph_.ops[ir::index(id)];
  std::vector<Id> leaves;
  for (const ValueId operand : node.operands) {
    const Expression* joined = expression(operand);
    if (joined != nullptr && joined->info != nullptr && joined->info->is("join_tokens")) {
      leaves.insert(leaves.end(), joined->operands.begin(), joined->operands.end());
    } else {
      leaves.push_back(graph_.value(operand).id);
    }
  }
  std::ranges::sort(leaves);
  leaves.erase(std::ranges::unique(leaves).begin(), leaves.end());
  node.id = graph_.interner_(Key("join").add(leaves));
  define_results(id);
  graph_.expressions_[graph_.value(graph_.module.result(id, 0)).id].operands = std::move(leaves);
  return true;
}

/// trunci<no_signed_wrap>((x << k) >> k) with k = the difference of widths and an arithmetic shift keeps the
/// low bits of x sign-extended, which trunci takes exactly: it is trunci(x) that may wrap.
bool Lift::truncate(OpId id) {
  const ir::Module& module = graph_.module;
  OpNode& node = graph_.ops[ir::index(id)];
  const ValueId operand = node.operands.front();
  const auto width = [&](ValueId value) {
    return ir::bit_width(module.type(module.type_of(value).element).kind);
  };
  const auto shift = graph_.producer(operand);
  if (!shift || !module.op(*shift).info->is("shri") || module.enumerator(*shift, "signedness") != "signed")
    return false;
  const auto up = graph_.producer(module.operand(*shift, 0));
  if (!up || !module.op(*up).info->is("shli") || module.enumerator(*up, "overflow") != "none") return false;
  const std::int64_t distance =
      static_cast<std::int64_t>(width(operand)) - static_cast<std::int64_t>(width(module.result(id, 0)));
  if (graph_.integer_constant(module.operand(*shift, 1)) != distance ||
      graph_.integer_constant(module.operand(*up, 1)) != distance) {
    return false;
  }
  if (module.enumerator(id, "overflow") != "no_signed_wrap" && module.enumerator(id, "overflow") != "none")
    return false;
  node.operands.front() = module.operand(*up, 0);
  node.overflow = ir::number(ir::kIntegerOverflow, "none");
  if (node.live) count(Rule::trunci_without_overflow);
  node.id = operation_id(id, {});
  define_results(id);
  return true;
}

bool Lift::pointer_to_int(OpId id) {
  OpNode& node = graph_.ops[ir::index(id)];
  const auto cast = graph_.producer(node.operands.front());
  if (!cast || !graph_.module.op(*cast).info->is("ptr_to_ptr")) return false;
  node.operands.front() = graph_.node(*cast).operands.front();
  if (node.live) count(Rule::pointer_cast_before_int);
  node.id = operation_id(id, {});
  define_results(id);
  return true;
}

/// An atomic on tiles of one element that were reshaped from rank 0 is the atomic on the scalars; its result,
/// of rank 1, is the scalar again once it is reshaped back.
bool Lift::one_element_atomic(OpId id) {
  const ir::Module& module = graph_.module;
  const ValueId result = module.result(id, 0);
  const ir::Type type = module.type_of(result);
  if (type.kind != ir::TypeKind::tile || type.shape != std::vector<std::int64_t>{1}) return false;
  OpNode& node = graph_.ops[ir::index(id)];
  Operands scalars = node.operands;
  for (ValueId& operand : scalars) {
    if (module.type_of(operand).kind == ir::TypeKind::token) continue;
    const auto spread = graph_.producer(operand);
    if (!spread || !module.op(*spread).info->is("reshape")) return false;
    operand = module.operand(*spread, 0);
    if (!module.type_of(operand).shape.empty()) return false;
  }
  ir::Type scalar = type;
  scalar.shape.clear();
  const Id scalar_type = graph_.keys().type(scalar);
  node.operands = std::move(scalars);
  node.signature = signature(id, {}, {scalar_type});
  node.id = operation_id(id, {});
  const Id scalar_id = graph_.interner_(Key("result").add(node.id).add(0));
  define(result, graph_.interner_(Key("one element").add(scalar_id)));
  one_element_[graph_.value(result).id] = {scalar_id, scalar_type};
  ++graph_.copies[scalar_id];
  define_results(id);
  count(Rule::rank0_atomic_reshape);
  return true;
}

}  // namespace tileport::diff
