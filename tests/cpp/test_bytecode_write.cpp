// SPDX-License-Identifier: Apache-2.0
// Whatever the reader accepts is written back byte for byte; the canonical form says the same and is a fixed
// point.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <tileport/bytecode/read.hpp>
#include <tileport/bytecode/write.hpp>
#include <tileport/text/print.hpp>
#include <vector>

#include "bytecode_builder.hpp"
#include "debug_entries.hpp"
#include "kernel_builder.hpp"
#include "test_data.hpp"

namespace bytecode = tileport::bytecode;
namespace ir = tileport::ir;
namespace text = tileport::text;
using bytecode_builder::Bytes;
using bytecode_builder::bytes_of;
using bytecode_builder::File;
using bytecode_builder::offset_table;

namespace {

std::vector<std::string> files_in(const std::string& folder, std::uintmax_t most = 1U << 20) {
  std::vector<std::string> files;
  for (const auto& path : test_files("tileir/" + folder, ".tileirbc", most)) files.push_back(content(path));
  return files;
}

bytecode::Document document(const std::string& data) {
  auto read = bytecode::read_document(bytes_of(data));
  REQUIRE(read);
  return std::move(*read);
}

ir::Module module_of(const std::string& data) {
  auto read = bytecode::read(bytes_of(data));
  REQUIRE(read);
  return std::move(*read);
}

std::string faithful(const bytecode::Document& document) {
  const auto written = bytecode::write_faithful(document.module, document.layout);
  REQUIRE(written);
  return *written;
}

std::string canonical(const ir::Module& module, const bytecode::CanonicalOptions& options = {}) {
  const auto written = bytecode::write_canonical(module, options);
  if (!written) FAIL(written.error()[0].message);
  return *written;
}

/// Where two files of the same size differ; nothing of files whose sizes differ.
std::vector<std::size_t> differences(const std::string& a, const std::string& b) {
  std::vector<std::size_t> places;
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) places.push_back(i);
  }
  return places;
}

/// What is true of every file that the reader accepts; empty, or what is not.
std::string problem_with(const std::string& data) {
  const auto document = bytecode::read_document(bytes_of(data));
  if (!document) return "";
  const auto again = bytecode::write_faithful(document->module, document->layout);
  if (!again) return "not written: " + again.error()[0].message;
  if (*again != data) return "written differently";
  for (const bool debug_info : {true, false}) {
    const auto form = bytecode::write_canonical(document->module, {.debug_info = debug_info});
    if (!form) return "no canonical form: " + form.error()[0].message;
    const auto back = bytecode::read(bytes_of(*form));
    if (!back) return "canonical form is refused: " + back.error()[0].message;
    const auto twice = bytecode::write_canonical(*back);
    if (!twice || *twice != *form) return "canonical form is no fixed point";
    const text::PrintOptions options{.locations = debug_info};
    if (text::print(*back, options) != text::print(document->module, options))
      return "canonical form says else";
  }
  return "";
}

}  // namespace

TEST_CASE("files are written back byte for byte", "[bytecode][write]") {
  std::size_t accepted = 0;
  for (const char* folder : {"golden", "bad"}) {
    for (const std::string& data : files_in(folder)) {
      CHECK(problem_with(data) == "");
      accepted += bytecode::read(bytes_of(data)) ? 1 : 0;
    }
  }
  CHECK(accepted >= 50);
}

