// SPDX-License-Identifier: Apache-2.0
#include "text/literals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <tileport/text/print.hpp>

namespace tileport::text {
namespace {

using ir::Attribute;
using ir::Type;
using ir::TypeKind;
using Kind = ir::Attribute::Kind;

/// Constants with more elements, not all equal, print as the bytes in hexadecimal.
constexpr std::size_t kMostListedElements = 100;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_identifier(std::string_view name) {
  return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, [](char c) {
    return is_letter(c) || is_digit(c) || c == '$' || c == '.';
  });
}

void append_extents(std::string& out, const std::vector<std::int64_t>& extents, std::string_view separator) {
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (i != 0) out += separator;
    if (extents[i] == ir::kDynamic) {
      out += '?';
    } else {
      out += fmt::to_string(extents[i]);
    }
  }
}

bool is_identity(const std::vector<std::int32_t>& map) {
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map[i] != static_cast<std::int32_t>(i)) return false;
  }
  return true;
}

std::string_view enumerator(const ir::Enumeration& values, auto value) {
  return values.values[static_cast<std::size_t>(value)];
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  for (char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c >= 0x20 && c < 0x7F && c != '"') {
      out += c;
    } else {
      out += fmt::format("\\{:02X}", static_cast<unsigned char>(c));
    }
  }
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text);
  out += '"';
}

void append_symbol(std::string& out, std::string_view name) {
  out += '@';
  if (is_identifier(name)) {
    out += name;
  } else {
    append_quoted(out, name);
  }
}

std::int64_t sign_extended(TypeKind kind, std::uint64_t bits) {
  const unsigned unused = 64 - ir::bit_width(kind);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

std::string element_text(TypeKind kind, std::uint64_t bits) {
  if (kind == TypeKind::i1) return bits != 0 ? "true" : "false";
  if (ir::is_integer(kind)) return fmt::to_string(sign_extended(kind, bits));
  return print_float(kind, bits);
}

const std::string& Literals::type(ir::TypeId id) {
  std::string& text = types_[static_cast<std::size_t>(id)];
  if (text.empty()) text = make_type(module_.type(id));
  return text;
}

std::string Literals::make_type(const Type& type) {
  std::string out(ir::keyword(type.kind));
  switch (type.kind) {
    case TypeKind::pointer:
      out += '<' + this->type(type.element);
      if (type.pointer_attribute) {
        out += fmt::format(", <{}>", enumerator(ir::kPointerAttribute, *type.pointer_attribute));
      }
      return out + '>';
    case TypeKind::tile:
      out += '<';
      append_extents(out, type.shape, "x");
      return out + (type.shape.empty() ? "" : "x") + this->type(type.element) + '>';
    case TypeKind::tensor_view:
      out += '<';
      append_extents(out, type.shape, "x");
      out += (type.shape.empty() ? "" : "x") + this->type(type.element);
      if (!type.shape.empty()) {
        out += ", strides=[";
        append_extents(out, type.strides, ",");
        out += ']';
      }
      if (type.pointer_attribute) {
        out += fmt::format(", #cuda_tile.ptr_attr<{}>",
                           enumerator(ir::kPointerAttribute, *type.pointer_attribute));
      }
      return out + '>';
    case TypeKind::partition_view:
    case TypeKind::strided_view:
    case TypeKind::gather_scatter_view:
      append_view(out, type);
      return out;
    default:
      return out;
  }
}

void Literals::append_view(std::string& out, const Type& type) {
  out += "<tile=(";
  append_extents(out, type.shape, "x");
  out += "), ";
  if (type.kind == TypeKind::strided_view) {
    out += "traversal_strides=[";
    append_extents(out, type.strides, ",");
    out += "], ";
  }
  if (type.padding) out += fmt::format("padding_value = {}, ", enumerator(ir::kPaddingValue, *type.padding));
  out += this->type(type.element);
  if (type.kind == TypeKind::gather_scatter_view) {
    out += fmt::format(", sparse_dim={}", type.sparse_dim);
  } else if (!is_identity(type.dim_map)) {
    out += fmt::format(", dim_map=[{}]", fmt::join(type.dim_map, ", "));
  }
  out += '>';
}

Elements Literals::elements(ir::ConstantId constant, ir::TypeId type) const {
  const Type& tile = module_.type(type);
  const std::string& raw = module_.constants[static_cast<std::size_t>(constant)];
  Elements result;
  result.kind = module_.type(tile.element).kind;
  if (result.kind == TypeKind::i1) {
    std::uint64_t count = ir::element_count(tile);
    // One byte for more elements than its bits is a splat of its lowest bit.
    if (raw.size() == 1 && count > 8) count = 1;
    for (std::uint64_t i = 0; i < count; ++i) {
      result.bits.push_back(static_cast<unsigned char>(raw[i / 8]) >> (i % 8) & 1U);
    }
  } else {
    const std::size_t size = (ir::bit_width(result.kind) + 7) / 8;
    const std::uint64_t mask = ir::bit_width(result.kind) == 64
                                   ? ~std::uint64_t{0}
                                   : (std::uint64_t{1} << ir::bit_width(result.kind)) - 1;
    result.bits.reserve(raw.size() / size);
    for (std::size_t at = 0; at < raw.size(); at += size) {
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < size; ++i)
        bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(raw[at + i])) << (8 * i);
      result.bits.push_back(bits & mask);
    }
  }
  const bool equal =
      std::ranges::all_of(result.bits, [&](std::uint64_t bits) { return bits == result.bits.front(); });
  if (equal) result.bits.resize(1);
  return result;
}

