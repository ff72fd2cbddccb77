// SPDX-License-Identifier: Apache-2.0
// The op table against an independent description of the dialect (tests/data/tileir/ops.json).
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tileport/ir/op_table.hpp>
#include <tileport/ir/type.hpp>

#include "ir/op_families.hpp"
#include "test_data.hpp"
#include "text/form.hpp"

namespace ir = tileport::ir;
using nlohmann::json;

namespace {

const json& dialect() {
  static const json content = json::parse(std::ifstream(test_data() / "tileir" / "ops.json"));
  return content;
}

/// Preview ops belong to the newest version.
std::string version(const json& since) { return since == "preview" ? "13.5" : since.get<std::string>(); }
std::string version(ir::Version since) {
  return std::to_string(since.major) + "." + std::to_string(since.minor);
}

std::string word(ir::ListEncoding encoding) {
  switch (encoding) {
    case ir::ListEncoding::fixed:
      return "fixed";
    case ir::ListEncoding::counted:
      return "counted";
    case ir::ListEncoding::segmented:
      return "segmented";
  }
  return "";
}

std::string word(ir::Encoding encoding) {
  switch (encoding) {
    case ir::Encoding::enumeration:
      return "enum";
    case ir::Encoding::integer:
      return "int";
    case ir::Encoding::boolean:
      return "bool";
    case ir::Encoding::string:
      return "str";
    case ir::Encoding::type:
      return "typeid";
    case ir::Encoding::constant:
      return "dense_typed_elements";
    case ir::Encoding::integer_array:
      return "dense_int32_array";
    case ir::Encoding::boolean_array:
      return "dense_bool_array";
    case ir::Encoding::attribute_array:
      return "array";
    case ir::Encoding::attribute:
      return "tagged";
    case ir::Encoding::optimization_hints:
      return "optimization_hints";
  }
  return "";
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void check_groups(const json& expected, const auto& groups) {
  REQUIRE(groups.size() == expected.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    CHECK(groups[i].name == expected[i]["name"].get<std::string>());
    CHECK((groups[i].arity == ir::Arity::variadic) == expected[i]["variadic"].get<bool>());
    CHECK((groups[i].arity == ir::Arity::optional) == expected[i]["optional"].get<bool>());
  }
}

void check_attributes(const json& expected, const ir::OpInfo& info) {
  REQUIRE(info.attributes.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const ir::AttributeInfo& attribute = info.attributes[i];
    CAPTURE(attribute.name);
    CHECK(attribute.name == expected[i]["name"].get<std::string>());
    CHECK(word(attribute.encoding) == expected[i]["enc"].get<std::string>());
    CHECK(attribute.optional == expected[i]["optional"].get<bool>());
    const ir::Version since = std::max(attribute.since, info.since);
    CHECK(version(since) == std::max(version(expected[i]["since"]), version(info.since)));
    if (attribute.encoding == ir::Encoding::enumeration) {
      REQUIRE(attribute.enumeration != nullptr);
      CHECK(attribute.enumeration->name == expected[i]["type"].get<std::string>());
    }
    if (!expected[i].contains("default")) continue;
    REQUIRE(attribute.default_value.has_value());
    const std::string value = attribute.encoding == ir::Encoding::enumeration
                                  ? std::string(attribute.enumeration->values[*attribute.default_value])
                                  : std::to_string(*attribute.default_value);
    CHECK(value == lower(expected[i]["default"].get<std::string>()));
  }
}

void check_flags(const json& expected, const ir::OpInfo& info) {
  REQUIRE(info.flags_since.has_value() == !expected.is_null());
  if (expected.is_null()) return;
  CHECK(version(*info.flags_since) == version(expected["since"]));
  REQUIRE(info.flags.size() == expected["bits"].size());
  for (std::size_t i = 0; i < info.flags.size(); ++i) {
    CHECK(info.flags[i].name == expected["bits"][i]["name"].get<std::string>());
    const bool unit = expected["bits"][i]["kind"] == "unit_attr";
    CHECK((info.flags[i].kind == ir::FlagInfo::Kind::unit_attribute) == unit);
    const bool optional_attribute = info.attribute_index(info.flags[i].name) &&
                                    info.attributes[*info.attribute_index(info.flags[i].name)].optional;
    if (!unit) CHECK((optional_attribute || info.operand_group(info.flags[i].name).has_value()));
  }
}

}  // namespace

TEST_CASE("every op of the dialect has a row that says what the dialect says", "[ir]") {
  REQUIRE(dialect()["ops"].size() == 109);
  for (const json& expected : dialect()["ops"]) {
    const std::string name = expected["name"];
    CAPTURE(name);
    const ir::OpInfo* info = ir::find_op(name);
    REQUIRE(info != nullptr);
    CHECK(info->opcode == expected["opcode"].get<unsigned>());
    CHECK(ir::find_op(info->opcode) == info);
    CHECK(version(info->since) == version(expected["since"]));
    CHECK(info->regions == expected["regions"].get<unsigned>());
    CHECK(word(info->results_encoding) == expected["results_encoding"].get<std::string>());
    CHECK(word(info->operands_encoding) == expected["operands_encoding"].get<std::string>());
    check_groups(expected["results"], info->results);
    check_groups(expected["operands"], info->operands);
    check_attributes(expected["attributes"], *info);
    check_flags(expected["flags"], *info);
    for (std::size_t i = 0; i < info->results.size(); ++i) {
      CHECK(std::max(version(info->results[i].since), version(info->since)) ==
            std::max(version(expected["results"][i]["since"]), version(info->since)));
    }
  }
}

TEST_CASE("there is no row beyond the dialect, and the rows are ordered by opcode", "[ir]") {
  REQUIRE(ir::all_ops().size() == dialect()["ops"].size());
  for (std::size_t i = 1; i < ir::all_ops().size(); ++i) {
    CHECK(ir::all_ops()[i - 1]->opcode < ir::all_ops()[i]->opcode);
  }
  CHECK(ir::find_op(std::uint16_t{0x19}) == nullptr);
  CHECK(ir::find_op(std::uint16_t{0x4001}) == nullptr);
  CHECK(ir::find_op(std::uint16_t{0xFFFF}) == nullptr);
  CHECK(ir::find_op("pow") == nullptr);
}

TEST_CASE("each family's file holds the rows of that family", "[ir]") {
  const std::map<ir::Family, std::span<const ir::OpInfo>> files = {
      {ir::Family::arith, ir::arith_ops()},     {ir::Family::math, ir::math_ops()},
      {ir::Family::convert, ir::convert_ops()}, {ir::Family::shape, ir::shape_ops()},
      {ir::Family::memory, ir::memory_ops()},   {ir::Family::atomic, ir::atomic_ops()},
      {ir::Family::control, ir::control_ops()}, {ir::Family::view, ir::view_ops()},
      {ir::Family::misc, ir::misc_ops()}};
  std::size_t rows = 0;
  for (const auto& [family, ops] : files) {
    rows += ops.size();
    for (const ir::OpInfo& info : ops) {
      CAPTURE(info.mnemonic);
      CHECK(info.family == family);
    }
  }
  CHECK(rows == ir::all_ops().size());
}

TEST_CASE("enumerations have the dialect's values in the dialect's order", "[ir]") {
  const std::set<const ir::Enumeration*> all = {
      &ir::kRoundingMode,       &ir::kIntegerOverflow, &ir::kSignedness,       &ir::kComparisonPredicate,
      &ir::kComparisonOrdering, &ir::kMemoryOrdering,  &ir::kMemoryScope,      &ir::kAtomicMode,
      &ir::kReductionKind,      &ir::kPaddingValue,    &ir::kPointerAttribute, &ir::kVisibility};
  CHECK(all.size() == dialect()["enumerations"].size());
  for (const ir::Enumeration* enumeration : all) {
    CAPTURE(enumeration->name);
    const json& expected = dialect()["enumerations"][std::string(enumeration->name)];
    REQUIRE(enumeration->values.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(enumeration->values[i] == expected[i].get<std::string>());
    }
  }
}

TEST_CASE("type kinds have the dialect's keywords", "[ir]") {
  std::set<std::string> expected;
  for (const json& type : dialect()["types"]) expected.insert(type["name"].get<std::string>());
  std::set<std::string> keywords;
  for (int i = 0; i <= static_cast<int>(ir::TypeKind::token); ++i) {
    keywords.insert(std::string(ir::keyword(static_cast<ir::TypeKind>(i))));
  }
  CHECK(keywords == expected);
  CHECK(ir::bit_width(ir::TypeKind::tf32) == 19);
  CHECK(ir::bit_width(ir::TypeKind::tile) == 0);
}

TEST_CASE("every form parses and names what its row has", "[ir][text]") {
  for (const ir::OpInfo* info : ir::all_ops()) {
    CAPTURE(info->mnemonic, info->form);
    CHECK(tileport::text::parse_form(*info).has_value());
    // These stand in sections of their own, or only in preview content, and are never printed as ops.
    const bool printed =
        !info->is("module") && !info->is("entry") && !info->is("global") && info->opcode < 0x4000;
    CHECK(info->form.empty() != printed);
  }
  for (const char* form : {"{", "{lhs", "{lhs?", "{lhs?a|b", "{nobody}", "{type(nobody)}", "{type()}",
                           "{region(x)}", "{verb(lhs)}", "a}b", "{lhs?{rhs}"}) {
    ir::OpInfo bad = *ir::find_op("addf");
    bad.form = form;
    CAPTURE(form);
    CHECK_FALSE(tileport::text::parse_form(bad).has_value());
  }
}
