// SPDX-License-Identifier: Apache-2.0
#include "diff/keys.hpp"

#include <algorithm>
#include <cstring>

namespace tileport::diff {
namespace {

std::uint64_t elements_of(const ir::Type& type) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : type.shape)
    count *= static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 0));
  return count;
}

/// Bits packed eight to a byte; a single byte FF or 00 stands for all elements.
ConstantContent packed_bits(const std::string& raw, std::uint64_t count) {
  const auto bit = [&](std::uint64_t i) { return (static_cast<unsigned char>(raw[i / 8]) >> (i % 8)) & 1U; };
  if (raw.size() == 1 && (raw[0] == '\0' || static_cast<unsigned char>(raw[0]) == 0xff)) {
    return {raw[0] == '\0' ? 0U : 1U, {}};
  }
  std::string elements;
  for (std::uint64_t i = 0; i < count && i / 8 < raw.size(); ++i) elements.push_back(bit(i) ? '\1' : '\0');
  if (!elements.empty() && elements.find_first_not_of(elements[0]) == std::string::npos) {
    return {static_cast<std::uint64_t>(elements[0]), {}};
  }
  return {std::nullopt, std::move(elements)};
}

/// Eight bytes at a time; every bit of the input reaches every bit of the result.
std::uint64_t hash_of(std::string_view bytes) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;
  std::uint64_t hash = bytes.size() * kOdd;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0xD6E8FEB86659FD93ULL;
    hash ^= hash >> 32;
  };
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    mix(word);
  }
  std::uint64_t rest = 0;
  if (at < bytes.size()) std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
  mix(rest);
  return hash * kOdd;
}

}  // namespace

Id Interner::operator()(const Key& key) {
  const std::string_view bytes = key.bytes();
  const std::uint64_t hash = hash_of(bytes);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.id == 0) {
      slot = {hash, static_cast<Id>(stored_.size() + 1)};
      stored_.push_back({arena_.size(), bytes.size()});
      arena_.append(bytes);
      const Id made = slot.id - 1;
      if (stored_.size() * 2 > slots_.size()) grow();
      return made;
    }
    if (slot.hash != hash) continue;
    const Stored& known = stored_[slot.id - 1];
    if (std::string_view(arena_).substr(known.offset, known.size) == bytes) return slot.id - 1;
  }
}

void Interner::grow() {
  std::vector<Slot> larger(slots_.size() * 2);
  const std::size_t mask = larger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.id == 0) continue;
    std::size_t at = slot.hash & mask;
    while (larger[at].id != 0) at = (at + 1) & mask;
    larger[at] = slot;
  }
  slots_ = std::move(larger);
}

ConstantContent constant_content(const ir::Module& module, ir::TypeId type, ir::ConstantId constant) {
  const std::string& raw = module.constants[static_cast<std::uint32_t>(constant)];
  const ir::Type& tile = module.type(type);
  const ir::TypeKind element = tile.kind == ir::TypeKind::tile ? module.type(tile.element).kind : tile.kind;
  if (element == ir::TypeKind::i1) return packed_bits(raw, elements_of(tile));
  const std::size_t width = (ir::bit_width(element) + 7) / 8;
  if (width == 0 || raw.empty() || raw.size() % width != 0) return {std::nullopt, raw};
  for (std::size_t at = width; at < raw.size(); at += width) {
    if (raw.compare(at, width, raw, 0, width) != 0) return {std::nullopt, raw};
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, raw.data(), width);
  return {bits, {}};
}

Id ModuleKeys::type(ir::TypeId id) {
  if (const auto known = types_.find(static_cast<std::uint32_t>(id)); known != types_.end())
    return known->second;
  const Id interned = type(module_.type(id));
  types_.emplace(static_cast<std::uint32_t>(id), interned);
  return interned;
}

