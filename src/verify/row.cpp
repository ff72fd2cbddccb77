// SPDX-License-Identifier: Apache-2.0
// The constraints that rows of the op table declare.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "verify/families.hpp"

namespace tileport::verify {
namespace {

using ir::Constraint;
using Kind = ir::Constraint::Kind;

constexpr Rule kRules[] = {
    {"TP-V0020", "A value is of the class that the op table gives its group",
     "cuda-tile 13.3, Ops.td: types of operands and results; tileirdisasm 13.5.37 for 13.4 and 13.5"},
    {"TP-V0021", "Groups that the op table ties together have the same type",
     "cuda-tile 13.3, Ops.td: AllTypesMatch"},
    {"TP-V0022", "Groups that the op table ties together have the same shape",
     "cuda-tile 13.3, Ops.td: AllShapesMatch, SameOperandsShape"},
    {"TP-V0023", "Groups that the op table ties together have the same rank",
     "cuda-tile 13.3, Ops.td: AllRanksMatch"},
    {"TP-V0024", "Groups that the op table ties together have the same element type",
     "cuda-tile 13.3, Ops.td: AllElementTypeMatch, SameOperandsAndResultElementType"},
    {"TP-V0025", "A comparison gives a tile of i1 of its operands' shape",
     "cuda-tile 13.3, Ops.td: CmpIOp, CmpFOp"},
    {"TP-V0026", "Pointers point to the elements that are loaded, stored or changed through them, one each",
     "cuda-tile 13.3, Ops.td: LoadOpBase, StoreOpBase; CudaTile.cpp: AtomicRMWTkoOp, AtomicCASTkoOp"},
    {"TP-V0027", "An attribute has an enumerator that the op allows",
     "cuda-tile 13.3, CudaTile.cpp: verifiers of rounding modes and memory orderings"},
    {"TP-V0028", "Flushing to zero, approx and full are for f32 only",
     "cuda-tile 13.3, SharedVerifiers.h: verifyFtz, verifyApprox, verifyDivFPModifiers"},
    {"TP-V0029", "An op stands directly in one of the ops that may hold it",
     "cuda-tile 13.3, Ops.td: ParentOneOf"},
};
constexpr const Rule& kClass = kRules[0];
constexpr const Rule& kSameType = kRules[1];
constexpr const Rule& kSameShape = kRules[2];
constexpr const Rule& kSameRank = kRules[3];
constexpr const Rule& kSameElement = kRules[4];
constexpr const Rule& kComparison = kRules[5];
constexpr const Rule& kPointsTo = kRules[6];
constexpr const Rule& kEnumerator = kRules[7];
constexpr const Rule& kF32Only = kRules[8];
constexpr const Rule& kParent = kRules[9];

void check_class(Findings& findings, const Op& op, const Constraint& constraint) {
  for (std::string_view group : constraint.names) {
    const Values values = op.values(group);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const ir::Type& type = op.module.type_of(values[i]);
      const ir::TypeKind element =
          type.kind == ir::TypeKind::tile ? op.element_type(type).kind : ir::TypeKind::token;
      if (ir::is_of(constraint.values, type.kind, element, type.shape.size())) continue;
      findings.error(kClass, op,
                     fmt::format("{} of {} must be {}, got {}", group, op.mnemonic(),
                                 constraint.values.phrase, op.text(group, i)));
    }
  }
}

/// The types of the groups one by one; the first group that differs from the first one, or an empty name.
std::string_view differing_type(const Op& op, const Constraint& constraint) {
  std::optional<Values> first;
  for (std::string_view group : constraint.names) {
    const Values values = op.values(group);
    const auto number = op.info.operand_group(group);
    const bool optional = number && op.info.operands[*number].arity == ir::Arity::optional;
    if (optional && values.empty()) continue;
    if (!first) {
      first = values;
      continue;
    }
    if (values.size() != first->size()) return group;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!same(op.module, op.module.value(values[i]).type, op.module.value((*first)[i]).type)) return group;
    }
  }
  return {};
}

/// Whether `agree` holds between the first value of all groups and every other one.
template <class Agree>
bool all_agree(const Op& op, const Constraint& constraint, Agree&& agree) {
  const ir::Type* first = nullptr;
  for (std::string_view group : constraint.names) {
    const Values values = op.values(group);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const ir::Type& type = op.module.type_of(values[i]);
      if (first && !agree(*first, type)) return false;
      if (!first) first = &type;
    }
  }
  return true;
}

