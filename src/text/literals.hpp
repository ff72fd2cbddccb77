// SPDX-License-Identifier: Apache-2.0
// Pieces of text that don't depend on value names: types, constants, attributes, strings, symbols.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tileport/ir/module.hpp>
#include <vector>

namespace tileport::text {

/// Appends with MLIR's escapes: "\\" and "\XX" for quotes and bytes that aren't printable ASCII.
void append_escaped(std::string& out, std::string_view text);
/// In quotes, with these escapes.
void append_quoted(std::string& out, std::string_view text);
/// "@name", quoted if it isn't an identifier.
void append_symbol(std::string& out, std::string_view name);

/// The elements of a constant of a tile type.
struct Elements {
  ir::TypeKind kind = ir::TypeKind::i32;
  std::vector<std::uint64_t> bits;  ///< One if they are all equal, else all of them.
  bool splat() const { return bits.size() == 1; }
};

/// Where MLIR writes the type of a number behind it.
enum class NumberTypes : std::uint8_t {
  always,   ///< In a dictionary.
  unusual,  ///< In a list: unless it is the type of a bare literal.
  never,    ///< In hints.
};

class Literals {
 public:
  explicit Literals(const ir::Module& module) : module_(module), types_(module.types.size()) {}

  const std::string& type(ir::TypeId id);
  Elements elements(ir::ConstantId constant, ir::TypeId type) const;
  /// "<f32: [1.0, 2.0]>", without the type behind it.
  void append_dense(std::string& out, ir::ConstantId constant, ir::TypeId type);
  /// An attribute as it stands in a list or dictionary.
  void append_attribute(std::string& out, const ir::Attribute& attribute, NumberTypes types);
  void append_predicate(std::string& out, const ir::Attribute& attribute);
  /// "<sm_90 = {latency = 3}>", keys sorted.
  void append_hints(std::string& out, const ir::Attribute& attribute);
  /// "{dialect.key = 3 : i32}", keys sorted.
  void append_dictionary(std::string& out, const ir::Attribute& attribute);

 private:
  std::string make_type(const ir::Type& type);
  void append_view(std::string& out, const ir::Type& type);
  void append_number(std::string& out, const ir::Attribute& attribute, NumberTypes types);
  void append_type(std::string& out, ir::TypeId id);
  template <class Append>
  void append_sorted(std::string& out, const ir::Attribute& attribute, Append&& append);
  void append_nested(std::string& out, const Elements& elements, std::span<const std::int64_t> shape,
                     std::size_t& next);

  const ir::Module& module_;
  std::vector<std::string> types_;  ///< Made when first asked for.
};

std::string element_text(ir::TypeKind kind, std::uint64_t bits);
std::int64_t sign_extended(ir::TypeKind kind, std::uint64_t bits);

}  // namespace tileport::text
