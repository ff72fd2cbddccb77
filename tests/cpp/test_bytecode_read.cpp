// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <tileport/bytecode/read.hpp>
#include <tileport/text/print.hpp>

#include "bytecode_builder.hpp"
#include "test_data.hpp"

namespace bytecode = tileport::bytecode;
namespace ir = tileport::ir;
using bytecode_builder::Bytes;
using bytecode_builder::bytes_of;
using bytecode_builder::File;

namespace {

tileport::Result<ir::Module> read(const std::string& data) {
  return bytecode::read(bytes_of(data), "in.tileirbc");
}
tileport::Result<ir::Module> read(const File& file) { return read(file.build()); }

/// The code of the only diagnostic; "" if the file is accepted.
std::string code_of(const File& file) {
  const auto module = read(file);
  if (module) return "";
  REQUIRE(module.error().size() == 1);
  CHECK(module.error()[0].place.file == "in.tileirbc");
  REQUIRE(module.error()[0].place.offset.has_value());
  CHECK(*module.error()[0].place.offset <= file.build().size());
  CHECK_FALSE(module.error()[0].message.empty());
  return module.error()[0].code;
}

File with_body(const std::string& body, std::uint64_t signature = 3) {
  File file;
  file.body = body;
  file.signature = signature;
  return file;
}

const std::string kReturn("\x5C\x00\x00", 3);

/// The functions and strings that a debug section of one function needs around it.
File with_debug(const std::vector<std::uint64_t>& ids, const std::vector<std::string>& entries) {
  File file;
  Bytes debug;
  debug.varint(1).align(4).fixed(0, 4).varint(ids.size()).align(8);
  for (std::uint64_t id : ids) debug.fixed(id, 8);
  Bytes table;
  table.varint(entries.size());
  // The table's offsets are aligned from the start of the section.
  std::string payload = debug.str() + table.str();
  payload.append((4 - payload.size() % 4) % 4, '\xCB');
  std::uint64_t at = 0;
  Bytes offsets;
  for (const std::string& entry : entries) {
    offsets.fixed(at, 4);
    at += entry.size();
  }
  payload += offsets.str();
  for (const std::string& entry : entries) payload += entry;
  file.more_sections.emplace_back(3, payload);
  file.strings = {"k", "a.py", "/src", "inner", "outer"};
  return file;
}

}  // namespace

TEST_CASE("a minimal file is read", "[bytecode]") {
  const auto module = read(File{});
  REQUIRE(module);
  CHECK(module->version == ir::Version{13, 3});
  CHECK(module->file == "in.tileirbc");
  REQUIRE(module->functions.size() == 1);
  CHECK(module->string(module->functions[0].name) == "k");
  CHECK(module->functions[0].is_kernel);
  REQUIRE(module->ops.size() == 1);
  CHECK(module->ops[0].info->is("return"));
  CHECK(tileport::text::print(*module) == "entry @k() {\n  return\n}\n");
}

TEST_CASE("a diagnostic says where the mistake is", "[bytecode]") {
  const std::string good = File{}.build();
  std::string bad = good;
  bad[0] = 'x';
  auto module = read(bad);
  REQUIRE_FALSE(module);
  CHECK(module.error()[0].code == "TP-B0002");
  CHECK(module.error()[0].place.offset == 0);

  bad = good;
  bad[9] = 6;
  module = read(bad);
  REQUIRE_FALSE(module);
  CHECK(module.error()[0].code == "TP-B0003");
  CHECK(module.error()[0].place.offset == 8);
  CHECK(tileport::to_string(module.error()[0]) ==
        "in.tileirbc:0x8: error: bytecode version 13.6 is not supported; 13.1 to 13.5 are [TP-B0003]");

  module = read(with_body(std::string("\x03\x01\x00\x07\x00", 5) + kReturn, 4));
  REQUIRE_FALSE(module);
  CHECK(module.error()[0].code == "TP-B0019");
  // Opcode, type, overflow; then the operand that isn't defined.
  const std::size_t body = with_body(std::string("\x03\x01\x00\x07\x00", 5) + kReturn, 4)
                               .build()
                               .find(std::string("\x03\x01\x00\x07", 4));
  CHECK(module.error()[0].place.offset == body + 3);
}

