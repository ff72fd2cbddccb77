// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace tileport::diff {

/// Which elements belong to a longest increasing subsequence of distinct places, in n log n.
std::vector<bool> keep_order(const std::vector<std::size_t>& places);

}  // namespace tileport::diff
