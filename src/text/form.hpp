// SPDX-License-Identifier: Apache-2.0
// The language of `OpInfo::form`: how an op's text follows its mnemonic.
//
//   form      := (literal | '{' directive '}')*
//   directive := name                 an operand group (values with commas), or an attribute by its encoding:
//                                     enumerator, number, true/false, "string", [1, 0], dense constant,
//                                     predicate, hints
//              | name '?' form ['|' form]
//                                     the first form if `name` says something, else the second
//              | symbol(attribute)    a string as a symbol: @name
//              | attributes(name)     an enumeration in MLIR's attribute dictionary, if it says something:
//                                     " attributes {reduction = #cuda_tile.multimem_reduction_kind<min>}"
//              | type(group)          the types of all operands or results of a group
//              | first_type(group)    the type of the first
//              | same_type(group)     one type if all are the same, else all
//              | shape(group)         a tensor_view's extents, dynamic ones replaced by the group's values
//              | strides(group)       the same for its strides
//              | source_type(group)   make_tensor_view's operand type and an arrow, where the text needs one
//              | argument(i)          the name of argument i of the body
//              | bindings(group)      "%argument = %value" for the body's last arguments, one a value
//              | region(i)            "{", the ops, "}"; a last continue (loops) or yield (if) without
//                                     operands is left out
//              | else(i)              " else " and the region, unless it is empty
//              | function(i)          the region on a line of its own, behind its arguments with their types
//
// A group says something if it isn't empty, a flag if it is set, an enumeration if it differs from the row's
// default, a boolean list if an entry is true, another attribute if it is present.
//
// Forms hold no escapes: '{', '}', '?' and '|' have no other use in the text of an op.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tileport/ir/op_table.hpp>
#include <vector>

namespace tileport::text {

enum class Directive : std::uint8_t {
  literal,
  plain,
  condition,
  symbol,
  attributes,
  type,
  first_type,
  same_type,
  shape,
  strides,
  source_type,
  argument,
  bindings,
  region,
  else_region,
  function,
};

/// What a directive's name refers to in the op's row.
enum class Subject : std::uint8_t { none, operands, results, attribute, flag };

struct FormNode {
  Directive directive = Directive::literal;
  Subject subject = Subject::none;
  std::uint8_t index = 0;  ///< Number of the group, attribute or flag in the row, or the directive's number.
  std::string_view literal{};
  std::vector<std::string_view> words{};  ///< The tokens of the literal.
  std::vector<FormNode> then{};
  std::vector<FormNode> otherwise{};
};

/// Parses one row's form; nothing if the form is malformed or names what the row doesn't have.
std::optional<std::vector<FormNode>> parse_form(const ir::OpInfo& info);

/// The parsed form of a row of the op table; parsed once.
const std::vector<FormNode>& form_of(const ir::OpInfo& info);

}  // namespace tileport::text
