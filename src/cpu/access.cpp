// SPDX-License-Identifier: Apache-2.0
#include "cpu/access.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cpu/kernels/codecs.hpp"

namespace tileport::cpu {
namespace {

using ir::TypeKind;

__extension__ using Wide = __int128;

std::string_view verb(Access access) {
  switch (access) {
    case Access::read:
      return "reads";
    case Access::write:
      return "writes";
    case Access::atomic:
      return "changes";
  }
  return "";
}

bool report(Frame& frame, const Instruction& instruction, Guards::Fault fault, std::uint64_t address,
            Access access) {
  const std::string what =
      fmt::format("block {} {} {}", frame.block_name(), verb(access), frame.launch.guards->describe(address));
  switch (fault) {
    case Guards::Fault::none:
      return true;
    case Guards::Fault::outside:
      frame.fail(instruction, "TP-E0020", what + ", which is outside of the memory that the kernel was given",
                 "mask the access, or give views the extents of the arrays");
      break;
    case Guards::Fault::read_only:
      frame.fail(instruction, "TP-E0020", what + ", which is read-only", "pass an array that may be written");
      break;
    case Guards::Fault::race:
      frame.fail(instruction, "TP-E0021", what + ", which another block of this launch has written",
                 "blocks run in any order: give each its own elements, or use atomics");
      break;
    case Guards::Fault::undefined:
      frame.fail(instruction, "TP-E0022", what + ", which nobody has written");
      break;
  }
  return false;
}

/// Notes all elements of a box, run by run.
bool note_box(Frame& frame, const Instruction& instruction, Guards::Region& region, const Box& box,
              std::size_t dimension, std::uint64_t address, std::size_t size, Access access) {
  Guards& guards = *frame.launch.guards;
  const bool last = dimension + 1 >= box.rank;
  if (last && (box.rank == 0 || box.dimensions[dimension].from_stride == 1)) {
    const std::uint64_t count =
        box.rank == 0 ? 1 : static_cast<std::uint64_t>(box.dimensions[dimension].extent);
    const auto fault = guards.note(region, address, count * size, access, frame.block_number);
    if (fault == Guards::Fault::none) return true;
    // Finds the element, for the message.
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto one = guards.note(region, address + i * size, size, access, frame.block_number);
      if (one != Guards::Fault::none) return report(frame, instruction, one, address + i * size, access);
    }
    return report(frame, instruction, fault, address, access);
  }
  const CopyDimension& here = box.dimensions[dimension];
  for (std::int64_t i = 0; i < here.extent; ++i) {
    const std::uint64_t at = address + static_cast<std::uint64_t>(i * here.from_stride) * size;
    if (last) {
      const auto fault = guards.note(region, at, size, access, frame.block_number);
      if (fault != Guards::Fault::none) return report(frame, instruction, fault, at, access);
    } else if (!note_box(frame, instruction, region, box, dimension + 1, at, size, access)) {
      return false;
    }
  }
  return true;
}

constexpr std::uint64_t kInfinities[] = {0x7C00, 0x7F80, 0x7F800000, 0x7F800000, 0x7FF0000000000000};
constexpr TypeKind kWithInfinity[] = {TypeKind::f16, TypeKind::bf16, TypeKind::f32, TypeKind::tf32,
                                      TypeKind::f64};

std::optional<std::uint64_t> infinity(TypeKind kind) {
  for (std::size_t i = 0; i < std::size(kWithInfinity); ++i) {
    if (kWithInfinity[i] == kind) return kInfinities[i];
  }
  return kind == TypeKind::f8E5M2 ? std::optional<std::uint64_t>(0x7C) : std::nullopt;
}

std::optional<std::uint64_t> quiet_nan(TypeKind kind) {
  switch (kind) {
    case TypeKind::f16:
      return 0x7E00;
    case TypeKind::bf16:
      return 0x7FC0;
    case TypeKind::f32:
    case TypeKind::tf32:
      return 0x7FC00000;
    case TypeKind::f64:
      return 0x7FF8000000000000;
    case TypeKind::f8E4M3FN:
      return 0x7F;
    case TypeKind::f8E5M2:
      return 0x7E;
    case TypeKind::f8E8M0FNU:
    case TypeKind::fnv8E5M3FNU:
      return 0xFF;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool may_access(Frame& frame, const Instruction& instruction, std::uint64_t address, std::uint64_t bytes,
                Access access) {
  Guards* guards = frame.launch.guards;
  if (!guards) return true;
  Guards::Region* region = guards->find(address, bytes);
  if (!region) return report(frame, instruction, Guards::Fault::outside, address, access);
  const auto fault = guards->note(*region, address, bytes, access, frame.block_number);
  return fault == Guards::Fault::none || report(frame, instruction, fault, address, access);
}

bool may_access(Frame& frame, const Instruction& instruction, const Box& box, std::size_t size,
                Access access) {
  Guards* guards = frame.launch.guards;
  if (!guards) return true;
  // The lowest and the highest byte; hostile strides don't fit in 64 bits.
  Wide low = static_cast<Wide>(box.address);
  Wide high = low;
  for (std::size_t d = 0; d < box.rank; ++d) {
    const Wide reach = static_cast<Wide>(box.dimensions[d].extent - 1) * box.dimensions[d].from_stride *
                       static_cast<Wide>(size);
    (reach < 0 ? low : high) += reach;
  }
  high += static_cast<Wide>(size);
  const Wide most = static_cast<Wide>(1) << 63;
  Guards::Region* region = nullptr;
  if (low >= 0 && high - low < most && high < 2 * most) {
    region = guards->find(static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high - low));
  }
  if (!region) {
    // The end that is outside makes the message.
    const auto first = static_cast<std::uint64_t>(low);
    const auto last = static_cast<std::uint64_t>(high - static_cast<Wide>(size));
    const bool first_is_good = guards->find(first, size) != nullptr;
    return report(frame, instruction, Guards::Fault::outside, first_is_good ? last : first, access);
  }
  const bool silent = access == Access::read && !region->storage.undefined &&
                      !region->written.load(std::memory_order_relaxed);
  return silent || note_box(frame, instruction, *region, box, 0, box.address, size, access);
}

std::optional<std::uint64_t> padding_bits(ir::PaddingValue padding, TypeKind kind) {
  const std::uint64_t sign = kind == TypeKind::f4E2M1FN ? 8 : std::uint64_t{1} << (8 * tile_bytes(kind) - 1);
  switch (padding) {
    case ir::PaddingValue::zero:
      return 0;
    case ir::PaddingValue::neg_zero:
      return ir::is_float(kind) ? std::optional(sign) : std::nullopt;
    case ir::PaddingValue::nan:
      return quiet_nan(kind);
    case ir::PaddingValue::pos_inf:
      return infinity(kind);
    case ir::PaddingValue::neg_inf: {
      const auto positive = infinity(kind);
      return positive ? std::optional(*positive | sign) : std::nullopt;
    }
  }
  return std::nullopt;
}

void normalize_bits(std::byte* bytes, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) bytes[i] = bytes[i] == std::byte{0} ? bytes[i] : std::byte{1};
}

namespace {

void set_layout(Op op, const ir::Type& type, ViewAccess& access) {
  access.rank = type.shape.size();
  std::int64_t stride = 1;
  for (std::size_t d = access.rank; d-- > 0;) {
    access.tile[d] = type.shape[d];
    access.tile_stride[d] = stride;
    stride *= type.shape[d];
    access.dimension[d] = d < type.dim_map.size() ? static_cast<std::size_t>(type.dim_map[d]) : d;
    access.step[d] = type.shape[d];
    if (type.kind == TypeKind::strided_view && d < type.strides.size()) access.step[d] = type.strides[d];
  }
  access.tile_count = static_cast<std::uint64_t>(stride);
  if (type.kind == TypeKind::strided_view) access.kind = ViewAccess::Kind::strided;
  if (type.kind == TypeKind::gather_scatter_view) {
    access.kind = ViewAccess::Kind::gather;
    access.sparse = static_cast<std::size_t>(type.sparse_dim);
    // Its indices are of elements.
    std::fill(std::begin(access.step), std::end(access.step), 1);
  }
  const ir::Attribute* inbounds = op.tagged("inbounds");
  for (std::size_t d = 0; inbounds && d < std::min(inbounds->numbers.size(), access.rank); ++d) {
    access.inbounds[d] = inbounds->numbers[d] != 0;
  }
}

}  // namespace

Result<std::shared_ptr<ViewAccess>> view_access(Op op, ir::ValueId view, Access how) {
  const ir::Type& type = op.compiler.type(view);
  auto access = std::make_shared<ViewAccess>();
  if (type.shape.size() > kMostDimensions) {
    return op.compiler.refuse(
        op.id, fmt::format("views of more than {} dimensions are not executed", kMostDimensions));
  }
  set_layout(op, type, *access);
  access->element = op.compiler.element(view);
  if (is_packed_in_memory(access->element)) {
    return op.compiler.refuse(op.id,
                              "elements of less than a byte are not executed in memory; use i8 and unpack");
  }
  access->size = memory_bytes(access->element);
  access->access = how;
  if (type.padding && how == Access::read) {
    access->padding = padding_bits(*type.padding, access->element);
    if (!access->padding) return op.compiler.refuse(op.id, "its padding is no number of its element type");
  }
  return access;
}

namespace {

/// Where a tile begins along one of its dimensions, and how much of it lies inside.
struct Extent {
  std::int64_t start = 0;
  std::int64_t inside = 0;
};

std::optional<Extent> extent_of(Frame& frame, const Instruction& instruction, const ViewAccess& view,
                                const TensorView& tensor, std::size_t d) {
  const auto index = static_cast<std::uint64_t>(frame.integer(instruction.in[1 + d], false));
  const std::int64_t extent = std::max<std::int64_t>(0, tensor.shape[view.dimension[d]]);
  const auto step = static_cast<std::uint64_t>(view.step[d]);
  const bool outside =
      index > static_cast<std::uint64_t>(extent) / step || static_cast<std::int64_t>(index * step) >= extent;
  Extent result;
  if (!outside) {
    result.start = static_cast<std::int64_t>(index * step);
    result.inside = std::min(view.tile[d], extent - result.start);
  }
  if (frame.launch.guards && view.inbounds[d] && result.inside != view.tile[d]) {
    frame.fail(
        instruction, "TP-E0024",
        fmt::format("block {}: the program promises that tiles don't reach out along dimension {}, and "
                    "this one begins at {} of {} and is {} long",
                    frame.block_name(), d, index * step, extent, view.tile[d]));
    return std::nullopt;
  }
  return result;
}

/// One row of a gather: its place along the sparse dimension comes from a vector of indices.
void add_gathered(const ViewAccess& view, const TensorView& tensor, const Box& frame_box,
                  const std::byte* indices, const Operand& operand, Boxes& boxes) {
  const std::int64_t extent = tensor.shape[view.sparse];
  for (std::int64_t i = 0; i < view.tile[view.sparse]; ++i) {
    std::uint64_t index = 0;
    std::memcpy(&index, indices + (operand.uniform ? 0 : static_cast<std::size_t>(i) * operand.size),
                operand.size);
    if (index >= static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 0))) {
      boxes.cover = false;
      continue;
    }
    Box box = frame_box;
    box.address += index * static_cast<std::uint64_t>(tensor.strides[view.sparse]) * view.size;
    box.tile_offset += i * view.tile_stride[view.sparse];
    box.dimensions[view.sparse].extent = 1;
    boxes.boxes.push_back(box);
  }
}

}  // namespace

