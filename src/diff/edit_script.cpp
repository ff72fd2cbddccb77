// SPDX-License-Identifier: Apache-2.0
// Writes down what a matcher found: ops without a partner are inserted or removed, partners that say or take
// something else are changed, partners outside of the longest run that keeps the order are moved.
#include <algorithm>
#include <array>
#include <tileport/diff/edit_script.hpp>

#include "diff/align.hpp"
#include "diff/entries.hpp"
#include "diff/fingerprint.hpp"
#include "diff/hints.hpp"
#include "diff/matcher.hpp"
#include "diff/order.hpp"
#include "diff/site.hpp"
#include "diff/table_import.hpp"

namespace tileport::diff {
namespace {

using ir::BlockId;
using ir::OpId;
using ir::ValueId;

class Writer {
 public:
  Writer(Graph& a, Graph& b, const Matcher& matcher, bool same_values)
      : a_(a),
        b_(b),
        matcher_(matcher),
        same_values_(same_values),
        tables_(script_.tables),
        import_(b.original, tables_) {}

  EditScript run();

 private:
  void entry();
  void file();
  void removals(BlockId block);
  void block(BlockId in_a, BlockId in_b);
  void inserted_block(std::uint32_t edit, std::uint32_t region, BlockId in_b);
  void new_arguments(ScriptBlock& made, BlockId in_b);
  void insert(OpId op, std::uint32_t block, std::uint32_t position);
  void change(OpId in_a, OpId in_b);
  void move(OpId in_a, OpId in_b, std::uint32_t block, std::uint32_t position);
  ScriptOp content(OpId in_b);
  ScriptValue value(ValueId in_b) const;
  void make(ValueId in_b) { made_[ir::index(in_b)] = next_value_++; }
  EditLayer layer(const Graph& graph, const Graph& other, OpId op) const;
  EditLayer layer_of_change(OpId in_a, OpId in_b) const;
  bool says_otherwise(OpId in_a, OpId in_b) const;

