// SPDX-License-Identifier: Apache-2.0
// Atomic memory ops.
#include <fmt/format.h>

#include <algorithm>

#include "translate/codes.hpp"
#include "translate/declarations.hpp"
#include "translate/handlers.hpp"
#include "translate/rust_types.hpp"
#include "translate/selectors.hpp"

namespace tileport::translate {
namespace {

std::string option(Entry& entry, std::optional<ir::ValueId> value) {
  return value ? fmt::format("Some({})", entry.name(*value)) : "None";
}

std::string atomic_mode(std::string_view mode) {
  return mode == "addf" ? "atomic::AddF" : "atomic::" + camel_case(mode);
}

/// An optional operand as an array of one or none, for an op that this module declares.
std::string none_or_one(Entry& entry, std::optional<ir::ValueId> value, std::string_view role,
                        std::string_view type) {
  if (value) return fmt::format("[{}]", entry.name(*value));
  // cutile 0.5.0 wants to read the type of an empty array somewhere.
  return entry.bind(fmt::format("no_{}", role), fmt::format("[{}; 0]", type), text("[]"));
}

void read_modify_write(Entry& entry, OpReader& op) {
  const ir::ValueId pointers = op.operand("pointers");
  const ir::ValueId argument = op.operand("arg");
  const auto mask = op.optional_operand("mask");
  const auto token = op.optional_operand("token");
  const std::vector<std::string> modes = {atomic_mode(op.enumerator("mode")),
                                          ordering(op.enumerator("memory_ordering_semantics")),
                                          scope(op.enumerator("memory_scope"))};
  if (!entry.type(op.result()).shape.empty()) {
    entry.define_with_token(
        op, "previous",
        call("atomic_rmw_tko", {entry.name(pointers), entry.name(argument), modes[0], modes[1], modes[2],
                                option(entry, mask), option(entry, token)}));
    return;
  }
  const std::string function = declared(entry, Need::scalar_atomic);
  const std::string masks = none_or_one(entry, mask, "mask", entry.types().tile("bool", {}));
  const std::string tokens = none_or_one(entry, token, "token", "Token");
  entry.define_with_token(op, "previous",
                          call(function, {entry.name(pointers), entry.name(argument), masks, tokens, modes[0],
                                          modes[1], modes[2]}));
}

void compare_and_swap(Entry& entry, OpReader& op) {
  const std::string pointers = entry.name(op.operand("pointers"));
  const std::string expected = entry.name(op.operand("cmp"));
  const std::string value = entry.name(op.operand("val"));
  const auto mask = op.optional_operand("mask");
  const auto token = op.optional_operand("token");
  const std::string order = ordering(op.enumerator("memory_ordering_semantics"));
  entry.define_with_token(
      op, "previous",
      call("atomic_cas_tko", {pointers, expected, value, order, scope(op.enumerator("memory_scope")),
                              option(entry, mask), option(entry, token)}));
}

void reduce_into_view(Entry& entry, OpReader& op) {
  const ir::ValueId view = op.operand("view");
  const auto indices = op.operands("index");
  std::vector<std::string> arguments = {"&" + entry.name(view),
                                        entry.name(op.operand("value")),
                                        fmt::format("[{}]", join(entry.names(indices))),
                                        atomic_mode(op.enumerator("mode")),
                                        ordering(op.enumerator("memory_ordering_semantics")),
                                        scope(op.enumerator("memory_scope")),
                                        option(entry, op.optional_operand("token"))};
  if (entry.type(view).padding) {
    entry.refuse(op.id(), code::kValue,
                 "an atomic reduction into a padded view can't be expressed in cutile 0.5.0");
  }
  std::string function = "atomic_red_view_raw";
  const ir::Attribute* inbounds = op.tagged("inbounds");
  if (inbounds &&
      std::ranges::any_of(inbounds->numbers, [](std::int64_t promised) { return promised != 0; })) {
    std::vector<std::string> promises;
    for (std::int64_t promised : inbounds->numbers) promises.emplace_back(promised != 0 ? "true" : "false");
    arguments.push_back(fmt::format("[{}]", join(promises)));
    function = "atomic_red_view_tko_with_inbounds";
    entry.need(Need::tileir);
  }
  entry.define_token(op, call(std::move(function), std::move(arguments)));
}

constexpr Handler kHandlers[] = {
    {"atomic_rmw_tko", read_modify_write},
    {"atomic_cas_tko", compare_and_swap},
    {"atomic_red_view_tko", reduce_into_view},
};

}  // namespace

std::span<const Handler> atomic_handlers() { return kHandlers; }

}  // namespace tileport::translate
