// SPDX-License-Identifier: Apache-2.0
// What has to be done to a reference kernel so that it becomes the port: as data that can be applied.
//
// A script names ops of the reference by what they are there and holds all it needs of the port, so that it
// works without the port. Applied to the reference, it gives the port's kernel op for op
// (ir::first_difference finds nothing but debug places aside), hence a kernel that computes the same values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tileport/core/diagnostic.hpp>
#include <tileport/diff/compare.hpp>
#include <tileport/ir/module.hpp>
#include <vector>

namespace tileport::diff {

enum class EditKind : std::uint8_t { insert, remove, change, move };

/// What an edit matters for.
enum class EditLayer : std::uint8_t {
  value,  ///< What is computed.
  facts,  ///< Promises and hints only.
  form,   ///< Nothing: rules accept it (duplicates, dead ops, order).
};

std::string_view name(EditKind kind);
std::string_view name(EditLayer layer);

/// A value as a script names it.
struct ScriptValue {
  enum class From : std::uint8_t {
    reference,  ///< `number` is a ValueId of the reference.
    script,     ///< `number` counts what the script makes: new arguments and results, in its order.
  };
  From from = From::reference;
  std::uint32_t number = 0;
};

/// An op as a script writes it. Ids of types, constants, strings and attributes are of EditScript::tables.
struct ScriptOp {
  const ir::OpInfo* info = nullptr;
  std::uint32_t flags = 0;
  std::vector<ScriptValue> operands;
  std::vector<std::uint32_t> group_sizes;  ///< Empty if the row has no segments.
  std::vector<ir::AttributeSlot> attributes;
  std::vector<ir::TypeId> results;
  std::vector<bool> bodies;  ///< Whether each region has a block.
};

/// A body that the script writes anew or in which something stands elsewhere.
struct ScriptBlock {
  ir::BlockId reference{ir::kNone};  ///< kNone: of an inserted op.
  std::uint32_t edit = 0;            ///< That op's edit.
  std::uint32_t region = 0;
  /// Types of its arguments, if they are others than in the reference; they are values of the script then.
  std::optional<std::vector<ir::TypeId>> arguments;
  std::uint32_t first_argument = 0;  ///< Their numbers as values of the script.
  std::uint32_t size = 0;            ///< Ops in the port.
};

struct Edit {
  EditKind kind = EditKind::change;
  EditLayer layer = EditLayer::value;
  Site reference;                   ///< Empty for an insertion.
  Site port;                        ///< Empty for a removal.
  ir::OpId op{ir::kNone};           ///< In the reference; kNone for an insertion.
  std::uint32_t block = ir::kNone;  ///< Index into EditScript::blocks, of insertions and moves.
  std::uint32_t position = 0;       ///< Place in that block as the port has it.
  ScriptOp content;                 ///< Of insertions and changes.
  /// Results of a change are values of the script if their types or number are others; an insertion's are.
  bool new_results = false;
  std::uint32_t first_result = 0;  ///< Their numbers as values of the script.
};

/// What is said of an entry itself, where that differs.
struct EntryEdit {
  Site reference;
  Site port;
  std::string name;
  ir::TypeId type{};
  bool is_private = false;
  std::optional<ir::AttributeId> hints;
  std::optional<ir::AttributeId> argument_attributes;
};

/// What is said of the file itself, where that differs. Ids are of EditScript::tables.
struct FileEdit {
  ir::Version version;
  std::optional<ir::StringId> producer;
  std::vector<ir::Global> globals;
};

struct EditScript {
  std::string reference_entry;
  std::string port_entry;
  std::optional<EntryEdit> entry;
  std::optional<FileEdit> file;
  std::vector<ScriptBlock> blocks;
  std::vector<Edit> edits;        ///< Removals in the reference's order, then the others in the port's.
  ir::Module tables;              ///< Types, constants, strings and attributes only.
  std::uint64_t fingerprint = 0;  ///< Of the reference's kernel: applying it to another is refused.

  std::uint32_t new_values = 0;  ///< How many values the script makes.

  bool empty() const { return edits.empty() && !entry && !file; }
  std::size_t count(EditLayer layer) const;
};

/// The script from one kernel to the other. Errors as for `compare`.
Result<EditScript> edit_script(const ir::Module& reference, const ir::Module& port,
                               const CompareOptions& options);

/// A line of both kernels' text side by side.
struct SideBySideRow {
  enum class Kind : std::uint8_t { same, changed, removed, inserted, moved };
  Kind kind = Kind::same;
  EditLayer layer = EditLayer::form;       ///< What it matters for, unless it is the same.
  std::optional<std::uint32_t> reference;  ///< Index into SideBySide::reference, and
  std::optional<std::uint32_t> port;       ///< into SideBySide::port; one may be missing.
  std::string reference_path;              ///< Of the op that begins on the line; may be empty.
  std::string port_path;
};
struct SideBySide {
  std::vector<std::string> reference;  ///< The entry's lines, as tileirdisasm writes them.
  std::vector<std::string> port;
  std::vector<SideBySideRow> rows;
};
std::string_view name(SideBySideRow::Kind kind);

/// Two kernels' texts with partners on one row. Errors as for `compare`.
Result<SideBySide> side_by_side(const ir::Module& reference, const ir::Module& port,
                                const CompareOptions& options);

/// The reference with the script's kernel changed. TP-D0008: the script was made of another kernel.
Result<ir::Module> apply(const EditScript& script, const ir::Module& reference);

}  // namespace tileport::diff
