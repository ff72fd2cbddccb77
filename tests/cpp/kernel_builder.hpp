// SPDX-License-Identifier: Apache-2.0
// Writes one-kernel modules op by op, for tests of what works on modules.
#pragma once

#include <cassert>
#include <cstring>
#include <map>
#include <string>
#include <tileport/ir/module.hpp>
#include <utility>
#include <vector>

namespace kernel_builder {

using tileport::ir::AttributeId;
using tileport::ir::BlockId;
using tileport::ir::ConstantId;
using tileport::ir::OpId;
using tileport::ir::StringId;
using tileport::ir::Type;
using tileport::ir::TypeId;
using tileport::ir::TypeKind;
using tileport::ir::ValueId;
namespace ir = tileport::ir;

using Values = std::vector<ValueId>;
using Types = std::vector<TypeId>;

/// An op's attributes: words by name. Unit flags are attributes with any word.
using Words = std::map<std::string, std::uint64_t>;

class Kernel {
 public:
  ir::Module module;

  explicit Kernel(const std::string& name = "k") {
    module.blocks.emplace_back();
    ir::Function function;
    function.name = string(name);
    function.is_kernel = true;
    function.body = BlockId{0};
    module.functions.push_back(function);
    open_.push_back(BlockId{0});
  }

  StringId string(const std::string& text) {
    module.strings.push_back(text);
    return StringId{static_cast<std::uint32_t>(module.strings.size() - 1)};
  }
  TypeId type(Type type) {
    module.types.push_back(std::move(type));
    return TypeId{static_cast<std::uint32_t>(module.types.size() - 1)};
  }
  TypeId element(TypeKind kind) {
    Type made;
    made.kind = kind;
    return type(made);
  }
  TypeId tile(TypeKind kind, std::vector<std::int64_t> shape = {}) {
    return tile(element(kind), std::move(shape));
  }
  TypeId tile(TypeId element, std::vector<std::int64_t> shape = {}) {
    Type made;
    made.kind = TypeKind::tile;
    made.element = element;
    made.shape = std::move(shape);
    return type(made);
  }
  TypeId pointers(TypeKind pointee, std::vector<std::int64_t> shape = {}) {
    Type pointer;
    pointer.kind = TypeKind::pointer;
    pointer.element = element(pointee);
    return tile(type(pointer), std::move(shape));
  }
  TypeId token() { return element(TypeKind::token); }

  /// Parameters come first, before any op.
  ValueId parameter(TypeId type) {
    auto& arguments = module.blocks[0].arguments;
    arguments.count += 1;
    return value(type, ir::Value::Owner::block_argument, 0, arguments.count - 1);
  }

  /// Appends an op. `groups` are the sizes of its operand groups, one each if they are left out.
  OpId op(std::string_view mnemonic, const Values& operands, const Types& results, const Words& words = {},
          std::vector<std::uint32_t> groups = {}) {
    const ir::OpInfo* info = ir::find_op(mnemonic);
    assert(info);
    const OpId id{static_cast<std::uint32_t>(module.ops.size())};
    ir::Operation made;
    made.info = info;
    made.parent = open_.back();
    made.operands = {static_cast<std::uint32_t>(module.operand_pool.size()),
                     static_cast<std::uint32_t>(operands.size())};
    module.operand_pool.insert(module.operand_pool.end(), operands.begin(), operands.end());
    if (groups.empty()) groups.assign(info->operands.size(), 1);
    if (info->has_segments()) {
      made.segments = static_cast<std::uint32_t>(module.segment_pool.size());
      module.segment_pool.insert(module.segment_pool.end(), groups.begin(), groups.end());
    }
    made.attributes = {static_cast<std::uint32_t>(module.attribute_slots.size()),
                       static_cast<std::uint32_t>(info->attributes.size())};
    for (const ir::AttributeInfo& attribute : info->attributes) {
      const auto word = words.find(std::string(attribute.name));
      module.attribute_slots.push_back(word == words.end() ? ir::AttributeSlot{}
                                                           : ir::AttributeSlot{word->second, true});
    }
    for (const auto& [name, word] : words) {
      if (const auto bit = info->flag_bit(name)) made.flags |= 1U << *bit;
    }
    made.regions = {static_cast<std::uint32_t>(module.regions.size()), info->regions};
    for (std::uint8_t r = 0; r < info->regions; ++r) module.regions.push_back({id, {}});
    made.results = {static_cast<std::uint32_t>(module.values.size()),
                    static_cast<std::uint32_t>(results.size())};
    module.ops.push_back(made);
    for (std::uint32_t i = 0; i < results.size(); ++i) {
      value(results[i], ir::Value::Owner::op_result, ir::index(id), i);
    }
    module.blocks[ir::index(open_.back())].ops.push_back(id);
    return id;
  }
  /// The only result of an op.
  ValueId make(std::string_view mnemonic, const Values& operands, TypeId result, const Words& words = {},
               std::vector<std::uint32_t> groups = {}) {
    return module.result(op(mnemonic, operands, {result}, words, std::move(groups)), 0);
  }

