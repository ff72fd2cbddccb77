// SPDX-License-Identifier: Apache-2.0
// One entry under translation: its values' Rust names, its text so far, and what was refused.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tileport/translate/translate.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "translate/literals.hpp"
#include "translate/names.hpp"
#include "translate/op_reader.hpp"
#include "translate/rust_types.hpp"
#include "translate/source.hpp"

namespace tileport::translate {

/// What a terminator does depends on the op whose region it ends.
struct Frame {
  enum class Kind {
    function,
    for_loop,   ///< `continue` assigns `targets`.
    loop,       ///< `continue` assigns `targets`, `break` assigns `break_targets`.
    if_value,   ///< `yield` is the branch's value.
    if_assign,  ///< `yield` assigns `targets`.
    if_tail,    ///< The if's other branch returns: `yield` names the if's results, the function goes on.
  };
  Kind kind = Kind::function;
  ir::OpId op{ir::kNone};
  std::vector<std::string> targets;
  std::vector<std::string>
      break_targets;  ///< The same as `targets` if the loop's results are what it carries.
};

/// What an entry's text wants around it.
enum class Need {
  tileir,      ///< `use cutile::tileir::*` in its module.
  bf16_trait,  ///< The trait of constants.hpp at the top of the file.
  // Functions and ops of declarations.hpp in its module.
  number,
  divisible,
  aligned,
  padded_load,
  full_division,
  wrapping_truncation,
  scalar_atomic,
  pointer_address,
};

struct Splat;

class Entry {
 public:
  /// How an entry presents itself.
  struct Signature {
    const std::vector<std::string>& argument_names;  ///< One for each argument, or none.
    const Variant* variant = nullptr;                ///< Null: only the text is of interest.
  };

  Entry(const ir::Module& module, const ir::Function& function, Signature signature, const Options& options,
        Literals literals = Literals::plain());

  void translate();

  const Diagnostics& diagnostics() const { return diagnostics_; }
  const std::string& source() const { return out_.str(); }
  const std::set<Need>& needs() const { return needs_; }

  /// What was written for each op, by OpId; of an op with regions what opens them. Empty for ops that the
  /// statements of others make, and for refused ones.
  const std::vector<std::string>& statements() const { return statements_; }
  /// The attribute in front of the function.
  std::string entry_attribute();

  // ---- for handlers: reading
  // -------------------------------------------------------------------------------------
  const ir::Module& module() const { return module_; }
  const ir::Type& type(ir::ValueId value) const { return module_.type_of(value); }
  /// Kind of a tile's elements.
  ir::TypeKind element(ir::ValueId value) const;
  /// The Rust variable that holds a value. Writes a constant first that no variable in scope holds.
  std::string name(ir::ValueId value);
  std::vector<std::string> names(std::span<const ir::ValueId> values);
  /// The value's name before it was numbered, for names made from names.
  const std::string& stem(ir::ValueId value) const { return stems_[ir::index(value)]; }
  unsigned uses(ir::ValueId value) const { return uses_[ir::index(value)]; }
  /// Name that the Python source gives to what stands at an op's location; empty if none.
  std::string python_name(ir::OpId op) const;
  /// The same, but only for the op that has the location's value as its result.
  std::string result_name(ir::OpId op) const;

  /// The entry's hints if an instance can have them instead.
  std::map<std::string, std::int32_t> instance_hints() const;
  const std::vector<Literal>& read_literals() const { return literals_.all(); }

