// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/codecs.hpp"

#include <bit>
#include <cstring>

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace tileport::cpu {
namespace {

using ir::TypeKind;

/// A binary format: sign (or none), exponent, mantissa. `top` is the code of the largest finite magnitude,
/// `overflow` what lies beyond it (an infinity, or `top` where conversions saturate), `nan` one NaN.
struct Format {
  unsigned exponent_bits;
  unsigned mantissa_bits;
  std::uint32_t top;
  std::uint32_t overflow;
  std::uint32_t nan;
  bool is_signed = true;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr unsigned width() const { return exponent_bits + mantissa_bits + (is_signed ? 1U : 0U); }
  constexpr std::uint32_t magnitude_mask() const { return (1U << (exponent_bits + mantissa_bits)) - 1; }
  constexpr bool has_infinity() const { return exponent_bits > 0 && overflow != top; }
};

constexpr Format kF16{5, 10, 0x7BFF, 0x7C00, 0x7E00};
constexpr Format kBf16{8, 7, 0x7F7F, 0x7F80, 0x7FC0};
constexpr Format kTf32{8, 10, 0x3FBFF, 0x3FC00, 0x3FE00};
constexpr Format kF8E4M3{4, 3, 0x7E, 0x7E, 0x7F};
constexpr Format kF8E5M2{5, 2, 0x7B, 0x7B, 0x7F};
constexpr Format kF4E2M1{2, 1, 0x7, 0x7, 0x7};
constexpr Format kF8E5M3{5, 3, 0xFE, 0xFE, 0xFF, false};

// ---- to float

constexpr float decode_one(const Format& format, std::uint32_t code) {
  const std::uint32_t magnitude = code & format.magnitude_mask();
  const std::uint32_t sign = format.is_signed ? code >> (format.width() - 1) << 31 : 0;
  const std::uint32_t exponent = magnitude >> format.mantissa_bits;
  std::uint32_t mantissa = magnitude & ((1U << format.mantissa_bits) - 1);
  const bool ieee_specials = format.exponent_bits == 5 && format.mantissa_bits == 2;
  if (ieee_specials && exponent == 31) {
    return std::bit_cast<float>(sign | 0x7F800000U | mantissa << (23 - format.mantissa_bits));
  }
  if (format.nan != format.top && !ieee_specials && magnitude == format.nan) {
    return std::bit_cast<float>(sign | 0x7FC00000U);
  }
  if (exponent != 0) {
    const std::uint32_t biased = exponent + 127 - static_cast<std::uint32_t>(format.bias());
    return std::bit_cast<float>(sign | biased << 23 | mantissa << (23 - format.mantissa_bits));
  }
  if (mantissa == 0) return std::bit_cast<float>(sign);
  std::uint32_t biased = 128 - static_cast<std::uint32_t>(format.bias());
  while (!(mantissa >> format.mantissa_bits)) {
    mantissa <<= 1;
    --biased;
  }
  mantissa &= (1U << format.mantissa_bits) - 1;
  return std::bit_cast<float>(sign | biased << 23 | mantissa << (23 - format.mantissa_bits));
}

struct Table {
  float values[256];
};
template <const Format& format>
constexpr Table make_table() {
  Table table{};
  for (std::uint32_t code = 0; code < 256; ++code) table.values[code] = decode_one(format, code);
  return table;
}
constexpr Table make_scale_table() {  // f8E8M0FNU: powers of two from 2^-127 on; the last code is NaN.
  Table table{};
  table.values[0] = std::bit_cast<float>(0x00400000U);
  for (std::uint32_t code = 1; code < 255; ++code) table.values[code] = std::bit_cast<float>(code << 23);
  table.values[255] = std::bit_cast<float>(0x7FC00000U);
  return table;
}
constexpr Table kE4M3Table = make_table<kF8E4M3>();
constexpr Table kE5M2Table = make_table<kF8E5M2>();
constexpr Table kE2M1Table = make_table<kF4E2M1>();
constexpr Table kE5M3Table = make_table<kF8E5M3>();
constexpr Table kE8M0Table = make_scale_table();

template <const Table& table>
void decode_bytes(const void* codes, void* floats, std::size_t count) {
  const std::uint8_t* __restrict from = static_cast<const std::uint8_t*>(codes);
  float* __restrict to = static_cast<float*>(floats);
  for (std::size_t i = 0; i < count; ++i) to[i] = table.values[from[i]];
}

void decode_bf16(const void* codes, void* floats, std::size_t count) {
  const std::uint16_t* __restrict from = static_cast<const std::uint16_t*>(codes);
  std::uint32_t* __restrict to = static_cast<std::uint32_t*>(floats);
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<std::uint32_t>(from[i]) << 16;
}

/// By the processor, or: exponent and mantissa moved into place are the number times 2^-112, subnormals too.
void decode_f16(const void* codes, void* floats, std::size_t count) {
  const std::uint16_t* __restrict from = static_cast<const std::uint16_t*>(codes);
  float* __restrict to = static_cast<float*>(floats);
  std::size_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= count; i += 8) {
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  }
#endif
  for (; i < count; ++i) {
    const std::uint32_t code = from[i];
    const std::uint32_t magnitude = code & 0x7FFF;
    float value = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
    if (magnitude >= 0x7C00) {
      const std::uint32_t quiet = magnitude > 0x7C00 ? 0x00400000U : 0;
      value = std::bit_cast<float>(0x7F800000U | (magnitude & 0x3FF) << 13 | quiet);
    }
    to[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | (code & 0x8000) << 16);
  }
}

// ---- from float

/// `dropped` bits cut off a magnitude: whether it goes up.
template <Rounding rounding>
constexpr bool rounds_up(std::uint32_t kept, std::uint32_t rest, std::uint32_t half, bool negative) {
  switch (rounding) {
    case Rounding::nearest_even:
      return rest > half || (rest == half && (kept & 1));
    case Rounding::nearest_away:
      return rest >= half;
    case Rounding::zero:
      return false;
    case Rounding::negative_inf:
      return rest != 0 && negative;
    case Rounding::positive_inf:
      return rest != 0 && !negative;
  }
  return false;
}

template <const Format& format, Rounding rounding>
constexpr std::uint32_t encode_one(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const bool negative = bits >> 31;
  const std::uint32_t sign = format.is_signed && negative ? 1U << (format.width() - 1) : 0;
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return format.nan == format.top ? format.nan : sign | format.nan;
  if (!format.is_signed && negative) return 0;
  if (magnitude == 0x7F800000) return sign | format.overflow;
  // significand * 2^(exponent - 23), hidden bit included.
  int exponent = static_cast<int>(magnitude >> 23) - 127;
  std::uint32_t significand = magnitude & 0x7FFFFF;
  if (exponent == -127) {
    exponent = -126;
  } else {
    significand |= 0x800000;
  }
  const int lowest = 1 - format.bias();
  int shift = 23 - static_cast<int>(format.mantissa_bits) + (exponent < lowest ? lowest - exponent : 0);
  if (shift > 30) shift = 30;
  std::uint32_t kept = significand >> shift;
  const std::uint32_t rest = significand & ((1U << shift) - 1);
  const std::uint32_t half = shift > 0 ? 1U << (shift - 1) : 0;
  kept += rounds_up<rounding>(kept, rest, half, negative) ? 1U : 0U;
  // Above the lowest exponent `kept` has the hidden bit, which the exponent field counts in; carries go on.
  const std::uint32_t field = exponent > lowest ? static_cast<std::uint32_t>(exponent - lowest) : 0;
  const std::uint32_t code = (field << format.mantissa_bits) + kept;
  if (code > format.top) {
    const bool to_top = rounding == Rounding::zero || (rounding == Rounding::negative_inf && !negative) ||
                        (rounding == Rounding::positive_inf && negative);
    return sign | (to_top ? format.top : format.overflow);
  }
  return sign | code;
}

template <const Format& format, class Code, Rounding rounding>
void encode(const void* floats, void* codes, std::size_t count) {
  const float* __restrict from = static_cast<const float*>(floats);
  Code* __restrict to = static_cast<Code*>(codes);
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<Code>(encode_one<format, rounding>(from[i]));
}

void encode_f16_nearest(const void* floats, void* codes, std::size_t count) {
  const float* from = static_cast<const float*>(floats);
  std::uint16_t* to = static_cast<std::uint16_t*>(codes);
  std::size_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= count; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  encode<kF16, std::uint16_t, Rounding::nearest_even>(from + i, to + i, count - i);
}

void encode_bf16_nearest(const void* floats, void* codes, std::size_t count) {
  const std::uint32_t* __restrict from = static_cast<const std::uint32_t*>(floats);
  std::uint16_t* __restrict to = static_cast<std::uint16_t*>(codes);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = from[i];
    const std::uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    const std::uint32_t nan = (bits >> 16) | 0x40;
    to[i] = static_cast<std::uint16_t>((bits & 0x7FFFFFFF) > 0x7F800000 ? nan : rounded);
  }
}

