// SPDX-License-Identifier: Apache-2.0
// Edit scripts of the kernels of tests/data/diff: applied to one kernel they give the other, by the equality
// of modules that knows nothing of the diff.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <tileport/bytecode/read.hpp>
#include <tileport/diff/catch2.hpp>
#include <tileport/diff/edit_script.hpp>
#include <tileport/ir/equality.hpp>
#include <tileport/mutation/mutation.hpp>
#include <tileport/verify/verify.hpp>

#include "diff_programs.hpp"
#include "test_data.hpp"

using namespace tileport;
using diff::EditKind;
using diff::EditLayer;

namespace {

std::vector<ir::Module> kernels() {
  std::vector<ir::Module> modules;
  for (const auto& path : test_files(test_data() / "diff", ".tileirbc")) {
    auto module = bytecode::read_file(path.string());
    REQUIRE(module);
    modules.push_back(std::move(*module));
  }
  return modules;
}

diff::EditScript script_of(const ir::Module& a, const ir::Module& b) {
  auto script = diff::edit_script(a, b, {});
  REQUIRE(script);
  return std::move(*script);
}

/// Applies the script of a pair and compares the result with the other module.
diff::EditScript check_applied(const ir::Module& a, const ir::Module& b) {
  auto script = script_of(a, b);
  const auto made = diff::apply(script, a);
  REQUIRE(made);
  CHECK(ir::first_difference(*made, b).value_or("") == "");
  CHECK_THAT(*made, diff::SameAs(b));
  return script;
}

}  // namespace

TEST_CASE("the script of a kernel and itself is empty", "[diff]") {
  for (const ir::Module& module : kernels()) CHECK(script_of(module, module).empty());
}

TEST_CASE("scripts make any kernel of any other", "[diff]") {
  const auto modules = kernels();
  for (const ir::Module& a : modules) {
    for (const ir::Module& b : modules) {
      if (&a == &b) continue;
      INFO(a.file << " " << b.file);
      check_applied(a, b);
    }
  }
}

TEST_CASE("scripts of mutants are short, and say what they matter for", "[diff]") {
  std::mt19937 random(7);
  int made = 0;
  int value_edits = 0;
  for (const ir::Module& module : kernels()) {
    auto sites = mutation::sites(module);
    std::ranges::shuffle(sites, random);
    sites.resize(std::min<std::size_t>(sites.size(), 40));
    for (const mutation::Site& site : sites) {
      const auto mutant = mutation::mutate(module, site);
      if (!mutant) continue;
      INFO(module.file << ": " << mutation::describe(module, site));
      const auto script = check_applied(module, mutant->module);
      const mutation::Change change = mutation::kinds()[site.kind].change;
      if (change != mutation::Change::value) {
        CHECK(script.count(EditLayer::value) == 0);
        continue;
      }
      ++made;
      value_edits += static_cast<int>(script.count(EditLayer::value));
    }
  }
  CHECK(made > 150);
  // One change is one edit, or a few where an op was put in or left out.
  CHECK(value_edits < 2 * made);
}

TEST_CASE("edits name both places", "[diff]") {
  using diff_programs::Program;
  const auto kernel = [](const char* mnemonic, bool twice) {
    return diff_programs::program([=](Program& q) {
      const auto x = q.loaded(q.p);
      const auto y = q.k.make(mnemonic, {x, x}, q.f32x8, {{"rounding_mode", 0}});
      q.store(y);
      if (twice) q.store(x);
    });
  };
  const auto changed = check_applied(kernel("addf", false), kernel("subf", false));
  REQUIRE(changed.edits.size() == 1);
  CHECK(changed.edits[0].kind == EditKind::change);
  CHECK(changed.edits[0].layer == EditLayer::value);
  CHECK(changed.edits[0].reference.path == "@k/addf#0");
  CHECK(changed.edits[0].port.path == "@k/subf#0");
  const auto inserted = check_applied(kernel("addf", false), kernel("addf", true));
  REQUIRE(inserted.edits.size() == 1);
  CHECK(inserted.edits[0].kind == EditKind::insert);
  CHECK(inserted.edits[0].reference.path.empty());
  CHECK(inserted.edits[0].port.path == "@k/store_ptr_tko#1");
  const auto removed = check_applied(kernel("addf", true), kernel("addf", false));
  REQUIRE(removed.edits.size() == 1);
  CHECK(removed.edits[0].kind == EditKind::remove);
  CHECK(removed.edits[0].reference.path == "@k/store_ptr_tko#1");
}

TEST_CASE("a script is refused by another kernel than its own", "[diff]") {
  const auto modules = kernels();
  const auto script = script_of(modules[0], modules[1]);
  const auto refused = diff::apply(script, modules[2]);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().front().code == "TP-D0008");
  CHECK(refused.error().front().place.file == modules[2].file);
}

TEST_CASE("long chains have scripts too", "[diff]") {
  using diff_programs::Program;
  const auto chain = [](std::int64_t first) {
    return diff_programs::program([first](Program& q) {
      auto x = q.addi(q.n, q.integer(first));
      for (int i = 0; i < 50000; ++i) x = q.addi(x, q.m);
      q.use(x);
    });
  };
  const auto script = check_applied(chain(1), chain(2));
  REQUIRE(script.edits.size() == 1);
  CHECK(script.edits[0].reference.path == "@k/constant#0");
  const auto sides = diff::side_by_side(chain(1), chain(2), {});
  REQUIRE(sides);
  CHECK(std::ranges::count(sides->rows, diff::SideBySideRow::Kind::changed, &diff::SideBySideRow::kind) == 1);
}

TEST_CASE("side by side holds every line of both texts once, in order", "[diff]") {
  const auto modules = kernels();
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const auto sides = diff::side_by_side(modules[i], modules[(i + 1) % modules.size()], {});
    REQUIRE(sides);
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    for (const auto& row : sides->rows) {
      CHECK((row.reference || row.port));
      if (row.reference) CHECK(*row.reference == left++);
      if (row.port) CHECK(*row.port == right++);
    }
    CHECK(left == sides->reference.size());
    CHECK(right == sides->port.size());
  }
}

TEST_CASE("the matcher for tests says what it found", "[diff]") {
  const auto modules = kernels();
  const diff::SameAs same(modules[0]);
  CHECK(same.match(modules[0]));
  CHECK_FALSE(same.match(modules[1]));
  CHECK(same.describe().find("critical: ") != std::string::npos);
  CHECK(same.describe().find("reference  ") != std::string::npos);
}
