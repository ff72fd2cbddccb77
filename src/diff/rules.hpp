// SPDX-License-Identifier: Apache-2.0
// Differences that are accepted because they can change no result. Each has a name, is counted on both sides,
// and is reported as a note where the counts differ.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <tileport/diff/compare.hpp>
#include <vector>

namespace tileport::diff {

enum class Rule : std::uint8_t {
  entry_name,
  bytecode_version,
  producer,
  debug_locations,
  dead_constant,
  dead_value,
  duplicate_constant,
  duplicate_value,
  value_order,
  value_placement,
  commuted_operands,
  bounded_block_id,
  bounded_induction,
  duplicate_assume,
  dead_assume,
  fact_placement,
  hint_key,
  splat_constant_form,
  bitcast_constant,
  extended_constant,
  same_type_bitcast,
  reshape_chain,
  rank0_atomic_reshape,
  pointer_cast_before_int,
  trunci_without_overflow,
  pass_through_yields,
  early_return_as_else,
  scan_behind_unit_axes,
  empty_else,
  ceil_division,
  select_minimum_maximum,
  remainder_sign,
  permuted_load,
};

struct RuleInfo {
  Rule rule;
  std::string_view name;
  std::string_view reason;  ///< Why the difference can't change a result.
};

inline constexpr std::array kRules = {
    RuleInfo{Rule::entry_name, "entry_name", "the entry has another name"},
    RuleInfo{Rule::bytecode_version, "bytecode_version", "the files have different bytecode versions"},
    RuleInfo{Rule::producer, "producer", "the files name different producers"},
    RuleInfo{Rule::debug_locations, "debug_locations", "ops that name another source place, or none"},
    RuleInfo{Rule::dead_constant, "dead_constant", "constants that nothing uses"},
    RuleInfo{Rule::dead_value, "dead_value", "ops without effect whose results nothing uses"},
    RuleInfo{Rule::duplicate_constant, "duplicate_constant", "the same constant written more than once"},
    RuleInfo{Rule::duplicate_value, "duplicate_value",
             "the same expression without effect written more than once"},
    RuleInfo{Rule::value_order, "value_order", "independent ops in another order"},
    RuleInfo{Rule::value_placement, "value_placement", "ops without effect inside or outside of a region"},
    RuleInfo{Rule::commuted_operands, "commuted_operands", "operands of commutative ops in the other order"},
    RuleInfo{Rule::bounded_block_id, "bounded_block_id",
             "assumes that a block id or the number of blocks isn't negative, which always holds"},
    RuleInfo{Rule::bounded_induction, "bounded_induction",
             "assumes about a loop index that follow from the loop's constant bounds"},
    RuleInfo{Rule::duplicate_assume, "duplicate_assume", "assumes that repeat what is assumed already"},
    RuleInfo{Rule::dead_assume, "dead_assume", "assumes whose result nothing uses"},
    RuleInfo{Rule::fact_placement, "fact_placement",
             "uses for which the port repeats what the reference assumes of the same value unconditionally"},
    RuleInfo{Rule::hint_key, "hint_key", "hints with the same value for this target, under another key"},
    RuleInfo{Rule::splat_constant_form, "splat_constant_form",
             "constants made by reshape or broadcast instead of written out"},
    RuleInfo{Rule::bitcast_constant, "bitcast_constant", "constants made by a bitcast of the same bits"},
    RuleInfo{Rule::extended_constant, "extended_constant", "constants made by exti of a narrower one"},
    RuleInfo{Rule::same_type_bitcast, "same_type_bitcast", "bitcasts to the type that the value has"},
    RuleInfo{Rule::reshape_chain, "reshape_chain",
             "reshapes of reshapes, or to the shape that the value has"},
    RuleInfo{Rule::rank0_atomic_reshape, "rank0_atomic_reshape",
             "atomics on one element, as a tile of rank 0 or 1"},
    RuleInfo{Rule::pointer_cast_before_int, "pointer_cast_before_int",
             "pointer casts right before the conversion to an integer"},
    RuleInfo{Rule::trunci_without_overflow, "trunci_without_overflow",
             "trunci of a value whose upper bits were shifted out and back, so that it can't overflow"},
    RuleInfo{Rule::pass_through_yields, "pass_through_yields",
             "results of an if that every branch passes through"},
    RuleInfo{Rule::early_return_as_else, "early_return_as_else",
             "returns in a branch, with the rest of the kernel in the other branch"},
    RuleInfo{Rule::scan_behind_unit_axes, "scan_behind_unit_axes",
             "scans for which a reshape takes leading axes of extent 1 away and puts them back"},
    RuleInfo{Rule::empty_else, "empty_else", "else branches that are written but empty"},
    RuleInfo{Rule::ceil_division, "ceil_division",
             "divisions rounded up, as (a + c - 1) / c of an a that is not negative and can't overflow"},
    RuleInfo{Rule::select_minimum_maximum, "select_minimum_maximum",
             "minima and maxima of integers, as a comparison and a select"},
    RuleInfo{Rule::remainder_sign, "remainder_sign",
             "corrections of a remainder's sign where neither operand can be negative"},
    RuleInfo{Rule::permuted_load, "permuted_load",
             "loads that a permute follows, as loads through a view with another dim_map"},
};

/// How often each rule applied on one side.
class RuleCounts {
 public:
  void add(Rule rule, std::uint32_t times = 1) { counts_[static_cast<std::size_t>(rule)] += times; }
  std::uint32_t operator[](Rule rule) const { return counts_[static_cast<std::size_t>(rule)]; }

 private:
  std::array<std::uint32_t, kRules.size()> counts_{};
};

/// Notes of all rules whose counts differ, in the order of the table.
std::vector<Note> notes_of(const RuleCounts& reference, const RuleCounts& port);

}  // namespace tileport::diff
