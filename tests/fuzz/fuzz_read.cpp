// SPDX-License-Identifier: Apache-2.0
// Any bytes: the reader refuses them with one located diagnostic, or gives a document whose tables are not
// larger than the file allows, which is written back byte for byte, and whose canonical form, if it has one,
// is its own canonical form.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tileport/bytecode/write.hpp>
#include <tileport/text/print.hpp>

#include "require.hpp"

namespace bytecode = tileport::bytecode;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = bytecode::read_document(std::as_bytes(std::span(data, size)));
  if (!document) {
    REQUIRE(document.error().size() == 1);
    REQUIRE(document.error()[0].code.starts_with("TP-B"));
    REQUIRE(document.error()[0].place.offset.value_or(size + 1) <= size);
    return 0;
  }
  const auto& module = document->module;
  REQUIRE(module.ops.size() <= size);
  REQUIRE(module.values.size() <= size);
  REQUIRE(module.attributes.size() <= size);
  std::size_t ops = 0;
  for (const auto& function : module.functions)
    tileport::ir::walk(module, function.body, [&](tileport::ir::OpId) { ++ops; });
  REQUIRE(ops == module.ops.size());
  tileport::text::print(module);

  const auto same = bytecode::write_faithful(module, document->layout);
  REQUIRE(same && *same == std::string_view(reinterpret_cast<const char*>(data), size));
  if (const auto canonical = bytecode::write_canonical(module)) {
    const auto again = bytecode::read_document(std::as_bytes(std::span(*canonical)));
    REQUIRE(again);
    const auto fixed = bytecode::write_canonical(again->module);
    REQUIRE(fixed && *fixed == *canonical);
  }
  return 0;
}
