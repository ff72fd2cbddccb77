// SPDX-License-Identifier: Apache-2.0
// For C++ tests with Catch2, version 2 or 3: REQUIRE_THAT(port, tileport::diff::SameAs(reference)).
#pragma once

#if __has_include(<catch2/matchers/catch_matchers.hpp>)
#include <catch2/matchers/catch_matchers.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <string>
#include <tileport/diff/compare.hpp>
#include <utility>

namespace tileport::diff {

/// Matches a module whose kernel is the reference's, up to notes. A failure shows the findings with their
/// places. `reference` must outlive the matcher.
class SameAs : public Catch::MatcherBase<ir::Module> {
 public:
  explicit SameAs(const ir::Module& reference, CompareOptions options = {})
      : reference_(reference), options_(std::move(options)) {}

  bool match(const ir::Module& port) const override {
    const auto compared = compare(reference_, port, options_);
    if (!compared) {
      found_ = tileport::to_string(compared.error().front());
      return false;
    }
    found_ = to_string(*compared);
    return compared->equality != Equality::differs;
  }
  std::string describe() const override { return "computes the same as the reference\n" + found_; }

 private:
  const ir::Module& reference_;
  CompareOptions options_;
  mutable std::string found_;
};

}  // namespace tileport::diff

/// Catch2 would print a module's bytes.
template <>
struct Catch::StringMaker<tileport::ir::Module> {
  static std::string convert(const tileport::ir::Module& module) {
    return module.file.empty() ? "the module" : module.file;
  }
};
