// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tileport/ir/equality.hpp>
#include <unordered_map>
#include <vector>

namespace tileport::ir {
namespace {

/// A constant's bytes, one element if all are equal.
std::string normal(const Module& module, ConstantId constant, TypeId type) {
  const std::string& raw = module.constants[static_cast<std::size_t>(constant)];
  const Type& tile = module.type(type);
  const TypeKind element = module.type(tile.element).kind;
  if (element == TypeKind::i1) {
    const std::uint64_t count = element_count(tile);
    const auto bit = [&](std::uint64_t i) {
      return raw.size() == 1 && count > 8 ? (raw[0] & 1)
                                          : static_cast<unsigned char>(raw[i / 8]) >> (i % 8) & 1;
    };
    const std::uint64_t listed = raw.size() == 1 && count > 8 ? 1 : count;
    std::string bits;
    for (std::uint64_t i = 0; i < listed; ++i) bits += bit(i) != 0 ? '1' : '0';
    const bool equal = std::ranges::all_of(bits, [&](char c) { return c == bits.front(); });
    return equal ? bits.substr(0, 1) : bits;
  }
  const std::size_t size = (bit_width(element) + 7) / 8;
  for (std::size_t i = size; i < raw.size(); ++i) {
    if (raw[i] != raw[i % size]) return raw;
  }
  return raw.substr(0, size);
}

class Comparison {
 public:
  Comparison(const Module& left, const Module& right)
      : left_(left), right_(right), partner_(left.values.size(), ValueId{kNone}) {}

  std::optional<std::string> run() {
    const auto producer = [](const Module& m) { return m.producer ? m.string(*m.producer) : std::string(); };
    if (producer(left_) != producer(right_)) return "the producers differ";
    if (left_.globals.size() != right_.globals.size()) return "the numbers of globals differ";
    if (left_.functions.size() != right_.functions.size()) return "the numbers of functions differ";
    for (std::size_t i = 0; i < left_.globals.size(); ++i) {
      if (!same_global(left_.globals[i], right_.globals[i]))
        return fmt::format("global @{} differs", left_.string(left_.globals[i].name));
    }
    for (std::size_t i = 0; i < left_.functions.size(); ++i) {
      if (!same_head(left_.functions[i], right_.functions[i]))
        return fmt::format("the head of @{} differs", left_.string(left_.functions[i].name));
      if (!same_block(left_.functions[i].body, right_.functions[i].body)) return difference_;
    }
    return std::nullopt;
  }

 private:
  bool same_type(TypeId a, TypeId b) const { return ir::same_type(left_, a, right_, b); }

  bool same_global(const Global& a, const Global& b) const {
    return left_.string(a.name) == right_.string(b.name) && same_type(a.type, b.type) &&
           normal(left_, a.value, a.type) == normal(right_, b.value, b.type) && a.alignment == b.alignment &&
           a.is_private == b.is_private && a.is_constant == b.is_constant;
  }

  bool same_head(const Function& a, const Function& b) const {
    const auto hints = [](const Module& m, const Function& f) {
      return f.hints && !m.attribute(*f.hints).keys.empty() ? &m.attribute(*f.hints) : nullptr;
    };
    const Attribute* x = hints(left_, a);
    const Attribute* y = hints(right_, b);
    return left_.string(a.name) == right_.string(b.name) && same_type(a.type, b.type) &&
           a.is_kernel == b.is_kernel && !x == !y && (!x || same_attribute(*x, *y, true));
  }

  bool differs(OpId op, std::string_view what) {
    if (difference_.empty()) difference_ = fmt::format("{}: {}", left_.access_path(op), what);
    return false;
  }

  bool same_block(BlockId a, BlockId b) {
    const Block& x = left_.block(a);
    const Block& y = right_.block(b);
    if (x.arguments.count != y.arguments.count) {
      difference_ = "the numbers of a body's arguments differ";
      return false;
    }
    for (std::uint32_t i = 0; i < x.arguments.count; ++i) {
      pair(left_.argument(a, i), right_.argument(b, i));
      if (!same_type(left_.value(left_.argument(a, i)).type, right_.value(right_.argument(b, i)).type)) {
        difference_ = "the types of a body's arguments differ";
        return false;
      }
    }
    for (std::size_t i = 0; i < std::min(x.ops.size(), y.ops.size()); ++i) {
      if (!same_op(x.ops[i], y.ops[i])) return false;
    }
    if (x.ops.size() == y.ops.size()) return true;
    difference_ = fmt::format("a body has {} ops, the other {}", x.ops.size(), y.ops.size());
    return false;
  }

  void pair(ValueId a, ValueId b) { partner_[index(a)] = b; }

