// SPDX-License-Identifier: Apache-2.0
#include "text/lexer.hpp"

namespace tileport::text {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hexadecimal(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

unsigned digit_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  return static_cast<unsigned>((c | 0x20) - 'a') + 10;
}

bool Lexer::skip_blanks() {
  bool line_begins = at_ == 0;
  while (at_ < source_.size()) {
    const char c = source_[at_];
    if (c == '\n' || c == '\r') {
      line_begins = true;
      ++at_;
    } else if (c == ' ' || c == '\t') {
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      while (at_ < source_.size() && source_[at_] != '\n') ++at_;
    } else {
      break;
    }
  }
  return line_begins;
}

Token Lexer::next() {
  first_on_line_ = skip_blanks();
  const std::size_t start = at_;
  if (at_ >= source_.size()) return token(start, TokenKind::end);
  string_problem_ = false;
  const char c = source_[at_];
  if (is_letter(c)) return name(start, TokenKind::identifier, false);
  if (is_digit(c)) return number(start);
  ++at_;
  switch (c) {
    case '"':
      return string(start);
    case '%':
    case '^':
      return name(start, c == '%' ? TokenKind::value : TokenKind::block, true);
    case '#':
      return name(start, TokenKind::attribute, true);
    case '!':
      return name(start, TokenKind::type, false);
    case '@':
      if (peek() == '"') {
        ++at_;
        Token quoted = string(start);
        if (quoted.kind == TokenKind::string) quoted.kind = TokenKind::symbol;
        return quoted;
      }
      if (!is_letter(peek())) {
        while (at_ < source_.size() && (static_cast<unsigned char>(source_[at_]) & 0x80U) != 0) ++at_;
        return invalid(start, "a symbol's name begins with a letter or an underscore, or is a string");
      }
      return name(start, TokenKind::symbol, false);
    case '-':
      if (peek() == '>') ++at_;
      return token(start, TokenKind::punctuation);
    case '(':
    case ')':
    case '{':
    case '}':
    case '[':
    case ']':
    case '<':
    case '>':
    case ':':
    case ',':
    case '=':
    case '?':
    case '+':
    case '*':
      return token(start, TokenKind::punctuation);
    default:
      // One problem for a word of letters that aren't ASCII.
      while (at_ < source_.size() && (static_cast<unsigned char>(source_[at_]) & 0x80U) != 0) ++at_;
      return invalid(start, "no token begins with this character");
  }
}

Token Lexer::name(std::size_t start, TokenKind kind, bool dashes) {
  const auto more = [&](char c) {
    return is_letter(c) || is_digit(c) || c == '$' || c == '.' || (dashes && c == '-');
  };
  const bool sigil = kind != TokenKind::identifier;
  if (sigil && is_digit(peek())) {
    while (is_digit(peek())) ++at_;
  } else {
    // "#a -> b": an arrow behind a name is not part of it.
    while (more(peek()) && !(peek() == '-' && peek(1) == '>')) ++at_;
  }
  if (sigil && at_ == start + 1) return invalid(start, "a name must follow");
  return token(start, kind);
}

Token Lexer::number(std::size_t start) {
  if (peek() == '0' && peek(1) == 'x' && is_hexadecimal(peek(2))) {
    at_ += 2;
    while (is_hexadecimal(peek())) ++at_;
    return token(start, TokenKind::integer);
  }
  while (is_digit(peek())) ++at_;
  if (peek() != '.') return token(start, TokenKind::integer);
  ++at_;
  while (is_digit(peek())) ++at_;
  if (peek() == 'e' || peek() == 'E') {
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
    if (is_digit(peek(sign))) {
      at_ += sign;
      while (is_digit(peek())) ++at_;
    }
  }
  return token(start, TokenKind::floating);
}

Token Lexer::string(std::size_t start) {
  while (at_ < source_.size()) {
    const char c = source_[at_];
    if (c == '"') {
      ++at_;
      return token(start, TokenKind::string);
    }
    if (c == '\n' || c == '\r') break;
    at_ += c == '\\' && at_ + 1 < source_.size() && peek(1) != '\n' && peek(1) != '\r' ? 2 : 1;
  }
  string_problem_ = true;
  return invalid(start, "a string does not end on its line");
}

std::optional<std::string> unescaped(std::string_view quoted) {
  if (quoted.starts_with('@')) quoted.remove_prefix(1);
  if (!quoted.starts_with('"')) return std::string(quoted);
  quoted = quoted.substr(1, quoted.size() - 2);
  std::string text;
  text.reserve(quoted.size());
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      text += quoted[i];
      continue;
    }
    const char escaped = i + 1 < quoted.size() ? quoted[i + 1] : '\0';
    if (escaped == '"' || escaped == '\\') {
      text += escaped;
      i += 1;
    } else if (i + 2 < quoted.size() && is_hexadecimal(escaped) && is_hexadecimal(quoted[i + 2])) {
      text += static_cast<char>(digit_value(escaped) << 4 | digit_value(quoted[i + 2]));
      i += 2;
    } else if (escaped == 'n' || escaped == 't') {
      text += escaped == 'n' ? '\n' : '\t';
      i += 1;
    } else {
      return std::nullopt;
    }
  }
  return text;
}

}  // namespace tileport::text
