// SPDX-License-Identifier: Apache-2.0
// Pointers, loads and stores through them, and the tokens that order them.
#include <fmt/format.h>

#include "translate/codes.hpp"
#include "translate/constants.hpp"
#include "translate/declarations.hpp"
#include "translate/handlers.hpp"
#include "translate/hints.hpp"
#include "translate/padding.hpp"
#include "translate/rust_types.hpp"
#include "translate/selectors.hpp"
#include "translate/splat.hpp"

namespace tileport::translate {

std::optional<ir::ValueId> padding_scalar(const ir::Module& module, ir::ValueId padding) {
  const ir::Type& type = module.type_of(padding);
  if (type.shape.empty()) return padding;
  const auto producer = module.producer_of(padding);
  if (type.shape.size() > 1 || !producer || !module.op(*producer).info->is("broadcast")) return std::nullopt;
  const auto reshape = module.producer_of(module.operand(*producer, 0));
  if (!reshape || !module.op(*reshape).info->is("reshape")) return std::nullopt;
  const ir::ValueId source = module.operand(*reshape, 0);
  return module.type_of(source).shape.empty() ? std::optional(source) : std::nullopt;
}

namespace {

std::string option(Entry& entry, std::optional<ir::ValueId> value) {
  return value ? fmt::format("Some({})", entry.name(*value)) : "None";
}

/// Ordering and scope of a load or store. Weak accesses have no scope.
std::vector<std::string> memory_model(Entry& entry, OpReader& op) {
  const std::string_view order = op.enumerator("memory_ordering_semantics");
  const std::string_view where = op.enumerator("memory_scope");
  if (order == "weak" && !where.empty()) {
    entry.refuse(op.id(), code::kValue, "a scope on a weak access can't be expressed: cutile 0.5.0 drops it");
  }
  return {ordering(order),
          where.empty() ? "None::<scope::TileBlock>" : fmt::format("Some({})", scope(where))};
}

std::string latency(Entry& entry, OpReader& op) {
  const auto hints = access_hints(entry.module(), op.tagged("optimization_hints"));
  if (!hints) {
    entry.refuse(op.id(), code::kHint, hints.error());
    return "Latency::<0>";
  }
  if (hints->forbids_tma) {
    entry.refuse(op.id(), code::kHint, "allow_tma on a pointer access can't be expressed in cuTile Rust");
  }
  return fmt::format("Latency::<{}>", hints->latency.value_or(0));
}

void offset(Entry& entry, OpReader& op) {
  const ir::ValueId pointer = op.operand("ptr");
  entry.define(op, std::string(entry.stem(pointer)),
               call("addptr_tile", {entry.name(pointer), entry.name(op.operand("offset"))}));
}

/// All of a load's padding, if it is the zero of a type that may be generic: cutile 0.5.0 makes no scalar of
/// a generic type from a tile.
std::optional<Splat> zeros_of_generic(Entry& entry, ir::ValueId scalar, ir::ValueId result) {
  if (!entry.is_constant(scalar)) return std::nullopt;
  const auto form = constant_form(entry.element(scalar), 0);
  const bool is_zero = entry.constant_bits(scalar) == 0;
  if (!is_zero || !form || !form->is_zero_of_type) return std::nullopt;
  return splat(entry, entry.element(scalar), 0, entry.type(result).shape);
}

void load(Entry& entry, OpReader& op) {
  const ir::ValueId source = op.operand("source");
  const auto mask = op.optional_operand("mask");
  const auto padding = op.optional_operand("paddingValue");
  const auto token = op.optional_operand("token");
  const auto model = memory_model(entry, op);
  const std::string hint = latency(entry, op);
  std::string function = "load_ptr_tko";
  std::string filling = "None";
  if (padding) {
    const auto scalar = padding_scalar(entry.module(), *padding);
    if (const auto zeros = scalar ? zeros_of_generic(entry, *scalar, op.result()) : std::nullopt) {
      function = declared(entry, Need::padded_load);
      filling = fmt::format("Some({})", entry.constant(*zeros));
    } else if (scalar) {
      filling = fmt::format("Some(tile_to_scalar({}))", entry.name(*scalar));
    } else {
      function = declared(entry, Need::padded_load);
      filling = option(entry, padding);
    }
  }
  entry.define_with_token(
      op, "loaded",
      call(std::move(function), {entry.name(source), model[0], model[1], option(entry, mask),
                                 std::move(filling), option(entry, token), hint}));
}

void store(Entry& entry, OpReader& op) {
  const std::string destination = entry.name(op.operand("destination"));
  const std::string value = entry.name(op.operand("value"));
  const auto mask = op.optional_operand("mask");
  const auto token = op.optional_operand("token");
  const auto model = memory_model(entry, op);
  const std::string hint = latency(entry, op);
  entry.define_token(op, call("store_ptr_tko", {destination, value, model[0], model[1], option(entry, mask),
                                                option(entry, token), hint}));
}

void allocate(Entry& entry, OpReader& op) {
  const std::string visibility = op.flag("global") ? "allocation::Global" : "allocation::Local";
  entry.define(op, "scratch",
               call("alloca", {fmt::format("{}", op.word("num_elem")),
                               fmt::format("{}", op.word("alignment")), visibility}));
}

void make_token(Entry& entry, OpReader& op) { entry.define_token(op, call("new_token_unordered", {})); }

void join(Entry& entry, OpReader& op) {
  const auto tokens = op.operands("tokens");
  entry.define_token(op, call("join_tokens", {fmt::format("&[{}]", translate::join(entry.names(tokens)))}));
}

void fence(Entry& entry, OpReader& op) {
  entry.define_token(op, call(std::string(op.mnemonic()), {entry.name(op.operand("token"))}));
}

void launch_control(Entry& entry, OpReader& op) {
  entry.define_token(op, call(std::string(op.mnemonic()), {option(entry, op.optional_operand("token"))}));
}

constexpr Handler kHandlers[] = {
    {"offset", offset},
    {"load_ptr_tko", load},
    {"store_ptr_tko", store},
    {"alloca", allocate},
    {"make_token", make_token},
    {"join_tokens", join},
    {"memory_fence_alias_tko", fence},
    {"gdc_launch_dependents_tko", launch_control},
    {"gdc_wait_tko", launch_control},
};

}  // namespace

std::span<const Handler> memory_handlers() { return kHandlers; }

}  // namespace tileport::translate
