// SPDX-License-Identifier: Apache-2.0
#include "diff/lift.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tileport::diff {
namespace {

using ir::BlockId;
using ir::OpId;
using ir::Trait;
using ir::ValueId;

bool has_effect(const ir::OpInfo& info) {
  return !has(info.traits, Trait::pure) && !has(info.traits, Trait::promises);
}

}  // namespace

bool is_fact(const ir::AttributeInfo& attribute) {
  return attribute.encoding == ir::Encoding::optimization_hints ||
         attribute.enumeration == &ir::kIntegerOverflow || attribute.name == "inbounds";
}

Graph::Graph(const ir::Module& from, const ir::Function& function, Interner& interner)
    : original(from),
      kernel(function),
      sites(from, function),
      module(from),
      body(function.body),
      interner_(interner),
      keys_(module, interner) {
  counts.add(Rule::early_return_as_else, rewrite_early_returns(module, body));
  counts.add(Rule::scan_behind_unit_axes, rewrite_scans(module, body));
  values.resize(module.values.size());
  ops.resize(module.ops.size());
  blocks.resize(module.blocks.size());
  facts.emplace_back();
  Lift(*this).run();
}

Facts Graph::inherent_facts(ValueId base) const {
  Facts inherent;
  const ir::Value& value = module.value(base);
  if (value.owner == ir::Value::Owner::op_result) {
    const ir::OpInfo& info = *module.op(OpId{value.owner_id}).info;
    if (info.is("get_tile_block_id") || info.is("get_num_tile_blocks")) inherent.lower = 0;
    return inherent;
  }
  const ir::RegionId region = module.block(BlockId{value.owner_id}).parent;
  if (ir::index(region) == ir::kNone || value.index != 0) return inherent;
  const OpId loop = module.region(region).parent;
  if (!module.op(loop).info->is("for") || module.has_flag(loop, "unsignedCmp")) return inherent;
  if (module.operands(loop).size() < 3) return inherent;
  inherent.lower = integer_constant(module.operands(loop, "lowerBound")[0]);
  const auto upper = integer_constant(module.operands(loop, "upperBound")[0]);
  if (upper && *upper != std::numeric_limits<std::int64_t>::min()) inherent.upper = *upper - 1;
  return inherent;
}

std::optional<std::int64_t> Graph::integer_constant(ValueId id) const {
  const Expression* found = expressions_.find(value(id).id);
  if (found == nullptr || !found->splat) return std::nullopt;
  const ir::Type& type = module.type_of(id);
  const ir::TypeKind element = type.kind == ir::TypeKind::tile ? module.type(type.element).kind : type.kind;
  const unsigned width = ir::bit_width(element);
  if (!ir::is_integer(element) || width == 0) return std::nullopt;
  const unsigned unused = 64 - width;
  return static_cast<std::int64_t>(*found->splat << unused) >> unused;
}

/// A global's content; globals of the same name and another content are others.
Id Graph::global_key(const std::string& name) {
  Key key("global");
  for (const ir::Global& global : module.globals) {
    if (module.string(global.name) != name) continue;
    key.add(keys_.constant(keys_.type(global.type), constant_content(module, global.type, global.value)));
    key.add(global.alignment).add(global.is_private ? 1U : 0U).add(global.is_constant ? 1U : 0U);
  }
  return interner_(key);
}

Id Graph::slot_key(OpId id, std::size_t i) {
  const Id stated = keys_.slot(id, i);
  if (!module.op(id).info->is("get_global")) return stated;
  const auto name = module.word(id, "name");
  return interner_(Key("of global")
                       .add(stated)
                       .add(global_key(module.string(ir::StringId{static_cast<std::uint32_t>(*name)}))));
}

void Lift::run() {
  const ir::Module& module = graph_.module;
  used_.assign(module.values.size(), false);
  depths_.assign(module.blocks.size(), 0);
  mark_block(graph_.body);
  find_permutes();
  lift_block(graph_.body, 0, 0);
  close_block(graph_.body, {});
  graph_.content = graph_.blocks[ir::index(graph_.body)];
  for (Assumption& assumption : graph_.assumptions) {
    assumption.live = used_[ir::index(module.result(assumption.op, 0))];
  }
}

