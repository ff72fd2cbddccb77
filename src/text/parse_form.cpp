// SPDX-License-Identifier: Apache-2.0
// Reads an op by the form of its row, which the printer writes by.
#include <fmt/format.h>

#include <algorithm>
#include <tileport/text/print.hpp>

#include "text/codes.hpp"
#include "text/parse_ops.hpp"

namespace tileport::text {
namespace {

using ir::TypeId;
using ir::ValueId;

}  // namespace

bool OpParser::form(Draft& draft, const std::vector<FormNode>& nodes) {
  return std::ranges::all_of(nodes, [&](const FormNode& each) { return node(draft, each); });
}

bool OpParser::node(Draft& draft, const FormNode& node) {
  switch (node.directive) {
    case Directive::literal:
      return std::ranges::all_of(node.words, [&](std::string_view word) { return in_.expect(word); });
    case Directive::plain:
      return plain(draft, node);
    case Directive::condition:
      return condition(draft, node);
    case Directive::symbol: {
      Token symbol;
      if (!in_.expect(TokenKind::symbol, "a symbol", symbol)) return false;
      const auto name = unescaped(symbol.text);
      if (!name) return in_.error(code::kString, "a symbol has an escape that does not exist", symbol);
      draft.words[node.index] = static_cast<std::uint64_t>(context_.builder->string(*name));
      return true;
    }
    case Directive::attributes:
      return dictionary_entry(draft, node);
    case Directive::type:
      return types(draft, node);
    case Directive::first_type:
      return first_type(draft, node);
    case Directive::same_type:
      return same_type(draft, node);
    case Directive::shape:
      return extents(draft, node, draft.shape.emplace());
    case Directive::strides:
      return extents(draft, node, draft.strides.emplace());
    case Directive::source_type:
      return source_type(draft);
    case Directive::argument: {
      Argument& argument = draft.arguments.emplace_back();
      return in_.expect(TokenKind::value, "the name of the loop's index", argument.name);
    }
    case Directive::bindings:
      return bindings(draft, node.index);
    case Directive::region:
      // The index of a loop has the type of its bounds.
      if (draft.info->argument_names == ir::ArgumentNames::loop)
        draft.arguments.front().type = context_.module->value(draft.groups[0].front()).type;
      return region(draft, node.index, draft.arguments);
    case Directive::else_region:
      return !in_.accept("else") || region(draft, node.index, {});
    case Directive::function:
      return function_region(draft, node.index);
  }
  return false;
}

/// Whether a form begins at the current token.
bool OpParser::begins(const std::vector<FormNode>& nodes, const ir::OpInfo& info) const {
  for (const FormNode& node : nodes) {
    if (node.directive == Directive::literal) {
      if (node.words.empty()) continue;
      return in_.at(node.words.front());
    }
    if (node.subject == Subject::operands) return in_.at(TokenKind::value);
    if (node.subject == Subject::attribute && info.attributes[node.index].enumeration) {
      const auto& words = info.attributes[node.index].enumeration->values;
      return in_.at(TokenKind::identifier) && std::ranges::find(words, in_.token().text) != words.end();
    }
    break;
  }
  return true;
}

bool OpParser::condition(Draft& draft, const FormNode& node) {
  bool holds = false;
  if (node.subject == Subject::operands && draft.moved == node.index) {
    draft.moved.reset();
    return true;
  }
  if (node.subject == Subject::operands && draft.read[node.index]) {
    holds = !draft.groups[node.index].empty();
  } else {
    holds = begins(node.then, *draft.info);
  }
  if (node.subject == Subject::operands) draft.read[node.index] = true;
  if (node.subject == Subject::flag && holds) draft.units |= 1U << node.index;
  return form(draft, holds ? node.then : node.otherwise);
}

bool OpParser::plain(Draft& draft, const FormNode& node) {
  if (node.subject == Subject::operands) return operand_group(draft, node.index);
  const ir::AttributeInfo& attribute = draft.info->attributes[node.index];
  if (attribute.encoding == ir::Encoding::constant) {
    draft.dense_attribute = node.index;
    return attributes_.dense(draft.dense.emplace());
  }
  return attributes_.word(attribute, draft.words[node.index].emplace());
}

bool OpParser::operand_group(Draft& draft, std::size_t group) {
  draft.read[group] = true;
  auto& values = draft.groups[group];
  if (draft.info->operands[group].arity != ir::Arity::variadic) {
    if (!scope_.use(values.emplace_back())) return false;
    move_on(draft, group);
    return true;
  }
  if (!in_.at(TokenKind::value)) return true;
  do {
    if (!scope_.use(values.emplace_back())) return false;
  } while (in_.accept(","));
  return true;
}

/// "weak %p, %x" does not say whether %x is the mask or the padding: it is the first of them that can have
/// its type.
void OpParser::move_on(Draft& draft, std::size_t group) {
  const auto optional = [&](std::size_t i) {
    return i < draft.info->operands.size() && draft.info->operands[i].arity == ir::Arity::optional;
  };
  if (!optional(group) || !optional(group + 1)) return;
  const ir::Type& type = context_.module->type_of(draft.groups[group].front());
  const ir::TypeKind element =
      type.kind == ir::TypeKind::tile ? context_.module->type(type.element).kind : type.kind;
  for (const ir::Constraint& constraint : draft.info->constraints) {
    const bool concerned =
        std::ranges::find(constraint.names, draft.info->operands[group].name) != constraint.names.end();
    if (constraint.kind != ir::Constraint::Kind::type || !concerned) continue;
    if (ir::is_of(constraint.values, type.kind, element, type.shape.size())) continue;
    draft.groups[group + 1] = std::exchange(draft.groups[group], {});
    draft.read[group + 1] = true;
    draft.moved = group + 1;
    return;
  }
}

bool OpParser::next_type(Draft& draft, TypeId& type, Token& token) {
  if (draft.pending) {
    type = *draft.pending;
    token = draft.pending_token;
    draft.pending.reset();
    return true;
  }
  token = in_.token();
  return types_.parse(type);
}

bool OpParser::type_of_value(Draft& draft, ValueId value) {
  TypeId type{};
  Token token;
  if (!next_type(draft, type, token)) return false;
  const TypeId actual = context_.module->value(value).type;
  if (type == actual) return true;
  return in_.error(code::kTypeMismatch,
                   fmt::format("the operand here is a {}, not a {}", print(*context_.module, actual),
                               print(*context_.module, type)),
                   token);
}

bool OpParser::types(Draft& draft, const FormNode& node) {
  if (node.subject == Subject::operands) {
    const auto& values = draft.groups[node.index];
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != 0 && !in_.expect(",")) return false;
      if (!type_of_value(draft, values[i])) return false;
    }
    return true;
  }
  auto& results = draft.results[node.index];
  const bool variadic = draft.info->results[node.index].arity == ir::Arity::variadic;
  Token token;
  do {
    if (!next_type(draft, results.emplace_back(), token)) return false;
  } while (variadic && in_.accept(","));
  return true;
}

