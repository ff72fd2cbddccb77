// SPDX-License-Identifier: Apache-2.0
#include "verify/op.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cassert>
#include <tileport/text/print.hpp>

namespace tileport::verify {

Values Op::values(std::string_view group) const {
  if (const auto number = info.operand_group(group)) return Values(module.operands(id, *number));
  const ir::Range results = module.op(id).results;
  for (std::size_t i = 0; i < info.results.size(); ++i) {
    if (info.results[i].name != group) continue;
    if (info.results[i].arity == ir::Arity::variadic) return {results.first, results.count};
    return {results.first + static_cast<std::uint32_t>(i), 1};
  }
  assert(false && "the op has no group of that name");
  return {0, 0};
}

std::string Op::text(std::string_view group, std::size_t i) const {
  return tileport::text::print(module, module.value(values(group)[i]).type);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace tileport::verify
