// SPDX-License-Identifier: Apache-2.0
// Encodes the sections of a module in its version, with its tables as they stand.
//
//   strings    table of raw bytes
//   constants  table of (varint size, raw bytes)
//   types      table of (varint tag, fields)
//   debug      see debug.cpp
//   functions, globals  see functions.cpp; ops see body.cpp; attributes see attributes.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tileport/bytecode/layout.hpp>
#include <tileport/core/diagnostic.hpp>
#include <tileport/ir/module.hpp>
#include <vector>

#include "bytecode/format.hpp"
#include "bytecode/output.hpp"

namespace tileport::bytecode {

class Encoder {
 public:
  /// Recording outputs need the layout that they fill; it may be null otherwise.
  Encoder(const ir::Module& module, const Layout* layout);

  /// The payload of a section.
  void section(SectionId id, Output& out);
  /// Whether a section says anything.
  bool needed(SectionId id) const;

  /// Locations as they are written unless the layout says otherwise: one slice a function that has any.
  static Layout::Slices plain_slices(const ir::Module& module);

  const std::optional<Diagnostic>& failure() const { return failure_; }

 private:
  // encoder.cpp
  template <class Write>
  void table(Output& out, Layout::Item head, Layout::Item entry, std::size_t width, std::size_t count,
             Write&& write);
  void write_type(Output& out, const ir::Type& type);
  void write_debug(Output& out);
  void write_functions(Output& out);
  void write_function(Output& out, std::uint32_t number);
  void write_globals(Output& out);
  Layout::Slices slices() const;
  bool says_something(ir::AttributeId array) const;

  // encode_body.cpp
  void write_block_ops(Output& out, ir::BlockId block);
  void write_op(Output& out, ir::OpId id);
  void check_parts(ir::OpId id);
  void write_results(Output& out, ir::OpId id);
  std::uint64_t presence_flags(ir::OpId id) const;
  void write_flags(Output& out, ir::OpId id);
  void write_op_attributes(Output& out, ir::OpId id);
  void write_operands(Output& out, ir::OpId id);
  void write_operand(Output& out, ir::OpId id, ir::ValueId value);
  void write_regions(Output& out, ir::OpId id);
  void enter_block(ir::BlockId block);
  void define(ir::ValueId value);

  // encode_attributes.cpp
  void write_word(Output& out, const ir::AttributeInfo& info, std::uint64_t word);
  void write_tagged(Output& out, ir::AttributeId id, std::size_t depth = 0);
  void write_content(Output& out, const ir::Attribute& attribute, std::size_t depth);
  void write_number(Output& out, const ir::Attribute& attribute);
  void write_dictionary(Output& out, const ir::Attribute& attribute, std::size_t depth);
  void write_index(Output& out, std::uint64_t number, std::size_t size, std::string_view what);
  void write_string(Output& out, ir::StringId id);
  void write_type_id(Output& out, ir::TypeId id);
  void write_constant(Output& out, ir::ConstantId id);

  /// Keeps the first failure.
  void fail(std::string_view code, std::string message, std::string advice = {});
  /// The module uses what exists only from `since` on.
  void lacks(std::string_view what, ir::Version since);
  void contradiction(std::string message);

  const ir::Module& module_;
  const Layout* layout_;
  std::optional<Diagnostic> failure_;
  std::optional<ir::OpId> current_op_;
  /// The number that each value has at this place, or kNone.
  std::vector<std::uint32_t> numbers_;
  std::vector<ir::ValueId> scope_;
  Layout::Slices slices_;
  friend class FieldWriter;
};

}  // namespace tileport::bytecode
