// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <tileport/bytecode/read.hpp>
#include <tileport/ir/equality.hpp>
#include <tileport/mutation/mutation.hpp>
#include <tileport/text/parse.hpp>
#include <tileport/verify/verify.hpp>

#include "test_data.hpp"

using namespace tileport;
using mutation::Change;

namespace {

std::vector<ir::Module> modules_of(const std::filesystem::path& folder) {
  std::vector<ir::Module> modules;
  for (const auto& path : test_files(folder, ".tileirbc")) {
    auto module = bytecode::read_file(path.string());
    if (module && !verify::has_errors(verify::verify(*module))) modules.push_back(std::move(*module));
  }
  return modules;
}

}  // namespace

TEST_CASE("the table of kinds: names, guards, all four changes", "[mutation]") {
  std::set<std::string_view> names;
  std::map<Change, int> counts;
  for (const mutation::Kind& kind : mutation::kinds()) {
    CHECK(names.insert(kind.name).second);
    CHECK_FALSE(kind.guard.empty());
    ++counts[kind.change];
  }
  CHECK(names.size() >= 25);
  CHECK(counts[Change::value] >= 25);
  CHECK(counts[Change::stronger_facts] >= 5);
  CHECK(counts[Change::weaker_facts] >= 5);
  CHECK(counts[Change::neutral] >= 10);
  CHECK(mutation::name(Change::stronger_facts) == "stronger_facts");
}

/// What the other files have no op for.
constexpr std::string_view kMore = R"(
entry @more(%out: tile<ptr<i32>>, %n: tile<i32>, %yes: tile<i1>) {
  %s = addi %n, %n overflow<no_wrap> : tile<i32>
  if %yes {
    %t = store_ptr_tko weak %out, %s : tile<ptr<i32>>, tile<i32> -> token
  }
  return
}
)";

TEST_CASE("mutants are valid, named, and leave the original alone", "[mutation]") {
  std::set<std::uint32_t> made;
  std::vector<std::vector<ir::Module>> all{modules_of(test_data() / "diff"),
                                           modules_of(test_data() / "tileir" / "golden")};
  auto more = text::parse_modules(kMore);
  REQUIRE(more);
  all.push_back(std::move(*more));
  for (const auto& modules : all) {
    for (const ir::Module& module : modules) {
      const ir::Module before = module;
      std::map<std::uint32_t, int> tried;
      for (const mutation::Site& site : mutation::sites(module)) {
        if (++tried[site.kind] > 4) continue;
        const auto mutant = mutation::mutate(module, site);
        if (!mutant) continue;
        INFO(module.file << ": " << mutation::describe(module, site));
        made.insert(site.kind);
        CHECK_FALSE(verify::has_errors(verify::verify(mutant->module)));
        CHECK_FALSE(mutant->original_paths.empty());
        if (mutation::kinds()[site.kind].change != Change::neutral)
          CHECK(ir::first_difference(module, mutant->module).has_value());
      }
      CHECK_FALSE(ir::first_difference(before, module).has_value());
    }
  }
  for (std::uint32_t kind = 0; kind < mutation::kinds().size(); ++kind) {
    INFO(mutation::kinds()[kind].name);
    CHECK(made.contains(kind));
  }
}
