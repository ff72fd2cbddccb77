// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <tileport/bytecode/read.hpp>
#include <tileport/ir/builder.hpp>
#include <tileport/ir/equality.hpp>
#include <tileport/text/parse.hpp>
#include <tileport/text/print.hpp>
#include <vector>

#include "test_data.hpp"

namespace ir = tileport::ir;
namespace text = tileport::text;

namespace {

/// A kernel of two integers, and a builder at its end.
struct Fixture {
  ir::Module module;
  ir::Builder builder{module};
  ir::TypeId i32 = builder.tile(ir::TypeKind::i32);
  ir::ValueId a, b;

  Fixture() {
    builder.kernel("k", std::vector{i32, i32});
    a = module.argument(module.functions[0].body, 0);
    b = module.argument(module.functions[0].body, 1);
  }
  ir::OpId add(ir::ValueId x, ir::ValueId y) {
    const auto made =
        builder.op({.mnemonic = "addi", .operands = {{"lhs", {x}}, {"rhs", {y}}}, .results = {i32}});
    REQUIRE(made);
    return *made;
  }
  ir::ValueId sum(ir::ValueId x, ir::ValueId y) { return module.result(add(x, y), 0); }
  void end() { REQUIRE(builder.op({.mnemonic = "return"})); }
};

template <class T>
std::string code(const tileport::Result<T>& result) {
  return result ? "" : result.error().front().code;
}

ir::Module read(const std::string& golden) {
  auto module =
      tileport::bytecode::read_file((test_data() / "tileir" / "golden" / (golden + ".tileirbc")).string());
  REQUIRE(module);
  return std::move(*module);
}

}  // namespace

TEST_CASE("equal entries of tables have one number", "[builder]") {
  ir::Module module;
  ir::Builder builder(module);
  CHECK(builder.string("x") == builder.string("x"));
  CHECK(builder.string("x") != builder.string("y"));
  CHECK(builder.tile(ir::TypeKind::f32, {4, 8}) == builder.tile(ir::TypeKind::f32, {4, 8}));
  CHECK(builder.tile(ir::TypeKind::f32, {4, 8}) != builder.tile(ir::TypeKind::f32, {8, 4}));
  const ir::TypeId pointee = builder.simple(ir::TypeKind::f32);
  CHECK(builder.pointer(pointee) != builder.pointer(pointee, ir::PointerAttribute::multicast));
  CHECK(builder.splat(ir::TypeKind::i32, 7) ==
        builder.elements(ir::TypeKind::i32, std::vector<std::uint64_t>{7, 7}));
  CHECK(module.constants.size() == 1);
  CHECK(module.constants[0] == std::string("\x07\0\0\0", 4));
  // What a module holds already is found.
  ir::Builder second(module);
  CHECK(second.string("y") == builder.string("y"));
  CHECK(second.tile(ir::TypeKind::f32, {4, 8}) == builder.tile(ir::TypeKind::f32, {4, 8}));
}

TEST_CASE("bits are packed, and one byte if they are equal", "[builder]") {
  ir::Module module;
  ir::Builder builder(module);
  const auto raw = [&](const std::vector<std::uint64_t>& bits) {
    return module.constants[static_cast<std::size_t>(builder.elements(ir::TypeKind::i1, bits))];
  };
  CHECK(raw({1, 0, 1}) == "\x05");
  CHECK(raw(std::vector<std::uint64_t>(32, 1)) == "\xFF");
  CHECK(raw({0, 0}) == std::string(1, '\0'));
  CHECK(raw({0, 0, 0, 0, 0, 0, 0, 0, 1}) == std::string("\0\x01", 2));
}

TEST_CASE("ops go where they are told to", "[builder]") {
  Fixture f;
  const ir::OpId first = f.add(f.a, f.b);
  const ir::OpId last = f.add(f.b, f.b);
  f.end();
  f.builder.after(first);
  const ir::OpId second = f.add(f.a, f.a);
  const ir::OpId third = f.add(f.a, f.a);
  f.builder.before(first);
  const ir::OpId zeroth = f.add(f.b, f.a);
  const auto& ops = f.module.block(f.module.functions[0].body).ops;
  CHECK(std::vector(ops.begin(), ops.end() - 1) == std::vector{zeroth, first, second, third, last});
}

