// SPDX-License-Identifier: Apache-2.0
// Pointers, loads and stores through them, globals and tokens.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "verify/access.hpp"
#include "verify/dispatch.hpp"

namespace tileport::verify {
namespace {

constexpr Rule kRules[] = {
    {"TP-V0502", "Loads and stores through pointers have no multicast address",
     "tileirdisasm 13.5.37, observed"},
    {"TP-V0503", "The number of elements and the alignment of an alloca are not negative",
     "cuda-tile 13.3, Ops.td: AllocaOp"},
    {"TP-V0504", "The alignment of an alloca is a power of two", "cuda-tile 13.3, verifyAlloca"},
    {"TP-V0505", "The alignment of an alloca is at least the size of an element",
     "cuda-tile 13.3, verifyAlloca"},
    {"TP-V0506", "get_global names a global of the module", "cuda-tile 13.3, GetGlobalOp::verifySymbolUses"},
    {"TP-V0507", "get_global gives a pointer to the elements of the global",
     "cuda-tile 13.3, GetGlobalOp::verifySymbolUses"},
    {"TP-V0508", "join_tokens joins two tokens or more", "cuda-tile 13.3, JoinTokensOp::verify"},
};
constexpr const Rule& kMulticast = kRules[0];
constexpr const Rule& kNotNegative = kRules[1];
constexpr const Rule& kPowerOfTwo = kRules[2];
constexpr const Rule& kNaturalSize = kRules[3];
constexpr const Rule& kGlobal = kRules[4];
constexpr const Rule& kGlobalType = kRules[5];
constexpr const Rule& kTokens = kRules[6];

void check_no_multicast(Findings& findings, const Op& op, std::string_view group) {
  if (!is_multicast(op.element_type(op.type(group)).pointer_attribute)) return;
  findings.error(kMulticast, op, fmt::format("{} can't go through a multicast address", op.mnemonic()),
                 "use the multimem ops");
}

void load_ptr(Findings& findings, const Op& op) {
  check_no_multicast(findings, op, "source");
  check_scope(findings, op);
}

void store_ptr(Findings& findings, const Op& op) {
  check_no_multicast(findings, op, "destination");
  check_scope(findings, op);
}

void alloca_(Findings& findings, const Op& op) {
  const auto count = static_cast<std::int64_t>(op.word("num_elem"));
  const auto alignment = static_cast<std::int64_t>(op.word("alignment"));
  if (count < 0 || alignment < 0) {
    findings.error(
        kNotNegative, op,
        fmt::format("alloca of {} elements aligned to {} has a negative number", count, alignment));
    return;
  }
  if (!std::has_single_bit(static_cast<std::uint64_t>(alignment))) {
    findings.error(kPowerOfTwo, op,
                   fmt::format("the alignment of alloca, {}, is not a power of two", alignment));
    return;
  }
  const ir::Type& pointer = op.element_type(op.type("result"));
  const ir::TypeKind pointee = op.module.type(pointer.element).kind;
  // Sizes are rounded down, except for i1, as the dialect does.
  const std::int64_t size = pointee == ir::TypeKind::i1 ? 1 : ir::bit_width(pointee) / 8;
  if (alignment < size) {
    findings.error(kNaturalSize, op,
                   fmt::format("the alignment of alloca, {}, is less than the {} bytes of {}", alignment,
                               size, ir::keyword(pointee)));
  }
}

void get_global(Findings& findings, const Op& op) {
  const ir::Module& module = op.module;
  const std::string& name = module.string(ir::StringId{static_cast<std::uint32_t>(op.word("name"))});
  const auto global = std::ranges::find_if(
      module.globals, [&](const ir::Global& each) { return module.string(each.name) == name; });
  if (global == module.globals.end()) {
    findings.error(kGlobal, op, fmt::format("there is no global '{}'", name));
    return;
  }
  // A global of another type is told where it stands.
  if (module.type(global->type).kind != ir::TypeKind::tile) return;
  const ir::Type& pointer = op.element_type(op.type("result"));
  const ir::TypeId element = module.type(global->type).element;
  if (!same(module, pointer.element, element)) {
    findings.error(kGlobalType, op,
                   fmt::format("global '{}' has elements {}, the result of get_global is {}", name,
                               ir::keyword(module.type(element).kind), op.text("result")));
  }
}

void join_tokens(Findings& findings, const Op& op) {
  const std::size_t count = op.values("tokens").size();
  if (count < 2)
    findings.error(kTokens, op, fmt::format("join_tokens joins two tokens or more, got {}", count));
}

constexpr Case kCases[] = {{"load_ptr_tko", load_ptr},
                           {"store_ptr_tko", store_ptr},
                           {"alloca", alloca_},
                           {"get_global", get_global},
                           {"join_tokens", join_tokens}};

}  // namespace

FamilyRules memory_rules() {
  return {kRules, [](std::string_view mnemonic) { return find_case(kCases, mnemonic); }};
}

}  // namespace tileport::verify
