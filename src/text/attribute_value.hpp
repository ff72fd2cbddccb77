// SPDX-License-Identifier: Apache-2.0
// Attributes as they stand in the text, before an op says what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tileport/ir/module.hpp>
#include <vector>

#include "text/lexer.hpp"

namespace tileport::text {

/// "<f32: [[1.0, 2.0]]>" before the type behind it is known.
struct DenseLiteral {
  Token token;
  ir::TypeKind element = ir::TypeKind::i32;
  std::vector<std::uint64_t> bits{};
  std::vector<std::int64_t> shape{};  ///< Of the brackets; empty if one value stands for all.
  std::optional<std::string> raw{};   ///< The bytes of a hexadecimal string.
};

/// A number as written. What it means depends on the type behind it, or on where it stands.
struct NumberLiteral {
  Token token;
  bool negative = false;
};

struct AttributeValue {
  enum class Kind : std::uint8_t {
    unit,        // a key without a value
    boolean,     // true
    number,      // -1 : i32, 0.5 : f32; `type` is what stands behind the colon
    string,      // "text"
    symbol,      // @name
    type,        // tile<f32>
    array,       // [a, b]
    dictionary,  // {a = b}
    numbers,     // array<i32: 1, 0>
    dense,       // dense<1.0> : tile<4xf32>, or <f32: 1.0> : tile<4xf32>
    enumerator,  // #cuda_tile.rounding<zero>: `text` is the name of the set, `word` the member
    encoded,     // predicates and hints: `attribute` is in the module's table
    debug,       // an entry of the debug table
    location,    // loc(...)
  };
  Kind kind = Kind::unit;
  Token token{};
  std::string text{};
  std::string_view word{};
  bool flag = false;
  NumberLiteral number{};
  DenseLiteral dense{};
  std::optional<ir::TypeId> type{};
  ir::AttributeId attribute{};
  ir::DebugId debug{};
  std::vector<std::int64_t> numbers{};
  std::vector<std::string> keys{};
  std::vector<std::shared_ptr<const AttributeValue>> items{};
  std::size_t size = 1;    ///< Nodes when written out: aliases in aliases must not multiply.
  std::size_t height = 1;  ///< How deep it is nested, aliases written out.
};

using AttributeValuePtr = std::shared_ptr<const AttributeValue>;

}  // namespace tileport::text
