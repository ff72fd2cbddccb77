// SPDX-License-Identifier: Apache-2.0
// The classes of evidence, and the one rule that makes verdicts of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tileport/core/diagnostic.hpp>
#include <vector>

namespace tileport::contract {

/// Machine code of a specialization for one target. `differs` is also the class when only one side assembles;
/// `neither` when tileiras refuses both; `timeout` when a side took longer than it may.
enum class CodeClass : std::uint8_t { identical, differs, neither, timeout };

enum class IrClass : std::uint8_t { equal, equal_up_to, differs };

/// From good to bad, so that the verdict of several is their maximum.
enum class Verdict : std::uint8_t { proven, equivalent, unproven };

std::string_view to_string(Verdict verdict);

/// proven: every target is identical or neither, and not all are neither. equivalent: the IR is equal or
/// equal_up_to, but a target differs, timed out, or none assembled. Else unproven, missing evidence included.
Verdict verdict_of(std::optional<IrClass> ir, const std::vector<CodeClass>& code);

struct SpecializationVerdict {
  std::string name;
  Verdict verdict = Verdict::unproven;
};

struct Judgement {
  /// The worst of the specializations; unproven as well if there are none or rustc refused the crate.
  Verdict verdict = Verdict::unproven;
  std::vector<SpecializationVerdict> specializations;
};

/// Recomputes the verdicts of a proof from its evidence, whatever its "verdict" says. The document must
/// satisfy the schema tileport/proof/1 (diagnostics as those of validate).
Result<Judgement> judge(std::string_view proof_json, const std::string& file = {});

}  // namespace tileport::contract
