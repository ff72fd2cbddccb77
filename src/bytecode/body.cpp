// SPDX-License-Identifier: Apache-2.0
//   op     := varint opcode, results, [varint flags], attributes, operands, [regions]
//   region := varint n blocks, n × (varint n + type ids of arguments, varint n, n × op)
//
// Values are numbered densely: arguments, then results in order. A block continues the numbering and gives it
// back at its end, so sibling regions use the same numbers; the results of a region op are numbered after its
// regions.
#include "bytecode/body.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bytecode/codes.hpp"
#include "bytecode/format.hpp"

namespace tileport::bytecode {
namespace {

using ir::Arity;
using ir::BlockId;
using ir::ListEncoding;
using ir::OpId;
using ir::OpInfo;
using ir::Range;
using ir::RegionId;
using ir::TypeId;
using ir::Value;
using ir::ValueId;

std::uint32_t size_of(const auto& table) { return static_cast<std::uint32_t>(table.size()); }

}  // namespace

template <class Table>
void BodyReader::append(Table& table, typename Table::value_type item) {
  if (table.size() == table.capacity()) make_room(table);
  table.push_back(std::move(item));
}

/// For as many entries as the whole body needs if the rest of it is like what was read, so that a table is
/// moved once or twice. The first few say little about the rest: numbers grow longer.
template <class Table>
void BodyReader::make_room(Table& table) {
  constexpr std::uint64_t kFewest = 4;
  constexpr std::uint64_t kSample = 16;  // A 16th of the body.
  constexpr std::uint64_t kSlack = 32;   // 1/32 more, for bodies that grow denser.
  const std::uint64_t read = in_.position() + 1;
  const std::uint64_t size = table.size() + 1;
  const std::uint64_t projected = size + size * in_.remaining() / read;
  const std::uint64_t most = kSample * read < in_.remaining() ? 4 * size : ir::kNone;
  table.reserve(std::max(kFewest, std::min(most, projected + projected / kSlack)));
}

BlockId BodyReader::read(const std::vector<TypeId>& arguments) {
  const BlockId body = new_block(RegionId{ir::kNone}, arguments);
  while (in_.ok() && !in_.at_end()) {
    const OpId op = read_op(body, 0);
    append(module_.blocks[ir::index(body)].ops, op);
  }
  return body;
}

BlockId BodyReader::new_block(RegionId parent, const std::vector<TypeId>& arguments) {
  const std::uint32_t number = size_of(module_.blocks);
  ir::Block block;
  block.parent = parent;
  block.arguments = {size_of(module_.values), size_of(arguments)};
  module_.blocks.push_back(std::move(block));
  for (std::uint32_t i = 0; i < arguments.size(); ++i) {
    scope_.push_back(new_value(arguments[i], Value::Owner::block_argument, number, i));
  }
  return BlockId{number};
}

ValueId BodyReader::new_value(TypeId type, Value::Owner owner, std::uint32_t owner_id, std::uint32_t index) {
  append(module_.values, {.type = type, .owner = owner, .owner_id = owner_id, .index = index});
  return ValueId{size_of(module_.values) - 1};
}

OpId BodyReader::read_op(BlockId block, std::size_t depth) {
  const std::uint64_t start = in_.offset();
  const std::uint64_t opcode = in_.varint();
  const OpId id{size_of(module_.ops)};
  const OpInfo* info = opcode <= 0xFFFF ? ir::find_op(static_cast<std::uint16_t>(opcode)) : nullptr;
  if (in_.ok() && (!info || module_.version < info->since || !is_instruction(*info))) {
    in_.fail(code::kOpcode,
             fmt::format("opcode {:#x}{} does not exist in the bodies of bytecode {}.{}", opcode,
                         info ? fmt::format(" ({})", info->mnemonic) : "", module_.version.major,
                         module_.version.minor),
             start);
  }
  if (!in_.ok()) return id;
  ir::Operation op;
  op.info = info;
  op.parent = block;
  append(module_.ops, op);
  append(module_.origins, {.offset = start});
  module_.ops.back().location = debug_.next(in_, start);
  read_results(id, start);
  if (info->flags_since && module_.version >= *info->flags_since) {
    module_.ops[ir::index(id)].flags =
        static_cast<std::uint32_t>(in_.varint() & ((1ULL << info->flags.size()) - 1));
  }
  read_attributes(id, start);
  read_operands(id, start);
  if (info->regions != 0) read_regions(id, start, depth);
  if (in_.ok()) check_op(id, start);
  const Range results = module_.ops[ir::index(id)].results;
  for (std::uint32_t i = 0; i < results.count; ++i) {
    if (is_written(*info, i, module_.version)) scope_.push_back(ValueId{results.first + i});
  }
  return id;
}

void BodyReader::read_results(OpId id, std::uint64_t start) {
  const OpInfo& info = *module_.op(id).info;
  const bool variadic =
      std::ranges::any_of(info.results, [](const ir::GroupInfo& g) { return g.arity == Arity::variadic; });
  std::size_t in_file = 0;
  for (const ir::GroupInfo& group : info.results) in_file += module_.version >= group.since ? 1 : 0;
  std::size_t count = in_file;
  if (info.results_encoding == ListEncoding::counted) count = in_.count("results");
  if (in_.ok() && !variadic && count != in_file) {
    in_.fail(code::kArity, fmt::format("{} has {} results, {} are written", info.mnemonic, in_file, count),
             start);
  }
  if (!in_.ok()) return;
  const std::uint32_t first = size_of(module_.values);
  for (std::uint32_t i = 0; i < count; ++i) {
    new_value(tables_.type(in_), Value::Owner::op_result, ir::index(id), i);
  }
  // A result that older versions don't write exists all the same; nothing in the file can refer to it.
  for (std::size_t i = in_file; i < info.results.size() && !variadic; ++i) {
    new_value(token_type(), Value::Owner::op_result, ir::index(id), static_cast<std::uint32_t>(i));
  }
  module_.ops[ir::index(id)].results = {first, size_of(module_.values) - first};
}

TypeId BodyReader::token_type() {
  if (token_type_) return *token_type_;
  const auto found = std::ranges::find(module_.types, ir::TypeKind::token, &ir::Type::kind);
  token_type_ = TypeId{static_cast<std::uint32_t>(found - module_.types.begin())};
  if (found == module_.types.end()) module_.types.emplace_back();
  return *token_type_;
}

bool BodyReader::flagged(const ir::Operation& op, std::string_view name) const {
  const auto bit = op.info->flag_bit(name);
  return bit && (op.flags >> *bit & 1U) != 0;
}

void BodyReader::read_attributes(OpId id, std::uint64_t start) {
  const OpInfo& info = *module_.op(id).info;
  const std::uint32_t first = size_of(module_.attribute_slots);
  for (std::size_t i = 0; i < info.attributes.size(); ++i) append(module_.attribute_slots, {});
  module_.ops[ir::index(id)].attributes = {first, size_of(info.attributes)};
  for (std::size_t i = 0; i < info.attributes.size(); ++i) {
    const ir::AttributeInfo& attribute = info.attributes[i];
    if (module_.version < attribute.since) continue;
    if (attribute.optional && !flagged(module_.op(id), attribute.name)) continue;
    module_.attribute_slots[first + i] = {.word = attributes_.word(in_, attribute), .present = true};
    if (!in_.ok()) return;
    if (attribute.encoding == ir::Encoding::constant) {
      const ir::ConstantId constant{static_cast<std::uint32_t>(module_.attribute_slots[first + i].word)};
      tables_.check_constant(in_, constant, module_.value(module_.result(id, 0)).type, start);
    } else if (attribute.encoding == ir::Encoding::attribute) {
      const ir::Attribute& content = module_.attributes[module_.attribute_slots[first + i].word];
      using Kind = ir::Attribute::Kind;
      if (content.kind != Kind::div_by && content.kind != Kind::same_elements &&
          content.kind != Kind::bounded) {
        in_.fail(code::kAttribute, fmt::format("the {} of {} is not one", attribute.name, info.mnemonic),
                 start);
      }
    }
  }
}

std::uint32_t BodyReader::operand() {
  const std::uint64_t start = in_.offset();
  const std::uint64_t number = in_.varint();
  if (in_.ok() && number >= scope_.size()) {
    in_.fail(code::kOperand,
             fmt::format("value {} is not defined here; {} values are", number, scope_.size()), start);
  }
  if (!in_.ok()) return 0;
  append(module_.operand_pool, scope_[number]);
  return 1;
}

void BodyReader::read_operands(OpId id, std::uint64_t start) {
  const OpInfo& info = *module_.op(id).info;
  const std::uint32_t first = size_of(module_.operand_pool);
  if (info.operands_encoding == ListEncoding::counted) {
    read_counted_operands(id, start);
  } else {
    const std::uint32_t first_segment = size_of(module_.segment_pool);
    const bool has_segments = info.has_segments();
    for (const ir::GroupInfo& group : info.operands) {
      std::size_t wanted = 1;
      if (group.arity == Arity::variadic) wanted = in_.count("operands");
      if (group.arity == Arity::optional) wanted = flagged(module_.op(id), group.name) ? 1 : 0;
      std::uint32_t count = 0;
      while (count < wanted && in_.ok()) count += operand();
      if (has_segments) append(module_.segment_pool, count);
    }
    if (has_segments) module_.ops[ir::index(id)].segments = first_segment;
  }
  module_.ops[ir::index(id)].operands = {first, size_of(module_.operand_pool) - first};
}

void BodyReader::read_counted_operands(OpId id, std::uint64_t start) {
  const OpInfo& info = *module_.op(id).info;
  const std::size_t count = in_.count("operands");
  std::size_t least = 0;
  bool open = false;
  for (const ir::GroupInfo& group : info.operands) {
    least += group.arity == Arity::one ? 1 : 0;
    open = open || group.arity == Arity::variadic;
  }
  if (in_.ok() && (count < least || (!open && count > info.operands.size()))) {
    in_.fail(code::kArity, fmt::format("{} can't have {} operands", info.mnemonic, count), start);
  }
  for (std::size_t i = 0; i < count && in_.ok(); ++i) operand();
}

void BodyReader::read_regions(OpId id, std::uint64_t start, std::size_t depth) {
  const OpInfo& info = *module_.op(id).info;
  const std::uint64_t count = in_.varint();
  if (in_.ok() && count != info.regions) {
    in_.fail(code::kArity,
             fmt::format("{} has {} regions, {} are written", info.mnemonic, info.regions, count), start);
  } else if (in_.ok() && depth >= kDeepestRegion) {
    in_.fail(code::kNesting, fmt::format("regions are nested more than {} deep", kDeepestRegion), start);
  }
  if (!in_.ok()) return;
  const std::uint32_t first = size_of(module_.regions);
  module_.regions.resize(first + info.regions, ir::Region{.parent = id, .blocks = {}});
  module_.ops[ir::index(id)].regions = {first, info.regions};
  for (std::uint32_t i = 0; i < info.regions && in_.ok(); ++i) {
    const std::uint64_t region_start = in_.offset();
    const std::uint64_t blocks = in_.varint();
    // Only the second region of `if` may be empty.
    if (in_.ok() && (blocks > 1 || (blocks == 0 && i == 0))) {
      in_.fail(code::kArity,
               fmt::format("a region of {} has one block, {} are written", info.mnemonic, blocks),
               region_start);
    }
    if (in_.ok() && blocks == 1) read_block(RegionId{first + i}, depth);
  }
}

void BodyReader::read_block(RegionId region, std::size_t depth) {
  const std::uint64_t start = in_.offset();
  std::vector<TypeId> arguments(in_.count("block arguments"));
  for (TypeId& type : arguments) type = tables_.type(in_);
  const std::size_t outer = scope_.size();
  const BlockId block = new_block(region, arguments);
  module_.regions[ir::index(region)].blocks = {ir::index(block), 1};
  const std::size_t count = in_.count("ops");
  for (std::size_t i = 0; i < count && in_.ok(); ++i) {
    const OpId op = read_op(block, depth + 1);
    module_.blocks[ir::index(block)].ops.push_back(op);
  }
  scope_.resize(outer);
  const auto& ops = module_.block(block).ops;
  if (in_.ok() && (ops.empty() || !ir::has(module_.op(ops.back()).info->traits, ir::Trait::terminator))) {
    in_.fail(code::kBody, "a region does not end with a terminator", start);
  }
}

/// What later layers rely on without asking: how many arguments a body has, and how a tensor_view is put
/// together.
void BodyReader::check_op(OpId id, std::uint64_t start) {
  const ir::Operation& op = module_.op(id);
  if (op.info->is("make_tensor_view")) {
    check_tensor_view(id, start);
    return;
  }
  if (op.info->regions == 0) return;
  std::size_t expected = 0;
  if (op.info->argument_names == ir::ArgumentNames::loop) {
    expected = op.operands.count - 2;
  } else if (op.info->is("loop")) {
    expected = op.operands.count;
  } else if (op.info->is("reduce") || op.info->is("scan")) {
    expected = 2 * std::size_t{op.operands.count};
  }
  for (std::size_t i = 0; i < op.regions.count; ++i) {
    const auto body = module_.body(id, i);
    if (body && module_.block(*body).arguments.count != expected) {
      in_.fail(code::kArity,
               fmt::format("the body of {} needs {} arguments, it has {}", op.info->mnemonic, expected,
                           module_.block(*body).arguments.count),
               start);
    }
  }
}

void BodyReader::check_tensor_view(OpId id, std::uint64_t start) {
  const ir::Type& type = module_.type_of(module_.result(id, 0));
  const auto dynamic = [](const std::vector<std::int64_t>& list) {
    return static_cast<std::size_t>(std::ranges::count(list, ir::kDynamic));
  };
  if (type.kind != ir::TypeKind::tensor_view) {
    in_.fail(code::kType, fmt::format("the result of make_tensor_view can't be a {}", ir::keyword(type.kind)),
             start);
  } else if (dynamic(type.shape) != module_.operands(id, "dynamicShape").size() ||
             dynamic(type.strides) != module_.operands(id, "dynamicStrides").size()) {
    in_.fail(code::kArity,
             "make_tensor_view needs one operand for each dynamic extent and stride of its type", start);
  }
}

}  // namespace tileport::bytecode
