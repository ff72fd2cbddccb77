// SPDX-License-Identifier: Apache-2.0
// Rust source text in rustfmt's layout (max_width = 110, use_small_heuristics = "Max").
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tileport::translate {

/// The right-hand side of a statement, in pieces, so that a long one can be broken at the right places.
struct Expression {
  enum class Kind { text, call, dims };
  Kind kind = Kind::text;
  std::string head;                ///< text: all of it; call: the function; dims: the struct's path.
  std::vector<std::string> parts;  ///< call: arguments; dims: elements of the field `dims`.

  std::string flat() const;
};

inline Expression text(std::string all) { return {Expression::Kind::text, std::move(all), {}}; }
inline Expression call(std::string function, std::vector<std::string> arguments) {
  return {Expression::Kind::call, std::move(function), std::move(arguments)};
}
inline Expression dims(std::string path, std::vector<std::string> elements) {
  return {Expression::Kind::dims, std::move(path), std::move(elements)};
}

std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");

class Source {
 public:
  explicit Source(unsigned depth = 0) : depth_(depth) {}

  void line(std::string_view text);
  void blank() { text_ += '\n'; }
  /// A line that opens a block; what follows is indented until `close`.
  void open(std::string_view text);
  void close(std::string_view text = "}");
  /// Closes a block and opens the next on one line: "} else {".
  void reopen(std::string_view text);
  /// `let PATTERN: TYPE = EXPRESSION;`
  void let(std::string_view pattern, std::string_view type, const Expression& expression);
  /// `EXPRESSION;`
  void statement(const Expression& expression);
  /// `HEAD<GENERICS>(PARAMETERS) {`, opened.
  void open_function(std::string_view head, const std::vector<std::string>& generics,
                     const std::vector<std::string>& parameters);

  const std::string& str() const { return text_; }

 private:
  void broken(std::string_view prefix, const Expression& expression);

  std::string text_;
  unsigned depth_;
};

}  // namespace tileport::translate
