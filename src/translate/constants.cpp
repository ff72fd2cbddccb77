// SPDX-License-Identifier: Apache-2.0
// cutile 0.5.0's `constant` parses a decimal literal, or knows ZERO, ONE, INFINITY and NEG_INFINITY of a
// type. Some of its forms are silently wrong and never used here: `false` gives true, unsigned literals from
// half of the range up give 0, and the named constants of bf16 but ZERO are read as patterns of f16
// (NEG_INFINITY gives a NaN, ONE gives 1.875). Those are taken from f32 instead, which cutile converts, by a
// trait that gives them the type that rustc wants. Whatever has no exact literal is an integer constant of
// the same bits, through `bitcast`; that is not quite as good, as tileiras folds it late (other instruction
// order in one kernel of TileGym's softmax).
#include "translate/constants.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "translate/rust_types.hpp"

namespace tileport::translate {
namespace {

using ir::TypeKind;

struct FloatLayout {
  std::uint64_t one, infinity, negative_infinity;
};

std::optional<FloatLayout> layout(TypeKind kind) {
  switch (kind) {
    case TypeKind::f16:
      return FloatLayout{0x3C00, 0x7C00, 0xFC00};
    case TypeKind::bf16:
      return FloatLayout{0x3F80, 0x7F80, 0xFF80};
    case TypeKind::f32:
      return FloatLayout{0x3F800000, 0x7F800000, 0xFF800000};
    case TypeKind::f64:
      return FloatLayout{0x3FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000};
    default:
      return std::nullopt;
  }
}

std::optional<TypeKind> carrier(TypeKind kind) {
  switch (ir::bit_width(kind)) {
    case 8:
      return TypeKind::i8;
    case 16:
      return TypeKind::i16;
    case 32:
      return TypeKind::i32;
    case 64:
      return TypeKind::i64;
    default:
      return std::nullopt;
  }
}

std::string with_point(std::string digits) {
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits;
}

/// A decimal literal that gives these bits both to rustc, which rounds once, and to cutile, which reads f32
/// by way of f64.
std::string decimal(TypeKind kind, std::uint64_t bits) {
  if (kind == TypeKind::f64) return with_point(fmt::format("{}", std::bit_cast<double>(bits)));
  const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  const std::string shortest = fmt::format("{}", value);
  const auto twice_rounded = static_cast<float>(std::strtod(shortest.c_str(), nullptr));
  const bool exact = std::bit_cast<std::uint32_t>(twice_rounded) == static_cast<std::uint32_t>(bits);
  return with_point(exact ? shortest : fmt::format("{:.17g}", static_cast<double>(value)));
}

std::optional<ConstantForm> through_integer(TypeKind kind, std::uint64_t bits) {
  const auto integer = carrier(kind);
  if (!integer) return std::nullopt;
  return ConstantForm{fmt::format("{}", signed_value(*integer, bits)), integer};
}

std::string_view named_constant(const FloatLayout& known, std::uint64_t bits) {
  if (bits == known.one) return "ONE";
  if (bits == known.infinity) return "INFINITY";
  return bits == known.negative_infinity ? "NEG_INFINITY" : "";
}

std::optional<ConstantForm> float_form(TypeKind kind, std::uint64_t bits) {
  const std::string name(element_name(kind));
  const auto known = layout(kind);
  if (!known) {
    // tf32: cutile 0.5.0 writes its constants with the width of f64.
    if (kind == TypeKind::tf32) return std::nullopt;
    return bits == 0 ? ConstantForm{name + "::ZERO", {}, false, true} : through_integer(kind, bits);
  }
  if (const auto constant = named_constant(*known, bits); !constant.empty() && kind == TypeKind::bf16) {
    return ConstantForm{fmt::format("<f32 as super::{}>::{}", kBf16Trait, constant), {}, true};
  }
  if (bits == known->infinity || bits == known->negative_infinity) {
    return ConstantForm{fmt::format("{}::{}", name, named_constant(*known, bits))};
  }
  if (kind == TypeKind::f32 || kind == TypeKind::f64) {
    // Beyond the infinities, counted without the sign, are the NaNs.
    const std::uint64_t magnitude = bits & ~(known->infinity ^ known->negative_infinity);
    if (magnitude > known->infinity) return through_integer(kind, bits);
    return ConstantForm{decimal(kind, bits)};
  }
  if (bits == 0) return ConstantForm{name + "::ZERO", {}, false, true};
  if (bits == known->one) return ConstantForm{name + "::ONE"};  // f16; bf16 is done.
  return through_integer(kind, bits);
}

}  // namespace

std::string_view bf16_trait_declaration() {
  return R"(
/// Named constants of f32, as bf16. cutile 0.5.0 reads those of bf16 itself as bit patterns of f16.
pub trait InBf16 {
    const ONE: cutile::core::bf16;
    const INFINITY: cutile::core::bf16;
    const NEG_INFINITY: cutile::core::bf16;
}

impl InBf16 for f32 {
    const ONE: cutile::core::bf16 = cutile::core::bf16::ONE;
    const INFINITY: cutile::core::bf16 = cutile::core::bf16::INFINITY;
    const NEG_INFINITY: cutile::core::bf16 = cutile::core::bf16::NEG_INFINITY;
}
)";
}

std::int64_t signed_value(TypeKind kind, std::uint64_t bits) {
  const unsigned unused = 64 - ir::bit_width(kind);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

std::optional<ConstantForm> constant_form(TypeKind kind, std::uint64_t bits) {
  if (kind == TypeKind::i1) return ConstantForm{bits == 0 ? "false" : "true"};
  if (ir::is_integer(kind)) return ConstantForm{fmt::format("{}", signed_value(kind, bits))};
  return float_form(kind, bits);
}

std::string constant_role(TypeKind kind, std::uint64_t bits) {
  const auto type = ir::keyword(kind);
  if (kind == TypeKind::i1) return bits == 0 ? "is_false" : "is_true";
  if (bits == 0) return fmt::format("zero_{}", type);
  if (ir::is_integer(kind)) {
    const std::int64_t value = signed_value(kind, bits);
    if (value == 1) return fmt::format("one_{}", type);
    const std::uint64_t magnitude =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    return fmt::format("const_{}{}_{}", value < 0 ? "minus_" : "", magnitude, type);
  }
  if (const auto known = layout(kind)) {
    if (bits == known->one) return fmt::format("one_{}", type);
    if (bits == known->infinity) return fmt::format("infinity_{}", type);
    if (bits == known->negative_infinity) return fmt::format("minus_infinity_{}", type);
  }
  return fmt::format("const_{}", type);
}

std::optional<std::uint64_t> splat_bits(TypeKind kind, std::string_view raw) {
  if (raw.empty()) return std::nullopt;
  // i1 is packed into bits; a splat is one byte of equal bits.
  if (kind == TypeKind::i1) {
    const char first = raw.front();
    if (first != '\0' && first != '\xFF') return std::nullopt;
    if (raw.find_first_not_of(first) != std::string_view::npos) return std::nullopt;
    return first == '\0' ? 0 : 1;
  }
  const std::size_t width = (ir::bit_width(kind) + 7) / 8 == 3 ? 4 : (ir::bit_width(kind) + 7) / 8;
  if (width == 0 || raw.size() % width != 0) return std::nullopt;
  for (std::size_t i = width; i < raw.size(); i += width) {
    if (raw.substr(i, width) != raw.substr(0, width)) return std::nullopt;
  }
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < width; ++i) {
    bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(raw[i])) << (8 * i);
  }
  return bits;
}

}  // namespace tileport::translate
