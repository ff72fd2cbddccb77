// SPDX-License-Identifier: Apache-2.0
#include "verify/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tileport::verify {
void Findings::add(const Rule& rule, Severity severity, Place place, std::string message, std::string advice,
                   std::uint32_t order) {
  place.file = module_.file;
  all_.push_back({.order = order,
                  .diagnostic = {.code = std::string(rule.code),
                                 .severity = severity,
                                 .message = std::move(message),
                                 .place = std::move(place),
                                 .advice = std::move(advice)}});
}

Diagnostics Findings::take() {
  std::ranges::stable_sort(all_, {}, &Found::order);
  Diagnostics diagnostics;
  for (Found& found : all_) diagnostics.push_back(std::move(found.diagnostic));
  all_.clear();
  return diagnostics;
}

Place Findings::place(ir::OpId op) const {
  Place place{.path = module_.access_path(op), .source = module_.source_text(module_.op(op).location)};
  if (ir::index(op) < module_.origins.size()) {
    const ir::Origin& origin = module_.origins[ir::index(op)];
    place.line = origin.line;
    place.column = origin.column;
    if (origin.line == 0) place.offset = origin.offset;
  }
  return place;
}

Place Findings::place(const ir::Function& function) const {
  return {.path = "@" + module_.string(function.name), .source = module_.source_text(function.location)};
}

Place Findings::place(const ir::Global& global) const { return {.path = "@" + module_.string(global.name)}; }

}  // namespace tileport::verify
