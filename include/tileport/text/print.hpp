// SPDX-License-Identifier: Apache-2.0
// Prints a module exactly as tileirdisasm 13.5 does.
#pragma once

#include <cstdint>
#include <string>
#include <tileport/ir/module.hpp>
#include <utility>
#include <vector>

namespace tileport::text {

struct PrintOptions {
  bool locations = false;  ///< Source places too, as tileirdisasm -g does.
};

std::string print(const ir::Module& module, const PrintOptions& options = {});

/// A module's text, and where in it things stand; lines count from 0.
struct Listing {
  std::vector<std::string> lines;
  /// By OpId; kNoLine for ops that the text leaves out.
  std::vector<std::uint32_t> line_of_op;
  /// By function: its first line, and the one behind its last.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> functions;
};
inline constexpr std::uint32_t kNoLine = 0xFFFFFFFF;
Listing list(const ir::Module& module);

/// One type, as it stands in the text: "tile<16x8xf32>".
std::string print(const ir::Module& module, ir::TypeId type);

/// A float's decimal or hexadecimal form, by the rules of the text (bits are the pattern, zero-extended).
std::string print_float(ir::TypeKind kind, std::uint64_t bits);

}  // namespace tileport::text
