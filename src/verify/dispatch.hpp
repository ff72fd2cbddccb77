// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "verify/findings.hpp"

namespace tileport::verify {

/// Which function checks an op.
struct Case {
  std::string_view mnemonic;
  OpRule check;
};

inline OpRule find_case(std::span<const Case> cases, std::string_view mnemonic) {
  const auto found = std::ranges::find(cases, mnemonic, &Case::mnemonic);
  return found == cases.end() ? nullptr : found->check;
}

}  // namespace tileport::verify
