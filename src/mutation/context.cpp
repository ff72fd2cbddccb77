// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mutation/kind_table.hpp"

namespace tileport::mutation {

using ir::BlockId;
using ir::OpId;
using ir::ValueId;

namespace {

/// How far expressions are compared.
constexpr int kDeepestSame = 8;
constexpr std::size_t kMostOthers = 2;

/// The value behind assumes.
ValueId behind_promises(const ir::Module& module, ValueId value) {
  auto producer = module.producer_of(value);
  while (producer && promises(*module.op(*producer).info)) {
    value = module.operand(*producer, 0);
    producer = module.producer_of(value);
  }
  return value;
}

bool same_word(const ir::Module& module, OpId a, OpId b, std::size_t i) {
  const ir::AttributeInfo& info = module.op(a).info->attributes[i];
  const auto word = [&](OpId id) {
    const ir::AttributeSlot& slot = module.attribute_slots[module.op(id).attributes.first + i];
    return slot.present ? std::optional(slot.word) : info.default_value;
  };
  const auto left = word(a);
  const auto right = word(b);
  if (left == right) return true;
  if (!left || !right) return false;
  switch (info.encoding) {
    case ir::Encoding::constant:
      return module.constants[*left] == module.constants[*right];
    case ir::Encoding::string:
      return module.strings[*left] == module.strings[*right];
    case ir::Encoding::integer_array:
    case ir::Encoding::boolean_array:
      return module.attributes[*left].numbers == module.attributes[*right].numbers;
    default:
      return false;
  }
}

}  // namespace

Context::Context(const ir::Module& of)
    : module(of),
      order_(of.ops.size()),
      live_(of.ops.size()),
      users_(of.values.size()),
      used_(of.values.size()),
      type_class_(of.types.size()) {
  for (std::uint32_t t = 0; t < module.types.size(); ++t) {
    type_class_[t] = t;
    for (std::uint32_t earlier = 0; earlier < t; ++earlier) {
      if (!ir::same_type(module, ir::TypeId{earlier}, module, ir::TypeId{t})) continue;
      type_class_[t] = earlier;
      break;
    }
  }
  for (const ir::Function& function : module.functions) {
    if (!function.is_kernel) continue;
    ir::walk(module, function.body, [&](OpId id) {
      order_[ir::index(id)] = static_cast<std::uint32_t>(ops_.size());
      ops_.push_back(id);
      for (const ValueId operand : module.operands(id)) {
        auto& users = users_[ir::index(operand)];
        if (users.empty() || users.back() != id) users.push_back(id);
      }
    });
    mark(function.body);
  }
  for (std::uint32_t v = 0; v < module.values.size(); ++v)
    by_type_[type_class_[static_cast<std::uint32_t>(module.values[v].type)]].push_back(ValueId{v});
}

void Context::mark(BlockId block) {
  const auto& ops = module.block(block).ops;
  for (auto at = ops.rbegin(); at != ops.rend(); ++at) {
    const ir::Operation& op = module.op(*at);
    bool live = !is_pure(*op.info) && !promises(*op.info);
    for (std::uint32_t i = 0; i < op.results.count; ++i) live |= used_[op.results.first + i];
    if (!live) continue;
    live_[ir::index(*at)] = true;
    for (const ValueId operand : module.operands(*at)) used_[ir::index(operand)] = true;
    for (std::size_t r = 0; r < op.regions.count; ++r) {
      if (const auto inner = module.body(*at, r)) mark(*inner);
    }
  }
}

bool Context::used_live(ValueId value) const { return used_[ir::index(value)]; }

bool Context::same_type(ValueId a, ValueId b) const {
  return type_class_[static_cast<std::uint32_t>(module.value(a).type)] ==
         type_class_[static_cast<std::uint32_t>(module.value(b).type)];
}

bool Context::same(ValueId a, ValueId b, int depth) const {
  a = behind_promises(module, a);
  b = behind_promises(module, b);
  if (a == b) return true;
  if (depth >= kDeepestSame || module.value(a).index != module.value(b).index) return false;
  const auto left = module.producer_of(a);
  const auto right = module.producer_of(b);
  if (!left || !right) return false;
  const ir::Operation& x = module.op(*left);
  const ir::Operation& y = module.op(*right);
  if (x.info != y.info || x.flags != y.flags || x.regions.count != 0 || !is_pure(*x.info) ||
      !same_type(a, b) || x.operands.count != y.operands.count) {
    return false;
  }
  for (std::size_t i = 0; i < x.info->attributes.size(); ++i) {
    if (!same_word(module, *left, *right, i)) return false;
  }
  for (std::size_t i = 0; i < x.operands.count; ++i) {
    if (!same(module.operand(*left, i), module.operand(*right, i), depth + 1)) return false;
  }
  return true;
}

bool Context::visible(ValueId value, OpId at) const {
  const ir::Value& definition = module.value(value);
  const bool made = definition.owner == ir::Value::Owner::op_result;
  if (made && order_[definition.owner_id] >= order_[ir::index(at)]) return false;
  const BlockId home = made ? module.op(OpId{definition.owner_id}).parent : BlockId{definition.owner_id};
  for (BlockId block = module.op(at).parent;;) {
    if (block == home) return true;
    const ir::RegionId region = module.block(block).parent;
    if (ir::index(region) == ir::kNone) return false;
    const OpId around = module.region(region).parent;
    if (made && OpId{definition.owner_id} == around) return false;
    block = module.op(around).parent;
  }
}

std::vector<ValueId> Context::others(OpId op, std::size_t operand) const {
  const ValueId now = module.operand(op, operand);
  const auto& values = by_type_.at(type_class_[static_cast<std::uint32_t>(module.value(now).type)]);
  std::vector<ValueId> found;
  for (auto at = values.rbegin(); at != values.rend() && found.size() < kMostOthers; ++at) {
    // Values of other kernels are in the table too, but never visible.
    if (*at == now || !visible(*at, op) || same(*at, now)) continue;
    found.push_back(*at);
  }
  return found;
}

bool Context::is_first_of_kernel(OpId op) const {
  return std::ranges::any_of(module.functions, [&](const ir::Function& function) {
    const auto& ops = module.block(function.body).ops;
    return function.is_kernel && !ops.empty() && ops.front() == op;
  });
}

OpId Edit::copy_before(OpId op, OpId place) {
  const ir::Operation from = module.op(op);
  ir::OperationParts parts;
  parts.info = from.info;
  parts.location = from.location;
  for (std::size_t g = 0; g < from.info->operands.size(); ++g) {
    const auto group = module.operands(op, g);
    parts.group_sizes[g] = static_cast<std::uint32_t>(group.size());
    parts.operands.insert(parts.operands.end(), group.begin(), group.end());
  }
  for (std::uint32_t i = 0; i < from.results.count; ++i)
    parts.results.push_back(module.value(module.result(op, i)).type);
  for (std::size_t i = 0; i < from.info->attributes.size(); ++i) {
    const ir::AttributeSlot& one = slot(op, i);
    if (one.present) parts.words[i] = one.word;
  }
  for (std::size_t i = 0; i < from.info->flags.size(); ++i) {
    if (from.info->flags[i].kind == ir::FlagInfo::Kind::unit_attribute) parts.units |= from.flags & 1U << i;
  }
  builder.before(place);
  return builder.insert(parts);
}

void Edit::take_out(OpId op) {
  auto& ops = module.blocks[ir::index(module.op(op).parent)].ops;
  ops.erase(std::ranges::find(ops, op));
}

std::optional<std::size_t> attribute_of(const ir::Module& module, OpId op, std::string_view name) {
  return module.op(op).info->attribute_index(name);
}

std::size_t first_of_group(const ir::Module& module, OpId op, std::size_t group) {
  std::size_t first = 0;
  for (std::size_t g = 0; g < group; ++g) first += module.operands(op, g).size();
  return first;
}

ir::TypeKind element_kind(const ir::Module& module, ValueId value) {
  const ir::Type& type = module.type_of(value);
  return type.kind == ir::TypeKind::tile ? module.type(type.element).kind : type.kind;
}

}  // namespace tileport::mutation
