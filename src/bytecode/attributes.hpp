// SPDX-License-Identifier: Apache-2.0
// Attributes of ops and functions.
#pragma once

#include <cstddef>
#include <tileport/ir/module.hpp>

#include "bytecode/cursor.hpp"
#include "bytecode/tables.hpp"

namespace tileport::bytecode {

class AttributeReader {
 public:
  AttributeReader(ir::Module& module, const Tables& tables) : module_(module), tables_(tables) {}

  /// The word of an op's attribute: a number, an id, or the id of the attribute that holds the content.
  std::uint64_t word(Cursor& in, const ir::AttributeInfo& info);

  /// One attribute with its tag.
  ir::AttributeId tagged(Cursor& in, std::size_t depth = 0);

 private:
  ir::AttributeId add(ir::Attribute attribute);
  void payload(Cursor& in, ir::Attribute& attribute, std::size_t depth);
  void number(Cursor& in, ir::Attribute& attribute);
  void dictionary(Cursor& in, ir::Attribute& attribute, std::size_t depth);
  void array(Cursor& in, ir::Attribute& attribute, std::size_t depth);
  std::uint64_t enumerator(Cursor& in, const ir::Enumeration& values);

  ir::Module& module_;
  const Tables& tables_;
};

}  // namespace tileport::bytecode
