// SPDX-License-Identifier: Apache-2.0
// Copies of boxes of elements between layouts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tileport::cpu {

/// One dimension of a copy; strides are in elements.
struct CopyDimension {
  std::int64_t extent = 1;
  std::int64_t to_stride = 0;
  std::int64_t from_stride = 0;
};

/// Copies a box of elements of 1, 2, 4 or 8 bytes, outermost dimension first. Nothing if an extent is 0.
void copy_box(void* to, const void* from, const CopyDimension* dimensions, std::size_t count,
              std::size_t size);

}  // namespace tileport::cpu
