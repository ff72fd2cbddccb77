// SPDX-License-Identifier: Apache-2.0
// A Tile IR module in flat tables: ops, blocks, regions, values and attributes live in one vector each and
// refer to each other by index. A module is a value: copying one copies a dozen vectors.
//
// Values are numbered through the whole module (not per function as in the bytecode, where sibling regions
// reuse numbers), so a ValueId names one definition.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tileport/ir/debug.hpp>
#include <tileport/ir/op_table.hpp>
#include <tileport/ir/type.hpp>
#include <vector>

namespace tileport::ir {

enum class OpId : std::uint32_t {};
enum class BlockId : std::uint32_t {};
enum class RegionId : std::uint32_t {};
enum class ValueId : std::uint32_t {};
enum class AttributeId : std::uint32_t {};

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

template <class Id>
constexpr std::uint32_t index(Id id) {
  return static_cast<std::uint32_t>(id);
}

/// A run of consecutive entries of some table.
struct Range {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// A tagged attribute: predicates, identities, hints, array elements. Members by kind:
///   integer           type, bits (zero-extended)
///   floating          type, bits (the pattern, zero-extended)
///   boolean           bits
///   type_attribute    type
///   string            string
///   array             items
///   div_by            bits (the divisor), first = every, second = along
///   same_elements, number_list   numbers
///   dictionary, optimization_hints   keys and items, pairwise, in the order of the file
///   bounded           first = lower bound, second = upper bound, both inclusive
struct Attribute {
  enum class Kind : std::uint8_t {
    integer = 1,
    floating,
    boolean,
    type_attribute,
    string,
    array,
    div_by = 8,  // 7 are elements of strings, which the tools stopped reading before 13.5.
    same_elements,
    dictionary,
    optimization_hints,
    bounded,
    number_list,  // Never tagged: what an integer_array or boolean_array attribute of an op holds.
  };
  Kind kind = Kind::integer;
  /// Of an f64: the file has its sign in a 65th bit, which every reader drops. cuda-tile 1.7.0 writes
  /// negative ones so, for example the identity of a maximum, -inf, which therefore is +inf.
  bool sign_lost = false;
  TypeId type{};
  StringId string{};
  std::uint64_t bits = 0;
  std::optional<std::int64_t> first{};
  std::optional<std::int64_t> second{};
  std::vector<std::int64_t> numbers{};
  std::vector<StringId> keys{};
  std::vector<AttributeId> items{};
};

/// An op's own attribute. `word` is the number, the id, or (integer_array, boolean_array, attribute_array,
/// attribute, optimization_hints) the AttributeId that holds the content.
struct AttributeSlot {
  std::uint64_t word = 0;
  bool present = false;
};

struct Operation {
  const OpInfo* info = nullptr;
  std::uint32_t flags = 0;
  Range operands;    ///< In Module::operand_pool.
  Range attributes;  ///< In Module::attribute_slots, one a row attribute.
  Range regions;     ///< In Module::regions.
  Range results;     ///< In Module::values.
  /// Where in Module::segment_pool the operand counts of the row's groups begin, if the row `has_segments`.
  std::uint32_t segments = kNone;
  BlockId parent{kNone};
  DebugId location{};  ///< Kind location, call_site or unknown.
};

struct Region {
  OpId parent{kNone};
  Range blocks;  ///< In Module::blocks.
};

struct Block {
  RegionId parent{kNone};  ///< kNone for a function's body.
  Range arguments;         ///< In Module::values.
  std::vector<OpId> ops;   ///< In order; the one table that is not flat, so that passes can edit a block.
};

struct Value {
  enum class Owner : std::uint8_t { op_result, block_argument };
  TypeId type{};
  Owner owner = Owner::op_result;
  std::uint32_t owner_id = kNone;  ///< OpId or BlockId.
  std::uint32_t index = 0;         ///< Which result or argument.
};

/// Where something stood in what it was read from: a byte in bytecode, a line and column (1-based) in text.
struct Origin {
  std::uint64_t offset = 0;
  std::uint32_t line = 0;  ///< 0: it was read from bytecode.
  std::uint32_t column = 0;
};

struct Function {
  StringId name{};
  TypeId type{};
  bool is_private = false;
  bool is_kernel = false;
  DebugId location{};                              ///< Kind location, call_site or unknown.
  std::optional<AttributeId> hints;                ///< Kind optimization_hints.
  std::optional<AttributeId> argument_attributes;  ///< Kind array; 13.5 on.
  BlockId body{};
};

struct Global {
  StringId name{};
  TypeId type{};
  ConstantId value{};
  std::uint64_t alignment = 0;  ///< Bytes; 0 = unspecified.
  bool is_private = false;
  bool is_constant = false;
};

class Module {
 public:
  Version version{13, 3};
  std::string file;  ///< Where it was read from, for diagnostics; may be empty.
  std::optional<StringId> producer;

