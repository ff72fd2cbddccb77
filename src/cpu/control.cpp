// SPDX-License-Identifier: Apache-2.0
// Loops, conditions, and what leaves them.
//
// Carried values have buffers of their own, which `continue` fills. What it hands over is dead from then on,
// so large tiles change buffers with it instead of being copied. The results of a `for` are its carried
// values.
#include "cpu/control.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cpu/frame.hpp"

namespace tileport::cpu {
namespace {

constexpr std::uint64_t kWorthSwapping = 256;

struct Move {
  Operand from;
  Operand to;
  std::uint64_t count = 1;
  std::uint64_t bytes = 0;  ///< Of `to`.
  bool swap = false;
  /// Another move overwrites `from`, so it is saved before any is done.
  bool staged = false;
};

struct Moves final : Payload {
  std::vector<Move> moves;
  Signal then = Signal::next;
};

void move_one(Frame& frame, const Move& move, const std::byte* from) {
  if (move.swap) {
    std::swap(frame.slots[move.from.slot], frame.slots[move.to.slot]);
  } else if (move.from.uniform && !move.to.uniform) {
    fill(frame.at(move.to), from, move.to.size, move.count);
  } else {
    std::memcpy(frame.at(move.to), from, move.bytes);
  }
}

Signal run_moves(Frame& frame, const Instruction& instruction) {
  const auto& moves = static_cast<const Moves&>(*instruction.payload);
  std::uint64_t staged_bytes = 0;
  for (const Move& move : moves.moves) staged_bytes += move.staged ? move.bytes : 0;
  std::byte* staging = staged_bytes != 0 ? frame.scratch[0].bytes(staged_bytes) : nullptr;
  std::byte* next = staging;
  for (const Move& move : moves.moves) {
    if (!move.staged) continue;
    const std::uint64_t bytes = move.from.uniform && !move.to.uniform ? move.to.size : move.bytes;
    std::memcpy(next, frame.at(move.from), bytes);
    next += bytes;
  }
  next = staging;
  for (const Move& move : moves.moves) {
    if (move.staged) {
      move_one(frame, move, next);
      next += move.from.uniform && !move.to.uniform ? move.to.size : move.bytes;
    } else {
      move_one(frame, move, frame.at(move.from));
    }
  }
  return moves.then;
}

bool may_swap(const Compiler& compiler, ir::ValueId source, const Move& move, const Scope* loop_body,
              std::span<const ir::ValueId> sources) {
  if (!loop_body || move.from.uniform || move.to.uniform || move.bytes < kWorthSwapping) return false;
  if (compiler.home(source).depth < loop_body->depth) return false;
  return std::count_if(sources.begin(), sources.end(),
                       [&](ir::ValueId other) { return compiler.use(other).slot == move.from.slot; }) == 1;
}

struct Region final : Payload {
  Code code;
  Code otherwise;  ///< Of an if.
  bool is_unsigned = false;
  std::vector<Code*> bodies() override { return {&code, &otherwise}; }
};

Signal run_for(Frame& frame, const Instruction& instruction) {
  const auto& region = static_cast<const Region&>(*instruction.payload);
  const bool is_signed = !region.is_unsigned;
  const Operand& counter = instruction.out[0];
  const std::int64_t first = frame.integer(instruction.in[0], is_signed);
  const std::int64_t last = frame.integer(instruction.in[1], is_signed);
  const std::int64_t step = frame.integer(instruction.in[2], is_signed);
  if (is_signed ? step <= 0 : step == 0) {
    return frame.fail(instruction, "TP-E0031",
                      fmt::format("the step of the loop is {}, which is not positive", step));
  }
  // Distances of 64-bit bounds fit in 64 bits without a sign.
  const bool empty =
      is_signed ? first >= last : static_cast<std::uint64_t>(first) >= static_cast<std::uint64_t>(last);
  std::uint64_t left = empty ? 0 : static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  auto value = static_cast<std::uint64_t>(first);
  while (left != 0) {
    std::memcpy(frame.at(counter), &value, counter.size);
    const Signal signal = frame.run(region.code);
    if (signal == Signal::leave || signal == Signal::failed) return signal;
    if (static_cast<std::uint64_t>(step) >= left) break;
    left -= static_cast<std::uint64_t>(step);
    value += static_cast<std::uint64_t>(step);
  }
  return Signal::next;
}

Signal run_loop(Frame& frame, const Instruction& instruction) {
  const auto& region = static_cast<const Region&>(*instruction.payload);
  while (true) {
    const Signal signal = frame.run(region.code);
    if (signal == Signal::leave || signal == Signal::failed) return signal;
    if (signal == Signal::loop_break) return Signal::next;
  }
}

Signal run_if(Frame& frame, const Instruction& instruction) {
  const auto& region = static_cast<const Region&>(*instruction.payload);
  const bool condition = frame.scalar<std::uint8_t>(instruction.in[0]) != 0;
  return frame.run(condition ? region.code : region.otherwise);
}

Result<void> check_place(Op op) {
  if (op.compiler.scope().lanes == 0) return {};
  return op.compiler.refuse(op.id, "control flow in the body of a reduction is not executed");
}

std::vector<ir::ValueId> results_of(Op op) {
  std::vector<ir::ValueId> values;
  for (std::uint32_t i = 0; i < op.module().op(op.id).results.count; ++i) values.push_back(op.result(i));
  return values;
}

void define_carried(Compiler& compiler, ir::ValueId value, Scope& scope) {
  if (compiler.is_token(value)) {
    compiler.define_token(value, scope);
  } else {
    compiler.define(value, false, scope);
  }
}

Scope scope_below(Compiler& compiler, Code& code) {
  return {&code, &compiler.scope(), compiler.scope().depth + 1};
}

Result<void> branch(Op op, std::size_t region, Code& code) {
  const auto block = op.module().body(op.id, region);
  if (!block) return {};
  Scope scope = scope_below(op.compiler, code);
  return op.compiler.block(*block, scope);
}

Result<void> loop(Op op, bool is_for) {
  if (auto place = check_place(op); !place) return place;
  Compiler& compiler = op.compiler;
  const auto block = op.module().body(op.id);
  if (!block) return compiler.refuse(op.id, "it has no body");
  auto region = std::make_shared<Region>();
  Scope& outer = compiler.scope();
  Scope body = scope_below(compiler, region->code);
  const std::vector<ir::ValueId> results = results_of(op);
  Loop context{.is_for = is_for, .results = results, .body = &body};
  for (std::uint32_t i = is_for ? 1 : 0; i < op.module().block(*block).arguments.count; ++i) {
    context.arguments.push_back(op.module().argument(*block, i));
  }
  // Their buffers are filled before the loop, but what depends on them changes with each turn.
  for (const ir::ValueId argument : context.arguments) define_carried(compiler, argument, body);
  if (auto moved =
          move_values(compiler, op.id, op.group("initValues"), context.arguments, nullptr, Signal::next);
      !moved) {
    return moved;
  }
  std::vector<Operand> in;
  std::vector<Operand> out;
  if (is_for) {
    region->is_unsigned = op.flag("unsignedCmp");
    in = {compiler.use(op.operand(0)), compiler.use(op.operand(1)), compiler.use(op.operand(2))};
    out.push_back(compiler.define(op.module().argument(*block, 0), true, body));
    for (std::size_t i = 0; i < std::min(results.size(), context.arguments.size()); ++i) {
      compiler.set(results[i], compiler.use(context.arguments[i]), outer);
    }
  } else {
    for (const ir::ValueId result : results) {
      define_carried(compiler, result, outer);
      out.push_back(compiler.use(result));
    }
  }
  for (const ir::ValueId argument : context.arguments) in.push_back(compiler.use(argument));
  compiler.loops.push_back(std::move(context));
  auto lowered = compiler.block(*block, body);
  compiler.loops.pop_back();
  if (!lowered) return lowered;
  compiler.append(outer, op.id, std::move(in), std::move(out), is_for ? run_for : run_loop,
                  std::move(region));
  return {};
}

Result<void> condition(Op op) {
  if (auto place = check_place(op); !place) return place;
  Compiler& compiler = op.compiler;
  std::vector<Operand> out;
  for (const ir::ValueId result : results_of(op)) {
    define_carried(compiler, result, compiler.scope());
    out.push_back(compiler.use(result));
  }
  auto region = std::make_shared<Region>();
  Scope& outer = compiler.scope();
  if (auto lowered = branch(op, 0, region->code); !lowered) return lowered;
  if (auto lowered = branch(op, 1, region->otherwise); !lowered) return lowered;
  compiler.append(outer, op.id, {compiler.use(op.operand(0))}, std::move(out), run_if, std::move(region));
  return {};
}

Result<void> go_on(Op op) {
  if (op.compiler.loops.empty()) return op.compiler.refuse(op.id, "it stands in no loop");
  const Loop& loop = op.compiler.loops.back();
  return move_values(op.compiler, op.id, op.operands(), loop.arguments, loop.body, Signal::loop_continue);
}

Result<void> leave_loop(Op op) {
  if (op.compiler.loops.empty()) return op.compiler.refuse(op.id, "it stands in no loop");
  return move_values(op.compiler, op.id, op.operands(), op.compiler.loops.back().results, nullptr,
                     Signal::loop_break);
}

Signal run_return(Frame&, const Instruction&) { return Signal::leave; }

Result<void> leave_kernel(Op op) {
  op.compiler.effect(op.id, {}, run_return);
  return {};
}

/// In the body of a reduction the op itself takes the operands; see reduction.cpp.
Result<void> yield(Op op) {
  const auto parent = op.module().parent_op(op.id);
  if (!parent || !op.module().op(*parent).info->is("if")) return {};
  return move_values(op.compiler, op.id, op.operands(), results_of({op.compiler, *parent}), nullptr,
                     Signal::next);
}

constexpr Handler kHandlers[] = {
    {"for", [](Op op) { return loop(op, true); }},
    {"loop", [](Op op) { return loop(op, false); }},
    {"if", condition},
    {"reduce", reduce},
    {"scan", scan},
    {"break", leave_loop},
    {"continue", go_on},
    {"yield", yield},
    {"return", leave_kernel},
};

}  // namespace

std::span<const Handler> control_handlers() { return kHandlers; }

Result<void> move_values(Compiler& compiler, ir::OpId op, std::span<const ir::ValueId> sources,
                         std::span<const ir::ValueId> targets, const Scope* loop_body, Signal then) {
  if (sources.size() != targets.size()) {
    return compiler.refuse(
        op, fmt::format("it hands over {} values where {} are taken", sources.size(), targets.size()));
  }
  auto moves = std::make_shared<Moves>();
  moves->then = then;
  std::vector<Operand> in;
  std::vector<Operand> out;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (compiler.is_token(targets[i])) continue;
    Move move{.from = compiler.use(sources[i]), .to = compiler.use(targets[i])};
    if (move.from.slot == move.to.slot) continue;
    move.count = compiler.count(targets[i]);
    move.bytes = compiler.plan.slots[move.to.slot].bytes;
    move.swap = may_swap(compiler, sources[i], move, loop_body, sources);
    moves->moves.push_back(move);
    in.push_back(move.from);
    out.push_back(move.to);
  }
  for (Move& move : moves->moves) {
    move.staged = std::any_of(out.begin(), out.end(),
                              [&](const Operand& other) { return other.slot == move.from.slot; });
    move.swap = move.swap && !move.staged;
    if (!move.swap) continue;
    compiler.plan.slots[move.from.slot].exclusive = true;
    compiler.plan.slots[move.to.slot].exclusive = true;
  }
  if (moves->moves.empty() && then == Signal::next) return {};
  compiler.append(compiler.scope(), op, std::move(in), std::move(out), run_moves, std::move(moves));
  return {};
}

}  // namespace tileport::cpu