void Literals::append_dense(std::string& out, ir::ConstantId constant, ir::TypeId type) {
  const Elements all = elements(constant, type);
  out += fmt::format("<{}: ", ir::keyword(all.kind));
  if (all.splat()) {
    out += element_text(all.kind, all.bits.front());
  } else if (all.bits.size() > kMostListedElements) {
    out += "\"0x";
    for (char byte : module_.constants[static_cast<std::size_t>(constant)]) {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      out += kDigits[static_cast<unsigned char>(byte) >> 4];
      out += kDigits[static_cast<unsigned char>(byte) & 0xF];
    }
    out += '"';
  } else {
    std::size_t next = 0;
    append_nested(out, all, module_.type(type).shape, next);
  }
  out += '>';
}

void Literals::append_nested(std::string& out, const Elements& elements, std::span<const std::int64_t> shape,
                             std::size_t& next) {
  if (shape.empty()) {
    out += element_text(elements.kind, elements.bits[next++]);
    return;
  }
  out += '[';
  for (std::int64_t i = 0; i < shape.front(); ++i) {
    if (i != 0) out += ", ";
    append_nested(out, elements, shape.subspan(1), next);
  }
  out += ']';
}

void Literals::append_number(std::string& out, const Attribute& attribute, NumberTypes types) {
  const TypeKind kind = module_.type(attribute.type).kind;
  const std::string text = element_text(kind, attribute.bits);
  out += text;
  if (types == NumberTypes::never || kind == TypeKind::i1) return;
  const bool usual = kind == TypeKind::i64 || (kind == TypeKind::f64 && !text.starts_with("0x"));
  if (types == NumberTypes::unusual && usual) return;
  out += " : ";
  out += ir::keyword(kind);
}

