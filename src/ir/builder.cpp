// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <tileport/ir/builder.hpp>

#include "ir/codes.hpp"

namespace tileport::ir {
namespace {

std::uint32_t size_of(const auto& table) { return static_cast<std::uint32_t>(table.size()); }

void mix(std::size_t& seed, std::size_t value) {
  seed ^= value + 0x9E3779B97F4A7C15ULL + (seed << 6) + (seed >> 2);
}

std::size_t hash_of(const Type& type) {
  std::size_t seed = static_cast<std::size_t>(type.kind);
  mix(seed, static_cast<std::size_t>(type.element));
  for (std::int64_t extent : type.shape) mix(seed, static_cast<std::size_t>(extent));
  for (std::int64_t stride : type.strides) mix(seed, static_cast<std::size_t>(stride) + 1);
  for (std::int32_t dim : type.dim_map) mix(seed, static_cast<std::size_t>(dim));
  for (TypeId input : type.inputs) mix(seed, static_cast<std::size_t>(input));
  for (TypeId result : type.results) mix(seed, static_cast<std::size_t>(result) + 1);
  return seed;
}

std::size_t hash_of(const DebugEntry& entry) {
  std::size_t seed = static_cast<std::size_t>(entry.kind);
  for (DebugId id : {entry.scope, entry.file, entry.caller}) mix(seed, static_cast<std::size_t>(id));
  for (StringId id : {entry.name, entry.other_name}) mix(seed, static_cast<std::size_t>(id));
  for (std::uint64_t number :
       {std::uint64_t{entry.line}, std::uint64_t{entry.column}, std::uint64_t{entry.scope_line}, entry.flags})
    mix(seed, number);
  return seed;
}

std::string little_endian(std::uint64_t bits, std::size_t size) {
  std::string raw(size, '\0');
  for (std::size_t i = 0; i < size; ++i) raw[i] = static_cast<char>(bits >> (8 * i) & 0xFF);
  return raw;
}

}  // namespace

Builder::Builder(Module& module) : module_(module) {
  for (std::uint32_t i = 0; i < module.strings.size(); ++i) strings_.emplace(module.strings[i], StringId{i});
  for (std::uint32_t i = 0; i < module.constants.size(); ++i)
    constants_.emplace(module.constants[i], ConstantId{i});
  for (std::uint32_t i = 0; i < module.types.size(); ++i) types_.emplace(hash_of(module.types[i]), TypeId{i});
  for (std::uint32_t i = 0; i < module.debug.size(); ++i)
    debug_.emplace(hash_of(module.debug[i]), DebugId{i});
}

// ---- tables -------------------------------------------------------------------------------------------

StringId Builder::string(std::string_view text) {
  const auto [found, fresh] = strings_.try_emplace(std::string(text), StringId{size_of(module_.strings)});
  if (fresh) module_.strings.emplace_back(text);
  return found->second;
}

TypeId Builder::type(const Type& type) {
  const std::size_t hash = hash_of(type);
  const auto [first, last] = types_.equal_range(hash);
  for (auto entry = first; entry != last; ++entry) {
    if (module_.type(entry->second) == type) return entry->second;
  }
  const TypeId id{size_of(module_.types)};
  module_.types.push_back(type);
  types_.emplace(hash, id);
  return id;
}

TypeId Builder::simple(TypeKind kind) {
  Type made;
  made.kind = kind;
  return type(made);
}

TypeId Builder::tile(TypeId element, std::vector<std::int64_t> shape) {
  Type made;
  made.kind = TypeKind::tile;
  made.element = element;
  made.shape = std::move(shape);
  return type(made);
}

TypeId Builder::tile(TypeKind element, std::vector<std::int64_t> shape) {
  return tile(simple(element), std::move(shape));
}

TypeId Builder::pointer(TypeId pointee, std::optional<PointerAttribute> attribute) {
  Type made;
  made.kind = TypeKind::pointer;
  made.element = pointee;
  made.pointer_attribute = attribute;
  return type(made);
}

TypeId Builder::function_type(std::vector<TypeId> inputs, std::vector<TypeId> results) {
  Type made;
  made.kind = TypeKind::function;
  made.inputs = std::move(inputs);
  made.results = std::move(results);
  return type(made);
}

ConstantId Builder::constant(std::string_view raw) {
  const auto [found, fresh] =
      constants_.try_emplace(std::string(raw), ConstantId{size_of(module_.constants)});
  if (fresh) module_.constants.emplace_back(raw);
  return found->second;
}

ConstantId Builder::splat(TypeKind element, std::uint64_t bits) {
  assert(is_element(element) && "only element types have constants");
  if (element == TypeKind::i1) return constant(bits != 0 ? "\xFF" : std::string_view("\0", 1));
  return constant(little_endian(bits, (bit_width(element) + 7) / 8));
}

ConstantId Builder::elements(TypeKind element, std::span<const std::uint64_t> bits) {
  assert(!bits.empty() && "a tile has elements");
  if (std::ranges::all_of(bits, [&](std::uint64_t other) { return other == bits.front(); }))
    return splat(element, bits.front());
  std::string raw;
  if (element == TypeKind::i1) {
    raw.resize((bits.size() + 7) / 8);
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if (bits[i] != 0) raw[i / 8] = static_cast<char>(static_cast<unsigned char>(raw[i / 8]) | 1U << i % 8);
    }
  } else {
    const std::size_t size = (bit_width(element) + 7) / 8;
    raw.reserve(bits.size() * size);
    for (std::uint64_t pattern : bits) raw += little_endian(pattern, size);
  }
  return constant(raw);
}

