// SPDX-License-Identifier: Apache-2.0
// A bounds-checked reading position in the bytes of one file.
//
// The first mistake is kept as a diagnostic and moves the cursor to its end: every later read returns zero,
// every later count is zero, so callers need no check after each read, only before they use what they read as
// an index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tileport/core/diagnostic.hpp>
#include <utility>

namespace tileport::bytecode {

class Cursor {
 public:
  /// `base` is the offset of the first byte in the file.
  Cursor(std::span<const std::byte> bytes, std::uint64_t base) : bytes_(bytes), base_(base) {}

  bool ok() const { return !failure_.has_value(); }
  bool at_end() const { return position_ == bytes_.size(); }
  std::size_t remaining() const { return bytes_.size() - position_; }
  std::size_t position() const { return position_; }
  std::uint64_t start() const { return base_; }
  std::uint64_t offset() const { return base_ + position_; }

  /// Keeps the first failure only. Offset: where the cursor stands unless given.
  void fail(std::string_view code, std::string message, std::optional<std::uint64_t> at = std::nullopt) {
    if (!failure_) {
      failure_.emplace();
      failure_->code = code;
      failure_->message = std::move(message);
      failure_->place.offset = at.value_or(offset());
    }
    position_ = bytes_.size();
  }
  const Diagnostic& failure() const { return *failure_; }
  /// Takes over the failure of a cursor on a part of these bytes.
  void adopt(const Cursor& part) {
    if (!part.ok() && !failure_) failure_ = part.failure_;
    if (!ok()) position_ = bytes_.size();
  }

  /// The bytes between an earlier position and the cursor.
  std::string_view since(std::size_t position) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + position, position_ - position};
  }

  /// The byte before the cursor, which must have moved.
  std::uint8_t last_byte() const { return std::to_integer<std::uint8_t>(bytes_[position_ - 1]); }

  std::uint8_t byte() {
    if (at_end()) {
      truncated(1);
      return 0;
    }
    return std::to_integer<std::uint8_t>(bytes_[position_++]);
  }

  std::span<const std::byte> take(std::uint64_t size) {
    if (size > remaining()) {
      truncated(size);
      return {};
    }
    const auto taken = bytes_.subspan(position_, static_cast<std::size_t>(size));
    position_ += taken.size();
    return taken;
  }

  /// LEB128. Forms longer than needed are legal; bits beyond the 64th are dropped, as the reference reader
  /// does.
  std::uint64_t varint();

  /// A varint in zigzag form.
  std::int64_t signed_varint() {
    const std::uint64_t raw = varint();
    return static_cast<std::int64_t>((raw >> 1) ^ (~(raw & 1) + 1));
  }

  /// Little-endian integer of `size` bytes, at most 8.
  std::uint64_t fixed(std::size_t size) {
    std::uint64_t value = 0;
    const auto raw = take(size);
    for (std::size_t i = 0; i < raw.size(); ++i) value |= std::to_integer<std::uint64_t>(raw[i]) << (8 * i);
    return value;
  }

  /// A varint that counts items of at least `item_size` bytes each, so more than the bytes left is a mistake.
  std::size_t count(std::string_view what, std::size_t item_size = 1);

  /// A varint that indexes a table of `size` entries.
  std::uint32_t table_index(std::string_view what, std::size_t size);

  /// Skips filler up to a multiple of `alignment`, counted from the start of the bytes. Filler is not looked
  /// at.
  void align(std::uint64_t alignment) { take((alignment - position_ % alignment) % alignment); }

 private:
  void truncated(std::uint64_t wanted);

  std::span<const std::byte> bytes_;
  std::uint64_t base_ = 0;
  std::size_t position_ = 0;
  std::optional<Diagnostic> failure_;
};

}  // namespace tileport::bytecode
