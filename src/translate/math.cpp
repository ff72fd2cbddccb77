// SPDX-License-Identifier: Apache-2.0
// Elementary functions and matrix multiplication.
#include <fmt/format.h>

#include "translate/codes.hpp"
#include "translate/handlers.hpp"
#include "translate/selectors.hpp"

namespace tileport::translate {
namespace {

void function(Entry& entry, OpReader& op, std::string_view role) {
  entry.define(op, role, call(std::string(op.mnemonic()), entry.names(op.all_operands())));
}

void flushing(Entry& entry, OpReader& op, std::string_view role) {
  auto arguments = entry.names(op.all_operands());
  arguments.push_back(flush_to_zero(op));
  entry.define(op, role, call(std::string(op.mnemonic()), std::move(arguments)));
}

void square_root(Entry& entry, OpReader& op) {
  const std::string_view mode = op.enumerator("rounding_mode");
  if (mode == "full") {
    entry.refuse(op.id(), code::kValue,
                 "sqrt with rounding 'full' can't be expressed: cuTile Rust has no such mode");
  }
  auto arguments = entry.names(op.all_operands());
  arguments.push_back(rounding(mode));
  arguments.push_back(flush_to_zero(op));
  entry.define(op, "root", call("sqrt", std::move(arguments)));
}

/// exp and tanh: `full` is the plain call.
void approximable(Entry& entry, OpReader& op, std::string_view role) {
  const std::string_view mode = op.enumerator("rounding_mode");
  auto arguments = entry.names(op.all_operands());
  std::string function(op.mnemonic());
  if (mode == "approx") {
    function += "_with_rounding";
    arguments.push_back(rounding(mode));
  } else if (mode != "full") {
    entry.refuse(op.id(), code::kValue,
                 fmt::format("{} with rounding '{}' can't be expressed", op.mnemonic(), mode));
  }
  entry.define(op, role, call(std::move(function), std::move(arguments)));
}

bool has_matrix_rank(Entry& entry, OpReader& op) {
  const std::size_t rank = entry.type(op.result()).shape.size();
  if (rank == 2 || rank == 3) return true;
  entry.refuse(op.id(), code::kType, fmt::format("{} of rank {} can't be expressed", op.mnemonic(), rank));
  return false;
}

void multiply_floats(Entry& entry, OpReader& op) {
  if (!has_matrix_rank(entry, op)) return;
  auto arguments = entry.names(op.all_operands());
  if (op.flag("fast_acc")) {
    arguments.push_back("fast_acc::Enabled");
    entry.define(op, "accumulator", call("mmaf_with_fast_acc", std::move(arguments)));
  } else {
    entry.define(op, "accumulator", call("mmaf", std::move(arguments)));
  }
}

void multiply_scaled(Entry& entry, OpReader& op) {
  if (has_matrix_rank(entry, op)) function(entry, op, "accumulator");
}

void multiply_integers(Entry& entry, OpReader& op) {
  if (!has_matrix_rank(entry, op)) return;
  auto arguments = entry.names(op.all_operands());
  arguments.push_back("signedness::" + camel_case(op.enumerator("signedness_lhs")));
  arguments.push_back("signedness::" + camel_case(op.enumerator("signedness_rhs")));
  entry.define(op, "accumulator", call("mmai", std::move(arguments)));
}

constexpr Handler kHandlers[] = {
    {"ceil", [](Entry& entry, OpReader& op) { function(entry, op, "rounded_up"); }},
    {"floor", [](Entry& entry, OpReader& op) { function(entry, op, "rounded_down"); }},
    {"sqrt", square_root},
    {"rsqrt", [](Entry& entry, OpReader& op) { flushing(entry, op, "inverse_root"); }},
    {"exp", [](Entry& entry, OpReader& op) { approximable(entry, op, "exponential"); }},
    {"exp2", [](Entry& entry, OpReader& op) { flushing(entry, op, "exponential"); }},
    {"log", [](Entry& entry, OpReader& op) { function(entry, op, "logarithm"); }},
    {"log2", [](Entry& entry, OpReader& op) { function(entry, op, "logarithm"); }},
    {"fpowf", [](Entry& entry, OpReader& op) { function(entry, op, "power"); }},
    {"fpowi", [](Entry& entry, OpReader& op) { function(entry, op, "power"); }},
    {"sin", [](Entry& entry, OpReader& op) { function(entry, op, "sine"); }},
    {"cos", [](Entry& entry, OpReader& op) { function(entry, op, "cosine"); }},
    {"tan", [](Entry& entry, OpReader& op) { function(entry, op, "tangent"); }},
    {"atan2", [](Entry& entry, OpReader& op) { function(entry, op, "angle"); }},
    {"sinh", [](Entry& entry, OpReader& op) { function(entry, op, "hyperbolic_sine"); }},
    {"cosh", [](Entry& entry, OpReader& op) { function(entry, op, "hyperbolic_cosine"); }},
    {"tanh", [](Entry& entry, OpReader& op) { approximable(entry, op, "hyperbolic_tangent"); }},
    {"mmaf", multiply_floats},
    {"mmaf_scaled", multiply_scaled},
    {"mmai", multiply_integers},
};

}  // namespace

std::span<const Handler> math_handlers() { return kHandlers; }

}  // namespace tileport::translate
