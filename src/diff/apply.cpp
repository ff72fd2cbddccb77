// SPDX-License-Identifier: Apache-2.0
// Applies an edit script to a copy of the reference: tables first, then the script's values, then ops, then
// the order of each block.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <tileport/diff/edit_script.hpp>
#include <tileport/ir/builder.hpp>

#include "diff/fingerprint.hpp"
#include "diff/table_import.hpp"

namespace tileport::diff {
namespace {

using ir::BlockId;
using ir::OpId;
using ir::ValueId;

std::uint32_t size_of(const auto& table) { return static_cast<std::uint32_t>(table.size()); }

class Application {
 public:
  Application(const EditScript& script, const ir::Module& reference, std::size_t function)
      : script_(script),
        module_(reference),
        builder_(module_),
        import_(script.tables, builder_),
        function_(function),
        values_(script.new_values),
        blocks_(script.blocks.size()),
        ops_(script.edits.size(), OpId{ir::kNone}) {}

  ir::Module run();

 private:
  void make_blocks();
  void make_ops();
  void fill(OpId id, const Edit& edit);
  void order_blocks();
  void write_heads();
  ir::Range new_values(std::uint32_t count, std::uint32_t first_number);

  const EditScript& script_;
  ir::Module module_;
  ir::Builder builder_;
  TableImport import_;
  std::size_t function_;
  std::vector<ValueId> values_;  ///< By number of the script's value.
  std::vector<BlockId> blocks_;  ///< By ScriptBlock.
  std::vector<OpId> ops_;        ///< By edit: the op that it makes or has to do with.
};

ir::Module Application::run() {
  // Ops first get their numbers, so that values and blocks can name them, and are filled in last, when they
  // can name all values.
  for (std::size_t e = 0; e < script_.edits.size(); ++e) {
    const Edit& edit = script_.edits[e];
    ops_[e] = edit.op;
    if (edit.kind != EditKind::insert) continue;
    ops_[e] = OpId{size_of(module_.ops)};
    ir::Operation made;
    made.info = edit.content.info;
    made.regions = {size_of(module_.regions), size_of(edit.content.bodies)};
    module_.regions.resize(module_.regions.size() + edit.content.bodies.size(),
                           ir::Region{.parent = ops_[e], .blocks = {}});
    module_.ops.push_back(made);
  }
  make_blocks();
  make_ops();
  order_blocks();
  write_heads();
  return std::move(module_);
}

ir::Range Application::new_values(std::uint32_t count, std::uint32_t first_number) {
  const ir::Range range{size_of(module_.values), count};
  module_.values.resize(module_.values.size() + count);
  for (std::uint32_t i = 0; i < count; ++i) values_[first_number + i] = ValueId{range.first + i};
  return range;
}

void Application::make_blocks() {
  for (std::size_t b = 0; b < script_.blocks.size(); ++b) {
    const ScriptBlock& block = script_.blocks[b];
    blocks_[b] = block.reference;
    if (ir::index(block.reference) == ir::kNone) {
      blocks_[b] = BlockId{size_of(module_.blocks)};
      const ir::RegionId region{module_.op(ops_[block.edit]).regions.first + block.region};
      module_.blocks.emplace_back();
      module_.blocks.back().parent = region;
      module_.regions[ir::index(region)].blocks = {ir::index(blocks_[b]), 1};
    }
    if (!block.arguments) continue;
    const ir::Range arguments = new_values(size_of(*block.arguments), block.first_argument);
    module_.blocks[ir::index(blocks_[b])].arguments = arguments;
    for (std::uint32_t i = 0; i < arguments.count; ++i) {
      module_.values[arguments.first + i] = {.type = import_.type((*block.arguments)[i]),
                                             .owner = ir::Value::Owner::block_argument,
                                             .owner_id = ir::index(blocks_[b]),
                                             .index = i};
    }
  }
}

void Application::make_ops() {
  for (std::size_t e = 0; e < script_.edits.size(); ++e) {
    const Edit& edit = script_.edits[e];
    if (!edit.new_results) continue;
    const ir::Range results = new_values(size_of(edit.content.results), edit.first_result);
    module_.ops[ir::index(ops_[e])].results = results;
    for (std::uint32_t i = 0; i < results.count; ++i) {
      module_.values[results.first + i].owner_id = ir::index(ops_[e]);
      module_.values[results.first + i].index = i;
    }
  }
  for (std::size_t e = 0; e < script_.edits.size(); ++e) {
    const Edit& edit = script_.edits[e];
    if (edit.kind == EditKind::insert || edit.kind == EditKind::change) fill(ops_[e], edit);
  }
}

void Application::fill(OpId id, const Edit& edit) {
  const ScriptOp& content = edit.content;
  ir::Operation& op = module_.ops[ir::index(id)];
  op.info = content.info;
  op.flags = content.flags;
  // The place in the source is the port's, which the reference's debug information has no word for.
  op.location = edit.kind == EditKind::insert ? ir::DebugId{} : op.location;
  op.operands = {size_of(module_.operand_pool), size_of(content.operands)};
  for (const ScriptValue& operand : content.operands) {
    module_.operand_pool.push_back(operand.from == ScriptValue::From::reference ? ValueId{operand.number}
                                                                                : values_[operand.number]);
  }
  op.segments = content.group_sizes.empty() ? ir::kNone : size_of(module_.segment_pool);
  module_.segment_pool.insert(module_.segment_pool.end(), content.group_sizes.begin(),
                              content.group_sizes.end());
  op.attributes = {size_of(module_.attribute_slots), size_of(content.attributes)};
  for (std::size_t i = 0; i < content.attributes.size(); ++i) {
    const ir::AttributeSlot slot = import_.slot(content.info->attributes[i], content.attributes[i]);
    module_.attribute_slots.push_back(slot);
  }
  for (std::uint32_t i = 0; i < op.results.count; ++i)
    module_.values[op.results.first + i].type = import_.type(content.results[i]);
  for (std::uint32_t r = 0; r < op.regions.count; ++r) {
    if (!content.bodies[r]) module_.regions[op.regions.first + r].blocks = {};
  }
}

void Application::order_blocks() {
  std::vector<bool> taken(module_.ops.size(), false);
  std::vector<std::vector<std::pair<std::uint32_t, OpId>>> placed(script_.blocks.size());
  for (std::size_t e = 0; e < script_.edits.size(); ++e) {
    const Edit& edit = script_.edits[e];
    if (edit.kind == EditKind::change) continue;
    taken[ir::index(ops_[e])] = true;
    if (edit.kind != EditKind::remove) placed[edit.block].emplace_back(edit.position, ops_[e]);
  }
  for (std::size_t b = 0; b < script_.blocks.size(); ++b) {
    auto& ops = module_.blocks[ir::index(blocks_[b])].ops;
    std::vector<OpId> order(script_.blocks[b].size, OpId{ir::kNone});
    for (const auto& [position, op] : placed[b]) {
      order[position] = op;
      module_.ops[ir::index(op)].parent = blocks_[b];
    }
    std::size_t next = 0;
    for (const OpId op : ops) {
      if (taken[ir::index(op)]) continue;
      while (ir::index(order[next]) != ir::kNone) ++next;
      order[next] = op;
    }
    assert(std::ranges::count(order, OpId{ir::kNone}) == 0 && "the script leaves a hole in a block");
    ops = std::move(order);
  }
}

void Application::write_heads() {
  ir::Function& kernel = module_.functions[function_];
  if (script_.entry) {
    kernel.name = builder_.string(script_.entry->name);
    kernel.type = import_.type(script_.entry->type);
    kernel.is_private = script_.entry->is_private;
    const auto import = [&](std::optional<ir::AttributeId> attribute) {
      return attribute ? std::optional(import_.attribute(*attribute)) : std::nullopt;
    };
    kernel.hints = import(script_.entry->hints);
    kernel.argument_attributes = import(script_.entry->argument_attributes);
  }
  if (!script_.file) return;
  module_.version = script_.file->version;
  module_.producer.reset();
  if (script_.file->producer) module_.producer = import_.string(*script_.file->producer);
  module_.globals.clear();
  for (ir::Global global : script_.file->globals) {
    global.name = import_.string(global.name);
    global.type = import_.type(global.type);
    global.value = import_.constant(global.value);
    module_.globals.push_back(global);
  }
}

}  // namespace

Result<ir::Module> apply(const EditScript& script, const ir::Module& reference) {
  for (std::size_t f = 0; f < reference.functions.size(); ++f) {
    const ir::Function& function = reference.functions[f];
    if (function.is_kernel && reference.string(function.name) == script.reference_entry &&
        fingerprint(reference, function) == script.fingerprint) {
      return Application(script, reference, f).run();
    }
  }
  Diagnostic diagnostic;
  diagnostic.code = "TP-D0008";
  diagnostic.message =
      fmt::format("the edit script was made of another kernel than any '{}' here", script.reference_entry);
  diagnostic.place.file = reference.file;
  diagnostic.advice = "Apply a script to the module that it was made of, as it was read";
  return fail(diagnostic);
}

}  // namespace tileport::diff
