// SPDX-License-Identifier: Apache-2.0
// What must hold of a type by itself, wherever it is used.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <tileport/ir/type.hpp>

namespace tileport::ir {

/// Elements that a tile may have at most.
inline constexpr std::uint64_t kLargestTile = std::uint64_t{1} << 24;

/// Whether types of kind `outer` may refer to types of kind `inner`. Every kind only refers to simpler kinds,
/// so there are no cycles.
bool may_hold(TypeKind outer, TypeKind inner);

/// Calls `visit(TypeId)` for every type that a type refers to itself.
template <class Visit>
void for_each_inner(const Type& type, Visit&& visit) {
  if (type.kind == TypeKind::function) {
    for (TypeId id : type.inputs) visit(id);
    for (TypeId id : type.results) visit(id);
  } else if (!is_element(type.kind) && type.kind != TypeKind::token) {
    visit(type.element);
  }
}

/// Why a type can't be used, as a sentence; empty if it can. The types that it refers to must be in the table
/// and good.
std::string type_problem(std::span<const Type> types, const Type& type);

/// Whether a constant of that many bytes is one element or all elements of a tile; i1 is packed into bits.
bool fills_tile(std::size_t bytes, TypeKind element, const Type& tile);

}  // namespace tileport::ir
