// SPDX-License-Identifier: Apache-2.0
#include "translate/reduction_tree.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tileport/ir/builder.hpp>
#include <tileport/ir/op_table.hpp>
#include <unordered_map>
#include <vector>

#include "translate/reduction.hpp"

namespace tileport::translate {
namespace {

using ir::OpId;
using ir::TypeKind;
using ir::ValueId;
using Shape = std::vector<std::int64_t>;
using Values = std::vector<ValueId>;

/// Whether an op of a body gives each element of its result from the elements at the same place.
bool is_elementwise(const ir::OpInfo& info) {
  const bool family = info.family == ir::Family::arith || info.family == ir::Family::math ||
                      info.family == ir::Family::convert;
  return info.is("constant") || (family && info.regions == 0 && !info.mnemonic.starts_with("mma") &&
                                 !info.is("pack") && !info.is("unpack"));
}

class Tree {
 public:
  Tree(ir::Module& module, OpId op) : module_(module), op_(op), builder_(module) {}

  /// Replaces the op. False, with nothing changed, if its body can't work on tiles.
  bool expand() {
    if (!has_elementwise_body()) return false;
    builder_.before(op_);
    const ir::Range found = module_.op(op_).operands;
    Values values;
    for (std::uint32_t i = 0; i < found.count; ++i) values.push_back(module_.operand(op_, i));
    const auto axis = static_cast<std::size_t>(module_.word(op_, "dim").value_or(0));
    const bool is_scan = module_.op(op_).info->is("scan");
    values = is_scan ? scan(std::move(values), axis) : reduce(std::move(values), axis);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const ValueId result = module_.result(op_, i);
      builder_.replace_all_uses(result, reshape(values[i], shape_of(result)));
    }
    return builder_.erase(op_).has_value();
  }

 private:
  const Shape& shape_of(ValueId value) const { return module_.type_of(value).shape; }
  ir::BlockId body() const { return *module_.body(op_); }

  bool has_elementwise_body() const {
    const auto& ops = module_.block(body()).ops;
    for (std::size_t i = 0; i + 1 < ops.size(); ++i) {
      const ir::Operation& op = module_.op(ops[i]);
      if (!is_elementwise(*op.info) || op.results.count != 1) return false;
      for (ValueId operand : module_.operands(ops[i])) {
        if (!is_inside(operand)) return false;
      }
    }
    return std::ranges::all_of(module_.operands(ops.back()), [&](ValueId v) { return is_inside(v); });
  }

  /// Whether a value is the body's own.
  bool is_inside(ValueId value) const {
    const ir::Value& definition = module_.value(value);
    if (definition.owner == ir::Value::Owner::block_argument) return definition.owner_id == ir::index(body());
    return module_.op(OpId{definition.owner_id}).parent == body();
  }

  // ---- single steps

  ValueId insert(std::string_view mnemonic, const Values& operands, ir::TypeId result,
                 std::initializer_list<std::pair<std::string_view, std::uint64_t>> words = {}) {
    ir::OperationParts parts;
    parts.info = ir::find_op(mnemonic);
    parts.operands = operands;
    // One operand a group, and all that are left in the last one.
    const std::size_t groups = parts.info->operands.size();
    for (std::size_t g = 0; g < groups; ++g) {
      parts.group_sizes[g] = g + 1 < groups ? 1 : static_cast<std::uint32_t>(operands.size() - g);
    }
    parts.results = {result};
    for (const auto& [name, word] : words) parts.words[*parts.info->attribute_index(name)] = word;
    parts.location = module_.op(op_).location;
    return module_.result(builder_.insert(parts), 0);
  }

  ir::TypeId with_shape(ValueId like, const Shape& shape) {
    return builder_.tile(module_.type_of(like).element, shape);
  }

  ValueId reshape(ValueId value, const Shape& shape) {
    return shape_of(value) == shape ? value : insert("reshape", {value}, with_shape(value, shape));
  }

  ValueId index(std::uint64_t number) {
    if (const auto known = indices_.find(number); known != indices_.end()) return known->second;
    const ValueId made = insert("constant", {}, builder_.tile(TypeKind::i32),
                                {{"value", ir::index(builder_.splat(TypeKind::i32, number))}});
    return indices_.emplace(number, made).first->second;
  }

  /// The part of extent `extent` and number `number` along an axis.
  ValueId part(ValueId value, std::size_t axis, std::int64_t extent, std::uint64_t number) {
    Shape shape = shape_of(value);
    shape[axis] = extent;
    Values operands{value};
    for (std::size_t i = 0; i < shape.size(); ++i) operands.push_back(index(i == axis ? number : 0));
    return insert("extract", operands, with_shape(value, shape));
  }

