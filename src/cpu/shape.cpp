// SPDX-License-Identifier: Apache-2.0
// Ops that move elements without changing them.
#include <fmt/format.h>

#include <numeric>

#include "cpu/compiler.hpp"
#include "cpu/frame.hpp"
#include "cpu/kernels/copies.hpp"

namespace tileport::cpu {
namespace {

// Tiles of more dimensions are refused; copies hold them in arrays.
constexpr std::size_t kMostTileDimensions = 16;

using Strides = std::vector<std::int64_t>;

Strides row_major(const std::vector<std::int64_t>& shape) {
  Strides strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

struct Copy final : Payload {
  std::vector<CopyDimension> dimensions;
  std::int64_t to_offset = 0;
  std::uint64_t source_count = 0;
  /// Of extract and insert: how many positions each index has, and how far apart they are.
  std::vector<std::int64_t> positions{};
  std::vector<std::int64_t> steps{};
  // Of cat: the second operand.
  std::vector<CopyDimension> more{};
  std::int64_t more_offset = 0;
  std::uint64_t more_count = 0;
};

Result<void> check_rank(Op op, std::size_t rank) {
  if (rank <= kMostTileDimensions) return {};
  return op.compiler.refuse(
      op.id, fmt::format("tiles of more than {} dimensions are not executed", kMostTileDimensions));
}

Signal run_copy(Frame& frame, const Instruction& instruction) {
  const auto& copy = static_cast<const Copy&>(*instruction.payload);
  const std::size_t size = instruction.out[0].size;
  copy_box(frame.at(instruction.out[0]), frame.full(instruction.in[0], copy.source_count, 0),
           copy.dimensions.data(), copy.dimensions.size(), size);
  return Signal::next;
}

/// A copy of all elements of a value, by the strides that each dimension of the result has in the source.
Result<void> rearrange(Op op, const Strides& from_strides) {
  const ir::ValueId result = op.result();
  const ir::ValueId source = op.operand(0);
  Compiler& compiler = op.compiler;
  if (compiler.use(source).uniform) {
    compiler.alias(result, source);
    return {};
  }
  const auto& shape = compiler.shape(result);
  if (auto rank = check_rank(op, shape.size()); !rank) return rank;
  const Strides to_strides = row_major(shape);
  auto copy = std::make_shared<Copy>();
  copy->source_count = compiler.count(source);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    copy->dimensions.push_back({shape[d], to_strides[d], from_strides[d]});
  }
  compiler.pure(op.id, result, op.operands(), false, run_copy, std::move(copy));
  return {};
}

Result<void> broadcast(Op op) {
  const auto& from = op.compiler.shape(op.operand(0));
  Strides strides = row_major(from);
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (from[d] == 1) strides[d] = 0;
  }
  return rearrange(op, strides);
}

Result<void> permute(Op op) {
  const ir::Attribute* permutation = op.tagged("permutation");
  const Strides from = row_major(op.compiler.shape(op.operand(0)));
  Strides strides;
  for (const std::int64_t d : permutation->numbers) strides.push_back(from[static_cast<std::size_t>(d)]);
  return rearrange(op, strides);
}

Result<void> reshape(Op op) {
  op.compiler.alias(op.result(), op.operand(0));
  return {};
}

Signal run_cat(Frame& frame, const Instruction& instruction) {
  const auto& copy = static_cast<const Copy&>(*instruction.payload);
  const std::size_t size = instruction.out[0].size;
  std::byte* to = frame.at(instruction.out[0]);
  copy_box(to, frame.full(instruction.in[0], copy.source_count, 0), copy.dimensions.data(),
           copy.dimensions.size(), size);
  copy_box(to + copy.more_offset * static_cast<std::int64_t>(size),
           frame.full(instruction.in[1], copy.more_count, 1), copy.more.data(), copy.more.size(), size);
  return Signal::next;
}

Result<void> cat(Op op) {
  Compiler& compiler = op.compiler;
  const auto& shape = compiler.shape(op.result());
  if (auto rank = check_rank(op, shape.size()); !rank) return rank;
  const Strides to = row_major(shape);
  const std::size_t along = op.word("dim");
  auto copy = std::make_shared<Copy>();
  const auto& first = compiler.shape(op.operand(0));
  const auto& second = compiler.shape(op.operand(1));
  const Strides first_strides = row_major(first);
  const Strides second_strides = row_major(second);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    copy->dimensions.push_back({first[d], to[d], first_strides[d]});
    copy->more.push_back({second[d], to[d], second_strides[d]});
  }
  copy->source_count = compiler.count(op.operand(0));
  copy->more_count = compiler.count(op.operand(1));
  copy->more_offset = first[along] * to[along];
  compiler.pure(op.id, op.result(), op.operands(), false, run_cat, std::move(copy));
  return {};
}

