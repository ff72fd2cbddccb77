// SPDX-License-Identifier: Apache-2.0
// Tensor views, the views of tiles on them, and their loads and stores.
#include <fmt/format.h>

#include <algorithm>

#include "translate/codes.hpp"
#include "translate/handlers.hpp"
#include "translate/hints.hpp"
#include "translate/rust_types.hpp"
#include "translate/selectors.hpp"

namespace tileport::translate {
namespace {

constexpr std::string_view kViewSuffix = "_view";

/// Elements of `Shape` or `Array`: the operands that give the dynamic extents. cuTile Rust takes i32 only.
std::optional<std::vector<std::string>> extent_scalars(Entry& entry, OpReader& op, std::string_view group) {
  std::vector<std::string> scalars;
  for (ir::ValueId value : op.operands(group)) {
    if (entry.element(value) != ir::TypeKind::i32) {
      entry.refuse(op.id(), code::kType,
                   fmt::format("{} of type {} can't be expressed: cuTile Rust's shapes and strides are i32",
                               group, ir::keyword(entry.element(value))),
                   "pass the array with 32-bit indices (index_dtype=int32)");
      return std::nullopt;
    }
    scalars.push_back(fmt::format("tile_to_scalar({})", entry.name(value)));
  }
  return scalars;
}

void make_tensor_view(Entry& entry, OpReader& op) {
  const ir::ValueId base = op.operand("base");
  const auto shape = extent_scalars(entry, op, "dynamicShape");
  const auto strides = extent_scalars(entry, op, "dynamicStrides");
  if (!shape || !strides) return;
  const ir::Type& type = entry.type(op.result());
  const std::string stem = entry.stem(base);
  // Written inline as an argument, a Shape makes cutile 0.5.0 panic.
  const std::string shape_type = fmt::format("Shape<{}>", entry.types().extents(type.shape));
  const std::string stride_type = fmt::format("Array<{}>", entry.types().extents(type.strides));
  const std::string shape_name =
      entry.bind(stem + "_shape", shape_type,
                 dims(fmt::format("Shape::<{}>", entry.types().extents(type.shape)), *shape));
  const std::string stride_name =
      entry.bind(stem + "_strides", stride_type,
                 dims(fmt::format("Array::<{}>", entry.types().extents(type.strides)), *strides));
  const std::string token = entry.any_token();
  entry.define(op.result(), stem + std::string(kViewSuffix),
               call("make_tensor_view", {entry.name(base), shape_name, stride_name, token}));
}

std::string tiles_name(Entry& entry, ir::ValueId tensor) {
  std::string stem = entry.stem(tensor);
  if (stem.ends_with(kViewSuffix)) stem.resize(stem.size() - kViewSuffix.size());
  return stem + "_tiles";
}

bool is_identity(const std::vector<std::int32_t>& map) {
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map[i] != static_cast<std::int32_t>(i)) return false;
  }
  return true;
}

void make_partition_view(Entry& entry, OpReader& op) {
  const ir::ValueId tensor = op.operand("tensor_view");
  const ir::Type& type = entry.type(op.result());
  const std::string map = is_identity(type.dim_map) ? "dim_map::Identity" : array_value(type.dim_map);
  const std::string token = entry.any_token();
  entry.define(op.result(), tiles_name(entry, tensor),
               call("make_partition_view", {"&" + entry.name(tensor), entry.types().shape_value(type.shape),
                                            padding(type.padding), map, token}));
}

void get_shape(Entry& entry, OpReader& op, std::string_view role) {
  const ir::ValueId source = op.operand("src");
  const ir::TypeKind kind = entry.type(source).kind;
  if (kind != ir::TypeKind::partition_view && kind != ir::TypeKind::tensor_view) {
    entry.refuse(
        op.id(), code::kType,
        fmt::format("{} of a {} can't be expressed in cuTile Rust", op.mnemonic(), ir::keyword(kind)));
    return;
  }
  std::vector<std::string> scalars;
  for (std::size_t i = 0; i < op.results(); ++i) {
    if (entry.element(op.result(i)) != ir::TypeKind::i32) {
      entry.refuse(op.id(), code::kType, fmt::format("{} gives i32 only in cuTile Rust", op.mnemonic()));
      return;
    }
    scalars.push_back(entry.uses(op.result(i)) == 0 ? "_"
                                                    : entry.rust_names().claim(fmt::format("{}{}", role, i)));
  }
  entry.out().let(fmt::format("[{}]", join(scalars)), fmt::format("[i32; {}]", scalars.size()),
                  call(std::string(op.mnemonic()), {"&" + entry.name(source)}));
  for (std::size_t i = 0; i < op.results(); ++i) {
    if (scalars[i] == "_") continue;
    entry.define(op.result(i), fmt::format("{}{}", role, i), call("scalar_to_tile", {scalars[i]}));
  }
}