  Graph& a_;
  Graph& b_;
  const Matcher& matcher_;
  bool same_values_;
  EditScript script_;
  ir::Builder tables_;
  TableImport import_;
  std::vector<std::uint32_t> made_;  ///< By ValueId of the port: the script's value, or kNone.
  std::uint32_t next_value_ = 0;
  std::vector<std::uint32_t> place_;  ///< By OpId of the reference: its place in its block.
};

EditScript Writer::run() {
  script_.reference_entry = a_.original.string(a_.kernel.name);
  script_.port_entry = b_.original.string(b_.kernel.name);
  script_.fingerprint = fingerprint(a_.original, a_.kernel);
  place_.assign(a_.original.ops.size(), 0);
  made_.assign(b_.original.values.size(), ir::kNone);
  entry();
  file();
  for (const auto& [in_a, in_b] : matcher_.blocks) removals(in_a);
  for (const auto& [in_a, in_b] : matcher_.blocks) block(in_a, in_b);
  for (Edit& edit : script_.edits) {
    for (ScriptValue& operand : edit.content.operands) {
      if (operand.from != ScriptValue::From::script) continue;
      operand.number = made_[operand.number];
    }
  }
  script_.new_values = next_value_;
  return std::move(script_);
}

void Writer::entry() {
  const ir::Function& left = a_.kernel;
  const ir::Function& right = b_.kernel;
  const auto text = [](const ir::Module& module, std::optional<ir::AttributeId> attribute) {
    const bool empty = !attribute || (module.attribute(*attribute).items.empty());
    return empty ? std::string() : attribute_text(module, *attribute);
  };
  const bool same =
      a_.original.string(left.name) == b_.original.string(right.name) &&
      ir::same_type(a_.original, left.type, b_.original, right.type) && left.is_private == right.is_private &&
      text(a_.original, left.hints) == text(b_.original, right.hints) &&
      text(a_.original, left.argument_attributes) == text(b_.original, right.argument_attributes);
  if (same) return;
  EntryEdit edit;
  edit.reference = entry_site(a_.original, left);
  edit.port = entry_site(b_.original, right);
  edit.name = b_.original.string(right.name);
  edit.type = import_.type(right.type);
  edit.is_private = right.is_private;
  if (right.hints) edit.hints = import_.attribute(*right.hints);
  if (right.argument_attributes) edit.argument_attributes = import_.attribute(*right.argument_attributes);
  script_.entry = std::move(edit);
}

void Writer::file() {
  const ir::Module& a = a_.original;
  const ir::Module& b = b_.original;
  const auto producer = [](const ir::Module& module) {
    return module.producer ? module.string(*module.producer) : std::string();
  };
  const auto same_global = [&](const ir::Global& x, const ir::Global& y) {
    return a.string(x.name) == b.string(y.name) && ir::same_type(a, x.type, b, y.type) &&
           a.constants[static_cast<std::size_t>(x.value)] == b.constants[static_cast<std::size_t>(y.value)] &&
           x.alignment == y.alignment && x.is_private == y.is_private && x.is_constant == y.is_constant;
  };
  if (a.version == b.version && producer(a) == producer(b) &&
      std::ranges::equal(a.globals, b.globals, same_global))
    return;
  FileEdit edit;
  edit.version = b.version;
  if (b.producer) edit.producer = import_.string(*b.producer);
  for (ir::Global global : b.globals) {
    global.name = import_.string(global.name);
    global.type = import_.type(global.type);
    global.value = import_.constant(global.value);
    edit.globals.push_back(global);
  }
  script_.file = std::move(edit);
}

EditLayer Writer::layer(const Graph& graph, const Graph& other, OpId op) const {
  if (has(graph.original.op(op).info->traits, ir::Trait::promises)) return EditLayer::facts;
  const OpNode& node = graph.node(op);
  if (same_values_ || !node.live || node.folded) return EditLayer::form;
  if (node.effect || graph.original.op(op).results.count == 0) return EditLayer::value;
  return other.copies_of(graph.value(graph.original.result(op, 0)).id) != 0 ? EditLayer::form
                                                                            : EditLayer::value;
}

EditLayer Writer::layer_of_change(OpId in_a, OpId in_b) const {
  const ir::OpInfo& info = *a_.original.op(in_a).info;
  if (has(info.traits, ir::Trait::promises) && &info == b_.original.op(in_b).info) return EditLayer::facts;
  if (!same_values_ && a_.node(in_a).id != b_.node(in_b).id && b_.node(in_b).live &&
      says_otherwise(in_a, in_b))
    return EditLayer::value;
  for (std::size_t i = 0; i < info.attributes.size() && &info == b_.original.op(in_b).info; ++i) {
    if (is_fact(info.attributes[i]) && a_.slot_key(in_a, i) != b_.slot_key(in_b, i)) return EditLayer::facts;
  }
  return EditLayer::form;
}

/// Whether the op itself, or what it is given, is something else: what merely follows from a difference
/// further up or in its regions is no difference of its own.
bool Writer::says_otherwise(OpId in_a, OpId in_b) const {
  const OpNode& left = a_.node(in_a);
  const OpNode& right = b_.node(in_b);
  if (left.signature != right.signature || left.operands.size() != right.operands.size()) return true;
  return !std::ranges::equal(left.operands, right.operands, [&](ValueId x, ValueId y) {
    if (a_.value(x).id == b_.value(y).id) return true;
    const ValueId base = b_.value(y).base;
    return ir::index(base) < matcher_.value_in_reference.size() &&
           matcher_.value_in_reference[ir::index(base)] == a_.value(x).base;
  });
}

void Writer::removals(BlockId block) {
  for (const OpId op : a_.original.block(block).ops) {
    if (ir::index(matcher_.in_port[ir::index(op)]) != ir::kNone) continue;
    Edit edit;
    edit.kind = EditKind::remove;
    edit.layer = layer(a_, b_, op);
    edit.reference = a_.sites(op);
    edit.op = op;
    script_.edits.push_back(std::move(edit));
  }
}

void Writer::block(BlockId in_a, BlockId in_b) {
  const auto& left = a_.original.block(in_a);
  const auto& right = b_.original.block(in_b);
  const auto number = static_cast<std::uint32_t>(script_.blocks.size());
  ScriptBlock made;
  made.reference = in_a;
  made.size = static_cast<std::uint32_t>(right.ops.size());
  const auto is_new = [&](std::uint32_t i) {
    return ir::index(matcher_.value_in_reference[ir::index(b_.original.argument(in_b, i))]) == ir::kNone;
  };
  if (left.arguments.count != right.arguments.count || (right.arguments.count != 0 && is_new(0)))
    new_arguments(made, in_b);
  script_.blocks.push_back(std::move(made));

  for (std::uint32_t i = 0; i < left.ops.size(); ++i) place_[ir::index(left.ops[i])] = i;
  std::vector<std::size_t> places;
  for (const OpId op : right.ops) {
    const OpId partner = matcher_.in_reference[ir::index(op)];
    if (ir::index(partner) != ir::kNone) places.push_back(place_[ir::index(partner)]);
  }
  const std::vector<bool> kept = keep_order(places);
  std::size_t paired = 0;
  for (std::uint32_t i = 0; i < right.ops.size(); ++i) {
    const OpId op = right.ops[i];
    const OpId partner = matcher_.in_reference[ir::index(op)];
    if (ir::index(partner) == ir::kNone) {
      insert(op, number, i);
      continue;
    }
    if (!kept[paired++]) move(partner, op, number, i);
    change(partner, op);
  }
}

void Writer::new_arguments(ScriptBlock& made, BlockId in_b) {
  made.first_argument = next_value_;
  made.arguments.emplace();
  for (std::uint32_t i = 0; i < b_.original.block(in_b).arguments.count; ++i) {
    const ValueId argument = b_.original.argument(in_b, i);
    made.arguments->push_back(import_.type(b_.original.value(argument).type));
    make(argument);
  }
}

void Writer::insert(OpId op, std::uint32_t block, std::uint32_t position) {
  Edit edit;
  edit.kind = EditKind::insert;
  edit.layer = layer(b_, a_, op);
  edit.port = b_.sites(op);
  edit.block = block;
  edit.position = position;
  edit.new_results = true;
  edit.first_result = next_value_;
  edit.content = content(op);
  for (std::uint32_t i = 0; i < b_.original.op(op).results.count; ++i) make(b_.original.result(op, i));
  const auto number = static_cast<std::uint32_t>(script_.edits.size());
  script_.edits.push_back(std::move(edit));
  for (std::uint32_t r = 0; r < b_.original.op(op).regions.count; ++r) {
    if (const auto body = b_.original.body(op, r)) inserted_block(number, r, *body);
  }
}

void Writer::inserted_block(std::uint32_t edit, std::uint32_t region, BlockId in_b) {
  const auto& right = b_.original.block(in_b);
  const auto number = static_cast<std::uint32_t>(script_.blocks.size());
  ScriptBlock made;
  made.edit = edit;
  made.region = region;
  made.size = static_cast<std::uint32_t>(right.ops.size());
  new_arguments(made, in_b);
  script_.blocks.push_back(std::move(made));
  for (std::uint32_t i = 0; i < right.ops.size(); ++i) insert(right.ops[i], number, i);
}

void Writer::move(OpId in_a, OpId in_b, std::uint32_t block, std::uint32_t position) {
  Edit edit;
  edit.kind = EditKind::move;
  edit.layer =
      a_.node(in_a).effect && !same_values_ && a_.node(in_a).may_leave ? EditLayer::value : EditLayer::form;
  edit.reference = a_.sites(in_a);
  edit.port = b_.sites(in_b);
  edit.op = in_a;
  edit.block = block;
  edit.position = position;
  script_.edits.push_back(std::move(edit));
}

void Writer::change(OpId in_a, OpId in_b) {
  if (matcher_.unchanged(in_a, in_b)) return;
  Edit edit;
  edit.kind = EditKind::change;
  edit.layer = layer_of_change(in_a, in_b);
  edit.reference = a_.sites(in_a);
  edit.port = b_.sites(in_b);
  edit.op = in_a;
  edit.content = content(in_b);
  const std::uint32_t count = b_.original.op(in_b).results.count;
  // Partners have as many results, so the values that others name stay; terminators have none.
  edit.new_results = a_.original.op(in_a).results.count != count;
  edit.first_result = next_value_;
  for (std::uint32_t i = 0; edit.new_results && i < count; ++i) make(b_.original.result(in_b, i));
  const auto number = static_cast<std::uint32_t>(script_.edits.size());
  script_.edits.push_back(std::move(edit));
  // A branch that only the port has.
  for (std::uint32_t r = 0; r < b_.original.op(in_b).regions.count; ++r) {
    const auto body = b_.original.body(in_b, r);
    if (body && !a_.original.body(in_a, r)) inserted_block(number, r, *body);
  }
}

ScriptOp Writer::content(OpId in_b) {
  const ir::Operation& op = b_.original.op(in_b);
  ScriptOp made;
  made.info = op.info;
  made.flags = op.flags;
  for (const ValueId operand : b_.original.operands(in_b)) made.operands.push_back(value(operand));
  const auto sizes = b_.original.segments(in_b);
  made.group_sizes.assign(sizes.begin(), sizes.end());
  for (std::uint32_t i = 0; i < op.attributes.count; ++i) {
    made.attributes.push_back(
        import_.slot(op.info->attributes[i], b_.original.attribute_slots[op.attributes.first + i]));
  }
  for (std::uint32_t i = 0; i < op.results.count; ++i)
    made.results.push_back(import_.type(b_.original.value(b_.original.result(in_b, i)).type));
  for (std::size_t r = 0; r < op.regions.count; ++r)
    made.bodies.push_back(b_.original.body(in_b, r).has_value());
  return made;
}

/// The port's value by number while the script is written; `run` puts the script's in its place.
ScriptValue Writer::value(ValueId in_b) const {
  const ValueId known = matcher_.value_in_reference[ir::index(in_b)];
  if (ir::index(known) != ir::kNone) return {ScriptValue::From::reference, ir::index(known)};
  return {ScriptValue::From::script, ir::index(in_b)};
}

}  // namespace

std::uint64_t fingerprint(const ir::Module& module, const ir::Function& kernel) {
  std::uint64_t hash = 1469598103934665603ULL;
  const auto mix = [&](std::uint64_t number) { hash = (hash ^ number) * 1099511628211ULL; };
  mix(ir::index(kernel.body));
  ir::walk(module, kernel.body, [&](OpId op) {
    mix(ir::index(op));
    mix(module.op(op).info->opcode);
    for (const ValueId operand : module.operands(op)) mix(ir::index(operand));
    mix(module.op(op).results.first);
    mix(module.op(op).results.count);
  });
  return hash;
}

std::string_view name(EditKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"insert", "remove", "change", "move"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name(EditLayer layer) {
  constexpr std::array<std::string_view, 3> kNames = {"value", "facts", "form"};
  return kNames[static_cast<std::size_t>(layer)];
}

std::size_t EditScript::count(EditLayer layer) const {
  return static_cast<std::size_t>(std::ranges::count(edits, layer, &Edit::layer));
}

EditScript write_script(Graph& reference, Graph& port, const Matcher& matcher) {
  const bool same_values =
      reference.content == port.content &&
      ir::same_type(reference.original, reference.kernel.type, port.original, port.kernel.type);
  return Writer(reference, port, matcher, same_values).run();
}

Result<EditScript> edit_script(const ir::Module& reference, const ir::Module& port,
                               const CompareOptions& options) {
  const auto entries = find_entries(reference, port, options);
  if (!entries) return tl::unexpected<Diagnostics>(entries.error());
  Interner interner;
  Graph a(reference, *entries->reference, interner);
  Graph b(port, *entries->port, interner);
  Matcher matcher(a, b, interner);
  matcher.run();
  return write_script(a, b, matcher);
}

}  // namespace tileport::diff
