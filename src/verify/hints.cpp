// SPDX-License-Identifier: Apache-2.0
// Optimization hints: whether they are ones that the compiler knows. Tools take any dictionary.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "verify/families.hpp"

namespace tileport::verify {
namespace {

using ir::Attribute;

constexpr Rule kRules[] = {
    {"TP-V0016", "Hints are for targets that exist, or \"default\" (a warning)",
     "cuda-tile 13.3, OptimizationHintsAttr::verifyParamWithContext"},
    {"TP-V0017", "A hint is one that the compiler knows for the kernel or op (a warning)",
     "cuda-tile 13.3, OptimizationHintsAttr::verifyWithOp"},
    {"TP-V0018", "A hint has a value that the compiler heeds (a warning)",
     "cuda-tile 13.3, Attributes.cpp: validators of hints"},
};
constexpr const Rule& kTarget = kRules[0];
constexpr const Rule& kKey = kRules[1];
constexpr const Rule& kValue = kRules[2];

struct Hint {
  std::string_view key;
  std::int64_t most = 0;  ///< 0: a boolean.
  bool power_of_two = false;
};

constexpr Hint kKernelHints[] = {
    {"num_cta_in_cga", 16, true}, {"num_worker_warps_per_cta", 32, true}, {"occupancy", 32}};
constexpr Hint kPointerHints[] = {{"latency", 10}};
constexpr Hint kViewHints[] = {{"latency", 10}, {"allow_tma"}};

std::span<const Hint> hints_of(const ir::OpInfo& info) {
  if (info.is("load_view_tko") || info.is("store_view_tko")) return kViewHints;
  return kPointerHints;
}

bool is_heeded(const ir::Module& module, const Hint& hint, const Attribute& value) {
  if (hint.most == 0) return value.kind == Attribute::Kind::boolean;
  if (value.kind != Attribute::Kind::integer || !ir::is_integer(module.type(value.type).kind)) return false;
  const unsigned unused = 64 - ir::bit_width(module.type(value.type).kind);
  const auto number = static_cast<std::int64_t>(value.bits << unused) >> unused;
  if (number < 1 || number > hint.most) return false;
  return !hint.power_of_two || std::has_single_bit(static_cast<std::uint64_t>(number));
}

std::string wanted(const Hint& hint) {
  if (hint.most == 0) return "a boolean";
  return fmt::format("{} from 1 to {}", hint.power_of_two ? "a power of two" : "an integer", hint.most);
}

/// `where` is a kernel or an op.
template <class Where>
void check(Findings& findings, const ir::Module& module, const Where& where, const Attribute& hints,
           std::span<const Hint> known, std::string_view owner) {
  for (std::size_t i = 0; i < hints.keys.size(); ++i) {
    const std::string& target = module.string(hints.keys[i]);
    if (target != "default" && !is_target(target)) {
      findings.warning(kTarget, where,
                       fmt::format("hints of {} are for '{}', which is no target", owner, target));
    }
    const Attribute& values = module.attribute(hints.items[i]);
    for (std::size_t j = 0; j < values.keys.size(); ++j) {
      const std::string& key = module.string(values.keys[j]);
      const auto hint = std::ranges::find(known, key, &Hint::key);
      if (hint == known.end()) {
        findings.warning(kKey, where, fmt::format("'{}' is no hint for {}", key, owner));
      } else if (!is_heeded(module, *hint, module.attribute(values.items[j]))) {
        findings.warning(kValue, where, fmt::format("hint '{}' of {} must be {}", key, owner, wanted(*hint)));
      }
    }
  }
}

}  // namespace

std::span<const Rule> hint_rules() { return kRules; }

void check_hints(Findings& findings, const ir::Module& module, const ir::Function& function) {
  if (!function.hints) return;
  check(findings, module, function, module.attribute(*function.hints), kKernelHints, "a kernel");
}

void check_hints(Findings& findings, const Op& op) {
  if (!op.info.attribute_index("optimization_hints")) return;
  const Attribute* hints = op.module.tagged(op.id, "optimization_hints");
  if (hints) check(findings, op.module, op.id, *hints, hints_of(op.info), op.mnemonic());
}

}  // namespace tileport::verify
