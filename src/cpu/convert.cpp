// SPDX-License-Identifier: Apache-2.0
// Conversions. Everything between floats of any width is rounded once: what has to go through float on its
// way to a narrower type gets there rounded to odd.
#include "cpu/checks.hpp"
#include "cpu/elementwise.hpp"
#include "cpu/frame.hpp"

namespace tileport::cpu {
namespace {

using ir::TypeKind;

bool is_narrow(TypeKind kind) { return kind != TypeKind::f32 && kind != TypeKind::f64; }

Result<void> put(Op op, std::shared_ptr<ElementwiseOp> made) {
  op.compiler.elementwise(op.id, op.result(), op.operands(), run_elementwise, std::move(made));
  return {};
}

Result<void> float_to_float(Op op) {
  const TypeKind from = op.compiler.element(op.operand(0));
  const TypeKind to = op.compiler.element(op.result());
  const Rounding rounding = rounding_of(op.enumerator("rounding_mode"));
  auto made = std::make_shared<ElementwiseOp>();
  made->prepare[0] = prepare_float(from);
  made->input_bytes[0] = is_double(from) ? 8 : 4;
  made->result_bytes = is_double(to) ? 8 : 4;
  if (is_double(from) && is_double(to)) {
    made->kernel = float_kernel(FloatOp::copy, true);
  } else if (is_double(to)) {
    made->kernel = float_to_double();
  } else if (is_double(from)) {
    // Rounding to odd starts from the nearest float, so the thread's mode stays as it is.
    made->kernel = double_to_float(is_narrow(to));
    made->rounding = is_narrow(to) ? 0 : environment(rounding);
  } else {
    made->kernel = float_kernel(FloatOp::copy, false);
  }
  made->finish = finish_float(to, rounding);
  return put(op, std::move(made));
}

Result<void> float_to_int(Op op) {
  const TypeKind from = op.compiler.element(op.operand(0));
  const TypeKind to = op.compiler.element(op.result());
  if (to == TypeKind::i1) return op.compiler.refuse(op.id, "cutting a float to one bit is not defined");
  auto made = std::make_shared<ElementwiseOp>();
  made->prepare[0] = prepare_float(from);
  made->input_bytes[0] = is_double(from) ? 8 : 4;
  made->result_bytes = tile_bytes(to);
  made->kernel = float_to_integer(is_double(from), tile_bytes(to), op.is_signed());
  return put(op, std::move(made));
}

Result<void> int_to_float(Op op) {
  const TypeKind from = op.compiler.element(op.operand(0));
  const TypeKind to = op.compiler.element(op.result());
  auto made = std::make_shared<ElementwiseOp>();
  made->prepare[0] = prepare_integer(from, op.is_signed());
  made->input_bytes[0] = tile_bytes(from);
  made->result_bytes = is_double(to) ? 8 : 4;
  made->kernel = integer_to_float(tile_bytes(from), op.is_signed(), is_double(to), is_narrow(to));
  made->finish = finish_float(to, Rounding::nearest_even);
  return put(op, std::move(made));
}

Result<void> resize_integer(Op op, bool is_signed) {
  const TypeKind from = op.compiler.element(op.operand(0));
  const TypeKind to = op.compiler.element(op.result());
  auto made = std::make_shared<ElementwiseOp>();
  made->prepare[0] = prepare_integer(from, is_signed);
  made->input_bytes[0] = tile_bytes(from);
  made->result_bytes = tile_bytes(to);
  made->kernel = integer_resize(tile_bytes(from), tile_bytes(to), is_signed);
  made->finish = finish_integer(to);
  return put(op, std::move(made));
}

Result<void> truncate_integer(Op op) {
  check_integers(op, IntegerOp::abs);  // No op of its own: only the promise of its flags is looked at.
  return resize_integer(op, false);
}

/// Tiles hold the bits of their elements, so nothing is done. An i1 is a byte that is 0 or 1.
Result<void> same_bits(Op op) {
  op.compiler.alias(op.result(), op.operand(0));
  return {};
}

// ---- bytes of elements, and elements of bytes

Signal copy_bytes(Frame& frame, const Instruction& instruction) {
  const std::uint64_t bytes = instruction.count;
  const std::byte* from = frame.full(instruction.in[0], bytes / instruction.in[0].size, 0);
  std::memcpy(frame.at(instruction.out[0]), from, bytes);
  return Signal::next;
}

Signal pack_halves(Frame& frame, const Instruction& instruction) {
  const std::byte* from = frame.full(instruction.in[0], 2 * instruction.count, 0);
  std::byte* to = frame.at(instruction.out[0]);
  for (std::uint64_t i = 0; i < instruction.count; ++i) {
    to[i] = (from[2 * i] & std::byte{15}) | from[2 * i + 1] << 4;
  }
  return Signal::next;
}

Signal unpack_halves(Frame& frame, const Instruction& instruction) {
  const std::byte* from = frame.full(instruction.in[0], instruction.count / 2, 0);
  std::byte* to = frame.at(instruction.out[0]);
  for (std::uint64_t i = 0; i < instruction.count; ++i) {
    to[i] = i % 2 == 0 ? from[i / 2] & std::byte{15} : from[i / 2] >> 4;
  }
  return Signal::next;
}

Signal pack_bits(Frame& frame, const Instruction& instruction) {
  const std::byte* from = frame.full(instruction.in[0], 8 * instruction.count, 0);
  std::byte* to = frame.at(instruction.out[0]);
  for (std::uint64_t i = 0; i < instruction.count; ++i) {
    to[i] = std::byte{0};
    for (unsigned bit = 0; bit < 8; ++bit) to[i] |= (from[8 * i + bit] & std::byte{1}) << bit;
  }
  return Signal::next;
}

Signal unpack_bits(Frame& frame, const Instruction& instruction) {
  const std::byte* from = frame.full(instruction.in[0], instruction.count / 8, 0);
  std::byte* to = frame.at(instruction.out[0]);
  for (std::uint64_t i = 0; i < instruction.count; ++i) to[i] = (from[i / 8] >> (i % 8)) & std::byte{1};
  return Signal::next;
}

bool is_half_byte(TypeKind kind) { return kind == TypeKind::i4 || kind == TypeKind::f4E2M1FN; }

/// The result holds the operand's bits in the order of memory.
Result<void> repack(Op op) {
  const TypeKind from = op.compiler.element(op.operand(0));
  const TypeKind to = op.compiler.element(op.result());
  const bool packing = op.module().op(op.id).info->is("pack");
  const TypeKind kind = packing ? from : to;
  if (kind == TypeKind::tf32) return op.compiler.refuse(op.id, "tf32 has no bytes of its own");
  Execute execute = copy_bytes;
  if (is_half_byte(kind)) execute = packing ? pack_halves : unpack_halves;
  if (kind == TypeKind::i1) execute = packing ? pack_bits : unpack_bits;
  Instruction& made = op.compiler.pure(op.id, op.result(), op.operands(), false, execute);
  made.count = op.compiler.count(op.result());
  if (execute == copy_bytes) made.count *= tile_bytes(to);
  return {};
}

constexpr Handler kHandlers[] = {
    {"bitcast", same_bits},       {"exti", [](Op op) { return resize_integer(op, op.is_signed()); }},
    {"trunci", truncate_integer}, {"ftof", float_to_float},
    {"ftoi", float_to_int},       {"itof", int_to_float},
    {"int_to_ptr", same_bits},    {"ptr_to_int", same_bits},
    {"ptr_to_ptr", same_bits},    {"pack", repack},
    {"unpack", repack},
};

}  // namespace

std::span<const Handler> convert_handlers() { return kHandlers; }

}  // namespace tileport::cpu
