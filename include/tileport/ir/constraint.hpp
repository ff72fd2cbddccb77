// SPDX-License-Identifier: Apache-2.0
// What the op table says of the types and attributes of an op, as far as it is regular: classes of values,
// groups that must agree, enumerators that are allowed. What is irregular are functions in src/verify/.
#pragma once

#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <tileport/ir/enumerations.hpp>
#include <tileport/ir/inline_list.hpp>
#include <tileport/ir/type.hpp>

namespace tileport::ir {

/// A set of element kinds (and of `pointer`, which tiles may hold too): one bit a TypeKind.
class Elements {
 public:
  constexpr Elements() = default;
  constexpr Elements(std::initializer_list<TypeKind> kinds) {
    for (TypeKind kind : kinds) bits_ |= bit(kind);
  }
  constexpr bool contains(TypeKind kind) const { return (bits_ & bit(kind)) != 0; }
  friend constexpr Elements operator|(Elements a, Elements b) {
    a.bits_ |= b.bits_;
    return a;
  }

 private:
  static constexpr std::uint32_t bit(TypeKind kind) { return 1U << static_cast<unsigned>(kind); }
  std::uint32_t bits_ = 0;
};

/// What the type of a value may be.
struct ValueClass {
  enum class Kind : std::uint8_t {
    tile,
    token,
    tensor_view,
    partition_view,
    strided_view,
    gather_scatter_view,
    view,      ///< One of the three views above.
    storable,  ///< Everything but functions and bare i4.
  };
  Kind kind = Kind::tile;
  Elements elements{};        ///< Of a tile.
  bool scalar = false;        ///< Only tiles of rank 0.
  std::string_view phrase{};  ///< "a tile of integers": completes "must be".
};

/// Whether a type is of a class. `element` is the kind of a tile's elements and means nothing otherwise.
constexpr bool is_of(const ValueClass& values, TypeKind kind, TypeKind element, std::size_t rank) {
  switch (values.kind) {
    case ValueClass::Kind::tile:
      return kind == TypeKind::tile && values.elements.contains(element) && (!values.scalar || rank == 0);
    case ValueClass::Kind::token:
      return kind == TypeKind::token;
    case ValueClass::Kind::tensor_view:
      return kind == TypeKind::tensor_view;
    case ValueClass::Kind::partition_view:
      return kind == TypeKind::partition_view;
    case ValueClass::Kind::strided_view:
      return kind == TypeKind::strided_view;
    case ValueClass::Kind::gather_scatter_view:
      return kind == TypeKind::gather_scatter_view;
    case ValueClass::Kind::view:
      return is_view(kind);
    case ValueClass::Kind::storable:
      return kind != TypeKind::function && kind != TypeKind::i4;
  }
  return false;
}

namespace elements {
inline constexpr Elements kIntegers{TypeKind::i1, TypeKind::i8, TypeKind::i16, TypeKind::i32, TypeKind::i64};
inline constexpr Elements kIntegersAndI4 = kIntegers | Elements{TypeKind::i4};
/// Floats that arithmetic works on.
inline constexpr Elements kArithmetic{TypeKind::f16, TypeKind::bf16, TypeKind::f32, TypeKind::f64};
inline constexpr Elements kFloats =
    kArithmetic | Elements{TypeKind::tf32,      TypeKind::f8E4M3FN, TypeKind::f8E5M2,
                           TypeKind::f8E8M0FNU, TypeKind::f4E2M1FN, TypeKind::fnv8E5M3FNU};
inline constexpr Elements kNumbers = kIntegers | kFloats;
inline constexpr Elements kNumbersAndI4 = kIntegersAndI4 | kFloats;
inline constexpr Elements kPointer{TypeKind::pointer};
inline constexpr Elements kEvery = kNumbersAndI4 | kPointer;
}  // namespace elements

namespace values {
constexpr ValueClass tile(Elements of, std::string_view phrase) { return {.elements = of, .phrase = phrase}; }
constexpr ValueClass scalar(Elements of, std::string_view phrase) {
  return {.elements = of, .scalar = true, .phrase = phrase};
}
constexpr ValueClass other(ValueClass::Kind kind, std::string_view phrase) {
  return {.kind = kind, .phrase = phrase};
}

inline constexpr ValueClass kTile = tile(elements::kEvery, "a tile");
inline constexpr ValueClass kIntegers =
    tile(elements::kIntegers, "a tile of integers (i1, i8, i16, i32, i64)");
inline constexpr ValueClass kIntegersAndI4 =
    tile(elements::kIntegersAndI4, "a tile of integers (i1, i4, i8, i16, i32, i64)");
inline constexpr ValueClass kSmallIntegers =
    tile({TypeKind::i1, TypeKind::i8, TypeKind::i16, TypeKind::i32}, "a tile of integers up to i32");
inline constexpr ValueClass kArithmetic = tile(elements::kArithmetic, "a tile of f16, bf16, f32 or f64");
inline constexpr ValueClass kFloats = tile(elements::kFloats, "a tile of floats");
inline constexpr ValueClass kNumbers = tile(elements::kNumbers, "a tile of integers or floats (not i4)");
inline constexpr ValueClass kNumbersAndI4 = tile(elements::kNumbersAndI4, "a tile of integers or floats");
inline constexpr ValueClass kPointers = tile(elements::kPointer, "a tile of pointers");
inline constexpr ValueClass kI1 = tile({TypeKind::i1}, "a tile of i1");
inline constexpr ValueClass kI8 = tile({TypeKind::i8}, "a tile of i8");
inline constexpr ValueClass kI32 = tile({TypeKind::i32}, "a tile of i32");
inline constexpr ValueClass kI64 = tile({TypeKind::i64}, "a tile of i64");
inline constexpr ValueClass kF32 = tile({TypeKind::f32}, "a tile of f32");
inline constexpr ValueClass kScalarI1 = scalar({TypeKind::i1}, "one i1 (a tile of rank 0)");
inline constexpr ValueClass kScalarI32 = scalar({TypeKind::i32}, "one i32 (a tile of rank 0)");
inline constexpr ValueClass kScalarInteger =
    scalar(elements::kIntegers, "one integer (a tile of rank 0; i1, i8, i16, i32, i64)");
inline constexpr ValueClass kScalarPointer = scalar(elements::kPointer, "one pointer (a tile of rank 0)");
inline constexpr ValueClass kToken = other(ValueClass::Kind::token, "a token");
inline constexpr ValueClass kTensorView = other(ValueClass::Kind::tensor_view, "a tensor_view");
inline constexpr ValueClass kPartitionView = other(ValueClass::Kind::partition_view, "a partition_view");
inline constexpr ValueClass kStridedView = other(ValueClass::Kind::strided_view, "a strided_view");
inline constexpr ValueClass kGatherScatterView =
    other(ValueClass::Kind::gather_scatter_view, "a gather_scatter_view");
inline constexpr ValueClass kView =
    other(ValueClass::Kind::view, "a partition_view, strided_view or gather_scatter_view");
inline constexpr ValueClass kStorable = other(ValueClass::Kind::storable, "neither a function nor a bare i4");
}  // namespace values

/// One thing that must hold of an op. `names` are operand and result groups of the row, or what `kind` says.
/// Optional groups that are absent are left out.
struct Constraint {
  enum class Kind : std::uint8_t {
    type,          ///< Every value of the groups is of class `values`.
    same_type,     ///< The groups have the same types, one by one.
    same_shape,    ///< … tiles of the same shape.
    same_rank,     ///< … tiles of the same rank.
    same_element,  ///< … tiles of the same element.
    comparison,    ///< The second group is a tile of i1 of the first one's shape.
    points_to,     ///< The first group holds pointers to the second one's elements, in the same shape.
    enumerator,    ///< The attribute has one of the enumerators `allowed`.
    f32_only,      ///< The flag, or the enumerators `allowed` of the attribute, want a result of f32.
    parent,        ///< The op stands directly in one of the ops `names` ("entry": in a function's body).
  };
  Kind kind = Kind::type;
  InlineList<std::string_view, 5> names{};
  ValueClass values{};
  std::uint32_t allowed = 0;  ///< One bit an enumerator, by its number.
};

using Names = std::initializer_list<std::string_view>;

constexpr std::uint32_t enumerator_bits(const Enumeration& enumeration, Names names) {
  std::uint32_t bits = 0;
  for (std::string_view name : names) bits |= 1U << number(enumeration, name);
  return bits;
}

constexpr Constraint each(const ValueClass& values, Names groups) {
  return {.kind = Constraint::Kind::type, .names = groups, .values = values};
}
constexpr Constraint same_type(Names groups) {
  return {.kind = Constraint::Kind::same_type, .names = groups};
}
constexpr Constraint same_shape(Names groups) {
  return {.kind = Constraint::Kind::same_shape, .names = groups};
}
constexpr Constraint same_rank(Names groups) {
  return {.kind = Constraint::Kind::same_rank, .names = groups};
}
constexpr Constraint same_element(Names groups) {
  return {.kind = Constraint::Kind::same_element, .names = groups};
}
constexpr Constraint compares(std::string_view operand, std::string_view result) {
  return {.kind = Constraint::Kind::comparison, .names = {operand, result}};
}
constexpr Constraint points_to(std::string_view pointers, std::string_view pointees) {
  return {.kind = Constraint::Kind::points_to, .names = {pointers, pointees}};
}
constexpr Constraint one_of(std::string_view attribute, const Enumeration& enumeration, Names enumerators) {
  return {.kind = Constraint::Kind::enumerator,
          .names = {attribute},
          .allowed = enumerator_bits(enumeration, enumerators)};
}
constexpr Constraint f32_only(std::string_view flag) {
  return {.kind = Constraint::Kind::f32_only, .names = {flag}};
}
constexpr Constraint f32_only(std::string_view attribute, const Enumeration& enumeration, Names enumerators) {
  return {.kind = Constraint::Kind::f32_only,
          .names = {attribute},
          .allowed = enumerator_bits(enumeration, enumerators)};
}
constexpr Constraint inside(Names parents) { return {.kind = Constraint::Kind::parent, .names = parents}; }

}  // namespace tileport::ir
