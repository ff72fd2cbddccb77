// SPDX-License-Identifier: Apache-2.0
// What all loads, stores and atomics have in common.
#pragma once

#include "verify/families.hpp"

namespace tileport::verify {

/// A weak access has no scope, every other one has; for ops whose scope is optional.
void check_scope(Findings& findings, const Op& op);
/// The tensor behind a view has no multicast address.
void check_no_multicast_view(Findings& findings, const Op& op);
/// As many indices as the view has dimensions, of the types that the view wants; and inbounds fits them.
void check_indices(Findings& findings, const Op& op);
/// The group has the type of the tile that the view loads.
void check_view_tile(Findings& findings, const Op& op, std::string_view group);
/// Elements of f4E2M1FN share bytes along one dimension, which the type must show.
void check_packing(Findings& findings, const Op& op);

/// The tensor_view behind a view.
const ir::Type& tensor_of(const Op& op, const ir::Type& view);
bool is_multicast(const std::optional<ir::PointerAttribute>& attribute);

std::span<const Rule> access_rules();

}  // namespace tileport::verify