// ---- liveness
// --------------------------------------------------------------------------------------------------

void Lift::mark_block(BlockId block) {
  const auto& ops = graph_.module.block(block).ops;
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) mark_op(*op);
}

void Lift::mark_op(OpId id) {
  const ir::Module& module = graph_.module;
  const ir::Operation& op = module.op(id);
  OpNode& node = graph_.ops[ir::index(id)];
  node.effect = has_effect(*op.info);
  node.live = node.effect;
  for (std::uint32_t i = 0; i < op.results.count; ++i) node.live |= used_[op.results.first + i];
  if (!node.live) {
    if (!has(op.info->traits, Trait::promises)) {
      count(op.info->is("constant") ? Rule::dead_constant : Rule::dead_value);
    }
    return;
  }
  for (const ValueId operand : module.operands(id)) used_[ir::index(operand)] = true;
  for (std::size_t r = 0; r < op.regions.count; ++r) {
    if (const auto block = module.body(id, r)) mark_block(*block);
  }
}

// ---- expressions
// -----------------------------------------------------------------------------------------------

std::uint32_t Lift::add_facts(Facts facts) {
  if (facts.empty()) return 0;
  graph_.facts.push_back(std::move(facts));
  return static_cast<std::uint32_t>(graph_.facts.size() - 1);
}

void Lift::lift_block(BlockId block, std::uint32_t depth, std::uint32_t region) {
  depths_[ir::index(block)] = depth;
  const ir::Range arguments = graph_.module.block(block).arguments;
  for (std::uint32_t i = 0; i < arguments.count; ++i) {
    const ValueId argument = graph_.module.argument(block, i);
    Key key("argument");
    key.add(depth).add(region).add(i).add(graph_.keys().type(graph_.module.value(argument).type));
    define(argument, graph_.interner_(key));
  }
  for (const OpId id : graph_.module.block(block).ops) lift_op(id, depth);
}

void Lift::lift_op(OpId id, std::uint32_t depth) {
  const ir::Module& module = graph_.module;
  const ir::Operation& op = module.op(id);
  OpNode& node = graph_.ops[ir::index(id)];
  const auto operands = module.operands(id);
  node.operands.assign(operands.begin(), operands.end());
  if (has(op.info->traits, Trait::promises)) return assume(id);
  if (op.info->is("if")) return lift_if(id, depth);
  if (op.regions.count != 0) return lift_loop(id, depth);
  if (has(op.info->traits, Trait::terminator)) {
    // Numbered by close_block, which knows which operands count.
    node.may_leave = !op.info->is("yield");
    return;
  }
  node.signature = signature(id, {});
  if (!apply_rule(id)) {
    node.id = operation_id(id, {});
    define_results(id);
  }
}

void Lift::define_results(OpId id, const std::vector<bool>& dropped) {
  const ir::Operation& op = graph_.module.op(id);
  const OpNode& node = graph_.node(id);
  std::uint32_t number = 0;  // Among the results that count.
  for (std::uint32_t i = 0; i < op.results.count; ++i) {
    if (i < dropped.size() && dropped[i]) continue;
    const std::uint32_t which = number++;
    const ValueId result = graph_.module.result(id, i);
    if (ir::index(graph_.value(result).base) != ir::kNone) continue;  // A rule defined it.
    define(result, graph_.interner_(Key("result").add(node.id).add(which)));
    if (node.live) ++graph_.copies[graph_.value(result).id];
  }
  if (op.results.count != 1 || !has(op.info->traits, Trait::pure)) return;
  const ValueId only = graph_.module.result(id, 0);
  if (graph_.expressions_.find(graph_.value(only).id) != nullptr) return;
  Expression& made = graph_.expressions_[graph_.value(only).id];
  made.info = op.info;
  made.type = graph_.keys().type(graph_.module.value(only).type);
}

