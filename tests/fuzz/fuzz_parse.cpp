// SPDX-License-Identifier: Apache-2.0
// Any text: the parser refuses it with located diagnostics, or gives modules that are not larger than the
// text allows and that print as what parses to the same modules.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tileport/ir/equality.hpp>
#include <tileport/text/parse.hpp>
#include <tileport/text/print.hpp>

#include "require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto modules = tileport::text::parse_modules({reinterpret_cast<const char*>(data), size});
  if (!modules) {
    REQUIRE(!modules.error().empty());
    for (const auto& diagnostic : modules.error()) {
      REQUIRE(diagnostic.code.starts_with("TP-X"));
      REQUIRE(diagnostic.place.line >= 1 && diagnostic.place.line <= size + 1);
      REQUIRE(diagnostic.place.column >= 1 && diagnostic.place.column <= size + 1);
    }
    return 0;
  }
  for (const auto& module : *modules) {
    REQUIRE(module.ops.size() <= size);
    REQUIRE(module.attributes.size() <= 32 * size + 10'000);
    const std::string printed = tileport::text::print(module);
    const auto again = tileport::text::parse(printed);
    REQUIRE(again);
    REQUIRE(!tileport::ir::first_difference(module, *again));
  }
  return 0;
}
