// SPDX-License-Identifier: Apache-2.0
// Atomics and multi-device memory.
#include <fmt/format.h>

#include <algorithm>

#include "verify/access.hpp"
#include "verify/dispatch.hpp"

namespace tileport::verify {
namespace {

using ir::TypeKind;

constexpr Rule kRules[] = {
    {"TP-V0601",
     "The mode of an atomic works on this element type: integers of 32 and 64 bits, addf on f16, bf16, "
     "f32 and f64, xchg on 32 and 64 bits",
     "cuda-tile 13.3, verifyAtomicRMWMode"},
    {"TP-V0602", "atomic_cas_tko works on elements of 32 and 64 bits",
     "cuda-tile 13.3, AtomicCASTkoOp::verify"},
    {"TP-V0603", "Atomics through pointers have no multicast address", "tileirdisasm 13.5.37, observed"},
    {"TP-V0604", "atomic_red_view_tko goes through no gather_scatter_view",
     "cuda-tile 13.3, AtomicRedViewTkoOp::verify"},
    {"TP-V0605", "multimem ops go through a partition_view of a multicast address",
     "tileirdisasm 13.5.37, observed"},
    {"TP-V0606", "multimem ops work on integers of 32 and 64 bits and on f16, bf16, f32 and f64",
     "tileirdisasm 13.5.37, observed"},
    {"TP-V0607",
     "A multimem reduction exists for the element type: all for integers, add for floats, min and max "
     "also for f16 and bf16",
     "tileirdisasm 13.5.37, observed"},
    {"TP-V0608", "A multimem access moves a multiple of 4 bytes of floats", "tileirdisasm 13.5.37, observed"},
    {"TP-V0609", "The tensor_view behind a multimem view of f16 or bf16 has exactly one stride that is 1",
     "tileirdisasm 13.5.37, observed"},
};
constexpr const Rule& kMode = kRules[0];
constexpr const Rule& kCasWidth = kRules[1];
constexpr const Rule& kMulticastPointer = kRules[2];
constexpr const Rule& kNoGather = kRules[3];
constexpr const Rule& kMultimemView = kRules[4];
constexpr const Rule& kMultimemElement = kRules[5];
constexpr const Rule& kMultimemReduction = kRules[6];
constexpr const Rule& kMultimemSize = kRules[7];
constexpr const Rule& kMultimemStride = kRules[8];

bool is_wide(TypeKind element) { return ir::bit_width(element) == 32 || ir::bit_width(element) == 64; }

void check_mode(Findings& findings, const Op& op, std::string_view group) {
  const std::string_view mode = op.enumerator("mode");
  const TypeKind element = op.element(group);
  bool good = ir::is_integer(element) && is_wide(element);
  if (mode == "addf") {
    good = ir::elements::kArithmetic.contains(element);
  } else if (mode == "xchg") {
    good = is_wide(element);
  }
  if (!good) {
    findings.error(kMode, op,
                   fmt::format("{} can't {} elements of {}", op.mnemonic(), mode, ir::keyword(element)));
  }
}

void check_no_multicast(Findings& findings, const Op& op) {
  if (!is_multicast(op.element_type(op.type("pointers")).pointer_attribute)) return;
  findings.error(kMulticastPointer, op, fmt::format("{} can't go through a multicast address", op.mnemonic()),
                 "use the multimem ops");
}

void atomic_rmw(Findings& findings, const Op& op) {
  check_no_multicast(findings, op);
  check_mode(findings, op, "arg");
}

void atomic_cas(Findings& findings, const Op& op) {
  check_no_multicast(findings, op);
  if (is_wide(op.element("val"))) return;
  findings.error(kCasWidth, op,
                 fmt::format("atomic_cas_tko can't compare elements of {}", ir::keyword(op.element("val"))));
}

void atomic_red_view(Findings& findings, const Op& op) {
  if (op.type("view").kind == TypeKind::gather_scatter_view) {
    findings.error(kNoGather, op, "atomic_red_view_tko can't go through a gather_scatter_view",
                   "use a partition_view");
    return;
  }
  check_no_multicast_view(findings, op);
  check_view_tile(findings, op, "value");
  check_mode(findings, op, "value");
  check_indices(findings, op);
}

void check_reduction(Findings& findings, const Op& op, TypeKind element) {
  const std::string_view reduction = op.enumerator("reduction");
  const bool half = element == TypeKind::f16 || element == TypeKind::bf16;
  const bool extremum = reduction == "min" || reduction == "max";
  if (ir::is_integer(element) || reduction == "add" || (half && extremum)) return;
  findings.error(kMultimemReduction, op,
                 fmt::format("{} can't reduce {} by {}", op.mnemonic(), ir::keyword(element), reduction));
}

/// `group` is the tile that is loaded, stored or added.
void check_multimem(Findings& findings, const Op& op, std::string_view group) {
  const ir::Type& view = op.type("view");
  const ir::Type& tensor = tensor_of(op, view);
  if (view.kind != TypeKind::partition_view || !is_multicast(tensor.pointer_attribute)) {
    findings.error(kMultimemView, op,
                   fmt::format("{} needs a partition_view of a multicast address, got {}", op.mnemonic(),
                               op.text("view")));
    return;
  }
  check_indices(findings, op);
  check_view_tile(findings, op, group);
  const TypeKind element = op.module.type(tensor.element).kind;
  const bool integer = ir::is_integer(element);
  if (integer ? !is_wide(element) : !ir::elements::kArithmetic.contains(element)) {
    findings.error(kMultimemElement, op,
                   fmt::format("{} can't work on elements of {}", op.mnemonic(), ir::keyword(element)));
    return;
  }
  if (op.info.attribute_index("reduction")) check_reduction(findings, op, element);
  if (!integer && ir::element_count(view) * ir::bit_width(element) % 32 != 0) {
    findings.error(kMultimemSize, op,
                   fmt::format("{} moves a multiple of 4 bytes, got {}", op.mnemonic(), op.text(group)));
  }
  const bool half = element == TypeKind::f16 || element == TypeKind::bf16;
  if (half && std::ranges::count(tensor.strides, 1) != 1) {
    findings.error(kMultimemStride, op,
                   fmt::format("{} of {} needs exactly one stride that is 1, strides are {}", op.mnemonic(),
                               ir::keyword(element), shape_text(tensor.strides)));
  }
}

void multimem_load_reduce(Findings& findings, const Op& op) {
  check_scope(findings, op);
  check_multimem(findings, op, "reduced_values");
}
void multimem_reduce(Findings& findings, const Op& op) { check_multimem(findings, op, "tile"); }
void multimem_store(Findings& findings, const Op& op) {
  check_scope(findings, op);
  check_multimem(findings, op, "tile");
}

constexpr Case kCases[] = {{"atomic_rmw_tko", atomic_rmw},
                           {"atomic_cas_tko", atomic_cas},
                           {"atomic_red_view_tko", atomic_red_view},
                           {"multimem_load_reduce_view_tko", multimem_load_reduce},
                           {"multimem_reduce_view_tko", multimem_reduce},
                           {"multimem_store_view_tko", multimem_store}};

}  // namespace

FamilyRules atomic_rules() {
  return {kRules, [](std::string_view mnemonic) { return find_case(kCases, mnemonic); }};
}

}  // namespace tileport::verify
