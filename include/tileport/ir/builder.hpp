// SPDX-License-Identifier: Apache-2.0
// Makes and changes modules: tables that hold equal entries once, ops by name with checked parts, edits.
//
// Two levels. `insert` takes an op's parts by their numbers in the op table and asserts that they fit: for
// code that has them from the table anyway. `op` takes them by name and answers misuse with a TP-I
// diagnostic: for front ends and for Python. Neither asks whether a program is valid (an `addf` of integers);
// the verifier does.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tileport/core/diagnostic.hpp>
#include <tileport/ir/module.hpp>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace tileport::ir {

/// An op before it stands in a module: everything by the numbers of its row.
struct OperationParts {
  const OpInfo* info = nullptr;
  std::vector<ValueId> operands;                        ///< Of all groups, in the order of the row.
  std::array<std::uint32_t, 6> group_sizes{};           ///< Operands of each group of the row.
  std::vector<TypeId> results;                          ///< Types.
  std::array<std::optional<std::uint64_t>, 6> words{};  ///< Of each attribute of the row; see AttributeSlot.
  std::uint32_t units = 0;                              ///< Bits of the unit attributes that are set.
  DebugId location{};
};

/// The operands of one group. An optional group is left out or has one value.
struct NamedOperands {
  std::string_view group;
  std::vector<ValueId> values;
};

/// What an attribute can be given as. By the encoding of its row: an enumerator's or a string's text, an
/// integer, a boolean (unit attributes too), a list of integers or booleans, or ids of tables.
using AttributeContent =
    std::variant<bool, std::int64_t, std::string, std::vector<std::int64_t>, TypeId, ConstantId, AttributeId>;

struct NamedAttribute {
  std::string_view name;
  AttributeContent content;
};

/// An op by names.
struct OperationDescription {
  std::string_view mnemonic;
  std::vector<NamedOperands> operands{};
  std::vector<TypeId> results{};
  std::vector<NamedAttribute> attributes{};
};

/// Where an operand stands.
struct Use {
  OpId op{};
  std::uint32_t operand = 0;  ///< Its number among all operands of the op.
};

class Builder {
 public:
  /// Works on a module that outlives the builder. What its tables hold already is found again.
  explicit Builder(Module& module);

  Module& module() { return module_; }

  // ---- tables: an equal entry has one id
  StringId string(std::string_view text);
  TypeId type(const Type& type);
  /// An element type or token.
  TypeId simple(TypeKind kind);
  TypeId tile(TypeId element, std::vector<std::int64_t> shape = {});
  TypeId tile(TypeKind element, std::vector<std::int64_t> shape = {});
  TypeId pointer(TypeId pointee, std::optional<PointerAttribute> attribute = {});
  TypeId function_type(std::vector<TypeId> inputs, std::vector<TypeId> results = {});
  /// Raw little-endian elements, as Module::constants has them.
  ConstantId constant(std::string_view raw);
  /// One element for all elements of a tile: its bit pattern, zero-extended.
  ConstantId splat(TypeKind element, std::uint64_t bits);
  /// All elements of a tile, row by row; stored as a splat if they are equal.
  ConstantId elements(TypeKind element, std::span<const std::uint64_t> bits);

  /// Place 0 is unknown. The entries that this one refers to must be in the table.
  DebugId debug(const DebugEntry& entry);

  // ---- attributes; each call makes a new entry
  AttributeId attribute(Attribute attribute);
  AttributeId integer(TypeKind type, std::int64_t value);
  AttributeId floating(TypeKind type, std::uint64_t bits);
  AttributeId boolean(bool value);
  AttributeId text(std::string_view value);
  AttributeId array(std::vector<AttributeId> items);
  AttributeId dictionary(std::span<const std::pair<std::string, AttributeId>> entries);
  /// Target → dictionary.
  AttributeId hints(std::span<const std::pair<std::string, AttributeId>> entries);
  AttributeId numbers(std::vector<std::int64_t> values);
  AttributeId div_by(std::uint64_t divisor, std::optional<std::int64_t> every = {},
                     std::optional<std::int64_t> along = {});
  AttributeId bounded(std::optional<std::int64_t> lower, std::optional<std::int64_t> upper);
  AttributeId same_elements(std::vector<std::int64_t> groups);

