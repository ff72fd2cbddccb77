// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparison and selection.
//
// Tile IR integers have no sign, its ops have; in cuTile Rust the element type has it. Values are kept
// signed, and an unsigned op gets its operands through `bitcast`: every other relabelling keeps the sign
// silently.
#include <fmt/format.h>

#include "translate/codes.hpp"
#include "translate/declarations.hpp"
#include "translate/handlers.hpp"
#include "translate/rust_types.hpp"
#include "translate/selectors.hpp"

namespace tileport::translate {
namespace {

std::vector<std::string> with(std::vector<std::string> arguments, std::initializer_list<std::string> modes) {
  arguments.insert(arguments.end(), modes.begin(), modes.end());
  return arguments;
}

/// An op whose call has its mnemonic and its operands.
void plain(Entry& entry, OpReader& op, std::string_view role) {
  entry.define(op, role, call(std::string(op.mnemonic()), entry.names(op.all_operands())));
}

/// Integer ops that wrap. cutile 0.5.0 loses `overflow::None` and then misses the attribute; its operators
/// write it.
void wrapping(Entry& entry, OpReader& op, std::string_view symbol, std::string_view role) {
  const std::string_view mode = op.enumerator("overflow");
  const auto operands = entry.names(op.all_operands());
  if (mode == "none") {
    entry.define(op, role, text(fmt::format("{} {} {}", operands[0], symbol, operands[1])));
  } else {
    entry.define(op, role, call(std::string(op.mnemonic()), with(operands, {overflow(mode)})));
  }
}

/// Defines the op's result from a call on unsigned operands: the result comes back through `bitcast`.
void define_unsigned(Entry& entry, OpReader& op, std::string_view role, const std::vector<std::string>& modes,
                     bool integer_result) {
  std::vector<std::string> arguments;
  for (ir::ValueId operand : op.all_operands()) arguments.push_back(entry.as_unsigned(operand));
  arguments.insert(arguments.end(), modes.begin(), modes.end());
  const Expression result = call(std::string(op.mnemonic()), std::move(arguments));
  const ir::TypeKind kind = entry.element(op.result());
  if (!integer_result || kind == ir::TypeKind::i1) {
    entry.define(op, role, result);
    return;
  }
  const std::string raw =
      entry.bind(fmt::format("{}_unsigned", role),
                 entry.types().tile(unsigned_name(kind), entry.type(op.result()).shape), result);
  entry.define(op, role, call("bitcast", {raw}));
}

/// Ops with a `signedness` and whatever modes stand behind the operands.
void signed_or_not(Entry& entry, OpReader& op, std::string_view role, const std::vector<std::string>& modes,
                   bool integer_result = true) {
  const ir::TypeKind kind = entry.element(op.all_operands().front());
  const bool is_signed = op.enumerator("signedness") == "signed";
  if (!has_sign(kind, is_signed)) {
    entry.refuse(op.id(), code::kType,
                 fmt::format("{} of {} {} can't be expressed: cuTile Rust has no such element type",
                             op.mnemonic(), is_signed ? "signed" : "unsigned", ir::keyword(kind)));
    return;
  }
  if (!is_signed) {
    define_unsigned(entry, op, role, modes, integer_result);
    return;
  }
  auto arguments = entry.names(op.all_operands());
  arguments.insert(arguments.end(), modes.begin(), modes.end());
  entry.define(op, role, call(std::string(op.mnemonic()), std::move(arguments)));
}

void divide_integers(Entry& entry, OpReader& op) {
  signed_or_not(entry, op, "quotient", {rounding(op.enumerator("rounding"))});
}

void compare_integers(Entry& entry, OpReader& op) {
  const std::string_view name = op.enumerator("comparison_predicate");
  signed_or_not(entry, op, fmt::format("is_{}", name), {predicate(name)}, false);
}

void compare_floats(Entry& entry, OpReader& op) {
  const std::string_view name = op.enumerator("comparison_predicate");
  const std::string order = "cmp_ordering::" + camel_case(op.enumerator("comparison_ordering"));
  entry.define(op, fmt::format("is_{}", name),
               call("cmpf", with(entry.names(op.all_operands()), {predicate(name), order})));
}

void negate_integer(Entry& entry, OpReader& op) {
  const std::string mode = overflow(op.enumerator("overflow"));
  entry.define(op, "negated", call("negi", with(entry.names(op.all_operands()), {mode})));
}

void rounded(Entry& entry, OpReader& op, std::string_view role) {
  const std::string_view mode = op.enumerator("rounding_mode");
  const std::string ftz = flush_to_zero(op);
  entry.define(op, role,
               call(std::string(op.mnemonic()), with(entry.names(op.all_operands()), {rounding(mode), ftz})));
}

void divide(Entry& entry, OpReader& op) {
  if (op.enumerator("rounding_mode") != "full") {
    rounded(entry, op, "quotient");
    return;
  }
  const std::string ftz = flush_to_zero(op);
  entry.define(op, "quotient",
               call(declared(entry, Need::full_division), with(entry.names(op.all_operands()), {ftz})));
}

void extremum(Entry& entry, OpReader& op, std::string_view role) {
  const std::string nan = enabled("nan", op.flag("propagate_nan"));
  const std::string ftz = flush_to_zero(op);
  entry.define(op, role, call(std::string(op.mnemonic()), with(entry.names(op.all_operands()), {nan, ftz})));
}

void select_values(Entry& entry, OpReader& op) {
  // cuTile Rust wants a condition for every element; a scalar one has to be spread first.
  const ir::ValueId condition = op.operand("cond");
  const auto& wanted = entry.type(op.result()).shape;
  if (entry.type(condition).shape != wanted) {
    entry.refuse(op.id(), code::kValue, "select with a scalar condition on a shaped tile can't be expressed",
                 "in the Python source, broadcast the condition");
  }
  plain(entry, op, "selected");
}

constexpr Handler kHandlers[] = {
    {"addi", [](Entry& entry, OpReader& op) { wrapping(entry, op, "+", "sum"); }},
    {"subi", [](Entry& entry, OpReader& op) { wrapping(entry, op, "-", "difference"); }},
    {"muli", [](Entry& entry, OpReader& op) { wrapping(entry, op, "*", "product"); }},
    {"shli", [](Entry& entry, OpReader& op) { wrapping(entry, op, "<<", "shifted"); }},
    {"shri", [](Entry& entry, OpReader& op) { signed_or_not(entry, op, "shifted", {}); }},
    {"mulhii", [](Entry& entry, OpReader& op) { plain(entry, op, "high_product"); }},
    {"divi", divide_integers},
    {"remi", [](Entry& entry, OpReader& op) { signed_or_not(entry, op, "remainder", {}); }},
    {"negi", negate_integer},
    {"absi", [](Entry& entry, OpReader& op) { plain(entry, op, "magnitude"); }},
    {"maxi", [](Entry& entry, OpReader& op) { signed_or_not(entry, op, "maximum", {}); }},
    {"mini", [](Entry& entry, OpReader& op) { signed_or_not(entry, op, "minimum", {}); }},
    {"cmpi", compare_integers},
    {"andi", [](Entry& entry, OpReader& op) { plain(entry, op, "both"); }},
    {"ori", [](Entry& entry, OpReader& op) { plain(entry, op, "either"); }},
    {"xori", [](Entry& entry, OpReader& op) { plain(entry, op, "differing"); }},
    {"addf", [](Entry& entry, OpReader& op) { rounded(entry, op, "sum"); }},
    {"subf", [](Entry& entry, OpReader& op) { rounded(entry, op, "difference"); }},
    {"mulf", [](Entry& entry, OpReader& op) { rounded(entry, op, "product"); }},
    {"divf", divide},
    {"fma", [](Entry& entry, OpReader& op) { rounded(entry, op, "sum"); }},
    {"remf", [](Entry& entry, OpReader& op) { plain(entry, op, "remainder"); }},
    {"negf", [](Entry& entry, OpReader& op) { plain(entry, op, "negated"); }},
    {"absf", [](Entry& entry, OpReader& op) { plain(entry, op, "magnitude"); }},
    {"maxf", [](Entry& entry, OpReader& op) { extremum(entry, op, "maximum"); }},
    {"minf", [](Entry& entry, OpReader& op) { extremum(entry, op, "minimum"); }},
    {"cmpf", compare_floats},
    {"select", select_values},
};

}  // namespace

std::span<const Handler> arith_handlers() { return kHandlers; }

}  // namespace tileport::translate
