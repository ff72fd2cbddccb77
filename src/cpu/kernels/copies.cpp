// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/copies.hpp"

#include <cstring>

namespace tileport::cpu {
namespace {

constexpr std::size_t kMost = 16;

template <class T>
void copy_row(T* to, const T* from, const CopyDimension& row) {
  const std::int64_t extent = row.extent;
  if (row.to_stride == 1 && row.from_stride == 1) {
    if (extent == 1) {
      *to = *from;
    } else {
      std::memcpy(to, from, static_cast<std::size_t>(extent) * sizeof(T));
    }
  } else if (row.to_stride == 1 && row.from_stride == 0) {
    const T value = *from;
    for (std::int64_t i = 0; i < extent; ++i) to[i] = value;
  } else {
    for (std::int64_t i = 0; i < extent; ++i) to[i * row.to_stride] = from[i * row.from_stride];
  }
}

/// Two dimensions, each contiguous on another side: blocks keep both sides in the cache.
template <class T>
void copy_transposed(T* to, const T* from, const CopyDimension& outer, const CopyDimension& inner) {
  constexpr std::int64_t kBlock = 16;
  for (std::int64_t i = 0; i < outer.extent; i += kBlock) {
    const std::int64_t last = i + kBlock < outer.extent ? i + kBlock : outer.extent;
    for (std::int64_t j = 0; j < inner.extent; ++j) {
      for (std::int64_t p = i; p < last; ++p) {
        to[p * outer.to_stride + j * inner.to_stride] = from[p * outer.from_stride + j * inner.from_stride];
      }
    }
  }
}

template <class T>
void copy(T* to, const T* from, const CopyDimension* dimensions, std::size_t count) {
  if (count == 0) {
    *to = *from;
  } else if (count == 1) {
    copy_row(to, from, dimensions[0]);
  } else if (count == 2 && dimensions[1].from_stride != 1 && dimensions[0].from_stride == 1) {
    copy_transposed(to, from, dimensions[0], dimensions[1]);
  } else {
    for (std::int64_t i = 0; i < dimensions[0].extent; ++i) {
      copy(to + i * dimensions[0].to_stride, from + i * dimensions[0].from_stride, dimensions + 1, count - 1);
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
  switch (size) {
    case 1: return copy(static_cast<std::uint8_t*>(to), static_cast<const std::uint8_t*>(from), merged, rank);
    case 2: return copy(static_cast<std::uint16_t*>(to), static_cast<const std::uint16_t*>(from), merged, rank);
    case 4: return copy(static_cast<std::uint32_t*>(to), static_cast<const std::uint32_t*>(from), merged, rank);
    default: return copy(static_cast<std::uint64_t*>(to), static_cast<const std::uint64_t*>(from), merged, rank);
  }
}

}  // namespace tileport::cpu
