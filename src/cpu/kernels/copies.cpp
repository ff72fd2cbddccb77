// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/copies.hpp"

#include <cstring>

namespace tileport::cpu {
namespace {

constexpr std::size_t kMost = 16;

/// One element; the memory of the caller need not be aligned.
template <std::size_t size>
inline void copy_one(std::byte* to, const std::byte* from) {
  std::memcpy(to, from, size);
}

template <std::size_t size>
void copy_row(std::byte* to, const std::byte* from, const CopyDimension& row) {
  constexpr auto kSize = static_cast<std::int64_t>(size);
  if (row.to_stride == 1 && row.from_stride == 1 && row.extent > 1) {
    std::memcpy(to, from, static_cast<std::size_t>(row.extent) * size);
    return;
  }
  const std::int64_t to_step = row.to_stride * kSize;
  const std::int64_t from_step = row.from_stride * kSize;
  for (std::int64_t i = 0; i < row.extent; ++i) copy_one<size>(to + i * to_step, from + i * from_step);
}

/// Two dimensions, each contiguous on another side: blocks keep both sides in the cache.
template <std::size_t size>
void copy_transposed(std::byte* to, const std::byte* from, const CopyDimension& outer,
                     const CopyDimension& inner) {
  constexpr auto kSize = static_cast<std::int64_t>(size);
  constexpr std::int64_t kBlock = 16;
  for (std::int64_t i = 0; i < outer.extent; i += kBlock) {
    const std::int64_t last = i + kBlock < outer.extent ? i + kBlock : outer.extent;
    for (std::int64_t j = 0; j < inner.extent; ++j) {
      for (std::int64_t p = i; p < last; ++p) {
        copy_one<size>(to + (p * outer.to_stride + j * inner.to_stride) * kSize,
                       from + (p * outer.from_stride + j * inner.from_stride) * kSize);
      }
    }
  }
}

template <std::size_t size>
void copy(std::byte* to, const std::byte* from, const CopyDimension* dimensions, std::size_t count) {
  constexpr auto kSize = static_cast<std::int64_t>(size);
  if (count == 0) {
    copy_one<size>(to, from);
  } else if (count == 1) {
    copy_row<size>(to, from, dimensions[0]);
  } else if (count == 2 && dimensions[1].from_stride != 1 && dimensions[0].from_stride == 1) {
    copy_transposed<size>(to, from, dimensions[0], dimensions[1]);
  } else {
    const CopyDimension& outer = dimensions[0];
    for (std::int64_t i = 0; i < outer.extent; ++i) {
      copy<size>(to + i * outer.to_stride * kSize, from + i * outer.from_stride * kSize, dimensions + 1,
                 count - 1);
    }
  }
}

}  // namespace

void copy_box(void* to, const void* from, const CopyDimension* dimensions, std::size_t count,
              std::size_t size) {
  // Dimensions that lie behind each other on both sides are one; those of extent 1 none.
  CopyDimension merged[kMost];
  std::size_t rank = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const CopyDimension& next = dimensions[i];
    if (next.extent == 0) return;
    if (next.extent == 1) continue;
    CopyDimension* last = rank > 0 ? &merged[rank - 1] : nullptr;
    if (last && last->to_stride == next.extent * next.to_stride &&
        last->from_stride == next.extent * next.from_stride) {
      *last = {last->extent * next.extent, next.to_stride, next.from_stride};
    } else {
      merged[rank++] = next;
    }
  }
  auto* bytes_to = static_cast<std::byte*>(to);
  const auto* bytes_from = static_cast<const std::byte*>(from);
  switch (size) {
    case 1:
      return copy<1>(bytes_to, bytes_from, merged, rank);
    case 2:
      return copy<2>(bytes_to, bytes_from, merged, rank);
    case 4:
      return copy<4>(bytes_to, bytes_from, merged, rank);
    default:
      return copy<8>(bytes_to, bytes_from, merged, rank);
  }
}

}  // namespace tileport::cpu
