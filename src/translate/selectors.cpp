// SPDX-License-Identifier: Apache-2.0
#include "translate/selectors.hpp"

#include <fmt/format.h>

#include <tileport/ir/enumerations.hpp>

namespace tileport::translate {

std::string camel_case(std::string_view enumerator) {
  std::string name;
  bool start = true;
  for (char c : enumerator) {
    if (c == '_') {
      start = true;
      continue;
    }
    name += start && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    start = false;
  }
  return name;
}

std::string rounding(std::string_view enumerator) { return "rounding::" + camel_case(enumerator); }
std::string overflow(std::string_view enumerator) { return "overflow::" + camel_case(enumerator); }
std::string predicate(std::string_view enumerator) { return "predicate::" + camel_case(enumerator); }
std::string ordering(std::string_view enumerator) { return "ordering::" + camel_case(enumerator); }

std::string scope(std::string_view enumerator) {
  if (enumerator == "tl_blk") return "scope::TileBlock";
  if (enumerator == "sys") return "scope::System";
  return "scope::" + camel_case(enumerator);
}

std::string padding(std::optional<ir::PaddingValue> value) {
  if (!value) return "padding::None";
  return "padding::" + camel_case(ir::kPaddingValue.values[static_cast<std::size_t>(*value)]);
}

std::string enabled(std::string_view mode, bool on) {
  return fmt::format("{}::{}", mode, on ? "Enabled" : "Disabled");
}

std::string flush_to_zero(OpReader& op) { return enabled("ftz", op.flag("flush_to_zero")); }

}  // namespace tileport::translate
