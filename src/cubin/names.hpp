// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tileport::cubin {

/// A section's or symbol's name with the kernel's own name taken out: ".text.softmax" -> ".text",
/// "softmax" -> "<kernel>". Other names stay as they are.
inline std::string without_kernel(std::string_view name, std::string_view kernel) {
  if (name == kernel) return "<kernel>";
  if (name.size() > kernel.size() && name.ends_with(kernel) && name[name.size() - kernel.size() - 1] == '.') {
    return std::string(name.substr(0, name.size() - kernel.size() - 1));
  }
  return std::string(name);
}

}  // namespace tileport::cubin