/// tf32 stays a float; NaN keeps what fits of it.
template <Rounding rounding>
void encode_tf32(const void* floats, void* codes, std::size_t count) {
  const float* __restrict from = static_cast<const float*>(floats);
  std::uint32_t* __restrict to = static_cast<std::uint32_t*>(codes);
  for (std::size_t i = 0; i < count; ++i) to[i] = encode_one<kTf32, rounding>(from[i]) << 13;
}

template <Rounding rounding>
constexpr std::uint8_t encode_scale(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return 0xFF;
  if (bits >> 31 || magnitude <= 0x00400000) return 0;
  if (magnitude == 0x7F800000) return 0xFE;
  std::uint32_t exponent = magnitude >> 23;
  const std::uint32_t mantissa = magnitude & 0x7FFFFF;
  if (exponent == 0) return rounding == Rounding::zero || rounding == Rounding::negative_inf ? 0 : 1;
  if (rounding == Rounding::positive_inf && mantissa != 0) ++exponent;
  if ((rounding == Rounding::nearest_even || rounding == Rounding::nearest_away) && mantissa >= 0x400000)
    ++exponent;
  return static_cast<std::uint8_t>(exponent > 0xFE ? 0xFE : exponent);
}
template <Rounding rounding>
void encode_scales(const void* floats, void* codes, std::size_t count) {
  const float* from = static_cast<const float*>(floats);
  std::uint8_t* to = static_cast<std::uint8_t*>(codes);
  for (std::size_t i = 0; i < count; ++i) to[i] = encode_scale<rounding>(from[i]);
}