  bool same_op(OpId a, OpId b) {
    const Operation& x = left_.op(a);
    const Operation& y = right_.op(b);
    if (x.info != y.info) return differs(a, fmt::format("the other op is {}", y.info->mnemonic));
    for (std::size_t group = 0; group < x.info->operands.size(); ++group) {
      const auto same = [&](ValueId p, ValueId q) { return partner_[index(p)] == q; };
      if (!std::ranges::equal(left_.operands(a, group), right_.operands(b, group), same))
        return differs(a, fmt::format("the operands '{}' differ", x.info->operands[group].name));
    }
    if (x.results.count != y.results.count) return differs(a, "the numbers of results differ");
    for (std::uint32_t i = 0; i < x.results.count; ++i) {
      pair(left_.result(a, i), right_.result(b, i));
      if (!same_type(left_.value(left_.result(a, i)).type, right_.value(right_.result(b, i)).type))
        return differs(a, "the types of results differ");
    }
    if (!same_attributes(a, b)) return false;
    for (std::size_t i = 0; i < x.regions.count; ++i) {
      const auto p = left_.body(a, i);
      const auto q = right_.body(b, i);
      if (p.has_value() != q.has_value()) return differs(a, "the regions differ");
      if (p && !same_block(*p, *q)) return false;
    }
    return true;
  }

  bool same_attributes(OpId a, OpId b) {
    const OpInfo& info = *left_.op(a).info;
    for (std::size_t bit = 0; bit < info.flags.size(); ++bit) {
      const bool unit = info.flags[bit].kind == FlagInfo::Kind::unit_attribute;
      if (unit && ((left_.op(a).flags ^ right_.op(b).flags) >> bit & 1U) != 0)
        return differs(a, fmt::format("'{}' differs", info.flags[bit].name));
    }
    for (const AttributeInfo& attribute : info.attributes) {
      if (!same_word(attribute, a, b)) return differs(a, fmt::format("'{}' differs", attribute.name));
    }
    return true;
  }

  bool same_word(const AttributeInfo& info, OpId a, OpId b) const {
    const auto x = left_.word(a, info.name);
    const auto y = right_.word(b, info.name);
    if (info.encoding == Encoding::boolean_array) {
      // Nothing but false says nothing.
      const auto says = [](const Module& m, std::optional<std::uint64_t> word) {
        return word &&
               std::ranges::any_of(m.attributes[*word].numbers, [](std::int64_t n) { return n != 0; });
      };
      if (!says(left_, x) && !says(right_, y)) return true;
    }
    if (!x || !y) return x.has_value() == y.has_value();
    switch (info.encoding) {
      case Encoding::enumeration:
      case Encoding::integer:
      case Encoding::boolean:
        return *x == *y;
      case Encoding::string:
        return left_.strings[*x] == right_.strings[*y];
      case Encoding::type:
        return same_type(static_cast<TypeId>(*x), static_cast<TypeId>(*y));
      case Encoding::constant:
        return normal(left_, static_cast<ConstantId>(*x), left_.value(left_.result(a, 0)).type) ==
               normal(right_, static_cast<ConstantId>(*y), right_.value(right_.result(b, 0)).type);
      default:
        return same_attribute(left_.attributes[*x], right_.attributes[*y], false);
    }
  }

  /// A boolean, and an integer of one bit, are one thing.
  static Attribute::Kind kind_of(const Module& module, const Attribute& attribute) {
    const bool bit =
        attribute.kind == Attribute::Kind::integer && module.type(attribute.type).kind == TypeKind::i1;
    return bit ? Attribute::Kind::boolean : attribute.kind;
  }

  static std::int64_t value_of(const Module& module, const Attribute& integer) {
    const unsigned unused = 64 - bit_width(module.type(integer.type).kind);
    return static_cast<std::int64_t>(integer.bits << unused) >> unused;
  }

  bool same_attribute(const Attribute& a, const Attribute& b, bool in_dictionary) const {
    using Kind = Attribute::Kind;
    const Kind kind = kind_of(left_, a);
    if (kind != kind_of(right_, b)) return false;
    switch (kind) {
      case Kind::integer:
        return value_of(left_, a) == value_of(right_, b) && (in_dictionary || same_type(a.type, b.type));
      case Kind::floating:
        return a.bits == b.bits && same_type(a.type, b.type);
      case Kind::boolean:
        return a.bits == b.bits;
      case Kind::type_attribute:
        return same_type(a.type, b.type);
      case Kind::string:
        return left_.string(a.string) == right_.string(b.string);
      case Kind::array:
        return std::ranges::equal(a.items, b.items, [&](AttributeId p, AttributeId q) {
          return same_attribute(left_.attribute(p), right_.attribute(q), in_dictionary);
        });
      case Kind::dictionary:
      case Kind::optimization_hints:
        return same_dictionary(a, b);
      default:
        return a.bits == b.bits && a.first == b.first && a.second == b.second && a.numbers == b.numbers;
    }
  }

  bool same_dictionary(const Attribute& a, const Attribute& b) const {
    if (a.keys.size() != b.keys.size()) return false;
    std::unordered_map<std::string_view, AttributeId> items;
    for (std::size_t i = 0; i < b.keys.size(); ++i) items.emplace(right_.string(b.keys[i]), b.items[i]);
    for (std::size_t i = 0; i < a.keys.size(); ++i) {
      const auto item = items.find(left_.string(a.keys[i]));
      if (item == items.end()) return false;
      if (!same_attribute(left_.attribute(a.items[i]), right_.attribute(item->second), true)) return false;
    }
    return true;
  }

  const Module& left_;
  const Module& right_;
  std::vector<ValueId> partner_;  ///< Of each value on the left.
  std::string difference_;
};

}  // namespace

std::optional<std::string> first_difference(const Module& left, const Module& right) {
  return Comparison(left, right).run();
}

}  // namespace tileport::ir
