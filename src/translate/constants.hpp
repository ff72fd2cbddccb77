// SPDX-License-Identifier: Apache-2.0
// Element bits as cuTile Rust constants.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tileport/ir/type.hpp>

namespace tileport::translate {

/// How to write one element value.
struct ConstantForm {
  std::string literal;                    ///< Argument of `constant`.
  std::optional<ir::TypeKind> carrier{};  ///< Set: write an integer constant of this kind and bitcast it.
  bool needs_bf16_trait = false;          ///< The literal uses `kBf16Trait`.
  bool is_zero_of_type = false;           ///< The literal is the type's `ZERO`.
};

/// A trait that the file declares if an entry needs it: named constants of f32, as bf16.
inline constexpr std::string_view kBf16Trait = "InBf16";
std::string_view bf16_trait_declaration();

/// Nothing if no form is exact.
std::optional<ConstantForm> constant_form(ir::TypeKind kind, std::uint64_t bits);

/// The bits, sign-extended from the width of an integer kind.
std::int64_t signed_value(ir::TypeKind kind, std::uint64_t bits);

/// "zero_i32", "const_4096_i32", "const_f32": a name for a constant.
std::string constant_role(ir::TypeKind kind, std::uint64_t bits);

/// The one element that a constant's raw content repeats; nothing if its elements differ.
std::optional<std::uint64_t> splat_bits(ir::TypeKind kind, std::string_view raw);

}  // namespace tileport::translate