  // ---- for handlers: writing
  // -------------------------------------------------------------------------------------
  Source& out() { return out_; }
  RustTypes& types() { return types_; }
  Literals& literals() { return literals_; }
  Names& rust_names() { return names_; }
  void need(Need what) { needs_.insert(what); }
  /// `let` for the op's only result, or for one value. `role` names it if the Python source doesn't.
  void define(OpReader& op, std::string_view role, const Expression& expression);
  void define(ir::ValueId value, std::string_view role, const Expression& expression);
  /// `let (tile, token)` for the two results of a memory op.
  void define_with_token(OpReader& op, std::string_view role, const Expression& expression);
  /// The variable for a token result, "_" if nothing is ordered behind it.
  std::string claim_token(ir::ValueId token);
  /// `let` for the only result of a memory op.
  void define_token(OpReader& op, const Expression& expression);
  /// `let` for a value that no op of the reference has; returns the variable.
  std::string bind(std::string_view wish, std::string_view type, const Expression& expression);
  /// Makes an existing variable stand for a value.
  void hold(ir::ValueId value, std::string variable, std::string stem);
  /// Makes a value a constant, which `name` writes.
  void hold_constant(ir::ValueId value, std::uint64_t bits);
  bool is_constant(ir::ValueId value) const { return constants_.contains(ir::index(value)); }
  /// Of a value that is one: the bits of its elements.
  std::uint64_t constant_bits(ir::ValueId value) const { return constants_.at(ir::index(value)); }
  /// A variable in scope that holds a splat, else a new one.
  std::string constant(const Splat& splat);
  /// Writes the promise about a divisor of `value`, if it has one or an instance may have one.
  void write_divisor(ir::ValueId value);
  /// A variable that holds the bits of an integer tile as unsigned numbers (a bitcast; i1 needs none).
  std::string as_unsigned(ir::ValueId value);
  /// `let WISH: i32 = tile_to_scalar(…)`; emits no op.
  std::string scalar(std::string_view wish, ir::ValueId value);
  /// A token variable that is in scope, or a new one. For calls that take a token as a fact about a view
  /// only.
  std::string any_token();
  /// A variable in scope of the same type.
  std::optional<std::string> variable_of_type(ir::TypeId type);

  void refuse(ir::OpId op, std::string_view code, std::string message, std::string advice = {});

  // ---- for handlers of regions
  // -----------------------------------------------------------------------------------
  std::vector<Frame>& frames() { return frames_; }
  const Frame* innermost_loop() const;
  void translate_block(ir::BlockId block);
  /// The ops behind the current one in its block.
  void translate_rest();
  bool at_function_level() const { return cursors_.size() == 1; }

 private:
  struct Cursor {
    ir::BlockId block;
    std::size_t next = 0;
  };

  void read_uses();
  void read_paddings();
  void read_divisors();
  void read_names(ir::BlockId block);
  void comment(ir::OpId op);
  void translate_op(ir::OpId op);
  bool write_signature();
  void write_documentation();
  std::string_view entry_path() const;
  void refuse_entry(std::string_view code, std::string message, std::string advice = {});
  void refuse_at(ir::DebugId where, std::string path, std::string_view code, std::string message,
                 std::string advice);

  const ir::Module& module_;
  const ir::Function& function_;
  Signature signature_;
  const Options& options_;
  Literals literals_;
  RustTypes types_;
  Source out_{1};
  Names names_;
  Diagnostics diagnostics_;
  std::vector<std::string> variables_;  ///< By ValueId; empty: not defined yet.
  std::vector<std::string> stems_;
  std::vector<unsigned> uses_;
  std::set<ir::OpId> absorbed_;                           ///< Ops that the statements of their users make.
  std::unordered_map<std::uint32_t, ir::OpId> divisors_;  ///< By value: the assume that is its only use.
  std::vector<ir::ValueId> visible_;                      ///< Values in scope, innermost last.
  std::unordered_map<std::uint32_t, std::uint64_t> constants_;
  /// Splats that variables in scope hold, by Splat::key, innermost last.
  std::vector<std::pair<std::string, std::string>> written_constants_;
  std::unordered_map<std::uint32_t, std::string> result_names_;
  std::vector<Frame> frames_;
  std::vector<Cursor> cursors_;
  std::string last_comment_;
  std::vector<std::string> statements_;
  std::set<Need> needs_;
};

}  // namespace tileport::translate