/// One type for all values if they have the same, else the type of each.
bool OpParser::same_type(Draft& draft, const FormNode& node) {
  const auto& values = draft.groups[node.index];
  if (values.empty()) return true;
  const auto type = [&](ValueId value) { return context_.module->value(value).type; };
  const bool same =
      std::ranges::all_of(values, [&](ValueId value) { return type(value) == type(values.front()); });
  if (!same) return types(draft, node);
  return type_of_value(draft, values.front());
}

/// The results are as many as are named, all of one type; without names one for each dimension of the
/// operand.
bool OpParser::first_type(Draft& draft, const FormNode& node) {
  TypeId type{};
  Token token;
  if (!next_type(draft, type, token)) return false;
  constexpr std::size_t kMostDimensions = 64;
  const std::size_t rank = context_.module->type_of(draft.groups[0].front()).shape.size();
  const bool named = draft.named != 0 && draft.named <= kMostDimensions;
  draft.results[node.index].assign(named ? draft.named : rank, type);
  return true;
}

bool OpParser::extents(Draft& draft, const FormNode& node, std::vector<std::int64_t>& extents) {
  draft.read[node.index] = true;
  if (!in_.expect("[")) return false;
  if (in_.accept("]")) return true;
  do {
    std::int64_t number = ir::kDynamic;
    if (in_.at(TokenKind::value) ? !scope_.use(draft.groups[node.index].emplace_back())
                                 : !types_.integer(number))
      return false;
    extents.push_back(number);
  } while (in_.accept(","));
  return in_.expect("]");
}

/// Two types with an arrow between them, or the second one only.
bool OpParser::source_type(Draft& draft) {
  TypeId type{};
  draft.pending_token = in_.token();
  if (!types_.parse(type)) return false;
  if (in_.accept("->")) {
    draft.source_type = type;
  } else {
    draft.pending = type;
  }
  return true;
}

bool OpParser::dictionary_entry(Draft& draft, const FormNode& node) {
  if (!in_.accept("attributes")) return true;
  AttributeValue read;
  if (!attributes_.dictionary(read)) return false;
  const ir::AttributeInfo& attribute = draft.info->attributes[node.index];
  for (std::size_t i = 0; i < read.keys.size(); ++i) {
    if (read.keys[i] != attribute.name) {
      return in_.error(code::kAttribute,
                       fmt::format("{} has no attribute '{}'", draft.info->mnemonic, read.keys[i]),
                       read.items[i]->token);
    }
    if (!attributes_.convert(attribute, *read.items[i], std::nullopt, draft.words[node.index].emplace()))
      return false;
  }
  return true;
}

bool OpParser::bindings(Draft& draft, std::size_t group) {
  draft.read[group] = true;
  do {
    Argument argument;
    if (!in_.expect(TokenKind::value, "the name of an argument", argument.name) || !in_.expect("=") ||
        !scope_.use(draft.groups[group].emplace_back())) {
      return false;
    }
    argument.type = context_.module->value(draft.groups[group].back()).type;
    draft.arguments.push_back(argument);
  } while (in_.accept(","));
  return true;
}

bool OpParser::function_region(Draft& draft, std::size_t number) {
  std::vector<Argument> list;
  return arguments(list) && region(draft, number, list);
}

}  // namespace tileport::text
