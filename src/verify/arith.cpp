// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparison and selection.
#include "verify/dispatch.hpp"
#include "verify/families.hpp"

namespace tileport::verify {
namespace {

constexpr Rule kRules[] = {
    {"TP-V0101", "divi rounds to negative_inf only if it is signed", "cuda-tile 13.3, DivIOp::verify"},
    {"TP-V0102", "select does not work on f4E2M1FN, whose elements share bytes",
     "cuda-tile 13.3, SelectOp::verify"},
};
constexpr const Rule& kSignedFloor = kRules[0];
constexpr const Rule& kWholeBytes = kRules[1];

void divi(Findings& findings, const Op& op) {
  if (op.enumerator("rounding") == "negative_inf" && op.enumerator("signedness") == "unsigned") {
    findings.error(kSignedFloor, op, "divi can't round an unsigned quotient to negative_inf",
                   "use rounding zero, which is the same for unsigned numbers");
  }
}

void select(Findings& findings, const Op& op) {
  if (op.element("result") == ir::TypeKind::f4E2M1FN) {
    findings.error(kWholeBytes, op, "select can't work on f4E2M1FN", "unpack to a type of whole bytes first");
  }
}

constexpr Case kCases[] = {{"divi", divi}, {"select", select}};

}  // namespace

FamilyRules arith_rules() {
  return {kRules, [](std::string_view mnemonic) { return find_case(kCases, mnemonic); }};
}

}  // namespace tileport::verify
