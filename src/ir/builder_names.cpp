// SPDX-License-Identifier: Apache-2.0
// Ops by names: every mistake of the caller is a diagnostic.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <tileport/ir/builder.hpp>

#include "ir/codes.hpp"

namespace tileport::ir {
namespace {

tl::unexpected<Diagnostics> refuse(std::string_view code, std::string message, std::string advice = {}) {
  return fail({.code = std::string(code), .message = std::move(message), .advice = std::move(advice)});
}

std::string names_of(const auto& list) {
  std::vector<std::string_view> names;
  for (const auto& item : list) names.push_back(item.name);
  return names.empty() ? "It has none." : fmt::format("It has: {}.", fmt::join(names, ", "));
}

/// What the content of an attribute with this encoding must be, in words.
std::string_view expected(Encoding encoding) {
  switch (encoding) {
    case Encoding::enumeration:
      return "the name of an enumerator";
    case Encoding::integer:
      return "an integer";
    case Encoding::boolean:
      return "a boolean";
    case Encoding::string:
      return "a string";
    case Encoding::type:
      return "a type";
    case Encoding::constant:
      return "a constant";
    case Encoding::integer_array:
      return "a list of integers";
    case Encoding::boolean_array:
      return "a list of booleans";
    case Encoding::attribute_array:
      return "an array attribute";
    case Encoding::attribute:
      return "a predicate";
    case Encoding::optimization_hints:
      return "optimization hints";
  }
  return {};
}

bool is_predicate(Attribute::Kind kind) {
  return kind == Attribute::Kind::div_by || kind == Attribute::Kind::same_elements ||
         kind == Attribute::Kind::bounded;
}

}  // namespace

Result<std::uint64_t> Builder::word(const AttributeInfo& info, const AttributeContent& content) {
  switch (info.encoding) {
    case Encoding::enumeration:
      if (const auto* name = std::get_if<std::string>(&content)) {
        const auto& values = info.enumeration->values;
        const auto found = std::ranges::find(values, *name);
        if (found != values.end()) return static_cast<std::uint64_t>(found - values.begin());
        return refuse(code::kContent, fmt::format("'{}' can't be '{}'", info.name, *name),
                      fmt::format("It is one of: {}.", fmt::join(values, ", ")));
      }
      break;
    case Encoding::integer:
      if (const auto* number = std::get_if<std::int64_t>(&content))
        return static_cast<std::uint64_t>(*number);
      break;
    case Encoding::boolean:
      if (const auto* value = std::get_if<bool>(&content)) return *value ? 1 : 0;
      break;
    case Encoding::string:
      if (const auto* text = std::get_if<std::string>(&content))
        return static_cast<std::uint64_t>(string(*text));
      break;
    case Encoding::type:
      if (const auto* type = std::get_if<TypeId>(&content)) return static_cast<std::uint64_t>(*type);
      break;
    case Encoding::constant:
      if (const auto* constant = std::get_if<ConstantId>(&content))
        return static_cast<std::uint64_t>(*constant);
      break;
    case Encoding::integer_array:
    case Encoding::boolean_array:
      if (const auto* list = std::get_if<std::vector<std::int64_t>>(&content)) return index(numbers(*list));
      break;
    case Encoding::attribute_array:
    case Encoding::attribute:
    case Encoding::optimization_hints:
      if (const auto* id = std::get_if<AttributeId>(&content)) {
        const Attribute::Kind kind = module_.attribute(*id).kind;
        const bool fits = info.encoding == Encoding::attribute_array ? kind == Attribute::Kind::array
                          : info.encoding == Encoding::attribute
                              ? is_predicate(kind)
                              : kind == Attribute::Kind::optimization_hints;
        if (fits) return index(*id);
      }
      break;
  }
  return refuse(code::kContent, fmt::format("'{}' must be {}", info.name, expected(info.encoding)));
}

Result<void> Builder::name_operands(const OperationDescription& description, OperationParts& parts) const {
  const OpInfo& info = *parts.info;
  std::array<const NamedOperands*, 6> given{};
  for (const NamedOperands& group : description.operands) {
    const auto number = info.operand_group(group.group);
    if (!number) {
      return refuse(code::kUnknownName, fmt::format("{} has no operands '{}'", info.mnemonic, group.group),
                    names_of(info.operands));
    }
    if (given[*number]) {
      return refuse(code::kOperands, fmt::format("operands '{}' are given twice", group.group));
    }
    given[*number] = &group;
  }
  for (std::size_t i = 0; i < info.operands.size(); ++i) {
    if (!given[i]) continue;
    parts.group_sizes[i] = static_cast<std::uint32_t>(given[i]->values.size());
    for (ValueId value : given[i]->values) {
      if (index(value) >= module_.values.size()) {
        return refuse(code::kOperands,
                      fmt::format("an operand of '{}' is no value of this module", given[i]->group));
      }
      parts.operands.push_back(value);
    }
  }
  return {};
}

Result<void> Builder::name_attributes(const OperationDescription& description, OperationParts& parts) {
  const OpInfo& info = *parts.info;
  for (const NamedAttribute& attribute : description.attributes) {
    if (const auto number = info.attribute_index(attribute.name)) {
      const auto made = word(info.attributes[*number], attribute.content);
      if (!made) return tl::unexpected(made.error());
      parts.words[*number] = *made;
      continue;
    }
    const auto bit = info.flag_bit(attribute.name);
    if (!bit || info.flags[*bit].kind != FlagInfo::Kind::unit_attribute) {
      return refuse(code::kUnknownName,
                    fmt::format("{} has no attribute '{}'", info.mnemonic, attribute.name),
                    names_of(info.attributes));
    }
    const auto* set = std::get_if<bool>(&attribute.content);
    if (!set) return refuse(code::kContent, fmt::format("'{}' must be a boolean", attribute.name));
    if (*set) parts.units |= 1U << *bit;
  }
  return {};
}

Result<OpId> Builder::op(const OperationDescription& description) {
  OperationParts parts;
  parts.info = find_op(description.mnemonic);
  if (!parts.info) {
    return refuse(code::kUnknownOp, fmt::format("there is no op '{}'", description.mnemonic));
  }
  if (parts.info->is("module") || parts.info->is("entry") || parts.info->is("global")) {
    return refuse(code::kNotInBody, fmt::format("'{}' never stands in a body", description.mnemonic));
  }
  parts.results = description.results;
  for (TypeId type : parts.results) {
    if (static_cast<std::size_t>(type) >= module_.types.size())
      return refuse(code::kResults, "the type of a result is none of this module");
  }
  if (auto done = name_operands(description, parts); !done) return tl::unexpected(done.error());
  if (auto done = name_attributes(description, parts); !done) return tl::unexpected(done.error());
  if (auto problem = check(parts)) return fail(std::move(*problem));
  return insert(parts);
}

// ---- edits --------------------------------------------------------------------------------------------

void Builder::set_operand(OpId op, std::size_t operand, ValueId value) {
  const Range range = module_.op(op).operands;
  assert(operand < range.count && "the op has no such operand");
  module_.operand_pool[range.first + operand] = value;
}

void Builder::set_presence(OpId op, std::string_view name, bool present) {
  const auto bit = module_.op(op).info->flag_bit(name);
  if (!bit) return;
  auto& flags = module_.ops[index(op)].flags;
  flags = present ? flags | 1U << *bit : flags & ~(1U << *bit);
}

Result<void> Builder::set_operands(OpId op, std::string_view group, std::span<const ValueId> values) {
  const OpInfo& info = *module_.op(op).info;
  const auto number = info.operand_group(group);
  if (!number) {
    return refuse(code::kUnknownName, fmt::format("{} has no operands '{}'", info.mnemonic, group),
                  names_of(info.operands));
  }
  OperationParts parts{.info = &info};
  for (std::size_t i = 0; i < info.operands.size(); ++i) {
    const auto all = i == *number ? values : module_.operands(op, i);
    parts.group_sizes[i] = static_cast<std::uint32_t>(all.size());
    parts.operands.insert(parts.operands.end(), all.begin(), all.end());
  }
  const Arity arity = info.operands[*number].arity;
  if ((arity == Arity::one && values.size() != 1) || (arity == Arity::optional && values.size() > 1)) {
    return refuse(code::kOperands,
                  fmt::format("'{}' of {} can't be {} operands", group, info.mnemonic, values.size()));
  }
  Operation& changed = module_.ops[index(op)];
  changed.operands = {static_cast<std::uint32_t>(module_.operand_pool.size()),
                      static_cast<std::uint32_t>(parts.operands.size())};
  module_.operand_pool.insert(module_.operand_pool.end(), parts.operands.begin(), parts.operands.end());
  if (changed.segments != kNone)
    module_.segment_pool[changed.segments + *number] = parts.group_sizes[*number];
  set_presence(op, group, !values.empty());
  return {};
}

Result<void> Builder::set_location(OpId op, std::string_view file, std::uint32_t line, std::uint32_t column) {
  const Function& function = module_.function_of(op);
  const DebugEntry& place = module_.debug_entry(function.location);
  if (place.kind != DebugEntry::Kind::location) {
    return refuse(code::kNoLocation,
                  fmt::format("kernel '{}' has no place in a source yet", module_.string(function.name)),
                  "Set the location of the kernel first.");
  }
  module_.ops[index(op)].location = debug({.kind = DebugEntry::Kind::location,
                                           .scope = place.scope,
                                           .name = string(file),
                                           .line = line,
                                           .column = column});
  return {};
}

Result<void> Builder::set_attribute(OpId op, std::string_view name, const AttributeContent& content) {
  const OpInfo& info = *module_.op(op).info;
  OperationParts parts{.info = &info};
  OperationDescription description;
  description.attributes = {{name, content}};
  if (auto done = name_attributes(description, parts); !done) return done;
  if (const auto number = info.attribute_index(name)) {
    module_.attribute_slots[module_.op(op).attributes.first + *number] = {.word = *parts.words[*number],
                                                                          .present = true};
    if (info.attributes[*number].optional) set_presence(op, name, true);
  } else {
    set_presence(op, name, parts.units != 0);
  }
  return {};
}

Result<void> Builder::remove_attribute(OpId op, std::string_view name) {
  const OpInfo& info = *module_.op(op).info;
  const auto number = info.attribute_index(name);
  if (!number) {
    const auto bit = info.flag_bit(name);
    if (bit && info.flags[*bit].kind == FlagInfo::Kind::unit_attribute) {
      set_presence(op, name, false);
      return {};
    }
    return refuse(code::kUnknownName, fmt::format("{} has no attribute '{}'", info.mnemonic, name),
                  names_of(info.attributes));
  }
  AttributeSlot& slot = module_.attribute_slots[module_.op(op).attributes.first + *number];
  const AttributeInfo& attribute = info.attributes[*number];
  if (attribute.optional) {
    slot = {};
    set_presence(op, name, false);
  } else if (attribute.default_value) {
    slot.word = *attribute.default_value;
  } else {
    return refuse(code::kMissing, fmt::format("{} needs its attribute '{}'", info.mnemonic, name));
  }
  return {};
}

std::vector<Use> Builder::uses(ValueId value) const {
  std::vector<Use> found;
  for (std::uint32_t id = 0; id < module_.ops.size(); ++id) {
    const Operation& op = module_.ops[id];
    if (index(op.parent) == kNone) continue;
    for (std::uint32_t i = 0; i < op.operands.count; ++i) {
      if (module_.operand_pool[op.operands.first + i] == value) found.push_back({OpId{id}, i});
    }
  }
  return found;
}

std::size_t Builder::replace_all_uses(ValueId from, ValueId to) {
  const std::vector<Use> all = uses(from);
  for (const Use& use : all) set_operand(use.op, use.operand, to);
  return all.size();
}

bool Builder::is_inside(OpId op, OpId ancestor) const {
  for (std::optional<OpId> outer = op; outer; outer = module_.parent_op(*outer)) {
    if (*outer == ancestor) return true;
  }
  return false;
}

Result<void> Builder::erase(OpId op) {
  const BlockId parent = module_.op(op).parent;
  assert(index(parent) != kNone && "the op was erased already");
  const Range results = module_.op(op).results;
  for (std::uint32_t i = 0; i < results.count; ++i) {
    for (const Use& use : uses(ValueId{results.first + i})) {
      if (is_inside(use.op, op)) continue;
      return refuse(code::kUsed,
                    fmt::format("{} is used by {}", module_.access_path(op), module_.access_path(use.op)),
                    "Replace its uses first.");
    }
  }
  std::vector<OpId> gone{op};
  const Range regions = module_.op(op).regions;
  for (std::size_t r = 0; r < regions.count; ++r) {
    if (const auto body = module_.body(op, r))
      walk(module_, *body, [&](OpId inner) { gone.push_back(inner); });
  }
  auto& ops = module_.blocks[index(parent)].ops;
  const auto place = std::ranges::find(ops, op);
  if (block_ == parent && static_cast<std::size_t>(place - ops.begin()) < position_) --position_;
  ops.erase(place);
  for (OpId each : gone) module_.ops[index(each)].parent = BlockId{kNone};
  return {};
}

}  // namespace tileport::ir
