// SPDX-License-Identifier: Apache-2.0
// Sizes of elements, in tiles and in memory.
#pragma once

#include <cstdint>
#include <tileport/ir/type.hpp>

namespace tileport::cpu {

/// Bytes of an element in a tile buffer: tf32 and f32 take 4, i1, i4 and f4 one each, pointers 8.
constexpr std::uint8_t tile_bytes(ir::TypeKind kind) {
  using ir::TypeKind;
  switch (kind) {
    case TypeKind::i16:
    case TypeKind::f16:
    case TypeKind::bf16:
      return 2;
    case TypeKind::i32:
    case TypeKind::f32:
    case TypeKind::tf32:
      return 4;
    case TypeKind::i64:
    case TypeKind::f64:
    case TypeKind::pointer:
      return 8;
    default:
      return 1;
  }
}

/// Bytes of an element in memory. Elements of less than a byte are packed there, which is not executed.
constexpr std::uint8_t memory_bytes(ir::TypeKind kind) { return tile_bytes(kind); }
constexpr bool is_packed_in_memory(ir::TypeKind kind) {
  return kind == ir::TypeKind::i4 || kind == ir::TypeKind::f4E2M1FN;
}

/// Whether values of a kind are computed with in float, after decoding.
constexpr bool is_double(ir::TypeKind kind) { return kind == ir::TypeKind::f64; }

}  // namespace tileport::cpu
