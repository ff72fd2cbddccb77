// SPDX-License-Identifier: Apache-2.0
#include "translate/rust_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <vector>

namespace tileport::translate {
namespace {

using ir::TypeKind;

// The macros shape! and const_array! go up to this rank.
constexpr std::size_t kMacroRank = 4;

bool representable(std::span<const std::int64_t> shape) {
  return shape.size() <= kMaxRank && std::ranges::all_of(shape, [](std::int64_t extent) {
           return extent == ir::kDynamic ||
                  (extent >= 0 && extent <= std::numeric_limits<std::int32_t>::max());
         });
}

bool has_tile(const ir::Module& module, const ir::Type& type) {
  if (!representable(type.shape)) return false;
  const ir::Type& element = module.type(type.element);
  if (element.kind != TypeKind::pointer) return !element_name(element.kind).empty();
  return !element_name(module.type(element.element).kind).empty() && !element.pointer_attribute;
}

bool has_tensor(const ir::Module& module, const ir::Type& type) {
  const auto element = element_name(module.type(type.element).kind);
  return !element.empty() && !type.pointer_attribute && !type.shape.empty() && representable(type.shape) &&
         representable(type.strides);
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

std::string array_value(std::span<const std::int32_t> numbers) {
  const std::string listed = fmt::format("{}", fmt::join(numbers, ", "));
  if (numbers.size() <= kMacroRank) return fmt::format("const_array![{}]", listed);
  return fmt::format("Array::<{{ [{}] }}> {{ dims: &[] }}", listed);
}

bool RustTypes::has(ir::TypeId id) const {
  const ir::Type& type = module_.type(id);
  switch (type.kind) {
    case TypeKind::token:
      return true;
    case TypeKind::tile:
      return has_tile(module_, type);
    case TypeKind::tensor_view:
      return has_tensor(module_, type);
    case TypeKind::strided_view:
      if (!representable(type.strides)) return false;
      [[fallthrough]];
    case TypeKind::partition_view:
    case TypeKind::gather_scatter_view:
      return has_tensor(module_, module_.type(type.element)) && representable(type.shape);
    default:
      return false;
  }
}

std::string RustTypes::write(ir::TypeId id) {
  assert(has(id) && "types that can't be written are refused before");
  const ir::Type& type = module_.type(id);
  if (type.kind == TypeKind::token) return "Token";
  if (ir::is_view(type.kind) && type.kind != TypeKind::tensor_view) return view(type);
  const ir::Type& element = module_.type(type.element);
  if (type.kind == TypeKind::tensor_view) {
    const std::string name = this->element(element.kind);
    return fmt::format("Tensor<{}, {}>", name, extents(type.shape));
  }
  if (element.kind != TypeKind::pointer) return tile(this->element(element.kind), type.shape);
  const std::string pointee = this->element(module_.type(element.element).kind);
  return fmt::format("PointerTile<*mut {}, {}>", pointee, extents(type.shape));
}

std::string RustTypes::view(const ir::Type& type) {
  const std::string element = this->element(module_.type(module_.type(type.element).element).kind);
  const std::string tile_shape = extents(type.shape);
  switch (type.kind) {
    case TypeKind::gather_scatter_view:
      return fmt::format("GatherScatterView<{}, {}, {}>", element, tile_shape, type.sparse_dim);
    case TypeKind::strided_view:
      return fmt::format("StridedView<{}, {}, {}, {{ [{}] }}>", element, tile_shape, extents(type.strides),
                         fmt::join(type.dim_map, ", "));
    default:
      return fmt::format("Partition<{}, {}>", element, tile_shape);
  }
}

std::string RustTypes::element(ir::TypeKind kind, const std::string& argument) {
  if (!ir::is_float(kind)) return std::string(element_name(kind));
  return literals_.next({Literal::Kind::type, {}, static_cast<std::int64_t>(kind), argument}).text;
}

std::optional<std::string> RustTypes::parameter(ir::TypeId id, const std::string& name) {
  const ir::Type& type = module_.type(id);
  if (type.kind != TypeKind::tile || !type.shape.empty() || !has(id)) return std::nullopt;
  const ir::Type& element = module_.type(type.element);
  if (element.kind == TypeKind::pointer) {
    return fmt::format("*mut {}", this->element(module_.type(element.element).kind, name));
  }
  return std::string(element_name(element.kind));
}

std::string RustTypes::tile(std::string_view element, std::span<const std::int64_t> shape) {
  return fmt::format("Tile<{}, {}>", element, extents(shape));
}

std::string RustTypes::extents(std::span<const std::int64_t> shape) {
  return fmt::format("{{ [{}] }}", listed(shape));
}

std::string RustTypes::shape_value(std::span<const std::int64_t> shape) {
  if (shape.size() <= kMacroRank) return fmt::format("shape![{}]", listed(shape));
  return fmt::format("Shape::<{}> {{ dims: &[] }}", extents(shape));
}

// Whether an extent is dynamic is structure: it decides the operands.
std::string RustTypes::listed(std::span<const std::int64_t> shape) {
  std::vector<std::string> written;
  for (const std::int64_t extent : shape) {
    written.push_back(extent == ir::kDynamic ? "-1"
                                             : literals_.next({Literal::Kind::extent, {}, extent, {}}).text);
  }
  return fmt::format("{}", fmt::join(written, ", "));
}

}  // namespace tileport::translate
