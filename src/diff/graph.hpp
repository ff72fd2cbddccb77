// SPDX-License-Identifier: Apache-2.0
// A kernel as a value graph.
//
// Every value gets the interned number of the expression that computes it: op, attributes that decide values,
// result types, operands' numbers, and the content of its regions. Facts (assumes, hints, overflow, inbounds)
// are no part of it. Block arguments are numbered by depth, region and position, as de Bruijn did, so a
// changed initial value doesn't change the numbers inside a loop.
//
// A region's content is its effects: the set of loads, stores, atomics, prints, asserts and control ops, as
// only tokens order them, cut into segments where an op may leave the region early; then its terminator.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <tileport/ir/module.hpp>
#include <unordered_map>
#include <vector>

#include "diff/facts.hpp"
#include "diff/id_map.hpp"
#include "diff/keys.hpp"
#include "diff/rules.hpp"
#include "diff/site.hpp"

namespace tileport::diff {

/// What is known of a value once accepted differences are taken out.
struct ValueNode {
  Id id = 0;
  ir::ValueId base{ir::kNone};  ///< The value behind assumes and ops that pass their operand through.
  std::uint32_t facts = 0;      ///< Index into Graph::facts: promises between base and here.
};

struct OpNode {
  Id id = 0;         ///< Everything: signature, operands, regions.
  Id signature = 0;  ///< Op, value attributes, unit flags, result types.
  /// Operands that count; some rules take an op's operands from further up than it names them.
  std::vector<ir::ValueId> operands;
  bool live = false;       ///< Has an effect, or a live op uses it.
  bool effect = false;     ///< Not pure: belongs to its region's content.
  bool folded = false;     ///< A rule took its place: users see another expression.
  bool constant = false;   ///< Its result is a constant, written or made.
  bool may_leave = false;  ///< Holds a break, continue or return that leaves a region around it.
  std::optional<std::uint64_t> overflow;  ///< What the overflow attribute means after the rules.
};

/// What expressions are made of, as far as rules look into them.
struct Expression {
  const ir::OpInfo* info = nullptr;
  Id type = 0;
  std::optional<std::uint64_t> splat;  ///< Bits of a constant with equal elements.
  std::vector<Id> operands;            ///< Of joined tokens only.
};

struct Assumption {
  ir::OpId op{ir::kNone};
  Id base = 0;
  std::uint32_t base_value = 0;
  Facts fact;
  bool top_level = false;  ///< In the kernel's own block: holds whenever the kernel runs.
  bool live = false;
};

/// One module's kernel, lifted. `original` must outlive it.
class Graph {
 public:
  Graph(const ir::Module& original, const ir::Function& kernel, Interner& interner);

  const ir::Module& original;
  const ir::Function& kernel;
  Sites sites;  ///< Of the original.
  /// With early returns and scans rewritten; ops and values keep their numbers, new ones are appended.
  ir::Module module;
  ir::BlockId body;
  Id content = 0;  ///< Of the body.
  std::vector<ValueNode> values;
  std::vector<OpNode> ops;
  std::vector<Id> blocks;  ///< Content of each block.
  std::vector<Facts> facts;
  std::vector<Assumption> assumptions;
  std::unordered_map<Id, Facts> promised;  ///< By expression: everything that is assumed of it anywhere.
  std::unordered_map<Id, Facts> always_promised;  ///< The same, of assumes in the kernel's own block.
  std::unordered_map<std::uint32_t, std::vector<ir::OpId>>
      assumes_of;               ///< By ValueId of what they are about.
  IdMap<std::uint32_t> copies;  ///< How many live ops compute each value.
  RuleCounts counts;

  ModuleKeys& keys() { return keys_; }
  /// The number of an attribute's content; absent and default are the same.
  Id slot_key(ir::OpId id, std::size_t attribute);
  const OpNode& node(ir::OpId id) const { return ops[ir::index(id)]; }
  const ValueNode& value(ir::ValueId id) const { return values[ir::index(id)]; }
  const Facts& facts_of(ir::ValueId id) const { return facts[value(id).facts]; }
  /// Facts that hold for a value by what it is: ids aren't negative, a loop's index stays in constant bounds.
  Facts inherent_facts(ir::ValueId base) const;
  /// The op that computes a value's base; nothing for block arguments.
  std::optional<ir::OpId> producer(ir::ValueId id) const { return module.producer_of(value(id).base); }
  std::uint32_t copies_of(Id value) const {
    const std::uint32_t* found = copies.find(value);
    return found == nullptr ? 0 : *found;
  }
  std::optional<std::int64_t> integer_constant(ir::ValueId id) const;

 private:
  friend class Lift;
  Id global_key(const std::string& name);
  Interner& interner_;
  ModuleKeys keys_;
  IdMap<Expression> expressions_;
};

/// Whether the value layer leaves an attribute out because it is a promise or a hint.
bool is_fact(const ir::AttributeInfo& attribute);

/// `if c { …; return } rest` becomes `if c { … } else { rest }` in the kernel's body; returns how often.
/// Values and ops keep their numbers.
std::uint32_t rewrite_early_returns(ir::Module& module, ir::BlockId body);

/// A scan along axis 0 of a tile that a reshape took leading axes of extent 1 from becomes the scan of that
/// tile along the axis behind those, if only reshapes read its result; returns how often.
std::uint32_t rewrite_scans(ir::Module& module, ir::BlockId body);

}  // namespace tileport::diff
