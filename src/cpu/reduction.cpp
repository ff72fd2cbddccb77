// SPDX-License-Identifier: Apache-2.0
// Reductions and scans with any body.
//
// A tile is outer x n x inner, n being reduced. The body's scalars are vectors of lanes: in each step all
// pairs that can be combined are gathered into two vectors, and the body runs once over them. So a reduction
// takes log2(n) runs of the body, and a scan n.
#include <fmt/format.h>

#include <bit>

#include "cpu/control.hpp"
#include "cpu/frame.hpp"
#include "cpu/kernels/copies.hpp"
#include "cpu/printing.hpp"

namespace tileport::cpu {
namespace {

using ir::TypeKind;

struct Reduction final : Payload {
  Code code;
  std::vector<Code*> bodies() override { return {&code}; }

  std::int64_t outer = 1;
  std::int64_t n = 1;
  std::int64_t inner = 1;
  std::size_t operands = 0;
  bool reverse = false;
  ReductionOrder order = ReductionOrder::halves;
  std::vector<Operand> left{};    ///< The body's arguments: what is combined so far …
  std::vector<Operand> right{};   ///< … with what.
  std::vector<Operand> yields{};  ///< The body's results.
  std::vector<std::string> identities{};
};

/// Runs the body on lanes that stand in `left` and `right`.
Signal run_body(Frame& frame, const Reduction& reduction, std::int64_t lanes) {
  const std::uint64_t before = frame.lanes;
  frame.lanes = static_cast<std::uint64_t>(lanes);
  const Signal signal = frame.run(reduction.code);
  frame.lanes = before;
  return signal == Signal::failed ? signal : Signal::next;
}

/// Copies lanes of a result to where they are wanted, a uniform one to each.
void take_result(Frame& frame, const Operand& yielded, std::byte* to, std::int64_t lanes) {
  if (yielded.uniform) {
    fill(to, frame.at(yielded), yielded.size, static_cast<std::uint64_t>(lanes));
  } else {
    std::memcpy(to, frame.at(yielded), static_cast<std::size_t>(lanes) * yielded.size);
  }
}

/// outer x extent x inner elements out of outer x n x inner ones: positions first, first + step …
void gather(std::byte* to, const std::byte* from, const Reduction& reduction, std::int64_t n,
            std::int64_t first, std::int64_t step, std::int64_t extent, std::size_t size) {
  const CopyDimension dimensions[] = {
      {reduction.outer, extent * reduction.inner, n * reduction.inner},
      {extent, reduction.inner, step * reduction.inner},
      {reduction.inner, 1, 1},
  };
  copy_box(to, from + first * reduction.inner * static_cast<std::int64_t>(size), dimensions, 3, size);
}

void scatter(std::byte* to, const std::byte* from, const Reduction& reduction, std::int64_t at,
             std::size_t size) {
  const CopyDimension dimensions[] = {
      {reduction.outer, reduction.n * reduction.inner, reduction.inner},
      {reduction.inner, 1, 1},
  };
  copy_box(to + at * reduction.inner * static_cast<std::int64_t>(size), from, dimensions, 2, size);
}

/// Combines left and right of `extent` positions of tiles that have `n`; the results stay in the yields.
Signal combine(Frame& frame, const Reduction& reduction, std::span<const std::byte* const> tiles,
               std::int64_t n, std::int64_t left, std::int64_t right, std::int64_t step,
               std::int64_t extent) {
  for (std::size_t i = 0; i < reduction.operands; ++i) {
    const std::size_t size = reduction.left[i].size;
    gather(frame.at(reduction.left[i]), tiles[i], reduction, n, left, step, extent, size);
    gather(frame.at(reduction.right[i]), tiles[i], reduction, n, right, step, extent, size);
  }
  return run_body(frame, reduction, reduction.outer * extent * reduction.inner);
}

/// Scratch memory of this level of nested reductions.
std::array<Scratch, 2>& scratch_of(Frame& frame) {
  if (frame.reduction_scratch.size() <= frame.reduction_depth) {
    frame.reduction_scratch.resize(frame.reduction_depth + 1);
    for (Scratch& each : frame.reduction_scratch.back()) each.limit = frame.launch.limits.bytes;
  }
  return frame.reduction_scratch[frame.reduction_depth];
}

/// All operands, written out, behind each other in scratch memory.
std::vector<std::byte*> working_copies(Frame& frame, const Instruction& instruction,
                                       const Reduction& reduction) {
  const std::uint64_t count = static_cast<std::uint64_t>(reduction.outer * reduction.n * reduction.inner);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < reduction.operands; ++i)
    bytes += (count * instruction.in[i].size + 63) / 64 * 64;
  std::byte* memory = scratch_of(frame)[0].bytes(bytes);
  std::vector<std::byte*> copies;
  for (std::size_t i = 0; i < reduction.operands; ++i) {
    const Operand& operand = instruction.in[i];
    copies.push_back(memory);
    if (operand.uniform) {
      fill(memory, frame.at(operand), operand.size, count);
    } else {
      std::memcpy(memory, frame.at(operand), count * operand.size);
    }
    memory += (count * operand.size + 63) / 64 * 64;
  }
  return copies;
}

/// Halves the extent until one position is left; the result of each step replaces the working copies.
Signal reduce_by_halves(Frame& frame, const Reduction& reduction, std::span<std::byte*> tiles) {
  for (std::int64_t n = reduction.n; n > 1; n /= 2) {
    const std::int64_t half = n / 2;
    const bool neighbours = reduction.order == ReductionOrder::neighbours;
    const Signal signal = neighbours ? combine(frame, reduction, tiles, n, 0, 1, 2, half)
                                     : combine(frame, reduction, tiles, n, 0, half, 1, half);
    if (signal != Signal::next) return signal;
    for (std::size_t i = 0; i < reduction.operands; ++i) {
      take_result(frame, reduction.yields[i], tiles[i], reduction.outer * half * reduction.inner);
    }
  }
  return Signal::next;
}

Signal reduce_in_sequence(Frame& frame, const Reduction& reduction, std::span<std::byte*> tiles) {
  const std::int64_t lanes = reduction.outer * reduction.inner;
  for (std::int64_t at = 1; at < reduction.n; ++at) {
    for (std::size_t i = 0; i < reduction.operands; ++i) {
      const Operand& left = reduction.left[i];
      if (at == 1) {
        gather(frame.at(left), tiles[i], reduction, reduction.n, 0, 1, 1, left.size);
      } else {
        take_result(frame, reduction.yields[i], frame.at(left), lanes);
      }
      gather(frame.at(reduction.right[i]), tiles[i], reduction, reduction.n, at, 1, 1, left.size);
    }
    if (const Signal signal = run_body(frame, reduction, lanes); signal != Signal::next) return signal;
  }
  for (std::size_t i = 0; i < reduction.operands && reduction.n > 1; ++i) {
    take_result(frame, reduction.yields[i], tiles[i], lanes);
  }
  return Signal::next;
}

Signal run_reduce(Frame& frame, const Instruction& instruction) {
  const auto& reduction = static_cast<const Reduction&>(*instruction.payload);
  std::vector<std::byte*> tiles = working_copies(frame, instruction, reduction);
  ++frame.reduction_depth;
  Signal signal = reduction.order == ReductionOrder::sequential ? reduce_in_sequence(frame, reduction, tiles)
                                                                : reduce_by_halves(frame, reduction, tiles);
  const std::int64_t lanes = reduction.outer * reduction.inner;
  if (signal == Signal::next) {
    for (std::size_t i = 0; i < reduction.operands; ++i) {
      const Operand& left = reduction.left[i];
      fill(frame.at(left), reinterpret_cast<const std::byte*>(reduction.identities[i].data()), left.size,
           static_cast<std::uint64_t>(lanes));
      std::memcpy(frame.at(reduction.right[i]), tiles[i], static_cast<std::size_t>(lanes) * left.size);
    }
    signal = run_body(frame, reduction, lanes);
  }
  --frame.reduction_depth;
  if (signal != Signal::next) return signal;
  for (std::size_t i = 0; i < reduction.operands; ++i) {
    take_result(frame, reduction.yields[i], frame.at(instruction.out[i]), lanes);
  }
  return Signal::next;
}

Signal run_scan(Frame& frame, const Instruction& instruction) {
  const auto& reduction = static_cast<const Reduction&>(*instruction.payload);
  const std::vector<std::byte*> tiles = working_copies(frame, instruction, reduction);
  const std::int64_t lanes = reduction.outer * reduction.inner;
  ++frame.reduction_depth;
  for (std::int64_t step = 0; step < reduction.n; ++step) {
    const std::int64_t at = reduction.reverse ? reduction.n - 1 - step : step;
    for (std::size_t i = 0; i < reduction.operands; ++i) {
      const Operand& left = reduction.left[i];
      if (step == 0) {
        fill(frame.at(left), reinterpret_cast<const std::byte*>(reduction.identities[i].data()), left.size,
             static_cast<std::uint64_t>(lanes));
      } else {
        take_result(frame, reduction.yields[i], frame.at(left), lanes);
      }
      gather(frame.at(reduction.right[i]), tiles[i], reduction, reduction.n, at, 1, 1, left.size);
    }
    const Signal signal = run_body(frame, reduction, lanes);
    if (signal != Signal::next) {
      --frame.reduction_depth;
      return signal;
    }
    for (std::size_t i = 0; i < reduction.operands; ++i) {
      const std::size_t size = reduction.left[i].size;
      std::byte* row = scratch_of(frame)[1].bytes(static_cast<std::uint64_t>(lanes) * size);
      take_result(frame, reduction.yields[i], row, lanes);
      scatter(frame.at(instruction.out[i]), row, reduction, at, size);
    }
  }
  --frame.reduction_depth;
  return Signal::next;
}

/// The identity of an operand as a tile holds it.
std::string identity_bytes(const ir::Attribute& identity, TypeKind kind) {
  std::uint64_t bits = identity.bits;
  if (identity.kind == ir::Attribute::Kind::boolean) bits = bits != 0 ? 1 : 0;
  if (kind == TypeKind::tf32) bits <<= 13;
  if (kind == TypeKind::i1) bits &= 1;
  return std::string(reinterpret_cast<const char*>(&bits), tile_bytes(kind));
}

Result<void> fill_in(Op op, Reduction& reduction) {
  const auto operands = op.operands();
  const auto& shape = op.compiler.shape(operands[0]);
  const std::size_t along = op.word("dim");
  reduction.operands = operands.size();
  reduction.n = shape[along];
  for (std::size_t d = 0; d < along; ++d) reduction.outer *= shape[d];
  for (std::size_t d = along + 1; d < shape.size(); ++d) reduction.inner *= shape[d];
  const ir::Attribute* identities = op.tagged("identities");
  if (!identities || identities->items.size() != operands.size()) {
    return op.compiler.refuse(op.id, "it has no identity for each operand");
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    reduction.identities.push_back(
        identity_bytes(op.module().attribute(identities->items[i]), op.compiler.element(operands[i])));
  }
  return {};
}

/// The body: its arguments come in pairs, left and right of each operand.
Result<void> lower_body(Op op, Reduction& reduction, std::uint64_t lanes) {
  Compiler& compiler = op.compiler;
  const auto block = op.module().body(op.id);
  if (!block) return compiler.refuse(op.id, "it has no body");
  Scope scope{&reduction.code, &compiler.scope(), compiler.scope().depth + 1, lanes};
  for (std::size_t i = 0; i < reduction.operands; ++i) {
    for (std::uint32_t side = 0; side < 2; ++side) {
      const ir::ValueId argument = op.module().argument(*block, 2 * i + side);
      Operand operand = compiler.define(argument, false, scope);
      operand.uniform = false;
      compiler.set(argument, operand, scope);
      (side == 0 ? reduction.left : reduction.right).push_back(operand);
    }
  }
  if (auto lowered = compiler.block(*block, scope); !lowered) return lowered;
  const auto& ops = op.module().block(*block).ops;
  reduction.yields = compiler.use(op.module().operands(ops.back()));
  return {};
}

Signal hold(Frame&, const Instruction&) { return Signal::next; }

Result<void> lower(Op op, bool is_scan) {
  Compiler& compiler = op.compiler;
  if (compiler.scope().lanes != 0)
    return compiler.refuse(op.id, "a reduction in a reduction is not executed");
  auto reduction = std::make_shared<Reduction>();
  if (auto filled = fill_in(op, *reduction); !filled) return filled;
  reduction->reverse = is_scan && op.word("reverse") != 0;
  reduction->order = compiler.plan.options.reduction_order;
  const bool in_sequence = is_scan || reduction->order == ReductionOrder::sequential;
  const std::int64_t most =
      reduction->outer * reduction->inner * (in_sequence ? 1 : std::max<std::int64_t>(1, reduction->n / 2));
  Scope& outer = compiler.scope();
  if (auto body = lower_body(op, *reduction, static_cast<std::uint64_t>(most)); !body) return body;
  std::vector<Operand> out;
  for (std::size_t i = 0; i < reduction->operands; ++i)
    out.push_back(compiler.define(op.result(i), false, outer));
  // The arguments live from here on, through all runs of the body, and its results after it.
  std::vector<Operand> arguments = reduction->left;
  arguments.insert(arguments.end(), reduction->right.begin(), reduction->right.end());
  for (const Operand& argument : arguments) out.push_back(argument);
  std::vector<Operand> in = compiler.use(op.operands());
  compiler.append(outer, op.id, std::move(in), std::move(out), is_scan ? run_scan : run_reduce, reduction);
  // A last instruction keeps what the body yields alive until its end.
  Instruction last{.execute = hold, .op = op.id, .in = reduction->yields};
  for (const Operand& argument : arguments) last.in.push_back(argument);
  reduction->code.push_back(std::move(last));
  return {};
}

}  // namespace

Result<void> reduce(Op op) { return lower(op, false); }
Result<void> scan(Op op) { return lower(op, true); }

}  // namespace tileport::cpu
