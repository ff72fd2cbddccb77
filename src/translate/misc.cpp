// SPDX-License-Identifier: Apache-2.0
// Constants, promises, diagnostics and the grid.
#include <fmt/format.h>

#include <algorithm>

#include "translate/codes.hpp"
#include "translate/constants.hpp"
#include "translate/handlers.hpp"
#include "translate/rust_types.hpp"
#include "translate/splat.hpp"

namespace tileport::translate {

std::optional<Expression> splat(Entry& entry, ir::TypeKind kind, std::uint64_t bits,
                                std::span<const std::int64_t> shape, std::string_view role) {
  if (kind == ir::TypeKind::i1 && bits == 0) {
    // `constant(false, …)` gives true in cutile 0.5.0; a scalar `false` is right.
    const std::string scalar = entry.bind("no", "bool", text("false"));
    return shape.empty() ? call("scalar_to_tile", {scalar})
                         : call("broadcast_scalar", {scalar, shape_value(shape)});
  }
  const auto form = constant_form(kind, bits);
  if (!form) return std::nullopt;
  if (form->needs_bf16_trait) entry.need(Need::bf16_trait);
  const Expression written = call("constant", {form->literal, shape_value(shape)});
  if (!form->carrier) return written;
  const std::string raw =
      entry.bind(fmt::format("{}_bits", role), tile_type(element_name(*form->carrier), shape), written);
  return call("bitcast", {raw});
}

namespace {

void constant(Entry& entry, OpReader& op) {
  const ir::TypeKind kind = entry.element(op.result());
  const auto bits = splat_bits(kind, entry.module().constants[op.word("value")]);
  if (!bits) {
    entry.refuse(
        op.id(), code::kConstant,
        "a constant whose elements differ can't be expressed: cuTile Rust's constants repeat one element",
        "in the Python source, compute the tile (from arange, where, …) or pass it as an array");
    return;
  }
  const std::string role = constant_role(kind, *bits);
  const auto value = splat(entry, kind, *bits, entry.type(op.result()).shape, role);
  if (value) {
    entry.define(op, role, *value);
  } else {
    entry.refuse(op.id(), code::kConstant,
                 fmt::format("a constant of {} can't be expressed in cutile 0.5.0", ir::keyword(kind)));
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
  const std::string& name = entry.name(value);
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
