// SPDX-License-Identifier: Apache-2.0
// Optimization hints: target -> {key: value}. `default` holds for every target that says nothing itself.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tileport/ir/module.hpp>
#include <vector>

namespace tileport::diff {

struct Hints {
  std::map<std::string, std::string> values;  ///< For the target, values as text.
  std::map<std::string, std::string> keys;    ///< Where each value came from: "default" or the target.
};

/// What holds for `target`: its own entry over `default`, key by key.
Hints resolve_hints(const ir::Module& module, std::optional<ir::AttributeId> attribute,
                    const std::string& target);

/// The hints of an op, if it has any.
std::optional<ir::AttributeId> hints_of(const ir::Module& module, ir::OpId id);

/// An attribute's value as the text form writes it.
std::string attribute_text(const ir::Module& module, ir::AttributeId id);

}  // namespace tileport::diff
