// SPDX-License-Identifier: Apache-2.0
// What an architecture can't do. tileiras refuses types by the ops that use them: an argument of a kernel
// that no op uses may be of any type.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tileport/ir/type_rules.hpp>

#include "verify/families.hpp"

namespace tileport::verify {
namespace {

using ir::TypeKind;

constexpr Rule kRules[] = {
    {"TP-V1101", "The architecture has the element types of all operands and results",
     "tileiras 13.5.37, observed"},
    {"TP-V1102", "The architecture has multicast addresses where they are used",
     "tileiras 13.5.37, observed"},
    {"TP-V1103", "The target is an architecture that tileiras compiles for", "tileiras 13.5.37, --help"},
};
constexpr const Rule& kElement = kRules[0];
constexpr const Rule& kMulticast = kRules[1];
constexpr const Rule& kKnown = kRules[2];

constexpr std::string_view kTargets[] = {"sm_80",  "sm_86",  "sm_87",  "sm_88",  "sm_89",  "sm_90",
                                         "sm_100", "sm_103", "sm_107", "sm_110", "sm_120", "sm_121"};
constexpr std::string_view kMulticastTargets[] = {"sm_100", "sm_103", "sm_107"};
constexpr std::string_view kUnsignedE5M3Targets[] = {"sm_107"};

/// The architectures, oldest first, that have an element type.
std::span<const std::string_view> targets_of(TypeKind kind) {
  constexpr std::span<const std::string_view> kAll = kTargets;
  switch (kind) {
    case TypeKind::f8E4M3FN:
    case TypeKind::f8E5M2:
      return kAll.subspan(4);
    case TypeKind::f8E8M0FNU:
    case TypeKind::f4E2M1FN:
      return kAll.subspan(6);
    case TypeKind::fnv8E5M3FNU:
      return kUnsignedE5M3Targets;
    default:
      return kAll;
  }
}

bool has(std::span<const std::string_view> targets, std::string_view target) {
  return std::ranges::find(targets, target) != targets.end();
}

class Check {
 public:
  Check(Findings& findings, const ir::Module& module, std::string_view target)
      : findings_(findings), module_(module), target_(target) {}

  void op(ir::OpId id) {
    const ir::Range results = module_.op(id).results;
    bool good = true;
    for (ir::ValueId value : module_.operands(id)) good = good && type(id, module_.value(value).type);
    for (std::uint32_t i = 0; i < results.count && good; ++i) {
      good = type(id, module_.values[results.first + i].type);
    }
  }

 private:
  /// False, with a finding, if a type or one that it holds is none of the architecture.
  bool type(ir::OpId op, ir::TypeId id) {
    const ir::Type& type = module_.type(id);
    if (!has(targets_of(type.kind), target_)) {
      findings_.error(kElement, op, fmt::format("{} has no {}", target_, ir::keyword(type.kind)),
                      fmt::format("{} have", fmt::join(targets_of(type.kind), ", ")));
      return false;
    }
    if (type.pointer_attribute == ir::PointerAttribute::multicast && !has(kMulticastTargets, target_)) {
      findings_.error(kMulticast, op, fmt::format("{} has no multicast addresses", target_),
                      fmt::format("{} have", fmt::join(kMulticastTargets, ", ")));
      return false;
    }
    bool good = true;
    ir::for_each_inner(type, [&](ir::TypeId inner) { good = good && this->type(op, inner); });
    return good;
  }

  Findings& findings_;
  const ir::Module& module_;
  std::string_view target_;
};

}  // namespace

std::span<const Rule> target_rules() { return kRules; }

bool is_target(std::string_view target) { return has(kTargets, target); }

void check_target(Findings& findings, const ir::Module& module, const std::string& target) {
  if (!is_target(target)) {
    findings.error(kKnown, fmt::format("there is no target '{}'", target),
                   fmt::format("use one of {}", fmt::join(kTargets, ", ")));
    return;
  }
  Check check(findings, module, target);
  for (const ir::Function& function : module.functions) {
    ir::walk(module, function.body, [&](ir::OpId id) { check.op(id); });
  }
}

}  // namespace tileport::verify
