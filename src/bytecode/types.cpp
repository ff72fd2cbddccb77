// SPDX-License-Identifier: Apache-2.0
//   type := varint tag, then by tag
//     pointer              [13.4: flags]  pointee  [attribute]
//     tile                 element, i64 list
//     tensor_view          [13.4: flags]  element, i64 list extents, i64 list strides  [attribute]
//     partition_view       [13.3: flags]  i32 list tile, tensor_view, i32 list dim_map
//                          [before 13.3: flags]  [padding]
//     function             id list inputs, id list results
//     gather_scatter_view  flags, i32 list tile, tensor_view, sparse dim  [padding]
//     strided_view         flags, i32 list tile, i32 list traversal strides, tensor_view, i32 list dim_map
//                          [padding]
// Bit 0 of the flags says whether the bracketed value at the end is there. What follows a type in its entry
// is ignored, as the reference reader does.

#include "bytecode/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tileport/ir/type_rules.hpp>

#include "bytecode/codes.hpp"

namespace tileport::bytecode {
namespace {

using ir::Type;
using ir::TypeId;
using ir::TypeKind;
using ir::Version;

struct Tag {
  std::uint64_t number;
  TypeKind kind;
};

constexpr Tag kTags[] = {
    {0, TypeKind::i1},
    {1, TypeKind::i8},
    {2, TypeKind::i16},
    {3, TypeKind::i32},
    {4, TypeKind::i64},
    {5, TypeKind::f16},
    {6, TypeKind::bf16},
    {7, TypeKind::f32},
    {8, TypeKind::tf32},
    {9, TypeKind::f64},
    {10, TypeKind::f8E4M3FN},
    {11, TypeKind::f8E5M2},
    {12, TypeKind::pointer},
    {13, TypeKind::tile},
    {14, TypeKind::tensor_view},
    {15, TypeKind::partition_view},
    {16, TypeKind::function},
    {17, TypeKind::token},
    {18, TypeKind::f8E8M0FNU},
    {19, TypeKind::f4E2M1FN},
    {20, TypeKind::gather_scatter_view},
    {21, TypeKind::strided_view},
    {22, TypeKind::i4},
    {130, TypeKind::fnv8E5M3FNU},
};

class TypeReader {
 public:
  TypeReader(Cursor& in, Version version, std::size_t table_size)
      : in_(in), version_(version), size_(table_size) {}

  Type read() {
    const std::uint64_t start = in_.offset();
    const std::uint64_t number = in_.varint();
    const auto tag = std::ranges::find(kTags, number, &Tag::number);
    Type type;
    if (!in_.ok()) return type;
    if (tag == std::end(kTags) || version_ < ir::since(tag->kind)) {
      in_.fail(
          code::kType,
          fmt::format("type tag {} does not exist in bytecode {}.{}", number, version_.major, version_.minor),
          start);
      return type;
    }
    type.kind = tag->kind;
    read_payload(type);
    // Behind a tile, more bytes are an extension for preview content.
    if (in_.ok() && !in_.at_end() && type.kind == TypeKind::tile) {
      in_.fail(code::kType, fmt::format("{} bytes follow the tile in its entry", in_.remaining()), start);
    }
    return type;
  }

 private:
  void read_payload(Type& type) {
    switch (type.kind) {
      case TypeKind::pointer: {
        const bool attribute = version_ >= ir::kPointerAttributeSince && flagged();
        type.element = id();
        if (attribute) type.pointer_attribute = enumerator<ir::PointerAttribute>(ir::kPointerAttribute);
        break;
      }
      case TypeKind::tile:
        type.element = id();
        type.shape = numbers(8);
        break;
      case TypeKind::tensor_view: {
        const bool attribute = version_ >= ir::kPointerAttributeSince && flagged();
        type.element = id();
        type.shape = numbers(8);
        type.strides = numbers(8);
        if (attribute) type.pointer_attribute = enumerator<ir::PointerAttribute>(ir::kPointerAttribute);
        break;
      }
      case TypeKind::function:
        type.inputs = ids();
        type.results = ids();
        break;
      case TypeKind::partition_view:
      case TypeKind::strided_view:
      case TypeKind::gather_scatter_view:
        read_view(type);
        break;
      default:
        break;
    }
  }

