// SPDX-License-Identifier: Apache-2.0
// Control flow.
//
// cuTile Rust passes to a loop or an if, as iteration values or results, the outer variables that its blocks
// assign, in the order of their names. So every iteration value and every result of several is one mutable
// variable, named in order; terminators assign them.
#include <fmt/format.h>

#include <algorithm>

#include "translate/codes.hpp"
#include "translate/constants.hpp"
#include "translate/handlers.hpp"
#include "translate/reduction.hpp"
#include "translate/rust_types.hpp"
#include "translate/splat.hpp"

namespace tileport::translate {
namespace {

ir::OpId terminator(Entry& entry, ir::BlockId block) { return entry.module().block(block).ops.back(); }

bool ends_with(Entry& entry, ir::BlockId block, std::string_view mnemonic) {
  const auto& ops = entry.module().block(block).ops;
  return !ops.empty() && entry.module().op(ops.back()).info->is(mnemonic);
}

/// Python's name for a value, or the value's own, without its number.
std::string wish(Entry& entry, ir::ValueId value) {
  if (entry.is_constant(value)) return "carried";
  if (const auto producer = entry.module().producer_of(value)) {
    if (std::string python = entry.result_name(*producer); !python.empty()) return python;
  }
  return entry.stem(value);
}

/// Assigns terminator operands to the variables. An operand that is itself one of the variables assigned
/// before is read first, as all assignments happen at once.
void assign(Entry& entry, std::span<const ir::ValueId> operands, const std::vector<std::string>& targets) {
  std::vector<std::string> sources = entry.names(operands);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const bool is_target = std::ranges::find(targets, sources[i]) != targets.end();
    if (!is_target) continue;
    // Also for a value that stays: cuTile Rust only passes what is assigned, and rustc warns of `a = a`.
    const std::string type = entry.types().write(entry.module().value(operands[i]).type);
    sources[i] = entry.bind(sources[i] + "_now", type, text(sources[i]));
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    entry.out().line(fmt::format("{} = {};", targets[i], sources[i]));
  }
}

/// Name for iteration value `i`: what the source calls its next value, else its first.
std::string carried_name(Entry& entry, ir::BlockId body, std::span<const ir::ValueId> initial,
                         std::size_t i) {
  const auto next = entry.module().operands(terminator(entry, body));
  if (next.size() == initial.size()) {
    const auto producer = entry.module().producer_of(next[i]);
    std::string python = producer ? entry.result_name(*producer) : std::string();
    if (!python.empty()) return python;
  }
  return wish(entry, initial[i]);
}

/// Mutable variables for a loop's iteration values; they hold the block's arguments and then the loop's
/// results.
std::vector<std::string> carry(Entry& entry, std::span<const ir::ValueId> initial, ir::BlockId body,
                               std::size_t first_argument) {
  const auto& module = entry.module();
  std::vector<std::string> wishes;
  for (std::size_t i = 0; i < initial.size(); ++i) wishes.push_back(carried_name(entry, body, initial, i));
  std::vector<std::string> targets = entry.rust_names().claim_ordered(wishes);
  for (std::size_t i = 0; i < initial.size(); ++i) {
    const std::string type = entry.types().write(module.value(initial[i]).type);
    entry.out().let("mut " + targets[i], type, text(entry.name(initial[i])));
    entry.hold(module.argument(body, first_argument + i), targets[i], wishes[i]);
  }
  return targets;
}

void hold_results(Entry& entry, OpReader& op, const std::vector<std::string>& targets,
                  std::span<const ir::ValueId> initial) {
  for (std::size_t i = 0; i < op.results(); ++i) {
    entry.hold(op.result(i), targets[i], wish(entry, initial[i]));
  }
}

/// The number that a constant has, where cuTile Rust needs a literal.
std::optional<std::int64_t> positive_constant(Entry& entry, ir::ValueId value) {
  const auto& module = entry.module();
  const auto producer = module.producer_of(value);
  if (!producer || !module.op(*producer).info->is("constant")) return std::nullopt;
  const ir::TypeKind kind = entry.element(value);
  const auto bits = splat_bits(kind, module.constants[*module.word(*producer, "value")]);
  if (!bits || signed_value(kind, *bits) <= 0) return std::nullopt;
  return signed_value(kind, *bits);
}

void loop_over_range(Entry& entry, OpReader& op) {
  const auto& module = entry.module();
  const ir::ValueId lower = op.operand("lowerBound");
  const ir::ValueId upper = op.operand("upperBound");
  const ir::ValueId step = op.operand("step");
  const auto initial = op.operands("initValues");
  if (op.flag("unsignedCmp")) {
    entry.refuse(op.id(), code::kControl,
                 "an unsigned for can't be expressed: cuTile Rust's loops compare signed");
  }
  const ir::TypeKind kind = entry.element(lower);
  if (kind != ir::TypeKind::i32 && kind != ir::TypeKind::i64) {
    entry.refuse(op.id(), code::kType,
                 fmt::format("a for over {} can't be expressed in cuTile Rust", ir::keyword(kind)));
    return;
  }
  const auto body = *module.body(op.id());
  const auto targets = carry(entry, initial, body, 1);
  const std::string start_name = entry.scalar("start", lower);
  const std::string end_name = entry.scalar("end", upper);
  std::string step_text;
  if (kind == ir::TypeKind::i32) {
    step_text = entry.scalar("step", step) + " as usize";
  } else if (const auto number = positive_constant(entry, step)) {
    // cutile 0.5.0 can't cast an i64 to usize.
    step_text = fmt::format("{}", *number);
  } else {
    entry.refuse(op.id(), code::kControl,
                 "a for over i64 with a computed step can't be expressed in cutile 0.5.0");
    return;
  }
  const std::string python = entry.python_name(op.id());
  const std::string role = python.empty() ? "index" : python;
  const std::string variable = entry.rust_names().claim(role);
  entry.out().open(
      fmt::format("for {} in ({}..{}).step_by({}) {{", variable, start_name, end_name, step_text));
  entry.frames().push_back({Frame::Kind::for_loop, op.id(), targets, {}});
  entry.define(module.argument(body, 0), role, call("scalar_to_tile", {variable}));
  entry.translate_block(body);
  entry.frames().pop_back();
  entry.out().close();
  hold_results(entry, op, targets, initial);
}

/// Whether a loop's results are its iteration values, type by type.
bool results_are_carried(Entry& entry, OpReader& op, std::span<const ir::ValueId> initial) {
  if (op.results() != initial.size()) return false;
  for (std::size_t i = 0; i < initial.size(); ++i) {
    if (entry.module().value(op.result(i)).type != entry.module().value(initial[i]).type) return false;
  }
  return true;
}

/// A value of a type that nothing in scope has: zeros, or a token that nothing is behind. Nothing for
/// pointers and views.
std::optional<std::string> made_up(Entry& entry, ir::TypeId id) {
  const ir::Type& type = entry.module().type(id);
  if (type.kind == ir::TypeKind::token) return entry.bind("token", "Token", call("new_token_unordered", {}));
  if (type.kind != ir::TypeKind::tile) return std::nullopt;
  const ir::TypeKind element = entry.module().type(type.element).kind;
  if (element == ir::TypeKind::pointer) return std::nullopt;
  const auto zeros = splat(entry, element, 0, type.shape);
  return zeros ? std::optional(entry.constant(*zeros)) : std::nullopt;
}

/// Some value of each result's type: Rust wants variables initialized. Nothing after a refusal.
std::optional<std::vector<std::string>> placeholders(Entry& entry, OpReader& op) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < op.results(); ++i) {
    // Not another variable first: which types are equal depends on extents, and those are no structure.
    auto value = made_up(entry, op.result_type(i));
    if (!value) value = entry.variable_of_type(op.result_type(i));
    if (!value) {
      entry.refuse(
          op.id(), code::kControl,
          fmt::format("result {} of this {} needs a value of its type before it to be expressed in cuTile "
                      "Rust, and there is none",
                      i, op.mnemonic()));
      return std::nullopt;
    }
    values.push_back(*value);
  }
  return values;
}

