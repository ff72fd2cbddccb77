// SPDX-License-Identifier: Apache-2.0
// Puts bytecode files together byte by byte, right or wrong.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bytecode_builder {

/// A growing string of bytes.
class Bytes {
 public:
  Bytes& byte(std::uint64_t value) {
    data_ += static_cast<char>(value);
    return *this;
  }
  Bytes& varint(std::uint64_t value) {
    while (value >= 0x80) {
      byte((value & 0x7F) | 0x80);
      value >>= 7;
    }
    return byte(value);
  }
  Bytes& fixed(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) byte(value >> (8 * i) & 0xFF);
    return *this;
  }
  Bytes& raw(const std::string& bytes) {
    data_ += bytes;
    return *this;
  }
  Bytes& align(std::size_t alignment) {
    while (data_.size() % alignment != 0) byte(0xCB);
    return *this;
  }
  const std::string& str() const { return data_; }
  std::size_t size() const { return data_.size(); }

 private:
  std::string data_;
};

inline std::string offset_table(const std::vector<std::string>& items, int width) {
  Bytes out;
  out.varint(items.size()).align(static_cast<std::size_t>(width));
  std::uint64_t at = 0;
  for (const std::string& item : items) {
    out.fixed(at, width);
    at += item.size();
  }
  for (const std::string& item : items) out.raw(item);
  return out.str();
}

/// One kernel "k" without debug information. Types 0 to 4: i32, tile<i32>, token, () -> (), (tile<i32>) ->
/// ().
struct File {
  int major = 13;
  int minor = 3;
  std::uint64_t tag = 0;
  std::vector<std::string> strings{"k"};
  std::vector<std::string> types{"\x03", std::string("\x0D\x00\x00", 3), "\x11",
                                 std::string("\x10\x00\x00", 3), std::string("\x10\x01\x01\x00", 4)};
  std::vector<std::string> constants{};
  std::uint64_t signature = 3;
  std::string body = std::string("\x5C\x00\x00", 3);  ///< return
  std::string after_functions{};
  std::vector<std::pair<int, std::string>> more_sections{};
  std::string function_flags = "\x02";

  std::string function_section() const {
    Bytes out;
    out.varint(1).varint(0).varint(signature).raw(function_flags).varint(0);
    if (minor >= 5) out.raw(std::string("\x0B\x00\x06\x00", 4));
    return out.varint(body.size()).raw(body).raw(after_functions).str();
  }

  static void section(Bytes& out, int id, const std::string& payload, std::size_t alignment) {
    out.byte(static_cast<std::uint64_t>(id) | (alignment > 1 ? 0x80 : 0)).varint(payload.size());
    if (alignment > 1) out.varint(alignment).align(alignment);
    out.raw(payload);
  }

  std::string build() const {
    Bytes out;
    out.raw(std::string("\x7FTileIR\0", 8))
        .byte(static_cast<std::uint64_t>(major))
        .byte(static_cast<std::uint64_t>(minor));
    out.fixed(tag, 2);
    section(out, 2, function_section(), 8);
    if (!constants.empty()) section(out, 4, offset_table(constants, 8), 8);
    section(out, 5, offset_table(types, 4), 4);
    for (const auto& [id, payload] : more_sections) section(out, id, payload, id == 3 ? 8 : 1);
    section(out, 1, offset_table(strings, 4), 4);
    return out.byte(0).str();
  }
};

inline std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace bytecode_builder
