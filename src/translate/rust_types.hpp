// SPDX-License-Identifier: Apache-2.0
// How Tile IR types are written in cuTile Rust.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tileport/ir/module.hpp>

#include "translate/literals.hpp"

namespace tileport::translate {

/// cuTile Rust has types for tiles and views up to this rank.
inline constexpr std::size_t kMaxRank = 6;

/// "f32", "bool", "f8e4m3fn"; integers are signed (Tile IR's have no sign). Empty for kinds that are no
/// element.
std::string_view element_name(ir::TypeKind kind);
/// The unsigned counterpart of an integer kind: "u32"; "bool" for i1.
std::string_view unsigned_name(ir::TypeKind kind);
/// Whether cuTile Rust has an integer element type of this width and sign: bool has none, i4 is signed only.
bool has_sign(ir::TypeKind kind, bool is_signed);

/// A value of type Array: "const_array![1, 0]".
std::string array_value(std::span<const std::int32_t> numbers);

/// Writes types and shapes of one module. Every extent and static stride is a literal.
class RustTypes {
 public:
  RustTypes(const ir::Module& module, Literals& literals) : module_(module), literals_(literals) {}

  /// Whether the type can be written.
  bool has(ir::TypeId type) const;
  /// "Tile<f32, { [4, 8] }>", "PointerTile<*mut f32, { [] }>", "Token", "Tensor<…>", "Partition<…>", …
  std::string write(ir::TypeId type);
  /// Type of an entry's parameter: "*mut f32", "i32"; nothing if it can be none.
  std::optional<std::string> parameter(ir::TypeId type, const std::string& name);
  /// An element type; floats are literals. `argument` is the one that has it, if one has.
  std::string element(ir::TypeKind kind, const std::string& argument = {});

  std::string tile(std::string_view element, std::span<const std::int64_t> shape);
  /// "{ [4, 8] }"; dynamic extents are -1.
  std::string extents(std::span<const std::int64_t> shape);
  /// A value of type Shape: "shape![4, 8]".
  std::string shape_value(std::span<const std::int64_t> shape);

 private:
  std::string listed(std::span<const std::int64_t> shape);
  std::string view(const ir::Type& type);

  const ir::Module& module_;
  Literals& literals_;
};

}  // namespace tileport::translate
