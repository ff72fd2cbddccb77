// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <tileport/diff/pairs.hpp>

#include "diff_programs.hpp"

using namespace diff_programs;
namespace diff = tileport::diff;

namespace {

/// A kernel that stores `what` of what it loads.
ir::Module kernel(const std::string& name, const char* what, int times = 1) {
  return program(
      [=](Program& q) {
        auto x = q.loaded(q.p);
        for (int i = 0; i < times; ++i) x = q.k.make(what, {x}, q.f32x8);
        q.store(x);
      },
      name);
}

diff::EntryRef ref(const ir::Module& module, const std::string& name) { return {&module, name, name}; }

}  // namespace

TEST_CASE("the most similar entries are proposed, whatever their names", "[diff]") {
  const auto a = kernel("a", "sin");
  const auto b = kernel("b", "cos");
  const auto c = kernel("c", "cos", 2);
  const auto x = kernel("a", "cos");
  const auto y = kernel("b", "sin");
  CHECK(diff::similarity(ref(a, "a"), ref(y, "b")) == 1.0);
  CHECK(diff::similarity(ref(a, "a"), ref(x, "a")) < 1.0);
  const auto pairs = diff::propose_pairs(std::vector{ref(a, "a"), ref(b, "b"), ref(c, "c")},
                                         std::vector{ref(x, "a"), ref(y, "b")});
  REQUIRE(pairs);
  REQUIRE(pairs->size() == 2);
  CHECK(((*pairs)[0].reference == 0 && (*pairs)[0].port == 1));
  CHECK(((*pairs)[1].reference == 1 && (*pairs)[1].port == 0));
}

TEST_CASE("an entry with two equal candidates is ambiguous", "[diff]") {
  const auto a = kernel("a", "sin");
  const auto b = kernel("b", "cos");
  const auto x = kernel("x", "sin");
  const auto y = kernel("y", "sin");
  const auto pairs =
      diff::propose_pairs(std::vector{ref(a, "a"), ref(b, "b")}, std::vector{ref(x, "x"), ref(y, "y")});
  REQUIRE_FALSE(pairs);
  CHECK(pairs.error().front().code == "TP-D0005");
  CHECK(pairs.error().front().message ==
        "which entry is the counterpart of 'a' of the reference is ambiguous: 'x', 'y' are as similar");
  CHECK(pairs.error().front().advice.find("--pairs") != std::string::npos);
}

TEST_CASE("entries are found by name", "[diff]") {
  ir::Module two = kernel("a", "sin");
  const auto one = kernel("a", "sin");
  two.functions.push_back(two.functions.front());
  two.strings.emplace_back("second");
  two.functions.back().name = ir::StringId{static_cast<std::uint32_t>(two.strings.size() - 1)};
  CHECK(diff::compare(two, one, {"sm_90", "second", ""})->equality == diff::Equality::equal_up_to);
  const auto missing = diff::compare(two, one, {"sm_90", "third", ""});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().front().code == "TP-D0004");
  CHECK(missing.error().front().message == "reference: there is no entry 'third'; there are: a, second");
}