  /// The body on whole tiles.
  Values combine(const Values& left, const Values& right) {
    std::unordered_map<std::uint32_t, ValueId> lifted;
    for (std::size_t i = 0; i < left.size(); ++i) {
      lifted[ir::index(module_.argument(body(), 2 * i))] = left[i];
      lifted[ir::index(module_.argument(body(), 2 * i + 1))] = right[i];
    }
    const Shape shape = shape_of(left.front());
    const std::vector<OpId> ops = module_.block(body()).ops;
    for (std::size_t i = 0; i + 1 < ops.size(); ++i) {
      lifted[ir::index(module_.result(ops[i], 0))] = lift(ops[i], shape, lifted);
    }
    Values results;
    for (ValueId yielded : module_.operands(ops.back())) results.push_back(lifted.at(ir::index(yielded)));
    return results;
  }

  ValueId lift(OpId id, const Shape& shape, const std::unordered_map<std::uint32_t, ValueId>& lifted) {
    const ir::Operation op = module_.op(id);
    ir::OperationParts parts;
    parts.info = op.info;
    for (ValueId operand : module_.operands(id)) parts.operands.push_back(lifted.at(ir::index(operand)));
    for (std::size_t g = 0; g < op.info->operands.size(); ++g) {
      parts.group_sizes[g] = static_cast<std::uint32_t>(module_.operands(id, g).size());
    }
    parts.results = {with_shape(module_.result(id, 0), shape)};
    for (std::size_t a = 0; a < op.info->attributes.size(); ++a) {
      const ir::AttributeSlot& slot = module_.attribute_slots[op.attributes.first + a];
      if (slot.present) parts.words[a] = slot.word;
    }
    for (std::size_t f = 0; f < op.info->flags.size(); ++f) {
      if (op.info->flags[f].kind == ir::FlagInfo::Kind::unit_attribute) parts.units |= op.flags & 1U << f;
    }
    parts.location = op.location;
    return module_.result(builder_.insert(parts), 0);
  }

  // ---- trees

  Values reduce(Values values, std::size_t axis) {
    for (std::int64_t half = shape_of(values.front())[axis] / 2; half >= 1; half /= 2) {
      Values low;
      Values high;
      for (ValueId value : values) {
        low.push_back(part(value, axis, half, 0));
        high.push_back(part(value, axis, half, 1));
      }
      values = combine(low, high);
    }
    return values;
  }

  Values scan(Values values, std::size_t axis) {
    const Shape shape = shape_of(values.front());
    const auto product = [](auto first, auto last) {
      return std::accumulate(first, last, std::int64_t{1}, std::multiplies<>());
    };
    const auto at = shape.begin() + static_cast<std::ptrdiff_t>(axis);
    const std::int64_t before = product(shape.begin(), at);
    const std::int64_t behind = product(at + 1, shape.end());
    const bool reverse = module_.word(op_, "reverse").value_or(0) != 0;
    for (std::int64_t width = 1; width < shape[axis]; width *= 2) {
      // Blocks of `width` in pairs: the second axis counts pairs, the third is the place in a pair.
      const Shape pairs{before, shape[axis] / (2 * width), 2, width, behind};
      Values low;
      Values high;
      Values ends;  // The last running value of the block that comes first, for each element of the other.
      for (ValueId& value : values) {
        value = reshape(value, pairs);
        low.push_back(part(value, 2, 1, 0));
        high.push_back(part(value, 2, 1, 1));
        const ValueId first = reverse ? high.back() : low.back();
        const ValueId end = part(first, 3, 1, static_cast<std::uint64_t>(reverse ? 0 : width - 1));
        ends.push_back(width == 1 ? end : insert("broadcast", {end}, with_shape(value, shape_of(first))));
      }
      (reverse ? low : high) = combine(ends, reverse ? low : high);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = insert("cat", {low[i], high[i]}, with_shape(values[i], pairs), {{"dim", 2}});
      }
    }
    return values;
  }

  ir::Module& module_;
  OpId op_;
  ir::Builder builder_;
  std::unordered_map<std::uint64_t, ValueId> indices_;
};

}  // namespace

std::optional<ir::Module> with_reduction_trees(const ir::Module& module, ir::BlockId body) {
  std::vector<OpId> found;
  ir::walk(module, body, [&](OpId op) {
    const ir::OpInfo& info = *module.op(op).info;
    if ((info.is("reduce") || info.is("scan")) && wants_tree(module, op)) found.push_back(op);
  });
  if (found.empty()) return std::nullopt;
  ir::Module expanded = module;
  for (OpId op : found) {
    if (!Tree(expanded, op).expand()) return std::nullopt;
  }
  return expanded;
}

}  // namespace tileport::translate
