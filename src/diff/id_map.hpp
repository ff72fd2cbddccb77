// SPDX-License-Identifier: Apache-2.0
// A map from interned numbers, which are dense, so that a vector finds a place faster than a hash.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tileport::diff {

template <class T>
class IdMap {
 public:
  const T* find(std::uint32_t id) const {
    return id < places_.size() && places_[id] != 0 ? &items_[places_[id] - 1] : nullptr;
  }
  T* find(std::uint32_t id) { return const_cast<T*>(std::as_const(*this).find(id)); }
  /// The item, made if it isn't there.
  T& operator[](std::uint32_t id) {
    if (id >= places_.size()) places_.resize(static_cast<std::size_t>(id) + id / 2 + 64);
    if (places_[id] == 0) {
      items_.emplace_back();
      places_[id] = static_cast<std::uint32_t>(items_.size());
    }
    return items_[places_[id] - 1];
  }

 private:
  std::vector<std::uint32_t> places_;  ///< One more than the index into items_; 0: none.
  std::vector<T> items_;
};

}  // namespace tileport::diff
