// SPDX-License-Identifier: Apache-2.0
#include "text/parse_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <tileport/ir/type_rules.hpp>

#include "text/codes.hpp"

namespace tileport::text {
namespace {

using ir::Type;
using ir::TypeId;
using ir::TypeKind;

std::optional<TypeKind> kind_of(std::string_view word) {
  static const auto words = [] {
    std::unordered_map<std::string_view, TypeKind> all;
    for (int kind = 0; kind <= static_cast<int>(TypeKind::token); ++kind)
      all.emplace(ir::keyword(static_cast<TypeKind>(kind)), static_cast<TypeKind>(kind));
    all.erase(ir::keyword(TypeKind::function));
    return all;
  }();
  const auto found = words.find(word);
  return found == words.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

bool Context::need(ir::Version since, std::string_view what, const Token& at) {
  needed = std::max(needed, since);
  if (!wanted || *wanted >= since) return true;
  return in.error(code::kVersion,
                  fmt::format("{} does not exist in bytecode {}.{}; it came with {}.{}", what, wanted->major,
                              wanted->minor, since.major, since.minor),
                  at);
}

bool TypeParser::at_type() const {
  if (in_.at(TokenKind::type)) return true;
  return in_.at(TokenKind::identifier) && kind_of(without_dialect(in_.token().text)).has_value();
}

bool TypeParser::parse(TypeId& id) {
  const Token start = in_.token();
  if (!in_.at(TokenKind::identifier) && !in_.at(TokenKind::type)) return in_.expected("a type");
  const auto kind = kind_of(without_dialect(start.text));
  if (!kind) {
    if (in_.at(TokenKind::type)) {
      const auto alias = context_.type_aliases.find(std::string(start.text));
      if (alias != context_.type_aliases.end()) {
        in_.advance();
        id = alias->second;
        return true;
      }
    }
    return in_.error(code::kUnknownType, fmt::format("'{}' is no type of Tile IR", start.text), start);
  }
  in_.advance();
  Type type;
  type.kind = *kind;
  if (!context_.need(ir::since(*kind), fmt::format("type {}", ir::keyword(*kind)), start)) return false;
  if (!ir::is_element(*kind) && *kind != TypeKind::token) {
    if (depth_ >= kDeepestType)
      return in_.error(code::kNesting, fmt::format("types are nested more than {} deep", kDeepestType),
                       start);
    ++depth_;
    const bool good = payload(type);
    --depth_;
    if (!good) return false;
  }
  const std::string problem = ir::type_problem(context_.module->types, type);
  if (!problem.empty()) return in_.error(code::kTypeRule, problem, start);
  id = context_.builder->type(type);
  return true;
}

bool TypeParser::payload(Type& type) {
  if (!in_.expect("<")) return false;
  bool done = false;
  switch (type.kind) {
    case TypeKind::pointer:
      done = parse(type.element) && (!in_.accept(",") || pointer_attribute(type));
      break;
    case TypeKind::tile:
      done = extents(type, false) && parse(type.element);
      break;
    case TypeKind::tensor_view:
      done = extents(type, true) && parse(type.element);
      while (done && in_.accept(",")) {
        done = in_.at("strides") ? in_.expect("strides") && in_.expect("=") && integers(type.strides, true)
                                 : pointer_attribute(type);
      }
      break;
    default:
      done = view(type);
      break;
  }
  return done && in_.expect(">");
}

bool TypeParser::word_of(const ir::Enumeration& words, std::uint8_t& number) {
  Token word;
  if (!in_.expect(TokenKind::identifier, fmt::format("a {}", words.name), word)) return false;
  const auto found = std::ranges::find(words.values, word.text);
  if (found == words.values.end()) {
    return in_.error(code::kEnumerator, fmt::format("'{}' is no {}", word.text, words.name), word,
                     fmt::format("It is one of: {}.", fmt::join(words.values, ", ")));
  }
  number = static_cast<std::uint8_t>(found - words.values.begin());
  return true;
}

bool TypeParser::pointer_attribute(Type& type) {
  const Token start = in_.token();
  if (in_.at(TokenKind::attribute)) {
    if (without_dialect(start.text) != ir::kPointerAttribute.mnemonic)
      return in_.expected(fmt::format("#cuda_tile.{}", ir::kPointerAttribute.mnemonic));
    in_.advance();
  }
  std::uint8_t number = 0;
  if (!in_.expect("<") || !word_of(ir::kPointerAttribute, number) || !in_.expect(">")) return false;
  type.pointer_attribute = static_cast<ir::PointerAttribute>(number);
  return context_.need(ir::kPointerAttributeSince, "a pointer attribute", start);
}

bool TypeParser::view(Type& type) {
  if (!in_.expect("tile") || !in_.expect("=") || !tile_extents(type) || !in_.expect(",")) return false;
  if (type.kind == TypeKind::strided_view &&
      !(in_.expect("traversal_strides") && in_.expect("=") && integers(type.strides) && in_.expect(","))) {
    return false;
  }
  if (in_.accept("padding_value")) {
    std::uint8_t number = 0;
    if (!in_.expect("=") || !word_of(ir::kPaddingValue, number) || !in_.expect(",")) return false;
    type.padding = static_cast<ir::PaddingValue>(number);
  }
  if (!parse(type.element)) return false;
  if (type.kind == TypeKind::gather_scatter_view) {
    std::int64_t dim = 0;
    if (!in_.expect(",") || !in_.expect("sparse_dim") || !in_.expect("=") || !integer(dim)) return false;
    type.sparse_dim = static_cast<std::int32_t>(std::clamp<std::int64_t>(dim, -1, 0x7FFFFFFF));
    return true;
  }
  if (in_.accept(",")) return dim_map(type);
  type.dim_map.resize(type.shape.size());
  std::iota(type.dim_map.begin(), type.dim_map.end(), 0);
  return true;
}

bool TypeParser::dim_map(Type& type) {
  std::vector<std::int64_t> numbers;
  if (!in_.expect("dim_map") || !in_.expect("=") || !integers(numbers)) return false;
  for (std::int64_t number : numbers)
    type.dim_map.push_back(static_cast<std::int32_t>(std::clamp<std::int64_t>(number, -1, 0x7FFFFFFF)));
  return true;
}

/// Extents run into each other and into the element type ("16x8xf32"), so they are read from the characters.
bool TypeParser::extent(std::size_t& offset, std::int64_t& number) {
  const std::string_view source = in_.source();
  const std::size_t start = offset;
  bool fits = true;
  number = 0;
  for (; offset < source.size() && is_digit(source[offset]); ++offset) {
    fits = fits && !__builtin_mul_overflow(number, 10, &number) &&
           !__builtin_add_overflow(number, source[offset] - '0', &number);
  }
  if (fits) return true;
  const Token token{TokenKind::integer, source.substr(start, offset - start)};
  return in_.error(code::kNumber, fmt::format("extent {} does not fit in 64 bits", token.text), token);
}

bool TypeParser::extents(Type& type, bool dynamic) {
  const std::string_view source = in_.source();
  std::size_t offset = in_.offset();
  const auto next = [&] { return offset < source.size() ? source[offset] : '\0'; };
  while (is_digit(next()) || (next() == '?' && dynamic)) {
    std::int64_t number = ir::kDynamic;
    if (next() == '?') {
      ++offset;
    } else if (!extent(offset, number)) {
      return false;
    }
    type.shape.push_back(number);
    if (next() != 'x') {
      in_.rewind(offset);
      return in_.expected("'x' and the next extent or the element type");
    }
    ++offset;
  }
  if (offset != in_.offset()) in_.rewind(offset);
  return true;
}

bool TypeParser::tile_extents(Type& type) {
  if (!in_.at("(")) return in_.expected("'('");
  const std::string_view source = in_.source();
  std::size_t offset = in_.offset() + 1;
  const auto next = [&] { return offset < source.size() ? source[offset] : '\0'; };
  while (is_digit(next())) {
    std::int64_t number = 0;
    if (!extent(offset, number)) return false;
    type.shape.push_back(number);
    if (next() != 'x') break;
    ++offset;
  }
  in_.rewind(offset);
  return in_.expect(")");
}

bool TypeParser::integer(std::int64_t& number) {
  const bool negative = in_.accept("-");
  Token token;
  if (!in_.expect(TokenKind::integer, "an integer", token)) return false;
  std::uint64_t magnitude = 0;
  bool fits = true;
  const bool hexadecimal = token.text.starts_with("0x");
  for (char c : token.text.substr(hexadecimal ? 2 : 0)) {
    fits = fits && !__builtin_mul_overflow(magnitude, hexadecimal ? 16U : 10U, &magnitude) &&
           !__builtin_add_overflow(magnitude, digit_value(c), &magnitude);
  }
  const std::uint64_t most = (std::uint64_t{1} << 63) - (negative ? 0 : 1);
  if (!fits || (magnitude > most && !(hexadecimal && !negative))) {
    return in_.error(code::kNumber,
                     fmt::format("{}{} does not fit in 64 bits", negative ? "-" : "", token.text), token);
  }
  number = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  return true;
}

bool TypeParser::integers(std::vector<std::int64_t>& numbers, bool dynamic) {
  if (!in_.expect("[")) return false;
  if (in_.accept("]")) return true;
  do {
    std::int64_t number = ir::kDynamic;
    if (!(dynamic && in_.accept("?")) && !integer(number)) return false;
    numbers.push_back(number);
  } while (in_.accept(","));
  return in_.expect("]");
}

bool TypeParser::list(std::vector<TypeId>& types) {
  do {
    if (!parse(types.emplace_back())) return false;
  } while (in_.accept(","));
  return true;
}

bool TypeParser::results(std::vector<TypeId>& types) {
  if (!in_.accept("(")) return parse(types.emplace_back());
  return in_.accept(")") || (list(types) && in_.expect(")"));
}

bool TypeParser::function(Type& signature) {
  signature.kind = TypeKind::function;
  if (!in_.expect("(")) return false;
  if (!in_.accept(")") && !(list(signature.inputs) && in_.expect(")"))) return false;
  return in_.expect("->") && results(signature.results);
}

}  // namespace tileport::text
