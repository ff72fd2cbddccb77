// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "translate/entry.hpp"

namespace tileport::translate {

/// What makes a tile that repeats one element; writes the statements that it needs before, named after
/// `role`. Nothing if no form is exact.
std::optional<Expression> splat(Entry& entry, ir::TypeKind kind, std::uint64_t bits,
                                std::span<const std::int64_t> shape, std::string_view role);

}  // namespace tileport::translate
