// SPDX-License-Identifier: Apache-2.0
// Atomics and multi-device memory.
#include "ir/op_families.hpp"

namespace tileport::ir {
namespace {

constexpr OpInfo kOps[] = {
    {.mnemonic = "atomic_rmw_tko",
     .opcode = 0x08,
     .family = Family::atomic,
     .results = {{"result"}, {"result_token"}},
     .flags_since = Version{13, 1},
     .flags = {{"mask"}, {"token"}},
     .attributes = {enumeration("memory_ordering_semantics", kMemoryOrdering),
                    enumeration("memory_scope", kMemoryScope), enumeration("mode", kAtomicMode)},
     .operands = {{"pointers"}, {"arg"}, {"mask", Arity::optional}, {"token", Arity::optional}},
     .traits = Trait::reads_memory | Trait::writes_memory,
     .name_hint = NameHint::fixed,
     .result_names = {"result", "result_token"},
     .form = " {memory_ordering_semantics}{memory_scope? {memory_scope}} {pointers}, {mode}, {arg}"
             "{mask?, {mask}}{token? token={token}}"
             " : {type(pointers)}, {type(arg)}"
             "{mask?, {type(mask)}} -> {type(result)}, {type(result_token)}",
     .constraints = {each(values::kPointers, {"pointers"}), each(values::kTile, {"arg", "result"}),
                     each(values::kI1, {"mask"}), each(values::kToken, {"token", "result_token"}),
                     points_to("pointers", "arg"), same_type({"arg", "result"}), same_shape({"arg", "mask"}),
                     one_of("memory_ordering_semantics", kMemoryOrdering,
                            {"relaxed", "acquire", "release", "acq_rel"})}},
    {.mnemonic = "atomic_cas_tko",
     .opcode = 0x07,
     .family = Family::atomic,
     .results = {{"result"}, {"result_token"}},
     .flags_since = Version{13, 1},
     .flags = {{"mask"}, {"token"}},
     .attributes = {enumeration("memory_ordering_semantics", kMemoryOrdering),
                    enumeration("memory_scope", kMemoryScope)},
     .operands = {{"pointers"}, {"cmp"}, {"val"}, {"mask", Arity::optional}, {"token", Arity::optional}},
     .traits = Trait::reads_memory | Trait::writes_memory,
     .name_hint = NameHint::fixed,
     .result_names = {"result", "result_token"},
     .form = " {memory_ordering_semantics}{memory_scope? {memory_scope}} {pointers}, {cmp}, {val}"
             "{mask?, {mask}}{token? token={token}}"
             " : {type(pointers)}, {type(val)}"
             "{mask?, {type(mask)}} -> {type(result)}, {type(result_token)}",
     .constraints = {each(values::kPointers, {"pointers"}), each(values::kTile, {"cmp", "val", "result"}),
                     each(values::kI1, {"mask"}), each(values::kToken, {"token", "result_token"}),
                     points_to("pointers", "val"), same_type({"cmp", "val", "result"}),
                     same_shape({"val", "mask"}),
                     one_of("memory_ordering_semantics", kMemoryOrdering,
                            {"relaxed", "acquire", "release", "acq_rel"})}},
    {.mnemonic = "atomic_red_view_tko",
     .opcode = 0x75,
     .family = Family::atomic,
     .since = {13, 3},
     .results = {{"result_token"}},
     .results_encoding = ListEncoding::counted,
     .flags_since = Version{13, 3},
     .flags = {{"token"}},
     .attributes = {enumeration("memory_ordering_semantics", kMemoryOrdering),
                    enumeration("memory_scope", kMemoryScope), enumeration("mode", kAtomicMode),
                    inbounds({13, 5})},
     .operands = {{"view"}, {"index", Arity::variadic}, {"value"}, {"token", Arity::optional}},
     .operands_encoding = ListEncoding::segmented,
     .traits = Trait::reads_memory | Trait::writes_memory,
     .form = " {memory_ordering_semantics}"
             "{memory_scope? {memory_scope}} {view}[{index}], {mode}, {value}{token? token = {token}}"
             "{inbounds? inbounds = {inbounds}}"
             " : {type(value)}, {type(view)}{index?, {same_type(index)}} -> {type(result_token)}",
     .constraints = {each(values::kView, {"view"}), each(values::kIntegers, {"index"}),
                     each(values::kTile, {"value"}), each(values::kToken, {"token", "result_token"}),
                     one_of("memory_ordering_semantics", kMemoryOrdering, {"relaxed"}),
                     one_of("memory_scope", kMemoryScope, {"tl_blk", "device"}),
                     one_of("mode", kAtomicMode,
                            {"and", "or", "xor", "add", "addf", "max", "min", "umax", "umin"})}},
    {.mnemonic = "multimem_load_reduce_view_tko",
     .opcode = 0x7b,
     .family = Family::atomic,
     .since = {13, 5},
     .results = {{"reduced_values"}, {"result_token"}},
     .results_encoding = ListEncoding::counted,
     .flags_since = Version{13, 5},
     .flags = {{"memory_scope"}, {"token"}},
     .attributes = {enumeration("memory_ordering_semantics", kMemoryOrdering),
                    optional(enumeration("memory_scope", kMemoryScope)),
                    enumeration("reduction", kReductionKind, "add"), inbounds({13, 5})},
     .operands = {{"view"}, {"index", Arity::variadic}, {"token", Arity::optional}},
     .operands_encoding = ListEncoding::segmented,
     .traits = Trait::reads_memory,
     .name_hint = NameHint::fixed,
     .result_names = {"reduced_values", "result_token"},
     .form = " {memory_ordering_semantics}"
             "{memory_scope? {memory_scope}} {view}[{index}]{token? token = {token}}"
             "{inbounds? inbounds = {inbounds}| }{attributes(reduction)}"
             " : {type(view)}{index?, {same_type(index)}}"
             "{token?, {type(token)}} -> {type(reduced_values)}, {type(result_token)}",
     .constraints = {each(values::kView, {"view"}), each(values::kIntegers, {"index"}),
                     each(values::kTile, {"reduced_values"}), each(values::kToken, {"token", "result_token"}),
                     one_of("memory_ordering_semantics", kMemoryOrdering, {"weak", "relaxed", "acquire"})}},
    {.mnemonic = "multimem_reduce_view_tko",
     .opcode = 0x7c,
     .family = Family::atomic,
     .since = {13, 5},
     .results = {{"result_token"}},
     .results_encoding = ListEncoding::counted,
     .flags_since = Version{13, 5},
     .flags = {{"token"}},
     .attributes = {enumeration("memory_ordering_semantics", kMemoryOrdering),
                    enumeration("memory_scope", kMemoryScope),
                    enumeration("reduction", kReductionKind, "add"), inbounds({13, 5})},
     .operands = {{"view"}, {"tile"}, {"index", Arity::variadic}, {"token", Arity::optional}},
     .operands_encoding = ListEncoding::segmented,
     .traits = Trait::reads_memory | Trait::writes_memory,
     .form = " {memory_ordering_semantics}"
             "{memory_scope? {memory_scope}} {view}, {tile}[{index}]{token? token = {token}}"
             "{inbounds? inbounds = {inbounds}| }{attributes(reduction)}"
             " : {type(view)}, {type(tile)}{index?, {same_type(index)}}"
             "{token?, {type(token)}} -> {type(result_token)}",
     .constraints = {each(values::kView, {"view"}), each(values::kIntegers, {"index"}),
                     each(values::kTile, {"tile"}), each(values::kToken, {"token", "result_token"}),
                     one_of("memory_ordering_semantics", kMemoryOrdering, {"relaxed", "release"})}},
    {.mnemonic = "multimem_store_view_tko",
     .opcode = 0x7d,
     .family = Family::atomic,
     .since = {13, 5},
     .results = {{"result_token"}},
     .results_encoding = ListEncoding::counted,
     .flags_since = Version{13, 5},
     .flags = {{"memory_scope"}, {"token"}},
     .attributes = {enumeration("memory_ordering_semantics", kMemoryOrdering),
                    optional(enumeration("memory_scope", kMemoryScope)), inbounds({13, 5})},
     .operands = {{"view"}, {"tile"}, {"index", Arity::variadic}, {"token", Arity::optional}},
     .operands_encoding = ListEncoding::segmented,
     .traits = Trait::writes_memory,
     .form = " {memory_ordering_semantics}"
             "{memory_scope? {memory_scope}} {view}, {tile}[{index}]{token? token = {token}}"
             "{inbounds? inbounds = {inbounds}| }"
             " : {type(view)}, {type(tile)}{index?, {same_type(index)}}"
             "{token?, {type(token)}} -> {type(result_token)}",
     .constraints = {each(values::kView, {"view"}), each(values::kIntegers, {"index"}),
                     each(values::kTile, {"tile"}), each(values::kToken, {"token", "result_token"}),
                     one_of("memory_ordering_semantics", kMemoryOrdering, {"weak", "relaxed", "release"})}},
};

}  // namespace

std::span<const OpInfo> atomic_ops() { return kOps; }

}  // namespace tileport::ir