TEST_CASE("an unopenable file is told from a malformed one", "[bytecode]") {
  const auto module = bytecode::read_file((test_data() / "no such file").string());
  REQUIRE_FALSE(module);
  CHECK(module.error()[0].code == "TP-B0001");
  CHECK(module.error()[0].place.file == (test_data() / "no such file").string());
  CHECK(bytecode::read_file(test_data().string()).error()[0].code == "TP-B0001");
}

TEST_CASE("every byte counts: each truncation is refused", "[bytecode]") {
  const std::string good = File{}.build();
  for (std::size_t size = 0; size < good.size(); ++size) {
    CAPTURE(size);
    const auto module = read(good.substr(0, size));
    REQUIRE_FALSE(module);
    CHECK(module.error()[0].place.offset.value() <= size);
  }
  CHECK(read(good + "x").error()[0].code == "TP-B0006");
}

TEST_CASE("headers and sections", "[bytecode]") {
  File file;
  SECTION("versions") {
    for (int minor = 1; minor <= 5; ++minor) {
      file.minor = minor;
      CHECK(code_of(file).empty());
    }
    file.minor = 0;
    CHECK(code_of(file) == "TP-B0003");
    file.major = 12;
    CHECK(code_of(file) == "TP-B0003");
  }
  SECTION("preview content and unknown bits") {
    file.tag = 1;
    CHECK(code_of(file) == "TP-B0004");
    file.tag = 0x200;
    CHECK(code_of(file) == "TP-B0004");
  }
  SECTION("unknown section") {
    file.more_sections.emplace_back(9, "xx");
    CHECK(code_of(file) == "TP-B0007");
  }
  SECTION("the producer came with 13.3") {
    file.more_sections.emplace_back(7, std::string("\x00", 1));
    CHECK(code_of(file).empty());
    CHECK(tileport::text::print(*read(file)).starts_with("// Producer: k\n"));
    file.minor = 2;
    CHECK(code_of(file) == "TP-B0007");
  }
  SECTION("a missing section") {
    const auto module = read(std::string("\x7FTileIR\0\x0D\x03\0\0\0", 13));
    REQUIRE_FALSE(module);
    CHECK(module.error()[0].code == "TP-B0009");
  }
  SECTION("alignment") {
    std::string data = file.build();
    data[12] = 2;  // The function section, no longer marked as aligned.
    CHECK(read(data).error()[0].code == "TP-B0008");
  }
  SECTION("filler and the tail of the functions are not looked at") {
    file.after_functions = "abc";
    CHECK(code_of(file).empty());
    std::string data = file.build();
    for (char& c : data) {
      if (c == '\xCB') c = '\x11';
    }
    CHECK(read(data));
  }
}

TEST_CASE("numbers and tables", "[bytecode]") {
  File file;
  SECTION("a long form of a number is legal up to ten bytes") {
    file.body = "\xDC" + std::string(8, '\x80') + std::string("\x00\x00\x00", 3);
    CHECK(code_of(file).empty());
    file.body = "\xDC" + std::string(10, '\x80') + std::string("\x00\x00\x00", 3);
    CHECK(code_of(file) == "TP-B0011");
  }
  SECTION("bits beyond the 64th are dropped") {
    file.body = "\xDC" + std::string(8, '\x80') + std::string("\x02\x00\x00", 3);
    CHECK(code_of(file).empty());
  }
  SECTION("counts beyond the bytes left don't allocate") {
    file.body = std::string("\x5C\x00\xFF\xFF\xFF\xFF\xFF\x7F", 8);
    CHECK(code_of(file) == "TP-B0013");
  }
  SECTION("a signature that is no function type, and one that doesn't exist") {
    file.signature = 1;
    CHECK(code_of(file) == "TP-B0023");
    file.signature = 99;
    CHECK(code_of(file) == "TP-B0012");
  }
  SECTION("functions that are no kernels, or have no name") {
    file.function_flags = std::string("\x00", 1);
    CHECK(code_of(file) == "TP-B0023");
    file.function_flags = "\x0A";  // An unknown bit is ignored.
    CHECK(code_of(file).empty());
    file.strings = {""};
    CHECK(code_of(file) == "TP-B0023");
    file.strings = {"k"};
    file.minor = 4;  // From here on, unknown bits are mistakes.
    CHECK(code_of(file) == "TP-B0023");
  }
}