Id ModuleKeys::type(const ir::Type& type) {
  Key key("type");
  key.add(static_cast<std::uint64_t>(type.kind)).add(type.shape).add(type.strides).add(type.dim_map);
  key.add(static_cast<std::uint64_t>(type.sparse_dim));
  key.add(type.padding ? static_cast<std::uint64_t>(*type.padding) + 1 : 0);
  // "none" is what an absent attribute means.
  key.add(static_cast<std::uint64_t>(type.pointer_attribute.value_or(ir::PointerAttribute::none)));
  const bool has_element =
      !ir::is_element(type.kind) && type.kind != ir::TypeKind::token && type.kind != ir::TypeKind::function;
  if (has_element) key.add(this->type(type.element));
  for (const ir::TypeId input : type.inputs) key.add(this->type(input));
  key.add("->");
  for (const ir::TypeId result : type.results) key.add(this->type(result));
  return interner_(key);
}

Id ModuleKeys::attribute(ir::AttributeId id) {
  using Kind = ir::Attribute::Kind;
  const ir::Attribute& attribute = module_.attribute(id);
  Key key("attribute");
  key.add(static_cast<std::uint64_t>(attribute.kind));
  switch (attribute.kind) {
    case Kind::integer:
    case Kind::floating:
      key.add(type(attribute.type)).add(attribute.bits);
      break;
    case Kind::boolean:
      key.add(attribute.bits);
      break;
    case Kind::type_attribute:
      key.add(type(attribute.type));
      break;
    case Kind::string:
      key.add(module_.string(attribute.string));
      break;
    case Kind::div_by:
      key.add(attribute.bits);
      [[fallthrough]];
    case Kind::bounded:
      for (const auto& bound : {attribute.first, attribute.second}) {
        key.add(bound ? 1U : 0U).add(static_cast<std::uint64_t>(bound.value_or(0)));
      }
      break;
    case Kind::same_elements:
    case Kind::number_list:
      key.add(attribute.numbers);
      break;
    case Kind::array:
      for (const ir::AttributeId item : attribute.items) key.add(this->attribute(item));
      break;
    case Kind::dictionary:
    case Kind::optimization_hints: {
      // The order of a dictionary's keys means nothing.
      std::vector<std::pair<std::string, Id>> entries;
      for (std::size_t i = 0; i < attribute.items.size(); ++i) {
        entries.emplace_back(module_.string(attribute.keys[i]), this->attribute(attribute.items[i]));
      }
      std::ranges::sort(entries);
      for (const auto& [name, item] : entries) key.add(name).add(item);
      break;
    }
  }
  return interner_(key);
}

Id ModuleKeys::slot(ir::OpId id, std::size_t i) {
  const ir::Operation& op = module_.op(id);
  const ir::AttributeInfo& attribute = op.info->attributes[i];
  const ir::AttributeSlot& slot = module_.attribute_slots[op.attributes.first + i];
  const auto word = slot.present ? std::optional(slot.word) : attribute.default_value;
  Key key("slot");
  key.add(word ? 1U : 0U);
  if (!word) return interner_(key);
  const auto number = static_cast<std::uint32_t>(*word);
  switch (attribute.encoding) {
    case ir::Encoding::string:
      key.add(module_.string(ir::StringId{number}));
      break;
    case ir::Encoding::type:
      key.add(type(ir::TypeId{number}));
      break;
    case ir::Encoding::constant: {
      const ir::TypeId of = module_.value(module_.result(id, 0)).type;
      key.add(constant(type(of), constant_content(module_, of, ir::ConstantId{number})));
      break;
    }
    case ir::Encoding::enumeration:
    case ir::Encoding::integer:
    case ir::Encoding::boolean:
      key.add(*word);
      break;
    default:
      key.add(this->attribute(ir::AttributeId{number}));
      break;
  }
  return interner_(key);
}

Id ModuleKeys::constant(Id type, const ConstantContent& content) const {
  Key key("constant");
  key.add(type).add(content.splat ? 1U : 0U).add(content.splat.value_or(0)).add(content.elements);
  return interner_(key);
}

}  // namespace tileport::diff
