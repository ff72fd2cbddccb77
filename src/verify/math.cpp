// SPDX-License-Identifier: Apache-2.0
// Matrix multiply-accumulate; the elementary functions are all regular.
#include <fmt/format.h>

#include <array>

#include "verify/dispatch.hpp"
#include "verify/families.hpp"

namespace tileport::verify {
namespace {

using ir::TypeKind;

constexpr Rule kRules[] = {
    {"TP-V0201", "Matrices have rank 2, or 3 with a batch dimension first",
     "cuda-tile 13.3, verifyMmaShapes"},
    {"TP-V0202", "Extents of factors and sum fit together: [b] m k, [b] k n, [b] m n",
     "cuda-tile 13.3, verifyMmaShapes"},
    {"TP-V0203", "The sum of a product has an element type that the hardware accumulates in",
     "cuda-tile 13.3, MmaFOp::verify"},
    {"TP-V0204", "Extents of scales fit those of the factors: [b] m k/s, [b] k/s n",
     "cuda-tile 13.3, MmaFScaledOp::verify"},
    {"TP-V0205", "The element type of the scales is one for this element type of the factors",
     "cuda-tile 13.3, MmaFScaledOp::verify"},
    {"TP-V0206",
     "As many elements share a scale as the hardware wants: 32 of f8; 16 of f4 under f8E4M3FN, else 16 or 32",
     "cuda-tile 13.3, MmaFScaledOp::verify; tileirdisasm 13.5.37 for fnv8E5M3FNU"},
};
constexpr const Rule& kRank = kRules[0];
constexpr const Rule& kExtents = kRules[1];
constexpr const Rule& kSum = kRules[2];
constexpr const Rule& kScaleExtents = kRules[3];
constexpr const Rule& kScaleType = kRules[4];
constexpr const Rule& kScaleBlock = kRules[5];

/// Two dimensions of two operands that must be the same; dimensions count from the last but one (row) and
/// last (column) one.
struct Pair {
  std::string_view left;
  int left_dimension;
  std::string_view right;
  int right_dimension;
};
constexpr int kBatch = 0;
constexpr int kRow = 1;
constexpr int kColumn = 2;

/// Which dimension of a matrix is meant; it has rank 2 or 3.
std::size_t dimension(const Op& op, std::string_view group, int which) {
  const std::size_t rank = op.shape(group).size();
  return which == kBatch ? 0 : rank - 2 + static_cast<std::size_t>(which - kRow);
}

bool check_pairs(Findings& findings, const Rule& rule, const Op& op, std::span<const Pair> pairs) {
  bool good = true;
  for (const Pair& pair : pairs) {
    if (pair.left_dimension == kBatch && op.shape(pair.left).size() == 2) continue;
    const std::size_t left = dimension(op, pair.left, pair.left_dimension);
    const std::size_t right = dimension(op, pair.right, pair.right_dimension);
    if (op.shape(pair.left)[left] == op.shape(pair.right)[right]) continue;
    good = false;
    findings.error(rule, op,
                   fmt::format("dimension {} of {} {} must be dimension {} of {} {}", left, pair.left,
                               op.text(pair.left), right, pair.right, op.text(pair.right)));
  }
  return good;
}

bool check_matrices(Findings& findings, const Op& op) {
  constexpr Pair kPairs[] = {{"lhs", kBatch, "rhs", kBatch},
                             {"lhs", kBatch, "acc", kBatch},
                             {"lhs", kColumn, "rhs", kRow},
                             {"lhs", kRow, "acc", kRow},
                             {"rhs", kColumn, "acc", kColumn}};
  const std::size_t rank = op.shape("lhs").size();
  if (rank != 2 && rank != 3) {
    findings.error(kRank, op, fmt::format("{} multiplies tiles of rank 2 or 3, got {}", op.mnemonic(), rank));
    return false;
  }
  return check_pairs(findings, kExtents, op, kPairs);
}

void mmai(Findings& findings, const Op& op) { check_matrices(findings, op); }

void mmaf(Findings& findings, const Op& op) {
  check_matrices(findings, op);
  const TypeKind factor = op.element("lhs");
  const TypeKind sum = op.element("acc");
  const bool half_or_single = sum == TypeKind::f16 || sum == TypeKind::f32;
  bool good = false;
  switch (factor) {
    case TypeKind::f16:
    case TypeKind::f8E4M3FN:
    case TypeKind::f8E5M2:
      good = half_or_single;
      break;
    case TypeKind::f64:
      good = sum == TypeKind::f64;
      break;
    default:
      good = sum == TypeKind::f32;
      break;
  }
  if (!good) {
    findings.error(
        kSum, op,
        fmt::format("a product of {} can't be accumulated in {}", ir::keyword(factor), ir::keyword(sum)));
  }
}

void check_scale_type(Findings& findings, const Op& op) {
  const TypeKind scale = op.element("lhs_scale");
  const TypeKind factor = op.element("lhs");
  if (scale != TypeKind::f8E8M0FNU && factor != TypeKind::f4E2M1FN) {
    findings.error(kScaleType, op,
                   fmt::format("scales of {} are for factors of f4E2M1FN only, got {}", ir::keyword(scale),
                               ir::keyword(factor)));
  }
}

void check_scale_block(Findings& findings, const Op& op) {
  const std::int64_t extent = op.shape("lhs").back();
  const std::int64_t scales = op.shape("lhs_scale").back();
  if (extent % scales != 0) {
    findings.error(kScaleExtents, op,
                   fmt::format("{} elements along k can't share {} scales evenly", extent, scales));
    return;
  }
  const std::int64_t block = extent / scales;
  const bool f4 = op.element("lhs") == TypeKind::f4E2M1FN;
  const bool may_be_32 = !f4 || op.element("lhs_scale") != TypeKind::f8E4M3FN;
  if ((block == 16 && f4) || (block == 32 && may_be_32)) return;
  findings.error(kScaleBlock, op,
                 fmt::format("{} elements of {} share a scale of {}; {} must", block,
                             ir::keyword(op.element("lhs")), ir::keyword(op.element("lhs_scale")),
                             !f4         ? "32"
                             : may_be_32 ? "16 or 32"
                                         : "16"));
}

void mmaf_scaled(Findings& findings, const Op& op) {
  constexpr Pair kPairs[] = {{"lhs", kBatch, "lhs_scale", kBatch},
                             {"rhs", kBatch, "rhs_scale", kBatch},
                             {"lhs", kRow, "lhs_scale", kRow},
                             {"rhs", kColumn, "rhs_scale", kColumn},
                             {"lhs_scale", kColumn, "rhs_scale", kRow}};
  if (!check_matrices(findings, op)) return;
  check_scale_type(findings, op);
  if (check_pairs(findings, kScaleExtents, op, kPairs)) check_scale_block(findings, op);
}

constexpr Case kCases[] = {{"mmaf", mmaf}, {"mmaf_scaled", mmaf_scaled}, {"mmai", mmai}};

}  // namespace

FamilyRules math_rules() {
  return {kRules, [](std::string_view mnemonic) { return find_case(kCases, mnemonic); }};
}

}  // namespace tileport::verify
