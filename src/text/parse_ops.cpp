// SPDX-License-Identifier: Apache-2.0
#include "text/parse_ops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <tileport/text/print.hpp>

#include "text/codes.hpp"

namespace tileport::text {
namespace {

using ir::BlockId;
using ir::OpId;
using ir::OpInfo;
using ir::TypeId;
using ir::ValueId;

bool is_instruction(const OpInfo& info) { return !info.form.empty() || info.is("return"); }

/// Insertions, deletions and changes from one word to another.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string_view nearest_mnemonic(std::string_view word) {
  std::string_view best;
  std::size_t least = 3;
  if (word.size() > 40) return best;
  for (const OpInfo* info : ir::all_ops()) {
    if (!is_instruction(*info)) continue;
    const std::size_t far =
        info->mnemonic.starts_with(word) && word.size() > 2 ? 1 : distance(word, info->mnemonic);
    if (far < least) {
      least = far;
      best = info->mnemonic;
    }
  }
  return best;
}

}  // namespace

// ---- names --------------------------------------------------------------------------------------------

bool Scope::define(const Token& name, ValueId first, std::uint32_t count, bool lost) {
  const auto [entry, fresh] = bindings_.try_emplace(name.text, Binding{first, count, lost});
  if (fresh) {
    order_.push_back(name.text);
    return true;
  }
  if (lost || entry->second.lost) return false;
  return in_.error(code::kRedefined, fmt::format("{} is defined already", name.text), name);
}

void Scope::leave(std::size_t mark) {
  for (std::size_t i = mark; i < order_.size(); ++i) bindings_.erase(order_[i]);
  order_.resize(mark);
}

bool Scope::use(ValueId& value) {
  Token name;
  if (!in_.expect(TokenKind::value, "a value", name)) return false;
  std::uint32_t number = 0;
  const Token suffix = in_.token();
  const bool numbered = in_.at(TokenKind::attribute) && suffix.text.size() > 1 && is_digit(suffix.text[1]) &&
                        suffix.text.data() == name.text.data() + name.text.size();
  if (numbered) {
    const char* end = suffix.text.data() + suffix.text.size();
    if (std::from_chars(suffix.text.data() + 1, end, number).ec != std::errc{}) number = 0xFFFFFFFF;
    in_.advance();
  }
  const auto found = bindings_.find(name.text);
  if (found == bindings_.end())
    return in_.error(code::kUndefined, fmt::format("{} is not defined here", name.text), name);
  if (found->second.lost) return false;
  if (number >= found->second.count) {
    return in_.error(
        code::kUndefined,
        fmt::format("{} has {} values, number {} is asked for", name.text, found->second.count, number),
        suffix);
  }
  value = ValueId{ir::index(found->second.first) + number};
  return true;
}

// ---- bodies -------------------------------------------------------------------------------------------

bool OpParser::deeper(const Token& token) {
  if (depth_ < kDeepestRegion) return true;
  return in_.error(code::kNesting, fmt::format("regions are nested more than {} deep", kDeepestRegion),
                   token);
}

bool OpParser::define(BlockId block, const std::vector<Argument>& arguments) {
  bool good = true;
  for (std::uint32_t i = 0; i < arguments.size(); ++i)
    good = scope_.define(arguments[i].name, context_.module->argument(block, i), 1) && good;
  return good;
}

bool OpParser::arguments(std::vector<Argument>& list, std::vector<AttributeValuePtr>* attributes) {
  if (!in_.expect("(")) return false;
  if (in_.accept(")")) return true;
  do {
    Argument argument;
    if (!in_.expect(TokenKind::value, "an argument", argument.name) || !in_.expect(":") ||
        !types_.parse(argument.type)) {
      return false;
    }
    AttributeValue extra{.kind = AttributeValue::Kind::dictionary};
    if (in_.at("{") && attributes) {
      if (!attributes_.dictionary(extra)) return false;
    }
    ir::DebugId ignored{};
    if (in_.at("loc") && !attributes_.location(ignored)) return false;
    if (attributes) attributes->push_back(std::make_shared<const AttributeValue>(std::move(extra)));
    list.push_back(argument);
  } while (in_.accept(","));
  return in_.expect(")");
}

bool OpParser::function_body(BlockId block, const std::vector<Argument>& arguments) {
  const Token open = in_.token();
  scope_.leave(0);
  depth_ = 0;
  if (!in_.expect("{")) return false;
  define(block, arguments);
  return ops(block, "return", open);
}

