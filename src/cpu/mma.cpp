// SPDX-License-Identifier: Apache-2.0
#include "cpu/mma.hpp"

#include "cpu/elementwise.hpp"
#include "cpu/frame.hpp"
#include "cpu/kernels/mma.hpp"

namespace tileport::cpu {
namespace {

using ir::TypeKind;

struct Product final : Payload {
  std::size_t batches = 1;
  std::size_t m = 0, n = 0, k = 0;
  Elementwise decode_factor = nullptr;  ///< To what is multiplied; null: as it stands.
  Elementwise decode_sum = nullptr;
  Elementwise encode_sum = nullptr;
  Elementwise decode_scale = nullptr;
  std::size_t block = 0;  ///< Elements along k that share a scale.
  bool left_signed = true;
  bool right_signed = true;
};

// A multiplication takes a processor about a sixteenth of the time of an elementwise op.
constexpr std::uint64_t kMultiplicationsOfWork = 16;
constexpr std::uint64_t kStepMultiplications = std::uint64_t{1} << 24;

/// All elements of an operand, decoded.
template <class T>
const T* decoded(Frame& frame, const Operand& operand, std::uint64_t count, Elementwise decode,
                 std::size_t scratch) {
  const void* source = frame.full(operand, count, scratch);
  if (!decode) return static_cast<const T*>(source);
  // `full` may have used this scratch already.
  std::byte* to = frame.scratch[scratch + (source == frame.at(operand) ? 0 : 3)].bytes(count * sizeof(T));
  decode(&source, to, count);
  return reinterpret_cast<const T*>(to);
}

/// Multiplies in bands of rows, so that limits are looked at now and then.
template <class T>
Signal multiply_all(Frame& frame, const Instruction& instruction, const Product& product, const T* left,
                    const T* right, const T* acc, T* result) {
  const std::size_t m = product.m, n = product.n, k = product.k;
  const std::size_t band =
      std::max<std::size_t>(6, kStepMultiplications / std::max<std::size_t>(1, n * k) / 6 * 6);
  for (std::size_t b = 0; b < product.batches; ++b) {
    for (std::size_t first = 0; first < m; first += band) {
      const std::size_t rows = std::min(band, m - first);
      const std::size_t at = b * m * n + first * n;
      multiply(left + b * m * k + first * k, right + b * k * n, acc + at, result + at, rows, n, k);
      frame.work += rows * n * k / kMultiplicationsOfWork;
      if (rows < m && !frame.may_go_on(instruction)) return Signal::failed;
    }
  }
  return Signal::next;
}

template <class T>
Signal run_floats(Frame& frame, const Instruction& instruction) {
  const auto& product = static_cast<const Product&>(*instruction.payload);
  const std::size_t sums = product.batches * product.m * product.n;
  const T* left =
      decoded<T>(frame, instruction.in[0], product.batches * product.m * product.k, product.decode_factor, 0);
  const T* right =
      decoded<T>(frame, instruction.in[1], product.batches * product.k * product.n, product.decode_factor, 1);
  const T* acc = decoded<T>(frame, instruction.in[2], sums, product.decode_sum, 2);
  T* result = frame.at<T>(instruction.out[0]);
  // An encoded sum is computed in place of the decoded acc, which is scratch memory then.
  if (product.encode_sum) result = const_cast<T*>(acc);
  const Signal signal = multiply_all(frame, instruction, product, left, right, acc, result);
  if (product.encode_sum) {
    const void* source = result;
    product.encode_sum(&source, frame.at(instruction.out[0]), sums);
  }
  return signal;
}

/// Extents of a product whose operands may have a batch dimension first.
void set_extents(Op op, Product& product) {
  const auto& left = op.compiler.shape(op.operand(0));
  const auto& right = op.compiler.shape(op.operand(1));
  const std::size_t rank = left.size();
  product.batches = rank == 3 ? static_cast<std::size_t>(left[0]) : 1;
  product.m = static_cast<std::size_t>(left[rank - 2]);
  product.k = static_cast<std::size_t>(left[rank - 1]);
  product.n = static_cast<std::size_t>(right[rank - 1]);
}

Result<void> check_rank(Op op) {
  const std::size_t rank = op.compiler.shape(op.operand(0)).size();
  if (rank == 2 || rank == 3) return {};
  return op.compiler.refuse(op.id, "its operands are neither matrices nor batches of them");
}

// ---- integers

template <class T>
const std::int32_t* widened(Frame& frame, const Operand& operand, std::uint64_t count, std::size_t scratch) {
  const T* source = reinterpret_cast<const T*>(frame.full(operand, count, scratch));
  auto* to = reinterpret_cast<std::int32_t*>(frame.scratch[scratch + 3].bytes(count * sizeof(std::int32_t)));
  for (std::uint64_t i = 0; i < count; ++i) to[i] = source[i];
  return to;
}

Signal run_integers(Frame& frame, const Instruction& instruction) {
  const auto& product = static_cast<const Product&>(*instruction.payload);
  const std::size_t lefts = product.batches * product.m * product.k;
  const std::size_t rights = product.batches * product.k * product.n;
  const std::size_t sums = product.batches * product.m * product.n;
  const std::int32_t* left = product.left_signed ? widened<std::int8_t>(frame, instruction.in[0], lefts, 0)
                                                 : widened<std::uint8_t>(frame, instruction.in[0], lefts, 0);
  const std::int32_t* right = product.right_signed
                                  ? widened<std::int8_t>(frame, instruction.in[1], rights, 1)
                                  : widened<std::uint8_t>(frame, instruction.in[1], rights, 1);
  const auto* acc = reinterpret_cast<const std::int32_t*>(frame.full(instruction.in[2], sums, 2));
  return multiply_all(frame, instruction, product, left, right, acc,
                      frame.at<std::int32_t>(instruction.out[0]));
}

// ---- block-scaled

/// Multiplies factors by their scales. `along_rows`: k is the last dimension (lhs); else the first (rhs).
void apply_scales(float* factors, const float* scales, const Product& product, std::size_t rows,
                  bool along_rows) {
  const std::size_t k = product.k;
  const std::size_t blocks = (k + product.block - 1) / product.block;
  for (std::size_t b = 0; b < product.batches; ++b) {
    float* batch = factors + b * rows * k;
    const float* of_batch = scales + b * rows * blocks;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t p = 0; p < k; ++p) {
        if (along_rows) {
          batch[i * k + p] *= of_batch[i * blocks + p / product.block];
        } else {
          batch[p * rows + i] *= of_batch[p / product.block * rows + i];
        }
      }
    }
  }
}

