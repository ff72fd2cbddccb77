// SPDX-License-Identifier: Apache-2.0
// What attributes mean for the op that they belong to.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "text/codes.hpp"
#include "text/parse_attributes.hpp"

namespace tileport::text {
namespace {

using ir::Encoding;
using ir::TypeKind;
using Kind = AttributeValue::Kind;

}  // namespace

bool AttributeParser::enumerator(const ir::AttributeInfo& info, const Token& word, std::uint64_t& number) {
  const ir::Enumeration& words = *info.enumeration;
  const auto found = std::ranges::find(words.values, word.text);
  if (found == words.values.end()) {
    return in_.error(code::kEnumerator, fmt::format("'{}' can't be '{}'", info.name, word.text), word,
                     fmt::format("It is one of: {}.", fmt::join(words.values, ", ")));
  }
  number = static_cast<std::uint64_t>(found - words.values.begin());
  if (number < words.newer_from) return true;
  return context_.need({13, words.newer_minor}, fmt::format("'{}'", word.text), word);
}

bool AttributeParser::word(const ir::AttributeInfo& info, std::uint64_t& word) {
  switch (info.encoding) {
    case Encoding::enumeration:
      if (!in_.at(TokenKind::identifier))
        return in_.expected(
            fmt::format("'{}', one of {}", info.name, fmt::join(info.enumeration->values, ", ")));
      return enumerator(info, in_.take(), word);
    case Encoding::integer: {
      std::int64_t number = 0;
      if (!types_.integer(number)) return false;
      word = static_cast<std::uint64_t>(number);
      return true;
    }
    case Encoding::boolean:
      if (!in_.at("true") && !in_.at("false")) return in_.expected("'true' or 'false'");
      word = in_.take().text == "true" ? 1 : 0;
      return true;
    case Encoding::string: {
      std::string text;
      if (!string(text)) return false;
      word = static_cast<std::uint64_t>(context_.builder->string(text));
      return true;
    }
    case Encoding::optimization_hints: {
      ir::AttributeId made{};
      if (!hints(made)) return false;
      word = ir::index(made);
      return true;
    }
    default: {
      AttributeValue read;
      return value(read) && convert(info, read, std::nullopt, word);
    }
  }
}

bool AttributeParser::not_convertible(const ir::AttributeInfo& info, const AttributeValue& value) {
  return in_.error(code::kAttribute, fmt::format("'{}' can't be {}", info.name, description(value.kind)),
                   value.token);
}

bool AttributeParser::convert(const ir::AttributeInfo& info, const AttributeValue& value,
                              std::optional<ir::TypeId> type, std::uint64_t& word) {
  ir::Builder& builder = *context_.builder;
  switch (info.encoding) {
    case Encoding::enumeration:
      if (value.kind == Kind::number) {
        // Sets without an attribute of their own are plain integers in MLIR's generic form.
        std::uint64_t number = 0;
        if (!bits_of(value.number, TypeKind::i32, number)) return false;
        if (number < info.enumeration->values.size()) {
          word = number;
          return true;
        }
        return in_.error(code::kEnumerator, fmt::format("'{}' has no value {}", info.name, number),
                         value.token);
      }
      if (value.kind != Kind::enumerator || value.text != info.enumeration->mnemonic) break;
      return enumerator(info, {TokenKind::identifier, value.word}, word);
    case Encoding::integer:
      if (value.kind != Kind::number) break;
      return integer_bits(value.number, TypeKind::i64, word);
    case Encoding::boolean:
      if (value.kind != Kind::boolean) break;
      word = value.flag ? 1 : 0;
      return true;
    case Encoding::string:
      if (value.kind != Kind::string && value.kind != Kind::symbol) break;
      word = static_cast<std::uint64_t>(builder.string(value.text));
      return true;
    case Encoding::type:
      if (value.kind != Kind::type) break;
      word = static_cast<std::uint64_t>(*value.type);
      return true;
    case Encoding::constant: {
      if (value.kind != Kind::dense || !type) break;
      ir::ConstantId made{};
      if (!constant(value.dense, *type, made)) return false;
      word = static_cast<std::uint64_t>(made);
      return true;
    }
    case Encoding::integer_array:
    case Encoding::boolean_array: {
      if (value.kind == Kind::numbers) {
        word = ir::index(builder.numbers(value.numbers));
        return true;
      }
      if (value.kind != Kind::array) break;
      std::vector<std::int64_t> numbers;
      for (const AttributeValuePtr& item : value.items) {
        const bool wanted = info.encoding == Encoding::integer_array ? item->kind == Kind::number
                                                                     : item->kind == Kind::boolean;
        if (!wanted) return not_convertible(info, *item);
        std::uint64_t bits = item->flag ? 1 : 0;
        if (item->kind == Kind::number && !integer_bits(item->number, TypeKind::i32, bits)) return false;
        numbers.push_back(static_cast<std::int32_t>(bits));
      }
      word = ir::index(builder.numbers(std::move(numbers)));
      return true;
    }
    case Encoding::attribute_array: {
      if (value.kind != Kind::array) break;
      ir::AttributeId made{};
      if (!typed_array(value, made)) return false;
      word = ir::index(made);
      return true;
    }
    case Encoding::attribute:
    case Encoding::optimization_hints: {
      if (value.kind != Kind::encoded) break;
      const bool hints =
          context_.module->attribute(value.attribute).kind == ir::Attribute::Kind::optimization_hints;
      if (hints != (info.encoding == Encoding::optimization_hints)) break;
      word = ir::index(value.attribute);
      return true;
    }
  }
  return not_convertible(info, value);
}

/// Booleans in a list of typed numbers are integers of one bit.
bool AttributeParser::typed_array(const AttributeValue& value, ir::AttributeId& made) {
  std::vector<ir::AttributeId> items;
  for (const AttributeValuePtr& item : value.items) {
    if (item->kind == Kind::boolean) {
      items.push_back(context_.builder->integer(TypeKind::i1, item->flag ? 1 : 0));
    } else if (!encode(*item, TypeKind::i64, items.emplace_back())) {
      return false;
    }
  }
  made = context_.builder->array(std::move(items));
  return true;
}

bool AttributeParser::encode(const AttributeValue& value, TypeKind integers, ir::AttributeId& made) {
  ir::Builder& builder = *context_.builder;
  switch (value.kind) {
    case Kind::boolean:
      made = builder.boolean(value.flag);
      return true;
    case Kind::number: {
      TypeKind kind = value.number.token.kind == TokenKind::floating ? TypeKind::f64 : integers;
      if (value.type) kind = context_.module->type(*value.type).kind;
      if (!ir::is_element(kind))
        return in_.error(code::kAttribute, "a number's type must be an integer or float type", value.token);
      std::uint64_t bits = 0;
      if (!bits_of(value.number, kind, bits)) return false;
      made = ir::is_integer(kind) ? builder.integer(kind, static_cast<std::int64_t>(bits))
                                  : builder.floating(kind, bits);
      return true;
    }
    case Kind::string:
      made = builder.text(value.text);
      return true;
    case Kind::type: {
      ir::Attribute type{.kind = ir::Attribute::Kind::type_attribute, .type = *value.type};
      made = builder.attribute(std::move(type));
      return true;
    }
    case Kind::array: {
      std::vector<ir::AttributeId> items;
      for (const AttributeValuePtr& item : value.items) {
        if (!encode(*item, integers, items.emplace_back())) return false;
      }
      made = builder.array(std::move(items));
      return true;
    }
    case Kind::dictionary: {
      std::vector<std::pair<std::string, ir::AttributeId>> entries;
      for (std::size_t i = 0; i < value.keys.size(); ++i) {
        if (!encode(*value.items[i], integers, entries.emplace_back(value.keys[i], ir::AttributeId{}).second))
          return false;
      }
      made = builder.dictionary(entries);
      return true;
    }
    case Kind::encoded:
      made = value.attribute;
      return true;
    default:
      return in_.error(code::kAttribute, fmt::format("{} can't stand here", description(value.kind)),
                       value.token);
  }
}

bool AttributeParser::constant(const DenseLiteral& literal, ir::TypeId type, ir::ConstantId& made) {
  const ir::Type& tile = context_.module->type(type);
  const auto refuse = [&](std::string message) {
    return in_.error(code::kConstant, std::move(message), literal.token);
  };
  const TypeKind element = tile.kind == TypeKind::tile ? context_.module->type(tile.element).kind : tile.kind;
  if (tile.kind != TypeKind::tile || !ir::is_element(element))
    return refuse("a constant's type must be a tile of integers or floats");
  if (element != literal.element) {
    return refuse(fmt::format("elements of {} can't fill a tile of {}", ir::keyword(literal.element),
                              ir::keyword(element)));
  }
  if (literal.raw) {
    const std::uint64_t count = ir::element_count(tile);
    const std::uint64_t bits = element == TypeKind::i1 ? 1 : 8 * ((ir::bit_width(element) + 7) / 8);
    if (count > literal.raw->size() * 8 || literal.raw->size() != (count * bits + 7) / 8) {
      return refuse(fmt::format("{} bytes are not the {} elements of the tile", literal.raw->size(), count));
    }
    made = context_.builder->constant(*literal.raw);
    return true;
  }
  if (!literal.shape.empty() && literal.shape != tile.shape) {
    return refuse(fmt::format("the elements have shape [{}], the tile has [{}]",
                              fmt::join(literal.shape, ", "), fmt::join(tile.shape, ", ")));
  }
  made = context_.builder->elements(element, literal.bits);
  return true;
}

}  // namespace tileport::text
