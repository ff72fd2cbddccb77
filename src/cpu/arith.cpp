// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparison and selection.
//
// f16 and bf16 are computed in float and rounded again, which gives what rounding once would: float has at
// least twice their bits and two more (Figueroa, 1995). Only fma needs more; its sum is rounded to odd first.
#include <fmt/format.h>

#include <array>

#include "cpu/checks.hpp"
#include "cpu/elementwise.hpp"

namespace tileport::cpu {
namespace {

using ir::TypeKind;

std::shared_ptr<ElementwiseOp> integer_op(Elementwise kernel, TypeKind kind, std::size_t inputs,
                                          bool is_signed) {
  auto op = std::make_shared<ElementwiseOp>();
  op->kernel = kernel;
  for (std::size_t i = 0; i < inputs; ++i) {
    op->prepare[i] = prepare_integer(kind, is_signed);
    op->input_bytes[i] = tile_bytes(kind);
  }
  op->result_bytes = tile_bytes(kind);
  op->finish = finish_integer(kind);
  return op;
}

Result<void> integer(Op op, IntegerOp kernel, bool is_signed) {
  const TypeKind kind = op.compiler.element(op.result());
  check_integers(op, kernel);
  op.compiler.elementwise(
      op.id, op.result(), op.operands(), run_elementwise,
      integer_op(integer_kernel(kernel, tile_bytes(kind)), kind, op.operands().size(), is_signed));
  return {};
}

template <IntegerOp kernel>
Result<void> plain(Op op) {
  return integer(op, kernel, false);
}
template <IntegerOp if_signed, IntegerOp if_unsigned>
Result<void> by_sign(Op op) {
  const bool is_signed = op.is_signed();
  return integer(op, is_signed ? if_signed : if_unsigned, is_signed);
}

/// i1 and i4 stand in bytes, whose upper half of a product is another.
Result<void> multiply_high(Op op) {
  const TypeKind kind = op.compiler.element(op.result());
  if (kind == TypeKind::i1) return op.compiler.refuse(op.id, "the upper half of a product of bits is 0");
  return integer(op, IntegerOp::mul_high, false);
}

Result<void> divide_integers(Op op) {
  const std::string_view rounding = op.enumerator("rounding");
  const bool is_signed = op.is_signed();
  IntegerOp kernel = is_signed ? IntegerOp::div_signed : IntegerOp::div_unsigned;
  if (rounding == "positive_inf")
    kernel = is_signed ? IntegerOp::div_ceil_signed : IntegerOp::div_ceil_unsigned;
  if (rounding == "negative_inf" && is_signed) kernel = IntegerOp::div_floor;
  return integer(op, kernel, is_signed);
}

Predicate predicate_of(Op op) { return static_cast<Predicate>(op.word("comparison_predicate")); }

Result<void> compare_integers(Op op) {
  const TypeKind kind = op.compiler.element(op.operand(0));
  auto made = integer_op(integer_comparison(predicate_of(op), op.is_signed(), tile_bytes(kind)), kind, 2,
                         op.is_signed());
  made->finish = nullptr;
  made->result_bytes = 1;
  op.compiler.elementwise(op.id, op.result(), op.operands(), run_elementwise, std::move(made));
  return {};
}

Result<void> floating(Op op, FloatOp kernel, Rounding rounding, bool flush) {
  const TypeKind kind = op.compiler.element(op.result());
  const bool narrow = kind == TypeKind::f16 || kind == TypeKind::bf16;
  if (kernel == FloatOp::fma && narrow && rounding == Rounding::nearest_even) kernel = FloatOp::fma_to_odd;
  op.compiler.elementwise(
      op.id, op.result(), op.operands(), run_elementwise,
      float_op(float_kernel(kernel, is_double(kind)), kind, op.operands().size(), rounding, flush));
  return {};
}

template <FloatOp kernel>
Result<void> rounded(Op op) {
  return floating(op, kernel, rounding_of(op.enumerator("rounding_mode")), op.flag("flush_to_zero"));
}
template <FloatOp kernel>
Result<void> exact(Op op) {
  return floating(op, kernel, Rounding::nearest_even, false);
}
template <FloatOp number, FloatOp propagating>
Result<void> extremum(Op op) {
  return floating(op, op.flag("propagate_nan") ? propagating : number, Rounding::nearest_even,
                  op.flag("flush_to_zero"));
}

/// Negation and magnitude change a bit and nothing else, NaN's payload included, so they don't decode.
template <IntegerOp kernel>
Result<void> sign_bit(Op op) {
  const TypeKind kind = op.compiler.element(op.result());
  auto made = std::make_shared<ElementwiseOp>();
  made->kernel = integer_kernel(kernel, tile_bytes(kind));
  made->input_bytes[0] = made->input_bytes[1] = made->result_bytes = tile_bytes(kind);
  const std::uint64_t sign = std::uint64_t{1} << (8 * tile_bytes(kind) - 1);
  const Operand mask = constant_word(op.compiler, kernel == IntegerOp::xor_ ? sign : sign - 1, kind);
  Instruction& instruction =
      op.compiler.elementwise(op.id, op.result(), op.operands(), run_elementwise, made);
  instruction.in.push_back(mask);
  return {};
}

Result<void> compare_floats(Op op) {
  const TypeKind kind = op.compiler.element(op.operand(0));
  const bool ordered = op.enumerator("comparison_ordering") == "ordered";
  auto made = float_op(float_comparison(predicate_of(op), ordered, is_double(kind)), kind, 2,
                       Rounding::nearest_even, false);
  made->finish = nullptr;
  made->result_bytes = 1;
  op.compiler.elementwise(op.id, op.result(), op.operands(), run_elementwise, std::move(made));
  return {};
}

Result<void> select(Op op) {
  const std::uint8_t bytes = tile_bytes(op.compiler.element(op.result()));
  auto made = std::make_shared<ElementwiseOp>();
  made->kernel = select_kernel(bytes);
  made->input_bytes[0] = 1;
  made->input_bytes[1] = made->input_bytes[2] = made->result_bytes = bytes;
  op.compiler.elementwise(op.id, op.result(), op.operands(), run_elementwise, std::move(made));
  return {};
}

constexpr Handler kHandlers[] = {
    {"addi", plain<IntegerOp::add>},
    {"subi", plain<IntegerOp::sub>},
    {"muli", plain<IntegerOp::mul>},
    {"mulhii", multiply_high},
    {"divi", divide_integers},
    {"remi", by_sign<IntegerOp::rem_signed, IntegerOp::rem_unsigned>},
    {"negi", plain<IntegerOp::neg>},
    {"absi", [](Op op) { return integer(op, IntegerOp::abs, true); }},
    {"maxi", by_sign<IntegerOp::max_signed, IntegerOp::max_unsigned>},
    {"mini", by_sign<IntegerOp::min_signed, IntegerOp::min_unsigned>},
    {"cmpi", compare_integers},
    {"shli", plain<IntegerOp::shl>},
    {"shri", by_sign<IntegerOp::shr_signed, IntegerOp::shr_unsigned>},
    {"andi", plain<IntegerOp::and_>},
    {"ori", plain<IntegerOp::or_>},
    {"xori", plain<IntegerOp::xor_>},
    {"addf", rounded<FloatOp::add>},
    {"subf", rounded<FloatOp::sub>},
    {"mulf", rounded<FloatOp::mul>},
    {"divf", rounded<FloatOp::div>},
    {"remf", exact<FloatOp::rem>},
    {"fma", rounded<FloatOp::fma>},
    {"negf", sign_bit<IntegerOp::xor_>},
    {"absf", sign_bit<IntegerOp::and_>},
    {"maxf", extremum<FloatOp::max, FloatOp::max_nan>},
    {"minf", extremum<FloatOp::min, FloatOp::min_nan>},
    {"cmpf", compare_floats},
    {"select", select},
};

}  // namespace

std::span<const Handler> arith_handlers() { return kHandlers; }

}  // namespace tileport::cpu