/// The ops of a block and its closing brace. An op with an error is skipped.
bool OpParser::ops(BlockId block, std::string_view implied, const Token& open) {
  const std::size_t braces = in_.braces();
  bool told = false;
  while (!in_.at("}")) {
    if (in_.hopeless()) return false;
    if (in_.at_end()) {
      return in_.error(code::kUnclosed,
                       fmt::format("the body that begins on line {} is not closed", in_.origin(open).line),
                       in_.token());
    }
    const auto& before = context_.module->block(block).ops;
    if (!told && !before.empty() &&
        ir::has(context_.module->op(before.back()).info->traits, ir::Trait::terminator)) {
      told = true;
      in_.error(code::kTerminator,
                fmt::format("nothing can stand behind the {} of a body",
                            context_.module->op(before.back()).info->mnemonic),
                in_.token());
    }
    context_.builder->to_end_of(block);
    const std::size_t start = in_.offset();
    if (!op(block)) in_.skip_to_next_op(start, braces);
    if (in_.braces() < braces) return false;
  }
  const Token close = in_.take();
  return terminate(block, implied, close);
}

bool OpParser::terminate(BlockId block, std::string_view implied, const Token& close) {
  const auto& all = context_.module->block(block).ops;
  if (!all.empty() && ir::has(context_.module->op(all.back()).info->traits, ir::Trait::terminator))
    return true;
  if (implied.empty()) {
    // A body whose last op has an error may well have a terminator.
    if (!in_.diagnostics().empty()) return false;
    return in_.error(code::kTerminator, "this body does not end with a terminator", close);
  }
  context_.builder->to_end_of(block);
  context_.builder->insert({.info = ir::find_op(implied)});
  context_.module->origins.push_back(in_.origin(close));
  return true;
}

// ---- one op -------------------------------------------------------------------------------------------

bool OpParser::result_names(std::vector<ResultName>& names) {
  do {
    ResultName name;
    if (!in_.expect(TokenKind::value, "the name of a result", name.token)) return false;
    std::int64_t count = 1;
    if (in_.accept(":")) {
      const Token number = in_.token();
      if (!types_.integer(count)) return false;
      if (count < 1 || count > 0xFFFFFF)
        return in_.error(code::kResultCount, "no op has so many results", number);
    }
    name.count = static_cast<std::uint32_t>(count);
    names.push_back(name);
  } while (in_.accept(","));
  return in_.expect("=");
}

void OpParser::lose(const std::vector<ResultName>& names) {
  for (const ResultName& name : names) scope_.define(name.token, ValueId{ir::kNone}, name.count, true);
}

bool OpParser::bind(const std::vector<ResultName>& names, OpId id, const Token& token) {
  if (names.empty()) return true;
  const ir::Range results = context_.module->op(id).results;
  std::uint64_t wanted = 0;
  for (const ResultName& name : names) wanted += name.count;
  if (wanted != results.count) {
    lose(names);
    return in_.error(
        code::kResultCount,
        fmt::format("{} has {} result{}, {} {} named", context_.module->op(id).info->mnemonic, results.count,
                    results.count == 1 ? "" : "s", wanted, wanted == 1 ? "is" : "are"),
        token);
  }
  std::uint32_t first = results.first;
  bool good = true;
  for (const ResultName& name : names) {
    good = scope_.define(name.token, ValueId{first}, name.count) && good;
    first += name.count;
  }
  return good;
}

bool OpParser::op(BlockId block) {
  std::vector<ResultName> names;
  Draft draft;
  draft.block = block;
  bool good = !in_.at(TokenKind::value) || result_names(names);
  for (const ResultName& name : names) draft.named += name.count;
  draft.token = in_.token();
  good = good && (in_.at(TokenKind::string) ? generic(draft) : custom(draft)) && located(*draft.id);
  if (!good) {
    lose(names);
    return false;
  }
  return bind(names, *draft.id, draft.token);
}

bool OpParser::unknown_op(const Token& token) {
  const std::string_view word =
      token.text.starts_with('"') ? token.text.substr(1, token.text.size() - 2) : token.text;
  const std::string_view near = nearest_mnemonic(without_dialect(word));
  return in_.error(code::kUnknownOp, fmt::format("'{}' is no op of Tile IR", word), token,
                   near.empty() ? "" : fmt::format("Is {} meant?", near));
}