TEST_CASE("types", "[bytecode]") {
  File file;
  // A bitcast of the argument to the type that is tried.
  const auto result = [&](const std::string& type) {
    file.types.push_back(type);
    file.body =
        std::string("\x09", 1) + static_cast<char>(file.types.size() - 1) + std::string("\x00", 1) + kReturn;
    file.signature = 4;
    return code_of(file);
  };
  const std::string four("\x04\x00\x00\x00\x00\x00\x00\x00", 8);
  const std::string three("\x03\x00\x00\x00\x00\x00\x00\x00", 8);
  SECTION("a tile") { CHECK(result(std::string("\x0D\x00\x01", 3) + four).empty()); }
  SECTION("extents are powers of two") {
    CHECK(result(std::string("\x0D\x00\x01", 3) + three) == "TP-B0014");
  }
  SECTION("a tile of tiles") { CHECK(result(std::string("\x0D\x01\x01", 3) + four) == "TP-B0014"); }
  SECTION("a type that holds itself") { CHECK(result(std::string("\x0D\x05\x00", 3)) == "TP-B0014"); }
  SECTION("an unknown tag") { CHECK(result("\x63") == "TP-B0014"); }
  SECTION("bytes after a type are ignored, but not after a tile") {
    CHECK(result("\x03\x03").empty());
    CHECK(result(std::string("\x0D\x00\x00\x03", 4)) == "TP-B0014");
  }
  SECTION("a type of a later version") {
    file.minor = 2;
    CHECK(result("\x16") == "TP-B0014");
  }
  SECTION("malformed types that nothing uses are legal") {
    file.types.emplace_back("\x63");
    file.types.emplace_back("\x0D\x63\x00", 3);
    CHECK(code_of(file).empty());
  }
  SECTION("pointers have attributes from 13.4 on") {
    file.minor = 4;
    CHECK(result(std::string("\x0C\x01\x00\x02", 4)).empty());
    CHECK(tileport::text::print(*read(file)).find("-> ptr<i32, <multicast>>") != std::string::npos);
    CHECK(result(std::string("\x0C\x01\x00\x03", 4)) == "TP-B0018");
    CHECK(result(std::string("\x0C\x02\x00", 3)) == "TP-B0017");
  }
  SECTION("views") {
    // Type 5: tensor_view<4x4xi32, strides=[4,4]>.
    const std::string pair = std::string("\x02", 1) + four + four;
    CHECK(result(std::string("\x0E\x00", 2) + pair + pair).empty());
    const std::string tile("\x02\x04\x00\x00\x00\x04\x00\x00\x00", 9);
    const auto partition = [&](const std::string& map) {
      return std::string("\x0F\x00", 2) + tile + "\x05" + map;
    };
    CHECK(result(partition(std::string("\x02\x01\x00\x00\x00\x00\x00\x00\x00", 9))).empty());
    CHECK(result(partition(std::string("\x02\x01\x00\x00\x00\x01\x00\x00\x00", 9))) == "TP-B0014");
    CHECK(result(partition(std::string("\x02\x02\x00\x00\x00\x00\x00\x00\x00", 9))) == "TP-B0014");
    CHECK(result(partition(std::string("\x01\x00\x00\x00\x00", 5))) == "TP-B0014");
    CHECK(result(std::string("\x14\x00", 2) + tile + "\x05\x01").empty());
    CHECK(result(std::string("\x14\x00", 2) + tile + "\x05\x02") == "TP-B0014");
    CHECK(result(std::string("\x0F\x00", 2) + tile + "\x01" + std::string("\x00", 1)) == "TP-B0014");
  }
  SECTION("a tensor's strides are positive") {
    const std::string zero(8, '\0');
    CHECK(result(std::string("\x0E\x00\x01", 3) + four + "\x01" + zero) == "TP-B0014");
  }
  SECTION("arguments of kernels are tiles of rank 0") {
    file.types.push_back(std::string("\x0D\x00\x01", 3) + four);
    file.types.emplace_back("\x10\x01\x05\x00", 4);
    file.signature = 6;
    CHECK(code_of(file) == "TP-B0023");
    file.types[6] = std::string("\x10\x01\x00\x00", 4);
    CHECK(code_of(file) == "TP-B0023");
  }
}