/// Where the part that the indices name begins, in elements of the whole. Nothing if it lies outside.
std::optional<std::int64_t> part_offset(Frame& frame, const Instruction& instruction, std::size_t first) {
  const auto& copy = static_cast<const Copy&>(*instruction.payload);
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < copy.positions.size(); ++d) {
    const std::int64_t index = frame.integer(instruction.in[first + d], true);
    if (index < 0 || index >= copy.positions[d]) {
      frame.fail(instruction, "TP-E0025",
                 fmt::format("index {} is {}, and the tile has {} such parts along dimension {}", d, index,
                             copy.positions[d], d));
      return std::nullopt;
    }
    offset += index * copy.steps[d];
  }
  return offset;
}

/// Parts of a whole: their extents divide it, and an index counts parts.
std::shared_ptr<Copy> part_of(Compiler& compiler, ir::ValueId whole, ir::ValueId part, bool to_whole) {
  const auto& shape = compiler.shape(part);
  const Strides of_whole = row_major(compiler.shape(whole));
  const Strides of_part = row_major(shape);
  auto copy = std::make_shared<Copy>();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    copy->dimensions.push_back(
        {shape[d], to_whole ? of_whole[d] : of_part[d], to_whole ? of_part[d] : of_whole[d]});
    copy->positions.push_back(compiler.shape(whole)[d] / shape[d]);
    copy->steps.push_back(shape[d] * of_whole[d]);
  }
  return copy;
}

Signal run_extract(Frame& frame, const Instruction& instruction) {
  const auto& copy = static_cast<const Copy&>(*instruction.payload);
  const auto offset = part_offset(frame, instruction, 1);
  if (!offset) return Signal::failed;
  const std::size_t size = instruction.out[0].size;
  const std::byte* from = frame.full(instruction.in[0], copy.source_count, 0);
  copy_box(frame.at(instruction.out[0]), from + *offset * static_cast<std::int64_t>(size),
           copy.dimensions.data(), copy.dimensions.size(), size);
  return Signal::next;
}

/// An index out of range stops the block, so these stay where the program has them.
Result<void> extract(Op op) {
  Compiler& compiler = op.compiler;
  if (auto rank = check_rank(op, compiler.shape(op.result()).size()); !rank) return rank;
  auto copy = part_of(compiler, op.operand(0), op.result(), false);
  copy->source_count = compiler.count(op.operand(0));
  const Operand out = compiler.define(op.result(), false, compiler.scope());
  compiler.effect(op.id, op.operands(), run_extract, std::move(copy)).out = {out};
  return {};
}

Signal run_insert(Frame& frame, const Instruction& instruction) {
  const auto& copy = static_cast<const Copy&>(*instruction.payload);
  const auto offset = part_offset(frame, instruction, 2);
  if (!offset) return Signal::failed;
  const std::size_t size = instruction.out[0].size;
  std::byte* to = frame.at(instruction.out[0]);
  std::memcpy(to, frame.full(instruction.in[1], copy.more_count, 1), copy.more_count * size);
  copy_box(to + *offset * static_cast<std::int64_t>(size),
           frame.full(instruction.in[0], copy.source_count, 0), copy.dimensions.data(),
           copy.dimensions.size(), size);
  return Signal::next;
}

Result<void> insert(Op op) {
  Compiler& compiler = op.compiler;
  if (auto rank = check_rank(op, compiler.shape(op.result()).size()); !rank) return rank;
  auto copy = part_of(compiler, op.operand(1), op.operand(0), true);
  copy->source_count = compiler.count(op.operand(0));
  copy->more_count = compiler.count(op.operand(1));
  const Operand out = compiler.define(op.result(), false, compiler.scope());
  compiler.effect(op.id, op.operands(), run_insert, std::move(copy)).out = {out};
  return {};
}

template <class T>
void count_up(std::byte* to, std::uint64_t count) {
  T* elements = reinterpret_cast<T*>(to);
  for (std::uint64_t i = 0; i < count; ++i) elements[i] = static_cast<T>(i);
}

Signal run_iota(Frame& frame, const Instruction& instruction) {
  std::byte* to = frame.at(instruction.out[0]);
  switch (instruction.out[0].size) {
    case 1:
      count_up<std::uint8_t>(to, instruction.count);
      break;
    case 2:
      count_up<std::uint16_t>(to, instruction.count);
      break;
    case 4:
      count_up<std::uint32_t>(to, instruction.count);
      break;
    default:
      count_up<std::uint64_t>(to, instruction.count);
      break;
  }
  if (instruction.out[0].kind == ir::TypeKind::i1) {
    for (std::uint64_t i = 0; i < instruction.count; ++i) to[i] &= std::byte{1};
  }
  return Signal::next;
}

Result<void> iota(Op op) {
  op.compiler.pure(op.id, op.result(), {}, false, run_iota);
  return {};
}

constexpr Handler kHandlers[] = {
    {"broadcast", broadcast}, {"reshape", reshape}, {"permute", permute}, {"cat", cat},
    {"extract", extract},     {"insert", insert},   {"iota", iota},
};

}  // namespace

std::span<const Handler> shape_handlers() { return kHandlers; }

}  // namespace tileport::cpu
