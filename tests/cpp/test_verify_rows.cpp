// SPDX-License-Identifier: Apache-2.0
// Every constraint of every row of the op table is needed: something is refused with it and accepted without.
//
// The probes hold an instance of every op. Types, enumerators and flags of an instance are changed until one
// change is refused by the row, but not by the row without the constraint.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tileport/bytecode/read.hpp>
#include <tileport/verify/verify.hpp>
#include <vector>

#include "test_data.hpp"

namespace ir = tileport::ir;
using ir::TypeKind;

namespace {

using Kind = ir::Constraint::Kind;

std::vector<ir::Module> probes() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(test_data() / "tileir" / "golden")) {
    const bool probe = entry.path().filename().string().starts_with("probe_");
    if (probe && entry.path().extension() == ".tileirbc" && entry.file_size() < 6000)
      paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<ir::Module> modules;
  for (const std::string& path : paths) modules.push_back(*tileport::bytecode::read_file(path));
  return modules;
}

/// Findings of an op itself. That changed operands are defined nowhere is no concern here.
std::size_t findings_of(const ir::Module& module, ir::OpId op) {
  const std::string path = module.access_path(op);
  return static_cast<std::size_t>(std::ranges::count_if(
      tileport::verify::verify(module),
      [&](const auto& finding) { return finding.place.path == path && finding.code != "TP-V0003"; }));
}

/// A row under a name that no family has functions for, so that its constraints alone decide.
ir::OpInfo nameless(const ir::OpInfo& info) {
  ir::OpInfo copy = info;
  copy.mnemonic = "nameless";
  return copy;
}

/// The same, and a constraint says nothing any more.
ir::OpInfo without(const ir::OpInfo& info, std::size_t constraint) {
  ir::OpInfo copy = nameless(info);
  const_cast<ir::Constraint&>(copy.constraints[constraint]) = ir::Constraint{};
  return copy;
}

class Instance {
 public:
  Instance(const ir::Module& module, ir::OpId op) : module_(module), op_(op) {}

  /// Whether some change is refused by this constraint alone.
  bool needs(std::size_t constraint) {
    const ir::OpInfo whole = nameless(*module_.op(op_).info);
    const ir::OpInfo reduced = without(*module_.op(op_).info, constraint);
    const auto try_one = [&](ir::Module changed) {
      changed.ops[ir::index(op_)].info = &whole;
      if (findings_of(changed, op_) == 0) return false;
      changed.ops[ir::index(op_)].info = &reduced;
      return findings_of(changed, op_) == 0;
    };
    const Kind kind = module_.op(op_).info->constraints[constraint].kind;
    const auto works = [&](const ir::Module& changed) { return try_one(changed); };
    if (kind == Kind::enumerator) return std::ranges::any_of(reworded(module_), works);
    if (kind != Kind::f32_only) {
      return std::ranges::any_of(retyped(module_.op(op_).info->constraints[constraint]), works);
    }
    return std::ranges::any_of(
        retyped(), [&](const ir::Module& typed) { return std::ranges::any_of(reworded(typed), works); });
  }

