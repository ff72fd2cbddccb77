// SPDX-License-Identifier: Apache-2.0
// The layout of attributes stands in attributes.cpp.
#include <fmt/format.h>

#include "bytecode/codes.hpp"
#include "bytecode/encoder.hpp"

namespace tileport::bytecode {

using ir::Attribute;
using ir::Encoding;
using Kind = ir::Attribute::Kind;

void Encoder::write_word(Output& out, const ir::AttributeInfo& info, std::uint64_t word) {
  switch (info.encoding) {
    case Encoding::enumeration:
      if (word >= info.enumeration->values.size()) {
        contradiction(fmt::format("{} has no value {}", info.enumeration->name, word));
      } else if (!info.enumeration->has(word, module_.version.minor)) {
        lacks(fmt::format("{} {}", info.name, info.enumeration->values[word]),
              {module_.version.major, info.enumeration->newer_minor});
      }
      out.varint(word);
      return;
    case Encoding::integer:
      out.varint(word);
      return;
    case Encoding::boolean:
      out.byte(word != 0 ? 1 : 0);
      return;
    case Encoding::string:
      write_index(out, word, module_.strings.size(), "string");
      return;
    case Encoding::type:
      write_index(out, word, module_.types.size(), "type");
      return;
    case Encoding::constant:
      write_index(out, word, module_.constants.size(), "constant");
      return;
    default:
      break;
  }
  if (word >= module_.attributes.size()) {
    contradiction(fmt::format("attribute {} does not exist", word));
    return;
  }
  const ir::AttributeId id{static_cast<std::uint32_t>(word)};
  const Attribute& content = module_.attribute(id);
  switch (info.encoding) {
    case Encoding::integer_array:
      out.varint(content.numbers.size());
      for (std::int64_t number : content.numbers) out.fixed(static_cast<std::uint64_t>(number), 4);
      break;
    case Encoding::boolean_array:
      out.varint(content.numbers.size());
      for (std::int64_t number : content.numbers) out.byte(number != 0 ? 1 : 0);
      break;
    case Encoding::attribute_array:
      out.varint(content.items.size());
      for (ir::AttributeId item : content.items) write_tagged(out, item);
      break;
    case Encoding::attribute:
      write_tagged(out, id);
      break;
    default:
      write_dictionary(out, content, 0);
      break;
  }
}

void Encoder::write_tagged(Output& out, ir::AttributeId id, std::size_t depth) {
  if (ir::index(id) >= module_.attributes.size() || depth > kDeepestAttribute) {
    contradiction("attributes are nested in themselves, or refer to one that does not exist");
    return;
  }
  const Attribute& attribute = module_.attribute(id);
  if (attribute.kind == Kind::number_list) {
    contradiction("a list of numbers stands where a tagged attribute is needed");
    return;
  }
  out.varint(static_cast<std::uint64_t>(attribute.kind));
  write_content(out, attribute, depth);
}

void Encoder::write_content(Output& out, const Attribute& attribute, std::size_t depth) {
  const auto optional_pair = [&] {
    out.byte((attribute.first ? 1 : 0) | (attribute.second ? 2 : 0));
    if (attribute.first) out.signed_varint(*attribute.first);
    if (attribute.second) out.signed_varint(*attribute.second);
  };
  switch (attribute.kind) {
    case Kind::integer:
    case Kind::floating:
      write_number(out, attribute);
      break;
    case Kind::boolean:
      out.byte(attribute.bits != 0 ? 1 : 0);
      break;
    case Kind::type_attribute:
      write_type_id(out, attribute.type);
      break;
    case Kind::string:
      write_string(out, attribute.string);
      break;
    case Kind::array:
      out.varint(attribute.items.size());
      for (ir::AttributeId item : attribute.items) write_tagged(out, item, depth + 1);
      break;
    case Kind::div_by:
      out.varint(attribute.bits);
      optional_pair();
      break;
    case Kind::same_elements:
      out.varint(attribute.numbers.size());
      for (std::int64_t number : attribute.numbers) out.fixed(static_cast<std::uint64_t>(number), 8);
      break;
    case Kind::dictionary:
    case Kind::optimization_hints:
      write_dictionary(out, attribute, depth);
      break;
    case Kind::bounded:
      optional_pair();
      break;
    case Kind::number_list:
      break;
  }
}

void Encoder::write_number(Output& out, const Attribute& attribute) {
  write_type_id(out, attribute.type);
  if (failure_) return;
  const bool floating = attribute.kind == Kind::floating;
  const unsigned width = ir::bit_width(module_.type(attribute.type).kind);
  if (width == 1 || (floating && width <= 8)) {
    out.byte(static_cast<std::uint8_t>(attribute.bits));
  } else if (floating) {
    out.signed_varint(static_cast<std::int64_t>(attribute.bits));
  } else {
    out.varint(attribute.bits);
  }
}

void Encoder::write_dictionary(Output& out, const Attribute& attribute, std::size_t depth) {
  if (attribute.keys.size() != attribute.items.size())
    contradiction("a dictionary has a key without a value");
  out.varint(attribute.keys.size());
  for (std::size_t i = 0; i < attribute.keys.size() && !failure_; ++i) {
    write_string(out, attribute.keys[i]);
    write_tagged(out, attribute.items[i], depth + 1);
  }
}

void Encoder::write_index(Output& out, std::uint64_t number, std::size_t size, std::string_view what) {
  if (number >= size) contradiction(fmt::format("{} {} does not exist", what, number));
  out.varint(number);
}

void Encoder::write_string(Output& out, ir::StringId id) {
  write_index(out, static_cast<std::uint64_t>(id), module_.strings.size(), "string");
}
void Encoder::write_type_id(Output& out, ir::TypeId id) {
  write_index(out, static_cast<std::uint64_t>(id), module_.types.size(), "type");
}
void Encoder::write_constant(Output& out, ir::ConstantId id) {
  write_index(out, static_cast<std::uint64_t>(id), module_.constants.size(), "constant");
}

}  // namespace tileport::bytecode
