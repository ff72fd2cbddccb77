// SPDX-License-Identifier: Apache-2.0
// cuTile Rust passes an op's modes as values of unit types: rounding::NearestEven, ftz::Enabled,
// scope::Device.
#pragma once

#include <string>
#include <string_view>

#include "translate/op_reader.hpp"

namespace tileport::translate {

/// "nearest_even" → "NearestEven".
std::string camel_case(std::string_view enumerator);

std::string rounding(std::string_view enumerator);
/// Of the flag `flush_to_zero`.
std::string flush_to_zero(OpReader& op);
std::string overflow(std::string_view enumerator);
std::string predicate(std::string_view enumerator);
std::string ordering(std::string_view enumerator);
std::string scope(std::string_view enumerator);
std::string padding(std::optional<ir::PaddingValue> value);
std::string enabled(std::string_view mode, bool on);

}  // namespace tileport::translate
