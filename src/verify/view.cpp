// SPDX-License-Identifier: Apache-2.0
// Tensor views, the views of tiles on them, and their loads and stores.
#include <fmt/format.h>

#include <algorithm>

#include "verify/access.hpp"
#include "verify/dispatch.hpp"

namespace tileport::verify {
namespace {

constexpr Rule kRules[] = {
    {"TP-V0801", "make_tensor_view is given one integer for each dynamic extent and stride, all of one type",
     "cuda-tile 13.3, MakeTensorViewOp::verify"},
    {"TP-V0808", "A tensor_view has the elements that its base points to",
     "cuda-tile 13.3, MakeTensorViewOp::verify"},
    {"TP-V0809", "A tensor_view has the kind of address of its base", "tileirdisasm 13.5.37, observed"},
    {"TP-V0810", "A view is made of the tensor_view that its type names",
     "cuda-tile 13.3, MakePartitionViewOp::verify"},
    {"TP-V0811", "get_index_space_shape and get_tensor_shape have one result a dimension",
     "cuda-tile 13.3, GetIndexSpaceShapeOp::verify, GetTensorShapeOp::verify"},
};
constexpr const Rule& kDynamic = kRules[0];
constexpr const Rule& kElements = kRules[1];
constexpr const Rule& kAddress = kRules[2];
constexpr const Rule& kTensor = kRules[3];
constexpr const Rule& kShape = kRules[4];

void make_tensor_view(Findings& findings, const Op& op) {
  const ir::Type& view = op.type("result");
  const ir::Type& pointer = op.element_type(op.type("base"));
  if (!same(op.module, pointer.element, view.element)) {
    findings.error(kElements, op,
                   fmt::format("make_tensor_view makes {} of a base {}", op.text("result"), op.text("base")));
  }
  if (pointer.pointer_attribute != view.pointer_attribute) {
    findings.error(kAddress, op,
                   fmt::format("{} and its base {} have different kinds of address", op.text("result"),
                               op.text("base")));
  }
  std::optional<ir::TypeId> first;
  for (std::string_view group : {"dynamicShape", "dynamicStrides"}) {
    const Values values = op.values(group);
    const auto& numbers = group == "dynamicShape" ? view.shape : view.strides;
    const auto wanted = static_cast<std::size_t>(std::ranges::count(numbers, ir::kDynamic));
    if (wanted != values.size()) {
      findings.error(
          kDynamic, op,
          fmt::format("{} needs {} values for {}, got {}", op.text("result"), wanted, group, values.size()));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const ir::TypeId type = op.module.value(values[i]).type;
      if (!first) first = type;
      if (same(op.module, *first, type)) continue;
      findings.error(kDynamic, op,
                     fmt::format("extents and strides of make_tensor_view must be of one type, got {} in {}",
                                 op.text(group, i), group));
      return;
    }
  }
}

void make_view(Findings& findings, const Op& op) {
  const ir::TypeId source = op.module.value(op.values("tensor_view")[0]).type;
  if (same(op.module, source, op.type("result").element)) return;
  findings.error(kTensor, op,
                 fmt::format("{} makes {} of another tensor_view, {}", op.mnemonic(), op.text("result"),
                             op.text("tensor_view")));
}

void get_shape(Findings& findings, const Op& op) {
  const std::size_t rank = op.shape("src").size();
  const std::size_t count = op.values("result_types").size();
  if (rank == count) return;
  findings.error(kShape, op,
                 fmt::format("{} of {} has {} results, got {}", op.mnemonic(), op.text("src"), rank, count));
}

void load_view(Findings& findings, const Op& op) {
  check_scope(findings, op);
  check_no_multicast_view(findings, op);
  check_indices(findings, op);
  check_view_tile(findings, op, "tile");
  check_packing(findings, op);
}

constexpr Case kCases[] = {{"make_tensor_view", make_tensor_view}, {"make_partition_view", make_view},
                           {"make_strided_view", make_view},       {"make_gather_scatter_view", make_view},
                           {"get_index_space_shape", get_shape},   {"get_tensor_shape", get_shape},
                           {"load_view_tko", load_view},           {"store_view_tko", load_view}};

}  // namespace

FamilyRules view_rules() {
  return {kRules, [](std::string_view mnemonic) { return find_case(kCases, mnemonic); }};
}

}  // namespace tileport::verify