void Literals::append_attribute(std::string& out, const Attribute& attribute, NumberTypes types) {
  switch (attribute.kind) {
    case Kind::integer:
    case Kind::floating:
      append_number(out, attribute, types);
      break;
    case Kind::boolean:
      out += attribute.bits != 0 ? "true" : "false";
      break;
    case Kind::type_attribute:
      append_type(out, attribute.type);
      break;
    case Kind::string:
      append_quoted(out, module_.string(attribute.string));
      break;
    case Kind::array:
      out += '[';
      for (std::size_t i = 0; i < attribute.items.size(); ++i) {
        if (i != 0) out += ", ";
        append_attribute(out, module_.attribute(attribute.items[i]), NumberTypes::unusual);
      }
      out += ']';
      break;
    case Kind::div_by:
    case Kind::same_elements:
    case Kind::bounded:
      out += "#cuda_tile.";
      append_predicate(out, attribute);
      break;
    case Kind::dictionary:
      append_dictionary(out, attribute);
      break;
    case Kind::optimization_hints:
      out += "#cuda_tile.optimization_hints";
      append_hints(out, attribute);
      break;
    case Kind::number_list:
      out += fmt::format("[{}]", fmt::join(attribute.numbers, ", "));
      break;
  }
}

/// A type of the dialect says so where any type may stand.
void Literals::append_type(std::string& out, ir::TypeId id) {
  const Type& type = module_.type(id);
  const auto list = [&](const std::vector<ir::TypeId>& types) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (i != 0) out += ", ";
      append_type(out, types[i]);
    }
  };
  if (type.kind == TypeKind::function) {
    out += '(';
    list(type.inputs);
    out += ") -> ";
    if (type.results.size() != 1) out += '(';
    list(type.results);
    if (type.results.size() != 1) out += ')';
    return;
  }
  if (!ir::is_element(type.kind)) out += "!cuda_tile.";
  out += this->type(id);
}

void Literals::append_predicate(std::string& out, const Attribute& attribute) {
  const auto bound = [](const std::optional<std::int64_t>& value) {
    return value ? fmt::to_string(*value) : "?";
  };
  if (attribute.kind == Kind::div_by) {
    out += fmt::format("div_by<{}", attribute.bits);
    // Half of the pair is no program, but it has a text.
    if (attribute.first)
      out += fmt::format(", every {} along {}", *attribute.first, attribute.second.value_or(0));
    out += '>';
  } else if (attribute.kind == Kind::same_elements) {
    out += fmt::format("same_elements<[{}]>", fmt::join(attribute.numbers, ", "));
  } else {
    out += fmt::format("bounded<{}, {}>", bound(attribute.first), bound(attribute.second));
  }
}

void Literals::append_hints(std::string& out, const Attribute& attribute) {
  const auto append_entry = [&](const Attribute& hints, std::size_t i) {
    out += module_.string(hints.keys[i]);
    out += " = ";
    append_attribute(out, module_.attribute(hints.items[i]), NumberTypes::never);
  };
  out += '<';
  append_sorted(out, attribute, [&](std::size_t i) {
    const Attribute& hints = module_.attribute(attribute.items[i]);
    if (hints.kind != Kind::dictionary) return append_entry(attribute, i);
    out += module_.string(attribute.keys[i]);
    out += " = {";
    append_sorted(out, hints, [&](std::size_t k) { append_entry(hints, k); });
    out += '}';
  });
  out += '>';
}

void Literals::append_dictionary(std::string& out, const Attribute& attribute) {
  out += '{';
  append_sorted(out, attribute, [&](std::size_t i) {
    const std::string& key = module_.string(attribute.keys[i]);
    if (is_identifier(key)) {
      out += key;
    } else {
      append_quoted(out, key);
    }
    out += " = ";
    append_attribute(out, module_.attribute(attribute.items[i]), NumberTypes::always);
  });
  out += '}';
}

/// Entries in the order of their keys, with commas.
template <class Append>
void Literals::append_sorted(std::string& out, const Attribute& attribute, Append&& append) {
  std::vector<std::size_t> order(attribute.keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {},
                    [&](std::size_t i) -> const std::string& { return module_.string(attribute.keys[i]); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i != 0) out += ", ";
    append(order[i]);
  }
}

}  // namespace tileport::text
