// SPDX-License-Identifier: Apache-2.0
// The translator's parts: identifiers, layout, constants, and the check that nothing of an op was left
// unread.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "kernel_builder.hpp"
#include "translate/constants.hpp"
#include "translate/hints.hpp"
#include "translate/names.hpp"
#include "translate/op_reader.hpp"
#include "translate/rust_types.hpp"
#include "translate/source.hpp"

using namespace tileport::translate;
using kernel_builder::Kernel;
using kernel_builder::OpId;
using kernel_builder::TypeKind;
using kernel_builder::ValueId;
namespace ir = tileport::ir;

namespace {

std::string literal(TypeKind kind, std::uint64_t bits) {
  const auto form = constant_form(kind, bits);
  REQUIRE(form.has_value());
  if (form->carrier) return std::string(element_name(*form->carrier)) + " bits " + form->literal;
  return form->literal;
}

}  // namespace

TEST_CASE("identifiers are legal and unique", "[translate]") {
  Names names;
  CHECK(names.claim("row") == "row");
  CHECK(names.claim("row") == "row_1");
  CHECK(names.claim("row_1") == "row_1_1");
  CHECK(names.claim("loop") == "loop_1");  // a keyword
  CHECK(names.claim("addf") == "addf_1");  // a function that statements call
  CHECK(names.claim("constant") == "constant_1");
  CHECK(names.claim("9 lives") == "_9_lives");
  CHECK(names.claim("größe") == "gr____e");
  CHECK(names.claim("") == "value");
  CHECK(names.claim("_") == "value_1");
  CHECK(is_identifier("_softmax__0a1b"));
  for (const char* bad : {"", "_", "fn", "a-b", "1a", "ä"}) CHECK_FALSE(is_identifier(bad));
}

TEST_CASE("names of values in order sort in that order", "[translate]") {
  Names names;
  CHECK(names.claim_ordered({"a", "b"}) == std::vector<std::string>{"a", "b"});
  CHECK(names.claim_ordered({"m_i", "l_i", "acc"}) == std::vector<std::string>{"c0_m_i", "c1_l_i", "c2_acc"});
  CHECK(names.claim("m_i") == "m_i");  // What was not taken stays free.
  std::vector<std::string> many(12, "x");
  const auto claimed = names.claim_ordered(many);
  CHECK(claimed.front() == "c00_x");
  CHECK(std::ranges::is_sorted(claimed));
}

TEST_CASE("statements break as rustfmt breaks them", "[translate]") {
  Source out(1);
  const std::string wide(40, 'w');
  out.let("x", "i32", call("f", {"a", "b"}));
  out.let(wide, "Tile<f32, { [] }>", call("function_with_name", {wide}));
  out.let("x", "i32", call("f", {wide, wide, wide}));
  out.let("s", "Shape<{ [-1] }>", dims("Shape::<{ [-1] }>", {wide, wide, wide}));
  out.statement(call("g", {wide, wide, wide}));
  out.open_function("fn h", {}, {"a: " + wide, "b: " + wide, "c: " + wide});
  out.close();
  CHECK(out.str() ==
        "    let x: i32 = f(a, b);\n"
        "    let " +
            wide +
            ": Tile<f32, { [] }> =\n"
            "        function_with_name(" +
            wide +
            ");\n"
            "    let x: i32 = f(\n"
            "        " +
            wide + ",\n        " + wide + ",\n        " + wide +
            ",\n    );\n"
            "    let s: Shape<{ [-1] }> = Shape::<{ [-1] }> {\n"
            "        dims: &[\n"
            "            " +
            wide + ",\n            " + wide + ",\n            " + wide +
            ",\n        ],\n    };\n"
            "    g(\n        " +
            wide + ",\n        " + wide + ",\n        " + wide +
            ",\n    );\n"
            "    fn h(\n        a: " +
            wide + ",\n        b: " + wide + ",\n        c: " + wide + ",\n    ) {\n    }\n");
}

TEST_CASE("constants are exact, or carried by integers", "[translate]") {
  CHECK(literal(TypeKind::i32, 0x80000000) == "-2147483648");
  CHECK(literal(TypeKind::i8, 0xFF) == "-1");
  CHECK(literal(TypeKind::i64, 0x7FFFFFFFFFFFFFFF) == "9223372036854775807");
  CHECK(literal(TypeKind::f32, 0x3F800000) == "1.0");
  CHECK(literal(TypeKind::f32, 0x80000000) == "-0.0");
  CHECK(literal(TypeKind::f32, 0x3DCCCCCD) == "0.1");
  CHECK(literal(TypeKind::f32, 1) == "1e-45");
  CHECK(literal(TypeKind::f32, 0xFF800000) == "f32::NEG_INFINITY");
  CHECK(literal(TypeKind::f32, 0x7FC00000) == "i32 bits 2143289344");
  CHECK(literal(TypeKind::f64, 0x7FF0000000000000) == "f64::INFINITY");
  CHECK(literal(TypeKind::f64, 0xFFF8000000000000) == "i64 bits -2251799813685248");
  CHECK(literal(TypeKind::f16, 0x3C00) == "f16::ONE");
  CHECK(literal(TypeKind::f16, 0x8000) == "i16 bits -32768");
  CHECK(literal(TypeKind::bf16, 0) == "bf16::ZERO");
  CHECK(literal(TypeKind::bf16, 0x3F80) == "<f32 as super::InBf16>::ONE");
  CHECK(literal(TypeKind::bf16, 0xFF80) == "<f32 as super::InBf16>::NEG_INFINITY");
  CHECK(literal(TypeKind::bf16, 0x3F00) == "i16 bits 16128");
  CHECK(literal(TypeKind::f8E4M3FN, 0x38) == "i8 bits 56");
  CHECK_FALSE(constant_form(TypeKind::tf32, 0).has_value());
  CHECK_FALSE(constant_form(TypeKind::f4E2M1FN, 1).has_value());
}

