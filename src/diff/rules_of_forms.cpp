// SPDX-License-Identifier: Apache-2.0
// Rules for what one front end writes in one op and another in several: ceiling division, minimum and
// maximum, remainders, permuted loads. They hold only where the values' known ranges or uses make both forms
// equal.
#include <algorithm>
#include <limits>
#include <utility>

#include "diff/lift.hpp"

namespace tileport::diff {

using ir::OpId;
using ir::ValueId;

namespace {

/// How far conversions are followed for a value's range.
constexpr int kDeepestRange = 4;

std::int64_t largest(unsigned width) {
  return width >= 64 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << (width - 1)) - 1;
}

}  // namespace

ir::TypeKind Lift::element_of(ValueId value) const {
  const ir::Type& type = graph_.module.type_of(value);
  return type.kind == ir::TypeKind::tile ? graph_.module.type(type.element).kind : type.kind;
}

/// Bounds of an integer's elements by its type, what is promised of it where it is used, and what it is.
Lift::Bounds Lift::bounds_of(ValueId value, int depth) const {
  const unsigned width = ir::bit_width(element_of(value));
  Bounds bounds{width == 0 ? std::numeric_limits<std::int64_t>::min() : -largest(width) - 1, largest(width)};
  const auto narrow = [&](std::optional<std::int64_t> lower, std::optional<std::int64_t> upper) {
    if (lower) bounds.lower = std::max(bounds.lower, *lower);
    if (upper) bounds.upper = std::min(bounds.upper, *upper);
  };
  if (const auto constant = graph_.integer_constant(value)) return {*constant, *constant};
  const Facts& facts = graph_.facts_of(value);
  narrow(facts.lower, facts.upper);
  const Facts inherent = graph_.inherent_facts(graph_.value(value).base);
  narrow(inherent.lower, inherent.upper);
  const auto made = graph_.producer(value);
  if (!made || depth >= kDeepestRange) return bounds;
  const ir::OpInfo& info = *graph_.module.op(*made).info;
  if (info.is("reshape") || info.is("broadcast") ||
      (info.is("exti") && graph_.module.enumerator(*made, "signedness") == "signed")) {
    const Bounds inner = bounds_of(graph_.module.operand(*made, 0), depth + 1);
    narrow(inner.lower, inner.upper);
  }
  return bounds;
}

/// (a + (c - 1)) / c is ceil(a / c) for a >= 0 and a constant c > 0, if the sum can't overflow.
bool Lift::ceil_division(OpId id) {
  const ir::Module& module = graph_.module;
  if (module.enumerator(id, "signedness") != "signed") return false;
  OpNode& node = graph_.ops[ir::index(id)];
  const std::string_view rounding = module.enumerator(id, "rounding");
  const auto divisor = graph_.integer_constant(module.operand(id, 1));
  if (!divisor || *divisor <= 0) return false;
  ValueId dividend = module.operand(id, 0);
  if (rounding != "positive_inf") {
    const auto sum = graph_.producer(dividend);
    if (!sum || !module.op(*sum).info->is("addi")) return false;
    const bool first = graph_.integer_constant(module.operand(*sum, 0)) == *divisor - 1;
    if (!first && graph_.integer_constant(module.operand(*sum, 1)) != *divisor - 1) return false;
    dividend = module.operand(*sum, first ? 1 : 0);
    const Bounds bounds = bounds_of(dividend, 0);
    if (bounds.lower < 0 || bounds.upper > largest(ir::bit_width(element_of(dividend))) - (*divisor - 1))
      return false;
    if (node.live) count(Rule::ceil_division);
  }
  node.operands = {dividend, module.operand(id, 1)};
  node.signature =
      graph_.interner_(Key("ceil division").add(graph_.keys().type(module.value(module.result(id, 0)).type)));
  node.id = operation_id(id, {});
  define_results(id);
  return true;
}