 private:
  /// Types near a type, added to the module.
  static std::vector<ir::TypeId> near(ir::Module& module, ir::TypeId id) {
    const auto add = [&](const ir::Type& type) {
      module.types.push_back(type);
      return ir::TypeId{static_cast<std::uint32_t>(module.types.size() - 1)};
    };
    const auto simple = [&](TypeKind kind) {
      ir::Type type;
      type.kind = kind;
      return add(type);
    };
    std::vector<ir::TypeId> types{simple(TypeKind::token), simple(TypeKind::i4), simple(TypeKind::f32)};
    const ir::Type old = module.type(id);
    ir::Type tile;
    tile.kind = TypeKind::tile;
    tile.element = simple(TypeKind::f32);
    types.push_back(add(tile));
    ir::Type tensor;
    tensor.kind = TypeKind::tensor_view;
    tensor.element = tile.element;
    types.push_back(add(tensor));
    ir::Type pointer;
    pointer.kind = TypeKind::pointer;
    pointer.element = simple(TypeKind::i64);
    if (old.kind != TypeKind::tile) return types;
    for (TypeKind kind : {TypeKind::i1, TypeKind::i4, TypeKind::i8, TypeKind::i16, TypeKind::i32,
                          TypeKind::i64, TypeKind::f16, TypeKind::bf16, TypeKind::f32, TypeKind::tf32,
                          TypeKind::f64, TypeKind::f8E4M3FN, TypeKind::f8E5M2, TypeKind::f8E8M0FNU}) {
      ir::Type type = old;
      type.element = simple(kind);
      types.push_back(add(type));
    }
    ir::Type pointers = old;
    pointers.element = add(pointer);
    types.push_back(add(pointers));
    for (int change = 0; change < 4; ++change) {
      ir::Type type = old;
      if (change == 0) type.shape.insert(type.shape.begin(), 1);
      if (change == 1) type.shape.push_back(1);
      if (change == 2 && !type.shape.empty()) type.shape[0] *= 2;
      if (change == 3 && !type.shape.empty()) type.shape.pop_back();
      types.push_back(add(type));
    }
    return types;
  }

  /// Copies in which one operand or result, or all that are of one type, have another type; at the end, all
  /// of the groups of the constraint.
  std::vector<ir::Module> retyped(const ir::Constraint& constraint) {
    std::vector<ir::Module> all = retyped();
    const std::vector<std::size_t> values = values_of(constraint);
    if (values.empty()) return all;
    ir::Module scratch = module_;
    for (ir::TypeId type : near(scratch, type_of(scratch, values[0]))) {
      ir::Module same = scratch;
      ir::Module same_element = scratch;
      for (std::size_t value : values) {
        ir::Type tile = same_element.type(type_of(scratch, value));
        tile.element = scratch.type(type).element;
        same_element.types.push_back(tile);
        set_type(same, value, type);
        set_type(same_element, value, ir::TypeId{static_cast<std::uint32_t>(same_element.types.size() - 1)});
      }
      all.push_back(std::move(same));
      if (scratch.type(type).kind == TypeKind::tile) all.push_back(std::move(same_element));
    }
    return all;
  }

  /// Operands and results of the groups of a constraint, operands first.
  std::vector<std::size_t> values_of(const ir::Constraint& constraint) const {
    const ir::Operation& op = module_.op(op_);
    std::vector<std::size_t> values;
    const auto named = [&](std::string_view name) {
      return std::ranges::find(constraint.names, name) != constraint.names.end();
    };
    std::size_t place = 0;
    for (std::size_t group = 0; group < op.info->operands.size(); ++group) {
      const std::size_t size = module_.operands(op_, group).size();
      for (std::size_t i = 0; i < size && named(op.info->operands[group].name); ++i)
        values.push_back(place + i);
      place += size;
    }
    for (std::size_t i = 0; i < op.results.count; ++i) {
      if (named(op.info->results[std::min(i, op.info->results.size() - 1)].name)) values.push_back(place + i);
    }
    return values;
  }

  const std::vector<ir::Module>& retyped() {
    if (!retyped_.empty()) return retyped_;
    const ir::Operation& op = module_.op(op_);
    const std::size_t values = op.operands.count + op.results.count;
    retyped_.push_back(module_);
    for (std::size_t which = 0; which < 2 * values; ++which) {
      ir::Module scratch = module_;
      const ir::TypeId old = type_of(scratch, which % values);
      for (ir::TypeId type : near(scratch, old)) {
        ir::Module changed = scratch;
        if (which < values) {
          set_type(changed, which, type);
        } else {
          for (std::size_t v = 0; v < values; ++v) {
            if (ir::same_type(module_, type_of(module_, v), module_, old)) set_type(changed, v, type);
          }
        }
        retyped_.push_back(std::move(changed));
      }
    }
    return retyped_;
  }

  ir::TypeId type_of(const ir::Module& module, std::size_t value) const {
    const ir::Operation& op = module.op(op_);
    if (value < op.operands.count) return module.value(module.operand(op_, value)).type;
    return module.value(module.result(op_, value - op.operands.count)).type;
  }