  // ---- functions and globals
  /// A kernel without ops. Ops go to its end from now on. The number is its place in Module::functions.
  std::size_t kernel(std::string_view name, std::span<const TypeId> parameters);
  Function& function(std::size_t number) { return module_.functions[number]; }
  std::size_t global(std::string_view name, TypeId type, ConstantId value);

  // ---- places in the source; files as the front end calls them, lines and columns from 1
  /// Where a kernel begins. Ops that have places already keep those.
  void set_location(std::size_t kernel, std::string_view file, std::uint32_t line, std::uint32_t column);
  /// Where an op stands. Refused if its kernel has no place: the op's lies in it.
  Result<void> set_location(OpId op, std::string_view file, std::uint32_t line, std::uint32_t column);

  // ---- where ops go
  void to_end_of(BlockId block);
  void before(OpId op);
  void after(OpId op);
  BlockId block() const { return block_; }

  // ---- ops
  /// Why these parts don't make an op; nothing if they do.
  std::optional<Diagnostic> check(const OperationParts& parts) const;
  /// Puts an op at the insertion point, which moves behind it. Absent attributes get their defaults.
  OpId insert(const OperationParts& parts);
  /// The same by names. Refuses unknown names, wrong numbers of operands or results, attributes that are
  /// missing or of another kind.
  Result<OpId> op(const OperationDescription& description);
  /// Gives results to an op that has none yet: the generic text form says them behind the op's regions.
  void add_results(OpId op, std::span<const TypeId> types);
  /// Opens the block of a region that has none. Ops go to its end from now on.
  BlockId body(OpId op, std::size_t region, std::span<const TypeId> arguments);

  // ---- edits
  void set_operand(OpId op, std::size_t operand, ValueId value);
  /// Replaces the operands of a group, which may change their number.
  Result<void> set_operands(OpId op, std::string_view group, std::span<const ValueId> values);
  /// Sets an attribute, or a unit attribute by a boolean.
  Result<void> set_attribute(OpId op, std::string_view name, const AttributeContent& content);
  /// Takes an optional attribute away, or gives one with a default its default.
  Result<void> remove_attribute(OpId op, std::string_view name);
  std::vector<Use> uses(ValueId value) const;
  /// Every operand that is `from` becomes `to`. Says how many were.
  std::size_t replace_all_uses(ValueId from, ValueId to);
  /// Takes an op out of its block, with everything in its regions. Refused if an op outside of it uses one of
  /// its results.
  Result<void> erase(OpId op);

 private:
  Result<std::uint64_t> word(const AttributeInfo& info, const AttributeContent& content);
  Result<void> name_operands(const OperationDescription& description, OperationParts& parts) const;
  Result<void> name_attributes(const OperationDescription& description, OperationParts& parts);
  void fill_attributes(const OperationParts& parts, Operation& made);
  ValueId add_value(TypeId type, Value::Owner owner, std::uint32_t owner_id, std::uint32_t index);
  BlockId add_block(RegionId parent, std::span<const TypeId> arguments);
  void set_presence(OpId op, std::string_view name, bool present);
  bool is_inside(OpId op, OpId ancestor) const;

  Module& module_;
  BlockId block_{kNone};
  std::size_t position_ = 0;
  std::unordered_map<std::string, StringId> strings_;
  std::unordered_map<std::string, ConstantId> constants_;
  std::unordered_multimap<std::size_t, TypeId> types_;   ///< By hash.
  std::unordered_multimap<std::size_t, DebugId> debug_;  ///< By hash.
};

}  // namespace tileport::ir
