// SPDX-License-Identifier: Apache-2.0
// Compares two kernels of Tile IR as value graphs.
//
// Equal means: the same computation, op for op, whatever the names, the order of independent pure ops, dead
// pure ops, duplicated constants and debug locations. A difference that is known to be harmless is accepted
// by a rule with a name and is counted in the notes, never hidden.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tileport/core/diagnostic.hpp>
#include <tileport/ir/module.hpp>
#include <vector>

namespace tileport::diff {

enum class FindingClass : std::uint8_t {
  mistranslation,
  specialization_loss,
  hint_value,
  source_semantics,
  host_abi,
  compiler_limitation,
  equivalence,
  noise,
};
enum class FindingSeverity : std::uint8_t { critical, warning, note };
enum class Owner : std::uint8_t { kernel, host, none };
enum class Effect : std::uint8_t { value, code, none, unknown };

/// One side of a finding; empty members if the side has nothing there.
struct Site {
  std::string path;  ///< Access path, "@softmax/for#0/exp#2".
  std::string text;  ///< The op as the text form shows it, or the attribute's value.
  std::string file;  ///< Source location, if the module has debug info.
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct Finding {
  FindingClass kind = FindingClass::mistranslation;
  FindingSeverity severity = FindingSeverity::critical;
  Owner owner = Owner::kernel;
  Effect effect = Effect::unknown;
  std::string message;
  Site reference;
  Site port;
};

/// An accepted difference: which rule, how often.
struct Note {
  std::string rule;
  std::uint32_t count = 0;
  std::string message;
};

enum class Equality : std::uint8_t { equal, equal_up_to, differs };

struct Comparison {
  Equality equality = Equality::differs;  ///< equal_up_to: only notes.
  std::vector<Note> notes;
  std::vector<Finding> findings;
};

struct CompareOptions {
  /// Hints are resolved for this target before they are compared: its own entry over `default`.
  std::string target = "sm_90";
  /// Which entry of each module; empty: the only one.
  std::string reference_entry{};
  std::string port_entry{};
};

/// The words that files and people use: "mistranslation", "critical", "kernel", "value", "equal_up_to".
std::string_view name(FindingClass kind);
std::string_view name(FindingSeverity severity);
std::string_view name(Owner owner);
std::string_view name(Effect effect);
std::string_view name(Equality equality);

/// A difference that is accepted, and why it can change no result.
struct RuleDescription {
  std::string_view name;
  std::string_view reason;
};

/// Every rule that a note can name.
std::vector<RuleDescription> rules();

/// Compares two entries. TP-D0001: a module has no kernel; TP-D0002: it has several and none is named;
/// TP-D0003: nested too deep; TP-D0004: no entry of the name.
Result<Comparison> compare(const ir::Module& reference, const ir::Module& port,
                           const CompareOptions& options);

}  // namespace tileport::diff
