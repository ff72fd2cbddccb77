// SPDX-License-Identifier: Apache-2.0
#include "diff/groups.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace tileport::diff {
namespace {

struct PartGroup {
  std::string_view part;
  Group group;
};
/// Parts that are about the same thing in every op.
constexpr PartGroup kParts[] = {
    {"token", Group::tokens},
    {"tokens", Group::tokens},
    {"memory_ordering_semantics", Group::tokens},
    {"memory_scope", Group::tokens},
    {"mask", Group::masks},
    {"paddingValue", Group::masks},
    {"index", Group::addresses},
    {"offset", Group::addresses},
    {"padding", Group::layout},
    {"dim_map", Group::layout},
    {"sparse_dim", Group::layout},
    {"strides", Group::layout},
    {"dynamicStrides", Group::layout},
    {"permutation", Group::layout},
    {"shape", Group::tile_structure},
    {"dynamicShape", Group::tile_structure},
    {"element type", Group::dtype},
    {"signedness_lhs", Group::mma},
    {"signedness_rhs", Group::mma},
};

bool starts_with_mma(std::string_view mnemonic) { return mnemonic.starts_with("mma"); }

std::optional<Group> group_of_op(const ir::OpInfo& info) {
  if (info.is("reduce") || info.is("scan")) return Group::reductions;
  if (starts_with_mma(info.mnemonic)) return Group::mma;
  if (info.is("make_token") || info.is("join_tokens")) return Group::tokens;
  if (info.is("offset")) return Group::addresses;
  if (info.is("get_tile_block_id") || info.is("get_num_tile_blocks")) return Group::block_mapping;
  if (info.is("constant")) return Group::arithmetic;
  return std::nullopt;
}

}  // namespace

Group group_of(const ir::Module& module, ir::OpId op, std::string_view part) {
  const auto known = std::ranges::find(kParts, part, &PartGroup::part);
  if (known != std::end(kParts)) return known->group;
  const ir::OpInfo& info = *module.op(op).info;
  if (const auto group = group_of_op(info)) return *group;
  // The body of a reduction is its combiner.
  if (const auto around = module.parent_op(op)) {
    if (group_of_op(*module.op(*around).info) == Group::reductions) return Group::reductions;
  }
  switch (info.family) {
    case ir::Family::arith:
      return Group::arithmetic;
    case ir::Family::math:
      return Group::math;
    case ir::Family::convert:
      return Group::dtype;
    case ir::Family::shape:
      return Group::tile_structure;
    case ir::Family::memory:
    case ir::Family::atomic:
      return Group::memory_family;
    case ir::Family::view:
      return info.is("load_view_tko") || info.is("store_view_tko") ? Group::memory_family : Group::layout;
    case ir::Family::control:
      return Group::control_flow;
    case ir::Family::misc:
      return info.is("assume") ? Group::bounds : Group::memory_family;
  }
  return Group::arithmetic;
}

}  // namespace tileport::diff
