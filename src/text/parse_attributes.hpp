// SPDX-License-Identifier: Apache-2.0
//   value      := "true" | "false" | "unit" | number [":" type] | string | symbol | type | function type
//               | "[" value,… "]" | dictionary | "array<" type [":" number,…] ">" | "dense<" elements ">" ":"
//               type | dense ":" type | predicate | "loc(" location ")" | "#" alias | "#cuda_tile."
//               (predicate | "optimization_hints" hints | set "<" word ">" | debug)
//   dictionary := "{" (key ["=" value]),… "}"
//   number     := ["-"] (digits | digits "." digits [exponent] | 0x digits)
//   dense      := "<" element type ":" elements ">"
//   elements   := number | "true" | "false" | "[" elements,… "]" | string of hexadecimal bytes
//   predicate  := "div_by<" number ["," "every" number "along" number] ">" | "same_elements<[" number,… "]>"
//               | "bounded<" (number | "?") "," (number | "?") ">"
//   hints      := "<" (key "=" dictionary),… ">"
//   location   := "unknown" | string ":" number ":" number | string ["(" location ")"]
//               | "callsite(" location "at" location ")" | "fused" ["<" value ">"] "[" location,… "]" | value
//   debug      := "di_file<" string "in" string ">" | "di_loc<" location "in" value ">"
//               | ("di_compile_unit" | "di_subprogram" | "di_lexical_block") "<" (key "=" value),… ">"
#pragma once

#include <string_view>

#include "text/attribute_value.hpp"
#include "text/parse_types.hpp"

namespace tileport::text {

class AttributeParser {
 public:
  AttributeParser(Context& context, TypeParser& types) : context_(context), types_(types), in_(context.in) {}

  // ---- as they stand in the text
  bool value(AttributeValue& made, std::size_t depth = 0);
  /// The braces and what is in them.
  bool dictionary(AttributeValue& made, std::size_t depth = 0);
  /// "loc(...)".
  bool location(ir::DebugId& place);
  bool dense(DenseLiteral& literal);

  // ---- what they mean
  /// An op's attribute where its form puts it. Constants can't be read so: their type comes later.
  bool word(const ir::AttributeInfo& info, std::uint64_t& word);
  /// An op's attribute from a dictionary. `type` is the type of the op's first result, for constants.
  bool convert(const ir::AttributeInfo& info, const AttributeValue& value, std::optional<ir::TypeId> type,
               std::uint64_t& word);
  /// "<sm_90 = {...}>"
  bool hints(ir::AttributeId& made);
  bool constant(const DenseLiteral& literal, ir::TypeId tile, ir::ConstantId& made);
  /// An entry of the attribute table. Integers without a type are of `integers`.
  bool encode(const AttributeValue& value, ir::TypeKind integers, ir::AttributeId& made);

 private:
  bool plain_value(AttributeValue& made, std::size_t depth);
  bool array(AttributeValue& made, std::size_t depth);
  bool numbers(AttributeValue& made);
  bool dense_value(AttributeValue& made);
  bool dialect_value(AttributeValue& made);
  bool alias(AttributeValue& made);
  bool key(std::string& key);
  bool plain_key(std::string_view key, const Token& token);
  bool add(AttributeValue& to, AttributeValue&& item);
  bool predicate(std::string_view name, ir::AttributeId& made);
  bool bound(std::optional<std::int64_t>& number);
  bool number(NumberLiteral& literal);
  bool bits_of(const NumberLiteral& literal, ir::TypeKind kind, std::uint64_t& bits);
  bool integer_bits(const NumberLiteral& literal, ir::TypeKind kind, std::uint64_t& bits);
  bool elements(DenseLiteral& literal, std::size_t depth);
  bool element(DenseLiteral& literal);
  bool raw_elements(DenseLiteral& literal);
  bool enumerator(const ir::AttributeInfo& info, const Token& word, std::uint64_t& number);
  bool typed_array(const AttributeValue& value, ir::AttributeId& made);
  bool not_convertible(const ir::AttributeInfo& info, const AttributeValue& value);

  // ---- locations and debug information
  bool place(AttributeValue& made, std::size_t depth);
  bool call_site(AttributeValue& made, std::size_t depth);
  bool fused(AttributeValue& made, std::size_t depth);
  bool debug_value(std::string_view name, AttributeValue& made);
  bool debug_location(AttributeValue& made);
  bool debug_field(std::string_view owner, ir::DebugEntry& entry);
  bool debug_reference(ir::DebugId& to);
  bool add_debug(const ir::DebugEntry& entry, AttributeValue& made);
  bool string(std::string& text);

  Context& context_;
  TypeParser& types_;
  TokenStream& in_;
};

/// How a diagnostic names a kind of value.
std::string_view description(AttributeValue::Kind kind);

}  // namespace tileport::text