/// A factor times its scale has few bits, so that is exact in float unless it overflows or underflows.
const float* scaled(Frame& frame, const Instruction& instruction, const Product& product, std::size_t which,
                    std::size_t rows) {
  const std::size_t count = product.batches * rows * product.k;
  const std::size_t blocks = (product.k + product.block - 1) / product.block;
  const std::size_t scale_count = product.batches * rows * blocks;
  const void* codes = frame.full(instruction.in[which], count, which);
  const void* scale_codes = frame.full(instruction.in[3 + which], scale_count, 2);
  auto* factors = reinterpret_cast<float*>(frame.scratch[3 + which].bytes(count * sizeof(float)));
  auto* scales = reinterpret_cast<float*>(frame.scratch[5].bytes(scale_count * sizeof(float)));
  product.decode_factor(&codes, factors, count);
  product.decode_scale(&scale_codes, scales, scale_count);
  apply_scales(factors, scales, product, rows, which == 0);
  return factors;
}

Signal run_scaled(Frame& frame, const Instruction& instruction) {
  const auto& product = static_cast<const Product&>(*instruction.payload);
  const float* left = scaled(frame, instruction, product, 0, product.m);
  const float* right = scaled(frame, instruction, product, 1, product.n);
  const std::size_t sums = product.batches * product.m * product.n;
  const auto* acc = reinterpret_cast<const float*>(frame.full(instruction.in[2], sums, 2));
  return multiply_all(frame, instruction, product, left, right, acc, frame.at<float>(instruction.out[0]));
}

}  // namespace

Result<void> multiply_floats(Op op) {
  if (auto rank = check_rank(op); !rank) return rank;
  auto product = std::make_shared<Product>();
  set_extents(op, *product);
  const TypeKind factor = op.compiler.element(op.operand(0));
  const TypeKind sum = op.compiler.element(op.result());
  if (is_double(factor) != is_double(sum)) {
    return op.compiler.refuse(op.id, "products of f64 are summed in f64, and of others not");
  }
  product->decode_factor = prepare_float(factor);
  product->decode_sum = prepare_float(sum);
  product->encode_sum = finish_float(sum, Rounding::nearest_even);
  op.compiler.pure(op.id, op.result(), op.operands(), false,
                   is_double(sum) ? run_floats<double> : run_floats<float>, std::move(product));
  return {};
}

Result<void> multiply_scaled(Op op) {
  if (auto rank = check_rank(op); !rank) return rank;
  auto product = std::make_shared<Product>();
  set_extents(op, *product);
  product->decode_factor = prepare_float(op.compiler.element(op.operand(0)));
  product->decode_scale = prepare_float(op.compiler.element(op.operand(3)));
  const auto& scales = op.compiler.shape(op.operand(3));
  const auto blocks = static_cast<std::size_t>(scales.back());
  product->block = (product->k + blocks - 1) / blocks;
  op.compiler.pure(op.id, op.result(), op.operands(), false, run_scaled, std::move(product));
  return {};
}

Result<void> multiply_integers(Op op) {
  if (auto rank = check_rank(op); !rank) return rank;
  auto product = std::make_shared<Product>();
  set_extents(op, *product);
  product->left_signed = op.is_signed("signedness_lhs");
  product->right_signed = op.is_signed("signedness_rhs");
  op.compiler.pure(op.id, op.result(), op.operands(), false, run_integers, std::move(product));
  return {};
}

}  // namespace tileport::cpu
