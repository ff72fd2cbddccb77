// SPDX-License-Identifier: Apache-2.0
//   type := varint tag, its fields (format.hpp); what follows them in the entry is ignored, as the reference
//           reader does
#include "bytecode/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tileport/ir/type_rules.hpp>

#include "bytecode/codes.hpp"
#include "bytecode/format.hpp"

namespace tileport::bytecode {
namespace {

using ir::Type;
using ir::TypeId;
using ir::TypeKind;
using ir::Version;

class TypeReader {
 public:
  TypeReader(Cursor& in, Version version, std::size_t table_size)
      : in_(in), version_(version), size_(table_size) {}

  Type read() {
    const std::uint64_t start = in_.offset();
    const std::uint64_t number = in_.varint();
    const auto tag = std::ranges::find(kTypeTags, number, &TypeTag::number);
    Type type;
    if (!in_.ok()) return type;
    if (tag == std::end(kTypeTags) || version_ < ir::since(tag->kind)) {
      in_.fail(
          code::kType,
          fmt::format("type tag {} does not exist in bytecode {}.{}", number, version_.major, version_.minor),
          start);
      return type;
    }
    type.kind = tag->kind;
    type_fields(*this, type, version_);
    // Behind a tile, more bytes are an extension for preview content.
    if (in_.ok() && !in_.at_end() && type.kind == TypeKind::tile) {
      in_.fail(code::kType, fmt::format("{} bytes follow the tile in its entry", in_.remaining()), start);
    }
    return type;
  }

  // The fields, called by type_fields.
  template <class Enum>
  void presence(std::optional<Enum>& value) {
    const std::uint64_t start = in_.offset();
    const std::uint64_t flags = in_.varint();
    if (flags > 1) in_.fail(code::kFlags, fmt::format("a type has unknown flags {:#x}", flags), start);
    if (flags == 1) value.emplace();
  }
  template <class Enum>
  void presence_byte(std::optional<Enum>& value) {
    if (in_.byte() != 0) value.emplace();
  }
  template <class Enum>
  void enumerator(Enum& value, const ir::Enumeration& values) {
    const std::uint64_t start = in_.offset();
    const std::uint64_t number = in_.varint();
    if (number >= values.values.size()) {
      in_.fail(code::kEnumerator, fmt::format("{} has no value {}", values.name, number), start);
    }
    if (in_.ok()) value = static_cast<Enum>(number);
  }
  void type(TypeId& id) { id = TypeId{in_.table_index("type", size_)}; }
  void list(std::vector<TypeId>& ids) {
    ids.resize(in_.count("types"));
    for (TypeId& id : ids) type(id);
  }
  /// Sign-extended little-endian numbers of `width` bytes.
  template <class Number>
  void list(std::vector<Number>& numbers, std::size_t width) {
    numbers.resize(in_.count("dimensions", width));
    for (Number& item : numbers) {
      const std::uint64_t raw = in_.fixed(width);
      item =
          static_cast<Number>(width == 4 ? static_cast<std::int32_t>(raw) : static_cast<std::int64_t>(raw));
    }
  }
  void number(std::int32_t& number) {
    number = static_cast<std::int32_t>(std::min<std::uint64_t>(in_.varint(), 0x7FFFFFFF));
  }

 private:
  Cursor& in_;
  Version version_;
  std::size_t size_;
};

/// Why a type can't be used, itself or something it refers to; nothing if it can.
std::optional<Diagnostic> defect(const std::vector<Type>& types, const Defects& malformed,
                                 const OffsetTable& table, std::uint32_t number) {
  if (const auto known = malformed.find(number); known != malformed.end()) return known->second;
  const Type& type = types[number];
  const auto wrong = [&](std::string message) {
    return Diagnostic{.code = std::string(code::kType),
                      .message = std::move(message),
                      .place = {.offset = table.start(number)}};
  };
  std::optional<Diagnostic> below;
  ir::for_each_inner(type, [&](TypeId inner) {
    const auto inner_number = static_cast<std::uint32_t>(inner);
    if (below) return;
    if (const auto known = malformed.find(inner_number); known != malformed.end()) {
      below = known->second;
    } else if (ir::may_hold(type.kind, types[inner_number].kind)) {
      below = defect(types, malformed, table, inner_number);
    }
  });
  if (below) return below;
  const std::string problem = ir::type_problem(types, type);
  if (!problem.empty()) return wrong(fmt::format("type {}: {}", number, problem));
  return std::nullopt;
}

}  // namespace

Type read_type(Cursor& in, Version version, std::size_t table_size) {
  return TypeReader(in, version, table_size).read();
}

void check_types(const std::vector<Type>& types, Defects& bad, const OffsetTable& table) {
  const Defects malformed = bad;
  for (std::uint32_t i = 0; i < types.size(); ++i) {
    if (auto found = defect(types, malformed, table, i)) bad.insert_or_assign(i, std::move(*found));
  }
}

}  // namespace tileport::bytecode
