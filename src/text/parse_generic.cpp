// SPDX-License-Identifier: Apache-2.0
// MLIR's generic form: everything by name, types at the end.
//
// The types of the results stand behind the regions, so the op is in the module before it has results.
#include <fmt/format.h>

#include <algorithm>
#include <tileport/text/print.hpp>

#include "text/codes.hpp"
#include "text/parse_ops.hpp"

namespace tileport::text {
namespace {

using ir::TypeId;
using ir::ValueId;
using Kind = AttributeValue::Kind;

constexpr std::string_view kSegments = "operandSegmentSizes";

/// The segment sizes of a dictionary, if it says them.
std::optional<std::vector<std::int64_t>> segment_sizes(const AttributeValue& properties) {
  const auto key = std::ranges::find(properties.keys, kSegments);
  if (key == properties.keys.end()) return std::nullopt;
  const AttributeValue& sizes = *properties.items[static_cast<std::size_t>(key - properties.keys.begin())];
  return sizes.kind == Kind::numbers ? std::optional(sizes.numbers) : std::nullopt;
}

}  // namespace

bool OpParser::generic(Draft& draft) {
  in_.advance();
  const auto name = unescaped(draft.token.text);
  draft.info = name ? ir::find_op_of_text(without_dialect(*name)) : nullptr;
  if (!draft.info || !name->starts_with("cuda_tile.") || draft.info->form.empty())
    return unknown_op(draft.token);
  std::vector<ValueId> operands;
  if (!in_.expect("(")) return false;
  if (!in_.accept(")")) {
    do {
      if (!scope_.use(operands.emplace_back())) return false;
    } while (in_.accept(","));
    if (!in_.expect(")")) return false;
  }
  AttributeValue properties;
  if (in_.accept("<") && !(attributes_.dictionary(properties) && in_.expect(">"))) return false;
  if (!spread(draft, operands, segment_sizes(properties))) return false;
  if (in_.accept("(")) {
    context_.builder->to_end_of(draft.block);
    ir::OperationParts parts{.info = draft.info, .operands = operands};
    for (std::size_t i = 0; i < draft.groups.size(); ++i)
      parts.group_sizes[i] = static_cast<std::uint32_t>(draft.groups[i].size());
    draft.id = context_.builder->insert(parts);
    context_.module->origins.push_back(in_.origin(draft.token));
    std::size_t number = 0;
    do {
      if (!generic_region(draft, number++)) return false;
    } while (in_.accept(","));
    if (!in_.expect(")")) return false;
  }
  AttributeValue discardable;
  if (in_.at("{") && !attributes_.dictionary(discardable)) return false;
  if (const auto sizes = segment_sizes(discardable); sizes && !spread(draft, operands, sizes)) return false;
  return signature(draft, operands) && generic_attributes(draft, properties) &&
         generic_attributes(draft, discardable) && (draft.id ? set_words(draft) : insert(draft)) &&
         check_structure(*draft.id, draft.token);
}

/// Which group each operand belongs to.
bool OpParser::spread(Draft& draft, const std::vector<ValueId>& operands,
                      const std::optional<std::vector<std::int64_t>>& sizes) {
  const auto& groups = draft.info->operands;
  std::size_t fixed = 0;
  for (const ir::GroupInfo& group : groups) fixed += group.arity == ir::Arity::one ? 1 : 0;
  const std::size_t open = groups.size() - fixed;
  const auto wrong = [&] {
    return in_.error(
        code::kArity,
        fmt::format("{} operands don't fit the groups of {}", operands.size(), draft.info->mnemonic),
        draft.token);
  };
  if (sizes && sizes->size() != groups.size()) return wrong();
  if (operands.size() < fixed || (open == 0 && operands.size() != fixed)) return wrong();
  // What is left when every group that must have one has one; several such groups need their sizes said, but
  // may all be empty.
  const std::size_t left = operands.size() - fixed;
  if (!sizes && open > 1 && left != 0) {
    return in_.error(code::kMissing, fmt::format("{} needs '{}'", draft.info->mnemonic, kSegments),
                     draft.token);
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::size_t size = groups[i].arity == ir::Arity::one ? 1 : left;
    if (sizes) size = static_cast<std::size_t>(std::max<std::int64_t>((*sizes)[i], 0));
    if (size > operands.size() - next || (groups[i].arity == ir::Arity::one && size != 1) ||
        (groups[i].arity == ir::Arity::optional && size > 1)) {
      return wrong();
    }
    draft.groups[i].assign(operands.begin() + static_cast<std::ptrdiff_t>(next),
                           operands.begin() + static_cast<std::ptrdiff_t>(next + size));
    next += size;
  }
  return next == operands.size() || wrong();
}

bool OpParser::generic_attributes(Draft& draft, const AttributeValue& properties) {
  for (std::size_t i = 0; i < properties.keys.size(); ++i) {
    const std::string& key = properties.keys[i];
    const AttributeValue& content = *properties.items[i];
    if (key == kSegments) continue;
    if (const auto number = draft.info->attribute_index(key)) {
      const auto type = draft.results[0].empty() ? std::nullopt : std::optional(draft.results[0].front());
      if (!attributes_.convert(draft.info->attributes[*number], content, type,
                               draft.words[*number].emplace()))
        return false;
      continue;
    }
    const auto bit = draft.info->flag_bit(key);
    const bool unit = bit && draft.info->flags[*bit].kind == ir::FlagInfo::Kind::unit_attribute;
    if (!unit || (content.kind != Kind::unit && content.kind != Kind::boolean)) {
      return in_.error(code::kAttribute, fmt::format("{} has no attribute '{}'", draft.info->mnemonic, key),
                       content.token);
    }
    if (content.kind == Kind::unit || content.flag) draft.units |= 1U << *bit;
  }
  return true;
}

bool OpParser::signature(Draft& draft, const std::vector<ValueId>& operands) {
  ir::Type type;
  const Token start = in_.token();
  if (!in_.expect(":") || !types_.function(type)) return false;
  if (type.inputs.size() != operands.size()) {
    return in_.error(code::kArity,
                     fmt::format("{} operands have {} types", operands.size(), type.inputs.size()), start);
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const TypeId actual = context_.module->value(operands[i]).type;
    if (actual != type.inputs[i]) {
      return in_.error(code::kTypeMismatch,
                       fmt::format("operand {} is a {}, not a {}", i, print(*context_.module, actual),
                                   print(*context_.module, type.inputs[i])),
                       start);
    }
  }
  const auto& groups = draft.info->results;
  const bool variadic = groups.size() == 1 && groups[0].arity == ir::Arity::variadic;
  if (!variadic && type.results.size() != groups.size()) {
    return in_.error(code::kArity,
                     fmt::format("{} has {} results, {} types are written", draft.info->mnemonic,
                                 groups.size(), type.results.size()),
                     start);
  }
  for (std::size_t i = 0; i < groups.size(); ++i)
    draft.results[i] = variadic ? type.results : std::vector{type.results[i]};
  if (!draft.id) return true;
  std::vector<TypeId> all;
  for (const auto& group : draft.results) all.insert(all.end(), group.begin(), group.end());
  context_.builder->add_results(*draft.id, all);
  return true;
}

/// Attributes of an op that is in the module already.
bool OpParser::set_words(const Draft& draft) {
  const ir::OpInfo& info = *draft.info;
  ir::Operation& op = context_.module->ops[ir::index(*draft.id)];
  op.flags |= draft.units;
  for (std::size_t i = 0; i < info.attributes.size(); ++i) {
    ir::AttributeSlot& slot = context_.module->attribute_slots[op.attributes.first + i];
    if (draft.words[i]) {
      slot = {.word = *draft.words[i], .present = true};
      const auto bit = info.flag_bit(info.attributes[i].name);
      if (bit && info.attributes[i].optional) op.flags |= 1U << *bit;
    } else if (!slot.present && !info.attributes[i].optional) {
      return in_.error(code::kMissing,
                       fmt::format("{} needs its attribute '{}'", info.mnemonic, info.attributes[i].name),
                       draft.token);
    }
  }
  return check_version(*draft.id, draft.token);
}

bool OpParser::label(std::vector<Argument>& list) {
  if (!in_.at(TokenKind::block)) return true;
  in_.advance();
  if (in_.at("(") && !arguments(list)) return false;
  return in_.expect(":");
}

bool OpParser::generic_region(Draft& draft, std::size_t number) {
  const Token open = in_.token();
  if (number >= draft.info->regions) {
    return in_.error(code::kArity,
                     fmt::format("{} has {} regions", draft.info->mnemonic, draft.info->regions), open);
  }
  if (!deeper(open) || !in_.expect("{")) return false;
  if (in_.accept("}")) return true;
  std::vector<Argument> list;
  if (!label(list)) return false;
  std::vector<TypeId> argument_types;
  for (const Argument& argument : list) argument_types.push_back(argument.type);
  const std::size_t mark = scope_.mark();
  const ir::BlockId body = context_.builder->body(*draft.id, number, argument_types);
  ++depth_;
  const bool defined = define(body, list);
  const bool good = ops(body, {}, open) && defined;
  --depth_;
  scope_.leave(mark);
  return good;
}

bool OpParser::generic_function_body(ir::BlockId block) {
  const Token open = in_.token();
  scope_.leave(0);
  depth_ = 0;
  if (!in_.expect("{")) return false;
  std::vector<Argument> list;
  if (!in_.at("}") && !label(list)) return false;
  const ir::Range wanted = context_.module->block(block).arguments;
  if (list.size() != wanted.count) {
    return in_.error(code::kArity,
                     fmt::format("the function has {} arguments, its body {}", wanted.count, list.size()),
                     open);
  }
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    if (list[i].type != context_.module->value(context_.module->argument(block, i)).type)
      return in_.error(code::kTypeMismatch, "an argument's type differs from the function's", list[i].name);
  }
  define(block, list);
  return ops(block, "return", open);
}

}  // namespace tileport::text
