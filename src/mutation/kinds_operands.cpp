// SPDX-License-Identifier: Apache-2.0
// Kinds that give an op other values: swapped, left out, or another one of the same type.
#include <algorithm>

#include "mutation/kind_table.hpp"

namespace tileport::mutation {
namespace {

using ir::OpId;
using ir::ValueId;

bool is_equality(const ir::Module& module, OpId op) {
  if (!attribute_of(module, op, "comparison_predicate")) return false;
  const std::string_view predicate = module.enumerator(op, "comparison_predicate");
  return predicate == "equal" || predicate == "not_equal";
}

/// Pairs of neighbouring operands of one type and of different values, of an op for which their order means
/// something.
std::vector<std::size_t> swappable(const Context& context, OpId op, std::size_t first, std::size_t last) {
  std::vector<std::size_t> found;
  const auto operands = context.module.operands(op);
  for (std::size_t i = first; i + 1 < last; ++i) {
    if (context.same_type(operands[i], operands[i + 1]) && !context.same(operands[i], operands[i + 1]))
      found.push_back(i);
  }
  return found;
}

std::uint32_t ordered_operands(const Context& context, OpId op) {
  const ir::OpInfo& info = *context.module.op(op).info;
  const std::size_t count = context.module.operands(op).size();
  if (!context.live(op) || info.regions != 0 || has(info.traits, ir::Trait::terminator) ||
      info.is("join_tokens") || is_equality(context.module, op)) {
    return 0;
  }
  auto pairs = swappable(context, op, 0, count);
  if (has(info.traits, ir::Trait::commutative)) std::erase(pairs, std::size_t{0});
  return static_cast<std::uint32_t>(pairs.size());
}

void swap_operands(Edit& edit, OpId op, std::uint32_t variant) {
  auto pairs = swappable(edit.context, op, 0, edit.module.operands(op).size());
  if (has(edit.module.op(op).info->traits, ir::Trait::commutative)) std::erase(pairs, std::size_t{0});
  const std::size_t at = pairs[variant];
  std::swap(edit.module.operand_pool[edit.module.op(op).operands.first + at],
            edit.module.operand_pool[edit.module.op(op).operands.first + at + 1]);
}

/// Operands of one group and the values that they could be taken for.
struct Replacement {
  std::size_t operand;
  ValueId value;
};

std::vector<Replacement> replacements(const Context& context, OpId op, std::string_view group) {
  std::vector<Replacement> found;
  const ir::OpInfo& info = *context.module.op(op).info;
  const auto number = info.operand_group(group);
  if (!number || !context.live(op)) return found;
  const std::size_t first = first_of_group(context.module, op, *number);
  for (std::size_t i = 0; i < context.module.operands(op, *number).size(); ++i) {
    for (const ValueId other : context.others(op, first + i)) found.push_back({first + i, other});
  }
  return found;
}

template <const auto& groups>
std::vector<Replacement> replacements_of(const Context& context, OpId op) {
  std::vector<Replacement> all;
  for (const std::string_view group : groups) {
    const auto some = replacements(context, op, group);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}
template <const auto& groups>
std::uint32_t other_values(const Context& context, OpId op) {
  return static_cast<std::uint32_t>(replacements_of<groups>(context, op).size());
}
template <const auto& groups>
void take_other(Edit& edit, OpId op, std::uint32_t variant) {
  const auto all = replacements_of<groups>(edit.context, op);
  edit.set_operand(op, all[variant].operand, all[variant].value);
}

template <const auto& groups>
std::uint32_t given(const Context& context, OpId op) {
  return static_cast<std::uint32_t>(std::ranges::count_if(groups, [&](std::string_view group) {
    const auto number = context.module.op(op).info->operand_group(group);
    return number && context.module.op(op).info->operands[*number].arity == ir::Arity::optional &&
           !context.module.operands(op, *number).empty();
  }));
}
template <const auto& groups>
void leave_out(Edit& edit, OpId op, std::uint32_t variant) {
  for (const std::string_view group : groups) {
    const auto number = edit.module.op(op).info->operand_group(group);
    if (!number || edit.module.operands(op, *number).empty() || variant-- != 0) continue;
    // A padding without a mask means nothing.
    if (group == "mask" && edit.module.op(op).info->operand_group("paddingValue"))
      (void)edit.builder.set_operands(op, "paddingValue", {});
    (void)edit.builder.set_operands(op, group, {});
    return;
  }
}

constexpr std::string_view kIndex[] = {"index"};
constexpr std::string_view kOffset[] = {"offset"};
constexpr std::string_view kMask[] = {"mask"};
constexpr std::string_view kPadding[] = {"paddingValue"};
constexpr std::string_view kToken[] = {"token"};
constexpr std::string_view kTokens[] = {"token", "tokens"};
constexpr std::string_view kStored[] = {"value", "tile"};
constexpr std::string_view kShape[] = {"dynamicShape"};
constexpr std::string_view kStrides[] = {"dynamicStrides"};
constexpr std::string_view kSource[] = {"base", "view", "tensor_view", "source", "destination"};
constexpr std::string_view kCondition[] = {"condition"};

std::uint32_t swapped_indices(const Context& context, OpId op) {
  const auto group = context.module.op(op).info->operand_group("index");
  if (!group || !context.live(op)) return 0;
  const std::size_t first = first_of_group(context.module, op, *group);
  return static_cast<std::uint32_t>(
      swappable(context, op, first, first + context.module.operands(op, *group).size()).size());
}
void swap_indices(Edit& edit, OpId op, std::uint32_t variant) {
  const std::size_t group = *edit.module.op(op).info->operand_group("index");
  const std::size_t first = first_of_group(edit.module, op, group);
  const std::size_t at =
      swappable(edit.context, op, first, first + edit.module.operands(op, group).size())[variant];
  std::swap(edit.module.operand_pool[edit.module.op(op).operands.first + at],
            edit.module.operand_pool[edit.module.op(op).operands.first + at + 1]);
}

/// Operands of pure arithmetic that name a parameter, and other parameters of the type.
std::vector<Replacement> other_parameters(const Context& context, OpId op) {
  std::vector<Replacement> found;
  const auto operands = context.module.operands(op);
  if (!context.live(op)) return found;
  const auto is_parameter = [&](ValueId value) {
    const ir::Value& definition = context.module.value(value);
    return definition.owner == ir::Value::Owner::block_argument &&
           ir::index(context.module.block(ir::BlockId{definition.owner_id}).parent) == ir::kNone;
  };
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!is_parameter(operands[i])) continue;
    const ir::Range all =
        context.module.block(ir::BlockId{context.module.value(operands[i]).owner_id}).arguments;
    for (std::uint32_t a = 0; a < all.count; ++a) {
      const ValueId other{all.first + (context.module.value(operands[i]).index + 1 + a) % all.count};
      if (other == operands[i] || !context.same_type(other, operands[i])) continue;
      found.push_back({i, other});
      break;
    }
  }
  return found;
}
std::uint32_t count_parameters(const Context& context, OpId op) {
  return static_cast<std::uint32_t>(other_parameters(context, op).size());
}
void take_other_parameter(Edit& edit, OpId op, std::uint32_t variant) {
  const auto all = other_parameters(edit.context, op);
  edit.set_operand(op, all[variant].operand, all[variant].value);
}

/// Which operands are another result of the op that made them: the wrong axis of the grid, the wrong half of
/// a pair.
std::vector<Replacement> other_results(const Context& context, OpId op) {
  std::vector<Replacement> found;
  if (!context.live(op)) return found;
  const auto operands = context.module.operands(op);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto producer = context.module.producer_of(operands[i]);
    const bool inside = producer && context.module.op(*producer).regions.count != 0;
    if (!producer || inside) continue;
    const std::uint32_t count = context.module.op(*producer).results.count;
    for (std::uint32_t r = 1; r < count; ++r) {
      const ValueId other =
          context.module.result(*producer, (context.module.value(operands[i]).index + r) % count);
      if (context.same_type(other, operands[i])) {
        found.push_back({i, other});
        break;
      }
    }
  }
  return found;
}
std::uint32_t count_results(const Context& context, OpId op) {
  return static_cast<std::uint32_t>(other_results(context, op).size());
}
void take_other_result(Edit& edit, OpId op, std::uint32_t variant) {
  const auto all = other_results(edit.context, op);
  edit.set_operand(op, all[variant].operand, all[variant].value);
}

