// SPDX-License-Identifier: Apache-2.0
#include "cpu/printing.hpp"

#include <array>
#include <cstdio>
#include <cstring>

#include "cpu/element.hpp"
#include "cpu/kernels/codecs.hpp"

namespace tileport::cpu {
namespace {

using ir::TypeKind;

/// One conversion of a format: "%-8.3f".
struct Conversion {
  std::string flags;  ///< What stands between the percent sign and the letter, without lengths.
  char letter = 0;
};

bool is_length(char c) { return c == 'h' || c == 'l' || c == 'j' || c == 'z' || c == 't' || c == 'L'; }

template <class T>
std::string converted(const std::string& format, T value) {
  std::array<char, 512> text{};
  const int length = std::snprintf(text.data(), text.size(), format.c_str(), value);
  return length < 0 ? std::string() : std::string(text.data());
}

std::string convert(const Conversion& conversion, const std::byte* element, TypeKind kind) {
  const std::string_view floats = "aAeEfFgG";
  if (floats.find(conversion.letter) != std::string_view::npos) {
    return converted("%" + conversion.flags + conversion.letter, element_as_double(element, kind));
  }
  if (ir::is_float(kind)) return converted("%" + conversion.flags + "f", element_as_double(element, kind));
  // Only letters that read one integer: a module must not choose what snprintf reads or writes.
  const bool known = std::string_view("duoxXcp").find(conversion.letter) != std::string_view::npos;
  const char letter = known ? conversion.letter : 'd';
  const std::int64_t value = element_as_integer(element, kind);
  if (letter == 'c') return std::string(1, static_cast<char>(value));
  const std::string format = "%" + conversion.flags + (letter == 'p' ? "#llx" : std::string("ll") + letter);
  return converted(format, static_cast<long long>(value));
}

// Printing a tile of millions of elements is a mistake, or meant to fill memory.
constexpr std::size_t kMostText = std::size_t{1} << 20;

void append_tile(std::string& text, const Conversion& conversion, const PrintedTile& tile,
                 std::size_t dimension, std::uint64_t& next) {
  if (text.size() > kMostText) return;
  if (dimension == tile.shape.size()) {
    text += convert(conversion, tile.elements + (tile.uniform ? 0 : next * tile.size), tile.kind);
    ++next;
    return;
  }
  text += '[';
  for (std::int64_t i = 0; i < tile.shape[dimension]; ++i) {
    if (i > 0) text += ", ";
    append_tile(text, conversion, tile, dimension + 1, next);
  }
  text += ']';
}

/// Reads a conversion that starts behind its percent sign; moves `at` behind it. Widths are cut to two
/// digits: a number of a tile is no reason for pages of blanks.
Conversion read_conversion(std::string_view format, std::size_t& at) {
  Conversion conversion;
  std::size_t digits = 0;
  while (at < format.size()) {
    const char c = format[at++];
    if (std::string_view("-+ #0123456789.").find(c) != std::string_view::npos) {
      digits = c >= '0' && c <= '9' ? digits + 1 : 0;
      if (digits <= 2 && conversion.flags.size() < 12) conversion.flags += c;
    } else if (!is_length(c)) {
      conversion.letter = c;
      break;
    }
  }
  return conversion;
}

}  // namespace

std::string tile_elements(std::string_view raw, TypeKind kind, std::uint64_t count) {
  std::string result;
  if (kind == TypeKind::i1) {
    const bool splat = raw.size() == 1 && (count > 8 || raw[0] == '\0' || raw[0] == '\xff');
    result.resize(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto byte = static_cast<unsigned char>(splat ? raw[0] : raw[i / 8]);
      result[i] = static_cast<char>(splat ? byte & 1 : byte >> (i % 8) & 1);
    }
    return result;
  }
  const std::size_t size = tile_bytes(kind);
  const std::size_t stored = kind == TypeKind::tf32 ? 3 : size;
  const bool splat = raw.size() == stored;
  result.reserve(count * size);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view element = raw.substr(splat ? 0 : i * stored, stored);
    if (kind == TypeKind::tf32) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, element.data(), element.size());
      bits <<= 13;
      result.append(reinterpret_cast<const char*>(&bits), 4);
    } else {
      result += element;
    }
  }
  return result;
}

double element_as_double(const std::byte* element, TypeKind kind) {
  if (!ir::is_float(kind)) return static_cast<double>(element_as_integer(element, kind));
  if (kind == TypeKind::f64) {
    double value;
    std::memcpy(&value, element, sizeof(value));
    return value;
  }
  float value;
  if (const Decode decode = decoder(kind)) {
    decode(element, &value, 1);
  } else {
    std::memcpy(&value, element, sizeof(value));
  }
  return value;
}

std::int64_t element_as_integer(const std::byte* element, TypeKind kind) {
  switch (kind) {
    case TypeKind::i1:
      return std::to_integer<int>(*element) & 1;
    case TypeKind::i4:
      return ((std::to_integer<int>(*element) & 15) ^ 8) - 8;
    case TypeKind::i8:
      return static_cast<std::int8_t>(*element);
    case TypeKind::i16: {
      std::int16_t value;
      std::memcpy(&value, element, sizeof(value));
      return value;
    }
    case TypeKind::i32: {
      std::int32_t value;
      std::memcpy(&value, element, sizeof(value));
      return value;
    }
    default: {
      if (ir::is_float(kind)) return static_cast<std::int64_t>(element_as_double(element, kind));
      std::int64_t value;
      std::memcpy(&value, element, sizeof(value));
      return value;
    }
  }
}

std::string format_tiles(std::string_view format, std::span<const PrintedTile> tiles) {
  std::string text;
  std::size_t tile = 0;
  for (std::size_t at = 0; at < format.size();) {
    const char c = format[at++];
    if (c != '%') {
      text += c;
      continue;
    }
    if (at < format.size() && format[at] == '%') {
      text += '%';
      ++at;
      continue;
    }
    const Conversion conversion = read_conversion(format, at);
    if (conversion.letter == 0 || tile == tiles.size()) continue;
    std::uint64_t next = 0;
    append_tile(text, conversion, tiles[tile++], 0, next);
  }
  return text;
}

}  // namespace tileport::cpu
