// SPDX-License-Identifier: Apache-2.0
// Ops that move elements without changing them.
#include "translate/shape.hpp"

#include <fmt/format.h>

#include "translate/codes.hpp"
#include "translate/handlers.hpp"
#include "translate/rust_types.hpp"

namespace tileport::translate {
namespace {

/// broadcast and reshape; both have a function of their own for pointers.
void reshaped(Entry& entry, OpReader& op) {
  const ir::ValueId source = op.operand("source");
  std::string function(op.mnemonic());
  if (entry.element(source) == ir::TypeKind::pointer) function += "_ptr";
  entry.define(op, std::string(entry.stem(source)),
               call(std::move(function),
                    {entry.name(source), entry.types().shape_value(entry.type(op.result()).shape)}));
}

}  // namespace

std::string axis_order(Entry& entry, std::span<const std::int32_t> axes) {
  const std::string value = array_value(axes);
  if (value.starts_with("const_array!")) return value;
  return entry.bind("axes", fmt::format("Array<{{ [{}] }}>", fmt::join(axes, ", ")), text(value));
}

namespace {

void permute(Entry& entry, OpReader& op) {
  const ir::ValueId source = op.operand("source");
  const ir::Attribute& order = *op.tagged("permutation");
  const std::vector<std::int32_t> axes(order.numbers.begin(), order.numbers.end());
  const std::string stem = entry.stem(source);
  entry.define(op, stem, call("permute", {entry.name(source), axis_order(entry, axes)}));
}

void concatenate(Entry& entry, OpReader& op) {
  const std::string dim = fmt::format("{}", op.word("dim"));
  entry.define(op, "joined",
               call("cat", {entry.name(op.operand("lhs")), entry.name(op.operand("rhs")), dim}));
}

/// "[i, j]" of the op's indices, or empty after a refusal: cuTile Rust takes i32 only.
std::string index_list(Entry& entry, OpReader& op) {
  const auto indices = op.operands("indices");
  for (ir::ValueId index : indices) {
    if (entry.element(index) == ir::TypeKind::i32) continue;
    entry.refuse(op.id(), code::kType,
                 fmt::format("{} with {} indices can't be expressed: cuTile Rust takes i32 only",
                             op.mnemonic(), ir::keyword(entry.element(index))));
    return {};
  }
  return fmt::format("[{}]", join(entry.names(indices)));
}

void extract(Entry& entry, OpReader& op) {
  const ir::ValueId source = op.operand("source");
  if (std::string indices = index_list(entry, op); !indices.empty()) {
    entry.define(op, std::string(entry.stem(source)), call("extract", {entry.name(source), indices}));
  }
}

void insert(Entry& entry, OpReader& op) {
  const ir::ValueId destination = op.operand("destination");
  const std::string source = entry.name(op.operand("source"));
  if (std::string indices = index_list(entry, op); !indices.empty()) {
    entry.define(op, std::string(entry.stem(destination)),
                 call("insert", {source, entry.name(destination), indices}));
  }
}

void iota(Entry& entry, OpReader& op) {
  entry.define(op, "lanes", call("iota", {entry.types().shape_value(entry.type(op.result()).shape)}));
}

constexpr Handler kHandlers[] = {
    {"broadcast", reshaped}, {"reshape", reshaped}, {"permute", permute}, {"cat", concatenate},
    {"extract", extract},    {"insert", insert},    {"iota", iota},
};

}  // namespace

std::span<const Handler> shape_handlers() { return kHandlers; }

}  // namespace tileport::translate