  std::vector<std::string> strings;
  std::vector<Type> types;
  /// Raw little-endian elements, one splat element or all of them; i1 is bit-packed (00/FF = splat).
  std::vector<std::string> constants;
  std::vector<Attribute> attributes;

  std::vector<Global> globals;
  std::vector<Function> functions;
  std::vector<Operation> ops;
  std::vector<Region> regions;
  std::vector<Block> blocks;
  std::vector<Value> values;
  std::vector<ValueId> operand_pool;
  std::vector<std::uint32_t> segment_pool;
  std::vector<AttributeSlot> attribute_slots;
  /// Entry 0 is unknown.
  std::vector<DebugEntry> debug{DebugEntry{}};
  /// Of each op, for diagnostics; shorter than `ops`, or empty, where ops were not read but made.
  std::vector<Origin> origins;

  const Operation& op(OpId id) const { return ops[index(id)]; }
  const Block& block(BlockId id) const { return blocks[index(id)]; }
  const Region& region(RegionId id) const { return regions[index(id)]; }
  const Value& value(ValueId id) const { return values[index(id)]; }
  const Type& type(TypeId id) const { return types[index(id)]; }
  const Type& type_of(ValueId id) const { return type(value(id).type); }
  const std::string& string(StringId id) const { return strings[index(id)]; }
  const Attribute& attribute(AttributeId id) const { return attributes[index(id)]; }
  const DebugEntry& debug_entry(DebugId id) const { return debug[index(id)]; }

  std::span<const ValueId> operands(OpId id) const;
  /// How many operands each group of the row has; empty if the row has no segments.
  std::span<const std::uint32_t> segments(OpId id) const;
  /// Operands of one group by its name in the op table. The group must exist (assertion).
  std::span<const ValueId> operands(OpId id, std::string_view group) const;
  /// The same by the group's number in its row.
  std::span<const ValueId> operands(OpId id, std::size_t group) const;
  ValueId operand(OpId id, std::size_t i) const { return operands(id)[i]; }
  ValueId result(OpId id, std::size_t i) const {
    return ValueId{op(id).results.first + static_cast<std::uint32_t>(i)};
  }
  ValueId argument(BlockId id, std::size_t i) const {
    return ValueId{block(id).arguments.first + static_cast<std::uint32_t>(i)};
  }
  /// The only block of region `i` (Tile IR has one block a region), or nothing if the region is empty.
  std::optional<BlockId> body(OpId id, std::size_t i = 0) const;
  /// The op that defines a value; nothing for block arguments.
  std::optional<OpId> producer_of(ValueId id) const;
  /// The op whose region holds this op; nothing at function level.
  std::optional<OpId> parent_op(OpId id) const;

  bool has_flag(OpId id, std::string_view flag) const;
  /// An attribute's word by its name in the op table: the number, or nothing if absent and without default.
  std::optional<std::uint64_t> word(OpId id, std::string_view attribute) const;
  /// An attribute whose content is a tagged attribute (predicate, identities, hints, arrays).
  const Attribute* tagged(OpId id, std::string_view attribute) const;
  /// The name of an enumeration attribute's value, e.g. "nearest_even"; empty if absent and without default.
  std::string_view enumerator(OpId id, std::string_view attribute) const;

  /// Where an op or a function stands in the source: the innermost frame; not `known()` if nothing is.
  SourceLocation source(DebugId id) const;
  /// The same with its callers, innermost first; at most kMostFrames.
  std::vector<SourceLocation> frames(DebugId id) const;
  /// The same for people: "softmax.py:12:5 in softmax, inlined at …"; empty if nothing is known.
  std::string source_text(DebugId id) const;

  /// Whether an attribute is there and differs from what its absence would mean.
  bool says_something(const AttributeSlot& slot, const AttributeInfo& info) const;

  /// "%0"-free access path for people: "@kernel/for#0/addf#3" (n-th op of that mnemonic in its block). Ops of
  /// a second region are below "else": "@kernel/if#1/else/store_view_tko#0".
  std::string access_path(OpId id) const;
  /// The function whose body holds this op.
  const Function& function_of(OpId id) const;
};

/// Whether two types are the same, whatever their ids: a file may hold equal types twice.
bool same_type(const Module& left, TypeId a, const Module& right, TypeId b);

/// Calls `visit(OpId)` for every op of a block and of the regions below it, in program order, a region op
/// first.
template <class Visit>
void walk(const Module& module, BlockId block, Visit&& visit) {
  for (OpId id : module.block(block).ops) {
    visit(id);
    const Range regions = module.op(id).regions;
    for (std::uint32_t r = regions.first; r < regions.first + regions.count; ++r) {
      const Range blocks = module.regions[r].blocks;
      for (std::uint32_t b = blocks.first; b < blocks.first + blocks.count; ++b)
        walk(module, BlockId{b}, visit);
    }
  }
}

}  // namespace tileport::ir
