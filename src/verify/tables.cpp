// SPDX-License-Identifier: Apache-2.0
// Whether the tables of a module fit together. Modules that a reader made always do; builders and passes can
// go wrong, and every other check relies on this one.
#include <fmt/format.h>

#include <algorithm>
#include <tileport/ir/type_rules.hpp>

#include "verify/families.hpp"

namespace tileport::verify {
namespace {

using ir::Arity;

constexpr Rule kRules[] = {
    {"TP-V0001", "Ids are within their tables, and each thing is where its parts say",
     "definition of the module"},
    {"TP-V0002", "An op has the operands, results, attributes and regions of its row in the op table",
     "op table; tileirdisasm 13.5.37 refuses such files when it reads them"},
};
constexpr const Rule& kTables = kRules[0];
constexpr const Rule& kArity = kRules[1];

class Check {
 public:
  Check(Findings& findings, const ir::Module& module) : findings_(findings), module_(module) {}

  bool run() {
    types();
    for (const ir::Attribute& attribute : module_.attributes) this->attribute(attribute);
    require(std::ranges::all_of(module_.values, [&](const ir::Value& v) { return has_type(v.type); }),
            "a value has a type that is not in the table");
    require(std::ranges::all_of(module_.operand_pool,
                                [&](ir::ValueId v) { return ir::index(v) < module_.values.size(); }),
            "an operand is not in the table of values");
    for (const ir::Region& region : module_.regions) {
      require(ir::index(region.parent) < module_.ops.size() && within(region.blocks, module_.blocks.size()) &&
                  region.blocks.count <= 1,
              "a region is not that of an op, or has several blocks");
    }
    for (const ir::Block& block : module_.blocks) this->block(block);
    if (!good_) return false;
    for (std::uint32_t i = 0; i < module_.ops.size(); ++i) operation(ir::OpId{i});
    globals_and_functions();
    if (good_ && !check_debug_entries(findings_, module_)) return false;
    if (good_) nesting();
    if (!good_) return false;
    // Ops that stand nowhere have no access path, and nothing else looks at them.
    for (const ir::Function& function : module_.functions) {
      ir::walk(module_, function.body, [&](ir::OpId id) { arity(id); });
    }
    return good_;
  }

 private:
  void require(bool holds, std::string_view otherwise) {
    if (holds || !good_) return;
    good_ = false;
    findings_.error(kTables, std::string(otherwise));
  }
  /// `otherwise` makes the message: rules are many and findings are rare.
  template <class Message>
  void require(ir::OpId op, bool holds, Message&& otherwise) {
    if (holds) return;
    good_ = false;
    findings_.error(kArity, op, otherwise());
  }
  static bool within(ir::Range range, std::size_t size) {
    return range.first <= size && range.count <= size - range.first;
  }
  bool has_type(ir::TypeId id) const { return static_cast<std::size_t>(id) < module_.types.size(); }
  bool has_string(ir::StringId id) const { return static_cast<std::size_t>(id) < module_.strings.size(); }
  bool has_constant(ir::ConstantId id) const {
    return static_cast<std::size_t>(id) < module_.constants.size();
  }
  bool has_attribute(std::uint64_t id) const { return id < module_.attributes.size(); }

  void types() {
    for (const ir::Type& type : module_.types) {
      ir::for_each_inner(type, [&](ir::TypeId inner) {
        require(has_type(inner), "a type refers to one that is not in the table");
      });
    }
  }

  void attribute(const ir::Attribute& attribute) {
    using Kind = ir::Attribute::Kind;
    const bool typed = attribute.kind == Kind::integer || attribute.kind == Kind::floating ||
                       attribute.kind == Kind::type_attribute;
    require(!typed || has_type(attribute.type), "an attribute has a type that is not in the table");
    require(attribute.kind != Kind::string || has_string(attribute.string),
            "an attribute's string is not in the table");
    const bool keyed = attribute.kind == Kind::dictionary || attribute.kind == Kind::optimization_hints;
    require(!keyed || attribute.keys.size() == attribute.items.size(),
            "a dictionary's keys and values don't pair");
    require(std::ranges::all_of(attribute.keys, [&](ir::StringId id) { return has_string(id); }),
            "a dictionary's key is not in the table");
    require(std::ranges::all_of(attribute.items,
                                [&](ir::AttributeId id) { return has_attribute(ir::index(id)); }),
            "an attribute holds one that is not in the table");
  }

