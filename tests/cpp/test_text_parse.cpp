// SPDX-License-Identifier: Apache-2.0
// Text to modules. Drop-in folders: tests/data/text/accepted/NAME.mlir is a text and NAME.txt what it prints
// as; tests/data/text/refused/NAME.mlir has its diagnostics in comments, "// expect LINE:COLUMN CODE", all of
// them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <ctime>
#include <sstream>
#include <string>
#include <tileport/bytecode/read.hpp>
#include <tileport/ir/equality.hpp>
#include <tileport/text/parse.hpp>
#include <tileport/text/print.hpp>
#include <vector>

#include "test_data.hpp"

namespace ir = tileport::ir;
namespace text = tileport::text;

namespace {

std::string told(const tileport::Diagnostics& diagnostics) {
  std::string all;
  for (const auto& diagnostic : diagnostics) all += to_string(diagnostic) + "\n";
  return all;
}

/// "2:8 TP-X0005", one a line.
std::vector<std::string> places(const tileport::Diagnostics& diagnostics) {
  std::vector<std::string> all;
  for (const auto& diagnostic : diagnostics) {
    all.push_back(std::to_string(diagnostic.place.line) + ":" + std::to_string(diagnostic.place.column) +
                  " " + diagnostic.code);
  }
  return all;
}

std::vector<std::string> expectations(const std::string& source) {
  constexpr std::string_view kMark = "// expect ";
  std::vector<std::string> all;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kMark)) all.push_back(line.substr(kMark.size()));
  }
  return all;
}

ir::Module parsed(const std::string& source) {
  auto module = text::parse(source);
  INFO((module ? "" : told(module.error())));
  REQUIRE(module);
  return std::move(*module);
}

std::string code_of(const std::string& source, const text::ParseOptions& options = {}) {
  const auto module = text::parse(source, options);
  return module ? "" : module.error().front().code;
}

}  // namespace

TEST_CASE("what is printed of bytecode parses to the same module", "[parse]") {
  std::size_t seen = 0;
  for (const char* folder : {"tileir/golden", "diff", "prove/softmax/reference"}) {
    for (const auto& file : test_files(folder, ".tileirbc")) {
      CAPTURE(file.string());
      const auto module = tileport::bytecode::read_file(file.string());
      REQUIRE(module);
      const std::string printed = text::print(*module);
      const ir::Module again = parsed(printed);
      const auto difference = ir::first_difference(*module, again);
      CHECK(difference.value_or("") == "");
      CHECK(text::print(again) == printed);
      ++seen;
    }
  }
  CHECK(seen >= 60);
}

TEST_CASE("other forms of text are read", "[parse]") {
  const auto all = test_files("text/accepted", ".mlir");
  REQUIRE(all.size() >= 15);
  for (const auto& file : all) {
    CAPTURE(file.filename().string());
    const ir::Module module = parsed(content(file));
    auto golden = file;
    const std::string printed = text::print(module);
    CHECK(printed == content(golden.replace_extension(".txt")));
    // What is printed of it says all of it.
    CHECK(ir::first_difference(module, parsed(printed)).value_or("") == "");
  }
}

TEST_CASE("wrong texts are refused at the right places", "[parse]") {
  const auto all = test_files("text/refused", ".mlir");
  REQUIRE(all.size() >= 20);
  for (const auto& file : all) {
    CAPTURE(file.filename().string());
    const std::string source = content(file);
    const auto module = text::parse(source);
    REQUIRE_FALSE(module);
    INFO(told(module.error()));
    CHECK(places(module.error()) == expectations(source));
    for (const auto& diagnostic : module.error()) {
      CHECK_FALSE(diagnostic.message.empty());
      CHECK_FALSE(diagnostic.message.ends_with('.'));
    }
  }
}

TEST_CASE("locations with a scope are kept", "[parse]") {
  const ir::Module module = parsed(content(test_data() / "text" / "accepted" / "locations.mlir"));
  const auto& ops = module.block(module.functions.at(0).body).ops;
  REQUIRE(ops.size() == 8);
  const auto source = [&](std::size_t i) { return module.source(module.op(ops[i]).location); };
  CHECK(source(0).file == "/src/kernel.py");
  CHECK(source(0).function == "kernel");
  CHECK(source(0).line == 7);
  CHECK(source(0).column == 8);
  CHECK(source(1).line == 9);
  CHECK(module.frames(module.op(ops[2]).location).size() == 2);
  CHECK(source(3).line == 7);
  CHECK(source(4).line == 7);
  for (std::size_t i : {5, 6, 7}) CHECK_FALSE(source(i).known());
  CHECK(module.source(module.functions[0].location).line == 7);
  // Ops know where in the text they stand, too.
  REQUIRE(module.origins.size() == module.ops.size());
  CHECK(module.origins[ir::index(ops[1])].line == 13);
  CHECK(module.origins[ir::index(ops[1])].column == 10);
}

