// SPDX-License-Identifier: Apache-2.0
// Promises and messages.
#include <fmt/format.h>

#include <bit>
#include <limits>

#include "verify/dispatch.hpp"
#include "verify/families.hpp"

namespace tileport::verify {
namespace {

using ir::TypeKind;

constexpr Rule kRules[] = {
    {"TP-V0901", "div_by is a promise about integers, pointers or a tensor_view",
     "cuda-tile 13.3, DivByAttr::verifyWithAssumeOp"},
    {"TP-V0902", "The divisor of div_by is a power of two, at most 2^62",
     "cuda-tile 13.3, DivByAttr::verifyWithAssumeOp"},
    {"TP-V0903", "'every' and 'along' of div_by stand together, of a tile that has this dimension",
     "cuda-tile 13.3, DivByAttr::verifyWithAssumeOp"},
    {"TP-V0904", "same_elements is a promise about integers or pointers", "cuda-tile 13.3, SameElementsAttr"},
    {"TP-V0905", "same_elements has one number a dimension, none larger than its extent",
     "cuda-tile 13.3, SameElementsAttr"},
    {"TP-V0906", "bounded is a promise about integers", "cuda-tile 13.3, BoundedAttr"},
    {"TP-V0907", "Bounds fit the element type and are in order", "cuda-tile 13.3, BoundedAttr"},
    {"TP-V0908", "The format of print_tko is one of printf, with an argument for each conversion",
     "cuda-tile 13.3, PrintTkoOp::verify"},
};
constexpr const Rule& kDivisible = kRules[0];
constexpr const Rule& kDivisor = kRules[1];
constexpr const Rule& kEvery = kRules[2];
constexpr const Rule& kSame = kRules[3];
constexpr const Rule& kSameNumbers = kRules[4];
constexpr const Rule& kBounded = kRules[5];
constexpr const Rule& kBounds = kRules[6];
constexpr const Rule& kFormat = kRules[7];

bool is_tile_of(const Op& op, bool pointers) {
  const ir::Type& type = op.type("value");
  if (type.kind != TypeKind::tile) return false;
  const TypeKind element = op.element_type(type).kind;
  return ir::is_integer(element) || (pointers && element == TypeKind::pointer);
}

void check_every(Findings& findings, const Op& op, const ir::Attribute& predicate) {
  const ir::Type& type = op.type("value");
  if (!predicate.first && !predicate.second) return;
  std::string problem;
  if (!predicate.first || !predicate.second) {
    problem = "'every' and 'along' must stand together";
  } else if (type.kind != TypeKind::tile || type.shape.empty()) {
    problem = fmt::format("'every' and 'along' want a tile of rank 1 or more, got {}", op.text("value"));
  } else if (*predicate.second < 0 || *predicate.second >= static_cast<std::int64_t>(type.shape.size())) {
    problem = fmt::format("there is no dimension {} in {}", *predicate.second, op.text("value"));
  } else if (*predicate.first < 0 ||
             *predicate.first > type.shape[static_cast<std::size_t>(*predicate.second)]) {
    problem = fmt::format("'every {}' is beyond dimension {} of {}", *predicate.first, *predicate.second,
                          op.text("value"));
  }
  if (!problem.empty()) findings.error(kEvery, op, "div_by: " + problem);
}

void div_by(Findings& findings, const Op& op, const ir::Attribute& predicate) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 62;
  if (!std::has_single_bit(predicate.bits) || predicate.bits > kLargest) {
    findings.error(kDivisor, op,
                   fmt::format("div_by: the divisor {} is no power of two up to 2^62", predicate.bits));
  }
  if (op.type("value").kind != TypeKind::tensor_view && !is_tile_of(op, true)) {
    findings.error(kDivisible, op,
                   fmt::format("div_by is a promise about integers, pointers or a tensor_view, got {}",
                               op.text("value")));
    return;
  }
  check_every(findings, op, predicate);
}

void same_elements(Findings& findings, const Op& op, const ir::Attribute& predicate) {
  if (!is_tile_of(op, true)) {
    findings.error(
        kSame, op,
        fmt::format("same_elements is a promise about integers or pointers, got {}", op.text("value")));
    return;
  }
  const auto& shape = op.shape("value");
  bool good = predicate.numbers.size() == shape.size();
  for (std::size_t i = 0; i < shape.size() && good; ++i) {
    good = predicate.numbers[i] >= 0 && predicate.numbers[i] <= shape[i];
  }
  if (!good) {
    findings.error(kSameNumbers, op,
                   fmt::format("same_elements {} does not fit shape {}", shape_text(predicate.numbers),
                               shape_text(shape)));
  }
}

void bounded(Findings& findings, const Op& op, const ir::Attribute& predicate) {
  if (!is_tile_of(op, false)) {
    findings.error(kBounded, op,
                   fmt::format("bounded is a promise about integers, got {}", op.text("value")));
    return;
  }
  const unsigned width = ir::bit_width(op.element("value"));
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> (64 - width);
  const std::int64_t least = -most - 1;
  const auto fits = [&](const std::optional<std::int64_t>& bound) {
    return !bound || (*bound >= least && *bound <= most);
  };
  if (!fits(predicate.first) || !fits(predicate.second)) {
    findings.error(
        kBounds, op,
        fmt::format("bounds of {} are from {} to {}", ir::keyword(op.element("value")), least, most));
  } else if (predicate.first && predicate.second && *predicate.first > *predicate.second) {
    findings.error(
        kBounds, op,
        fmt::format("the lower bound {} is above the upper bound {}", *predicate.first, *predicate.second));
  }
}

void assume(Findings& findings, const Op& op) {
  const ir::Attribute& predicate = *op.module.tagged(op.id, "predicate");
  switch (predicate.kind) {
    case ir::Attribute::Kind::div_by:
      div_by(findings, op, predicate);
      break;
    case ir::Attribute::Kind::same_elements:
      same_elements(findings, op, predicate);
      break;
    default:
      bounded(findings, op, predicate);
      break;
  }
}

/// The number of arguments that a format of printf takes; nothing if a conversion doesn't end. A conversion
/// goes from "%" to the first of these letters, or a zero byte, whatever stands between.
std::optional<std::size_t> conversions(std::string_view format) {
  constexpr std::string_view kLast{"diuoxXeEfFgGaAcsSpn%\0", 21};
  std::size_t count = 0;
  for (std::size_t at = format.find('%'); at != std::string_view::npos; at = format.find('%', at)) {
    const std::size_t last = format.find_first_of(kLast, at + 1);
    if (last == std::string_view::npos) return std::nullopt;
    if (last == at + 1 && format[last] == '%') {
      at += 2;
    } else {
      ++count;
      ++at;
    }
  }
  return count;
}

void print(Findings& findings, const Op& op) {
  const std::string& format = op.module.string(ir::StringId{static_cast<std::uint32_t>(op.word("str"))});
  const auto wanted = conversions(format);
  const std::size_t given = op.values("args").size();
  if (!wanted) {
    findings.error(kFormat, op, fmt::format("a conversion in the format '{}' does not end", format),
                   "write %% for a percent sign");
  } else if (*wanted != given) {
    findings.error(kFormat, op,
                   fmt::format("the format '{}' takes {} arguments, got {}", format, *wanted, given));
  }
}

constexpr Case kCases[] = {{"assume", assume}, {"print_tko", print}};

}  // namespace

FamilyRules misc_rules() {
  return {kRules, [](std::string_view mnemonic) { return find_case(kCases, mnemonic); }};
}

}  // namespace tileport::verify
