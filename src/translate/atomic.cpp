// SPDX-License-Identifier: Apache-2.0
// Atomic memory ops.
#include <fmt/format.h>

#include <algorithm>

#include "translate/codes.hpp"
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

/// A value of rank 0 as one of shape [1]; cutile 0.5.0 panics on an atomic_rmw of rank 0.
std::string as_vector(Entry& entry, ir::ValueId value) {
  const ir::TypeKind kind = entry.element(value);
  const std::string wish = entry.stem(value) + "_1d";
  const std::int64_t one[] = {1};
  if (kind != ir::TypeKind::pointer) {
    return entry.bind(wish, tile_type(element_name(kind), one),
                      call("reshape", {entry.name(value), "shape![1]"}));
  }
  const ir::Type& pointer = entry.module().type(entry.type(value).element);
  const auto pointee = element_name(entry.module().type(pointer.element).kind);
  return entry.bind(wish, fmt::format("PointerTile<*mut {}, {{ [1] }}>", pointee),
                    call("reshape_ptr", {entry.name(value), "shape![1]"}));
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
  const std::string pointers_1d = as_vector(entry, pointers);
  const std::string argument_1d = as_vector(entry, argument);
  const std::string mask_1d = mask ? fmt::format("Some({})", as_vector(entry, *mask)) : "None";
  const std::string previous_1d = entry.rust_names().claim("previous_1d");
  const std::int64_t one[] = {1};
  entry.out().let(fmt::format("({}, {})", previous_1d, entry.claim_token(op.result(1))),
                  fmt::format("({}, Token)", tile_type(element_name(entry.element(argument)), one)),
                  call("atomic_rmw_tko", {pointers_1d, argument_1d, modes[0], modes[1], modes[2], mask_1d,
                                          option(entry, token)}));
  const std::string python = entry.result_name(op.id());
  entry.define(op.result(0), python.empty() ? "previous" : python,
               call("reshape", {previous_1d, "shape![]"}));
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