TEST_CASE("every f32 literal gives its bits, read once or by way of f64", "[translate]") {
  std::uint32_t bits = 12345;
  for (int i = 0; i < 20000; ++i) {
    bits = bits * 1664525U + 1013904223U;
    if ((bits & 0x7F800000U) == 0x7F800000U) continue;
    const auto form = constant_form(TypeKind::f32, bits);
    REQUIRE(form.has_value());
    const float once = std::strtof(form->literal.c_str(), nullptr);
    const auto twice = static_cast<float>(std::strtod(form->literal.c_str(), nullptr));
    if (std::bit_cast<std::uint32_t>(once) != bits || std::bit_cast<std::uint32_t>(twice) != bits) {
      FAIL(form->literal << " for " << bits);
    }
  }
}

TEST_CASE("a constant repeats one element, or it does not", "[translate]") {
  CHECK(splat_bits(TypeKind::i32, std::string("\1\0\0\0\1\0\0\0", 8)) == 1);
  CHECK_FALSE(splat_bits(TypeKind::i32, std::string("\1\0\0\0\2\0\0\0", 8)).has_value());
  CHECK(splat_bits(TypeKind::i1, "\xFF") == 1);
  CHECK(splat_bits(TypeKind::i1, std::string("\0\0", 2)) == 0);
  CHECK_FALSE(splat_bits(TypeKind::i1, "\x0F").has_value());
  CHECK(splat_bits(TypeKind::f8E5M2, "\x3C") == 0x3C);
}

TEST_CASE("what is not read of an op is known", "[translate]") {
  Kernel k;
  const auto f = k.tile(TypeKind::f32, {16, 16});
  const ValueId x = k.parameter(f);
  const OpId op = OpId{k.module.value(k.make("mmaf", {x, x, x}, f, {{"fast_acc", 1}})).owner_id};
  const ir::Module module = k.finish();
  OpReader reader(module, op);
  CHECK(reader.unread() == "flag 'fast_acc', operand 'lhs', operand 'rhs', operand 'acc'");
  reader.all_operands();
  CHECK(reader.unread() == "flag 'fast_acc'");
  CHECK(reader.flag("fast_acc"));
  CHECK(reader.unread().empty());
}

TEST_CASE("attributes are left unread only if they are present", "[translate]") {
  Kernel k;
  const auto f = k.tile(TypeKind::f32);
  const ValueId x = k.parameter(f);
  const OpId with = OpId{k.module.value(k.make("exp", {x}, f, {{"rounding_mode", 4}})).owner_id};
  const OpId without = OpId{k.module.value(k.make("exp", {x}, f)).owner_id};
  const ir::Module module = k.finish();
  OpReader first(module, with);
  OpReader second(module, without);
  first.all_operands();
  second.all_operands();
  CHECK(first.unread() == "attribute 'rounding_mode'");
  CHECK(second.unread().empty());
  CHECK(second.enumerator("rounding_mode") == "full");
}

TEST_CASE("hints of an access are taken, or refused with the reason", "[translate]") {
  Kernel k;
  const auto hints = [&](const std::string& target, const std::string& key, ir::Attribute value) {
    ir::Attribute named;
    named.kind = ir::Attribute::Kind::dictionary;
    named.keys = {k.string(key)};
    named.items = {ir::AttributeId{static_cast<std::uint32_t>(k.attribute(std::move(value)))}};
    ir::Attribute all;
    all.kind = ir::Attribute::Kind::optimization_hints;
    all.keys = {k.string(target)};
    all.items = {ir::AttributeId{static_cast<std::uint32_t>(k.attribute(named))}};
    return access_hints(k.module, &all);
  };
  ir::Attribute number;
  number.kind = ir::Attribute::Kind::integer;
  ir::Attribute boolean;
  boolean.kind = ir::Attribute::Kind::boolean;

  number.bits = 3;
  CHECK(hints("default", "latency", number)->latency == 3);
  CHECK(hints("default", "allow_tma", boolean)->forbids_tma);
  CHECK(access_hints(k.module, nullptr)->latency == std::nullopt);
  CHECK(hints("sm_90", "latency", number).error() ==
        "the hint is for sm_90 only, and cutile 0.5.0 writes the hints of an access for every target");
  number.bits = 0;
  CHECK_FALSE(hints("default", "latency", number).has_value());
  boolean.bits = 1;
  CHECK_FALSE(hints("default", "allow_tma", boolean).has_value());
  CHECK_FALSE(hints("default", "speed", boolean).has_value());
}