TEST_CASE("every mistake of a caller has its code", "[builder]") {
  Fixture f;
  const auto op = [&](ir::OperationDescription description) { return code(f.builder.op(description)); };
  CHECK(op({.mnemonic = "nothing"}) == "TP-I0001");
  CHECK(op({.mnemonic = "global"}) == "TP-I0008");
  CHECK(op({.mnemonic = "absi", .operands = {{"src", {f.a}}}, .results = {f.i32}}) == "TP-I0002");
  CHECK(op({.mnemonic = "absi", .operands = {{"source", {f.a, f.b}}}, .results = {f.i32}}) == "TP-I0003");
  CHECK(op({.mnemonic = "absi", .operands = {{"source", {f.a}}, {"source", {f.b}}}, .results = {f.i32}}) ==
        "TP-I0003");
  CHECK(op({.mnemonic = "absi", .operands = {{"source", {ir::ValueId{99}}}}, .results = {f.i32}}) ==
        "TP-I0003");
  CHECK(op({.mnemonic = "absi", .operands = {{"source", {f.a}}}}) == "TP-I0004");
  CHECK(op({.mnemonic = "absi", .operands = {{"source", {f.a}}}, .results = {ir::TypeId{99}}}) == "TP-I0004");
  CHECK(op({.mnemonic = "shri", .operands = {{"lhs", {f.a}}, {"rhs", {f.b}}}, .results = {f.i32}}) ==
        "TP-I0006");
  const auto attribute = [&](const char* name, ir::AttributeContent content) {
    return op({.mnemonic = "shri",
               .operands = {{"lhs", {f.a}}, {"rhs", {f.b}}},
               .results = {f.i32},
               .attributes = {{name, std::move(content)}}});
  };
  CHECK(attribute("signedness", std::string("signed")).empty());
  CHECK(attribute("signedness", std::string("both")) == "TP-I0005");
  CHECK(attribute("signedness", std::int64_t{1}) == "TP-I0005");
  CHECK(attribute("sign", true) == "TP-I0002");
  const ir::OpId made = f.add(f.a, f.b);
  CHECK(code(f.builder.set_attribute(made, "overflow", std::string("no_wrap"))).empty());
  CHECK(code(f.builder.set_attribute(made, "overflow", true)) == "TP-I0005");
  CHECK(code(f.builder.remove_attribute(made, "colour")) == "TP-I0002");
  CHECK(code(f.builder.set_operands(made, "lhs", {})) == "TP-I0003");
  CHECK(code(f.builder.set_operands(made, "left", std::vector{f.a})) == "TP-I0002");
  f.sum(f.module.result(made, 0), f.a);
  CHECK(code(f.builder.erase(made)) == "TP-I0007");
}

TEST_CASE("erasing and replacing", "[builder]") {
  Fixture f;
  const ir::OpId first = f.add(f.a, f.b);
  const ir::OpId second = f.add(f.module.result(first, 0), f.module.result(first, 0));
  f.end();
  CHECK(f.builder.uses(f.module.result(first, 0)).size() == 2);
  CHECK(f.builder.replace_all_uses(f.module.result(first, 0), f.b) == 2);
  REQUIRE(f.builder.erase(first));
  CHECK(f.module.operand(second, 1) == f.b);
  // The insertion point stays where it was.
  CHECK(
      text::print(f.module) ==
      "entry @k(%arg0: tile<i32>, %arg1: tile<i32>) {\n  %0 = addi %arg1, %arg1 : tile<i32>\n  return\n}\n");
  f.builder.set_operand(second, 0, f.a);
  CHECK(f.module.operand(second, 0) == f.a);
}

TEST_CASE("an op with a body goes with everything in it", "[builder]") {
  ir::Module module = read("probe_control_flow");
  ir::Builder builder(module);
  const auto ops = module.block(module.functions[0].body).ops;
  std::size_t erased = 0;
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    if (ir::has(module.op(*op).info->traits, ir::Trait::terminator)) continue;
    REQUIRE(builder.erase(*op));
    ++erased;
  }
  CHECK(erased > 10);
  for (const ir::Operation& op : module.ops)
    CHECK((ir::index(op.parent) == ir::kNone || op.info->is("return")));
}

TEST_CASE("differences are found where they are", "[equality]") {
  const std::string first =
      "entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {\n"
      "  %0 = addi %n, %n overflow<no_wrap> : tile<i32>\n"
      "  %x = constant <i1: [true, false]> : tile<2xi1>\n"
      "  for %i in (%n to %0, step %n) : tile<i32> {\n"
      "    %1 = assume div_by<8>, %i : tile<i32>\n"
      "  }\n"
      "  return\n}\n";
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = first;
    text.replace(text.find(from), from.size(), to);
    const auto left = text::parse(first);
    const auto right = text::parse(text);
    REQUIRE(left);
    REQUIRE(right);
    return ir::first_difference(*left, *right).value_or("");
  };
  CHECK(changed("%n, %n overflow", "%n, %n  overflow").empty());
  CHECK(changed("no_wrap", "none") == "@k/addi#0: 'overflow' differs");
  CHECK(changed("true, false", "false, true") == "@k/constant#0: 'value' differs");
  CHECK(changed("to %0", "to %n") == "@k/for#0: the operands 'upperBound' differ");
  CHECK(changed("for %i", "for unsigned %i") == "@k/for#0: 'unsignedCmp' differs");
  CHECK(changed("div_by<8>", "div_by<4>") == "@k/for#0/assume#0: 'predicate' differs");
  CHECK(changed("div_by<8>", "bounded<0, ?>") == "@k/for#0/assume#0: 'predicate' differs");
  CHECK(changed("@k(", "@l(") == "the head of @k differs");
  CHECK(changed("<ptr<f32>>", "<ptr<f16>>") == "the head of @k differs");
  CHECK(changed("    %1 = assume div_by<8>, %i : tile<i32>\n", "") ==
        "@k/for#0/assume#0: the other op is continue");
}

TEST_CASE("every change of a golden file is a difference, every copy is none", "[equality]") {
  const ir::Module module = read("probe_views");
  CHECK_FALSE(ir::first_difference(module, module));
  ir::Module other = module;
  ir::Builder builder(other);
  std::size_t changes = 0;
  for (std::uint32_t i = 0; i < other.ops.size(); ++i) {
    const ir::Operation& op = other.ops[i];
    if (op.operands.count < 2) continue;
    const ir::ValueId before = other.operand(ir::OpId{i}, 0);
    if (before == other.operand(ir::OpId{i}, 1)) continue;
    builder.set_operand(ir::OpId{i}, 0, other.operand(ir::OpId{i}, 1));
    CHECK(ir::first_difference(module, other));
    builder.set_operand(ir::OpId{i}, 0, before);
    ++changes;
  }
  CHECK(changes > 10);
  CHECK_FALSE(ir::first_difference(module, other));
}
