// SPDX-License-Identifier: Apache-2.0
// The parser's view of the text: one token ahead, and the diagnostics.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tileport/core/diagnostic.hpp>
#include <tileport/ir/module.hpp>
#include <utility>

#include "text/lexer.hpp"

namespace tileport::text {

/// "cuda_tile.addf", "!cuda_tile.tile", "#cuda_tile.div_by" without the dialect and the mark.
std::string_view without_dialect(std::string_view name);

/// Functions that parse something return whether they did; if not, there is a diagnostic, unless what failed
/// is the consequence of an error that was told before.
class TokenStream {
 public:
  TokenStream(std::string_view source, std::string file) : lexer_(source), file_(std::move(file)) {
    advance();
  }

  const Token& token() const { return token_; }
  bool at(std::string_view spelled) const { return token_.is(spelled); }
  bool at(TokenKind kind) const { return token_.kind == kind; }
  bool at_end() const { return at(TokenKind::end); }
  /// The current token, and goes on.
  Token take() {
    const Token taken = token_;
    advance();
    return taken;
  }
  void advance();
  bool accept(std::string_view spelled) {
    if (!at(spelled)) return false;
    advance();
    return true;
  }
  bool expect(std::string_view spelled);
  /// Takes a token of a kind, which `what` names in the diagnostic.
  bool expect(TokenKind kind, std::string_view what, Token& taken);
  /// Reads on from within the source, token by token.
  void rewind(std::size_t offset);
  /// Reads again from the beginning.
  void restart() {
    braces_ = 0;
    rewind(0);
  }
  std::size_t offset() const { return lexer_.offset_of(token_); }
  std::string_view source() const { return lexer_.source(); }

  /// Always false.
  bool error(std::string_view code, std::string message, const Token& at, std::string advice = {});
  /// "… expected, found …" at the current token.
  bool expected(std::string_view what, std::string advice = {});
  const Diagnostics& diagnostics() const { return diagnostics_; }
  Diagnostics take_diagnostics() { return std::move(diagnostics_); }
  bool hopeless() const;
  /// Whether errors are left out: in a pass that only looks for something.
  void set_quiet(bool quiet) { quiet_ = quiet; }
  ir::Origin origin(const Token& token);

  /// Braces that are open at the current token.
  std::size_t braces() const { return braces_; }
  /// After an error in the op that begins at `start`: goes to the next op of the block in which `braces` are
  /// open, or to the brace that closes it.
  void skip_to_next_op(std::size_t start, std::size_t braces);

 private:
  Lexer lexer_;
  std::string file_;
  Token token_;
  Diagnostics diagnostics_;
  bool quiet_ = false;
  std::size_t braces_ = 0;
  std::size_t counted_to_ = 0;  ///< Lines are counted once: places are asked for in rising order, mostly.
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
};

}  // namespace tileport::text
