// SPDX-License-Identifier: Apache-2.0
// Tensor views, views of tiles on them, and their loads and stores.
//
// A tensor view is base, extents and strides. The views on it only have types of their own: tile dimension d
// runs along dimension dim_map[d] of the tensor and begins at index[d] * tile[d] (strided: * the traversal
// stride; gather: at index[d] itself, along the sparse dimension at each of a vector of indices). What lies
// outside of the tensor is padding in loads and left alone by stores.
#include <fmt/format.h>

#include <cassert>

#include "cpu/access.hpp"

namespace tileport::cpu {
namespace {

using ir::TypeKind;

struct TensorShape final : Payload {
  TensorView fixed{};
  /// Dimensions that operands give, in their order.
  std::vector<std::size_t> extents{};
  std::vector<std::size_t> strides{};
  std::size_t rank = 0;
};

Signal run_tensor_view(Frame& frame, const Instruction& instruction) {
  const auto& shape = static_cast<const TensorShape&>(*instruction.payload);
  TensorView& view = *frame.at<TensorView>(instruction.out[0]);
  view = shape.fixed;
  view.base = frame.scalar<std::uint64_t>(instruction.in[0]);
  std::size_t next = 1;
  for (const std::size_t d : shape.extents) view.shape[d] = frame.integer(instruction.in[next++], true);
  for (const std::size_t d : shape.strides) view.strides[d] = frame.integer(instruction.in[next++], true);
  return Signal::next;
}

Result<void> make_tensor_view(Op op) {
  const ir::Type& type = op.compiler.type(op.result());
  if (type.shape.size() > kMostDimensions) {
    return op.compiler.refuse(
        op.id, fmt::format("tensors of more than {} dimensions are not executed", kMostDimensions));
  }
  auto shape = std::make_shared<TensorShape>();
  shape->rank = type.shape.size();
  for (std::size_t d = 0; d < type.shape.size(); ++d) {
    shape->fixed.shape[d] = type.shape[d];
    shape->fixed.strides[d] = type.strides[d];
    if (type.shape[d] == ir::kDynamic) shape->extents.push_back(d);
    if (type.strides[d] == ir::kDynamic) shape->strides.push_back(d);
  }
  op.compiler.pure(op.id, op.result(), op.operands(), true, run_tensor_view, std::move(shape));
  return {};
}

Result<void> same_tensor(Op op) {
  op.compiler.alias(op.result(), op.operand(0));
  return {};
}

struct ShapeQuery final : Payload {
  std::vector<std::size_t> dimensions{};
  std::vector<std::int64_t> steps{};
};

Signal run_shape_query(Frame& frame, const Instruction& instruction) {
  const auto& query = static_cast<const ShapeQuery&>(*instruction.payload);
  const TensorView& view = *frame.at<TensorView>(instruction.in[0]);
  for (std::size_t i = 0; i < instruction.out.size(); ++i) {
    const std::int64_t extent = view.shape[query.dimensions[i]];
    const std::int64_t step = query.steps[i];
    const std::int64_t tiles = extent / step + (extent % step > 0 ? 1 : 0);
    std::memcpy(frame.at(instruction.out[i]), &tiles, instruction.out[i].size);
  }
  return Signal::next;
}

Result<void> query_shape(Op op) {
  const ir::ValueId source = op.operand(0);
  const ir::Type& type = op.compiler.type(source);
  auto query = std::make_shared<ShapeQuery>();
  std::vector<Operand> out;
  Scope& scope = op.compiler.home(source);
  for (std::size_t i = 0; i < op.module().op(op.id).results.count; ++i) {
    const bool tiles = type.kind == TypeKind::partition_view || type.kind == TypeKind::strided_view;
    query->dimensions.push_back(i < type.dim_map.size() && tiles ? static_cast<std::size_t>(type.dim_map[i])
                                                                 : i);
    std::int64_t step = 1;
    if (type.kind == TypeKind::partition_view) step = type.shape[i];
    if (type.kind == TypeKind::strided_view) step = type.strides[i];
    if (type.kind == TypeKind::gather_scatter_view) step = type.shape[i];
    query->steps.push_back(step);
    out.push_back(op.compiler.define(op.result(i), true, scope));
  }
  op.compiler.append(scope, op.id, op.compiler.use(op.operands()), std::move(out), run_shape_query,
                     std::move(query));
  return {};
}

Signal run_load(Frame& frame, const Instruction& instruction) {
  const auto& view = static_cast<const ViewAccess&>(*instruction.payload);
  const auto found = find_boxes(frame, instruction, view);
  if (!found) return Signal::failed;
  std::byte* tile = frame.at(instruction.out[0]);
  if (!found->cover) {
    const std::uint64_t pad = view.padding.value_or(unspecified_bits(frame));
    fill(tile, reinterpret_cast<const std::byte*>(&pad), view.size, view.tile_count);
  }
  for (const Box& box : found->boxes) {
    copy_box(tile + box.tile_offset * static_cast<std::int64_t>(view.size),
             reinterpret_cast<const void*>(box.address), box.dimensions, box.rank, view.size);
  }
  if (view.element == TypeKind::i1) normalize_bits(tile, view.tile_count);
  return Signal::next;
}

/// View first, then indices.
std::vector<Operand> view_operands(Op op) {
  std::vector<Operand> operands = op.compiler.use(op.group("view"));
  for (const Operand& index : op.compiler.use(op.group("index"))) operands.push_back(index);
  return operands;
}

Result<void> load_view(Op op) {
  Compiler& compiler = op.compiler;
  auto access = view_access(op, op.group("view")[0], Access::read);
  if (!access) return tl::unexpected<Diagnostics>(access.error());
  const Operand tile = compiler.define(op.result(0), false, compiler.scope());
  compiler.append(compiler.scope(), op.id, view_operands(op), {tile}, run_load, *access);
  compiler.define_token(op.result(1), compiler.scope());
  return {};
}

Signal run_store(Frame& frame, const Instruction& instruction) {
  const auto& view = static_cast<const ViewAccess&>(*instruction.payload);
  const auto found = find_boxes(frame, instruction, view);
  if (!found) return Signal::failed;
  const std::byte* tile = frame.full(instruction.in.back(), view.tile_count, 0);
  for (Box box : found->boxes) {
    for (std::size_t d = 0; d < box.rank; ++d)
      std::swap(box.dimensions[d].to_stride, box.dimensions[d].from_stride);
    copy_box(reinterpret_cast<void*>(box.address),
             tile + box.tile_offset * static_cast<std::int64_t>(view.size), box.dimensions, box.rank,
             view.size);
  }
  return Signal::next;
}

Result<void> store_view(Op op) {
  Compiler& compiler = op.compiler;
  auto access = view_access(op, op.group("view")[0], Access::write);
  if (!access) return tl::unexpected<Diagnostics>(access.error());
  std::vector<Operand> operands = view_operands(op);
  operands.push_back(compiler.use(op.group("tile")[0]));
  compiler.append(compiler.scope(), op.id, std::move(operands), {}, run_store, *access);
  compiler.define_token(op.result(0), compiler.scope());
  return {};
}

constexpr Handler kHandlers[] = {
    {"make_tensor_view", make_tensor_view}, {"make_partition_view", same_tensor},
    {"make_strided_view", same_tensor},     {"make_gather_scatter_view", same_tensor},
    {"get_index_space_shape", query_shape}, {"get_tensor_shape", query_shape},
    {"load_view_tko", load_view},           {"store_view_tko", store_view},
};

}  // namespace

std::span<const Handler> view_handlers() { return kHandlers; }

}  // namespace tileport::cpu