TEST_CASE("the version is what the text needs, or what is wanted", "[parse]") {
  const auto body = [](const std::string& op) { return "entry @k(%n: tile<i32>) {\n" + op + "\n}\n"; };
  const auto version = [&](const std::string& op) { return parsed(body(op)).version; };
  CHECK(version("") == ir::Version{13, 3});
  CHECK(version("%0 = gdc_wait_tko -> token") == ir::Version{13, 4});
  CHECK(version("%0 = constant <fnv8E5M3FNU: 1.0> : tile<fnv8E5M3FNU>") == ir::Version{13, 4});
  CHECK(parsed(content(test_data() / "tileir" / "golden" / "probe_multimem.txt")).version ==
        ir::Version{13, 5});
  const auto wanted = [&](const std::string& op, std::uint8_t minor) {
    return code_of(body(op), {.version = ir::Version{13, minor}});
  };
  CHECK(wanted("%0 = gdc_wait_tko -> token", 3) == "TP-X0020");
  CHECK(wanted("%0 = gdc_wait_tko -> token", 4).empty());
  CHECK(wanted("%0 = negi %n overflow<no_signed_wrap> : tile<i32>", 1) == "TP-X0020");
  CHECK(wanted("%0 = negi %n : tile<i32>", 1).empty());
  CHECK(wanted("%0 = itof %n signed rounding<nearest_away> : tile<i32> -> tile<f32>", 3) == "TP-X0020");
  CHECK(wanted("for unsigned %i in (%n to %n, step %n) : tile<i32> { }", 1) == "TP-X0020");
  CHECK(wanted("%0 = constant <f8E8M0FNU: 1.0> : tile<f8E8M0FNU>", 1) == "TP-X0020");
  CHECK(code_of("global private @g <i8: 1> : tile<1xi8>", {.version = ir::Version{13, 2}}) == "TP-X0020");
}

TEST_CASE("several modules in one text", "[parse]") {
  const std::string source =
      "!n = tile<i32>\ncuda_tile.module @a {\n  entry @k(%x: !n) { }\n}\n"
      "cuda_tile.module @b {\n  entry @k(%x: !n) { }\n}\n";
  const auto modules = text::parse_modules(source);
  REQUIRE(modules);
  REQUIRE(modules->size() == 2);
  CHECK_FALSE(ir::first_difference(modules->at(0), modules->at(1)));
  CHECK(code_of(source) == "TP-X0024");
}

TEST_CASE("what has no end is refused", "[parse]") {
  const auto repeated = [](const std::string& piece, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += piece;
    return all;
  };
  const std::string head = "entry @k(%c: tile<i1>) {\n";
  CHECK(code_of(head + repeated("if %c {\n", 100'000)) == "TP-X0016");
  CHECK(code_of("entry @k(%c: " + repeated("tile<", 100'000)) == "TP-X0016");
  CHECK(code_of(head + "%0 = constant <i32: " + repeated("[", 100'000)) == "TP-X0016");
  CHECK(code_of(head + "%0 = assume " + repeated("[", 100'000)) == "TP-X0016");
  CHECK(code_of(head + "return loc(" + repeated("callsite(", 100'000)) == "TP-X0016");
  CHECK(code_of(repeated("module {", 100'000)) == "TP-X0016");
  CHECK(code_of(head + repeated("%0 = addi\n", 100'000)) == "TP-X0007");
  // Each alias doubles what the next one says.
  std::string doubling = "#a0 = [1]\n";
  for (int i = 1; i < 64; ++i) {
    const std::string before = "#a" + std::to_string(i - 1);
    doubling += "#a" + std::to_string(i) + " = [" + before + ", " + before + "]\n";
  }
  CHECK(code_of(doubling) == "TP-X0016");
  const auto many = text::parse(head + repeated("%0 = addq\n", 1000));
  REQUIRE_FALSE(many);
  CHECK(many.error().size() == 21);
  CHECK(many.error().back().code == "TP-X0022");
}

TEST_CASE("every cut of a text is refused or read, never more", "[parse]") {
  for (const char* name : {"generic_form", "aliases", "locations", "numbers", "wrapper_and_prefixes"}) {
    const std::string source = content(test_data() / "text" / "accepted" / (std::string(name) + ".mlir"));
    for (std::size_t size = 0; size < source.size(); ++size) {
      const auto module = text::parse(source.substr(0, size));
      if (module) {
        text::print(*module);
      } else {
        CHECK_FALSE(module.error().empty());
      }
    }
  }
}

TEST_CASE("time grows with the size of the text", "[parse]") {
  const auto source = [](std::size_t ops) {
    std::string all = "entry @k(%n: tile<i32>) {\n";
    for (std::size_t i = 0; i < ops; ++i)
      all += "  %x" + std::to_string(i) + " = addi %n, %n : tile<i32> loc(unknown)\n";
    return all + "  return\n}\n";
  };
  const auto work = [&](std::size_t ops) {
    const std::string text = source(ops);
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
      // Of this process alone, whatever else the machine does.
      const std::clock_t start = std::clock();
      REQUIRE(text::parse(text));
      best = std::min(best, static_cast<double>(std::clock() - start));
    }
    return best;
  };
  // Sixteen times the size; quadratic work would take 256 times as long.
  CHECK(work(32'000) < 64 * work(2'000));
}
