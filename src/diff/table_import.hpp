// SPDX-License-Identifier: Apache-2.0
// Brings types, constants, strings and attributes of one module into another's tables.
#pragma once

#include <tileport/ir/builder.hpp>
#include <unordered_map>

namespace tileport::diff {

class TableImport {
 public:
  TableImport(const ir::Module& from, ir::Builder& into) : from_(from), into_(into) {}

  ir::StringId string(ir::StringId id) { return into_.string(from_.string(id)); }
  ir::ConstantId constant(ir::ConstantId id) {
    return into_.constant(from_.constants[static_cast<std::size_t>(id)]);
  }
  ir::TypeId type(ir::TypeId id);
  ir::AttributeId attribute(ir::AttributeId id);
  /// An op's own attribute: its word, whatever it refers to.
  ir::AttributeSlot slot(const ir::AttributeInfo& info, ir::AttributeSlot slot);

 private:
  const ir::Module& from_;
  ir::Builder& into_;
  std::unordered_map<std::uint32_t, ir::TypeId> types_;
};

}  // namespace tileport::diff
