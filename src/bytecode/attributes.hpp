// SPDX-License-Identifier: Apache-2.0
// Attributes of ops and functions.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tileport/ir/module.hpp>
#include <unordered_map>

#include "bytecode/cursor.hpp"
#include "bytecode/tables.hpp"

namespace tileport::bytecode {

class AttributeReader {
 public:
  AttributeReader(ir::Module& module, const Tables& tables) : module_(module), tables_(tables) {}

  /// The word of an op's attribute: a number, an id, or the id of the attribute that holds the content. Ops
  /// that say the same in the same bytes share that attribute: kernels repeat few promises and hints often.
  std::uint64_t word(Cursor& in, const ir::AttributeInfo& info);

  /// One attribute with its tag.
  ir::AttributeId tagged(Cursor& in, std::size_t depth = 0);

 private:
  ir::AttributeId content(Cursor& in, const ir::AttributeInfo& info);
  ir::AttributeId add(ir::Attribute attribute);
  void payload(Cursor& in, ir::Attribute& attribute, std::size_t depth);
  void number(Cursor& in, ir::Attribute& attribute);
  void dictionary(Cursor& in, ir::Attribute& attribute, std::size_t depth);
  void array(Cursor& in, ir::Attribute& attribute, std::size_t depth);
  std::uint64_t enumerator(Cursor& in, const ir::Enumeration& values);

  ir::Module& module_;
  const Tables& tables_;
  /// What ops have had so far, by encoding and bytes.
  std::array<std::unordered_map<std::string_view, ir::AttributeId>, ir::kEncodings> known_;
};

}  // namespace tileport::bytecode
