// SPDX-License-Identifier: Apache-2.0
// Tensor views, the views of tiles on them, and their loads and stores.
#include "ir/op_families.hpp"

namespace tileport::ir {
namespace {

constexpr OpInfo kOps[] = {
    {.mnemonic = "make_tensor_view",
     .opcode = 0x43,
     .family = Family::view,
     .results = {{"result"}},
     .results_encoding = ListEncoding::counted,
     .operands = {{"base"}, {"dynamicShape", Arity::variadic}, {"dynamicStrides", Arity::variadic}},
     .operands_encoding = ListEncoding::segmented,
     .traits = Trait::pure,
     .name_hint = NameHint::fixed,
     .result_names = {"tview"},
     .form = " {base}, shape = {shape(dynamicShape)}, strides = {strides(dynamicStrides)}"
             " : {source_type(base)}{type(result)}"},
    {.mnemonic = "make_partition_view",
     .opcode = 0x42,
     .family = Family::view,
     .results = {{"result"}},
     .operands = {{"tensor_view"}},
     .traits = Trait::pure,
     .name_hint = NameHint::fixed,
     .result_names = {"pview"},
     .form = " {tensor_view} : {type(result)}"},
    {.mnemonic = "make_strided_view",
     .opcode = 0x74,
     .family = Family::view,
     .since = {13, 3},
     .results = {{"result"}},
     .operands = {{"tensor_view"}},
     .traits = Trait::pure,
     .name_hint = NameHint::fixed,
     .result_names = {"sview"},
     .form = " {tensor_view} : {type(result)}"},
    {.mnemonic = "make_gather_scatter_view",
     .opcode = 0x73,
     .family = Family::view,
     .since = {13, 3},
     .results = {{"result"}},
     .operands = {{"tensor_view"}},
     .traits = Trait::pure,
     .name_hint = NameHint::fixed,
     .result_names = {"gsview"},
     .form = " {tensor_view} : {type(result)}"},
    {.mnemonic = "get_index_space_shape",
     .opcode = 0x2d,
     .family = Family::view,
     .results = {{"result_types", Arity::variadic}},
     .results_encoding = ListEncoding::counted,
     .operands = {{"src"}},
     .traits = Trait::pure,
     .form = " {src} : {type(src)} -> {first_type(result_types)}"},
    {.mnemonic = "get_tensor_shape",
     .opcode = 0x2f,
     .family = Family::view,
     .results = {{"result_types", Arity::variadic}},
     .results_encoding = ListEncoding::counted,
     .operands = {{"src"}},
     .traits = Trait::pure,
     .form = " {src} : {type(src)} -> {first_type(result_types)}"},
    {.mnemonic = "load_view_tko",
     .opcode = 0x3e,
     .family = Family::view,
     .results = {{"tile"}, {"result_token"}},
     .results_encoding = ListEncoding::counted,
     .flags_since = Version{13, 1},
     .flags = {{"memory_scope"}, {"optimization_hints"}, {"token"}},
     .attributes = {enumeration("memory_ordering_semantics", kMemoryOrdering),
                    optional(enumeration("memory_scope", kMemoryScope)),
                    optional(attribute("optimization_hints", Encoding::optimization_hints)),
                    attribute("inbounds", Encoding::boolean_array, {13, 4})},
     .operands = {{"view"}, {"index", Arity::variadic}, {"token", Arity::optional}},
     .operands_encoding = ListEncoding::segmented,
     .traits = Trait::reads_memory,
     .name_hint = NameHint::fixed,
     .result_names = {"tile", "result_token"},
     .form = " {memory_ordering_semantics}"
             "{memory_scope? {memory_scope}} {view}[{index}]{token? token = {token}}"
             "{optimization_hints? optimization_hints = {optimization_hints}}"
             "{inbounds? inbounds = {inbounds}}"
             " : {type(view)}{index?, {same_type(index)}} -> {type(tile)}, {type(result_token)}"},
    {.mnemonic = "store_view_tko",
     .opcode = 0x66,
     .family = Family::view,
     .results = {{"result_token"}},
     .results_encoding = ListEncoding::counted,
     .flags_since = Version{13, 1},
     .flags = {{"memory_scope"}, {"optimization_hints"}, {"token"}},
     .attributes = {enumeration("memory_ordering_semantics", kMemoryOrdering),
                    optional(enumeration("memory_scope", kMemoryScope)),
                    optional(attribute("optimization_hints", Encoding::optimization_hints)),
                    attribute("inbounds", Encoding::boolean_array, {13, 4})},
     .operands = {{"tile"}, {"view"}, {"index", Arity::variadic}, {"token", Arity::optional}},
     .operands_encoding = ListEncoding::segmented,
     .traits = Trait::writes_memory,
     .form = " {memory_ordering_semantics}"
             "{memory_scope? {memory_scope}} {tile}, {view}[{index}]{token? token = {token}}"
             "{optimization_hints? optimization_hints = {optimization_hints}}"
             "{inbounds? inbounds = {inbounds}}"
             " : {type(tile)}, {type(view)}{index?, {same_type(index)}} -> {type(result_token)}"},
};

}  // namespace

std::span<const OpInfo> view_ops() { return kOps; }

}  // namespace tileport::ir
