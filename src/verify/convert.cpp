// SPDX-License-Identifier: Apache-2.0
// Conversions between element types, and packed bytes.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "verify/dispatch.hpp"
#include "verify/families.hpp"

namespace tileport::verify {
namespace {

using ir::TypeKind;

constexpr Rule kRules[] = {
    {"TP-V0301", "bitcast keeps the width of the elements", "cuda-tile 13.3, BitcastOp::verify"},
    {"TP-V0302", "exti makes integers wider", "cuda-tile 13.3, ExtIOp::verify"},
    {"TP-V0303", "trunci makes integers narrower", "cuda-tile 13.3, TruncIOp::verify"},
    {"TP-V0304", "ftof changes the type", "cuda-tile 13.3, FToFOp::verify"},
    {"TP-V0305", "ftof rounds in a way that exists for these two types", "tileirdisasm 13.5.37, observed"},
    {"TP-V0306", "itof can't make f8E8M0FNU", "cuda-tile 13.3, IToFOp::verify"},
    {"TP-V0307", "pack and unpack work on tiles of rank 1", "cuda-tile 13.3, verifyPackUnpackTypes"},
    {"TP-V0308", "pack and unpack change the width of the elements", "cuda-tile 13.3, verifyPackUnpackTypes"},
    {"TP-V0309", "pack and unpack keep the number of bytes, which is whole",
     "cuda-tile 13.3, verifyPackUnpackTypes"},
};
constexpr const Rule& kSameWidth = kRules[0];
constexpr const Rule& kWider = kRules[1];
constexpr const Rule& kNarrower = kRules[2];
constexpr const Rule& kChanges = kRules[3];
constexpr const Rule& kRounding = kRules[4];
constexpr const Rule& kNoScale = kRules[5];
constexpr const Rule& kVector = kRules[6];
constexpr const Rule& kOtherWidth = kRules[7];
constexpr const Rule& kSameBytes = kRules[8];

void bitcast(Findings& findings, const Op& op) {
  if (ir::bit_width(op.element("source")) == ir::bit_width(op.element("result"))) return;
  findings.error(kSameWidth, op,
                 fmt::format("bitcast from {} to {} changes the width", ir::keyword(op.element("source")),
                             ir::keyword(op.element("result"))));
}

void exti(Findings& findings, const Op& op) {
  if (ir::bit_width(op.element("to")) > ir::bit_width(op.element("from"))) return;
  findings.error(kWider, op,
                 fmt::format("exti from {} to {} makes nothing wider", ir::keyword(op.element("from")),
                             ir::keyword(op.element("to"))));
}

void trunci(Findings& findings, const Op& op) {
  if (ir::bit_width(op.element("to")) < ir::bit_width(op.element("from"))) return;
  findings.error(kNarrower, op,
                 fmt::format("trunci from {} to {} makes nothing narrower", ir::keyword(op.element("from")),
                             ir::keyword(op.element("to"))));
}

/// The rounding modes that exist for a conversion.
std::vector<std::string_view> roundings(TypeKind from, TypeKind to) {
  const unsigned source = ir::bit_width(from);
  const unsigned target = ir::bit_width(to);
  if (to == TypeKind::f8E8M0FNU) return {"zero", "positive_inf"};
  if (target <= 8) return {"nearest_even"};
  // Not every value of these two is a normal number of a type that has more bits.
  const bool contained = !(from == TypeKind::f8E8M0FNU && to != TypeKind::f64) &&
                         !(from == TypeKind::fnv8E5M3FNU && to == TypeKind::f16);
  if (target > source && contained) {
    return {"nearest_even", "zero", "negative_inf", "positive_inf", "nearest_away"};
  }
  if (from == TypeKind::f64 && to == TypeKind::f32) {
    return {"nearest_even", "zero", "negative_inf", "positive_inf"};
  }
  if (from == TypeKind::f32 && to == TypeKind::tf32) return {"nearest_even", "zero", "nearest_away"};
  return {"nearest_even", "zero"};
}

void ftof(Findings& findings, const Op& op) {
  const TypeKind from = op.element("from");
  const TypeKind to = op.element("to");
  if (from == to) {
    findings.error(kChanges, op,
                   fmt::format("ftof from {} to {} changes nothing", ir::keyword(from), ir::keyword(to)));
    return;
  }
  const auto allowed = roundings(from, to);
  if (std::ranges::find(allowed, op.enumerator("rounding_mode")) != allowed.end()) return;
  findings.error(kRounding, op,
                 fmt::format("ftof from {} to {} can't round to {}", ir::keyword(from), ir::keyword(to),
                             op.enumerator("rounding_mode")),
                 fmt::format("use {}", fmt::join(allowed, ", ")));
}

void itof(Findings& findings, const Op& op) {
  if (op.element("to") != TypeKind::f8E8M0FNU) return;
  findings.error(kNoScale, op, "an integer can't be converted to f8E8M0FNU",
                 "convert to another float first");
}

/// A tf32 is stored in four bytes.
std::uint64_t bits(const Op& op, std::string_view group) {
  const TypeKind element = op.element(group);
  return (element == TypeKind::tf32 ? 32 : ir::bit_width(element)) * ir::element_count(op.type(group));
}

void pack(Findings& findings, const Op& op) {
  if (op.shape("source").size() != 1) {
    findings.error(kVector, op,
                   fmt::format("{} works on tiles of rank 1, got {}", op.mnemonic(), op.text("source")));
    return;
  }
  if (ir::bit_width(op.element("source")) == ir::bit_width(op.element("result"))) {
    findings.error(kOtherWidth, op,
                   fmt::format("{} from {} to {} changes no width", op.mnemonic(),
                               ir::keyword(op.element("source")), ir::keyword(op.element("result"))),
                   "use bitcast");
  }
  if (bits(op, "source") % 8 != 0 || bits(op, "source") != bits(op, "result")) {
    findings.error(kSameBytes, op,
                   fmt::format("{} from {} to {} does not keep whole bytes: {} and {} bits", op.mnemonic(),
                               op.text("source"), op.text("result"), bits(op, "source"), bits(op, "result")));
  }
}

constexpr Case kCases[] = {{"bitcast", bitcast}, {"exti", exti}, {"trunci", trunci}, {"ftof", ftof},
                           {"itof", itof},       {"pack", pack}, {"unpack", pack}};

}  // namespace

FamilyRules convert_rules() {
  return {kRules, [](std::string_view mnemonic) { return find_case(kCases, mnemonic); }};
}

}  // namespace tileport::verify
