// SPDX-License-Identifier: Apache-2.0
#include "diff/order.hpp"

#include <algorithm>

namespace tileport::diff {

std::vector<bool> keep_order(const std::vector<std::size_t>& places) {
  std::vector<std::size_t> tails;  // For each length of a run the index of its smallest end.
  std::vector<std::size_t> before(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto at = std::ranges::lower_bound(tails, places[i], {}, [&](std::size_t t) { return places[t]; });
    before[i] = at == tails.begin() ? i : *(at - 1);
    if (at == tails.end()) {
      tails.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<bool> kept(places.size(), false);
  if (tails.empty()) return kept;
  std::size_t i = tails.back();
  for (kept[i] = true; before[i] != i; kept[i] = true) i = before[i];
  return kept;
}

}  // namespace tileport::diff
