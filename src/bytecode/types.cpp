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
#include <bit>

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
  Version since{13, 1};
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
    {18, TypeKind::f8E8M0FNU, {13, 2}},
    {19, TypeKind::f4E2M1FN, {13, 3}},
    {20, TypeKind::gather_scatter_view, {13, 3}},
    {21, TypeKind::strided_view, {13, 3}},
    {22, TypeKind::i4, {13, 3}},
    {130, TypeKind::fnv8E5M3FNU, {13, 4}},
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
    if (tag == std::end(kTags) || version_ < tag->since) {
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
        const bool attribute = version_ >= Version{13, 4} && flagged();
        type.element = id();
        if (attribute) type.pointer_attribute = enumerator<ir::PointerAttribute>(ir::kPointerAttribute);
        break;
      }
      case TypeKind::tile:
        type.element = id();
        type.shape = numbers(8);
        break;
      case TypeKind::tensor_view: {
        const bool attribute = version_ >= Version{13, 4} && flagged();
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

/// What kinds a type of some kind may refer to. Each is simpler than the kind itself, so there are no cycles.
bool may_hold(TypeKind outer, TypeKind inner) {
  switch (outer) {
    case TypeKind::pointer:
      return ir::is_element(inner);
    case TypeKind::tile:
      return ir::is_element(inner) || inner == TypeKind::pointer;
    case TypeKind::tensor_view:
      return ir::is_element(inner);
    case TypeKind::partition_view:
    case TypeKind::strided_view:
    case TypeKind::gather_scatter_view:
      return inner == TypeKind::tensor_view;
    case TypeKind::function:
      return inner != TypeKind::function;
    default:
      return false;
  }
}

std::vector<TypeId> referred(const Type& type) {
  if (ir::is_element(type.kind) || type.kind == TypeKind::token) return {};
  if (type.kind != TypeKind::function) return {type.element};
  std::vector<TypeId> all = type.inputs;
  all.insert(all.end(), type.results.begin(), type.results.end());
  return all;
}

/// Why dimensions of a tile can't be laid onto dimensions of a tensor; empty if they can.
std::string view_problem(const Type& view, const Type& tensor) {
  const std::size_t rank = tensor.shape.size();
  if (view.shape.size() != rank) {
    return fmt::format("a tile of rank {} can't view a tensor of rank {}", view.shape.size(), rank);
  }
  if (view.kind == TypeKind::gather_scatter_view) {
    const bool exists = view.sparse_dim >= 0 && static_cast<std::size_t>(view.sparse_dim) < rank;
    return exists ? "" : fmt::format("there is no dimension {} to gather along", view.sparse_dim);
  }
  std::vector<bool> used(rank);
  for (std::int32_t dimension : view.dim_map) {
    const auto target = static_cast<std::size_t>(dimension);
    if (dimension < 0 || target >= rank || used[target]) {
      return fmt::format("dim_map [{}] is no permutation", fmt::join(view.dim_map, ", "));
    }
    used[target] = true;
  }
  if (view.dim_map.size() != rank) return fmt::format("dim_map has {} entries", view.dim_map.size());
  if (view.kind == TypeKind::strided_view && view.strides.size() != rank) {
    return fmt::format("there are {} traversal strides for {} dimensions", view.strides.size(), rank);
  }
  return "";
}

/// What is wrong with a type's extents and strides; empty if nothing is.
std::string shape_problem(const std::vector<Type>& types, const Type& type) {
  const auto positive = [](std::int64_t number) { return number > 0 || number == ir::kDynamic; };
  const bool tile = type.kind == TypeKind::tile || ir::is_view(type.kind);
  for (std::int64_t extent : type.shape) {
    const bool power = extent > 0 && std::has_single_bit(static_cast<std::uint64_t>(extent));
    if (tile && !power) return fmt::format("extents of tiles are powers of two, got {}", extent);
    if (!positive(extent)) return fmt::format("extents are positive, got {}", extent);
  }
  for (std::int64_t stride : type.strides) {
    if (!positive(stride)) return fmt::format("strides are positive, got {}", stride);
  }
  if (type.kind == TypeKind::tensor_view && type.shape.size() != type.strides.size()) {
    return fmt::format("a tensor_view of {} extents has {} strides", type.shape.size(), type.strides.size());
  }
  if (ir::is_view(type.kind)) return view_problem(type, types[static_cast<std::uint32_t>(type.element)]);
  return "";
}

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
  for (TypeId inner : referred(type)) {
    const auto inner_number = static_cast<std::uint32_t>(inner);
    if (malformed[inner_number]) return malformed[inner_number];
    if (!may_hold(type.kind, types[inner_number].kind)) {
      return wrong(fmt::format("type {}: a {} can't hold a {}", number, ir::keyword(type.kind),
                               ir::keyword(types[inner_number].kind)));
    }
    if (auto below = defect(types, malformed, items, inner_number)) return below;
  }
  const std::string problem = shape_problem(types, type);
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
