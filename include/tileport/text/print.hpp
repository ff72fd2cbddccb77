// SPDX-License-Identifier: Apache-2.0
// Prints a module exactly as tileirdisasm 13.5 does.
#pragma once

#include <string>
#include <tileport/ir/module.hpp>

namespace tileport::text {

struct PrintOptions {
  bool locations = false;  ///< Source places too, as tileirdisasm -g does.
};

std::string print(const ir::Module& module, const PrintOptions& options = {});

/// One type, as it stands in the text: "tile<16x8xf32>".
std::string print(const ir::Module& module, ir::TypeId type);

/// A float's decimal or hexadecimal form, by the rules of the text (bits are the pattern, zero-extended).
std::string print_float(ir::TypeKind kind, std::uint64_t bits);

}  // namespace tileport::text
