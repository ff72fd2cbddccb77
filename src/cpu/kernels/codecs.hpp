// SPDX-License-Identifier: Apache-2.0
// Storage formats of numbers narrower than float: to float exactly, and from float with one rounding.
//
// Tiles hold elements as memory does (f16 in two bytes), with these exceptions: tf32 is a float whose low 13
// bits are 0, i1, i4 and f4 take a byte each. Arithmetic decodes to float, computes, and encodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tileport/ir/type.hpp>

namespace tileport::cpu {

/// Numbers are the dialect's RoundingMode.
enum class Rounding : std::uint8_t { nearest_even, zero, negative_inf, positive_inf, nearest_away = 7 };

using Decode = void (*)(const void* codes, void* floats, std::size_t count);
using Encode = void (*)(const void* floats, void* codes, std::size_t count);

/// Null for kinds that are no float narrower than f32 (tf32 is read as it stands: null too).
Decode decoder(ir::TypeKind kind);
/// Out of range: infinity, or the largest number where the mode says so; f8E4M3FN, f8E5M2, f4E2M1FN and the
/// scale types saturate, as PTX's cvt.satfinite, which is what NVIDIA's compilers emit. f4 of NaN is its
/// largest number. f8E8M0FNU has no sign: of negative numbers and zero it is its smallest. Null: as decoder,
/// but tf32 has one.
Encode encoder(ir::TypeKind kind, Rounding rounding);

}  // namespace tileport::cpu
