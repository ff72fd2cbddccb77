// SPDX-License-Identifier: Apache-2.0
// What a row of the table of kinds can do. kinds_<group>.cpp hold the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tileport/ir/builder.hpp>
#include <tileport/ir/module.hpp>
#include <tileport/mutation/mutation.hpp>
#include <unordered_map>
#include <vector>

namespace tileport::mutation {

/// What guards ask about a module.
class Context {
 public:
  explicit Context(const ir::Module& module);

  const ir::Module& module;

  /// Whether something with an effect depends on the op, or it has one.
  bool live(ir::OpId op) const { return live_[ir::index(op)]; }
  /// Ops that have the value as an operand, each once, in program order.
  const std::vector<ir::OpId>& users(ir::ValueId value) const { return users_[ir::index(value)]; }
  bool used_live(ir::ValueId value) const;
  /// Whether two values are certainly written alike: the same value behind assumes, or the same expression of
  /// such values. May say no of equal values.
  bool same(ir::ValueId a, ir::ValueId b) const { return same(a, b, 0); }
  bool visible(ir::ValueId value, ir::OpId at) const;
  /// Other values of an operand's type that the op could name and that differ from it: at most two, the
  /// nearest before the op.
  std::vector<ir::ValueId> others(ir::OpId op, std::size_t operand) const;
  bool same_type(ir::ValueId a, ir::ValueId b) const;
  /// The kernel's first op: where kinds of whole entries have their site.
  bool is_first_of_kernel(ir::OpId op) const;
  /// Ops of all kernels, in program order.
  const std::vector<ir::OpId>& ops() const { return ops_; }
  bool top_level(ir::OpId op) const { return !module.parent_op(op); }

 private:
  bool same(ir::ValueId a, ir::ValueId b, int depth) const;
  void mark(ir::BlockId block);

  std::vector<ir::OpId> ops_;
  std::vector<std::uint32_t> order_;  ///< By op.
  std::vector<bool> live_;
  std::vector<std::vector<ir::OpId>> users_;
  std::vector<bool> used_;
  std::unordered_map<std::uint32_t, std::vector<ir::ValueId>> by_type_;  ///< By the first equal TypeId.
  std::vector<std::uint32_t> type_class_;                                ///< By TypeId.
};

/// A mutant in the making.
struct Edit {
  ir::Module& module;
  const Context& context;  ///< Of the original.
  ir::Builder builder;
  /// Ops of the mutant where the change shows, besides the site's op; their direct users are added.
  std::vector<ir::OpId> also{};

  Edit(ir::Module& copy, const Context& original) : module(copy), context(original), builder(copy) {}
  ir::AttributeSlot& slot(ir::OpId op, std::size_t attribute) {
    return module.attribute_slots[module.op(op).attributes.first + attribute];
  }
  void set_operand(ir::OpId op, std::size_t operand, ir::ValueId value) {
    module.operand_pool[module.op(op).operands.first + operand] = value;
  }
  /// Gives a value another type; what uses it must be mended by the caller.
  void set_type(ir::ValueId value, const ir::Type& type) {
    module.values[ir::index(value)].type = builder.type(type);
  }
  /// Puts a copy of an op without regions in front of another op.
  ir::OpId copy_before(ir::OpId op, ir::OpId place);
  void take_out(ir::OpId op);
};

struct KindRow {
  Kind kind;
  /// How many variants are eligible at an op.
  std::uint32_t (*variants)(const Context&, ir::OpId);
  void (*apply)(Edit&, ir::OpId, std::uint32_t variant);
};

std::span<const KindRow> attribute_kinds();
std::span<const KindRow> operand_kinds();
std::span<const KindRow> control_kinds();
std::span<const KindRow> type_kinds();
std::span<const KindRow> op_kinds();
std::span<const KindRow> fact_kinds();
std::span<const KindRow> neutral_kinds();

/// Attribute of an op by name, if it has one.
std::optional<std::size_t> attribute_of(const ir::Module& module, ir::OpId op, std::string_view name);
/// Where an operand group begins among the op's operands.
std::size_t first_of_group(const ir::Module& module, ir::OpId op, std::size_t group);
inline bool is_pure(const ir::OpInfo& info) { return has(info.traits, ir::Trait::pure); }
inline bool promises(const ir::OpInfo& info) { return has(info.traits, ir::Trait::promises); }
/// The kind of a tile's elements, of an element itself, else of the type.
ir::TypeKind element_kind(const ir::Module& module, ir::ValueId value);

}  // namespace tileport::mutation
