// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace tileport::ir {

/// A bytecode version, 13.1 to 13.5. "Preview" content has the version in which it first appears.
struct Version {
  std::uint8_t major = 13;
  std::uint8_t minor = 1;
  friend auto operator<=>(const Version&, const Version&) = default;
};

}  // namespace tileport::ir
