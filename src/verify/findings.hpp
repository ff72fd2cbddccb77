// SPDX-License-Identifier: Apache-2.0
// Where rules leave what they find.
#pragma once

#include <string>
#include <tileport/verify/verify.hpp>

#include "verify/op.hpp"

namespace tileport::verify {

class Findings {
 public:
  explicit Findings(const ir::Module& module) : module_(module) {}

  void error(const Rule& rule, ir::OpId op, std::string message, std::string advice = {}) {
    add(rule, Severity::error, place(op), std::move(message), std::move(advice), 1 + ir::index(op));
  }
  void error(const Rule& rule, const Op& op, std::string message, std::string advice = {}) {
    error(rule, op.id, std::move(message), std::move(advice));
  }
  void error(const Rule& rule, const ir::Function& function, std::string message, std::string advice = {}) {
    add(rule, Severity::error, place(function), std::move(message), std::move(advice));
  }
  void error(const Rule& rule, const ir::Global& global, std::string message, std::string advice = {}) {
    add(rule, Severity::error, place(global), std::move(message), std::move(advice));
  }
  /// Of the module as a whole.
  void error(const Rule& rule, std::string message, std::string advice = {}) {
    add(rule, Severity::error, {}, std::move(message), std::move(advice));
  }
  void warning(const Rule& rule, ir::OpId op, std::string message, std::string advice = {}) {
    add(rule, Severity::warning, place(op), std::move(message), std::move(advice), 1 + ir::index(op));
  }

  void warning(const Rule& rule, const ir::Function& function, std::string message) {
    add(rule, Severity::warning, place(function), std::move(message), {});
  }
  void warning(const Rule& rule, std::string message) {
    add(rule, Severity::warning, {}, std::move(message), {});
  }

  std::size_t size() const { return all_.size(); }
  /// All of them, in the order of the ops: readers and parsers number ops in program order.
  Diagnostics take();

 private:
  struct Found {
    std::uint32_t order = 0;  ///< 0: of no op.
    Diagnostic diagnostic;
  };

  void add(const Rule& rule, Severity severity, Place place, std::string message, std::string advice,
           std::uint32_t order = 0);
  Place place(ir::OpId op) const;
  Place place(const ir::Function& function) const;
  Place place(const ir::Global& global) const;

  const ir::Module& module_;
  std::vector<Found> all_;
};

/// What a family checks of one op whose types are of the classes that its row names.
using OpRule = void (*)(Findings&, const Op&);

struct FamilyRules {
  std::span<const Rule> rules;
  /// The function that checks this op; null if the row says everything.
  OpRule (*find)(std::string_view mnemonic);
};

}  // namespace tileport::verify