void declare(Entry& entry, OpReader& op, const std::vector<std::string>& variables,
             const std::vector<std::string>& values) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    entry.out().let("mut " + variables[i], entry.types().write(op.result_type(i)), text(values[i]));
  }
}

void loop_until_break(Entry& entry, OpReader& op) {
  const auto initial = op.operands("initValues");
  const auto body = *entry.module().body(op.id());
  Frame frame{Frame::Kind::loop, op.id(), {}, {}};
  const bool carried = results_are_carried(entry, op, initial);
  if (!carried) {
    const auto values = placeholders(entry, op);
    if (!values) return;
    frame.break_targets = entry.rust_names().claim_ordered(std::vector<std::string>(op.results(), "result"));
    declare(entry, op, frame.break_targets, *values);
  }
  frame.targets = carry(entry, initial, body, 0);
  if (carried) frame.break_targets = frame.targets;
  const std::vector<std::string> results = frame.break_targets;
  entry.out().open("loop {");
  entry.frames().push_back(std::move(frame));
  entry.translate_block(body);
  entry.frames().pop_back();
  entry.out().close();
  for (std::size_t i = 0; i < op.results(); ++i) {
    entry.hold(op.result(i), results[i], carried ? wish(entry, initial[i]) : "result");
  }
}

// ---- if
// ------------------------------------------------------------------------------------------------------------