std::string types_text(const Op& op, const Constraint& constraint) {
  std::vector<std::string> parts;
  for (std::string_view group : constraint.names) {
    const Values values = op.values(group);
    for (std::size_t i = 0; i < values.size(); ++i) {
      parts.push_back(fmt::format("{} {}", group, op.text(group, i)));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

void check_agreement(Findings& findings, const Op& op, const Constraint& constraint) {
  const auto report = [&](const Rule& rule, std::string_view what) {
    findings.error(
        rule, op,
        fmt::format("{} of {} must agree, got {}", what, op.mnemonic(), types_text(op, constraint)));
  };
  switch (constraint.kind) {
    case Kind::same_type:
      if (!differing_type(op, constraint).empty()) report(kSameType, "types");
      break;
    case Kind::same_shape:
      if (!all_agree(op, constraint, [](auto& a, auto& b) { return a.shape == b.shape; })) {
        report(kSameShape, "shapes");
      }
      break;
    case Kind::same_rank:
      if (!all_agree(op, constraint, [](auto& a, auto& b) { return a.shape.size() == b.shape.size(); })) {
        report(kSameRank, "ranks");
      }
      break;
    default:
      if (!all_agree(op, constraint,
                     [&](auto& a, auto& b) { return same(op.module, a.element, b.element); })) {
        report(kSameElement, "element types");
      }
      break;
  }
}

void check_comparison(Findings& findings, const Op& op, const Constraint& constraint) {
  const std::string_view operand = constraint.names[0];
  const std::string_view result = constraint.names[1];
  if (op.shape(operand) == op.shape(result)) return;
  findings.error(kComparison, op,
                 fmt::format("{} compares tiles of shape {}, its result has shape {}", op.mnemonic(),
                             shape_text(op.shape(operand)), shape_text(op.shape(result))));
}

void check_points_to(Findings& findings, const Op& op, const Constraint& constraint) {
  const std::string_view pointers = constraint.names[0];
  const std::string_view pointees = constraint.names[1];
  const ir::Type& pointer = op.element_type(op.type(pointers));
  if (op.shape(pointers) == op.shape(pointees) &&
      same(op.module, pointer.element, op.type(pointees).element)) {
    return;
  }
  findings.error(kPointsTo, op,
                 fmt::format("{} of {} must be pointers to the elements of {}, one each, got {} and {}",
                             pointers, op.mnemonic(), pointees, op.text(pointers), op.text(pointees)));
}

void check_enumerator(Findings& findings, const Op& op, const Constraint& constraint) {
  const std::string_view attribute = constraint.names[0];
  const auto number = op.module.word(op.id, attribute);
  if (!number || (constraint.allowed >> *number & 1U) != 0) return;
  const ir::Enumeration& all = *op.info.attributes[*op.info.attribute_index(attribute)].enumeration;
  std::vector<std::string_view> allowed;
  for (std::size_t i = 0; i < all.values.size(); ++i) {
    if ((constraint.allowed >> i & 1U) != 0) allowed.push_back(all.values[i]);
  }
  findings.error(kEnumerator, op,
                 fmt::format("{} of {} can't be {}", attribute, op.mnemonic(), all.values[*number]),
                 fmt::format("use {}", fmt::join(allowed, ", ")));
}

void check_f32_only(Findings& findings, const Op& op, const Constraint& constraint) {
  const std::string_view name = constraint.names[0];
  std::string_view what = name;
  if (constraint.allowed == 0) {
    if (!op.flag(name)) return;
  } else {
    const auto number = op.module.word(op.id, name);
    if (!number || (constraint.allowed >> *number & 1U) == 0) return;
    what = op.enumerator(name);
  }
  const ir::TypeKind element = op.element(op.info.results[0].name);
  if (element == ir::TypeKind::f32) return;
  findings.error(kF32Only, op,
                 fmt::format("{} of {} is for f32 only, got {}", what, op.mnemonic(), ir::keyword(element)));
}

void check_parent(Findings& findings, const Op& op, const Constraint& constraint) {
  const auto parent = op.parent();
  const std::string_view name = parent ? op.module.op(*parent).info->mnemonic : "entry";
  if (std::ranges::find(constraint.names, name) != constraint.names.end()) return;
  findings.error(kParent, op,
                 fmt::format("{} stands in {}; it may only stand in {}", op.mnemonic(), name,
                             fmt::join(constraint.names, ", ")));
}

/// What ties the types of groups together.
void check_types_together(Findings& findings, const Op& op, const Constraint& constraint) {
  switch (constraint.kind) {
    case Kind::comparison:
      check_comparison(findings, op, constraint);
      break;
    case Kind::points_to:
      check_points_to(findings, op, constraint);
      break;
    case Kind::same_type:
    case Kind::same_shape:
    case Kind::same_rank:
    case Kind::same_element:
      check_agreement(findings, op, constraint);
      break;
    default:
      break;
  }
}

}  // namespace

std::span<const Rule> row_rules() { return kRules; }

bool check_row(Findings& findings, const Op& op) {
  const std::size_t before = findings.size();
  for (const Constraint& constraint : op.info.constraints) {
    if (constraint.kind == Kind::parent) check_parent(findings, op, constraint);
    if (constraint.kind == Kind::enumerator) check_enumerator(findings, op, constraint);
  }
  const std::size_t before_types = findings.size();
  for (const Constraint& constraint : op.info.constraints) {
    if (constraint.kind == Kind::type) check_class(findings, op, constraint);
  }
  if (findings.size() != before_types) return false;
  for (const Constraint& constraint : op.info.constraints) {
    check_types_together(findings, op, constraint);
    if (constraint.kind == Kind::f32_only) check_f32_only(findings, op, constraint);
  }
  return findings.size() == before;
}

}  // namespace tileport::verify
