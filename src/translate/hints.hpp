// SPDX-License-Identifier: Apache-2.0
// Optimization hints. cuTile Rust writes an entry's hints under the targets that the source names, but the
// hints of a memory access under whatever target it is compiled for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tileport/ir/module.hpp>
#include <tl/expected.hpp>

namespace tileport::translate {

/// "default = (occupancy = 2,), sm_90 = (…)", empty if there is nothing to say; or why it can't be said.
tl::expected<std::string, std::string> entry_hints(const ir::Module& module, const ir::Attribute& hints);

/// The hints of an entry by name, if they are those that cutile's compiler can also be called with: numbers
/// that hold for every target.
std::optional<std::map<std::string, std::int32_t>> default_hints(const ir::Module& module,
                                                                 const ir::Attribute& hints);

struct AccessHints {
  std::optional<std::int32_t> latency;
  bool forbids_tma = false;
};

/// Hints of a load or store (null: none), or why they can't be said.
tl::expected<AccessHints, std::string> access_hints(const ir::Module& module, const ir::Attribute* hints);

}  // namespace tileport::translate