const KindRow kRows[] = {
    {{"operand_order", Change::value,
      "live ops with neighbouring operands of one type and different values, whose order matters"},
     ordered_operands,
     swap_operands},
    {{"index", Change::value, "indices of views for which another value could be named"},
     other_values<kIndex>,
     take_other<kIndex>},
    {{"index_order", Change::value, "accesses with different indices"}, swapped_indices, swap_indices},
    {{"offset", Change::value, "live offsets of pointers"}, other_values<kOffset>, take_other<kOffset>},
    {{"mask", Change::value, "masked accesses with another mask in scope"},
     other_values<kMask>,
     take_other<kMask>},
    {{"mask_dropped", Change::value, "masked accesses"}, given<kMask>, leave_out<kMask>},
    {{"padding_value", Change::value, "padded loads with another such tile in scope"},
     other_values<kPadding>,
     take_other<kPadding>},
    {{"padding_value_dropped", Change::value, "padded loads"}, given<kPadding>, leave_out<kPadding>},
    {{"token", Change::value, "ops that wait for a token, with another token in scope"},
     other_values<kTokens>,
     take_other<kTokens>},
    {{"token_dropped", Change::value, "ops that wait for a token"}, given<kToken>, leave_out<kToken>},
    {{"stored_value", Change::value, "stores with another such tile in scope"},
     other_values<kStored>,
     take_other<kStored>},
    {{"shape_operand", Change::value, "extents of tensor views that are operands"},
     other_values<kShape>,
     take_other<kShape>},
    {{"stride_operand", Change::value, "strides of tensor views that are operands"},
     other_values<kStrides>,
     take_other<kStrides>},
    {{"source", Change::value, "what is read, viewed, shaped or converted, with another such value in scope"},
     other_values<kSource>,
     take_other<kSource>},
    {{"condition", Change::value, "branches with another condition in scope"},
     other_values<kCondition>,
     take_other<kCondition>},
    {{"parameter", Change::value, "live uses of a parameter, where another has its type"},
     count_parameters,
     take_other_parameter},
    {{"result", Change::value, "live uses of one of several results of a type: the grid's axes"},
     count_results,
     take_other_result},
};

}  // namespace

std::span<const KindRow> operand_kinds() { return kRows; }

}  // namespace tileport::mutation
