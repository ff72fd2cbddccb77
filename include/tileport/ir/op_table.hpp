// SPDX-License-Identifier: Apache-2.0
// The op table: everything that tileport knows about a Tile IR op, declared once, as data.
//
// Reader, printer, diff and translator are driven by these rows; src/ir/ops_<family>.cpp hold them, one file
// per family. To add an op, add one row there (CONTRIBUTING.md says what else follows).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tileport/ir/constraint.hpp>
#include <tileport/ir/enumerations.hpp>
#include <tileport/ir/inline_list.hpp>
#include <tileport/ir/version.hpp>

namespace tileport::ir {

/// Families name the files everywhere: ir/ops_arith, translate/arith, …
enum class Family : std::uint8_t { arith, math, convert, shape, memory, atomic, control, view, misc };

/// How an attribute stands in the bytecode. All but the last four fit in one 64-bit word.
enum class Encoding : std::uint8_t {
  enumeration,         ///< varint; `enumeration` of the row names the values
  integer,             ///< varint
  boolean,             ///< one byte
  string,              ///< varint StringId
  type,                ///< varint TypeId
  constant,            ///< varint ConstantId
  integer_array,       ///< varint n, n × i32
  boolean_array,       ///< varint n, n × byte
  attribute_array,     ///< varint n, n tagged attributes
  attribute,           ///< one tagged attribute
  optimization_hints,  ///< untagged dictionary: target → dictionary
};
inline constexpr std::size_t kEncodings = static_cast<std::size_t>(Encoding::optimization_hints) + 1;

/// How often an operand or result group occurs.
enum class Arity : std::uint8_t { one, optional, variadic };

/// One operand or result group.
struct GroupInfo {
  std::string_view name;
  Arity arity = Arity::one;
  Version since{13, 1};
};

struct AttributeInfo {
  std::string_view name;
  Encoding encoding = Encoding::integer;
  const Enumeration* enumeration = nullptr;  ///< For Encoding::enumeration.
  bool optional = false;                     ///< Present only if its flag bit is set.
  Version since{13, 1};
  /// What an absent attribute means (in older versions, and where the text leaves it out); an enumeration's
  /// number.
  std::optional<std::uint64_t> default_value{};
  /// For Encoding::boolean_array: the operand group that it has one entry a value of. An absent list is false
  /// throughout.
  std::string_view one_per{};
};

/// Flag bits are numbered in the order of the row. A presence flag has the name of its attribute or operand
/// group.
struct FlagInfo {
  enum class Kind : std::uint8_t { unit_attribute, presence };
  std::string_view name;
  Kind kind = Kind::presence;
  Version since{13, 1};
};

/// Semantic properties that passes ask for.
enum class Trait : std::uint16_t {
  none = 0,
  pure = 1 << 0,         ///< No effect beyond its results: may be dropped when unused, merged when equal.
  commutative = 1 << 1,  ///< The first two operands may change places without changing any bit of the result.
  terminator = 1 << 2,
  reads_memory = 1 << 3,
  writes_memory = 1 << 4,
  promises = 1 << 5,  ///< Carries facts about values (assume) and forwards its operand.
};
constexpr Trait operator|(Trait a, Trait b) {
  return static_cast<Trait>(static_cast<std::uint16_t>(a) | static_cast<std::uint16_t>(b));
}
constexpr bool has(Trait set, Trait one) {
  return (static_cast<std::uint16_t>(set) & static_cast<std::uint16_t>(one)) != 0;
}

/// How MLIR names a result: the hint it proposes, or how it is derived.
enum class NameHint : std::uint8_t {
  none,      ///< Numbered: %0, %1.
  fixed,     ///< `result_names`, one a result; missing ones are numbered.
  constant,  ///< From the value: cst_1_i32.
  assume,    ///< "assume_" + the producer's own hint.
  empty,     ///< Implements the naming interface and proposes nothing (if, loop, scan).
};

/// How MLIR names the arguments of an op's body.
enum class ArgumentNames : std::uint8_t {
  none,   ///< Numbered on from the arguments in scope: %arg4.
  loop,   ///< %loopIdx, then %iterArg0, %iterArg1 …
  pairs,  ///< %reduce_lhs, %reduce_rhs; numbered (%reduce_lhs0 …) if there are several pairs.
};

/// Whether one count stands before all operands / results, or the row fixes them.
enum class ListEncoding : std::uint8_t {
  fixed,      ///< Ids only; optional operands exist if their flag is set.
  counted,    ///< One count for the whole list.
  segmented,  ///< Operands only: a count before each variadic group.
};

struct OpInfo {
  std::string_view mnemonic;
  std::uint16_t opcode = 0;  ///< The bytecode's number.
  Family family = Family::misc;
  Version since{13, 1};
  InlineList<GroupInfo, 4> results{};
  ListEncoding results_encoding = ListEncoding::fixed;
  std::optional<Version> flags_since{};  ///< From this version on a flags varint follows the result types.
  InlineList<FlagInfo, 6> flags{};
  InlineList<AttributeInfo, 6> attributes{};
  InlineList<GroupInfo, 6> operands{};
  ListEncoding operands_encoding = ListEncoding::fixed;
  std::uint8_t regions = 0;
  Trait traits = Trait::none;
  NameHint name_hint = NameHint::none;
  InlineList<std::string_view, 3> result_names{};
  ArgumentNames argument_names = ArgumentNames::none;
  /// The terminator that the text leaves out at the end of its regions, if it has no operands.
  std::string_view implied_terminator{};
  /// What the open-source tools of 13.3 call it in their text.
  std::string_view older_mnemonic{};
  /// Text form after the mnemonic, in the small language that src/text/form.hpp defines.
  std::string_view form{};
  InlineList<Constraint, 10> constraints{};  ///< What must hold of its types and attributes.

  constexpr bool is(std::string_view name) const { return mnemonic == name; }
  std::optional<std::size_t> attribute_index(std::string_view name) const;
  std::optional<std::size_t> operand_group(std::string_view name) const;
  std::optional<std::size_t> flag_bit(std::string_view name) const;
  /// Whether an op's operands can't be told apart by the row alone: a group holds more or fewer than one, and
  /// no count of the whole list says how many.
  constexpr bool has_segments() const {
    if (operands_encoding == ListEncoding::counted) return false;
    for (const GroupInfo& group : operands) {
      if (group.arity != Arity::one) return true;
    }
    return false;
  }
};

/// All rows, ordered by opcode.
std::span<const OpInfo* const> all_ops();
const OpInfo* find_op(std::uint16_t opcode);
const OpInfo* find_op(std::string_view mnemonic);
/// The same, by older mnemonics too.
const OpInfo* find_op_of_text(std::string_view mnemonic);

std::string_view name(Family family);

}  // namespace tileport::ir
