// SPDX-License-Identifier: Apache-2.0
#include "bytecode/cursor.hpp"

#include <fmt/format.h>

#include "bytecode/codes.hpp"

namespace tileport::bytecode {

std::uint64_t Cursor::varint() {
  const std::uint64_t start = offset();
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t next = byte();
    if (!ok()) return 0;
    if (shift < 64) value |= static_cast<std::uint64_t>(next & 0x7F) << shift;
    if ((next & 0x80) == 0) return value;
    if (shift >= (kLongestVarint - 1) * 7) {
      fail(code::kLongVarint,
           fmt::format("a variable-length number goes on for more than {} bytes", kLongestVarint), start);
      return 0;
    }
  }
}

std::size_t Cursor::count(std::string_view what, std::size_t item_size) {
  const std::uint64_t start = offset();
  const std::uint64_t number = varint();
  if (number > remaining() / item_size) {
    fail(code::kCount,
         fmt::format("the number of {}, {}, is more than the {} bytes left can hold", what, number,
                     remaining()),
         start);
    return 0;
  }
  return static_cast<std::size_t>(number);
}

std::uint32_t Cursor::table_index(std::string_view what, std::size_t size) {
  const std::uint64_t start = offset();
  const std::uint64_t number = varint();
  if (!ok()) return 0;
  if (number >= size) {
    fail(code::kIndex, fmt::format("{} {} does not exist; the file has {}", what, number, size), start);
    return 0;
  }
  return static_cast<std::uint32_t>(number);
}

void Cursor::truncated(std::uint64_t wanted) {
  fail(code::kTruncated,
       fmt::format("{} more byte{} expected, {} left", wanted, wanted == 1 ? "" : "s", remaining()));
}

}  // namespace tileport::bytecode
