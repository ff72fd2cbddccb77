// SPDX-License-Identifier: Apache-2.0
// Which function translates which op. src/translate/<family>.cpp hold the functions and their tables.
#pragma once

#include <span>
#include <string_view>

#include "translate/entry.hpp"
#include "translate/op_reader.hpp"

namespace tileport::translate {

struct Handler {
  std::string_view mnemonic;
  void (*translate)(Entry& entry, OpReader& op);
};

std::span<const Handler> arith_handlers();
std::span<const Handler> math_handlers();
std::span<const Handler> convert_handlers();
std::span<const Handler> shape_handlers();
std::span<const Handler> memory_handlers();
std::span<const Handler> atomic_handlers();
std::span<const Handler> control_handlers();
std::span<const Handler> view_handlers();
std::span<const Handler> misc_handlers();

/// Null if the op has no translation.
const Handler* find_handler(std::string_view mnemonic);
/// Why an op has none.
std::string_view gap(std::string_view mnemonic);

}  // namespace tileport::translate