/// select(a < b, a, b) is min(a, b), select(a > b, a, b) is max(a, b); of integers.
bool Lift::select_extreme(OpId id) {
  const ir::Module& module = graph_.module;
  const auto comparison = graph_.producer(module.operand(id, 0));
  if (!comparison || !module.op(*comparison).info->is("cmpi")) return false;
  const auto number = [&](ValueId value) { return graph_.value(value).id; };
  const Id left = number(module.operand(*comparison, 0));
  const Id right = number(module.operand(*comparison, 1));
  const Id chosen = number(module.operand(id, 1));
  const Id other = number(module.operand(id, 2));
  const bool straight = chosen == left && other == right;
  if (left == right || (!straight && !(chosen == right && other == left))) return false;
  const std::string_view predicate = module.enumerator(*comparison, "comparison_predicate");
  const bool less = predicate.starts_with("less");
  if (!less && !predicate.starts_with("greater")) return false;
  const std::string_view mnemonic = less == straight ? "mini" : "maxi";
  OpNode& node = graph_.ops[ir::index(id)];
  node.operands = {module.operand(id, 1), module.operand(id, 2)};
  if (number(node.operands[1]) < number(node.operands[0])) std::swap(node.operands[0], node.operands[1]);
  // The signature of that op, as `signature` writes it.
  Key key("signature");
  key.add(mnemonic).add(graph_.interner_(Key("slot").add(1U).add(*module.word(*comparison, "signedness"))));
  key.add(1U).add(1U).add(graph_.keys().type(module.value(module.result(id, 0)).type));
  node.signature = graph_.interner_(key);
  node.id = operation_id(id, {});
  define_results(id);
  if (node.live) count(Rule::select_minimum_maximum);
  return true;
}

/// Whether a value is `cmpi PREDICATE x, 0` of the value with this number.
bool Lift::compares_with_zero(ValueId value, std::string_view predicate, Id number) const {
  const auto made = graph_.producer(value);
  return made && graph_.module.op(*made).info->is("cmpi") &&
         graph_.module.enumerator(*made, "comparison_predicate") == predicate &&
         graph_.value(graph_.module.operand(*made, 0)).id == number &&
         graph_.integer_constant(graph_.module.operand(*made, 1)) == 0;
}

/// select((r < 0 ^ c < 0) & r != 0, r + c, r) with r = a rem c is Python's remainder; for a >= 0 and c > 0 it
/// is r.
bool Lift::corrected_remainder(OpId id) {
  const ir::Module& module = graph_.module;
  const ValueId plain = module.operand(id, 2);
  const Id remainder_number = graph_.value(plain).id;
  const auto remainder = graph_.producer(plain);
  if (!remainder || !module.op(*remainder).info->is("remi") ||
      module.enumerator(*remainder, "signedness") != "signed")
    return false;
  const ValueId divisor = module.operand(*remainder, 1);
  if (bounds_of(module.operand(*remainder, 0), 0).lower < 0 || bounds_of(divisor, 0).lower <= 0) return false;
  const auto both = graph_.producer(module.operand(id, 0));
  if (!both || !module.op(*both).info->is("andi")) return false;
  for (const bool turned : {false, true}) {
    const ValueId signs = module.operand(*both, turned ? 1 : 0);
    const auto differ = graph_.producer(signs);
    if (!compares_with_zero(module.operand(*both, turned ? 0 : 1), "not_equal", remainder_number) ||
        !differ || !module.op(*differ).info->is("xori")) {
      continue;
    }
    const Id number = graph_.value(divisor).id;
    const auto is_sign = [&](std::size_t operand, Id of) {
      return compares_with_zero(module.operand(*differ, operand), "less_than", of);
    };
    if (!(is_sign(0, remainder_number) && is_sign(1, number)) &&
        !(is_sign(1, remainder_number) && is_sign(0, number))) {
      continue;
    }
    forward(module.result(id, 0), plain);
    graph_.ops[ir::index(id)].folded = true;
    if (graph_.node(id).live) count(Rule::remainder_sign);
    return true;
  }
  return false;
}