bool OpParser::custom(Draft& draft) {
  if (!in_.at(TokenKind::identifier)) return in_.expected("an op");
  draft.info = ir::find_op_of_text(without_dialect(draft.token.text));
  if (!draft.info || !is_instruction(*draft.info)) return unknown_op(draft.token);
  in_.advance();
  if (!form(draft, form_of(*draft.info))) return false;
  if (!draft.id && !insert(draft)) return false;
  // Marks for passes, which MLIR may drop at any time.
  AttributeValue discardable;
  if (in_.at("{") && !attributes_.dictionary(discardable)) return false;
  return check_structure(*draft.id, draft.token);
}

bool OpParser::located(OpId id) {
  if (!in_.at("loc")) return true;
  return attributes_.location(context_.module->ops[ir::index(id)].location);
}

/// What the text does not say of the results' types, and the row does: they are the types of operands, or
/// tokens.
std::optional<std::vector<TypeId>> OpParser::implied_types(const Draft& draft, std::string_view group) const {
  for (const ir::Constraint& constraint : draft.info->constraints) {
    if (std::ranges::find(constraint.names, group) == constraint.names.end()) continue;
    if (constraint.kind == ir::Constraint::Kind::type &&
        constraint.values.kind == ir::ValueClass::Kind::token)
      return std::vector{context_.builder->simple(ir::TypeKind::token)};
    if (constraint.kind != ir::Constraint::Kind::same_type) continue;
    for (std::string_view other : constraint.names) {
      const auto operands = draft.info->operand_group(other);
      if (!operands) continue;
      std::vector<TypeId> types;
      for (ValueId value : draft.groups[*operands]) types.push_back(context_.module->value(value).type);
      return types;
    }
  }
  return std::nullopt;
}

bool OpParser::fill_results(Draft& draft) {
  for (std::size_t i = 0; i < draft.info->results.size(); ++i) {
    const ir::GroupInfo& group = draft.info->results[i];
    if (!draft.results[i].empty()) continue;
    if (auto types = implied_types(draft, group.name)) {
      draft.results[i] = std::move(*types);
    } else if (i != 0 && !draft.results[0].empty()) {
      draft.results[i] = {draft.results[0].front()};
    }
    if (group.arity == ir::Arity::one && draft.results[i].size() != 1) {
      return in_.error(code::kArity,
                       fmt::format("the type of '{}' of {} is not said", group.name, draft.info->mnemonic),
                       draft.token);
    }
  }
  return true;
}

/// A tensor_view's extents and strides stand in its type and in the op.
bool OpParser::check_view(const Draft& draft) {
  if (!draft.shape) return true;
  const ir::Type& view = context_.module->type(draft.results[0].front());
  if (view.kind != ir::TypeKind::tensor_view) {
    return in_.error(
        code::kTypeMismatch,
        fmt::format("the result of {} can't be a {}", draft.info->mnemonic, ir::keyword(view.kind)),
        draft.token);
  }
  for (const auto& [written, typed, what] : {std::tuple(&*draft.shape, &view.shape, "extents"),
                                             std::tuple(&*draft.strides, &view.strides, "strides")}) {
    if (*written != *typed) {
      return in_.error(code::kTypeMismatch,
                       fmt::format("the {} of {} and those of its type differ", what, draft.info->mnemonic),
                       draft.token);
    }
  }
  if (!draft.source_type) return true;
  // The type of the dynamic extents; with a pointer attribute, the pointer's.
  const std::size_t operand = view.pointer_attribute ? 0 : draft.groups[1].empty() ? 2 : 1;
  const auto& values = draft.groups[operand];
  if (!values.empty() && context_.module->value(values.front()).type != *draft.source_type) {
    return in_.error(
        code::kTypeMismatch,
        fmt::format("the operands of {} have another type than is written", draft.info->mnemonic),
        draft.token);
  }
  return true;
}

bool OpParser::insert(Draft& draft) {
  if (!fill_results(draft)) return false;
  if (!check_view(draft)) return false;
  if (draft.dense) {
    ir::ConstantId made{};
    if (!attributes_.constant(*draft.dense, draft.results[0].front(), made)) return false;
    draft.words[draft.dense_attribute] = static_cast<std::uint64_t>(made);
  }
  ir::OperationParts parts{.info = draft.info, .words = draft.words, .units = draft.units};
  for (std::size_t i = 0; i < draft.groups.size(); ++i) {
    parts.group_sizes[i] = static_cast<std::uint32_t>(draft.groups[i].size());
    parts.operands.insert(parts.operands.end(), draft.groups[i].begin(), draft.groups[i].end());
  }
  for (const auto& group : draft.results)
    parts.results.insert(parts.results.end(), group.begin(), group.end());
  if (const auto problem = context_.builder->check(parts))
    return in_.error(code::kMissing, problem->message, draft.token);
  context_.builder->to_end_of(draft.block);
  draft.id = context_.builder->insert(parts);
  context_.module->origins.push_back(in_.origin(draft.token));
  return check_version(*draft.id, draft.token);
}

