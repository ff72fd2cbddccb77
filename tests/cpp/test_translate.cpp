// SPDX-License-Identifier: Apache-2.0
// The translator as a whole: golden files, determinism, names, comments, what surrounds an entry.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <tileport/bytecode/read.hpp>
#include <tileport/translate/translate.hpp>

#include "debug_entries.hpp"
#include "kernel_builder.hpp"
#include "test_data.hpp"

namespace translate = tileport::translate;
namespace ir = tileport::ir;
using kernel_builder::Kernel;
using kernel_builder::OpId;
using kernel_builder::TypeKind;
using kernel_builder::ValueId;

namespace {

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

translate::Translation translated(const std::vector<translate::Specialization>& specializations,
                                  const translate::Options& options = {}) {
  auto result = translate::translate(specializations, options);
  REQUIRE(result.has_value());
  return std::move(*result);
}

translate::Translation translated(const ir::Module& module, const translate::Options& options = {},
                                  std::vector<std::string> arguments = {}) {
  translate::Options named = options;
  named.generic = false;
  return translated({{"k__0", "k", &module, std::move(arguments)}}, named);
}

/// Captured kernels among the test data of the comparison; what cutile made of ports is left out.
std::vector<std::filesystem::path> captured_kernels() {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(test_data() / "diff")) {
    const bool port = file.path().stem().string().find('.') != std::string::npos;
    if (file.path().extension() == ".tileirbc" && !port) files.push_back(file.path());
  }
  return files;
}

bool has_line(const std::string& source, const std::string& line) {
  std::istringstream in(source);
  for (std::string each; std::getline(in, each);) {
    const auto start = each.find_first_not_of(' ');
    if (start != std::string::npos && each.substr(start) == line) return true;
  }
  return false;
}

/// Puts an op at a place in the source.
void locate(ir::Module& module, OpId op, std::uint32_t line, std::uint32_t column,
            const std::string& file = "/somewhere/ops/softmax.py") {
  module.ops[ir::index(op)].location = debug_entries::place(module, file, "k", line, column);
}

OpId defining(const Kernel& k, ValueId value) { return OpId{k.module.value(value).owner_id}; }

}  // namespace

TEST_CASE("golden kernel.rs files", "[translate]") {
  std::size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(test_data() / "translate")) {
    if (file.path().extension() != ".tileirbc") continue;
    ++count;
    const std::string name = file.path().stem().string();
    CAPTURE(name);
    const auto module = tileport::bytecode::read_file(file.path().string());
    REQUIRE(module.has_value());
    const auto result = translated({{name, translate::kernel_name(*module), &*module, {}}},
                                   {{}, "Golden file.\nSecond line.", false});
    CHECK(result.source == read_text(std::filesystem::path(file.path()).replace_extension(".rs")));
  }
  CHECK(count >= 2);
}

TEST_CASE("translation is deterministic and every name is declared once", "[translate]") {
  const std::regex declaration(R"(let (?:mut )?\(?\[?((?:\w+(?:, )?)+))");
  REQUIRE(captured_kernels().size() >= 5);
  for (const auto& file : captured_kernels()) {
    const std::string name = "k";
    CAPTURE(file.filename().string());
    const auto first = tileport::bytecode::read_file(file.string());
    const auto second = tileport::bytecode::read_file(file.string());
    REQUIRE(first.has_value());
    const std::string source = translated({{name, "kernel", &*first, {}}}).source;
    CHECK(source == translated({{name, "kernel", &*second, {}}}).source);
    std::set<std::string> seen;
    for (std::sregex_iterator each(source.begin(), source.end(), declaration), end; each != end; ++each) {
      std::istringstream names((*each)[1].str());
      for (std::string one; std::getline(names, one, ',');) {
        one.erase(0, one.find_first_not_of(' '));
        if (!one.empty() && one != "_") CHECK(seen.insert(one).second);
      }
    }
    CHECK(seen.size() > 20);
  }
}

TEST_CASE("no line is longer than 110 columns", "[translate]") {
  for (const auto& file : captured_kernels()) {
    const auto module = tileport::bytecode::read_file(file.string());
    REQUIRE(module.has_value());
    std::istringstream lines(translated({{"k", "kernel", &*module, {}}}).source);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(file.filename().string(), line);
      const bool comment = line.find("//") != std::string::npos;
      CHECK((comment || line.size() <= 110));
    }
  }
}