  void read_view(Type& type) {
    const bool flags_first = version_ >= Version{13, 3};
    bool padding = flags_first && flagged();
    type.shape = numbers(4);
    if (type.kind == TypeKind::strided_view) type.strides = numbers(4);
    type.element = id();
    if (type.kind == TypeKind::gather_scatter_view) {
      type.sparse_dim = static_cast<std::int32_t>(std::min<std::uint64_t>(in_.varint(), 0x7FFFFFFF));
    } else {
      for (std::int64_t dimension : numbers(4)) type.dim_map.push_back(static_cast<std::int32_t>(dimension));
    }
    if (!flags_first) padding = flagged();
    if (padding) type.padding = enumerator<ir::PaddingValue>(ir::kPaddingValue);
  }

  bool flagged() {
    const std::uint64_t start = in_.offset();
    const std::uint64_t flags = in_.varint();
    if (flags > 1) in_.fail(code::kFlags, fmt::format("a type has unknown flags {:#x}", flags), start);
    return flags == 1;
  }
  TypeId id() { return TypeId{in_.table_index("type", size_)}; }

  std::vector<TypeId> ids() {
    std::vector<TypeId> list(in_.count("types"));
    for (TypeId& item : list) item = id();
    return list;
  }

  /// Sign-extended little-endian numbers of `width` bytes.
  std::vector<std::int64_t> numbers(std::size_t width) {
    std::vector<std::int64_t> list(in_.count("dimensions", width));
    for (std::int64_t& item : list) {
      const std::uint64_t raw = in_.fixed(width);
      item = width == 4 ? static_cast<std::int32_t>(raw) : static_cast<std::int64_t>(raw);
    }
    return list;
  }

  template <class Enum>
  Enum enumerator(const ir::Enumeration& values) {
    const std::uint64_t start = in_.offset();
    const std::uint64_t number = in_.varint();
    if (in_.ok() && number >= values.values.size()) {
      in_.fail(code::kEnumerator, fmt::format("{} has no value {}", values.name, number), start);
    }
    return static_cast<Enum>(in_.ok() ? number : 0);
  }

  Cursor& in_;
  Version version_;
  std::size_t size_;
};

/// Why a type can't be used, itself or something it refers to; nothing if it can.
std::optional<Diagnostic> defect(const std::vector<Type>& types,
                                 const std::vector<std::optional<Diagnostic>>& malformed,
                                 const std::vector<Cursor>& items, std::uint32_t number) {
  if (malformed[number]) return malformed[number];
  const Type& type = types[number];
  const auto wrong = [&](std::string message) {
    return Diagnostic{.code = std::string(code::kType),
                      .message = std::move(message),
                      .place = {.offset = items[number].start()}};
  };
  std::optional<Diagnostic> below;
  ir::for_each_inner(type, [&](TypeId inner) {
    const auto inner_number = static_cast<std::uint32_t>(inner);
    if (below) return;
    if (malformed[inner_number]) {
      below = malformed[inner_number];
    } else if (ir::may_hold(type.kind, types[inner_number].kind)) {
      below = defect(types, malformed, items, inner_number);
    }
  });
  if (below) return below;
  const std::string problem = ir::type_problem(types, type);
  if (!problem.empty()) return wrong(fmt::format("type {}: {}", number, problem));
  return std::nullopt;
}

}  // namespace

Type read_type(Cursor& in, Version version, std::size_t table_size) {
  return TypeReader(in, version, table_size).read();
}

void check_types(const std::vector<Type>& types, std::vector<std::optional<Diagnostic>>& bad,
                 const std::vector<Cursor>& items) {
  const std::vector<std::optional<Diagnostic>> malformed = bad;
  for (std::uint32_t i = 0; i < types.size(); ++i) bad[i] = defect(types, malformed, items, i);
}

}  // namespace tileport::bytecode
