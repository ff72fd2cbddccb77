// SPDX-License-Identifier: Apache-2.0
// Constants, promises, the grid, print and assert.
#include <fmt/format.h>

#include "cpu/checks.hpp"
#include "cpu/frame.hpp"
#include "cpu/printing.hpp"

namespace tileport::cpu {
namespace {

using ir::TypeKind;

struct Bytes final : Payload {
  std::string bytes;
};

Signal run_constant(Frame& frame, const Instruction& instruction) {
  const std::string& bytes = static_cast<const Bytes&>(*instruction.payload).bytes;
  std::memcpy(frame.at(instruction.out[0]), bytes.data(), bytes.size());
  return Signal::next;
}

bool all_equal(const std::string& bytes, std::size_t size) {
  for (std::size_t i = size; i < bytes.size(); ++i) {
    if (bytes[i] != bytes[i - size]) return false;
  }
  return true;
}

Result<void> constant(Op op) {
  const TypeKind kind = op.compiler.element(op.result());
  const std::string& raw = op.module().constants[static_cast<std::size_t>(op.word("value"))];
  const std::uint64_t count = op.compiler.count(op.result());
  auto payload = std::make_shared<Bytes>();
  payload->bytes = tile_elements(raw, kind, count);
  const std::size_t size = tile_bytes(kind);
  const bool uniform = all_equal(payload->bytes, size);
  if (uniform) payload->bytes.resize(size);
  op.compiler.pure(op.id, op.result(), {}, uniform, run_constant, std::move(payload));
  return {};
}

Result<void> assume(Op op) {
  check_assume(op);
  op.compiler.alias(op.result(), op.operand(0));
  return {};
}

struct Text final : Payload {
  std::string text;
  std::vector<std::vector<std::int64_t>> shapes{};
};

Signal run_assert(Frame& frame, const Instruction& instruction) {
  const std::byte* conditions = frame.at(instruction.in[0]);
  const std::uint64_t count = instruction.in[0].uniform ? 1 : instruction.count;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (conditions[i] != std::byte{0}) continue;
    const std::string& message = static_cast<const Text&>(*instruction.payload).text;
    return frame.fail(instruction, "TP-E0030",
                      fmt::format("assertion failed{}: {}",
                                  instruction.count == 1 ? "" : fmt::format(" for element {}", i), message));
  }
  return Signal::next;
}

Result<void> assertion(Op op) {
  auto payload = std::make_shared<Text>();
  payload->text = op.module().string(static_cast<ir::StringId>(op.word("message")));
  op.compiler.effect(op.id, op.operands(), run_assert, std::move(payload)).count =
      op.compiler.count(op.operand(0));
  return {};
}

Signal run_print(Frame& frame, const Instruction& instruction) {
  const auto& payload = static_cast<const Text&>(*instruction.payload);
  std::vector<PrintedTile> tiles;
  for (std::size_t i = 0; i < instruction.in.size(); ++i) {
    const Operand& operand = instruction.in[i];
    tiles.push_back({frame.at(operand), operand.uniform, operand.size, operand.kind, payload.shapes[i]});
  }
  frame.print(format_tiles(payload.text, tiles));
  return Signal::next;
}

Result<void> print(Op op) {
  auto payload = std::make_shared<Text>();
  payload->text = op.module().string(static_cast<ir::StringId>(op.word("str")));
  const auto tiles = op.group("args");
  for (const ir::ValueId tile : tiles) payload->shapes.push_back(op.compiler.shape(tile));
  op.compiler.effect(op.id, tiles, run_print, std::move(payload));
  for (std::uint32_t i = 0; i < op.module().op(op.id).results.count; ++i) {
    op.compiler.define_token(op.result(i), op.compiler.scope());
  }
  return {};
}

Signal run_block_id(Frame& frame, const Instruction& instruction) {
  for (std::size_t i = 0; i < 3; ++i) *frame.at<std::int32_t>(instruction.out[i]) = frame.block[i];
  return Signal::next;
}
Signal run_grid_size(Frame& frame, const Instruction& instruction) {
  for (std::size_t i = 0; i < 3; ++i) {
    *frame.at<std::int32_t>(instruction.out[i]) = static_cast<std::int32_t>(frame.launch.grid[i]);
  }
  return Signal::next;
}

Result<void> three(Op op, Scope& scope, Execute execute) {
  std::vector<Operand> out;
  for (std::size_t i = 0; i < 3; ++i) out.push_back(op.compiler.define(op.result(i), true, scope));
  op.compiler.append(scope, op.id, {}, std::move(out), execute);
  return {};
}

constexpr Handler kHandlers[] = {
    {"constant", constant},
    {"assume", assume},
    {"assert", assertion},
    {"print_tko", print},
    {"get_tile_block_id", [](Op op) { return three(op, op.compiler.body(), run_block_id); }},
    {"get_num_tile_blocks", [](Op op) { return three(op, op.compiler.once(), run_grid_size); }},
};

}  // namespace

std::span<const Handler> misc_handlers() { return kHandlers; }

Operand constant_word(Compiler& compiler, std::uint64_t bits, TypeKind kind) {
  auto payload = std::make_shared<Bytes>();
  payload->bytes.assign(reinterpret_cast<const char*>(&bits), tile_bytes(kind));
  const Operand operand{
      .slot = compiler.new_slot(tile_bytes(kind)), .uniform = true, .size = tile_bytes(kind), .kind = kind};
  compiler.append(compiler.once(), ir::OpId{ir::kNone}, {}, {operand}, run_constant, std::move(payload));
  return operand;
}

}  // namespace tileport::cpu
