// SPDX-License-Identifier: Apache-2.0
// Attributes as they stand in the text.
#include "text/parse_attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "text/codes.hpp"
#include "text/float.hpp"

namespace tileport::text {
namespace {

using ir::TypeKind;
using Kind = AttributeValue::Kind;

/// What all uses of aliases may add to a text: far more than any text is shortened by them.
constexpr std::size_t expansion_limit(std::size_t text_size) { return 16 * text_size + 10'000; }

bool is_predicate(std::string_view name) {
  return name == "div_by" || name == "same_elements" || name == "bounded";
}

}  // namespace

std::string_view description(Kind kind) {
  constexpr std::string_view kNames[] = {"a unit attribute",  "a boolean",     "a number",
                                         "a string",          "a symbol",      "a type",
                                         "an array",          "a dictionary",  "an array of numbers",
                                         "a dense constant",  "an enumerator", "a predicate or hints",
                                         "debug information", "a location"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool AttributeParser::string(std::string& text) {
  Token token;
  if (!in_.expect(TokenKind::string, "a string", token)) return false;
  auto content = unescaped(token.text);
  if (!content) return in_.error(code::kString, "a string has an escape that does not exist", token);
  text = std::move(*content);
  return true;
}

bool AttributeParser::key(std::string& key) {
  Token token = in_.token();
  if (in_.at(TokenKind::string)) {
    if (!string(key)) return false;
    return !key.empty() || in_.error(code::kAttribute, "a key of a dictionary is empty", token);
  }
  if (!in_.expect(TokenKind::identifier, "a key", token)) return false;
  key = token.text;
  return true;
}

bool AttributeParser::add(AttributeValue& to, AttributeValue&& item) {
  to.size += item.size;
  to.height = std::max(to.height, item.height + 1);
  if (to.height > kDeepestAttribute) {
    return in_.error(code::kNesting,
                     fmt::format("attributes are nested more than {} deep", kDeepestAttribute), item.token);
  }
  to.items.push_back(std::make_shared<const AttributeValue>(std::move(item)));
  return true;
}

bool AttributeParser::value(AttributeValue& made, std::size_t depth) {
  made.token = in_.token();
  if (depth >= kDeepestAttribute) {
    return in_.error(code::kNesting,
                     fmt::format("attributes are nested more than {} deep", kDeepestAttribute), made.token);
  }
  switch (made.token.kind) {
    case TokenKind::string:
      made.kind = Kind::string;
      return string(made.text);
    case TokenKind::symbol: {
      made.kind = Kind::symbol;
      const auto name = unescaped(in_.take().text);
      if (!name) return in_.error(code::kString, "a symbol has an escape that does not exist", made.token);
      made.text = *name;
      return true;
    }
    case TokenKind::attribute:
      return made.token.text.starts_with("#cuda_tile.") ? dialect_value(made) : alias(made);
    case TokenKind::integer:
    case TokenKind::floating:
      break;
    default:
      return plain_value(made, depth);
  }
  made.kind = Kind::number;
  return number(made.number) && (!in_.accept(":") || types_.parse(made.type.emplace()));
}

bool AttributeParser::plain_value(AttributeValue& made, std::size_t depth) {
  if (in_.at("-")) {
    made.kind = Kind::number;
    return number(made.number) && (!in_.accept(":") || types_.parse(made.type.emplace()));
  }
  if (in_.at("true") || in_.at("false")) {
    made.kind = Kind::boolean;
    made.flag = in_.take().text == "true";
    return true;
  }
  if (in_.accept("unit")) return true;
  if (in_.at("[")) return array(made, depth);
  if (in_.at("{")) return dictionary(made, depth);
  if (in_.at("array")) return numbers(made);
  if (in_.at("dense") || in_.at("<")) return dense_value(made);
  if (in_.at("loc")) {
    in_.advance();
    return in_.expect("(") && place(made, depth + 1) && in_.expect(")");
  }
  if (in_.at(TokenKind::identifier) && is_predicate(made.token.text)) {
    made.kind = Kind::encoded;
    return predicate(in_.take().text, made.attribute);
  }
  if (in_.at("(")) {
    ir::Type signature;
    made.kind = Kind::type;
    if (!types_.function(signature)) return false;
    made.type = context_.builder->type(signature);
    return true;
  }
  if (!types_.at_type() && !in_.at(TokenKind::type)) return in_.expected("an attribute");
  made.kind = Kind::type;
  return types_.parse(made.type.emplace());
}

bool AttributeParser::array(AttributeValue& made, std::size_t depth) {
  made.kind = Kind::array;
  if (!in_.expect("[")) return false;
  if (in_.accept("]")) return true;
  do {
    AttributeValue item;
    if (!value(item, depth + 1) || !add(made, std::move(item))) return false;
  } while (in_.accept(","));
  return in_.expect("]");
}

bool AttributeParser::dictionary(AttributeValue& made, std::size_t depth) {
  made.kind = Kind::dictionary;
  made.token = in_.token();
  if (!in_.expect("{")) return false;
  if (in_.accept("}")) return true;
  std::unordered_set<std::string> seen;
  do {
    const Token token = in_.token();
    AttributeValue item;
    item.token = token;
    if (!key(made.keys.emplace_back())) return false;
    if (!seen.insert(made.keys.back()).second) {
      return in_.error(code::kAttribute,
                       fmt::format("key '{}' stands twice in a dictionary", made.keys.back()), token);
    }
    if (in_.accept("=") && !value(item, depth + 1)) return false;
    if (!add(made, std::move(item))) return false;
  } while (in_.accept(","));
  return in_.expect("}");
}

bool AttributeParser::numbers(AttributeValue& made) {
  made.kind = Kind::numbers;
  in_.advance();
  if (!in_.expect("<") || !types_.parse(made.type.emplace())) return false;
  if (in_.accept(":")) {
    do {
      if (in_.at("true") || in_.at("false")) {
        made.numbers.push_back(in_.take().text == "true" ? 1 : 0);
      } else if (!types_.integer(made.numbers.emplace_back())) {
        return false;
      }
    } while (in_.accept(","));
  }
  return in_.expect(">");
}

/// "dense<1.0> : tile<4xf32>": its element type is only known from what stands behind it, so the elements are
/// read once more then.
bool AttributeParser::dense_value(AttributeValue& made) {
  made.kind = Kind::dense;
  if (in_.at("<")) return dense(made.dense) && in_.expect(":") && types_.parse(made.type.emplace());
  in_.advance();
  const std::size_t start = in_.offset();
  std::size_t open = 0;
  for (; !in_.at_end(); in_.advance()) {
    if (in_.at(TokenKind::invalid)) return false;
    if (in_.at("<")) ++open;
    if (in_.at(">") && --open == 0) break;
  }
  const std::size_t braces = in_.braces();
  if (!in_.expect(">") || !in_.expect(":") || !types_.parse(made.type.emplace())) return false;
  const std::size_t end = in_.offset();
  const ir::Type& tile = context_.module->type(*made.type);
  if (tile.kind != TypeKind::tile || !ir::is_element(context_.module->type(tile.element).kind) ||
      in_.braces() != braces) {
    return in_.error(code::kConstant, "a constant's type must be a tile of integers or floats", made.token);
  }
  in_.rewind(start);
  made.dense.token = made.token;
  made.dense.element = context_.module->type(tile.element).kind;
  if (!in_.expect("<") || !elements(made.dense, 0) || !in_.expect(">")) return false;
  in_.rewind(end);
  return true;
}

bool AttributeParser::alias(AttributeValue& made) {
  const Token token = in_.take();
  const auto found = context_.attribute_aliases.find(std::string(token.text));
  if (found == context_.attribute_aliases.end())
    return in_.error(code::kAlias, fmt::format("'{}' is not defined", token.text), token);
  context_.expanded += found->second->size;
  if (context_.expanded > expansion_limit(in_.source().size()))
    return in_.error(code::kNesting, "the attributes are too large once their aliases are written out",
                     token);
  made = *found->second;
  made.token = token;
  return true;
}

bool AttributeParser::dialect_value(AttributeValue& made) {
  const std::string_view name = without_dialect(in_.take().text);
  if (is_predicate(name)) {
    made.kind = Kind::encoded;
    return predicate(name, made.attribute);
  }
  if (name == "optimization_hints") {
    made.kind = Kind::encoded;
    return hints(made.attribute);
  }
  if (name.starts_with("di_")) return debug_value(name, made);
  made.kind = Kind::enumerator;
  made.text = name;
  Token word;
  if (!in_.at("<")) {
    return in_.error(code::kAttribute, fmt::format("'{}' is no attribute of Tile IR", made.token.text),
                     made.token);
  }
  if (!in_.expect("<") || !in_.expect(TokenKind::identifier, "an enumerator", word)) return false;
  made.word = word.text;
  return in_.expect(">");
}

bool AttributeParser::bound(std::optional<std::int64_t>& number) {
  if (in_.accept("?")) return true;
  return types_.integer(number.emplace());
}

bool AttributeParser::predicate(std::string_view name, ir::AttributeId& made) {
  ir::Builder& builder = *context_.builder;
  if (!in_.expect("<")) return false;
  if (name == "div_by") {
    std::int64_t divisor = 0;
    std::optional<std::int64_t> every;
    std::optional<std::int64_t> along;
    if (!types_.integer(divisor)) return false;
    if (in_.accept(",") && !(in_.expect("every") && types_.integer(every.emplace()))) return false;
    if (in_.accept("along") && !types_.integer(along.emplace())) return false;
    made = builder.div_by(static_cast<std::uint64_t>(divisor), every, along);
  } else if (name == "same_elements") {
    std::vector<std::int64_t> groups;
    if (!types_.integers(groups)) return false;
    made = builder.same_elements(std::move(groups));
  } else {
    std::optional<std::int64_t> lower;
    std::optional<std::int64_t> upper;
    if (!bound(lower) || !in_.expect(",") || !bound(upper)) return false;
    made = builder.bounded(lower, upper);
  }
  return in_.expect(">");
}

/// The printer writes keys of hints as they are, as tileirdisasm does.
bool AttributeParser::plain_key(std::string_view key, const Token& token) {
  const auto letter = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$' || c == '.'; };
  if ((is_letter(key.front()) || key.front() == '_') && std::ranges::all_of(key, letter)) return true;
  return in_.error(code::kAttribute, "a key of hints must be an identifier, in quotes or not", token);
}

bool AttributeParser::hints(ir::AttributeId& made) {
  std::vector<std::pair<std::string, ir::AttributeId>> entries;
  if (!in_.expect("<")) return false;
  while (!in_.at(">")) {
    const Token token = in_.token();
    std::string target;
    AttributeValue content;
    if (!key(target) || !plain_key(target, token) || !in_.expect("=")) return false;
    const auto same = [&](const auto& entry) { return entry.first == target; };
    if (std::ranges::any_of(entries, same))
      return in_.error(code::kAttribute, fmt::format("hints for '{}' stand twice", target), token);
    if (!in_.at("{")) return in_.expected(fmt::format("a dictionary with the hints for '{}'", target));
    if (!dictionary(content)) return false;
    for (std::size_t i = 0; i < content.keys.size(); ++i) {
      if (!plain_key(content.keys[i], content.items[i]->token)) return false;
    }
    if (!encode(content, TypeKind::i32, entries.emplace_back(target, ir::AttributeId{}).second)) return false;
    if (!in_.accept(",")) break;
  }
  made = context_.builder->hints(entries);
  return in_.expect(">");
}

// ---- numbers and constants ----------------------------------------------------------------------------

bool AttributeParser::number(NumberLiteral& literal) {
  literal.token = in_.token();
  literal.negative = in_.accept("-");
  if (!in_.at(TokenKind::integer) && !in_.at(TokenKind::floating)) return in_.expected("a number");
  literal.token = in_.take();
  return true;
}

bool AttributeParser::integer_bits(const NumberLiteral& literal, TypeKind kind, std::uint64_t& bits) {
  const std::string_view text = literal.token.text;
  if (literal.token.kind != TokenKind::integer)
    return in_.error(code::kNumber, fmt::format("an {} can't be {}", ir::keyword(kind), text), literal.token);
  const bool hexadecimal = text.starts_with("0x");
  std::uint64_t magnitude = 0;
  bool fits = true;
  for (char c : text.substr(hexadecimal ? 2 : 0)) {
    fits = fits && !__builtin_mul_overflow(magnitude, hexadecimal ? 16U : 10U, &magnitude) &&
           !__builtin_add_overflow(magnitude, digit_value(c), &magnitude);
  }
  const unsigned width = ir::bit_width(kind);
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  // Signed and unsigned readings are both allowed; only -1, which is all ones, is negative in one bit.
  fits = fits && magnitude <= (literal.negative ? (mask >> 1) + 1 : mask);
  if (!fits) {
    return in_.error(
        code::kNumber,
        fmt::format("{}{} does not fit in an {}", literal.negative ? "-" : "", text, ir::keyword(kind)),
        literal.token);
  }
  bits = (literal.negative ? 0 - magnitude : magnitude) & mask;
  return true;
}

bool AttributeParser::bits_of(const NumberLiteral& literal, TypeKind kind, std::uint64_t& bits) {
  if (ir::is_integer(kind)) return integer_bits(literal, kind, bits);
  const std::string_view text = literal.token.text;
  if (literal.token.kind == TokenKind::floating) {
    const auto read = read_float(kind, literal.negative, text);
    if (!read) {
      return in_.error(
          code::kNumber,
          fmt::format("{}{} has no near value in {}", literal.negative ? "-" : "", text, ir::keyword(kind)),
          literal.token);
    }
    bits = *read;
    return true;
  }
  if (!text.starts_with("0x") || literal.negative) {
    return in_.error(code::kNumber,
                     fmt::format("an integer can't stand for a value of {}", ir::keyword(kind)),
                     literal.token, "Write a decimal point behind it, or the bits as a hexadecimal number.");
  }
  // Fewer digits than the format has are the low bits.
  const std::string_view digits = text.substr(std::min(text.find_first_not_of('0', 2), text.size()));
  bits = 0;
  for (char c : digits.substr(0, 16)) bits = bits << 4 | digit_value(c);
  if (digits.size() > 16 || (ir::bit_width(kind) < 64 && bits >> ir::bit_width(kind) != 0)) {
    return in_.error(code::kNumber, fmt::format("{} has more bits than {}", text, ir::keyword(kind)),
                     literal.token);
  }
  return true;
}

bool AttributeParser::dense(DenseLiteral& literal) {
  literal.token = in_.token();
  ir::TypeId element{};
  if (!in_.expect("<")) return false;
  const Token token = in_.token();
  if (!types_.parse(element)) return false;
  literal.element = context_.module->type(element).kind;
  if (!ir::is_element(literal.element))
    return in_.error(code::kConstant, "the elements of a constant must be integers or floats", token);
  return in_.expect(":") && elements(literal, 0) && in_.expect(">");
}

bool AttributeParser::elements(DenseLiteral& literal, std::size_t depth) {
  if (in_.at(TokenKind::string) && depth == 0) return raw_elements(literal);
  if (!in_.at("[")) return element(literal);
  if (depth >= kDeepestAttribute)
    return in_.error(code::kNesting, "the lists of a constant are nested too deeply", in_.token());
  const Token open = in_.take();
  // The first list of a depth says how long all lists of that depth are.
  const bool first = literal.shape.size() == depth;
  if (first) literal.shape.push_back(0);
  std::int64_t count = 0;
  do {
    // All elements of a list are lists, or none is.
    if (in_.at("[") ? literal.shape.size() == depth + 1 && !(first && count == 0)
                    : literal.shape.size() > depth + 1) {
      return in_.error(code::kConstant, "the lists of a constant are not equally deep", in_.token());
    }
    if (!elements(literal, depth + 1)) return false;
    ++count;
  } while (in_.accept(","));
  if (first) literal.shape[depth] = count;
  if (literal.shape[depth] != count) {
    return in_.error(
        code::kConstant,
        fmt::format("this list has {} elements, the first of its kind has {}", count, literal.shape[depth]),
        open);
  }
  return in_.expect("]");
}

bool AttributeParser::element(DenseLiteral& literal) {
  if (literal.element == TypeKind::i1 && (in_.at("true") || in_.at("false"))) {
    literal.bits.push_back(in_.take().text == "true" ? 1 : 0);
    return true;
  }
  NumberLiteral read;
  return number(read) && bits_of(read, literal.element, literal.bits.emplace_back());
}

bool AttributeParser::raw_elements(DenseLiteral& literal) {
  const Token token = in_.take();
  const std::string_view text = token.text.substr(1, token.text.size() - 2);
  const bool good = text.starts_with("0x") && text.size() % 2 == 0 && text.size() > 2 &&
                    std::ranges::all_of(text.substr(2), is_hexadecimal);
  if (!good) {
    return in_.error(code::kConstant, "the bytes of a constant are \"0x\" and two hexadecimal digits a byte",
                     token);
  }
  std::string& raw = literal.raw.emplace();
  raw.reserve(text.size() / 2 - 1);
  for (std::size_t i = 2; i < text.size(); i += 2)
    raw += static_cast<char>(digit_value(text[i]) << 4 | digit_value(text[i + 1]));
  return true;
}

}  // namespace tileport::text
