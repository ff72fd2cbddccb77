// SPDX-License-Identifier: Apache-2.0
// Checks what a well-formed module can still have wrong: types, attributes, dominance, terminators, versions,
// targets, and each op's own rules. The same modules are refused that tileirdisasm refuses; docs/verify.md
// lists and argues the exceptions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tileport/bytecode/write.hpp>
#include <tileport/core/diagnostic.hpp>
#include <tileport/ir/module.hpp>

namespace tileport::verify {

struct Options {
  bool strict = false;  ///< Warnings become errors.
  std::string target;   ///< "sm_90": also what that architecture can't do. Empty: any target.
};

/// All findings, in program order; none for a valid module. Errors mean that tools refuse the module,
/// warnings that they take it although something is odd.
Diagnostics verify(const ir::Module& module, const Options& options = {});

/// The same of a file, with what it holds that every reader passes over: warnings.
Diagnostics verify(const bytecode::Document& document, const Options& options = {});
Diagnostics verify(const ir::Module& module, const bytecode::Layout& layout, const Options& options);

bool has_errors(const Diagnostics& findings);

/// One rule, for documentation and tests.
struct Rule {
  std::string_view code;    ///< "TP-V0101"; never changes its meaning.
  std::string_view holds;   ///< What must hold.
  std::string_view source;  ///< Where the rule comes from.
};

/// Every rule, by code.
std::span<const Rule> rules();

}  // namespace tileport::verify