std::optional<Boxes> find_boxes(Frame& frame, const Instruction& instruction, const ViewAccess& view) {
  const TensorView& tensor = *frame.at<TensorView>(instruction.in[0]);
  const bool gather = view.kind == ViewAccess::Kind::gather;
  Boxes boxes;
  Box box{.address = tensor.base, .rank = view.rank};
  bool empty = false;
  for (std::size_t d = 0; d < view.rank; ++d) {
    const std::int64_t stride = tensor.strides[view.dimension[d]];
    box.dimensions[d] = {view.tile[d], view.tile_stride[d], stride};
    if (gather && d == view.sparse) continue;
    const auto extent = extent_of(frame, instruction, view, tensor, d);
    if (!extent) return std::nullopt;
    box.dimensions[d].extent = extent->inside;
    box.address += static_cast<std::uint64_t>(extent->start) * static_cast<std::uint64_t>(stride) * view.size;
    if (extent->inside < view.tile[d]) boxes.cover = false;
    if (extent->inside <= 0) empty = true;
  }
  if (empty) {
    boxes.cover = false;
    return boxes;
  }
  if (gather) {
    const Operand& indices = instruction.in[1 + view.sparse];
    add_gathered(view, tensor, box, frame.at(indices), indices, boxes);
  } else {
    boxes.boxes.push_back(box);
  }
  for (const Box& each : boxes.boxes) {
    if (!may_access(frame, instruction, each, view.size, view.access)) return std::nullopt;
  }
  return boxes;
}

}  // namespace tileport::cpu
