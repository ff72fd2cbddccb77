// SPDX-License-Identifier: Apache-2.0
// Where encoded bytes go: into a file, or, beside the file that a module was read from, into a comparison.
//
// One encoder serves both. Writing, each number is encoded plainly unless the layout knows what stood in its
// place. Recording, the output walks over the original file in step with the encoder and notes in the layout
// what the plain encoding would not have given. So both count numbers alike, and the reader need not know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tileport/bytecode/layout.hpp>
#include <utility>

namespace tileport::bytecode {

/// LEB128 in its shortest form, or longer, with empty groups at the end, if `length` says so.
std::string encode_varint(std::uint64_t value, std::size_t length = 1);

constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

class Output {
  /// Which item is being written, and what the layout knows of it.
  struct State {
    Layout::Item item = Layout::Item::section;
    std::uint32_t number = 0;
    std::uint32_t place = 0;
    const Layout::Deviation* next = nullptr;
    const Layout::Deviation* end = nullptr;
  };

 public:
  /// Writes.
  explicit Output(const Layout* layout = nullptr) : layout_(layout) {}
  /// Records what `original` holds.
  Output(std::string_view original, Layout& notes) : notes_(&notes), original_(original) {}

  bool recording() const { return notes_ != nullptr; }
  std::size_t size() const { return recording() ? position_ : bytes_.size(); }
  const std::string& bytes() const { return bytes_; }

  void varint(std::uint64_t value);
  void signed_varint(std::int64_t value) { varint(zigzag(value)); }
  void byte(std::uint8_t value);
  void fixed(std::uint64_t value, std::size_t width);
  void raw(std::string_view bytes);
  /// Filler up to a multiple of `alignment`, counted from the first byte.
  void align(std::uint64_t alignment);
  /// Bytes at the end of an item that no reader looks at.
  void tail();

  /// What `encode()` writes to this output, behind its size. No `align` in there.
  template <class Encode>
  void sized(Encode&& encode) {
    if (recording()) {
      varint(peek_varint());
      encode();
      return;
    }
    // The size comes first in the file, and counts first.
    const std::uint32_t place = state_.place++;
    std::string before = std::exchange(bytes_, {});
    encode();
    before.swap(bytes_);
    number(place, before.size());
    bytes_ += before;
  }

  /// Recording only: the number that comes next in the original, all that is left of it, and going on in it.
  std::uint64_t peek_varint() const;
  std::string_view rest() const { return original_.substr(position_); }
  std::string_view take(std::size_t count) {
    const std::string_view taken = original_.substr(position_, count);
    position_ += taken.size();
    return taken;
  }
  std::uint64_t take_fixed(std::size_t width);
  Layout& notes() { return *notes_; }

  /// What is written while this lives belongs to the item.
  class Scope {
   public:
    Scope(Output& out, Layout::Item item, std::uint32_t number);
    ~Scope() { out_.state_ = outside_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Output& out_;
    State outside_;
  };

 private:
  std::size_t original_varint_size() const;
  /// Notes that not `plain` but `there` stands at a place.
  void note(std::uint32_t place, std::uint64_t value, std::string_view there);
  const Layout::Deviation* deviation(std::uint32_t place);
  void number(std::uint32_t place, std::uint64_t value);

  const Layout* layout_ = nullptr;
  Layout* notes_ = nullptr;
  std::string bytes_;
  std::string_view original_;
  std::size_t position_ = 0;
  State state_;
};

}  // namespace tileport::bytecode
