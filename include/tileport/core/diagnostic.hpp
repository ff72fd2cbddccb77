// SPDX-License-Identifier: Apache-2.0
// Diagnostics: what went wrong with an input, where, why, and what to do about it.
//
// Codes are stable and have the form TP-<area letter><4 digits>: B bytecode, I building and editing, X text,
// V verifier, D diff, T translate, C cubin, J JSON contract. A code names one kind of mistake and never
// changes its meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace tileport {

enum class Severity : std::uint8_t { error, warning, note };

/// A place in an input. Every part is optional: bytecode has byte offsets, text has lines and columns.
struct Place {
  std::string file{};                     ///< As the user named it; empty for a buffer.
  std::optional<std::uint64_t> offset{};  ///< Bytes from the start of the file.
  std::uint32_t line = 0;                 ///< 1-based; 0 = unknown.
  std::uint32_t column = 0;               ///< 1-based; 0 = unknown.
  std::string path{};                     ///< Access path inside a module, e.g. "@softmax/for#0/exp#2".
  std::string source{};                   ///< Where a front end found it: "softmax.py:12:5 in softmax".
};

struct Diagnostic {
  std::string code{};
  Severity severity = Severity::error;
  std::string message{};  ///< What is wrong and why, one sentence, no trailing full stop.
  Place place{};
  std::string advice{};  ///< What the user can do; may be empty.
};

using Diagnostics = std::vector<Diagnostic>;

/// A value, or the diagnostics that say why there is none (at least one of severity error).
template <class T>
using Result = tl::expected<T, Diagnostics>;

inline tl::unexpected<Diagnostics> fail(Diagnostic diagnostic) {
  Diagnostics all;
  all.push_back(std::move(diagnostic));
  return tl::unexpected<Diagnostics>(std::move(all));
}

std::string_view name(Severity severity);

/// "file:line:column: error: message [TP-B0001]\n  advice", as compilers print it.
std::string to_string(const Diagnostic& diagnostic);

}  // namespace tileport