void branch(Entry& entry, std::optional<ir::BlockId> block, Frame frame) {
  if (!block) return;
  entry.frames().push_back(std::move(frame));
  entry.translate_block(*block);
  entry.frames().pop_back();
}

/// Whether a branch has anything to say: more than a yield of nothing.
bool has_content(Entry& entry, std::optional<ir::BlockId> block) {
  if (!block) return false;
  const auto& ops = entry.module().block(*block).ops;
  if (ops.size() != 1) return !ops.empty();
  return !entry.module().op(ops.front()).info->is("yield") || !entry.module().operands(ops.front()).empty();
}

/// if c { …; return } rest → if c { … } else { rest }: cuTile Rust has no early return.
void if_returning(Entry& entry, OpReader& op, const std::string& condition, ir::BlockId then_block,
                  std::optional<ir::BlockId> else_block) {
  if (!entry.at_function_level()) {
    entry.refuse(op.id(), code::kControl,
                 "a return inside a loop or a nested if can't be expressed in cutile 0.5.0");
    return;
  }
  entry.out().open(fmt::format("if {} {{", condition));
  branch(entry, then_block, {Frame::Kind::if_tail, op.id(), {}, {}});
  entry.out().reopen("} else {");
  branch(entry, else_block, {Frame::Kind::if_tail, op.id(), {}, {}});
  entry.translate_rest();
  entry.out().close();
}

/// Variables for an if with several results; both branches assign them.
std::optional<std::vector<std::string>> result_variables(Entry& entry, OpReader& op, ir::BlockId then_block) {
  const auto values = placeholders(entry, op);
  if (!values) return std::nullopt;
  std::vector<std::string> wishes;
  const auto yielded = entry.module().operands(terminator(entry, then_block));
  for (std::size_t i = 0; i < op.results(); ++i) {
    std::string name = entry.python_name(op.id());
    if (const auto producer = entry.module().producer_of(yielded[i])) {
      if (std::string python = entry.result_name(*producer); !python.empty()) name = python;
    }
    wishes.push_back(name.empty() ? "chosen" : name);
  }
  auto targets = entry.rust_names().claim_ordered(wishes);
  declare(entry, op, targets, *values);
  return targets;
}

