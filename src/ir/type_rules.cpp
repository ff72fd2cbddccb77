// SPDX-License-Identifier: Apache-2.0
// Rules are those of the dialect's type verifiers (cuda-tile 13.3, Types.cpp); what 13.4 and 13.5 add was
// observed with tileirdisasm 13.5.37.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <tileport/ir/type_rules.hpp>

namespace tileport::ir {
namespace {

/// What may be pointed to, stand in memory behind a view, or stand in a constant: everything but i4.
bool is_number(TypeKind kind) { return is_element(kind) && kind != TypeKind::i4; }

const Type& inner(std::span<const Type> types, const Type& type) {
  return types[static_cast<std::uint32_t>(type.element)];
}

/// Of a tile, or of the tile that a view loads.
std::string tile_problem(const std::vector<std::int64_t>& shape, TypeKind element) {
  std::uint64_t count = 1;
  for (std::int64_t extent : shape) {
    if (extent <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(extent))) {
      return fmt::format("extents of tiles are powers of two, got {}", extent);
    }
    if (count > kLargestTile / static_cast<std::uint64_t>(extent)) {
      return fmt::format("a tile of shape [{}] has more than {} elements", fmt::join(shape, ", "),
                         kLargestTile);
    }
    count *= static_cast<std::uint64_t>(extent);
  }
  if (element == TypeKind::f4E2M1FN && count % 2 != 0) {
    return "a tile of f4E2M1FN has an even number of elements, because two share a byte";
  }
  return "";
}

std::string tensor_view_problem(const Type& type) {
  const auto positive = [](std::int64_t number) { return number > 0 || number == kDynamic; };
  for (std::int64_t extent : type.shape) {
    if (!positive(extent)) return fmt::format("extents are positive, got {}", extent);
  }
  for (std::int64_t stride : type.strides) {
    if (!positive(stride)) return fmt::format("strides are positive, got {}", stride);
  }
  if (type.shape.size() != type.strides.size()) {
    return fmt::format("a tensor_view of {} extents has {} strides", type.shape.size(), type.strides.size());
  }
  return "";
}

/// Why dimensions of a tile can't be laid onto dimensions of a tensor; empty if they can.
std::string dimension_problem(const Type& view, std::size_t rank) {
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
  if (view.kind != TypeKind::strided_view) return "";
  if (view.strides.size() != rank) {
    return fmt::format("there are {} traversal strides for {} dimensions", view.strides.size(), rank);
  }
  const auto bad = std::ranges::find_if(view.strides, [](std::int64_t stride) { return stride <= 0; });
  return bad == view.strides.end() ? "" : fmt::format("traversal strides are positive, got {}", *bad);
}

std::string view_problem(std::span<const Type> types, const Type& view) {
  const Type& tensor = inner(types, view);
  const TypeKind element = inner(types, tensor).kind;
  const std::size_t rank = tensor.shape.size();
  if (view.shape.size() != rank) {
    return fmt::format("a tile of rank {} can't view a tensor of rank {}", view.shape.size(), rank);
  }
  if (rank == 0) return "a view of a tile of rank 0 is not supported";
  if (std::string problem = tile_problem(view.shape, element); !problem.empty()) return problem;
  if (std::string problem = dimension_problem(view, rank); !problem.empty()) return problem;
  if (view.padding && *view.padding != PaddingValue::zero && !is_float(element)) {
    return fmt::format("only floats can be padded with anything but zero, got {}", keyword(element));
  }
  return "";
}

}  // namespace

bool may_hold(TypeKind outer, TypeKind inner) {
  switch (outer) {
    case TypeKind::pointer:
    case TypeKind::tensor_view:
      return is_number(inner);
    case TypeKind::tile:
      return is_element(inner) || inner == TypeKind::pointer;
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

std::string type_problem(std::span<const Type> types, const Type& type) {
  std::string problem;
  for_each_inner(type, [&](TypeId id) {
    const TypeKind kind = types[static_cast<std::uint32_t>(id)].kind;
    if (problem.empty() && !may_hold(type.kind, kind)) {
      problem = fmt::format("a {} can't hold a {}", keyword(type.kind), keyword(kind));
    }
  });
  if (!problem.empty()) return problem;
  switch (type.kind) {
    case TypeKind::tile: {
      const Type& element = inner(types, type);
      const bool pointer_to_f4 =
          element.kind == TypeKind::pointer && inner(types, element).kind == TypeKind::f4E2M1FN;
      if (pointer_to_f4 && !type.shape.empty()) return "a tile of pointers to f4E2M1FN has rank 0";
      return tile_problem(type.shape, element.kind);
    }
    case TypeKind::tensor_view:
      return tensor_view_problem(type);
    case TypeKind::partition_view:
    case TypeKind::strided_view:
    case TypeKind::gather_scatter_view:
      return view_problem(types, type);
    default:
      return "";
  }
}

bool fills_tile(std::size_t bytes, TypeKind element, const Type& tile) {
  const std::uint64_t count = element_count(tile);
  if (element == TypeKind::i1) return bytes == 1 || bytes == count / 8 + (count % 8 != 0 ? 1 : 0);
  const std::size_t size = (bit_width(element) + 7) / 8;
  return bytes == size || (bytes % size == 0 && bytes / size == count);
}

}  // namespace tileport::ir
