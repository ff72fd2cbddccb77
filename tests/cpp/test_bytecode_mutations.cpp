// SPDX-License-Identifier: Apache-2.0
// Damaged files end in a diagnostic or in a module that can be printed and walked: never in a crash, a hang
// or a large allocation. Run under sanitizers (-DTILEPORT_SANITIZE=address,undefined) this is the fuzz test.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <tileport/bytecode/read.hpp>
#include <tileport/text/print.hpp>
#include <vector>

#include "bytecode_builder.hpp"
#include "test_data.hpp"

namespace ir = tileport::ir;

namespace {

struct Outcome {
  int accepted = 0;
  int refused = 0;
};

void try_file(const std::string& data, Outcome& outcome) {
  const auto module = tileport::bytecode::read(bytecode_builder::bytes_of(data));
  if (!module) {
    ++outcome.refused;
    REQUIRE(module.error().size() == 1);
    REQUIRE(module.error()[0].code.starts_with("TP-B"));
    REQUIRE(module.error()[0].place.offset.value_or(data.size() + 1) <= data.size());
    return;
  }
  ++outcome.accepted;
  REQUIRE(module->values.size() <= data.size());
  REQUIRE(module->ops.size() <= data.size());
  std::size_t ops = 0;
  for (const ir::Function& function : module->functions) {
    ir::walk(*module, function.body, [&](ir::OpId id) {
      ++ops;
      for (std::size_t i = 0; i < module->op(id).info->operands.size(); ++i) module->operands(id, i);
    });
  }
  REQUIRE(ops == module->ops.size());
  if (!module->functions.empty())
    REQUIRE(tileport::text::print(*module).find("entry @") != std::string::npos);
}

std::vector<std::string> small_files() {
  std::vector<std::string> files;
  for (const auto& path : test_files("tileir/golden", ".tileirbc", 6000)) files.push_back(content(path));
  return files;
}

}  // namespace

TEST_CASE("damaged files", "[bytecode][fuzz]") {
  const auto files = small_files();
  REQUIRE(files.size() >= 20);
  std::mt19937 random(20240229);  // NOLINT: the same damage every time
  const char* full = std::getenv("TILEPORT_FULL");
  const int rounds = full && std::string_view(full) == "1" ? 1000 : 40;
  Outcome outcome;
  for (const std::string& good : files) {
    const auto place = [&] { return random() % good.size(); };
    for (int i = 0; i < rounds; ++i) {
      std::string bad = good;
      switch (i % 5) {
        case 0:
          bad[place()] ^= static_cast<char>(1U << random() % 8);
          break;
        case 1:
          bad[place()] = static_cast<char>(random());
          break;
        case 2:
          bad.resize(place());
          break;
        case 3:
          bad.erase(place(), 1 + random() % 4);
          break;
        default:
          bad.insert(place(), 1 + random() % 4, static_cast<char>(random()));
          break;
      }
      if (i % 8 == 7 && !bad.empty()) bad[random() % bad.size()] ^= '\x80';
      try_file(bad, outcome);
    }
  }
  CHECK(outcome.refused > outcome.accepted);
  CHECK(outcome.accepted > 50);
}
