// SPDX-License-Identifier: Apache-2.0
#include "cpu/elementwise.hpp"

#include <algorithm>
#include <cfenv>

#include "cpu/frame.hpp"

namespace tileport::cpu {
namespace {

// Elements that are prepared, computed and finished at a time: they stay in the first-level cache.
constexpr std::size_t kChunk = 512;

template <Decode (*function)(ir::TypeKind), ir::TypeKind kind>
void decode(const void* const* inputs, void* result, std::size_t count) {
  static const Decode chosen = function(kind);
  chosen(inputs[0], result, count);
}
template <ir::TypeKind kind, Rounding rounding>
void encode(const void* const* inputs, void* result, std::size_t count) {
  static const Encode chosen = encoder(kind, rounding);
  chosen(inputs[0], result, count);
}

template <ir::TypeKind kind>
Elementwise finish_in(Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest_even:
      return &encode<kind, Rounding::nearest_even>;
    case Rounding::zero:
      return &encode<kind, Rounding::zero>;
    case Rounding::negative_inf:
      return &encode<kind, Rounding::negative_inf>;
    case Rounding::positive_inf:
      return &encode<kind, Rounding::positive_inf>;
    case Rounding::nearest_away:
      return &encode<kind, Rounding::nearest_away>;
  }
  return nullptr;
}

/// A chunk of one operand as the kernel reads it.
struct Input {
  alignas(64) std::byte memory[kChunk * 8];
  const std::byte* source = nullptr;
  const void* ready = nullptr;
  std::size_t stride = 0;  ///< Bytes; 0: uniform, and `memory` is filled once.
};

class RoundingScope {
 public:
  explicit RoundingScope(int mode) : mode_(mode) {
    if (mode_ != FE_TONEAREST) std::fesetround(mode_);
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;
  ~RoundingScope() {
    if (mode_ != FE_TONEAREST) std::fesetround(FE_TONEAREST);
  }

 private:
  int mode_;
};

void run_chunk(const ElementwiseOp& op, Input* inputs, std::size_t input_count, std::byte* result,
               std::size_t first, std::size_t count) {
  const void* ready[ElementwiseOp::kMostInputs];
  for (std::size_t i = 0; i < input_count; ++i) {
    Input& input = inputs[i];
    if (input.stride != 0) {
      const void* source = input.source + first * input.stride;
      if (op.prepare[i]) {
        op.prepare[i](&source, input.memory, count);
        source = input.memory;
      }
      input.ready = source;
    }
    ready[i] = input.ready;
  }
  if (!op.then && !op.finish) return op.kernel(ready, result, count);
  alignas(64) std::byte computed[kChunk * 8];
  alignas(64) std::byte changed[kChunk * 8];
  op.kernel(ready, computed, count);
  const void* last = computed;
  if (op.then) {
    void* to = op.finish ? static_cast<void*>(changed) : result;
    op.then(&last, to, count);
    last = to;
  }
  if (op.finish) op.finish(&last, result, count);
}

}  // namespace

Signal run_elementwise(Frame& frame, const Instruction& instruction) {
  const auto& op = static_cast<const ElementwiseOp&>(*instruction.payload);
  const std::size_t count = frame.count(instruction);
  const std::size_t input_count = instruction.in.size();
  std::byte* result = frame.at(instruction.out[0]);
  const RoundingScope scope(op.rounding);
  const void* direct[ElementwiseOp::kMostInputs];
  bool is_direct = !op.then && !op.finish;
  for (std::size_t i = 0; i < input_count; ++i) {
    direct[i] = frame.at(instruction.in[i]);
    if (op.prepare[i] || (instruction.in[i].uniform && count != 1)) is_direct = false;
  }
  if (is_direct) {
    op.kernel(direct, result, count);
    return Signal::next;
  }
  Input inputs[ElementwiseOp::kMostInputs];
  for (std::size_t i = 0; i < input_count; ++i) {
    const Operand& operand = instruction.in[i];
    inputs[i].source = frame.at(operand);
    if (!operand.uniform || count == 1) {
      inputs[i].stride = operand.size;
      continue;
    }
    alignas(8) std::byte one[8];
    const void* source = inputs[i].source;
    if (op.prepare[i]) {
      op.prepare[i](&source, one, 1);
      source = one;
    }
    fill(inputs[i].memory, static_cast<const std::byte*>(source), op.input_bytes[i], std::min(count, kChunk));
    inputs[i].ready = inputs[i].memory;
  }
  const std::size_t result_stride = instruction.out[0].size;
  for (std::size_t first = 0; first < count; first += kChunk) {
    run_chunk(op, inputs, input_count, result + first * result_stride, first,
              std::min(kChunk, count - first));
  }
  return Signal::next;
}

Elementwise prepare_float(ir::TypeKind kind) {
  using ir::TypeKind;
  switch (kind) {
    case TypeKind::f16:
      return &decode<decoder, TypeKind::f16>;
    case TypeKind::bf16:
      return &decode<decoder, TypeKind::bf16>;
    case TypeKind::f8E4M3FN:
      return &decode<decoder, TypeKind::f8E4M3FN>;
    case TypeKind::f8E5M2:
      return &decode<decoder, TypeKind::f8E5M2>;
    case TypeKind::f8E8M0FNU:
      return &decode<decoder, TypeKind::f8E8M0FNU>;
    case TypeKind::f4E2M1FN:
      return &decode<decoder, TypeKind::f4E2M1FN>;
    case TypeKind::fnv8E5M3FNU:
      return &decode<decoder, TypeKind::fnv8E5M3FNU>;
    default:
      return nullptr;
  }
}

Elementwise finish_float(ir::TypeKind kind, Rounding rounding) {
  using ir::TypeKind;
  switch (kind) {
    case TypeKind::f16:
      return finish_in<TypeKind::f16>(rounding);
    case TypeKind::bf16:
      return finish_in<TypeKind::bf16>(rounding);
    case TypeKind::tf32:
      return finish_in<TypeKind::tf32>(rounding);
    case TypeKind::f8E4M3FN:
      return finish_in<TypeKind::f8E4M3FN>(rounding);
    case TypeKind::f8E5M2:
      return finish_in<TypeKind::f8E5M2>(rounding);
    case TypeKind::f8E8M0FNU:
      return finish_in<TypeKind::f8E8M0FNU>(rounding);
    case TypeKind::f4E2M1FN:
      return finish_in<TypeKind::f4E2M1FN>(rounding);
    case TypeKind::fnv8E5M3FNU:
      return finish_in<TypeKind::fnv8E5M3FNU>(rounding);
    default:
      return nullptr;
  }
}

Elementwise prepare_integer(ir::TypeKind kind, bool is_signed) {
  if (kind == ir::TypeKind::i1) return is_signed ? extend_bits(1) : nullptr;
  if (kind == ir::TypeKind::i4) return is_signed ? extend_bits(4) : mask_bits(4);
  return nullptr;
}

Elementwise finish_integer(ir::TypeKind kind) {
  if (kind == ir::TypeKind::i1) return mask_bits(1);
  if (kind == ir::TypeKind::i4) return mask_bits(4);
  return nullptr;
}

Rounding rounding_of(std::string_view enumerator) {
  if (enumerator == "zero") return Rounding::zero;
  if (enumerator == "negative_inf") return Rounding::negative_inf;
  if (enumerator == "positive_inf") return Rounding::positive_inf;
  if (enumerator == "nearest_away") return Rounding::nearest_away;
  return Rounding::nearest_even;  // `approx` and `full` are computed as well as they can be.
}

int environment(Rounding rounding) {
  switch (rounding) {
    case Rounding::zero:
      return FE_TOWARDZERO;
    case Rounding::negative_inf:
      return FE_DOWNWARD;
    case Rounding::positive_inf:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

std::shared_ptr<ElementwiseOp> float_op(Elementwise kernel, ir::TypeKind kind, std::size_t inputs,
                                        Rounding rounding, bool flush) {
  auto op = std::make_shared<ElementwiseOp>();
  op->kernel = kernel;
  const std::uint8_t bytes = is_double(kind) ? 8 : 4;
  for (std::size_t i = 0; i < inputs; ++i) {
    op->prepare[i] = flush ? flush_subnormals() : prepare_float(kind);
    op->input_bytes[i] = bytes;
  }
  op->result_bytes = bytes;
  op->then = flush ? flush_subnormals() : nullptr;
  op->finish = finish_float(kind, rounding);
  op->rounding = environment(rounding);
  return op;
}

}  // namespace tileport::cpu
