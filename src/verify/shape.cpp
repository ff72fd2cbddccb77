// SPDX-License-Identifier: Apache-2.0
// Ops that move elements without changing them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "verify/dispatch.hpp"
#include "verify/families.hpp"

namespace tileport::verify {
namespace {

constexpr Rule kRules[] = {
    {"TP-V0401", "broadcast changes only extents that are 1", "cuda-tile 13.3, BroadcastOp::verify"},
    {"TP-V0402", "reshape keeps the number of elements", "cuda-tile 13.3, ReshapeOp::verify"},
    {"TP-V0403", "permute works on rank 2 and more", "cuda-tile 13.3, PermuteOp::verify"},
    {"TP-V0404", "The permutation names every dimension once", "cuda-tile 13.3, PermuteOp::verify"},
    {"TP-V0405", "The result of permute has the permuted shape", "cuda-tile 13.3, PermuteOp::verify"},
    {"TP-V0406", "cat concatenates along a dimension that exists", "cuda-tile 13.3, CatOp::verify"},
    {"TP-V0407", "The result of cat is as long as both operands along the dimension, and like them elsewhere",
     "cuda-tile 13.3, CatOp::verify"},
    {"TP-V0408", "extract and insert cut a tile into whole parts",
     "cuda-tile 13.3, ExtractOp::verify; tileirdisasm 13.5.37 for insert"},
    {"TP-V0409", "extract and insert have one index a dimension",
     "cuda-tile 13.3, ExtractOp::verify; tileirdisasm 13.5.37 for insert"},
    {"TP-V0410", "iota makes a tile of rank 1", "cuda-tile 13.3, IotaOp::verify"},
    {"TP-V0411", "iota's numbers fit the element type", "cuda-tile 13.3, IotaOp::verify"},
};
constexpr const Rule& kBroadcast = kRules[0];
constexpr const Rule& kReshape = kRules[1];
constexpr const Rule& kPermuteRank = kRules[2];
constexpr const Rule& kPermutation = kRules[3];
constexpr const Rule& kPermuted = kRules[4];
constexpr const Rule& kCatDimension = kRules[5];
constexpr const Rule& kCat = kRules[6];
constexpr const Rule& kParts = kRules[7];
constexpr const Rule& kIndices = kRules[8];
constexpr const Rule& kIotaRank = kRules[9];
constexpr const Rule& kIotaRange = kRules[10];

void broadcast(Findings& findings, const Op& op) {
  const auto& source = op.shape("source");
  const auto& result = op.shape("result");
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == result[i] || source[i] == 1) continue;
    findings.error(kBroadcast, op,
                   fmt::format("broadcast can't make shape {} of {}: dimension {}", shape_text(result),
                               shape_text(source), i));
    return;
  }
}

void reshape(Findings& findings, const Op& op) {
  if (ir::element_count(op.type("source")) == ir::element_count(op.type("result"))) return;
  findings.error(kReshape, op,
                 fmt::format("reshape can't make shape {} of {}: they hold different numbers of elements",
                             shape_text(op.shape("result")), shape_text(op.shape("source"))));
}

void permute(Findings& findings, const Op& op) {
  const auto& source = op.shape("source");
  const auto& result = op.shape("result");
  const auto& permutation = op.module.tagged(op.id, "permutation")->numbers;
  if (source.size() < 2) {
    findings.error(kPermuteRank, op, fmt::format("permute works on rank 2 and more, got {}", source.size()));
    return;
  }
  std::vector<bool> used(source.size());
  bool good = permutation.size() == source.size();
  for (std::size_t i = 0; i < permutation.size() && good; ++i) {
    const auto from = static_cast<std::size_t>(permutation[i]);
    good = permutation[i] >= 0 && from < source.size() && !used[from];
    if (good) used[from] = true;
  }
  if (!good) {
    findings.error(
        kPermutation, op,
        fmt::format("[{}] is no permutation of {} dimensions", fmt::join(permutation, ", "), source.size()));
    return;
  }
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    if (result[i] == source[static_cast<std::size_t>(permutation[i])]) continue;
    findings.error(kPermuted, op,
                   fmt::format("permute by [{}] can't make shape {} of {}", fmt::join(permutation, ", "),
                               shape_text(result), shape_text(source)));
    return;
  }
}

void cat(Findings& findings, const Op& op) {
  const auto& left = op.shape("lhs");
  const auto& right = op.shape("rhs");
  const auto& result = op.shape("result");
  const std::uint64_t along = op.word("dim");
  if (along >= left.size()) {
    findings.error(kCatDimension, op,
                   fmt::format("cat can't concatenate along dimension {} of rank {}",
                               static_cast<std::int64_t>(along), left.size()));
    return;
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    const bool good =
        i == along ? left[i] + right[i] == result[i] : left[i] == right[i] && left[i] == result[i];
    if (good) continue;
    findings.error(kCat, op,
                   fmt::format("cat along dimension {} can't make shape {} of {} and {}", along,
                               shape_text(result), shape_text(left), shape_text(right)));
    return;
  }
}

void check_parts(Findings& findings, const Op& op, std::string_view whole, std::string_view part) {
  const auto& all = op.shape(whole);
  const auto& one = op.shape(part);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] % one[i] == 0) continue;
    findings.error(kParts, op,
                   fmt::format("{} can't cut shape {} into parts of {}: dimension {}", op.mnemonic(),
                               shape_text(all), shape_text(one), i));
    break;
  }
  const std::size_t indices = op.values("indices").size();
  if (indices != all.size()) {
    findings.error(kIndices, op,
                   fmt::format("{} needs {} indices, got {}", op.mnemonic(), all.size(), indices));
  }
}

void extract(Findings& findings, const Op& op) { check_parts(findings, op, "source", "result"); }
void insert(Findings& findings, const Op& op) { check_parts(findings, op, "destination", "source"); }

void iota(Findings& findings, const Op& op) {
  const auto& shape = op.shape("result");
  if (shape.size() != 1) {
    findings.error(kIotaRank, op, fmt::format("iota makes a tile of rank 1, got {}", op.text("result")));
    return;
  }
  const unsigned width = ir::bit_width(op.element("result"));
  if (width < 64 && static_cast<std::uint64_t>(shape[0]) > std::uint64_t{1} << width) {
    findings.error(
        kIotaRange, op,
        fmt::format("iota can't count {} elements in {}", shape[0], ir::keyword(op.element("result"))));
  }
}

constexpr Case kCases[] = {{"broadcast", broadcast}, {"reshape", reshape}, {"permute", permute}, {"cat", cat},
                           {"extract", extract},     {"insert", insert},   {"iota", iota}};

}  // namespace

FamilyRules shape_rules() {
  return {kRules, [](std::string_view mnemonic) { return find_case(kCases, mnemonic); }};
}

}  // namespace tileport::verify
