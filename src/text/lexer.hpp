// SPDX-License-Identifier: Apache-2.0
// Tokens of the text form, which are MLIR's:
//
//   identifier   [A-Za-z_][A-Za-z0-9_$.]*
//   value        % and digits, or a letter or one of $._- and any number of letters, digits and $._-
//   symbol       @ and an identifier or a string
//   attribute    # and a name (an alias, dialect.name) or digits (a result's number)
//   type         ! and a name
//   block        ^ and a name
//   number       digits, 0x and hexadecimal digits, or digits.digits[e[+-]digits]
//   string       "..." on one line, escapes \" \\ \n \t \XX
//   punctuation  one character, or ->
//
// Comments go from // to the end of the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tileport::text {

enum class TokenKind : std::uint8_t {
  end,
  invalid,
  identifier,
  value,
  symbol,
  attribute,
  type,
  block,
  integer,
  floating,
  string,
  punctuation,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text{};  ///< As written, with its first character.
  bool first_on_line = false;

  bool is(std::string_view spelled) const {
    return (kind == TokenKind::identifier || kind == TokenKind::punctuation) && text == spelled;
  }
};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  Token next();
  /// Goes back (or on) to an offset of the source.
  void rewind(std::size_t offset) { at_ = offset; }
  std::size_t offset_of(const Token& token) const {
    return static_cast<std::size_t>(token.text.data() - source_.data());
  }
  std::string_view source() const { return source_; }
  /// Why the last token was invalid.
  std::string_view problem() const { return problem_; }
  bool string_problem() const { return string_problem_; }

 private:
  bool skip_blanks();
  Token number(std::size_t start);
  Token string(std::size_t start);
  Token name(std::size_t start, TokenKind kind, bool dashes);
  Token token(std::size_t start, TokenKind kind) const {
    return {kind, source_.substr(start, at_ - start), first_on_line_};
  }
  Token invalid(std::size_t start, std::string_view problem) {
    problem_ = problem;
    return token(start, TokenKind::invalid);
  }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool first_on_line_ = true;
  bool string_problem_ = false;
  std::string_view problem_;
};

/// A string token's content, or a symbol's name; nothing if an escape is malformed.
std::optional<std::string> unescaped(std::string_view quoted);

bool is_digit(char c);
bool is_hexadecimal(char c);
bool is_letter(char c);  ///< And the underscore.
/// 0 to 15. The character must be a hexadecimal digit.
unsigned digit_value(char c);

}  // namespace tileport::text