TEST_CASE("what no writer of today makes is written back", "[bytecode][write]") {
  const File file;
  const auto same = [](const std::string& data) {
    const auto read = bytecode::read(bytes_of(data));
    CAPTURE(read ? "" : read.error()[0].message);
    CHECK(read.has_value());
    CHECK(problem_with(data) == "");
    return data;
  };
  SECTION("order, repetition and alignment of sections") {
    Bytes odd;
    odd.raw(std::string("\x7FTileIR\0\x0D\x03\x00\x00", 12));
    File::section(odd, 1, offset_table({"other", "strings"}, 4), 64);
    File::section(odd, 5, offset_table(file.types, 4), 4);
    File::section(odd, 1, offset_table({"k"}, 4), 8);
    File::section(odd, 2, file.function_section(), 32);
    same(odd.byte(0).str());
  }
  SECTION("filler") {
    std::string data = file.build();
    const std::size_t place = data.find('\xCB');
    REQUIRE(place != std::string::npos);
    data[place] = '\x11';
    same(data);
  }
  SECTION("ignored bytes") {
    File tail = file;
    tail.after_functions = "after the functions";
    tail.more_sections = {{6, std::string("\x00globals end here", 17)}};
    tail.types[2] = "\x11 behind a token";
    same(tail.build());
    tail.function_flags = "\xFA";  // Up to 13.3, unknown bits are ignored.
    same(tail.build());
  }
  SECTION("tables") {
    File odd = file;
    odd.types.push_back("\x63 no type");
    odd.types.push_back("");
    odd.types.push_back(std::string("\x0D\x63\x00", 3));  // A tile of a type that does not exist.
    odd.types.push_back(std::string("\x0D\x00\x00", 3));  // Again.
    odd.constants = {"\x7Flonger than it is", std::string("\x01\x00 more", 7), ""};
    same(odd.build());
    // Offsets that go back and forth.
    Bytes strings;
    strings.varint(4).align(4).fixed(3, 4).fixed(1, 4).fixed(9, 4).fixed(2, 4).raw("xxxkxx");
    Bytes types;
    types.varint(4).align(4).fixed(2, 4).fixed(3, 4).fixed(6, 4).fixed(7, 4);
    types.raw(std::string("..\x03\x0D\x00\x00\x11\x10\x00\x00", 10));
    Bytes whole;
    whole.raw(std::string("\x7FTileIR\0\x0D\x03\x00\x00", 12));
    std::string functions = file.function_section();
    functions[1] = 0;
    File::section(whole, 2, functions, 8);
    File::section(whole, 5, types.str(), 4);
    File::section(whole, 1, strings.str(), 4);
    const std::string data = same(whole.byte(0).str());
    bytecode::Document overlapping = document(data);
    CHECK_FALSE(overlapping.layout.tables.empty());
    // An entry of the same size is changed in its place; of another size, the table is made anew.
    overlapping.module.strings[3] = "YYYY";
    CHECK(differences(faithful(overlapping), data).size() == 4);
    overlapping.module.strings[3] = "longer";
    CHECK(module_of(faithful(overlapping)).strings == overlapping.module.strings);
  }
  SECTION("numbers in longer forms") {
    File longer = file;
    longer.body = std::string("\xDC\x80\x00\x80\x00\x00", 6);  // return, its counts in two bytes.
    same(longer.build());
  }
  SECTION("slices of locations that are not one a function") {
    Bytes debug;
    debug.varint(2).align(4).fixed(1, 4).fixed(3, 4).varint(6).align(8);
    for (std::uint64_t id : {99, 0, 1, 1, 0, 77}) debug.fixed(id, 8);
    debug.raw(offset_table({std::string(1, '\0'), "\x04 malformed", "\x09 no such tag"}, 4));
    File located = file;
    located.more_sections = {{3, debug.str()}};
    std::string with_debug = located.build();
    const std::size_t at = with_debug.find(std::string("\x01\x00\x03\x02\x00", 5));
    REQUIRE(at != std::string::npos);
    with_debug[at + 4] = 1;
    same(with_debug);
  }
}

TEST_CASE("what changes in a module changes in its file, and nothing else", "[bytecode][write]") {
  std::size_t paddings = 0;
  std::size_t constants = 0;
  std::size_t places = 0;
  for (const std::string& data : files_in("golden")) {
    const bytecode::Document read = document(data);
    for (std::size_t i = 0; i < read.module.types.size() && paddings < 3; ++i) {
      if (!read.module.types[i].padding) continue;
      bytecode::Document changed = read;
      changed.module.types[i].padding = *read.module.types[i].padding == ir::PaddingValue::nan
                                            ? ir::PaddingValue::zero
                                            : ir::PaddingValue::nan;
      CHECK(differences(faithful(changed), data).size() == 1);
      ++paddings;
    }
    if (!read.module.constants.empty() && !read.module.constants[0].empty()) {
      bytecode::Document changed = read;
      changed.module.constants[0][0] ^= '\x01';
      CHECK(differences(faithful(changed), data).size() == 1);
      ++constants;
    }
    for (ir::Operation op : read.module.ops) {
      if (ir::index(op.location) == 0 || places == 5) continue;
      bytecode::Document changed = read;
      changed.module.ops[places].location = op.location;
      const std::string written = faithful(changed);
      CHECK(differences(written, data).size() <= 2);
      CHECK(module_of(written).ops[places].location == op.location);
      ++places;
    }
  }
  CHECK(paddings == 3);
  CHECK(constants > 20);
  CHECK(places == 5);
}

TEST_CASE("damaged files that are accepted are written back", "[bytecode][write][fuzz]") {
  const auto files = files_in("golden", 6000);
  std::mt19937 random(13);  // NOLINT: the same damage every time
  std::size_t accepted = 0;
  std::size_t irregular = 0;
  for (std::size_t round = 0; accepted < 10000; ++round) {
    std::string bad = files[round % files.size()];
    const auto place = [&] { return 12 + random() % (bad.size() - 12); };
    // Damage in tables and debug information is the least often noticed.
    for (std::size_t count = 1 + random() % 3; count != 0; --count) {
      if (random() % 2 == 0) {
        bad[place()] ^= static_cast<char>(1U << random() % 8);
      } else {
        bad[place()] = static_cast<char>(random());
      }
    }
    const auto read = bytecode::read_document(bytes_of(bad));
    if (!read) continue;
    ++accepted;
    irregular += read->layout.deviations.empty() && read->layout.tables.empty() ? 0 : 1;
    const std::string problem = problem_with(bad);
    if (!problem.empty()) {
      CAPTURE(round);
      FAIL(problem);
    }
  }
  CHECK(irregular > 1000);
}