TEST_CASE("ops", "[bytecode]") {
  // Opcodes: 0x03 addi (types, overflow, operands), 0x10 constant, 0x29 for, 0x58 reduce, 0x6E atan2 (13.2).
  const std::string add("\x03\x01\x00\x00\x00", 5);
  SECTION("operands are module-wide values") {
    const auto module = read(with_body(add + std::string("\x03\x01\x00\x01\x00", 5) + kReturn, 4));
    REQUIRE(module);
    REQUIRE(module->ops.size() == 3);
    const ir::OpId second{1};
    CHECK(module->operand(second, 0) == module->result(ir::OpId{0}, 0));
    CHECK(module->operand(second, 1) == module->argument(module->functions[0].body, 0));
    CHECK(module->producer_of(module->operand(second, 0)) == ir::OpId{0});
    CHECK(module->producer_of(module->operand(second, 1)) == std::nullopt);
  }
  SECTION("unknown, too new, or never in a body") {
    CHECK(code_of(with_body("\x19" + kReturn)) == "TP-B0016");
    CHECK(code_of(with_body(std::string("\x4B\x00", 2))) == "TP-B0016");
    CHECK(code_of(with_body(std::string("\x82\x80\x01\x00", 4))) == "TP-B0016");
    File file = with_body(std::string("\x6E\x01\x00\x00", 4) + kReturn, 4);
    CHECK(code_of(file).empty());
    file.minor = 1;
    CHECK(code_of(file) == "TP-B0016");
  }
  SECTION("an enumerator that doesn't exist") {
    CHECK(code_of(with_body(std::string("\x03\x01\x04\x00\x00", 5) + kReturn, 4)) == "TP-B0018");
  }
  SECTION("results and operands that don't fit the row") {
    CHECK(code_of(with_body(std::string("\x5C\x01\x01\x00", 4))) == "TP-B0020");
    CHECK(code_of(with_body(std::string("\x29\x00\x00\x02\x00\x00", 6) + kReturn, 4)) == "TP-B0020");
  }
  SECTION("flag bits beyond the row are ignored") {
    // exp2: type, flags, operand
    CHECK(code_of(with_body(std::string("\x18\x01\x04\x00", 4) + kReturn, 4)).empty());
  }
  SECTION("constants") {
    File file = with_body(std::string("\x10\x01\x00", 3) + kReturn);
    file.constants = {std::string("\x04\x07\x00\x00\x00", 5)};
    CHECK(code_of(file).empty());
    CHECK(tileport::text::print(*read(file)).find("%cst_7_i32 = constant <i32: 7> : tile<i32>") !=
          std::string::npos);
    file.constants = {std::string("\x03\x07\x00\x00", 4)};
    CHECK(code_of(file) == "TP-B0015");
    file.constants = {std::string("\x09\x07", 2)};
    CHECK(code_of(file) == "TP-B0005");
    file.body = kReturn;
    CHECK(code_of(file).empty());
    file.body = std::string("\x10\x01\x01", 3) + kReturn;
    CHECK(code_of(file) == "TP-B0012");
    file.constants = {std::string("\x04\x07\x00\x00\x00", 5)};
    file.body = std::string("\x10\x02\x00", 3) + kReturn;
    CHECK(code_of(file) == "TP-B0015");
  }
}

