// SPDX-License-Identifier: Apache-2.0
// Kinds that leave an op out, do it twice, or take another op for it.
#include <algorithm>
#include <array>

#include "mutation/kind_table.hpp"

namespace tileport::mutation {
namespace {

using ir::OpId;
using ir::OpInfo;
using ir::ValueId;

/// Whether a row takes and gives as much as another and says as much, so that one op can stand for the other.
bool same_form(const OpInfo& a, const OpInfo& b) {
  const auto same_groups = [](const auto& x, const auto& y) {
    return std::ranges::equal(x, y, {}, &ir::GroupInfo::arity, &ir::GroupInfo::arity);
  };
  const auto same_attribute = [](const ir::AttributeInfo& x, const ir::AttributeInfo& y) {
    return x.encoding == y.encoding && x.enumeration == y.enumeration && x.optional == y.optional;
  };
  const auto same_flag = [](const ir::FlagInfo& x, const ir::FlagInfo& y) { return x.kind == y.kind; };
  return a.family == b.family && a.regions == 0 && b.regions == 0 && same_groups(a.operands, b.operands) &&
         same_groups(a.results, b.results) &&
         std::ranges::equal(a.attributes, b.attributes, same_attribute) &&
         std::ranges::equal(a.flags, b.flags, same_flag) && a.operands_encoding == b.operands_encoding &&
         a.results_encoding == b.results_encoding &&
         has(a.traits, ir::Trait::terminator) == has(b.traits, ir::Trait::terminator);
}

std::vector<const OpInfo*> other_ops(const OpInfo& info) {
  std::vector<const OpInfo*> found;
  for (const OpInfo* other : ir::all_ops()) {
    if (other != &info && !promises(*other) && same_form(info, *other)) found.push_back(other);
  }
  return found;
}
std::uint32_t count_other_ops(const Context& context, OpId op) {
  const OpInfo& info = *context.module.op(op).info;
  return context.live(op) && !promises(info) ? static_cast<std::uint32_t>(other_ops(info).size()) : 0;
}
void take_other_op(Edit& edit, OpId op, std::uint32_t variant) {
  edit.module.ops[ir::index(op)].info = other_ops(*edit.module.op(op).info)[variant];
}

bool only_hands_on(const Context& context, OpId op) {
  const OpInfo& info = *context.module.op(op).info;
  return info.is("reshape") || info.is("bitcast") || info.is("broadcast") || promises(info);
}

/// Operands of the result's type that could stand for it.
std::vector<std::size_t> stand_ins(const Context& context, OpId op) {
  std::vector<std::size_t> found;
  const ir::Operation& operation = context.module.op(op);
  if (!context.live(op) || !is_pure(*operation.info) || operation.results.count != 1 ||
      only_hands_on(context, op) || operation.info->is("join_tokens")) {
    return found;
  }
  for (std::size_t i = 0; i < operation.operands.count; ++i) {
    if (context.same_type(context.module.operand(op, i), context.module.result(op, 0))) found.push_back(i);
  }
  return found;
}
std::uint32_t count_stand_ins(const Context& context, OpId op) {
  return static_cast<std::uint32_t>(stand_ins(context, op).size());
}
void drop_value(Edit& edit, OpId op, std::uint32_t variant) {
  const ValueId operand = edit.module.operand(op, stand_ins(edit.context, op)[variant]);
  const ValueId result = edit.module.result(op, 0);
  edit.also = edit.context.users(result);
  edit.builder.replace_all_uses(result, operand);
  edit.take_out(op);
}

/// Ops with an effect whose results are tokens only, or a loop's, which its initial values can stand for.
std::optional<std::vector<ValueId>> instead_of_results(const Context& context, OpId op) {
  const ir::Module& module = context.module;
  const ir::Operation& operation = module.op(op);
  if (is_pure(*operation.info) || promises(*operation.info) ||
      has(operation.info->traits, ir::Trait::terminator)) {
    return std::nullopt;
  }
  std::vector<ValueId> found;
  const auto initial = operation.info->operand_group("initValues");
  const auto token = operation.info->operand_group("token");
  for (std::uint32_t r = 0; r < operation.results.count; ++r) {
    const ValueId result = module.result(op, r);
    if (context.users(result).empty()) {
      found.push_back(result);
    } else if (initial && r < module.operands(op, *initial).size()) {
      found.push_back(module.operands(op, *initial)[r]);
    } else if (token && module.type_of(result).kind == ir::TypeKind::token &&
               !module.operands(op, *token).empty()) {
      found.push_back(module.operands(op, *token).front());
    } else {
      return std::nullopt;
    }
  }
  return found;
}
/// A load whose tile nothing uses changes nothing by itself; reading memory is no effect to keep.
bool does_something(const Context& context, OpId op) {
  const ir::Operation& operation = context.module.op(op);
  return operation.regions.count != 0 || !has(operation.info->traits, ir::Trait::reads_memory) ||
         has(operation.info->traits, ir::Trait::writes_memory);
}
std::uint32_t droppable(const Context& context, OpId op) {
  return does_something(context, op) && instead_of_results(context, op) ? 1 : 0;
}
void drop_effect(Edit& edit, OpId op, std::uint32_t) {
  const auto instead = *instead_of_results(edit.context, op);
  for (std::uint32_t r = 0; r < instead.size(); ++r) {
    const ValueId result = edit.module.result(op, r);
    if (instead[r] == result) continue;
    for (const OpId user : edit.context.users(result)) edit.also.push_back(user);
    edit.builder.replace_all_uses(result, instead[r]);
  }
  if (const auto around = edit.module.parent_op(op)) edit.also.push_back(*around);
  edit.take_out(op);
}

constexpr std::array<std::string_view, 13> kIdempotent = {
    "absi", "absf", "maxi", "mini", "maxf", "minf", "andi", "ori", "ceil", "floor", "select", "remi", "remf"};
std::uint32_t doublable(const Context& context, OpId op) {
  const ir::Operation& operation = context.module.op(op);
  if (operation.regions.count != 0 || std::ranges::count(kIdempotent, operation.info->mnemonic) != 0)
    return 0;
  if (operation.info->is("atomic_rmw_tko") || operation.info->is("atomic_red_view_tko"))
    return context.module.enumerator(op, "mode") == "add" || context.module.enumerator(op, "mode") == "addf";
  return !stand_ins(context, op).empty() && stand_ins(context, op).front() == 0 ? 1 : 0;
}
void do_twice(Edit& edit, OpId op, std::uint32_t) {
  if (!is_pure(*edit.module.op(op).info)) {
    edit.also = {edit.copy_before(op, op)};
    return;
  }
  const OpId first = edit.copy_before(op, op);
  edit.set_operand(op, 0, edit.module.result(first, 0));
  edit.also = {first};
}

const KindRow kRows[] = {
    {{"other_op", Change::value, "live ops, where the op table has another of the family and form"},
     count_other_ops,
     take_other_op},
    {{"dropped_op", Change::value, "live ops without effect, where an operand has the result's type"},
     count_stand_ins,
     drop_value},
    {{"dropped_effect", Change::value,
      "stores, atomics, prints, asserts, loops and branches whose results something can stand for"},
     droppable,
     drop_effect},
    {{"doubled_op", Change::value, "live ops, and adding atomics, whose second time changes something"},
     doublable,
     do_twice},
};

}  // namespace

std::span<const KindRow> op_kinds() { return kRows; }

}  // namespace tileport::mutation