void if_value(Entry& entry, OpReader& op, const std::string& condition, ir::BlockId then_block,
              ir::BlockId else_block) {
  const auto yielded = entry.module().operands(terminator(entry, then_block));
  std::string role = "chosen";
  if (const auto producer = entry.module().producer_of(yielded.front())) {
    if (std::string name = entry.result_name(*producer); !name.empty()) role = name;
  }
  const std::string variable = entry.rust_names().claim(role);
  entry.out().open(
      fmt::format("let {}: {} = if {} {{", variable, entry.types().write(op.result_type()), condition));
  branch(entry, then_block, {Frame::Kind::if_value, op.id(), {}, {}});
  entry.out().reopen("} else {");
  branch(entry, else_block, {Frame::Kind::if_value, op.id(), {}, {}});
  entry.out().close("};");
  entry.hold(op.result(), variable, role);
}

void if_assigning(Entry& entry, OpReader& op, const std::string& condition, ir::BlockId then_block,
                  std::optional<ir::BlockId> else_block) {
  std::vector<std::string> targets;
  if (op.results() != 0) {
    auto variables = result_variables(entry, op, then_block);
    if (!variables) return;
    targets = std::move(*variables);
  }
  entry.out().open(fmt::format("if {} {{", condition));
  branch(entry, then_block, {Frame::Kind::if_assign, op.id(), targets, {}});
  if (has_content(entry, else_block)) {
    entry.out().reopen("} else {");
    branch(entry, else_block, {Frame::Kind::if_assign, op.id(), targets, {}});
  }
  entry.out().close();
  for (std::size_t i = 0; i < targets.size(); ++i) entry.hold(op.result(i), targets[i], targets[i]);
}

/// The arguments of a loop's body that hold its iteration values.
std::vector<ir::ValueId> iteration_values(Entry& entry, const Frame& loop) {
  const auto body = *entry.module().body(loop.op);
  const std::size_t first = loop.kind == Frame::Kind::for_loop ? 1 : 0;
  std::vector<ir::ValueId> values;
  for (std::size_t i = 0; i < loop.targets.size(); ++i) {
    values.push_back(entry.module().argument(body, first + i));
  }
  return values;
}

/// Whether an if stands in a loop's own body and has results like the loop's iteration values.
bool is_like_iteration(Entry& entry, OpReader& op) {
  const Frame& frame = entry.frames().back();
  if (&frame != entry.innermost_loop() || op.results() != frame.targets.size()) return false;
  if (frame.kind == Frame::Kind::loop && frame.break_targets != frame.targets) return false;
  const auto values = iteration_values(entry, frame);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (entry.module().value(values[i]).type != entry.module().value(op.result(i)).type) return false;
  }
  return true;
}

/// An if with several results of which one branch leaves the iteration. That branch passes on the loop's
/// variables, and so does the other one in cuTile Rust: its results have to be in the same variables. What
/// the variables held before and hold behind the if is kept under other names, which costs no op.
void if_leaving(Entry& entry, OpReader& op, const std::string& condition, ir::BlockId then_block,
                ir::BlockId else_block) {
  const auto& module = entry.module();
  const std::vector<std::string> targets = entry.frames().back().targets;
  const auto values = iteration_values(entry, entry.frames().back());
  const auto keep = [&](ir::ValueId value, const std::string& target, std::string_view suffix) {
    const std::string type = entry.types().write(module.value(value).type);
    entry.hold(value, entry.bind(target + std::string(suffix), type, text(target)), target);
  };
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (entry.name(values[i]) == targets[i]) keep(values[i], targets[i], "_before");
  }
  entry.out().open(fmt::format("if {} {{", condition));
  branch(entry, then_block, {Frame::Kind::if_assign, op.id(), targets, {}});
  entry.out().reopen("} else {");
  branch(entry, else_block, {Frame::Kind::if_assign, op.id(), targets, {}});
  entry.out().close();
  for (std::size_t i = 0; i < targets.size(); ++i) keep(op.result(i), targets[i], "_chosen");
}