TEST_CASE("regions", "[bytecode]") {
  const auto loop = [](const std::string& blocks) {
    return with_body(std::string("\x41\x00\x00\x01", 4) + blocks +
                     kReturn);  // loop without values, one region
  };
  const std::string body = std::string("\x01\x00\x01\x0A\x00\x00", 6);  // one block, no arguments, break
  CHECK(code_of(loop(body)).empty());
  CHECK(code_of(loop(std::string("\x00", 1))) == "TP-B0020");
  CHECK(code_of(loop(std::string("\x02\x00\x01\x0A\x00\x00", 6))) == "TP-B0020");
  CHECK(code_of(loop(std::string("\x01\x01\x01\x01\x0A\x00\x00", 7))) == "TP-B0020");
  CHECK(code_of(loop(std::string("\x01\x00\x00", 3))) == "TP-B0025");
  CHECK(code_of(with_body(std::string("\x41\x00\x00\x02", 4))) == "TP-B0020");

  SECTION("numbers of values are given back at a block's end") {
    // A loop whose body defines value 1; after it, value 1 is the result of the addi that follows.
    const std::string inner = std::string("\x01\x00\x02\x03\x01\x00\x00\x00\x0A\x00\x00", 11);
    const std::string after = std::string("\x03\x01\x00\x00\x00\x03\x01\x00\x01\x01", 10);
    File file = with_body(std::string("\x41\x00\x00\x01", 4) + inner + after + kReturn, 4);
    const auto module = read(file);
    REQUIRE(module);
    const ir::OpId last{4};
    CHECK(module->operand(last, 0) == module->result(ir::OpId{3}, 0));
    CHECK(module->access_path(ir::OpId{1}) == "@k/loop#0/addi#0");
    CHECK(module->access_path(last) == "@k/addi#1");
    CHECK(module->parent_op(ir::OpId{1}) == ir::OpId{0});
    CHECK(module->parent_op(last) == std::nullopt);
  }
  SECTION("deep nesting is refused, not a crash") {
    const int depth = 5000;
    std::string nested;
    for (int i = 0; i < depth; ++i) nested += std::string("\x41\x00\x00\x01\x01\x00\x01", 7);
    nested += std::string("\x0A\x00\x00", 3);
    CHECK(code_of(with_body(nested + kReturn)) == "TP-B0022");
  }
}

TEST_CASE("attributes", "[bytecode]") {
  const auto assume = [](const std::string& predicate) {
    return with_body("\x06\x01" + predicate + std::string("\x00", 1) + kReturn, 4);
  };
  CHECK(code_of(assume(std::string("\x08\x10\x00", 3))).empty());
  CHECK(tileport::text::print(*read(assume(std::string("\x0C\x03\x05\x08", 4)))).find("bounded<-3, 4>") !=
        std::string::npos);
  CHECK(code_of(assume(std::string("\x03\x01", 2))) == "TP-B0021");
  CHECK(code_of(assume(std::string("\x2A", 1))) == "TP-B0021");
  CHECK(code_of(assume(std::string("\x02\x00\x00", 3))) == "TP-B0021");
  CHECK(code_of(assume(std::string("\x08\x10\x04", 3))) == "TP-B0017");
  CHECK(code_of(assume(std::string("\x01\x00\xFF\xFF\xFF\xFF\x1F", 7))) == "TP-B0021");
  std::string nested;
  for (int i = 0; i < 4000; ++i) nested += "\x06\x01";
  CHECK(code_of(assume(nested + std::string("\x03\x01", 2))) == "TP-B0022");
}