bool OpParser::check_version(OpId id, const Token& token) {
  const ir::Operation& op = context_.module->op(id);
  const OpInfo& info = *op.info;
  if (!context_.need(info.since, info.mnemonic, token)) return false;
  for (std::size_t bit = 0; bit < info.flags.size(); ++bit) {
    if ((op.flags >> bit & 1U) == 0) continue;
    const ir::Version since = std::max(info.flags[bit].since, info.flags_since.value_or(ir::Version{}));
    if (!context_.need(since, fmt::format("'{}' of {}", info.flags[bit].name, info.mnemonic), token))
      return false;
  }
  for (std::size_t i = 0; i < info.attributes.size(); ++i) {
    const ir::AttributeInfo& attribute = info.attributes[i];
    const ir::AttributeSlot& slot = context_.module->attribute_slots[op.attributes.first + i];
    if (attribute.since <= info.since || !slot.present || slot.word == attribute.default_value) continue;
    const bool list = attribute.encoding == ir::Encoding::boolean_array;
    if (list && std::ranges::none_of(context_.module->attributes[slot.word].numbers,
                                     [](std::int64_t entry) { return entry != 0; })) {
      continue;
    }
    if (!context_.need(attribute.since, fmt::format("'{}' of {}", attribute.name, info.mnemonic), token))
      return false;
  }
  return true;
}

bool OpParser::region(Draft& draft, std::size_t number, const std::vector<Argument>& arguments) {
  if (!draft.id && !insert(draft)) return false;
  const Token open = in_.token();
  if (!deeper(open) || !in_.expect("{")) return false;
  std::vector<TypeId> types;
  for (const Argument& argument : arguments) types.push_back(argument.type);
  const std::size_t mark = scope_.mark();
  const BlockId body = context_.builder->body(*draft.id, number, types);
  ++depth_;
  const bool defined = define(body, arguments);
  const bool good = ops(body, draft.info->implied_terminator, open) && defined;
  --depth_;
  scope_.leave(mark);
  return good;
}

/// What later layers rely on without asking: how many arguments the body of an op has, and that a tensor_view
/// has an operand for each dynamic extent and stride.
bool OpParser::check_structure(OpId id, const Token& token) {
  const ir::Operation& op = context_.module->op(id);
  if (op.info->is("make_tensor_view")) {
    const ir::Type& view = context_.module->type_of(context_.module->result(id, 0));
    const auto dynamic = [](const std::vector<std::int64_t>& list) {
      return static_cast<std::size_t>(std::ranges::count(list, ir::kDynamic));
    };
    if (view.kind == ir::TypeKind::tensor_view &&
        dynamic(view.shape) == context_.module->operands(id, 1).size() &&
        dynamic(view.strides) == context_.module->operands(id, 2).size()) {
      return true;
    }
    return in_.error(code::kArity,
                     "make_tensor_view needs one operand for each dynamic extent and stride of its type",
                     token);
  }
  if (op.regions.count == 0) return true;
  std::size_t wanted = 0;
  if (op.info->argument_names == ir::ArgumentNames::loop) {
    wanted = op.operands.count - 2;
  } else if (op.info->is("loop")) {
    wanted = op.operands.count;
  } else if (op.info->is("reduce") || op.info->is("scan")) {
    wanted = 2 * std::size_t{op.operands.count};
  }
  for (std::size_t i = 0; i < op.regions.count; ++i) {
    const auto body = context_.module->body(id, i);
    if (!body && i == 0)
      return in_.error(code::kArity, fmt::format("{} has no body", op.info->mnemonic), token);
    if (body && context_.module->block(*body).arguments.count != wanted) {
      return in_.error(code::kArity,
                       fmt::format("the body of {} needs {} arguments, it has {}", op.info->mnemonic, wanted,
                                   context_.module->block(*body).arguments.count),
                       token);
    }
  }
  return true;
}

}  // namespace tileport::text
