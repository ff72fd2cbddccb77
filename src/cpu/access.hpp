// SPDX-License-Identifier: Apache-2.0
// Accesses to the memory of the caller, and what is filled in where there is none.
#pragma once

#include <optional>
#include <span>

#include "cpu/compiler.hpp"
#include "cpu/frame.hpp"
#include "cpu/kernels/copies.hpp"

namespace tileport::cpu {

using Access = Guards::Access;

/// Whether a block may access these bytes; if not, that is noted. True if unchecked.
bool may_access(Frame& frame, const Instruction& instruction, std::uint64_t address, std::uint64_t bytes,
                Access access);

/// A box of elements in memory and in a tile. In `dimensions` "to" is the tile's side, "from" the memory's.
struct Box {
  std::uint64_t address = 0;
  std::int64_t tile_offset = 0;
  std::size_t rank = 0;
  CopyDimension dimensions[kMostDimensions];
};
/// The same for all elements of a box.
bool may_access(Frame& frame, const Instruction& instruction, const Box& box, std::size_t size,
                Access access);

/// The bits of a padding value; nothing if a kind has no such number.
std::optional<std::uint64_t> padding_bits(ir::PaddingValue padding, ir::TypeKind kind);
/// The bits of elements that the program leaves open, of any width.
inline std::uint64_t unspecified_bits(const Frame& frame) {
  return frame.launch.plan.options.unspecified == Unspecified::nan ? ~std::uint64_t{0} : 0;
}

/// Loads of i1: any byte that is not 0 is 1.
void normalize_bits(std::byte* bytes, std::uint64_t count);

/// What a view of tiles needs to find its elements.
struct ViewAccess final : Payload {
  enum class Kind : std::uint8_t { partition, strided, gather } kind{};
  std::size_t rank = 0;
  std::int64_t tile[kMostDimensions] = {};
  std::int64_t step[kMostDimensions] = {};      ///< Elements from tile to tile.
  std::size_t dimension[kMostDimensions] = {};  ///< Of the tensor.
  std::int64_t tile_stride[kMostDimensions] = {};
  std::size_t sparse = 0;
  bool inbounds[kMostDimensions] = {};
  std::optional<std::uint64_t> padding{};
  std::uint64_t tile_count = 1;
  std::size_t size = 0;
  ir::TypeKind element{};
  Access access = Access::read;
  std::uint8_t mode = 0;  ///< Of atomics.
};
/// Operands of its instruction: view, indices, then what else there is. Refuses what isn't executed.
Result<std::shared_ptr<ViewAccess>> view_access(Op op, ir::ValueId view, Access access);

/// The boxes of a tile that lie inside the tensor, after all checks. Fewer elements than the tile's: the rest
/// is outside.
struct Boxes {
  std::vector<Box> boxes{};
  bool cover = true;  ///< The whole tile.
};
/// Nothing if a check failed, which has been noted.
std::optional<Boxes> find_boxes(Frame& frame, const Instruction& instruction, const ViewAccess& view);

}  // namespace tileport::cpu
