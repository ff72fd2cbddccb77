// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>

namespace tileport::ir {

/// A small constexpr list: rows of the op table are literals, so they can't own heap memory.
template <class T, std::size_t Capacity>
class InlineList {
 public:
  constexpr InlineList() = default;
  constexpr InlineList(std::initializer_list<T> items) {
    for (const T& item : items) items_[size_++] = item;
  }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T& operator[](std::size_t i) const { return items_[i]; }
  constexpr const T* begin() const { return items_.data(); }
  constexpr const T* end() const { return items_.data() + size_; }

 private:
  std::array<T, Capacity> items_{};
  std::size_t size_ = 0;
};

}  // namespace tileport::ir
