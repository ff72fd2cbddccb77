// SPDX-License-Identifier: Apache-2.0
// Lowers the ops of a kernel to instructions. src/cpu/<family>.cpp hold a function an op and their tables.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cpu/element.hpp"
#include "cpu/plan.hpp"

namespace tileport::cpu {

/// A list that instructions go to. Bodies are nested in the list of their op.
struct Scope {
  Code* code = nullptr;
  Scope* parent = nullptr;
  unsigned depth = 0;
  std::uint64_t lanes = 0;  ///< Of the body of a reduction: the most; else 0.
};

/// Where `continue` and `break` of a loop put its values.
struct Loop {
  bool is_for = false;
  std::vector<ir::ValueId> arguments;  ///< Carried, without the induction variable.
  std::vector<ir::ValueId> results;
  Scope* body = nullptr;
};

class Compiler {
 public:
  Compiler(const ir::Module& module, Plan& plan)
      : module(module), plan(plan), values_(module.values.size()) {}

  const ir::Module& module;
  Plan& plan;
  std::vector<Loop> loops;

  bool checked() const { return !plan.options.unchecked; }

  // ---- ops
  /// All ops of a block into a scope.
  Result<void> block(ir::BlockId block, Scope& scope);
  Scope& scope() { return *scope_; }
  Scope& once() { return once_; }
  Scope& body() { return body_; }

  // ---- values
  const ir::Type& type(ir::ValueId value) const { return module.type_of(value); }
  /// Of a tile, or of what a view's tensor holds.
  ir::TypeKind element(ir::ValueId value) const;
  std::uint64_t count(ir::ValueId value) const;
  const std::vector<std::int64_t>& shape(ir::ValueId value) const { return type(value).shape; }
  bool is_token(ir::ValueId value) const { return type(value).kind == ir::TypeKind::token; }

  /// What holds a value that has been defined. A token has no slot.
  const Operand& use(ir::ValueId value) const { return values_[ir::index(value)].operand; }
  Scope& home(ir::ValueId value) const { return *values_[ir::index(value)].scope; }
  std::vector<Operand> use(std::span<const ir::ValueId> values) const;
  /// The innermost of the scopes that these live in.
  Scope& innermost(std::span<const ir::ValueId> values) const;

  /// A new slot for a value that lives in a scope.
  Operand define(ir::ValueId value, bool uniform, Scope& scope);
  /// A value that is another one with other extents.
  void alias(ir::ValueId value, ir::ValueId source);
  void set(ir::ValueId value, const Operand& operand, Scope& scope);
  /// A value that no instruction holds: a token.
  void define_token(ir::ValueId value, Scope& scope) { set(value, {}, scope); }
  Slot new_slot(std::uint64_t bytes);

  // ---- instructions
  /// A pure op that computes `result` from all of its operands, put where they are first known. `uniform`: it
  /// computes one element.
  Instruction& pure(ir::OpId op, ir::ValueId result, std::span<const ir::ValueId> operands, bool uniform,
                    Execute execute, std::shared_ptr<Payload> payload = nullptr);
  /// One that computes elements from the elements at the same places: uniform if all operands are.
  Instruction& elementwise(ir::OpId op, ir::ValueId result, std::span<const ir::ValueId> operands,
                           Execute execute, std::shared_ptr<Payload> payload);
  /// An op that stays where it is.
  Instruction& effect(ir::OpId op, std::span<const ir::ValueId> operands, Execute execute,
                      std::shared_ptr<Payload> payload = nullptr);
  /// The same into a scope, with operands by hand.
  Instruction& append(Scope& scope, ir::OpId op, std::vector<Operand> in, std::vector<Operand> out,
                      Execute execute, std::shared_ptr<Payload> payload = nullptr);
  bool all_uniform(std::span<const ir::ValueId> operands) const;

  /// Why an op can't be executed.
  tl::unexpected<Diagnostics> refuse(ir::OpId op, std::string reason) const;

 private:
  struct Held {
    Operand operand;
    Scope* scope = nullptr;
  };
  std::vector<Held> values_;
  Scope once_{&plan.once};
  Scope body_{&plan.body, &once_, 1};
  Scope* scope_ = &once_;
};

/// Reads the attributes and operands of one op.
struct Op {
  Compiler& compiler;
  ir::OpId id;

  const ir::Module& module() const { return compiler.module; }
  ir::ValueId result(std::size_t i = 0) const { return module().result(id, i); }
  ir::ValueId operand(std::size_t i) const { return module().operand(id, i); }
  std::span<const ir::ValueId> operands() const { return module().operands(id); }
  std::span<const ir::ValueId> group(std::string_view name) const { return module().operands(id, name); }
  std::optional<ir::ValueId> optional(std::string_view name) const {
    if (!info().operand_group(name)) return std::nullopt;
    const auto values = group(name);
    return values.empty() ? std::nullopt : std::optional(values[0]);
  }
  // An op whose row has no such attribute doesn't set it: families share functions.
  const ir::OpInfo& info() const { return *module().op(id).info; }
  bool has(std::string_view attribute) const { return info().attribute_index(attribute).has_value(); }
  bool flag(std::string_view name) const { return info().flag_bit(name) && module().has_flag(id, name); }
  std::uint64_t word(std::string_view name) const {
    return has(name) ? module().word(id, name).value_or(0) : 0;
  }
  std::string_view enumerator(std::string_view name) const {
    return has(name) ? module().enumerator(id, name) : std::string_view();
  }
  const ir::Attribute* tagged(std::string_view name) const {
    return has(name) ? module().tagged(id, name) : nullptr;
  }
  bool is_signed(std::string_view name = "signedness") const { return enumerator(name) == "signed"; }
};

struct Handler {
  std::string_view mnemonic;
  Result<void> (*lower)(Op op);
};
std::span<const Handler> arith_handlers();
std::span<const Handler> math_handlers();
std::span<const Handler> convert_handlers();
std::span<const Handler> shape_handlers();
std::span<const Handler> memory_handlers();
std::span<const Handler> atomic_handlers();
std::span<const Handler> control_handlers();
std::span<const Handler> view_handlers();
std::span<const Handler> misc_handlers();
const Handler* find_handler(std::string_view mnemonic);

}  // namespace tileport::cpu
