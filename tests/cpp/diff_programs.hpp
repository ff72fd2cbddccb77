// SPDX-License-Identifier: Apache-2.0
// A frame for small kernels that differ in one thing: two parameters, a load, whatever a test adds, and
// stores.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <optional>
#include <string>
#include <tileport/diff/compare.hpp>
#include <utility>
#include <vector>

#include "kernel_builder.hpp"

namespace diff_programs {

using kernel_builder::Kernel;
using kernel_builder::OpId;
using kernel_builder::TypeId;
using kernel_builder::TypeKind;
using kernel_builder::Types;
using kernel_builder::ValueId;
using kernel_builder::Values;
using kernel_builder::Words;
namespace diff = tileport::diff;
namespace ir = tileport::ir;

inline std::uint64_t rounding(std::string_view name) { return ir::number(ir::kRoundingMode, name); }
inline std::uint64_t overflow(std::string_view name) { return ir::number(ir::kIntegerOverflow, name); }

/// What tests need of a kernel under construction.
struct Program {
  Kernel k;
  TypeId i1, i32, i64, f32, token, f32x8, i32x8, i1x8, pointers;
  ValueId p;      ///< Eight pointers to f32.
  ValueId n;      ///< i32.
  ValueId m;      ///< i32.
  ValueId start;  ///< The first token.

  explicit Program(const std::string& name) : k(name) {
    i1 = k.tile(TypeKind::i1);
    i32 = k.tile(TypeKind::i32);
    i64 = k.tile(TypeKind::i64);
    f32 = k.tile(TypeKind::f32);
    token = k.token();
    f32x8 = k.tile(TypeKind::f32, {8});
    i32x8 = k.tile(TypeKind::i32, {8});
    i1x8 = k.tile(TypeKind::i1, {8});
    pointers = k.pointers(TypeKind::f32, {8});
    p = k.parameter(pointers);
    n = k.parameter(i32);
    m = k.parameter(i32);
    start = k.make("make_token", {}, token);
  }

  /// An unmasked load of `from`; result 0 is the tile, 1 the token.
  OpId load(ValueId from, const Words& words = {}) { return load(from, {}, {}, start, words); }
  OpId load(ValueId from, std::optional<ValueId> mask, std::optional<ValueId> padding,
            std::optional<ValueId> after, const Words& words = {}) {
    Values operands{from};
    for (const auto& given : {mask, padding, after}) {
      if (given) operands.push_back(*given);
    }
    Words all{{"memory_ordering_semantics", 0}};
    all.insert(words.begin(), words.end());
    return k.op("load_ptr_tko", operands, {f32x8, token}, all,
                {1, mask ? 1U : 0U, padding ? 1U : 0U, after ? 1U : 0U});
  }
  ValueId loaded(ValueId from) { return k.module.result(load(from), 0); }
  OpId store(ValueId value, std::optional<ValueId> mask = {}, std::optional<ValueId> after = {},
             const Words& words = {}) {
    Values operands{p, value};
    for (const auto& given : {mask, after}) {
      if (given) operands.push_back(*given);
    }
    Words all{{"memory_ordering_semantics", 0}};
    all.insert(words.begin(), words.end());
    return k.op("store_ptr_tko", operands, {token}, all, {1, 1, mask ? 1U : 0U, after ? 1U : 0U});
  }
  /// Stores a rank-0 i32, so that it counts.
  void use(ValueId integer) {
    const ValueId at = k.make(
        "offset", {p, k.make("broadcast", {k.make("reshape", {integer}, k.tile(TypeKind::i32, {1}))}, i32x8)},
        pointers);
    k.op("store_ptr_tko", {at, loaded(p)}, {token}, {{"memory_ordering_semantics", 0}}, {1, 1, 0, 0});
  }
  ValueId integer(std::int64_t number) { return k.constant(i32, static_cast<std::uint32_t>(number)); }
  ValueId addf(ValueId a, ValueId b) {
    return k.make("addf", {a, b}, k.module.value(a).type, {{"rounding_mode", 0}});
  }
  ValueId subf(ValueId a, ValueId b, const Words& words = {{"rounding_mode", 0}}) {
    return k.make("subf", {a, b}, k.module.value(a).type, words);
  }
  ValueId addi(ValueId a, ValueId b, std::string_view wrap = "none") {
    return k.make("addi", {a, b}, k.module.value(a).type, {{"overflow", overflow(wrap)}});
  }
};

using Body = std::function<void(Program&)>;

inline ir::Module program(const Body& body, const std::string& name = "k") {
  Program made(name);
  body(made);
  return made.k.finish();
}

inline diff::Comparison compare(const ir::Module& reference, const ir::Module& port,
                                const std::string& target = "sm_90") {
  const auto result = diff::compare(reference, port, {target});
  REQUIRE(result);
  return *result;
}

inline diff::Comparison compare(const Body& reference, const Body& port) {
  return compare(program(reference), program(port));
}

/// "dead_constant x2, value_order x1"
inline std::string notes(const diff::Comparison& comparison) {
  std::string text;
  for (const diff::Note& note : comparison.notes) {
    text += (text.empty() ? "" : ", ") + note.rule + " x" + std::to_string(note.count);
  }
  return text;
}

inline std::string findings(const diff::Comparison& comparison) {
  std::string text;
  for (const diff::Finding& finding : comparison.findings) {
    text += std::string(diff::name(finding.severity)) + " " + finding.message + "\n  " +
            finding.reference.path + " | " + finding.port.path + "\n";
  }
  return text;
}

/// Both directions accept the difference, with exactly these notes.
inline void accepts(const Body& reference, const Body& port, const std::string& expected) {
  for (const bool turned : {false, true}) {
    const auto result = turned ? compare(port, reference) : compare(reference, port);
    INFO(findings(result));
    CHECK(result.equality == diff::Equality::equal_up_to);
    CHECK(notes(result) == expected);
  }
}

/// Exactly one finding, with this message and these two places.
inline void finds(const diff::Comparison& result, const std::string& message, const std::string& in_reference,
                  const std::string& in_port) {
  INFO(findings(result));
  CHECK(result.equality == diff::Equality::differs);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].message == message);
  CHECK(result.findings[0].reference.path == in_reference);
  CHECK(result.findings[0].port.path == in_port);
}

inline bool differs(const Body& reference, const Body& port) {
  return compare(reference, port).equality == diff::Equality::differs;
}

}  // namespace diff_programs
