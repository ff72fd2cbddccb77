// SPDX-License-Identifier: Apache-2.0
// Debug information: whether the places of ops belong to their kernel. Of a place that was inlined, the
// outermost caller counts.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "verify/families.hpp"

namespace tileport::verify {
namespace {

using ir::DebugEntry;
using ir::DebugId;
using Kind = ir::DebugEntry::Kind;

constexpr Rule kRules[] = {
    {"TP-V1001", "A kernel's place is no call site", "cuda-tile 13.3, DebugInfoVerifier, rule 6"},
    {"TP-V1002", "A kernel's place is in a subprogram, not in a block",
     "cuda-tile 13.3, DebugInfoVerifier, rule 1"},
    {"TP-V1003", "The subprogram of a kernel has the kernel's name as its symbol",
     "cuda-tile 13.3, DebugInfoVerifier, rule 2"},
    {"TP-V1004", "Ops have places only if their kernel has one, and in the same subprogram",
     "cuda-tile 13.3, DebugInfoVerifier, rules 3 and 4"},
    {"TP-V1005", "Debug entries refer to entries of the kinds that they need", "definition of the module"},
};
constexpr const Rule& kNoCallSite = kRules[0];
constexpr const Rule& kSubprogram = kRules[1];
constexpr const Rule& kSymbol = kRules[2];
constexpr const Rule& kSameSubprogram = kRules[3];
constexpr const Rule& kEntries = kRules[4];

class Places {
 public:
  explicit Places(const ir::Module& module) : module_(module), state_(module.debug.size()) {}

  /// Whether an entry of one of these kinds stands there, and everything behind it is as it should be.
  bool good(DebugId id, std::initializer_list<Kind> kinds, std::size_t depth = 0) {
    if (ir::index(id) == 0) return std::ranges::find(kinds, Kind::unknown) != kinds.end();
    if (ir::index(id) >= module_.debug.size() || depth > ir::kMostFrames) return false;
    const DebugEntry& entry = module_.debug_entry(id);
    if (std::ranges::find(kinds, entry.kind) == kinds.end()) return false;
    auto& state = state_[ir::index(id)];
    if (state == 0) state = parts_are_good(entry, depth + 1) ? 1 : 2;
    return state == 1;
  }

  /// The outermost caller's location; nothing if it is unknown.
  std::optional<DebugId> outermost(DebugId id) const {
    while (ir::index(id) != 0 && module_.debug_entry(id).kind == Kind::call_site) {
      id = module_.debug_entry(id).caller;
    }
    const bool known = ir::index(id) != 0 && module_.debug_entry(id).kind == Kind::location;
    return known ? std::optional(id) : std::nullopt;
  }

  /// The subprogram around a location.
  DebugId subprogram(DebugId location) const {
    DebugId scope = module_.debug_entry(location).scope;
    while (module_.debug_entry(scope).kind == Kind::lexical_block) scope = module_.debug_entry(scope).scope;
    return scope;
  }

  /// Whether two entries say the same, whatever their numbers.
  bool same(DebugId a, DebugId b) const {
    if (a == b) return true;
    if (ir::index(a) == 0 || ir::index(b) == 0) return false;
    const DebugEntry& x = module_.debug_entry(a);
    const DebugEntry& y = module_.debug_entry(b);
    const auto text = [&](ir::StringId id) -> const std::string& { return module_.string(id); };
    return x.kind == y.kind && x.line == y.line && x.column == y.column && x.scope_line == y.scope_line &&
           x.flags == y.flags && text(x.name) == text(y.name) && text(x.other_name) == text(y.other_name) &&
           same(x.file, y.file) && same(x.scope, y.scope);
  }

 private:
  bool has(ir::StringId id) const { return static_cast<std::size_t>(id) < module_.strings.size(); }

  bool parts_are_good(const DebugEntry& entry, std::size_t depth) {
    switch (entry.kind) {
      case Kind::unknown:
        return true;
      case Kind::compile_unit:
        return good(entry.file, {Kind::file}, depth);
      case Kind::file:
        return has(entry.name) && has(entry.other_name);
      case Kind::lexical_block:
        return good(entry.scope, {Kind::lexical_block, Kind::subprogram}, depth) &&
               good(entry.file, {Kind::file}, depth);
      case Kind::location:
        return has(entry.name) && good(entry.scope, {Kind::lexical_block, Kind::subprogram}, depth);
      case Kind::subprogram:
        return has(entry.name) && has(entry.other_name) && good(entry.file, {Kind::file}, depth) &&
               good(entry.scope, {Kind::compile_unit}, depth);
      case Kind::call_site:
        return good(entry.scope, {Kind::unknown, Kind::location, Kind::call_site}, depth) &&
               good(entry.caller, {Kind::unknown, Kind::location, Kind::call_site}, depth);
    }
    return false;
  }

  const ir::Module& module_;
  std::vector<std::uint8_t> state_;  ///< By DebugId: 1 good, 2 bad.
};

/// The subprogram of a kernel; nothing if its place is unknown.
std::optional<DebugId> check_function(Findings& findings, const ir::Module& module, const Places& places,
                                      const ir::Function& function) {
  const auto location = places.outermost(function.location);
  if (ir::index(function.location) != 0 && module.debug_entry(function.location).kind == Kind::call_site) {
    findings.error(kNoCallSite, function, "the place of a kernel can't be a call site");
  }
  if (!location) return std::nullopt;
  const DebugEntry& scope = module.debug_entry(module.debug_entry(*location).scope);
  const std::string& name = module.string(function.name);
  if (scope.kind != Kind::subprogram) {
    findings.error(kSubprogram, function, fmt::format("the place of kernel '{}' is in no subprogram", name));
  } else if (module.string(scope.other_name) != name) {
    findings.error(
        kSymbol, function,
        fmt::format("the subprogram of kernel '{}' has symbol '{}'", name, module.string(scope.other_name)));
  }
  return places.subprogram(*location);
}

}  // namespace

std::span<const Rule> debug_rules() { return kRules; }

bool check_debug_entries(Findings& findings, const ir::Module& module) {
  Places places(module);
  bool good = true;
  const auto check = [&](DebugId id) {
    if (good && !places.good(id, {Kind::unknown, Kind::location, Kind::call_site})) good = false;
  };
  for (const ir::Function& function : module.functions) check(function.location);
  for (const ir::Operation& op : module.ops) check(op.location);
  if (!good) findings.error(kEntries, "the place of a kernel or an op leads to an entry of the wrong kind");
  return good;
}

void check_debug(Findings& findings, const ir::Module& module) {
  const Places places(module);
  for (const ir::Function& function : module.functions) {
    const auto subprogram = check_function(findings, module, places, function);
    bool reported = false;
    ir::walk(module, function.body, [&](ir::OpId id) {
      const auto location = places.outermost(module.op(id).location);
      if (reported || !location) return;
      reported = !subprogram || !places.same(*subprogram, places.subprogram(*location));
      if (reported) {
        findings.error(kSameSubprogram, id,
                       fmt::format("the place of {} is in another subprogram than that of its kernel",
                                   module.op(id).info->mnemonic));
      }
    });
  }
}

}  // namespace tileport::verify