void choose(Entry& entry, OpReader& op) {
  const std::string condition = fmt::format("tile_to_scalar({})", entry.name(op.operand("condition")));
  const auto then_block = entry.module().body(op.id(), 0);
  const auto else_block = entry.module().body(op.id(), 1);
  if (!then_block) {
    entry.refuse(op.id(), code::kControl, "an if without a branch can't be expressed");
    return;
  }
  if (ends_with(entry, *then_block, "return")) {
    if_returning(entry, op, condition, *then_block, else_block);
    return;
  }
  if (else_block && ends_with(entry, *else_block, "return")) {
    entry.refuse(op.id(), code::kControl, "a return in the else branch of an if is not translated");
    return;
  }
  // A branch that leaves a loop would pass the if's variables on as the loop's; as a value the if has none.
  const bool then_yields = ends_with(entry, *then_block, "yield");
  const bool else_yields = else_block && ends_with(entry, *else_block, "yield");
  if (op.results() != 0 && !(then_yields && (else_yields || (else_block && op.results() == 1)))) {
    if (else_block && is_like_iteration(entry, op)) {
      if_leaving(entry, op, condition, *then_block, *else_block);
    } else {
      entry.refuse(op.id(), code::kControl,
                   "an if that leaves a loop from one branch and has results that are not like the loop's "
                   "iteration values can't be expressed in cutile 0.5.0");
    }
    return;
  }
  if (op.results() == 1) {
    if_value(entry, op, condition, *then_block, *else_block);
  } else {
    if_assigning(entry, op, condition, *then_block, else_block);
  }
}

// ---- terminators
// ---------------------------------------------------------------------------------------------------

void yield(Entry& entry, OpReader& op) {
  const auto operands = op.operands("operands");
  const Frame& frame = entry.frames().back();
  switch (frame.kind) {
    case Frame::Kind::if_value:
      entry.out().line(entry.name(operands.front()));
      break;
    case Frame::Kind::if_assign:
      assign(entry, operands, frame.targets);
      break;
    case Frame::Kind::if_tail:
      for (std::size_t i = 0; i < operands.size(); ++i) {
        entry.hold(entry.module().result(frame.op, i), entry.name(operands[i]), entry.stem(operands[i]));
      }
      break;
    default:
      entry.refuse(op.id(), code::kControl, "a yield outside of an if is not translated");
  }
}

void leave_iteration(Entry& entry, OpReader& op) {
  const auto operands = op.operands("operands");
  const Frame* loop = entry.innermost_loop();
  const bool is_break = op.info().is("break");
  if (!loop || (is_break && loop->kind == Frame::Kind::for_loop)) {
    entry.refuse(op.id(), code::kControl,
                 fmt::format("{} outside of a loop that it can leave can't be expressed", op.mnemonic()));
    return;
  }
  assign(entry, operands, is_break ? loop->break_targets : loop->targets);
  const bool at_end_of_body = &entry.frames().back() == loop;
  if (is_break || !at_end_of_body) entry.out().line(fmt::format("{};", op.mnemonic()));
}

void leave_function(Entry& entry, OpReader& op) {
  if (!op.operands("operands").empty()) {
    entry.refuse(op.id(), code::kControl, "a return with values has no meaning in an entry");
  }
}

constexpr Handler kHandlers[] = {
    {"for", loop_over_range},
    {"loop", loop_until_break},
    {"if", choose},
    {"yield", yield},
    {"continue", leave_iteration},
    {"break", leave_iteration},
    {"return", leave_function},
    {"reduce", reduce},
    {"scan", scan},
};

}  // namespace

std::span<const Handler> control_handlers() { return kHandlers; }

}  // namespace tileport::translate
