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
/// What a difference is about.
enum class Group : std::uint8_t {
  memory_family,
  tile_structure,
  layout,
  addresses,
  masks,
  reductions,
  mma,
  math,
  arithmetic,
  control_flow,
  specialization,
  divisibility,
  bounds,
  hints,
  tokens,
  block_mapping,
  dtype,
};
/// Which side has what the other lacks.
enum class Side : std::uint8_t { both, reference, port };
enum class Owner : std::uint8_t { kernel, host, none };
enum class Effect : std::uint8_t { value, code, none, unknown };

/// One side of a finding; empty members if the side has nothing there.
struct Site {
  ir::OpId op{ir::kNone};  ///< In its module; kNone for the entry itself.
  std::string path;        ///< Access path, "@softmax/for#0/exp#2".
  std::string text;        ///< The op as the text form shows it, or the attribute's value.
  std::string file;        ///< Source location, if the module has debug info.
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct Finding {
  Group group = Group::arithmetic;
  Side side = Side::both;
  FindingClass kind = FindingClass::mistranslation;
  FindingSeverity severity = FindingSeverity::critical;
  Owner owner = Owner::kernel;
  Effect effect = Effect::unknown;
  std::string message;
  Site reference;
  Site port;
  /// What would mend it in the port's source: the Rust that says what the reference says, or what to leave
  /// out. Empty where `suggest` was not asked, or knows nothing.
  std::string fix;
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
std::string_view name(Group group);
std::string_view name(Side side);
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

/// Findings with their places, notes, and the verdict, line by line.
std::string to_string(const Comparison& comparison);

/// The Rust of the reference: the translator's (translate/translate.hpp, which is a layer above).
struct RustSource {
  std::string attribute;           ///< Of the entry.
  std::vector<std::string> of_op;  ///< By OpId of the reference; empty where there is none.
};

/// Fills `Finding::fix`.
void suggest(Comparison& comparison, const RustSource& reference);

}  // namespace tileport::diff