  /// Opens the block of a region; ops go there until close().
  Values open(OpId id, std::size_t region, const Types& arguments = {}) {
    const std::uint32_t index = module.op(id).regions.first + static_cast<std::uint32_t>(region);
    const BlockId block{static_cast<std::uint32_t>(module.blocks.size())};
    module.blocks.emplace_back();
    module.blocks.back().parent = ir::RegionId{index};
    module.blocks.back().arguments = {static_cast<std::uint32_t>(module.values.size()),
                                      static_cast<std::uint32_t>(arguments.size())};
    module.regions[index].blocks = {ir::index(block), 1};
    Values values;
    for (std::uint32_t i = 0; i < arguments.size(); ++i) {
      values.push_back(value(arguments[i], ir::Value::Owner::block_argument, ir::index(block), i));
    }
    open_.push_back(block);
    return values;
  }
  void close() { open_.pop_back(); }

  ValueId constant(TypeId type, std::uint64_t bits) {
    const Type& tile = module.type(type);
    const unsigned width = (ir::bit_width(module.type(tile.element).kind) + 7) / 8;
    std::string raw(width, '\0');
    std::memcpy(raw.data(), &bits, width);
    if (module.type(tile.element).kind == TypeKind::i1) raw[0] = bits != 0 ? '\xff' : '\0';
    module.constants.push_back(raw);
    return make("constant", {}, type, {{"value", module.constants.size() - 1}});
  }
  std::uint64_t attribute(ir::Attribute attribute) {
    module.attributes.push_back(std::move(attribute));
    return module.attributes.size() - 1;
  }
  std::uint64_t integer(std::int64_t number) {
    ir::Attribute made;
    made.kind = ir::Attribute::Kind::integer;
    made.type = element(TypeKind::i32);
    made.bits = static_cast<std::uint32_t>(number);
    return attribute(made);
  }
  /// {target: {key: number}}
  std::uint64_t hints(const std::string& target, const std::string& key, std::int64_t number) {
    ir::Attribute entry;
    entry.kind = ir::Attribute::Kind::dictionary;
    entry.keys = {string(key)};
    entry.items = {AttributeId{static_cast<std::uint32_t>(integer(number))}};
    ir::Attribute all;
    all.kind = ir::Attribute::Kind::optimization_hints;
    all.keys = {string(target)};
    all.items = {AttributeId{static_cast<std::uint32_t>(attribute(entry))}};
    return attribute(all);
  }
  ValueId assume_div_by(ValueId of, std::uint64_t divisor) {
    ir::Attribute predicate;
    predicate.kind = ir::Attribute::Kind::div_by;
    predicate.bits = divisor;
    return make("assume", {of}, module.value(of).type, {{"predicate", attribute(predicate)}});
  }
  ValueId assume_bounded(ValueId of, std::optional<std::int64_t> lower,
                         std::optional<std::int64_t> upper = {}) {
    ir::Attribute predicate;
    predicate.kind = ir::Attribute::Kind::bounded;
    predicate.first = lower;
    predicate.second = upper;
    return make("assume", {of}, module.value(of).type, {{"predicate", attribute(predicate)}});
  }

  /// Ends the kernel: `return`, and the function's type from its parameters.
  ir::Module finish() {
    op("return", {}, {});
    Type function;
    function.kind = TypeKind::function;
    for (std::uint32_t i = 0; i < module.blocks[0].arguments.count; ++i) {
      function.inputs.push_back(module.value(module.argument(BlockId{0}, i)).type);
    }
    module.functions[0].type = type(function);
    return std::move(module);
  }

 private:
  ValueId value(TypeId type, ir::Value::Owner owner, std::uint32_t owner_id, std::uint32_t index) {
    module.values.push_back({type, owner, owner_id, index});
    return ValueId{static_cast<std::uint32_t>(module.values.size() - 1)};
  }
  std::vector<BlockId> open_;
};

}  // namespace kernel_builder
