// SPDX-License-Identifier: Apache-2.0
// Types that are used, and what a version does not have yet.
#include <fmt/format.h>

#include <tileport/ir/type_rules.hpp>
#include <tileport/text/print.hpp>

#include "verify/families.hpp"

namespace tileport::verify {
namespace {

using ir::TypeKind;
using ir::Version;

constexpr Rule kRules[] = {
    {"TP-V0013", "A type that is used is one: extents, strides, dimensions, elements",
     "cuda-tile 13.3, Types.cpp; tileirdisasm 13.5.37 for what 13.4 and 13.5 add"},
    {"TP-V0014", "A type that is used exists in the module's version",
     "cuda-tile 13.3, BytecodeTypeOpcodes.td; tileirdisasm 13.5.37"},
    {"TP-V0015", "An op, and what it is written with, exists in the module's version",
     "cuda-tile 13.3, Ops.td; tileirdisasm 13.5.37"},
};
constexpr const Rule& kType = kRules[0];
constexpr const Rule& kTypeVersion = kRules[1];
constexpr const Rule& kOpVersion = kRules[2];

/// The version in which a type appears.
Version since(const ir::Type& type) {
  return type.pointer_attribute ? ir::kPointerAttributeSince : ir::since(type.kind);
}

}  // namespace

std::span<const Rule> type_rules() { return kRules; }

void check_types(Findings& findings, const ir::Module& module) {
  // Types that nothing uses may be anything, so uses are followed, each type once.
  std::vector<std::uint8_t> seen(module.types.size());
  const auto use = [&](auto& self, ir::TypeId id, const auto& report) -> bool {
    const ir::Type& type = module.type(id);
    std::uint8_t& state = seen[static_cast<std::size_t>(id)];
    if (state != 0) return state == 1;
    state = 2;
    bool good = true;
    // Each kind may hold only simpler kinds, so that this ends.
    ir::for_each_inner(type, [&](ir::TypeId inner) {
      const TypeKind kind = module.type(inner).kind;
      if (!good || ir::may_hold(type.kind, kind)) return;
      good = false;
      report(kType, fmt::format("a {} can't hold a {}", ir::keyword(type.kind), ir::keyword(kind)));
    });
    if (!good) return false;
    ir::for_each_inner(type, [&](ir::TypeId inner) { good = self(self, inner, report) && good; });
    if (!good) return false;
    if (std::string problem = ir::type_problem(module.types, type); !problem.empty()) {
      report(kType, std::move(problem));
      return false;
    }
    if (module.version < since(type)) {
      report(kTypeVersion, fmt::format("{} does not exist in {}.{}", text::print(module, id),
                                       module.version.major, module.version.minor));
    }
    state = 1;
    return true;
  };
  for (const ir::Global& global : module.globals) {
    use(use, global.type,
        [&](const Rule& rule, std::string text) { findings.error(rule, global, std::move(text)); });
  }
  for (const ir::Function& function : module.functions) {
    use(use, function.type,
        [&](const Rule& rule, std::string text) { findings.error(rule, function, std::move(text)); });
    ir::walk(module, function.body, [&](ir::OpId id) {
      const auto report = [&](const Rule& rule, std::string text) {
        findings.error(rule, id, std::move(text));
      };
      const auto use_all = [&](ir::Range values) {
        for (std::uint32_t v = values.first; v < values.first + values.count; ++v)
          use(use, module.values[v].type, report);
      };
      use_all(module.op(id).results);
      for (std::size_t r = 0; r < module.op(id).regions.count; ++r) {
        if (const auto body = module.body(id, r)) use_all(module.block(*body).arguments);
      }
    });
  }
}

void check_version(Findings& findings, const Op& op) {
  const Version version = op.module.version;
  const auto newer = [&](std::string_view what, std::string_view kind, Version first) {
    findings.error(kOpVersion, op,
                   fmt::format("{} {} of {} appears in {}.{}, the module is {}.{}", kind, what, op.mnemonic(),
                               first.major, first.minor, version.major, version.minor));
  };
  if (version < op.info.since) {
    findings.error(kOpVersion, op,
                   fmt::format("{} appears in {}.{}, the module is {}.{}", op.mnemonic(), op.info.since.major,
                               op.info.since.minor, version.major, version.minor));
    return;
  }
  for (std::size_t i = 0; i < op.info.attributes.size(); ++i) {
    const ir::AttributeInfo& attribute = op.info.attributes[i];
    const ir::AttributeSlot& slot = op.module.attribute_slots[op.module.op(op.id).attributes.first + i];
    // What older versions mean by leaving it out may be said.
    const bool meant = attribute.default_value && slot.word == *attribute.default_value;
    if (slot.present && !meant && version < attribute.since)
      newer(attribute.name, "attribute", attribute.since);
  }
  for (const ir::GroupInfo& group : op.info.operands) {
    if (version < group.since && op.has(group.name)) newer(group.name, "operand", group.since);
  }
  for (const ir::FlagInfo& flag : op.info.flags) {
    const Version first = op.info.flags_since ? std::max(flag.since, *op.info.flags_since) : flag.since;
    const bool unit = flag.kind == ir::FlagInfo::Kind::unit_attribute;
    if (unit && version < first && op.flag(flag.name)) newer(flag.name, "flag", first);
  }
}

}  // namespace tileport::verify
