// SPDX-License-Identifier: Apache-2.0
#include "text/token_stream.hpp"

#include <fmt/format.h>

#include "text/codes.hpp"

namespace tileport::text {

std::string_view without_dialect(std::string_view name) {
  constexpr std::string_view kDialect = "cuda_tile.";
  if (name.starts_with('!') || name.starts_with('#')) name.remove_prefix(1);
  if (name.starts_with(kDialect)) name.remove_prefix(kDialect.size());
  return name;
}

namespace {

/// How a diagnostic shows a token: enough to find it.
std::string shown(const Token& token) {
  constexpr std::size_t kMost = 40;
  if (token.kind == TokenKind::end) return "the end of the text";
  if (token.text.size() <= kMost) return fmt::format("'{}'", token.text);
  return fmt::format("'{}…'", token.text.substr(0, kMost));
}

}  // namespace

void TokenStream::advance() {
  if (token_.kind == TokenKind::punctuation) {
    if (token_.text == "{") ++braces_;
    if (token_.text == "}" && braces_ > 0) --braces_;
  }
  token_ = lexer_.next();
  if (token_.kind == TokenKind::invalid) {
    const std::string advice = token_.text.starts_with('@') ? "Write @\"name\" for other names." : "";
    error(lexer_.string_problem() ? code::kString : code::kCharacter, std::string(lexer_.problem()), token_,
          advice);
  }
}

void TokenStream::rewind(std::size_t offset) {
  lexer_.rewind(offset);
  token_ = {};
  advance();
}

bool TokenStream::expect(std::string_view spelled) {
  if (accept(spelled)) return true;
  return expected(fmt::format("'{}'", spelled));
}

bool TokenStream::expect(TokenKind kind, std::string_view what, Token& taken) {
  if (!at(kind)) return expected(what);
  taken = take();
  return true;
}

bool TokenStream::expected(std::string_view what, std::string advice) {
  // An invalid token has its own diagnostic.
  if (at(TokenKind::invalid)) return false;
  const auto code = at_end() ? code::kUnclosed : code::kExpected;
  return error(code, fmt::format("{} is needed here, not {}", what, shown(token_)), token_,
               std::move(advice));
}

bool TokenStream::error(std::string_view code, std::string message, const Token& at, std::string advice) {
  if (quiet_ || diagnostics_.size() > kMostErrors) return false;
  Diagnostic diagnostic{
      .code = std::string(code), .message = std::move(message), .advice = std::move(advice)};
  if (diagnostics_.size() == kMostErrors) {
    diagnostic.code = std::string(code::kTooMany);
    diagnostic.message = fmt::format("there are more than {} errors; the rest is not told", kMostErrors);
    diagnostic.advice.clear();
  }
  const ir::Origin place = origin(at);
  diagnostic.place.file = file_;
  diagnostic.place.line = place.line;
  diagnostic.place.column = place.column;
  diagnostics_.push_back(std::move(diagnostic));
  return false;
}

bool TokenStream::hopeless() const { return diagnostics_.size() > kMostErrors; }

ir::Origin TokenStream::origin(const Token& token) {
  const std::size_t offset = token.kind == TokenKind::end ? source().size() : lexer_.offset_of(token);
  if (offset < counted_to_) {
    counted_to_ = 0;
    line_ = 1;
    line_start_ = 0;
  }
  for (; counted_to_ < offset; ++counted_to_) {
    if (source()[counted_to_] != '\n') continue;
    ++line_;
    line_start_ = counted_to_ + 1;
  }
  return {.offset = offset, .line = line_, .column = static_cast<std::uint32_t>(offset - line_start_ + 1)};
}

void TokenStream::skip_to_next_op(std::size_t start, std::size_t braces) {
  const bool quiet = std::exchange(quiet_, true);
  for (; !at_end(); advance()) {
    if (braces_ > braces) continue;
    if (braces_ < braces || at("}")) break;
    const bool opens = at(TokenKind::value) || at(TokenKind::string) ||
                       (at(TokenKind::identifier) && ir::find_op_of_text(without_dialect(token_.text)));
    if (opens && token_.first_on_line && offset() > start) break;
  }
  quiet_ = quiet;
}

}  // namespace tileport::text
