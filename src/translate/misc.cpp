// SPDX-License-Identifier: Apache-2.0
// Constants, promises, diagnostics and the grid.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "translate/codes.hpp"
#include "translate/constants.hpp"
#include "translate/declarations.hpp"
#include "translate/handlers.hpp"
#include "translate/rust_types.hpp"
#include "translate/splat.hpp"

namespace tileport::translate {

namespace {

/// Whether a const generic, which is an i32, can stand for a constant.
bool can_be_generic(ir::TypeKind kind, std::uint64_t bits) {
  if (kind == ir::TypeKind::i32 || kind == ir::TypeKind::f32) return true;
  const std::int64_t value = signed_value(kind, bits);
  return kind == ir::TypeKind::i64 && value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool is_scalar(const Splat& splat) { return splat.shape == "shape![]"; }

/// A const generic on all places of a tile. cutile 0.5.0 refuses one in `constant`.
Expression spread_generic(Entry& entry, const Splat& splat) {
  if (!is_scalar(splat)) return call("broadcast_scalar", {splat.value, splat.shape});
  return call(fmt::format("{}::<{}>", declared(entry, Need::number), splat.value), {});
}

}  // namespace

std::optional<Splat> splat(Entry& entry, ir::TypeKind kind, std::uint64_t bits,
                           std::span<const std::int64_t> shape) {
  const auto form = constant_form(kind, bits);
  if (!form) return std::nullopt;
  // The zeros of all types but f32 and f64, which have decimals, are written alike.
  const std::string element =
      form->is_zero_of_type ? entry.types().element(kind) : std::string(element_name(kind));
  Splat result{constant_role(kind, bits), entry.types().tile(element, shape),
               entry.types().shape_value(shape), form->literal, kind};
  if (form->is_zero_of_type) {
    result.role = "zero";
    result.value = element + "::ZERO";
  }
  if (form->carrier) {
    result.carrier = form->carrier;
    result.carrier_type = entry.types().tile(element_name(*form->carrier), shape);
  } else if (can_be_generic(kind, bits)) {
    const auto literal = entry.literals().next({Literal::Kind::element, kind, signed_value(kind, bits), {}});
    // Written in any case, so that both translations write the same literals.
    result.carrier_type = entry.types().tile("i32", shape);
    result.is_generic = literal.is_generic;
    if (literal.is_generic) result.role = lower_case(literal.text);
    if (literal.is_mark) result.role = fmt::format("const_{}", ir::keyword(kind));
    if (literal.is_generic || literal.is_mark) result.value = literal.text;
  }
  if (form->needs_bf16_trait) entry.need(Need::bf16_trait);
  return result;
}

std::string write(Entry& entry, const Splat& splat) {
  if (splat.is_generic) {
    const Expression numbers = spread_generic(entry, splat);
    if (splat.kind == ir::TypeKind::i32) return entry.bind(splat.role, splat.type, numbers);
    const bool is_float = splat.kind == ir::TypeKind::f32;
    const std::string narrow = entry.bind(splat.role, splat.carrier_type, numbers);
    return entry.bind(splat.role, splat.type, call(is_float ? "bitcast" : "exti", {narrow}));
  }
  if (splat.value == "false") {
    // `constant(false, …)` gives true in cutile 0.5.0; a scalar `false` is right.
    const std::string no = entry.bind("no", "bool", text("false"));
    return entry.bind(
        splat.role, splat.type,
        is_scalar(splat) ? call("scalar_to_tile", {no}) : call("broadcast_scalar", {no, splat.shape}));
  }
  const Expression written = call("constant", {splat.value, splat.shape});
  if (!splat.carrier) return entry.bind(splat.role, splat.type, written);
  const std::string raw = entry.bind(splat.role + "_bits", splat.carrier_type, written);
  return entry.bind(splat.role, splat.type, call("bitcast", {raw}));
}

namespace {

/// Constants are written where they are used. Where the reference has them says nothing: cuTile Python keeps
/// one for all uses of a number, whatever the number means.
void constant(Entry& entry, OpReader& op) {
  const ir::TypeKind kind = entry.element(op.result());
  const auto bits = splat_bits(kind, entry.module().constants[op.word("value")]);
  if (!bits) {
    entry.refuse(
        op.id(), code::kConstant,
        "a constant whose elements differ can't be expressed: cuTile Rust's constants repeat one element",
        "in the Python source, compute the tile (from arange, where, …) or pass it as an array");
  } else if (!constant_form(kind, *bits)) {
    entry.refuse(op.id(), code::kConstant,
                 fmt::format("a constant of {} can't be expressed in cutile 0.5.0", ir::keyword(kind)));
  } else {
    entry.hold_constant(op.result(), *bits);
  }
}

std::string optional_number(std::optional<std::int64_t> number) {
  return number ? fmt::format("Some({})", *number) : "None";
}

void assume(Entry& entry, OpReader& op) {
  using Kind = ir::Attribute::Kind;
  const ir::ValueId value = op.operand("value");
  const ir::Attribute& predicate = *op.tagged("predicate");
  const std::string stem = entry.stem(value);
  const std::string name = entry.name(value);
  switch (predicate.kind) {
    case Kind::div_by:
      entry.define(
          op.result(), stem,
          call("assume_div_by_raw", {name, fmt::format("{}", predicate.bits),
                                     optional_number(predicate.first), optional_number(predicate.second)}));
      break;
    case Kind::bounded:
      entry.define(op.result(), stem,
                   call("assume_bounds_raw",
                        {name, optional_number(predicate.first), optional_number(predicate.second)}));
      entry.write_divisor(op.result());
      break;
    case Kind::same_elements:
      entry.define(
          op.result(), stem,
          call("assume_same_elements_raw", {name, fmt::format("[{}]", fmt::join(predicate.numbers, ", "))}));
      break;
    default:
      entry.refuse(op.id(), code::kValue, "the promise is none that cuTile Rust can make");
  }
}

std::string quoted(std::string_view text) {
  std::string literal = "\"";
  for (char c : text) {
    switch (c) {
      case '"':
        literal += "\\\"";
        break;
      case '\\':
        literal += "\\\\";
        break;
      case '\n':
        literal += "\\n";
        break;
      case '\t':
        literal += "\\t";
        break;
      case '\r':
        literal += "\\r";
        break;
      default:
        literal += c;
    }
  }
  return literal + '"';
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t' || c == '\r'; });
}

void check(Entry& entry, OpReader& op) {
  const std::string& message = entry.module().strings[op.word("message")];
  const std::string condition = entry.name(op.operand("condition"));
  if (!is_printable(message)) {
    entry.refuse(op.id(), code::kValue,
                 "the message of an assert must be printable ASCII to be written in Rust");
  }
  entry.out().statement(call("cuda_tile_assert!", {condition, quoted(message)}));
}

/// cuTile Rust prints one tile behind a token, or any number without.
void print(Entry& entry, OpReader& op) {
  const std::string& format = entry.module().strings[op.word("str")];
  const auto arguments = op.operands("args");
  const auto token = op.optional_operand("token");
  if (!is_printable(format)) {
    entry.refuse(op.id(), code::kValue,
                 "the format of a print must be printable ASCII to be written in Rust");
  }
  if (arguments.size() != 1) {
    entry.refuse(
        op.id(), code::kValue,
        fmt::format("print_tko of {} tiles can't be expressed: cuTile Rust prints one tile in order with "
                    "other memory ops",
                    arguments.size()),
        "in the Python source, print one tile a call");
    return;
  }
  entry.define_token(op, call("print_tko", {quoted(format), entry.name(arguments.front()),
                                            token ? fmt::format("Some({})", entry.name(*token)) : "None"}));
}

/// get_tile_block_id and get_num_tile_blocks: three scalars, of which the used ones become tiles.
void grid(Entry& entry, OpReader& op, std::string_view role) {
  constexpr std::string_view kAxes[] = {"x", "y", "z"};
  std::vector<std::string> scalars;
  for (std::size_t i = 0; i < op.results(); ++i) {
    scalars.push_back(
        entry.uses(op.result(i)) == 0 ? "_" : entry.rust_names().claim(fmt::format("{}_{}", role, kAxes[i])));
  }
  entry.out().let(fmt::format("({})", join(scalars)), "(i32, i32, i32)",
                  call(std::string(op.mnemonic()), {}));
  const std::string python = entry.result_name(op.id());
  for (std::size_t i = 0; i < op.results(); ++i) {
    if (scalars[i] == "_") continue;
    const bool only = std::ranges::count(scalars, "_") == 2;
    entry.define(op.result(i), only && !python.empty() ? python : fmt::format("{}_{}", role, kAxes[i]),
                 call("scalar_to_tile", {scalars[i]}));
  }
}

constexpr Handler kHandlers[] = {
    {"constant", constant},
    {"assume", assume},
    {"assert", check},
    {"print_tko", print},
    {"get_tile_block_id", [](Entry& entry, OpReader& op) { grid(entry, op, "block"); }},
    {"get_num_tile_blocks", [](Entry& entry, OpReader& op) { grid(entry, op, "grid"); }},
};

}  // namespace

std::span<const Handler> misc_handlers() { return kHandlers; }

}  // namespace tileport::translate
