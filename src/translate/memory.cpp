// SPDX-License-Identifier: Apache-2.0
// Pointers, loads and stores through them, and the tokens that order them.
#include <fmt/format.h>

#include "translate/codes.hpp"
#include "translate/constants.hpp"
#include "translate/handlers.hpp"
#include "translate/hints.hpp"
#include "translate/padding.hpp"
#include "translate/rust_types.hpp"
#include "translate/selectors.hpp"
#include "translate/splat.hpp"

namespace tileport::translate {

std::optional<PaddingElement> padding_element(const ir::Module& module, ir::ValueId padding) {
  const ir::Type& type = module.type_of(padding);
  if (type.shape.empty()) return PaddingElement{padding};
  const auto producer = module.producer_of(padding);
  if (type.shape.size() > 1 || !producer) return std::nullopt;
  if (module.op(*producer).info->is("constant")) {
    const auto bits =
        splat_bits(module.type(type.element).kind, module.constants[*module.word(*producer, "value")]);
    return bits ? std::optional(PaddingElement{std::nullopt, *bits}) : std::nullopt;
  }
  if (!module.op(*producer).info->is("broadcast")) return std::nullopt;
  const auto reshape = module.producer_of(module.operand(*producer, 0));
  if (!reshape || !module.op(*reshape).info->is("reshape")) return std::nullopt;
  const ir::ValueId source = module.operand(*reshape, 0);
  return module.type_of(source).shape.empty() ? std::optional(PaddingElement{source}) : std::nullopt;
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

/// The load's scalar padding as an argument, or nothing if it has no such form.
std::optional<std::string> padding_argument(Entry& entry, ir::ValueId padding) {
  const auto element = padding_element(entry.module(), padding);
  if (!element) return std::nullopt;
  if (element->value) return fmt::format("Some(tile_to_scalar({}))", entry.name(*element->value));
  const ir::TypeKind kind = entry.element(padding);
  const auto value = splat(entry, kind, element->bits, {}, "padding_value");
  if (!value) return std::nullopt;
  const std::string scalar = entry.bind("padding_value", tile_type(element_name(kind), {}), *value);
  return fmt::format("Some(tile_to_scalar({}))", scalar);
}

void load(Entry& entry, OpReader& op) {
  const ir::ValueId source = op.operand("source");
  const auto mask = op.optional_operand("mask");
  const auto padding = op.optional_operand("paddingValue");
  const auto token = op.optional_operand("token");
  const auto model = memory_model(entry, op);
  const std::string hint = latency(entry, op);
  const auto scalar = padding ? padding_argument(entry, *padding) : std::nullopt;
  const Expression loaded = call("load_ptr_tko", {entry.name(source), model[0], model[1], option(entry, mask),
                                                  scalar.value_or("None"), option(entry, token), hint});
  if (!padding || scalar || !mask) {  // Without a mask nothing is padded.
    entry.define_with_token(op, "loaded", loaded);
    return;
  }
  // Padding that isn't one scalar spread through rank 1: load without it, then put it where the mask is
  // false.
  const std::string raw = entry.rust_names().claim("unpadded");
  entry.out().let(fmt::format("({}, {})", raw, entry.claim_token(op.result(1))),
                  fmt::format("({}, Token)", *rust_type(entry.module(), op.result_type())), loaded);
  const std::string python = entry.result_name(op.id());
  entry.define(op.result(0), python.empty() ? "loaded" : python,
               call("select", {entry.name(*mask), raw, entry.name(*padding)}));
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
