// SPDX-License-Identifier: Apache-2.0
#include "verify/access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tileport/text/print.hpp>

namespace tileport::verify {
namespace {

using ir::TypeKind;

constexpr Rule kRules[] = {
    {"TP-V0501", "A weak access has no scope; every other one has",
     "cuda-tile 13.3, verifyMemoryModelLoad, verifyMemoryModelStore"},
    {"TP-V0802", "Only multimem ops go through multicast addresses", "tileirdisasm 13.5.37, observed"},
    {"TP-V0803", "There is one index a dimension of the view", "cuda-tile 13.3, verifyViewLoadStoreCommon"},
    {"TP-V0804",
     "Indices of a view are integers of rank 0 and of one type; a gather_scatter_view has a vector of "
     "indices along its sparse dimension, as long as its tile is",
     "cuda-tile 13.3, verifyIndices of the views"},
    {"TP-V0805", "inbounds has one entry a dimension of the view", "tileirdisasm 13.5.37, observed"},
    {"TP-V0806", "A tile that goes through a view is the view's tile",
     "cuda-tile 13.3, verifyViewLoadStoreCommon"},
    {"TP-V0807",
     "The tensor_view behind a view of f4E2M1FN has exactly one stride that is 1, along which two "
     "elements share a byte, and nothing is gathered along it",
     "tileirdisasm 13.5.37, observed"},
};
constexpr const Rule& kScope = kRules[0];
constexpr const Rule& kMulticast = kRules[1];
constexpr const Rule& kIndexCount = kRules[2];
constexpr const Rule& kIndexTypes = kRules[3];
constexpr const Rule& kInbounds = kRules[4];
constexpr const Rule& kViewTile = kRules[5];
constexpr const Rule& kPacking = kRules[6];

/// What is wrong with the types of a view's indices; empty if nothing is.
std::string index_problem(const Op& op, const ir::Type& view) {
  const Values indices = op.values("index");
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const ir::Type& type = op.module.type_of(indices[i]);
    if (view.kind == TypeKind::gather_scatter_view && i == static_cast<std::size_t>(view.sparse_dim)) {
      if (type.shape.size() == 1 && type.shape[0] == view.shape[i]) continue;
      return fmt::format("index {} must be a vector of {} integers, got {}", i, view.shape[i],
                         op.text("index", i));
    }
    if (!type.shape.empty()) return fmt::format("index {} must be of rank 0, got {}", i, op.text("index", i));
    if (first && !same(op.module, op.module.value(indices[*first]).type, op.module.value(indices[i]).type)) {
      return fmt::format("index {} must be of the type of index {}, {}, got {}", i, *first,
                         op.text("index", *first), op.text("index", i));
    }
    if (!first) first = i;
  }
  return "";
}

}  // namespace

std::span<const Rule> access_rules() { return kRules; }

const ir::Type& tensor_of(const Op& op, const ir::Type& view) { return op.module.type(view.element); }

bool is_multicast(const std::optional<ir::PointerAttribute>& attribute) {
  return attribute == ir::PointerAttribute::multicast;
}

void check_scope(Findings& findings, const Op& op) {
  const std::string_view ordering = op.enumerator("memory_ordering_semantics");
  const bool scoped = op.module.word(op.id, "memory_scope").has_value();
  if (ordering == "weak" && scoped) {
    findings.error(kScope, op, fmt::format("{} is weak and has a scope", op.mnemonic()),
                   "leave one of them out");
  } else if (ordering != "weak" && !scoped) {
    findings.error(kScope, op, fmt::format("{} is {} and has no scope", op.mnemonic(), ordering),
                   "add tl_blk, device or sys");
  }
}

void check_no_multicast_view(Findings& findings, const Op& op) {
  if (!is_multicast(tensor_of(op, op.type("view")).pointer_attribute)) return;
  findings.error(kMulticast, op, fmt::format("{} can't go through a multicast address", op.mnemonic()),
                 "use the multimem ops");
}

void check_indices(Findings& findings, const Op& op) {
  const ir::Type& view = op.type("view");
  const std::size_t indices = op.values("index").size();
  if (indices != view.shape.size()) {
    findings.error(kIndexCount, op,
                   fmt::format("{} needs {} indices, got {}", op.mnemonic(), view.shape.size(), indices));
  } else if (std::string problem = index_problem(op, view); !problem.empty()) {
    findings.error(kIndexTypes, op, fmt::format("{}: {}", op.mnemonic(), problem));
  }
  const ir::Attribute* inbounds = op.module.tagged(op.id, "inbounds");
  if (inbounds && inbounds->numbers.size() != indices) {
    findings.error(kInbounds, op,
                   fmt::format("inbounds of {} has {} entries for {} indices", op.mnemonic(),
                               inbounds->numbers.size(), indices));
  }
}

void check_view_tile(Findings& findings, const Op& op, std::string_view group) {
  const ir::Type& view = op.type("view");
  const ir::Type& tensor = tensor_of(op, view);
  const ir::Type& tile = op.type(group);
  if (tile.shape == view.shape && same(op.module, tile.element, tensor.element)) return;
  findings.error(kViewTile, op,
                 fmt::format("{} of {} must have shape {} and elements {}, got {}", group, op.mnemonic(),
                             shape_text(view.shape), text::print(op.module, tensor.element), op.text(group)));
}

void check_packing(Findings& findings, const Op& op) {
  const ir::Type& view = op.type("view");
  const ir::Type& tensor = tensor_of(op, view);
  if (op.module.type(tensor.element).kind != TypeKind::f4E2M1FN) return;
  const auto units = std::ranges::count(tensor.strides, 1);
  if (units != 1) {
    findings.error(kPacking, op,
                   fmt::format("{} of f4E2M1FN needs exactly one stride that is 1, strides are {}",
                               op.mnemonic(), shape_text(tensor.strides)));
    return;
  }
  const auto packed = std::ranges::find(tensor.strides, 1) - tensor.strides.begin();
  if (view.kind == TypeKind::gather_scatter_view && view.sparse_dim == packed) {
    findings.error(kPacking, op,
                   fmt::format("{} can't gather f4E2M1FN along dimension {}, where two elements share a byte",
                               op.mnemonic(), packed));
  }
}

}  // namespace tileport::verify
