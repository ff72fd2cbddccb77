// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cassert>
#include <tileport/contract/verdict.hpp>

#include "contract/document.hpp"

namespace tileport::contract {
namespace {

constexpr std::array<std::string_view, 3> kVerdicts{"proven", "equivalent", "unproven"};
constexpr std::array<std::string_view, 3> kIrClasses{"equal", "equal_up_to", "differs"};
constexpr std::array<std::string_view, 4> kCodeClasses{"identical", "differs", "neither", "timeout"};

/// The enumerator that a document names; the schema admits no other names.
template <class Enum, std::size_t N>
Enum enumerator(const std::array<std::string_view, N>& names, const nlohmann::json& value) {
  const auto found = std::find(names.begin(), names.end(), value.get_ref<const std::string&>());
  assert(found != names.end());
  return static_cast<Enum>(found - names.begin());
}

/// Of a specialization, or of one at unseen constants.
Verdict verdict_of_evidence(const nlohmann::json& row) {
  std::optional<IrClass> ir;
  if (!row["ir"].is_null()) ir = enumerator<IrClass>(kIrClasses, row["ir"]["class"]);
  std::vector<CodeClass> code;
  if (!row["code"].is_null())
    for (const auto& [target, evidence] : row["code"].items())
      code.push_back(enumerator<CodeClass>(kCodeClasses, evidence["class"]));
  return verdict_of(ir, code);
}

/// A specialization is as good as its entry is at other constants.
Verdict verdict_of_row(const nlohmann::json& row) {
  Verdict worst = verdict_of_evidence(row);
  if (!row["unseen"].is_null()) {
    for (const auto& each : row["unseen"]) worst = std::max(worst, verdict_of_evidence(each));
  }
  return worst;
}

}  // namespace

std::string_view to_string(Verdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }

Verdict verdict_of(std::optional<IrClass> ir, const std::vector<CodeClass>& code) {
  const auto is = [](CodeClass wanted) { return [wanted](CodeClass c) { return c == wanted; }; };
  if (!ir || code.empty()) return Verdict::unproven;
  const auto identical = std::count_if(code.begin(), code.end(), is(CodeClass::identical));
  const auto neither = std::count_if(code.begin(), code.end(), is(CodeClass::neither));
  if (identical > 0 && identical + neither == static_cast<std::ptrdiff_t>(code.size()))
    return Verdict::proven;
  return *ir == IrClass::differs ? Verdict::unproven : Verdict::equivalent;
}

Result<Judgement> judge(std::string_view proof_json, const std::string& file) {
  const auto proof = parse_document(proof_json, file);
  if (!proof) return tl::unexpected{proof.error()};
  auto found = violations("tileport/proof/1", *proof, file);
  if (!found) return tl::unexpected{found.error()};
  if (!found->empty()) return tl::unexpected{std::move(*found)};

  Judgement judgement;
  for (const auto& row : (*proof)["specializations"])
    judgement.specializations.push_back({row["name"].get<std::string>(), verdict_of_row(row)});
  const auto worst = std::max_element(judgement.specializations.begin(), judgement.specializations.end(),
                                      [](const auto& a, const auto& b) { return a.verdict < b.verdict; });
  const auto& check = (*proof)["check"];
  const bool refused = !check.is_null() && check["class"] == "refused";
  if (worst != judgement.specializations.end() && !refused) judgement.verdict = worst->verdict;
  return judgement;
}

}  // namespace tileport::contract