TEST_CASE("the canonical form", "[bytecode][write]") {
  SECTION("tables hold what is used, once") {
    File shifted;
    shifted.strings = {"unused", "k", "k"};
    // Types 0 and 1 are new, so ids of the rest move by two.
    shifted.types = {
        "\x07", "\x03", "\x03", std::string("\x0D\x02\x00", 3), "\x11", std::string("\x10\x00\x00", 3)};
    shifted.signature = 5;
    std::string data = shifted.build();
    const std::size_t function = data.find(std::string("\x01\x00\x05\x02\x00", 5));
    REQUIRE(function != std::string::npos);
    data[function + 1] = 2;
    const ir::Module made = module_of(canonical(module_of(data)));
    CHECK(made.strings == std::vector<std::string>{"k"});
    CHECK(made.types.size() == 1);
    CHECK(canonical(module_of(data)) == canonical(module_of(File{}.build())));
  }
  SECTION("constants that are equal throughout are one element") {
    kernel_builder::Kernel k;
    const auto constant = [&](ir::TypeKind kind, std::vector<std::int64_t> shape, const std::string& bytes) {
      const auto type = k.tile(kind, std::move(shape));
      k.module.constants.push_back(bytes);
      k.op("constant", {}, {type}, {{"value", k.module.constants.size() - 1}});
    };
    constant(ir::TypeKind::i16, {4}, std::string("\x01\x02\x01\x02\x01\x02\x01\x02", 8));
    constant(ir::TypeKind::i16, {4}, std::string("\x01\x02\x01\x02\x01\x02\x01\x03", 8));
    constant(ir::TypeKind::i1, {16}, "\xFF\xFF");
    constant(ir::TypeKind::i1, {4}, "\x0F");
    constant(ir::TypeKind::i1, {4}, std::string("\xF0", 1));
    constant(ir::TypeKind::i1, {4}, "\x05");
    const ir::Module made = module_of(canonical(k.finish()));
    CHECK(made.constants == std::vector<std::string>{"\x01\x02", "\x01\x02\x01\x02\x01\x02\x01\x03", "\xFF",
                                                     std::string(1, '\0'), "\x05"});
  }
  SECTION("debug information can be left out") {
    for (const std::string& data : files_in("golden")) {
      const ir::Module read = module_of(data);
      const ir::Module without = module_of(canonical(read, {.debug_info = false}));
      CHECK(without.debug.size() == 1);
      const ir::Module with = module_of(canonical(read));
      REQUIRE(with.ops.size() == read.ops.size());
      for (std::size_t i = 0; i < read.ops.size(); ++i) {
        CHECK(with.source(with.ops[i].location).line == read.source(read.ops[i].location).line);
      }
    }
  }
}

TEST_CASE("versions", "[bytecode][write]") {
  SECTION("a newer version says the same") {
    for (const std::string& data : files_in("golden")) {
      const ir::Module read = module_of(data);
      for (std::uint8_t minor = read.version.minor; minor <= 5; ++minor) {
        const ir::Module newer = module_of(canonical(read, {.version = ir::Version{13, minor}}));
        CHECK(newer.version == ir::Version{13, minor});
        CHECK(text::print(newer) == text::print(read));
      }
    }
  }
  SECTION("an older version says the same, or what it lacks is named") {
    std::size_t written = 0;
    for (const std::string& data : files_in("golden")) {
      const ir::Module read = module_of(data);
      for (std::uint8_t minor = 1; minor < read.version.minor; ++minor) {
        const auto older = bytecode::write_canonical(read, {.version = ir::Version{13, minor}});
        if (!older) {
          CHECK(older.error()[0].code == "TP-B0027");
          CHECK(older.error()[0].advice.starts_with("write bytecode 13."));
          continue;
        }
        ++written;
        ir::Module back = module_of(*older);
        if (!back.producer) back.producer = read.producer;
        if (back.producer) {
          back.strings.push_back(read.string(*read.producer));
          back.producer = ir::StringId{static_cast<std::uint32_t>(back.strings.size() - 1)};
        }
        CHECK(text::print(back) == text::print(read));
      }
    }
    CHECK(written > 20);
  }
  SECTION("the op and the version are named") {
    kernel_builder::Kernel k;
    const auto f32 = k.tile(ir::TypeKind::f32);
    const auto x = k.constant(f32, 0);
    k.op("atan2", {x, x}, {f32});
    ir::Module module = k.finish();
    module.version = {13, 5};
    const auto older = bytecode::write_canonical(module, {.version = ir::Version{13, 1}});
    REQUIRE_FALSE(older);
    CHECK(older.error()[0].code == "TP-B0027");
    CHECK(older.error()[0].message == "atan2 can't be written in bytecode 13.1");
    CHECK(older.error()[0].advice == "write bytecode 13.2 or newer");
    CHECK(older.error()[0].place.path == "@k/atan2#0");
    CHECK(bytecode::write_canonical(module, {.version = ir::Version{13, 6}}).error()[0].code == "TP-B0003");
    // An operand that is defined later.
    std::swap(module.blocks[0].ops[0], module.blocks[0].ops[1]);
    CHECK(bytecode::write_canonical(module).error()[0].code == "TP-B0028");
  }
}
