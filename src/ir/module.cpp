// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <tileport/ir/module.hpp>

namespace tileport::ir {
namespace {

template <class T>
std::span<const T> slice(const std::vector<T>& pool, Range range) {
  return std::span<const T>(pool).subspan(range.first, range.count);
}

/// The name of the subprogram that a scope lies in; empty if there is none.
std::string_view function_of_scope(const Module& module, DebugId scope) {
  for (std::size_t depth = 0; depth < kMostFrames; ++depth) {
    const DebugEntry& entry = module.debug_entry(scope);
    if (entry.kind == DebugEntry::Kind::subprogram) return module.string(entry.name);
    if (entry.kind != DebugEntry::Kind::lexical_block) break;
    scope = entry.scope;
  }
  return {};
}

SourceLocation frame(const Module& module, const DebugEntry& location) {
  return {.file = module.string(location.name),
          .function = function_of_scope(module, location.scope),
          .line = location.line,
          .column = location.column};
}

/// A call site is the frames of its callee, then those of its caller. Entries that nothing uses may form
/// cycles, so the steps are limited too.
std::vector<SourceLocation> frames_of(const Module& module, DebugId id, std::size_t most) {
  std::vector<SourceLocation> frames;
  std::vector<DebugId> open{id};
  for (std::size_t step = 0; step < 4 * kMostFrames && !open.empty() && frames.size() < most; ++step) {
    const DebugEntry& entry = module.debug_entry(open.back());
    open.pop_back();
    if (entry.kind == DebugEntry::Kind::call_site) {
      open.push_back(entry.caller);
      open.push_back(entry.scope);
    } else if (entry.kind == DebugEntry::Kind::location) {
      frames.push_back(frame(module, entry));
    }
  }
  return frames;
}

}  // namespace

std::span<const ValueId> Module::operands(OpId id) const { return slice(operand_pool, op(id).operands); }

std::span<const std::uint32_t> Module::segments(OpId id) const {
  const Operation& operation = op(id);
  if (operation.segments == kNone) return {};
  return slice(segment_pool,
               {operation.segments, static_cast<std::uint32_t>(operation.info->operands.size())});
}

std::span<const ValueId> Module::operands(OpId id, std::string_view group) const {
  const auto number = op(id).info->operand_group(group);
  assert(number && "the op has no operand group of that name");
  return operands(id, *number);
}

std::span<const ValueId> Module::operands(OpId id, std::size_t group) const {
  const Operation& operation = op(id);
  const auto all = operands(id);
  if (operation.segments != kNone) {
    const auto sizes = segments(id);
    std::size_t first = 0;
    for (std::size_t i = 0; i < group; ++i) first += sizes[i];
    return all.subspan(first, sizes[group]);
  }
  // One count for the whole list: each group but the last holds one operand.
  if (group >= all.size()) return {};
  const bool last = group + 1 == operation.info->operands.size();
  return last ? all.subspan(group) : all.subspan(group, 1);
}

std::optional<BlockId> Module::body(OpId id, std::size_t i) const {
  const Range all = op(id).regions;
  if (i >= all.count) return std::nullopt;
  const Range inside = regions[all.first + i].blocks;
  if (inside.count == 0) return std::nullopt;
  return BlockId{inside.first};
}

std::optional<OpId> Module::producer_of(ValueId id) const {
  const Value& definition = value(id);
  if (definition.owner != Value::Owner::op_result) return std::nullopt;
  return OpId{definition.owner_id};
}

std::optional<OpId> Module::parent_op(OpId id) const {
  const RegionId parent = block(op(id).parent).parent;
  if (index(parent) == kNone) return std::nullopt;
  return region(parent).parent;
}

bool Module::has_flag(OpId id, std::string_view flag) const {
  const auto bit = op(id).info->flag_bit(flag);
  assert(bit && "the op has no flag of that name");
  return (op(id).flags >> *bit & 1U) != 0;
}

std::optional<std::uint64_t> Module::word(OpId id, std::string_view attribute) const {
  const Operation& operation = op(id);
  const auto number = operation.info->attribute_index(attribute);
  assert(number && "the op has no attribute of that name");
  const AttributeSlot& slot = attribute_slots[operation.attributes.first + *number];
  return slot.present ? std::optional(slot.word) : operation.info->attributes[*number].default_value;
}

const Attribute* Module::tagged(OpId id, std::string_view attribute) const {
  const auto content = word(id, attribute);
  return content ? &attributes[*content] : nullptr;
}

std::string_view Module::enumerator(OpId id, std::string_view attribute) const {
  const auto number = word(id, attribute);
  if (!number) return {};
  const auto& info = op(id).info->attributes[*op(id).info->attribute_index(attribute)];
  assert(info.enumeration && "not an enumeration");
  return info.enumeration->values[*number];
}

SourceLocation Module::source(DebugId id) const {
  if (debug_entry(id).kind == DebugEntry::Kind::location) return frame(*this, debug_entry(id));
  const std::vector<SourceLocation> all = frames_of(*this, id, 1);
  return all.empty() ? SourceLocation{} : all.front();
}

std::vector<SourceLocation> Module::frames(DebugId id) const { return frames_of(*this, id, kMostFrames); }

std::string Module::source_text(DebugId id) const {
  constexpr std::size_t kMost = 8;
  std::string text;
  std::size_t count = 0;
  for (const SourceLocation& at : frames(id)) {
    if (!at.known() || ++count > kMost) break;
    text += fmt::format("{}{}:{}:{}", text.empty() ? "" : ", inlined at ", at.file, at.line, at.column);
    if (!at.function.empty()) text += fmt::format(" in {}", at.function);
  }
  return text;
}

bool Module::says_something(const AttributeSlot& slot, const AttributeInfo& info) const {
  if (!slot.present) return false;
  if (info.default_value) return slot.word != *info.default_value;
  if (info.encoding != Encoding::boolean_array) return true;
  return std::ranges::any_of(attributes[slot.word].numbers, [](std::int64_t entry) { return entry != 0; });
}

std::string Module::access_path(OpId id) const {
  const Operation& operation = op(id);
  std::size_t number = 0;
  for (OpId other : block(operation.parent).ops) {
    if (other == id) break;
    if (op(other).info == operation.info) ++number;
  }
  std::string prefix;
  const RegionId inside = block(operation.parent).parent;
  if (index(inside) == kNone) {
    prefix = "@" + string(function_of(id).name);
  } else {
    const OpId parent = region(inside).parent;
    prefix = access_path(parent);
    if (index(inside) != op(parent).regions.first) prefix += "/else";
  }
  return fmt::format("{}/{}#{}", prefix, operation.info->mnemonic, number);
}

const Function& Module::function_of(OpId id) const {
  BlockId top = op(id).parent;
  while (index(block(top).parent) != kNone) top = op(region(block(top).parent).parent).parent;
  const auto found = std::ranges::find(functions, top, &Function::body);
  assert(found != functions.end() && "a block without parent is no function's body");
  return *found;
}

bool same_type(const Module& left, TypeId a, const Module& right, TypeId b) {
  const Type& x = left.type(a);
  const Type& y = right.type(b);
  const auto same = [&](TypeId p, TypeId q) { return same_type(left, p, right, q); };
  if (x.kind != y.kind || x.shape != y.shape || x.strides != y.strides || x.dim_map != y.dim_map ||
      x.sparse_dim != y.sparse_dim || x.padding != y.padding || x.pointer_attribute != y.pointer_attribute) {
    return false;
  }
  if (x.kind == TypeKind::function) {
    return std::ranges::equal(x.inputs, y.inputs, same) && std::ranges::equal(x.results, y.results, same);
  }
  return is_element(x.kind) || x.kind == TypeKind::token || same(x.element, y.element);
}

}  // namespace tileport::ir
