// SPDX-License-Identifier: Apache-2.0
// reduce and scan by the pattern of their bodies.
//
// cutile 0.5.0 has calls for sum, product, minimum and maximum whose bodies and identities are fixed. Its
// general reduce ignores axis and identity, its scan too: only a running sum along axis 0 is right as it
// stands.
#include "translate/reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tl/expected.hpp>

#include "translate/codes.hpp"
#include "translate/constants.hpp"
#include "translate/rust_types.hpp"
#include "translate/shape.hpp"

namespace tileport::translate {
namespace {

using ir::TypeKind;

enum class Combination { sum, product, minimum, maximum };

/// A body that is one op on its two arguments.
struct Body {
  Combination combination = Combination::sum;
  bool is_signed = true;
};

std::optional<Combination> combination_of(std::string_view mnemonic) {
  if (mnemonic == "addf" || mnemonic == "addi") return Combination::sum;
  if (mnemonic == "mulf" || mnemonic == "muli") return Combination::product;
  if (mnemonic == "minf" || mnemonic == "mini") return Combination::minimum;
  if (mnemonic == "maxf" || mnemonic == "maxi") return Combination::maximum;
  return std::nullopt;
}

/// Whether the op's modes are those that cutile's bodies have: nearest even, no flush to zero, no NaN
/// propagation, wrapping.
bool has_plain_modes(OpReader& op) {
  bool plain = true;
  for (const ir::FlagInfo& flag : op.info().flags) plain = plain && !op.flag(flag.name);
  for (const ir::AttributeInfo& attribute : op.info().attributes) {
    const auto mode = op.enumerator(attribute.name);
    plain = plain && (mode == "nearest_even" || mode == "none" || mode == "signed" || mode == "unsigned");
  }
  return plain;
}

std::optional<Body> read_body(const ir::Module& module, OpReader& op) {
  const auto block = module.body(op.id());
  if (!block || module.block(*block).arguments.count != 2) return std::nullopt;
  const auto& ops = module.block(*block).ops;
  if (ops.size() != 2) return std::nullopt;
  OpReader inner(module, ops[0]);
  const auto combination = combination_of(inner.mnemonic());
  if (!combination || !has_plain_modes(inner)) return std::nullopt;
  const auto operands = inner.all_operands();
  if (operands[0] != module.argument(*block, 0) || operands[1] != module.argument(*block, 1))
    return std::nullopt;
  const auto yielded = module.operands(ops[1]);
  if (yielded.size() != 1 || yielded[0] != inner.result() || !inner.unread().empty()) return std::nullopt;
  Body body{*combination, true};
  if (inner.info().attribute_index("signedness")) body.is_signed = inner.enumerator("signedness") == "signed";
  return body;
}

std::uint64_t all_ones(TypeKind kind) { return ~std::uint64_t{0} >> (64 - ir::bit_width(kind)); }

/// The identity that cutile writes for a combination; the bit pattern.
std::optional<std::uint64_t> identity(const Body& body, TypeKind kind) {
  struct FloatBits {
    TypeKind kind;
    std::uint64_t one, infinity, negative_infinity;
  };
  constexpr FloatBits kFloats[] = {
      {TypeKind::f16, 0x3C00, 0x7C00, 0xFC00},
      {TypeKind::bf16, 0x3F80, 0x7F80, 0xFF80},
      {TypeKind::f32, 0x3F800000, 0x7F800000, 0xFF800000},
      {TypeKind::f64, 0x3FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000},
  };
  if (body.combination == Combination::sum) return 0;
  if (ir::is_integer(kind)) {
    const std::uint64_t top = std::uint64_t{1} << (ir::bit_width(kind) - 1);
    if (body.combination == Combination::product) return 1;
    if (body.combination == Combination::maximum) return body.is_signed ? top : 0;
    return body.is_signed ? top - 1 : all_ones(kind);
  }
  for (const FloatBits& bits : kFloats) {
    if (bits.kind != kind) continue;
    if (body.combination == Combination::product) return bits.one;
    return body.combination == Combination::maximum ? bits.negative_infinity : bits.infinity;
  }
  return std::nullopt;
}

bool is_reducible(TypeKind kind) {
  constexpr TypeKind kKinds[] = {TypeKind::f16, TypeKind::bf16, TypeKind::f32,
                                 TypeKind::f64, TypeKind::i32,  TypeKind::i64};
  return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

/// Why an op has no call.
struct Obstacle {
  std::string_view code;
  std::string message;
  std::string advice{};
  bool has_tree = false;
};

/// What the op's call does, or why it has none.
tl::expected<Body, Obstacle> recognize(const ir::Module& module, OpReader& op) {
  const auto operands = op.operands("operands");
  const ir::Attribute& identities = *op.tagged("identities");
  const std::string_view name = op.mnemonic();
  const auto sign_lost = [&](ir::AttributeId id) { return module.attribute(id).sign_lost; };
  if (std::ranges::any_of(identities.items, sign_lost)) {
    return tl::unexpected(Obstacle{
        code::kDefectiveReference,
        fmt::format("the reference is wrong: cuda-tile 1.7.0 lost the sign of an f64 identity of this {}, so "
                    "that it starts, for example, a maximum from +inf instead of -inf",
                    name),
        "use a cuda-tile that writes it right, or reduce in float32, and capture again; a port of what is "
        "there would be as wrong"});
  }
  if (operands.size() != 1) {
    return tl::unexpected(Obstacle{
        code::kReduction, fmt::format("cutile 0.5.0 has no {} of {} tiles at once", name, operands.size()),
        "argmax and argmin are such reductions", true});
  }
  const TypeKind kind = module.type(module.type_of(operands.front()).element).kind;
  const auto body = read_body(module, op);
  if (!body || (op.info().is("scan") && body->combination != Combination::sum)) {
    return tl::unexpected(Obstacle{
        code::kReduction,
        fmt::format("cutile 0.5.0 has no {} with this body: its general {} ignores axis and identity", name,
                    name),
        {},
        true});
  }
  if (!is_reducible(kind)) {
    return tl::unexpected(Obstacle{code::kReduction,
                                   fmt::format("cutile 0.5.0 has no {} of {}", name, ir::keyword(kind)),
                                   "in the Python source, convert to 32 bits first", true});
  }
  const auto wanted = identity(*body, kind);
  const std::uint64_t bits =
      identities.items.size() == 1 ? module.attribute(identities.items.front()).bits : ~wanted.value_or(0);
  if (!wanted || bits != *wanted) {
    return tl::unexpected(Obstacle{
        code::kReduction,
        fmt::format("the identity of this {} is not the one that cutile 0.5.0 writes for its body", name)});
  }
  return *body;
}

/// The same; an obstacle is a refusal.
std::optional<Body> recognize_or_refuse(Entry& entry, OpReader& op) {
  const auto body = recognize(entry.module(), op);
  if (body) return *body;
  const Obstacle& obstacle = body.error();
  std::string message = obstacle.message;
  if (obstacle.has_tree) message += ", and the body doesn't work element by element, so it is no tree either";
  entry.refuse(op.id(), obstacle.code, std::move(message), obstacle.advice);
  return std::nullopt;
}

std::string_view function_of(Combination combination) {
  switch (combination) {
    case Combination::sum:
      return "reduce_sum";
    case Combination::product:
      return "reduce_prod";
    case Combination::minimum:
      return "reduce_min";
    case Combination::maximum:
      return "reduce_max";
  }
  return {};
}

std::string_view role_of(Combination combination) {
  switch (combination) {
    case Combination::sum:
      return "total";
    case Combination::product:
      return "product";
    case Combination::minimum:
      return "minimum";
    case Combination::maximum:
      return "maximum";
  }
  return {};
}

std::string zero_literal(Entry& entry, TypeKind kind) {
  if (ir::is_integer(kind)) return "0";
  return entry.types().element(kind) + "::ZERO";
}

}  // namespace

bool wants_tree(const ir::Module& module, ir::OpId id) {
  OpReader op(module, id);
  const auto body = recognize(module, op);
  return !body && body.error().has_tree;
}

void reduce(Entry& entry, OpReader& op) {
  const auto body = recognize_or_refuse(entry, op);
  const std::uint64_t dim = op.word("dim");
  if (!body) return;
  const ir::ValueId operand = op.operands("operands").front();
  const std::string function(function_of(body->combination));
  const std::string_view role = role_of(body->combination);
  const std::string axis = fmt::format("{}", dim);
  if (body->is_signed) {
    entry.define(op, role, call(function, {entry.name(operand), axis}));
    return;
  }
  const std::string unsigned_type =
      entry.types().tile(unsigned_name(entry.element(operand)), entry.type(op.result()).shape);
  const std::string raw = entry.bind(fmt::format("{}_unsigned", role), unsigned_type,
                                     call(function, {entry.as_unsigned(operand), axis}));
  entry.define(op, role, call("bitcast", {raw}));
}

void scan(Entry& entry, OpReader& op) {
  const auto body = recognize_or_refuse(entry, op);
  const auto dim = static_cast<std::size_t>(op.word("dim"));
  const std::string direction = op.word("reverse") != 0 ? "reverse::Reverse" : "reverse::Forward";
  if (!body) return;
  const ir::ValueId operand = op.operands("operands").front();
  const TypeKind kind = entry.element(operand);
  const std::string zero = zero_literal(entry, kind);
  if (dim == 0) {
    entry.define(op, "running_total", call("scan_sum", {entry.name(operand), "0", direction, zero}));
    return;
  }
  // cutile 0.5.0 scans axis 0 whatever the axis. Axes of extent 1 before it go away in a reshape; otherwise
  // the axis is moved to the front and back.
  const auto& shape = entry.type(operand).shape;
  if (std::all_of(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(dim),
                  [](std::int64_t extent) { return extent == 1; })) {
    const auto rest = std::span(shape).subspan(dim);
    const std::string type = entry.types().tile(entry.types().element(kind), rest);
    const std::string shorter =
        entry.bind(entry.stem(operand) + "_from_axis", type,
                   call("reshape", {entry.name(operand), entry.types().shape_value(rest)}));
    const std::string totals =
        entry.bind("running_total_from_axis", type, call("scan_sum", {shorter, "0", direction, zero}));
    entry.define(op, "running_total", call("reshape", {totals, entry.types().shape_value(shape)}));
    return;
  }
  std::vector<std::int32_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(dim),
              order.begin() + static_cast<std::ptrdiff_t>(dim) + 1);
  std::vector<std::int32_t> back(order.size());
  std::vector<std::int64_t> moved_shape;
  for (std::size_t i = 0; i < order.size(); ++i) {
    back[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    moved_shape.push_back(shape[static_cast<std::size_t>(order[i])]);
  }
  const std::string type = entry.types().tile(entry.types().element(kind), moved_shape);
  const std::string moved = entry.bind(entry.stem(operand) + "_axis_first", type,
                                       call("permute", {entry.name(operand), axis_order(entry, order)}));
  const std::string totals =
      entry.bind("running_total_axis_first", type, call("scan_sum", {moved, "0", direction, zero}));
  entry.define(op, "running_total", call("permute", {totals, axis_order(entry, back)}));
}

}  // namespace tileport::translate
