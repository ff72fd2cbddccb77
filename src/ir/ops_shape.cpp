// SPDX-License-Identifier: Apache-2.0
// Ops that move elements without changing them.
#include "ir/op_families.hpp"

namespace tileport::ir {
namespace {

constexpr OpInfo kOps[] = {
    {.mnemonic = "broadcast",
     .opcode = 0x0b,
     .family = Family::shape,
     .results = {{"result"}},
     .operands = {{"source"}},
     .traits = Trait::pure,
     .name_hint = NameHint::fixed,
     .result_names = {"bcast"},
     .form = " {source} : {type(source)} -> {type(result)}"},
    {.mnemonic = "reshape",
     .opcode = 0x5b,
     .family = Family::shape,
     .results = {{"result"}},
     .operands = {{"source"}},
     .traits = Trait::pure,
     .name_hint = NameHint::fixed,
     .result_names = {"reshape"},
     .form = " {source} : {type(source)} -> {type(result)}"},
    {.mnemonic = "permute",
     .opcode = 0x53,
     .family = Family::shape,
     .results = {{"result"}},
     .attributes = {attribute("permutation", Encoding::integer_array)},
     .operands = {{"source"}},
     .traits = Trait::pure,
     .form = " {source} {permutation} : {type(source)} -> {type(result)}"},
    {.mnemonic = "cat",
     .opcode = 0x0c,
     .family = Family::shape,
     .results = {{"result"}},
     .attributes = {attribute("dim", Encoding::integer)},
     .operands = {{"lhs"}, {"rhs"}},
     .traits = Trait::pure,
     .form = " {lhs}, {rhs} dim = {dim} : {type(lhs)}, {type(rhs)} -> {type(result)}"},
    {.mnemonic = "extract",
     .opcode = 0x26,
     .family = Family::shape,
     .results = {{"result"}},
     .results_encoding = ListEncoding::counted,
     .operands = {{"source"}, {"indices", Arity::variadic}},
     .operands_encoding = ListEncoding::counted,
     .traits = Trait::pure,
     .form = " {source}[{indices}] : {type(source)} -> {type(result)}"},
    {.mnemonic = "insert",
     .opcode = 0x76,
     .family = Family::shape,
     .since = {13, 4},
     .results = {{"result"}},
     .results_encoding = ListEncoding::counted,
     .operands = {{"source"}, {"destination"}, {"indices", Arity::variadic}},
     .operands_encoding = ListEncoding::counted,
     .traits = Trait::pure,
     .form = " {source}, {destination}[{indices}] : {type(source)}, {type(result)}"},
    {.mnemonic = "iota",
     .opcode = 0x3a,
     .family = Family::shape,
     .results = {{"result"}},
     .traits = Trait::pure,
     .form = " : {type(result)}"},
};

}  // namespace

std::span<const OpInfo> shape_ops() { return kOps; }

}  // namespace tileport::ir