TEST_CASE("source locations", "[bytecode]") {
  // Entries: 1 file, 2 unit, 3 and 4 subprograms inner and outer, 5 and 6 locations in them, 7 inner called
  // from outer.
  const std::vector<std::string> entries = {"\x02\x01\x02",
                                            "\x01\x01",
                                            "\x05\x01\x03\x03\x03\x02\x03",
                                            "\x05\x01\x09\x04\x04\x02\x09",
                                            "\x04\x03\x01\x05\x07",
                                            "\x04\x04\x01\x0B\x02",
                                            "\x06\x05\x06"};
  File file = with_debug({6, 7}, entries);
  // The builder writes location 0; patch the function section: name, type, flags, location.
  std::string data = file.build();
  const std::size_t function = data.find(std::string("\x01\x00\x03\x02\x00", 5));
  REQUIRE(function != std::string::npos);
  data[function + 4] = 1;
  auto module = read(data);
  REQUIRE(module);
  const ir::SourceLocation of_function = module->source(module->functions[0].location);
  CHECK(of_function.function == "outer");
  CHECK(of_function.line == 11);
  const auto frames = module->frames(module->ops[0].location);
  REQUIRE(frames.size() == 2);
  const ir::SourceLocation of_op = module->source(module->ops[0].location);
  CHECK(of_op.file == "a.py");
  CHECK(of_op.function == "inner");
  CHECK(of_op.line == 5);
  CHECK(of_op.column == 7);
  CHECK(frames[0].line == 5);
  CHECK(frames[1].function == "outer");
  CHECK(frames[1].line == 11);

  SECTION("mistakes") {
    const auto code = [&](const std::vector<std::uint64_t>& ids, const std::vector<std::string>& table) {
      std::string broken = with_debug(ids, table).build();
      broken[broken.find(std::string("\x01\x00\x03\x02\x00", 5)) + 4] = 1;
      const auto result = read(broken);
      return result ? std::string() : result.error()[0].code;
    };
    CHECK(code({6, 0}, entries).empty());
    CHECK(code({6}, entries) == "TP-B0024");
    CHECK(code({6, 99}, entries) == "TP-B0024");
    CHECK(code({6, 3}, entries) == "TP-B0024");
    auto wrong_scope = entries;
    wrong_scope[4][1] = 1;  // The location's scope is a file.
    CHECK(code({6, 5}, wrong_scope) == "TP-B0024");
    CHECK(code({6, 6}, wrong_scope).empty());
    CHECK(code({1, 1}, {"\x06\x01\x01"}) == "TP-B0024");  // A call site of itself.
    data[function + 4] = 2;
    CHECK(read(data).error()[0].code == "TP-B0024");
    std::string without = File{}.build();
    without[without.find(std::string("\x01\x00\x03\x02\x00", 5)) + 4] = 1;
    CHECK(read(without).error()[0].code == "TP-B0009");
  }
  SECTION("call chains that double at each level stay small") {
    auto chain = entries;
    for (char i = 7; i < 107; ++i) chain.push_back({'\x06', i, i});
    std::string doubling = with_debug({107, 107}, chain).build();
    doubling[doubling.find(std::string("\x01\x00\x03\x02\x00", 5)) + 4] = 1;
    const auto deep = read(doubling);
    REQUIRE(deep);
    CHECK(deep->source(deep->ops[0].location).function == "inner");
    CHECK(deep->frames(deep->ops[0].location).size() == ir::kMostFrames);
  }
  SECTION("long chains are refused") {
    auto chain = entries;
    const auto id = [](std::uint64_t number) { return Bytes().varint(number).str(); };
    for (std::uint64_t i = 7; i < 400; ++i) chain.push_back("\x06" + id(i) + id(6));
    for (std::uint64_t last : {200U, 400U}) {
      std::string deep = with_debug({last, last}, chain).build();
      deep[deep.find(std::string("\x01\x00\x03\x02\x00", 5)) + 4] = 1;
      CHECK(read(deep).has_value() == (last == 200));
    }
  }
}

TEST_CASE("hostile files are refused as recorded", "[bytecode]") {
  const auto folder = test_data() / "tileir" / "bad";
  const auto expected = nlohmann::json::parse(std::ifstream(folder / "expected.json"));
  REQUIRE(expected.size() == 20);
  for (const auto& [name, verdict] : expected.items()) {
    CAPTURE(name);
    const auto module = bytecode::read_file((folder / name).string());
    CHECK((module ? "" : module.error()[0].code) == verdict["code"].get<std::string>());
    if (!module) CHECK(module.error()[0].place.offset == verdict["offset"].get<std::uint64_t>());
  }
}