  void block(const ir::Block& block) {
    require(ir::index(block.parent) == ir::kNone || ir::index(block.parent) < module_.regions.size(),
            "a block is in no region");
    require(within(block.arguments, module_.values.size()),
            "a block's arguments are not in the table of values");
    require(std::ranges::all_of(block.ops, [&](ir::OpId id) { return ir::index(id) < module_.ops.size(); }),
            "a block holds an op that is not in the table");
  }

  void operation(ir::OpId id) {
    const ir::Operation& op = module_.op(id);
    require(op.info && ir::index(op.parent) < module_.blocks.size() &&
                within(op.operands, module_.operand_pool.size()) &&
                (op.segments == ir::kNone ||
                 within({op.segments, static_cast<std::uint32_t>(op.info->operands.size())},
                        module_.segment_pool.size())) &&
                within(op.attributes, module_.attribute_slots.size()) &&
                within(op.regions, module_.regions.size()) && within(op.results, module_.values.size()) &&
                ir::index(op.location) < module_.debug.size(),
            "an op's parts are not in their tables");
    if (!good_) return;
    require(op.attributes.count == op.info->attributes.size(), "an op has attributes that its row has not");
    if (!good_) return;
    for (std::size_t i = 0; i < op.attributes.count; ++i) {
      const ir::AttributeSlot& slot = module_.attribute_slots[op.attributes.first + i];
      require(!slot.present || word_exists(op.info->attributes[i], slot.word),
              "an op's attribute is not in its table");
    }
  }

  bool word_exists(const ir::AttributeInfo& info, std::uint64_t word) const {
    using Kind = ir::Attribute::Kind;
    switch (info.encoding) {
      case ir::Encoding::enumeration:
        return word < info.enumeration->values.size();
      case ir::Encoding::string:
        return word < module_.strings.size();
      case ir::Encoding::type:
        return word < module_.types.size();
      case ir::Encoding::constant:
        return word < module_.constants.size();
      case ir::Encoding::integer_array:
      case ir::Encoding::boolean_array:
        return has_attribute(word) && module_.attributes[word].kind == Kind::number_list;
      case ir::Encoding::attribute_array:
        return has_attribute(word) && module_.attributes[word].kind == Kind::array;
      case ir::Encoding::optimization_hints:
        return has_attribute(word) && module_.attributes[word].kind == Kind::optimization_hints;
      case ir::Encoding::attribute:
        return has_attribute(word) && (module_.attributes[word].kind == Kind::div_by ||
                                       module_.attributes[word].kind == Kind::same_elements ||
                                       module_.attributes[word].kind == Kind::bounded);
      default:
        return true;
    }
  }

  void globals_and_functions() {
    for (const ir::Global& global : module_.globals) {
      require(has_string(global.name) && has_type(global.type) && has_constant(global.value),
              "a global's parts are not in their tables");
    }
    for (const ir::Function& function : module_.functions) {
      require(has_string(function.name) && has_type(function.type) &&
                  ir::index(function.body) < module_.blocks.size() &&
                  ir::index(function.location) < module_.debug.size() &&
                  (!function.hints || has_attribute(ir::index(*function.hints))) &&
                  (!function.argument_attributes || has_attribute(ir::index(*function.argument_attributes))),
              "a function's parts are not in their tables");
      require(!good_ || ir::index(module_.block(function.body).parent) == ir::kNone,
              "a function's body is in a region");
    }
    require(!module_.producer || has_string(*module_.producer),
            "the producer is not in the table of strings");
  }