/// A load whose tile only one permute reads is the load of the permuted tile: through the view with the
/// tile's extents and dim_map permuted, at the permuted indices. permute's result dim i is its operand's dim
/// p[i].
bool Lift::permuted_load(OpId id) {
  const ir::Module& module = graph_.module;
  const ValueId tile = module.result(id, 0);
  const auto only = permute_of_.find(ir::index(tile));
  if (only == permute_of_.end()) return false;
  const OpId permute = only->second;
  const auto view = graph_.producer(module.operand(id, 0));
  if (!view || !module.op(*view).info->is("make_partition_view")) return false;
  // Promises of single dimensions would have to change places too.
  const ir::AttributeInfo& inbounds =
      module.op(id).info->attributes[*module.op(id).info->attribute_index("inbounds")];
  const auto promised = static_cast<std::size_t>(&inbounds - module.op(id).info->attributes.begin());
  if (module.says_something(module.attribute_slots[module.op(id).attributes.first + promised], inbounds))
    return false;
  const auto& order = module.tagged(permute, "permutation")->numbers;
  const ir::Type old = module.type_of(module.result(*view, 0));
  const auto indices = module.operands(id, "index");
  if (order.size() != old.shape.size() || indices.size() != order.size()) return false;
  ir::Type turned = old;
  Operands operands{module.operand(id, 0)};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = static_cast<std::size_t>(order[i]);
    turned.shape[i] = old.shape[from];
    turned.dim_map[i] = old.dim_map[from];
    operands.push_back(indices[from]);
  }
  const auto tokens = module.operands(id, "token");
  operands.insert(operands.end(), tokens.begin(), tokens.end());

  const Id turned_type = graph_.keys().type(turned);
  const Id view_operation =
      graph_.interner_(Key("op")
                           .add(signature(*view, {}, {turned_type}))
                           .add(std::vector<Id>{graph_.value(module.operand(*view, 0)).id})
                           .add(std::vector<Id>{}));
  const Id view_number = graph_.interner_(Key("result").add(view_operation).add(0));
  OpNode& node = graph_.ops[ir::index(id)];
  node.operands = operands;
  const ValueId result = module.result(permute, 0);
  node.signature = signature(id, {},
                             {graph_.keys().type(module.value(result).type),
                              graph_.keys().type(module.value(module.result(id, 1)).type)});
  std::vector<Id> numbers{view_number};
  for (std::size_t i = 1; i < operands.size(); ++i) numbers.push_back(graph_.value(operands[i]).id);
  node.id = graph_.interner_(Key("op").add(node.signature).add(numbers).add(std::vector<Id>{}));
  // What the permute gives is the load's tile; what the load gives nothing else reads.
  const Id loaded = graph_.interner_(Key("result").add(node.id).add(0));
  define(tile, graph_.interner_(Key("unpermuted").add(loaded)));
  permuted_[ir::index(tile)] = loaded;
  ++graph_.copies[loaded];
  define_results(id);
  count(Rule::permuted_load);
  return true;
}

/// The permute behind such a load.
bool Lift::permuted_result(OpId id) {
  const ValueId operand = graph_.module.operand(id, 0);
  const auto loaded = permuted_.find(ir::index(operand));
  if (loaded == permuted_.end()) return false;
  graph_.values[ir::index(graph_.module.result(id, 0))] = {loaded->second, operand, 0};
  graph_.ops[ir::index(id)].folded = true;
  return true;
}

/// Tiles that one permute, and nothing else, reads.
void Lift::find_permutes() {
  std::unordered_map<std::uint32_t, OpId> readers;
  std::unordered_map<std::uint32_t, std::uint32_t> uses;
  ir::walk(graph_.module, graph_.body, [&](OpId op) {
    if (!graph_.node(op).live) return;
    for (const ValueId operand : graph_.module.operands(op)) ++uses[ir::index(operand)];
    if (graph_.module.op(op).info->is("permute")) readers[ir::index(graph_.module.operand(op, 0))] = op;
  });
  for (const auto& [value, op] : readers) {
    const auto load = graph_.module.producer_of(ValueId{value});
    if (uses[value] == 1 && load && graph_.module.op(*load).info->is("load_view_tko"))
      permute_of_[value] = op;
  }
}

}  // namespace tileport::diff
