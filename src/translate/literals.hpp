// SPDX-License-Identifier: Apache-2.0
// The numbers in an entry's text that may be others in another specialization of the same structure.
//
// An entry is translated twice. The first time a mark stands for each number and the numbers are kept in the
// order in which they were written: two specializations have one structure if their texts with marks are
// equal. The second time each number is written as itself or as a const generic.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <tileport/ir/type.hpp>
#include <utility>
#include <vector>

namespace tileport::translate {

struct Literal {
  enum class Kind {
    extent,   ///< Of a tile, a view or a tensor; a static stride.
    element,  ///< Every element of a constant: its bits, sign-extended from the type's width.
    divisor,  ///< Of a promise; 1 promises nothing.
    type,     ///< A float type, of elements.
  };
  Kind kind = Kind::extent;
  ir::TypeKind type = ir::TypeKind::i32;  ///< Of an element.
  std::int64_t value = 0;                 ///< Of a type: its ir::TypeKind.
  std::string about;                      ///< What a divisor divides, or the argument that has a type.

  friend bool operator==(const Literal& a, const Literal& b) {
    return a.kind == b.kind && a.type == b.type && a.value == b.value;
  }
};

class Literals {
 public:
  /// How a literal is written.
  struct Form {
    std::string text;
    bool is_generic = false;
    bool is_mark = false;
  };

  static Literals marked() { return Literals(); }
  /// Each literal as itself.
  static Literals plain() {
    Literals literals;
    literals.generics_.emplace();
    return literals;
  }
  /// `generics`: for each of `marked`, which were written with marks, the generic that stands for it; empty:
  /// itself.
  static Literals written(std::vector<std::string> generics, std::vector<Literal> marked) {
    Literals literals;
    literals.generics_ = std::move(generics);
    literals.marked_ = std::move(marked);
    return literals;
  }

  Form next(Literal literal);
  bool marks() const { return !generics_; }
  const std::vector<Literal>& all() const { return all_; }

 private:
  std::optional<std::vector<std::string>> generics_;
  std::vector<Literal> marked_;
  std::vector<Literal> all_;
};

}  // namespace tileport::translate
