// SPDX-License-Identifier: Apache-2.0
#include "translate/rust_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace tileport::translate {
namespace {

using ir::TypeKind;

// The macros shape! and const_array! go up to this rank.
constexpr std::size_t kMacroRank = 4;

template <class Number>
std::string listed(std::span<const Number> numbers) {
  std::vector<std::int64_t> written(numbers.begin(), numbers.end());
  std::ranges::replace(written, ir::kDynamic, std::int64_t{-1});
  return fmt::format("{}", fmt::join(written, ", "));
}

bool representable(std::span<const std::int64_t> shape) {
  return shape.size() <= kMaxRank && std::ranges::all_of(shape, [](std::int64_t extent) {
           return extent == ir::kDynamic ||
                  (extent >= 0 && extent <= std::numeric_limits<std::int32_t>::max());
         });
}

std::optional<std::string> tile(const ir::Module& module, const ir::Type& type) {
  if (!representable(type.shape)) return std::nullopt;
  const ir::Type& element = module.type(type.element);
  if (element.kind != TypeKind::pointer) {
    const auto name = element_name(element.kind);
    if (name.empty()) return std::nullopt;
    return tile_type(name, type.shape);
  }
  const auto pointee = element_name(module.type(element.element).kind);
  if (pointee.empty() || element.pointer_attribute) return std::nullopt;
  return fmt::format("PointerTile<*mut {}, {}>", pointee, extents(type.shape));
}

std::optional<std::string> tensor(const ir::Module& module, const ir::Type& type) {
  const auto element = element_name(module.type(type.element).kind);
  if (element.empty() || type.pointer_attribute || type.shape.empty()) return std::nullopt;
  if (!representable(type.shape) || !representable(type.strides)) return std::nullopt;
  return fmt::format("Tensor<{}, {}>", element, extents(type.shape));
}

std::optional<std::string> view(const ir::Module& module, const ir::Type& type) {
  const ir::Type& source = module.type(type.element);
  if (!tensor(module, source) || !representable(type.shape)) return std::nullopt;
  const auto element = element_name(module.type(source.element).kind);
  const std::string tile_shape = extents(type.shape);
  switch (type.kind) {
    case TypeKind::partition_view:
      return fmt::format("Partition<{}, {}>", element, tile_shape);
    case TypeKind::gather_scatter_view:
      return fmt::format("GatherScatterView<{}, {}, {}>", element, tile_shape, type.sparse_dim);
    case TypeKind::strided_view:
      if (!representable(type.strides)) return std::nullopt;
      return fmt::format("StridedView<{}, {}, {}, {{ [{}] }}>", element, tile_shape, extents(type.strides),
                         listed(std::span<const std::int32_t>(type.dim_map)));
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string_view element_name(TypeKind kind) {
  switch (kind) {
    case TypeKind::i1:
      return "bool";
    case TypeKind::i4:
    case TypeKind::i8:
    case TypeKind::i16:
    case TypeKind::i32:
    case TypeKind::i64:
    case TypeKind::f16:
    case TypeKind::bf16:
    case TypeKind::f32:
    case TypeKind::tf32:
    case TypeKind::f64:
      return ir::keyword(kind);
    case TypeKind::f8E4M3FN:
      return "f8e4m3fn";
    case TypeKind::f8E5M2:
      return "f8e5m2";
    case TypeKind::f8E8M0FNU:
      return "f8e8m0fnu";
    case TypeKind::f4E2M1FN:
      return "f4e2m1fn";
    case TypeKind::fnv8E5M3FNU:
      return "f8e5m3fnu";
    default:
      return {};
  }
}

std::string_view unsigned_name(TypeKind kind) {
  switch (kind) {
    case TypeKind::i1:
      return "bool";
    case TypeKind::i8:
      return "u8";
    case TypeKind::i16:
      return "u16";
    case TypeKind::i32:
      return "u32";
    case TypeKind::i64:
      return "u64";
    default:
      return {};
  }
}

bool has_sign(TypeKind kind, bool is_signed) {
  return is_signed ? ir::is_integer(kind) && kind != TypeKind::i1 : !unsigned_name(kind).empty();
}

std::string extents(std::span<const std::int64_t> shape) { return fmt::format("{{ [{}] }}", listed(shape)); }

std::string tile_type(std::string_view element, std::span<const std::int64_t> shape) {
  return fmt::format("Tile<{}, {}>", element, extents(shape));
}

std::string shape_value(std::span<const std::int64_t> shape) {
  if (shape.size() <= kMacroRank) return fmt::format("shape![{}]", listed(shape));
  return fmt::format("Shape::<{}> {{ dims: &[] }}", extents(shape));
}

std::string array_value(std::span<const std::int32_t> numbers) {
  if (numbers.size() <= kMacroRank) return fmt::format("const_array![{}]", listed(numbers));
  return fmt::format("Array::<{{ [{}] }}> {{ dims: &[] }}", listed(numbers));
}

std::optional<std::string> rust_type(const ir::Module& module, ir::TypeId id) {
  const ir::Type& type = module.type(id);
  switch (type.kind) {
    case TypeKind::token:
      return "Token";
    case TypeKind::tile:
      return tile(module, type);
    case TypeKind::tensor_view:
      return tensor(module, type);
    default:
      return ir::is_view(type.kind) ? view(module, type) : std::nullopt;
  }
}

std::optional<std::string> parameter_type(const ir::Module& module, ir::TypeId id) {
  const ir::Type& type = module.type(id);
  if (type.kind != TypeKind::tile || !type.shape.empty() || !tile(module, type)) return std::nullopt;
  const ir::Type& element = module.type(type.element);
  if (element.kind == TypeKind::pointer) {
    return fmt::format("*mut {}", element_name(module.type(element.element).kind));
  }
  return std::string(element_name(element.kind));
}

}  // namespace tileport::translate