void Lift::assume(OpId id) {
  const ir::Module& module = graph_.module;
  const ValueId operand = module.operand(id, 0);
  const ValueId result = module.result(id, 0);
  forward(result, operand);
  const ValueNode& source = graph_.value(operand);
  Assumption assumption;
  assumption.op = id;
  assumption.base = source.id;
  assumption.base_value = ir::index(source.base);
  assumption.top_level = module.op(id).parent == graph_.body;
  if (const ir::Attribute* predicate = module.tagged(id, "predicate")) assumption.fact = fact_of(*predicate);

  Facts before = graph_.facts_of(operand);
  if (before.implies(assumption.fact)) {
    count(Rule::duplicate_assume);
  } else {
    Facts known = graph_.inherent_facts(source.base);
    known.merge(before);
    if (known.implies(assumption.fact)) {
      const bool induction = module.value(source.base).owner == ir::Value::Owner::block_argument;
      count(induction ? Rule::bounded_induction : Rule::bounded_block_id);
    } else {
      if (!used_[ir::index(result)]) count(Rule::dead_assume);
      before.merge(assumption.fact);
      graph_.values[ir::index(result)].facts = add_facts(std::move(before));
    }
  }
  graph_.promised[assumption.base].merge(assumption.fact);
  if (assumption.top_level) graph_.always_promised[assumption.base].merge(assumption.fact);
  graph_.assumes_of[assumption.base_value].push_back(id);
  graph_.assumptions.push_back(std::move(assumption));
}

Id Lift::signature(OpId id, const std::vector<bool>& dropped, const std::vector<Id>& types) {
  const ir::Module& module = graph_.module;
  const ir::Operation& op = module.op(id);
  Key key("signature");
  key.add(op.info->mnemonic);
  for (std::size_t i = 0; i < op.info->flags.size(); ++i) {
    if (op.info->flags[i].kind != ir::FlagInfo::Kind::unit_attribute) continue;
    key.add(op.flags >> i & 1U);
  }
  for (std::size_t i = 0; i < op.info->attributes.size(); ++i) {
    const ir::AttributeInfo& attribute = op.info->attributes[i];
    if (is_fact(attribute)) continue;
    key.add(graph_.slot_key(id, i));
  }
  // Which groups are there; how many operands a group has follows from the numbers below.
  for (std::size_t g = 0;
       g < op.info->operands.size() && op.info->operands_encoding != ir::ListEncoding::counted; ++g) {
    key.add(static_cast<std::uint64_t>(module.operands(id, g).size()));
  }
  for (std::uint32_t i = 0; i < op.results.count; ++i) {
    if (i < dropped.size() && dropped[i]) continue;
    key.add(i < types.size() ? types[i] : graph_.keys().type(module.value(module.result(id, i)).type));
  }
  return graph_.interner_(key);
}

Id Lift::operation_id(OpId id, const std::vector<Id>& content) {
  const OpNode& node = graph_.node(id);
  std::vector<Id> operands;
  for (const ValueId operand : node.operands) operands.push_back(graph_.value(operand).id);
  if (has(graph_.module.op(id).info->traits, Trait::commutative) && operands.size() >= 2 &&
      operands[1] < operands[0]) {
    std::swap(operands[0], operands[1]);
  }
  return graph_.interner_(Key("op").add(node.signature).add(operands).add(content));
}

void Lift::close_block(BlockId block, const std::vector<bool>& dropped) {
  const ir::Module& module = graph_.module;
  Key key("block");
  std::vector<Id> segment;
  const auto close_segment = [&] {
    std::ranges::sort(segment);
    key.add(segment);
    segment.clear();
  };
  for (const OpId id : module.block(block).ops) {
    OpNode& node = graph_.ops[ir::index(id)];
    if (has(module.op(id).info->traits, Trait::terminator)) {
      Operands kept;
      const bool yields = module.op(id).info->is("yield");
      for (std::size_t i = 0; i < node.operands.size(); ++i) {
        // break and continue pass a loop's values, not the if's results.
        if (!yields || i >= dropped.size() || !dropped[i]) kept.push_back(node.operands[i]);
      }
      node.operands = std::move(kept);
      node.signature = graph_.interner_(Key("terminator").add(module.op(id).info->mnemonic));
      node.id = operation_id(id, {});
      close_segment();
      key.add(node.id);
    } else if (node.effect && node.may_leave) {
      close_segment();
      key.add(node.id);
    } else if (node.effect) {
      segment.push_back(node.id);
    }
  }
  close_segment();
  graph_.blocks[ir::index(block)] = graph_.interner_(key);
}

}  // namespace tileport::diff
