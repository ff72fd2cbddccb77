// SPDX-License-Identifier: Apache-2.0
//   tagged := varint tag, then by tag
//     integer             type, varint value (zero-extended); one byte for i1, anything but 0 is true
//     floating            type, one byte up to 8 bits, else the pattern as a signed varint of 64 bits
//     boolean             byte
//     type / string       id
//     array               varint n, n × tagged
//     div_by              varint divisor, byte (1 every, 2 along), [signed every], [signed along]
//     same_elements       varint n, n × i64
//     dictionary, hints   varint n, n × (string, tagged)
//     bounded             byte (1 lower, 2 upper), [signed lower], [signed upper]
#include "bytecode/attributes.hpp"

#include <fmt/format.h>

#include <string_view>
#include <unordered_set>
#include <utility>

#include "bytecode/codes.hpp"

namespace tileport::bytecode {
namespace {

using ir::Attribute;
using ir::AttributeId;
using Kind = ir::Attribute::Kind;

std::uint64_t low_bits(std::uint64_t value, unsigned width) {
  return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

/// The two optional numbers of div_by and bounded.
void optional_pair(Cursor& in, Attribute& attribute) {
  const std::uint64_t start = in.offset();
  const std::uint8_t present = in.byte();
  if (present > 3)
    in.fail(code::kFlags, fmt::format("a predicate has unknown flags {:#04x}", present), start);
  if ((present & 1) != 0) attribute.first = in.signed_varint();
  if ((present & 2) != 0) attribute.second = in.signed_varint();
}

}  // namespace

AttributeId AttributeReader::add(Attribute attribute) {
  module_.attributes.push_back(std::move(attribute));
  return AttributeId{static_cast<std::uint32_t>(module_.attributes.size() - 1)};
}

std::uint64_t AttributeReader::word(Cursor& in, const ir::AttributeInfo& info) {
  switch (info.encoding) {
    case ir::Encoding::enumeration:
      return enumerator(in, *info.enumeration);
    case ir::Encoding::integer:
      return in.varint();
    case ir::Encoding::boolean:
      return in.byte() != 0 ? 1 : 0;
    case ir::Encoding::string:
      return static_cast<std::uint64_t>(tables_.string(in));
    case ir::Encoding::type:
      return static_cast<std::uint64_t>(tables_.type(in));
    case ir::Encoding::constant:
      return static_cast<std::uint64_t>(tables_.constant(in));
    default:
      break;
  }
  const std::size_t start = in.position();
  const std::size_t before = module_.attributes.size();
  const AttributeId made = content(in, info);
  if (!in.ok()) return ir::index(made);
  auto& known = known_[static_cast<std::size_t>(info.encoding)];
  const auto [found, is_new] = known.try_emplace(in.since(start), made);
  if (!is_new) module_.attributes.resize(before);
  return ir::index(found->second);
}

AttributeId AttributeReader::content(Cursor& in, const ir::AttributeInfo& info) {
  if (info.encoding == ir::Encoding::attribute) return tagged(in);
  Attribute attribute;
  switch (info.encoding) {
    case ir::Encoding::integer_array:
      attribute.kind = Kind::number_list;
      attribute.numbers.resize(in.count(info.name, 4));
      for (std::int64_t& item : attribute.numbers) item = static_cast<std::int32_t>(in.fixed(4));
      break;
    case ir::Encoding::boolean_array:
      attribute.kind = Kind::number_list;
      attribute.numbers.resize(in.count(info.name));
      for (std::int64_t& item : attribute.numbers) item = in.byte() != 0 ? 1 : 0;
      break;
    case ir::Encoding::attribute_array:
      attribute.kind = Kind::array;
      array(in, attribute, 0);
      break;
    default:
      attribute.kind = Kind::optimization_hints;
      dictionary(in, attribute, 0);
      break;
  }
  return add(std::move(attribute));
}

AttributeId AttributeReader::tagged(Cursor& in, std::size_t depth) {
  const std::uint64_t start = in.offset();
  const std::uint64_t tag = in.varint();
  Attribute attribute;
  constexpr std::uint64_t kStrings = 7;  // Elements of strings: tileirdisasm 13.5.37 refuses them.
  if (in.ok() && (tag < 1 || tag > static_cast<std::uint64_t>(Kind::bounded) || tag == kStrings)) {
    in.fail(code::kAttribute, fmt::format("attribute tag {} does not exist", tag), start);
  } else if (in.ok() && depth >= kDeepestAttribute) {
    in.fail(code::kNesting, fmt::format("attributes are nested more than {} deep", kDeepestAttribute), start);
  }
  if (in.ok()) {
    attribute.kind = static_cast<Kind>(tag);
    payload(in, attribute, depth);
  }
  return add(std::move(attribute));
}

void AttributeReader::payload(Cursor& in, Attribute& attribute, std::size_t depth) {
  switch (attribute.kind) {
    case Kind::integer:
    case Kind::floating:
      number(in, attribute);
      break;
    case Kind::boolean:
      attribute.bits = in.byte() != 0 ? 1 : 0;
      break;
    case Kind::type_attribute:
      attribute.type = tables_.type(in);
      break;
    case Kind::string:
      attribute.string = tables_.string(in);
      break;
    case Kind::array:
      array(in, attribute, depth);
      break;
    case Kind::div_by:
      attribute.bits = in.varint();
      optional_pair(in, attribute);
      break;
    case Kind::same_elements:
      attribute.numbers.resize(in.count("elements", 8));
      for (std::int64_t& item : attribute.numbers) item = static_cast<std::int64_t>(in.fixed(8));
      break;
    case Kind::dictionary:
    case Kind::optimization_hints:
      dictionary(in, attribute, depth);
      break;
    case Kind::bounded:
      optional_pair(in, attribute);
      break;
    case Kind::number_list:
      break;
  }
}

void AttributeReader::number(Cursor& in, Attribute& attribute) {
  const std::uint64_t start = in.offset();
  attribute.type = tables_.type(in);
  if (!in.ok()) return;
  const ir::TypeKind kind = module_.type(attribute.type).kind;
  const bool floating = attribute.kind == Kind::floating;
  if (floating ? !ir::is_float(kind) : !ir::is_integer(kind)) {
    in.fail(
        code::kAttribute,
        fmt::format("a{} attribute can't have type {}", floating ? " float" : "n integer", ir::keyword(kind)),
        start);
    return;
  }
  const unsigned width = ir::bit_width(kind);
  if (floating && width <= 8) {
    attribute.bits = low_bits(in.byte(), width);
    return;
  }
  if (width == 1) {
    attribute.bits = in.byte() != 0 ? 1 : 0;
    return;
  }
  const std::size_t before = in.position();
  attribute.bits = floating ? static_cast<std::uint64_t>(in.signed_varint()) : in.varint();
  // The 10th byte of a number holds bits 63 to 69; bit 64 is the sign of an f64 that was shifted without
  // sign.
  constexpr std::uint8_t kBit64 = 2;
  const bool longest = in.ok() && in.position() - before == kLongestVarint;
  attribute.sign_lost = floating && width == 64 && longest && (in.last_byte() & kBit64) != 0;
  if (in.ok() && attribute.bits != low_bits(attribute.bits, width)) {
    in.fail(code::kAttribute, fmt::format("{:#x} does not fit in {} bits", attribute.bits, width), start);
  }
}

void AttributeReader::dictionary(Cursor& in, Attribute& attribute, std::size_t depth) {
  const bool hints = attribute.kind == Kind::optimization_hints;
  const std::size_t size = in.count("dictionary entries", 2);
  std::unordered_set<std::string_view> keys;
  for (std::size_t i = 0; i < size && in.ok(); ++i) {
    const std::uint64_t start = in.offset();
    const ir::StringId key = tables_.string(in);
    const AttributeId item = tagged(in, depth + 1);
    if (!in.ok()) return;
    if (module_.string(key).empty()) in.fail(code::kAttribute, "a key of a dictionary is empty", start);
    if (!keys.insert(module_.string(key)).second) {
      in.fail(code::kAttribute, fmt::format("key '{}' stands twice in a dictionary", module_.string(key)),
              start);
    } else if (hints && module_.attribute(item).kind != Kind::dictionary) {
      in.fail(code::kAttribute,
              fmt::format("optimization hints of '{}' are not a dictionary", module_.string(key)), start);
    }
    attribute.keys.push_back(key);
    attribute.items.push_back(item);
  }
}

void AttributeReader::array(Cursor& in, Attribute& attribute, std::size_t depth) {
  const std::size_t size = in.count("array elements");
  for (std::size_t i = 0; i < size && in.ok(); ++i) attribute.items.push_back(tagged(in, depth + 1));
}

std::uint64_t AttributeReader::enumerator(Cursor& in, const ir::Enumeration& values) {
  const std::uint64_t start = in.offset();
  const std::uint64_t number = in.varint();
  const std::uint8_t minor = module_.version.minor;
  if (in.ok() && !values.has(number, minor)) {
    in.fail(code::kEnumerator,
            fmt::format("{} has no value {} in bytecode 13.{}", values.name, number, minor), start);
  }
  return in.ok() ? number : 0;
}

}  // namespace tileport::bytecode
