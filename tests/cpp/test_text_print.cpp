// SPDX-License-Identifier: Apache-2.0
// Text against what tileirdisasm printed for the same bytes: any pair NAME.tileirbc, NAME.txt in the folder
// is a test.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <tileport/bytecode/read.hpp>
#include <tileport/text/print.hpp>
#include <vector>

#include "test_data.hpp"

namespace ir = tileport::ir;

namespace {

std::vector<std::filesystem::path> goldens() { return test_files("tileir/golden", ".tileirbc"); }

/// The first line that differs, for people.
void check_same_text(const std::string& ours, const std::string& golden) {
  if (ours == golden) {
    SUCCEED();
    return;
  }
  const auto [a, b] = std::ranges::mismatch(ours, golden);
  const auto line = [](const std::string& text, std::string::const_iterator at) {
    const auto offset = static_cast<std::size_t>(at - text.begin());
    const std::size_t start = text.rfind('\n', offset == 0 ? 0 : offset - 1) + 1;
    return text.substr(start, text.find('\n', offset) - start);
  };
  FAIL("ours:   " << line(ours, a) << "\ngolden: " << line(golden, b));
}

}  // namespace

TEST_CASE("text equals tileirdisasm's, byte for byte", "[text]") {
  const auto files = goldens();
  REQUIRE(files.size() >= 40);
  for (const auto& file : files) {
    CAPTURE(file.filename().string());
    const auto module = tileport::bytecode::read_file(file.string());
    REQUIRE(module);
    auto text = file;
    check_same_text(tileport::text::print(*module), content(text.replace_extension(".txt")));
  }
}

TEST_CASE("the golden files cover every op that can stand in a body, and every version", "[text]") {
  std::set<std::string> seen;
  std::set<ir::Version> versions;
  for (const auto& file : goldens()) {
    const auto module = tileport::bytecode::read_file(file.string());
    REQUIRE(module);
    versions.insert(module->version);
    for (const ir::Operation& op : module->ops) seen.insert(std::string(op.info->mnemonic));
  }
  for (const ir::OpInfo* info : ir::all_ops()) {
    const bool elsewhere =
        info->is("module") || info->is("entry") || info->is("global") || info->opcode >= 0x4000;
    CAPTURE(info->mnemonic);
    CHECK((elsewhere || seen.contains(std::string(info->mnemonic))));
  }
  CHECK(versions.size() == 5);
}

TEST_CASE("types print alone", "[text]") {
  const auto module =
      tileport::bytecode::read_file((test_data() / "tileir" / "golden" / "probe_views.tileirbc").string());
  REQUIRE(module);
  std::set<std::string> types;
  for (std::uint32_t i = 0; i < module->types.size(); ++i)
    types.insert(tileport::text::print(*module, ir::TypeId{i}));
  CHECK(types.contains("tile<16x8xf32>"));
  CHECK(types.contains("tensor_view<64x32xf32, strides=[32,1]>"));
}