/// What loads and stores share behind the index: token, ordering, scope, TMA, latency, inbounds.
std::vector<std::string> access_modes(Entry& entry, OpReader& op, std::size_t rank) {
  const auto token = op.optional_operand("token");
  const std::string_view order = op.enumerator("memory_ordering_semantics");
  const std::string_view where = op.enumerator("memory_scope");
  if (order == "weak" && !where.empty()) {
    entry.refuse(op.id(), code::kValue, "a scope on a weak access can't be expressed: cutile 0.5.0 drops it");
  }
  if (order != "weak" && where.empty()) {
    entry.refuse(
        op.id(), code::kValue,
        fmt::format("{} with ordering {} has no scope, and cuTile Rust needs one", op.mnemonic(), order));
  }
  auto hints = access_hints(entry.module(), op.tagged("optimization_hints"));
  if (!hints) {
    entry.refuse(op.id(), code::kHint, hints.error());
    hints = AccessHints{};
  }
  std::vector<std::string> inbounds(rank, "false");
  if (const ir::Attribute* promised = op.tagged("inbounds")) {
    for (std::size_t i = 0; i < promised->numbers.size() && i < rank; ++i) {
      if (promised->numbers[i] != 0) inbounds[i] = "true";
    }
  }
  return {token ? fmt::format("Some({})", entry.name(*token)) : "None",
          ordering(order),
          scope(where.empty() ? "tl_blk" : where),
          enabled("tma", !hints->forbids_tma),
          hints->latency ? fmt::format("Some({})", *hints->latency) : "None",
          fmt::format("[{}]", join(inbounds))};
}

/// Indices in order of the axes. A tuple, as a gather's index is a tile among scalars.
std::string index_list(Entry& entry, std::span<const ir::ValueId> indices) {
  const bool same = std::ranges::all_of(indices, [&](ir::ValueId index) {
    return entry.module().value(index).type == entry.module().value(indices.front()).type;
  });
  const std::string all = join(entry.names(indices));
  return same ? fmt::format("[{}]", all) : fmt::format("({})", all);
}

void load(Entry& entry, OpReader& op) {
  const ir::ValueId view = op.operand("view");
  const auto indices = op.operands("index");
  std::vector<std::string> arguments = {"&" + entry.name(view), index_list(entry, indices)};
  for (std::string& mode : access_modes(entry, op, indices.size())) arguments.push_back(std::move(mode));
  arguments.push_back(entry.types().shape_value(entry.type(op.result()).shape));
  entry.define_with_token(op, "loaded", call("load_view_raw", std::move(arguments)));
}

void store(Entry& entry, OpReader& op) {
  const ir::ValueId view = op.operand("view");
  const auto indices = op.operands("index");
  std::vector<std::string> arguments = {"&" + entry.name(view), entry.name(op.operand("tile")),
                                        index_list(entry, indices)};
  for (std::string& mode : access_modes(entry, op, indices.size())) arguments.push_back(std::move(mode));
  entry.define_token(op, call("store_view_raw", std::move(arguments)));
}

/// make_strided_view and make_gather_scatter_view: the result's type says the rest.
void make_other_view(Entry& entry, OpReader& op) {
  const ir::ValueId tensor = op.operand("tensor_view");
  const ir::Type& type = entry.type(op.result());
  entry.need(Need::tileir);
  entry.define(
      op.result(), tiles_name(entry, tensor),
      call(std::string(op.mnemonic()),
           {"&" + entry.name(tensor), entry.types().shape_value(type.shape), padding(type.padding)}));
}

constexpr Handler kHandlers[] = {
    {"make_tensor_view", make_tensor_view},
    {"make_partition_view", make_partition_view},
    {"make_strided_view", make_other_view},
    {"make_gather_scatter_view", make_other_view},
    {"get_index_space_shape", [](Entry& entry, OpReader& op) { get_shape(entry, op, "tiles"); }},
    {"get_tensor_shape", [](Entry& entry, OpReader& op) { get_shape(entry, op, "extent"); }},
    {"load_view_tko", load},
    {"store_view_tko", store},
};

}  // namespace

std::span<const Handler> view_handlers() { return kHandlers; }

}  // namespace tileport::translate
