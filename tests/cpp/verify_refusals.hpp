// SPDX-License-Identifier: Apache-2.0
// Modules that one rule alone refuses.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <tileport/verify/verify.hpp>
#include <utility>
#include <vector>

#include "kernel_builder.hpp"

namespace verify_refusals {

using kernel_builder::Kernel;
using kernel_builder::Types;
using kernel_builder::Values;
using tileport::ir::Type;
using tileport::ir::TypeId;
using tileport::ir::TypeKind;
using tileport::ir::ValueId;
namespace ir = tileport::ir;

/// `write` puts the wrong op into the body of kernel "k"; the only finding must be `code` at `path`.
struct Refusal {
  std::string_view code;
  std::string path;
  std::function<void(Kernel&)> write;
};

inline std::string describe(const tileport::Diagnostics& findings) {
  std::string text;
  for (const auto& finding : findings) text += to_string(finding) + "\n";
  return text;
}

inline void require_only(const ir::Module& module, std::string_view code, const std::string& path) {
  const auto findings = tileport::verify::verify(module);
  INFO("expected " << code << " at " << path << ", got\n" << describe(findings));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].code == code);
  CHECK(findings[0].place.path == path);
  CHECK(findings[0].severity == tileport::Severity::error);
  CHECK_FALSE(findings[0].message.empty());
  CHECK(findings[0].message.back() != '.');
}

inline void check_all(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    Kernel kernel;
    kernel.module.version = {13, 5};
    refusal.write(kernel);
    require_only(kernel.finish(), refusal.code, refusal.path);
  }
}

/// A value of any type: one that `loop` gives, whose body never ends.
inline ValueId any(Kernel& kernel, TypeId type) {
  const auto loop = kernel.op("loop", {}, {type});
  kernel.open(loop, 0);
  kernel.op("continue", {}, {});
  kernel.close();
  return kernel.module.result(loop, 0);
}
inline ValueId tile(Kernel& kernel, TypeKind kind, std::vector<std::int64_t> shape = {}) {
  return any(kernel, kernel.tile(kind, std::move(shape)));
}

/// The vectors of refusals of all families, by family.
std::vector<Refusal> arith_refusals();
std::vector<Refusal> memory_refusals();
std::vector<Refusal> control_refusals();
std::vector<Refusal> view_refusals();

}  // namespace verify_refusals
