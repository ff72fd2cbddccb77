// SPDX-License-Identifier: Apache-2.0
// Ops of one function.
#pragma once

#include <cstdint>
#include <optional>
#include <tileport/ir/module.hpp>
#include <vector>

#include "bytecode/attributes.hpp"
#include "bytecode/cursor.hpp"
#include "bytecode/debug.hpp"
#include "bytecode/tables.hpp"

namespace tileport::bytecode {

class BodyReader {
 public:
  BodyReader(ir::Module& module, const Tables& tables, AttributeReader& attributes, DebugReader& debug,
             std::optional<ir::TypeId>& token_type, Cursor& in)
      : module_(module),
        tables_(tables),
        attributes_(attributes),
        debug_(debug),
        token_type_(token_type),
        in_(in) {}

  /// Reads ops until the bytes end. `arguments` are the types of the function's parameters.
  ir::BlockId read(const std::vector<ir::TypeId>& arguments);

 private:
  ir::BlockId new_block(ir::RegionId parent, const std::vector<ir::TypeId>& arguments);
  ir::ValueId new_value(ir::TypeId type, ir::Value::Owner owner, std::uint32_t owner_id, std::uint32_t index);
  ir::OpId read_op(ir::BlockId block, std::size_t depth);
  void read_results(ir::OpId id, std::uint64_t start);
  void read_attributes(ir::OpId id, std::uint64_t start);
  void read_operands(ir::OpId id, std::uint64_t start);
  void read_counted_operands(ir::OpId id, std::uint64_t start);
  void read_regions(ir::OpId id, std::uint64_t start, std::size_t depth);
  void read_block(ir::RegionId region, std::size_t depth);
  void check_op(ir::OpId id, std::uint64_t start);
  void check_tensor_view(ir::OpId id, std::uint64_t start);
  std::uint32_t operand();
  /// Every table of ops and values grows through this.
  template <class Table>
  void append(Table& table, typename Table::value_type item);
  template <class Table>
  void make_room(Table& table);
  bool flagged(const ir::Operation& op, std::string_view name) const;
  ir::TypeId token_type();

  ir::Module& module_;
  const Tables& tables_;
  AttributeReader& attributes_;
  DebugReader& debug_;
  std::optional<ir::TypeId>& token_type_;  ///< Found once for all functions.
  Cursor& in_;
  /// The values that are defined at this place, by their numbers in the bytecode.
  std::vector<ir::ValueId> scope_;
};

}  // namespace tileport::bytecode