template <Rounding rounding>
Encode encoder_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::f16:
      return rounding == Rounding::nearest_even ? &encode_f16_nearest
                                                : &encode<kF16, std::uint16_t, rounding>;
    case TypeKind::bf16:
      return rounding == Rounding::nearest_even ? &encode_bf16_nearest
                                                : &encode<kBf16, std::uint16_t, rounding>;
    case TypeKind::tf32:
      return &encode_tf32<rounding>;
    case TypeKind::f8E4M3FN:
      return &encode<kF8E4M3, std::uint8_t, rounding>;
    case TypeKind::f8E5M2:
      return &encode<kF8E5M2, std::uint8_t, rounding>;
    case TypeKind::f4E2M1FN:
      return &encode<kF4E2M1, std::uint8_t, rounding>;
    case TypeKind::fnv8E5M3FNU:
      return &encode<kF8E5M3, std::uint8_t, rounding>;
    case TypeKind::f8E8M0FNU:
      return &encode_scales<rounding>;
    default:
      return nullptr;
  }
}

}  // namespace

Decode decoder(TypeKind kind) {
  switch (kind) {
    case TypeKind::f16:
      return &decode_f16;
    case TypeKind::bf16:
      return &decode_bf16;
    case TypeKind::f8E4M3FN:
      return &decode_bytes<kE4M3Table>;
    case TypeKind::f8E5M2:
      return &decode_bytes<kE5M2Table>;
    case TypeKind::f4E2M1FN:
      return &decode_bytes<kE2M1Table>;
    case TypeKind::fnv8E5M3FNU:
      return &decode_bytes<kE5M3Table>;
    case TypeKind::f8E8M0FNU:
      return &decode_bytes<kE8M0Table>;
    default:
      return nullptr;
  }
}

Encode encoder(TypeKind kind, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest_even:
      return encoder_of<Rounding::nearest_even>(kind);
    case Rounding::zero:
      return encoder_of<Rounding::zero>(kind);
    case Rounding::negative_inf:
      return encoder_of<Rounding::negative_inf>(kind);
    case Rounding::positive_inf:
      return encoder_of<Rounding::positive_inf>(kind);
    case Rounding::nearest_away:
      return encoder_of<Rounding::nearest_away>(kind);
  }
  return nullptr;
}

}  // namespace tileport::cpu
