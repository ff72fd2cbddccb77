// SPDX-License-Identifier: Apache-2.0
// Any bytes: the reader refuses them with one located diagnostic, or gives a module that can be walked and
// printed and whose tables are not larger than the file allows.
#include <cstddef>
#include <cstdint>
#include <span>
#include <tileport/bytecode/read.hpp>
#include <tileport/text/print.hpp>

#include "require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto module = tileport::bytecode::read(std::as_bytes(std::span(data, size)));
  if (!module) {
    REQUIRE(module.error().size() == 1);
    REQUIRE(module.error()[0].code.starts_with("TP-B"));
    REQUIRE(module.error()[0].place.offset.value_or(size + 1) <= size);
    return 0;
  }
  REQUIRE(module->ops.size() <= size);
  REQUIRE(module->values.size() <= size);
  REQUIRE(module->attributes.size() <= size);
  std::size_t ops = 0;
  for (const auto& function : module->functions)
    tileport::ir::walk(*module, function.body, [&](tileport::ir::OpId) { ++ops; });
  REQUIRE(ops == module->ops.size());
  tileport::text::print(*module);
  return 0;
}