DebugId Builder::debug(const DebugEntry& entry) {
  const std::size_t hash = hash_of(entry);
  const auto [first, last] = debug_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (module_.debug_entry(known->second) == entry) return known->second;
  }
  const DebugId id{size_of(module_.debug)};
  module_.debug.push_back(entry);
  debug_.emplace(hash, id);
  return id;
}

void Builder::set_location(std::size_t kernel, std::string_view file, std::uint32_t line,
                           std::uint32_t column) {
  const std::size_t slash = file.rfind('/');
  const bool has_folder = slash != std::string_view::npos;
  DebugEntry entry{.kind = DebugEntry::Kind::file};
  entry.name = string(has_folder ? file.substr(slash + 1) : file);
  entry.other_name = string(has_folder ? file.substr(0, slash) : std::string_view{});
  const DebugId source = debug(entry);
  const DebugId unit = debug({.kind = DebugEntry::Kind::compile_unit, .file = source});
  const StringId name = module_.functions[kernel].name;
  const DebugId subprogram = debug({.kind = DebugEntry::Kind::subprogram,
                                    .scope = unit,
                                    .file = source,
                                    .name = name,
                                    .other_name = name,
                                    .line = line,
                                    .scope_line = line});
  module_.functions[kernel].location = debug({.kind = DebugEntry::Kind::location,
                                              .scope = subprogram,
                                              .name = string(file),
                                              .line = line,
                                              .column = column});
}

// ---- functions and globals ----------------------------------------------------------------------------

std::size_t Builder::kernel(std::string_view name, std::span<const TypeId> parameters) {
  Function made;
  made.name = string(name);
  made.type = function_type({parameters.begin(), parameters.end()});
  made.is_kernel = true;
  made.body = add_block(RegionId{kNone}, parameters);
  module_.functions.push_back(made);
  to_end_of(made.body);
  return module_.functions.size() - 1;
}

std::size_t Builder::global(std::string_view name, TypeId type, ConstantId value) {
  Global made;
  made.name = string(name);
  made.type = type;
  made.value = value;
  module_.globals.push_back(made);
  return module_.globals.size() - 1;
}

// ---- where ops go -------------------------------------------------------------------------------------

void Builder::to_end_of(BlockId block) {
  block_ = block;
  position_ = module_.block(block).ops.size();
}

void Builder::before(OpId op) {
  block_ = module_.op(op).parent;
  assert(index(block_) != kNone && "the op was erased");
  const auto& ops = module_.block(block_).ops;
  position_ = static_cast<std::size_t>(std::ranges::find(ops, op) - ops.begin());
}

void Builder::after(OpId op) {
  before(op);
  ++position_;
}

// ---- ops ----------------------------------------------------------------------------------------------

ValueId Builder::add_value(TypeId type, Value::Owner owner, std::uint32_t owner_id, std::uint32_t index) {
  module_.values.push_back({.type = type, .owner = owner, .owner_id = owner_id, .index = index});
  return ValueId{size_of(module_.values) - 1};
}

BlockId Builder::add_block(RegionId parent, std::span<const TypeId> arguments) {
  const BlockId id{size_of(module_.blocks)};
  module_.blocks.emplace_back();
  module_.blocks.back().parent = parent;
  module_.blocks.back().arguments = {size_of(module_.values), size_of(arguments)};
  for (std::uint32_t i = 0; i < arguments.size(); ++i)
    add_value(arguments[i], Value::Owner::block_argument, index(id), i);
  return id;
}