  void set_type(ir::Module& module, std::size_t value, ir::TypeId type) const {
    const ir::Operation& op = module.op(op_);
    if (value >= op.operands.count) {
      module.values[ir::index(module.result(op_, value - op.operands.count))].type = type;
      return;
    }
    module.values.push_back({.type = type, .owner = ir::Value::Owner::block_argument, .owner_id = 0});
    module.operand_pool[op.operands.first + value] =
        ir::ValueId{static_cast<std::uint32_t>(module.values.size() - 1)};
  }

  /// Copies in which one enumerator or flag is another.
  std::vector<ir::Module> reworded(const ir::Module& module) const {
    std::vector<ir::Module> all;
    const ir::Operation& op = module.op(op_);
    for (std::size_t i = 0; i < op.info->attributes.size(); ++i) {
      const ir::AttributeInfo& info = op.info->attributes[i];
      if (!info.enumeration || !module.attribute_slots[op.attributes.first + i].present) continue;
      for (std::uint64_t word = 0; word < info.enumeration->values.size(); ++word) {
        all.push_back(module);
        all.back().attribute_slots[op.attributes.first + i].word = word;
      }
    }
    for (std::size_t bit = 0; bit < op.info->flags.size(); ++bit) {
      if (op.info->flags[bit].kind != ir::FlagInfo::Kind::unit_attribute) continue;
      all.push_back(module);
      all.back().ops[ir::index(op_)].flags |= 1U << bit;
    }
    return all;
  }

  const ir::Module& module_;
  ir::OpId op_;
  std::vector<ir::Module> retyped_;
};

std::string name(const ir::OpInfo& info, std::size_t constraint) {
  static const char* const kKinds[] = {"type",       "same_type", "same_shape", "same_rank", "same_element",
                                       "comparison", "points_to", "enumerator", "f32_only",  "parent"};
  const ir::Constraint& row = info.constraints[constraint];
  std::string text = std::string(info.mnemonic) + " " + kKinds[static_cast<std::size_t>(row.kind)];
  for (std::string_view group : row.names) text += " " + std::string(group);
  return text;
}

}  // namespace

TEST_CASE("verify: every constraint of the op table is needed", "[verify]") {
  const auto modules = probes();
  REQUIRE(modules.size() >= 12);
  std::map<std::string, bool> needed;
  for (const ir::Module& module : modules) {
    REQUIRE_FALSE(tileport::verify::has_errors(tileport::verify::verify(module)));
    for (std::uint32_t i = 0; i < module.ops.size(); ++i) {
      const ir::OpInfo& info = *module.ops[i].info;
      std::optional<Instance> instance;
      for (std::size_t c = 0; c < info.constraints.size(); ++c) {
        if (info.constraints[c].kind == Kind::parent) continue;  // test_verify_control.cpp
        bool& found = needed[name(info, c)];
        if (found) continue;
        if (!instance) instance.emplace(module, ir::OpId{i});
        found = instance->needs(c);
      }
    }
  }
  // Whoever points to the elements of a tile is a tile of pointers, and the other a tile of what pointers can
  // point to: these say it first and better.
  const std::set<std::string> implied{
      "atomic_cas_tko type pointers",   "atomic_cas_tko type cmp val result", "atomic_rmw_tko type pointers",
      "atomic_rmw_tko type arg result", "load_ptr_tko type paddingValue",     "load_ptr_tko type result",
      "load_ptr_tko type source",       "store_ptr_tko type destination",     "store_ptr_tko type value"};
  std::vector<std::string> unneeded;
  for (const auto& [constraint, found] : needed) {
    if (found == implied.contains(constraint)) unneeded.push_back(constraint);
  }
  CHECK(unneeded == std::vector<std::string>{});
  for (const ir::OpInfo* info : ir::all_ops()) {
    for (std::size_t c = 0; c < info->constraints.size(); ++c) {
      if (info->constraints[c].kind == Kind::parent) continue;
      INFO(name(*info, c));
      CHECK(needed.contains(name(*info, c)));
    }
  }
}
