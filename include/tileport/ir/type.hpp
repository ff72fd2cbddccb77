// SPDX-License-Identifier: Apache-2.0
// Tile IR types. A module owns its types in one table; everything else refers to them by TypeId.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <tileport/ir/version.hpp>
#include <vector>

namespace tileport::ir {

enum class TypeId : std::uint32_t {};
enum class StringId : std::uint32_t {};
enum class ConstantId : std::uint32_t {};

/// An extent or stride that only the launch knows. The bytecode stores the same number.
inline constexpr std::int64_t kDynamic = std::numeric_limits<std::int64_t>::min();

enum class TypeKind : std::uint8_t {
  i1,
  i4,
  i8,
  i16,
  i32,
  i64,
  f16,
  bf16,
  f32,
  tf32,
  f64,
  f8E4M3FN,
  f8E5M2,
  f8E8M0FNU,
  f4E2M1FN,
  fnv8E5M3FNU,
  pointer,
  tile,
  tensor_view,
  partition_view,
  strided_view,
  gather_scatter_view,
  function,
  token,
};

/// Numbers are the bytecode's.
enum class PaddingValue : std::uint8_t { zero, neg_zero, nan, pos_inf, neg_inf };
enum class PointerAttribute : std::uint8_t { none, unicast, multicast };

/// One type. Which members mean something depends on `kind`:
///   element kinds, token     none
///   pointer                  element (the pointee), pointer_attribute
///   tile                     element, shape
///   tensor_view              element, shape, strides, pointer_attribute
///   partition_view           element (the tensor_view), shape (of a tile), dim_map, padding
///   strided_view             as partition_view, and strides (the traversal strides, in elements)
///   gather_scatter_view      element (the tensor_view), shape (of a tile), sparse_dim, padding
///   function                 inputs, results
struct Type {
  TypeKind kind = TypeKind::token;
  TypeId element{};
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::vector<std::int32_t> dim_map;
  std::int32_t sparse_dim = 0;
  std::optional<PaddingValue> padding;
  std::optional<PointerAttribute> pointer_attribute;
  std::vector<TypeId> inputs;
  std::vector<TypeId> results;

  friend bool operator==(const Type&, const Type&) = default;
};

/// "i32", "f8E4M3FN", "tensor_view" …: the word that the text form uses.
std::string_view keyword(TypeKind kind);

/// The version that brought types of this kind.
Version since(TypeKind kind);
/// The version that brought attributes of pointers and tensor_views.
inline constexpr Version kPointerAttributeSince{13, 4};

/// Width in bits of an element kind (tf32 is 19); 0 for every other kind.
unsigned bit_width(TypeKind kind);

/// Elements of a tile: the product of its extents, or the largest number if that doesn't fit.
std::uint64_t element_count(const Type& tile);

inline bool is_integer(TypeKind kind) { return kind <= TypeKind::i64; }
inline bool is_float(TypeKind kind) { return kind >= TypeKind::f16 && kind <= TypeKind::fnv8E5M3FNU; }
inline bool is_element(TypeKind kind) { return kind <= TypeKind::fnv8E5M3FNU; }
inline bool is_view(TypeKind kind) {
  return kind >= TypeKind::partition_view && kind <= TypeKind::gather_scatter_view;
}

}  // namespace tileport::ir