  /// Every op stands in one block, which it knows; every region and block too. So there are no cycles.
  void nesting() {
    std::vector<std::uint8_t> seen(module_.ops.size());
    for (std::uint32_t b = 0; b < module_.blocks.size(); ++b) {
      for (ir::OpId id : module_.blocks[b].ops) {
        require(ir::index(module_.op(id).parent) == b && seen[ir::index(id)] == 0,
                "an op stands in two blocks");
        seen[ir::index(id)] = 1;
      }
    }
    for (std::uint32_t i = 0; i < module_.ops.size(); ++i) {
      const ir::Range regions = module_.ops[i].regions;
      for (std::uint32_t r = regions.first; r < regions.first + regions.count; ++r) {
        require(ir::index(module_.regions[r].parent) == i, "a region is not that of its op");
      }
    }
    for (std::uint32_t r = 0; r < module_.regions.size(); ++r) {
      const ir::Range blocks = module_.regions[r].blocks;
      for (std::uint32_t b = blocks.first; b < blocks.first + blocks.count; ++b) {
        require(ir::index(module_.blocks[b].parent) == r, "a block is not that of its region");
      }
    }
  }

  /// How many values a group of an op has, by the op's encoding.
  void arity(ir::OpId id) {
    const ir::Operation& op = module_.op(id);
    const ir::OpInfo& info = *op.info;
    const bool variadic =
        std::ranges::any_of(info.results, [](const ir::GroupInfo& g) { return g.arity == Arity::variadic; });
    require(id, variadic || op.results.count == info.results.size(), [&] {
      return fmt::format("{} has {} results, got {}", info.mnemonic, info.results.size(), op.results.count);
    });
    require(id, op.regions.count == info.regions, [&] {
      return fmt::format("{} has {} regions, got {}", info.mnemonic, info.regions, op.regions.count);
    });
    for (std::uint32_t i = 0; i < op.regions.count; ++i) {
      const bool may_be_empty = info.is("if") && i == 1;
      require(id, may_be_empty || module_.body(id, i).has_value(),
              [&] { return fmt::format("region {} of {} is empty", i, info.mnemonic); });
    }
    require(id, info.has_segments() == (op.segments != ir::kNone), [&] {
      return fmt::format("operands of {} are {}counted by groups", info.mnemonic,
                         info.has_segments() ? "not " : "");
    });
    if (info.has_segments()) {
      segments(id);
    } else {
      std::size_t least = 0;
      bool open = false;
      for (const ir::GroupInfo& group : info.operands) {
        least += group.arity == Arity::one ? 1 : 0;
        open = open || group.arity == Arity::variadic;
      }
      require(id, op.operands.count >= least && (open || op.operands.count <= info.operands.size()),
              [&] { return fmt::format("{} can't have {} operands", info.mnemonic, op.operands.count); });
    }
    for (std::size_t i = 0; i < info.attributes.size(); ++i) {
      const ir::AttributeInfo& attribute = info.attributes[i];
      const bool present = module_.attribute_slots[op.attributes.first + i].present;
      require(id,
              present || attribute.optional || attribute.default_value || module_.version < attribute.since,
              [&] { return fmt::format("{} of {} is missing", attribute.name, info.mnemonic); });
    }
  }

  void segments(ir::OpId id) {
    const ir::Operation& op = module_.op(id);
    const ir::OpInfo& info = *op.info;
    if (!good_) return;
    std::size_t sum = 0;
    for (std::size_t i = 0; i < info.operands.size(); ++i) {
      const std::uint32_t count = module_.segments(id)[i];
      const Arity arity = info.operands[i].arity;
      sum += count;
      require(id, arity == Arity::variadic || count == 1 || (arity == Arity::optional && count == 0), [&] {
        return fmt::format("{} of {} has {} operands", info.operands[i].name, info.mnemonic, count);
      });
    }
    require(id, sum == op.operands.count,
            [&] { return fmt::format("the groups of {} don't add up to its operands", info.mnemonic); });
  }

  Findings& findings_;
  const ir::Module& module_;
  bool good_ = true;
};

}  // namespace

std::span<const Rule> table_rules() { return kRules; }

bool check_tables(Findings& findings, const ir::Module& module) { return Check(findings, module).run(); }

}  // namespace tileport::verify