std::optional<Diagnostic> Builder::check(const OperationParts& parts) const {
  const OpInfo& info = *parts.info;
  const auto problem = [](std::string_view code, std::string message) {
    return Diagnostic{.code = std::string(code), .message = std::move(message)};
  };
  std::size_t total = 0;
  for (std::size_t i = 0; i < info.operands.size(); ++i) {
    const std::size_t size = parts.group_sizes[i];
    total += size;
    const Arity arity = info.operands[i].arity;
    if ((arity == Arity::one && size != 1) || (arity == Arity::optional && size > 1)) {
      return problem(code::kOperands,
                     fmt::format("'{}' of {} is {} operand, not {}", info.operands[i].name, info.mnemonic,
                                 arity == Arity::one ? "one" : "at most one", size));
    }
  }
  assert(total == parts.operands.size() && "the groups don't add up to the operands");
  const bool open = std::ranges::any_of(
      info.results, [](const GroupInfo& group) { return group.arity == Arity::variadic; });
  if (!open && parts.results.size() != info.results.size()) {
    return problem(code::kResults,
                   fmt::format("{} has {} result{}, not {}", info.mnemonic, info.results.size(),
                               info.results.size() == 1 ? "" : "s", parts.results.size()));
  }
  for (std::size_t i = 0; i < info.attributes.size(); ++i) {
    const AttributeInfo& attribute = info.attributes[i];
    const bool filled =
        attribute.optional || attribute.default_value || attribute.encoding == Encoding::boolean_array;
    if (!parts.words[i] && !filled) {
      return problem(code::kMissing,
                     fmt::format("{} needs its attribute '{}'", info.mnemonic, attribute.name));
    }
  }
  return std::nullopt;
}

void Builder::fill_attributes(const OperationParts& parts, Operation& made) {
  const OpInfo& info = *parts.info;
  made.attributes = {size_of(module_.attribute_slots), static_cast<std::uint32_t>(info.attributes.size())};
  for (std::size_t i = 0; i < info.attributes.size(); ++i) {
    const AttributeInfo& attribute = info.attributes[i];
    AttributeSlot slot;
    if (parts.words[i]) {
      slot = {.word = *parts.words[i], .present = true};
    } else if (attribute.default_value) {
      slot = {.word = *attribute.default_value, .present = !attribute.optional};
    } else if (attribute.encoding == Encoding::boolean_array && !attribute.optional) {
      // One entry for each operand of the variadic group: the dimensions of a view.
      std::size_t entries = 0;
      for (std::size_t group = 0; group < info.operands.size(); ++group) {
        if (info.operands[group].arity == Arity::variadic) entries = parts.group_sizes[group];
      }
      slot = {.word = index(numbers(std::vector<std::int64_t>(entries))), .present = true};
    }
    module_.attribute_slots.push_back(slot);
    const auto bit = info.flag_bit(attribute.name);
    if (bit && attribute.optional && slot.present) made.flags |= 1U << *bit;
  }
}

OpId Builder::insert(const OperationParts& parts) {
  assert(index(block_) != kNone && "no insertion point");
  assert((parts.results.empty() || !check(parts)) && "the parts don't make an op");
  const OpInfo& info = *parts.info;
  const OpId id{size_of(module_.ops)};
  Operation made;
  made.info = &info;
  made.parent = block_;
  made.location = parts.location;
  made.flags = parts.units;
  made.operands = {size_of(module_.operand_pool), size_of(parts.operands)};
  module_.operand_pool.insert(module_.operand_pool.end(), parts.operands.begin(), parts.operands.end());
  for (std::size_t i = 0; i < info.operands.size(); ++i) {
    const auto bit = info.flag_bit(info.operands[i].name);
    if (bit && parts.group_sizes[i] != 0) made.flags |= 1U << *bit;
  }
  if (info.has_segments()) {
    made.segments = size_of(module_.segment_pool);
    module_.segment_pool.insert(
        module_.segment_pool.end(), parts.group_sizes.begin(),
        parts.group_sizes.begin() + static_cast<std::ptrdiff_t>(info.operands.size()));
  }
  fill_attributes(parts, made);
  made.regions = {size_of(module_.regions), info.regions};
  module_.regions.resize(module_.regions.size() + info.regions, Region{.parent = id, .blocks = {}});
  module_.ops.push_back(made);
  add_results(id, parts.results);
  auto& ops = module_.blocks[index(block_)].ops;
  ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(position_), id);
  ++position_;
  return id;
}

void Builder::add_results(OpId op, std::span<const TypeId> types) {
  assert(module_.op(op).results.count == 0 && "the op has results");
  module_.ops[index(op)].results = {size_of(module_.values), size_of(types)};
  for (std::uint32_t i = 0; i < types.size(); ++i) add_value(types[i], Value::Owner::op_result, index(op), i);
}

BlockId Builder::body(OpId op, std::size_t region, std::span<const TypeId> arguments) {
  const Range regions = module_.op(op).regions;
  assert(region < regions.count && "the op has no such region");
  const RegionId id{regions.first + static_cast<std::uint32_t>(region)};
  assert(module_.region(id).blocks.count == 0 && "the region has a block");
  const BlockId block = add_block(id, arguments);
  module_.regions[index(id)].blocks = {index(block), 1};
  to_end_of(block);
  return block;
}

}  // namespace tileport::ir