TEST_CASE("variables have the names of the source, and comments its lines", "[translate]") {
  Kernel k;
  const auto f = k.tile(TypeKind::f32);
  const auto f8 = k.tile(TypeKind::f32, {8});
  const auto f1 = k.tile(TypeKind::f32, {1});
  const ValueId x = k.parameter(f);
  const ValueId wide = k.make("reshape", {x}, f1);
  const ValueId spread = k.make("broadcast", {wide}, f8);
  const ValueId sum = k.make("addf", {spread, spread}, f8, {{"rounding_mode", 0}});
  const ValueId again = k.make("negf", {sum}, f8);
  k.op("print_tko", {again}, {k.token()}, {{"str", ir::index(k.string("%f"))}}, {1, 0});
  // One Python expression makes the first three ops; the last of them has its value.
  for (const ValueId value : {wide, spread, sum}) locate(k.module, defining(k, value), 12, 8);
  locate(k.module, defining(k, again), 13, 4);
  const ir::Module module = k.finish();
  translate::Options options;
  options.names["ops/softmax.py"] = {{{12, 8}, "total"}, {{13, 4}, "fn"}};
  options.names["x.py"] = {{{12, 8}, "wrong"}};

  const std::string source = translated(module, options, {"input"}).source;
  CHECK(has_line(source, "pub unsafe fn k__0(input: f32) {"));
  CHECK(has_line(source, "let input_1: Tile<f32, { [] }> = scalar_to_tile(input);"));
  CHECK(has_line(source, "let input_2: Tile<f32, { [1] }> = reshape(input_1, shape![1]);"));
  CHECK(has_line(
      source,
      "let total: Tile<f32, { [8] }> = addf(input_3, input_3, rounding::NearestEven, ftz::Disabled);"));
  // A Rust keyword is no name.
  CHECK(has_line(source, "let fn_1: Tile<f32, { [8] }> = negf(total);"));
  CHECK(has_line(source, "// softmax.py:12"));
  CHECK(has_line(source, "// softmax.py:13"));
  CHECK(source.find("softmax.py:12") == source.rfind("softmax.py:12"));
}

TEST_CASE("entries of one kernel share a module, in the order given", "[translate]") {
  Kernel a;
  const ir::Module first = a.finish();
  Kernel b;
  const ir::Module second = b.finish();
  const auto result =
      translated({{"one", "left", &first, {}}, {"two", "right", &first, {}}, {"three", "left", &second, {}}},
                 {{}, "Top line.", false});
  std::vector<std::string> names;
  for (const translate::Variant& variant : result.variants) names.push_back(variant.name);
  CHECK(names == std::vector<std::string>{"one", "three", "two"});
  CHECK(result.source ==
        "// Top line.\n"
        "#![allow(clippy::all, non_snake_case, unreachable_code, unsafe_op_in_unsafe_fn)]\n"
        "#![allow(unused_assignments, unused_variables)]\n"
        "\n#[cutile::module]\npub mod left {\n    use cutile::core::*;\n"
        "\n    /// Tile IR entry `k`.\n    #[cutile::entry()]\n    pub unsafe fn one() {\n    }\n"
        "\n    /// Tile IR entry `k`.\n    #[cutile::entry()]\n    pub unsafe fn three() {\n    }\n}\n"
        "\n#[cutile::module]\npub mod right {\n    use cutile::core::*;\n"
        "\n    /// Tile IR entry `k`.\n    #[cutile::entry()]\n    pub unsafe fn two() {\n    }\n}\n");
}

TEST_CASE("an entry's hints are said per target", "[translate]") {
  Kernel k;
  k.module.functions[0].hints = ir::AttributeId{static_cast<std::uint32_t>(k.hints("sm_90", "occupancy", 2))};
  const ir::Module module = k.finish();
  CHECK(has_line(translated(module).source,
                 "#[cutile::entry(optimization_hints = (sm_90 = (occupancy = 2,),))]"));

  Kernel odd;
  odd.module.functions[0].hints =
      ir::AttributeId{static_cast<std::uint32_t>(odd.hints("default", "speed", 2))};
  const ir::Module refused = odd.finish();
  const auto result = translated(refused);
  REQUIRE(result.refusals.size() == 1);
  CHECK(result.refusals[0].diagnostics[0].code == "TP-T0106");
  CHECK(result.refusals[0].diagnostics[0].place.path == "@k");
  CHECK(result.variants.empty());
}

TEST_CASE("an entry that is too long for cutile's launcher goes without one", "[translate]") {
  for (const std::size_t count : {64U, 65U}) {
    Kernel k;
    const auto i32 = k.tile(TypeKind::i32);
    for (std::size_t i = 0; i < count; ++i) k.parameter(i32);
    const ir::Module module = k.finish();
    const auto result = translated(module);
    REQUIRE(result.variants.size() == 1);
    const std::string path = count == 64 ? "cutile" : "rust_analyzer";
    CHECK(result.source.find("#[" + path + "::entry()]") != std::string::npos);
  }
}

TEST_CASE("wrong input is an error with a code", "[translate]") {
  Kernel k;
  const ir::Module module = k.finish();
  ir::Module none = module;
  none.functions[0].is_kernel = false;
  ir::Module two = module;
  two.functions.push_back(two.functions[0]);
  const auto code = [](const std::vector<translate::Specialization>& input) {
    const auto result = translate::translate(input, {});
    REQUIRE_FALSE(result.has_value());
    return result.error().front().code;
  };
  CHECK(code({{"a", "k", &none, {}}}) == "TP-T0001");
  CHECK(code({{"a", "k", &two, {}}}) == "TP-T0002");
  CHECK(code({{"a", "k", &module, {}}, {"a", "k", &module, {}}}) == "TP-T0003");
  CHECK(code({{"loop", "k", &module, {}}}) == "TP-T0004");
  CHECK(code({{"a", "9", &module, {}}}) == "TP-T0004");
  CHECK(code({{"a", "k", &module, {"x"}}}) == "TP-T0005");
}

TEST_CASE("the kernel's name comes from the symbol without what the launcher adds", "[translate]") {
  Kernel mangled("_softmax_kernel_Kt1_A2f32_I64");
  CHECK(translate::kernel_name(mangled.finish()) == "_softmax_kernel");
  Kernel odd("not a name");
  CHECK(translate::kernel_name(odd.finish()) == "kernel");
}
