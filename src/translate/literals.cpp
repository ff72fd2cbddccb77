// SPDX-License-Identifier: Apache-2.0
#include "translate/literals.hpp"

#include <fmt/format.h>

#include <cassert>

#include "translate/rust_types.hpp"

namespace tileport::translate {

Literals::Form Literals::next(Literal literal) {
  const std::size_t place = all_.size();
  all_.push_back(std::move(literal));
  const bool is_type = all_[place].kind == Literal::Kind::type;
  if (!generics_) return {is_type ? "@" : "#", false, true};
  assert((generics_->empty() || (place < marked_.size() && marked_[place] == all_[place])) &&
         "both translations write the same literals");
  if (!generics_->empty() && !(*generics_)[place].empty()) return {(*generics_)[place], true, false};
  if (is_type) return {std::string(element_name(static_cast<ir::TypeKind>(all_[place].value))), false, false};
  return {fmt::format("{}", all_[place].value), false, false};
}

}  // namespace tileport::translate
