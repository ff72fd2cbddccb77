// SPDX-License-Identifier: Apache-2.0
//   type    := ["!cuda_tile."] kind | "!" alias
//   kind    := i1 | … | token
//            | "ptr<" type ["," attribute "<" word ">"] ">"
//            | "tile<" (number "x")* type ">"
//            | "tensor_view<" ((number | "?") "x")* type ["," "strides=[" (number | "?"),… "]"]
//                  ["," "#cuda_tile.ptr_attr<" word ">"] ">"
//            | "partition_view<" view ["," "dim_map=[" number,… "]"] ">"
//            | "strided_view<" view … ">"            (the view with traversal_strides)
//            | "gather_scatter_view<" view "," "sparse_dim=" number ">"
//   view    := "tile=(" number "x" … ")" "," ["traversal_strides=[" number,… "]" ","]
//                  ["padding_value" "=" word ","] type
//   function := "(" type,… ")" "->" (type | "(" type,… ")")
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tileport/ir/builder.hpp>
#include <unordered_map>
#include <vector>

#include "text/attribute_value.hpp"
#include "text/token_stream.hpp"

namespace tileport::text {

/// What the parts of the parser share.
struct Context {
  TokenStream in;
  ir::Module* module = nullptr;
  ir::Builder* builder = nullptr;
  std::unordered_map<std::string, ir::TypeId> type_aliases{};
  std::unordered_map<std::string, AttributeValuePtr> attribute_aliases{};
  /// Of each entry of the module's debug table: how deep what it refers to is nested.
  std::vector<std::uint32_t> debug_heights{0};
  std::size_t expanded = 0;  ///< Parts of attributes that aliases stood for.
  /// The version that is wanted; nothing: whatever is needed.
  std::optional<ir::Version> wanted{};
  ir::Version needed{13, 1};

  /// Notes that the text has something that is only in versions from `since` on.
  bool need(ir::Version since, std::string_view what, const Token& at);
};

class TypeParser {
 public:
  explicit TypeParser(Context& context) : context_(context), in_(context.in) {}

  /// Whether a type begins here.
  bool at_type() const;
  bool parse(ir::TypeId& type);
  /// Types with commas between them, at least one.
  bool list(std::vector<ir::TypeId>& types);
  /// "(types) -> types".
  bool function(ir::Type& signature);
  /// One type, or any number in parentheses.
  bool results(std::vector<ir::TypeId>& types);
  /// "-3"; what is no 64-bit number is told.
  bool integer(std::int64_t& number);
  /// "[1, -2]"; `dynamic` allows "?".
  bool integers(std::vector<std::int64_t>& numbers, bool dynamic = false);

 private:
  bool payload(ir::Type& type);
  bool pointer_attribute(ir::Type& type);
  bool view(ir::Type& type);
  bool dim_map(ir::Type& type);
  /// "16x?x": the extents in front of an element type.
  bool extents(ir::Type& type, bool dynamic);
  bool extent(std::size_t& offset, std::int64_t& number);
  bool tile_extents(ir::Type& type);
  bool word_of(const ir::Enumeration& words, std::uint8_t& number);

  Context& context_;
  TokenStream& in_;
  std::size_t depth_ = 0;
};

}  // namespace tileport::text
