// SPDX-License-Identifier: Apache-2.0
// Rules about arithmetic, matrices, conversions and shapes.
#include "verify_refusals.hpp"

namespace verify_refusals {

std::vector<Refusal> arith_refusals() {
  const auto number = [](const ir::Enumeration& values, std::string_view name) {
    return ir::number(values, name);
  };
  const auto matrices = [](Kernel& k, TypeKind factor, TypeKind sum, std::vector<std::int64_t> a,
                           std::vector<std::int64_t> b, std::vector<std::int64_t> c) {
    const TypeId result = k.tile(sum, c);
    k.make("mmaf", {tile(k, factor, a), tile(k, factor, b), any(k, result)}, result);
  };
  const auto scaled = [](Kernel& k, TypeKind factor, TypeKind scale, std::int64_t depth, std::int64_t left,
                         std::int64_t right) {
    const TypeId result = k.tile(TypeKind::f32, {16, 16});
    k.make("mmaf_scaled",
           {tile(k, factor, {16, depth}), tile(k, factor, {depth, 16}), any(k, result),
            tile(k, scale, {16, left}), tile(k, scale, {right, 16})},
           result);
  };
  const auto convert = [](std::string_view op, TypeKind from, TypeKind to, kernel_builder::Words words = {}) {
    return [=](Kernel& k) { k.make(op, {tile(k, from, {8})}, k.tile(to, {8}), words); };
  };
  const auto reshape = [](std::string_view op, std::vector<std::int64_t> from, std::vector<std::int64_t> to) {
    return [=](Kernel& k) { k.make(op, {tile(k, TypeKind::f32, from)}, k.tile(TypeKind::f32, to)); };
  };
  const auto permute = [](std::vector<std::int64_t> from, std::vector<std::int64_t> to,
                          std::vector<std::int64_t> permutation) {
    return [=](Kernel& k) {
      ir::Attribute list;
      list.kind = ir::Attribute::Kind::number_list;
      list.numbers = permutation;
      k.make("permute", {tile(k, TypeKind::f32, from)}, k.tile(TypeKind::f32, to),
             {{"permutation", k.attribute(list)}});
    };
  };
  const auto cat = [](std::uint64_t dim, std::vector<std::int64_t> to) {
    return [=](Kernel& k) {
      k.make("cat", {tile(k, TypeKind::f32, {4, 8}), tile(k, TypeKind::f32, {4, 8})},
             k.tile(TypeKind::f32, to), {{"dim", dim}});
    };
  };
  const auto extract = [](std::vector<std::int64_t> to, std::size_t indices) {
    return [=](Kernel& k) {
      Values operands{tile(k, TypeKind::f32, {4, 8})};
      for (std::size_t i = 0; i < indices; ++i) operands.push_back(tile(k, TypeKind::i32));
      k.op("extract", operands, {k.tile(TypeKind::f32, to)});
    };
  };
  return {
      {"TP-V0101", "@k/divi#0",
       [=](Kernel& k) {
         const TypeId i32 = k.tile(TypeKind::i32);
         const ValueId one = any(k, i32);
         k.make("divi", {one, one}, i32,
                {{"signedness", number(ir::kSignedness, "unsigned")},
                 {"rounding", number(ir::kRoundingMode, "negative_inf")}});
       }},
      {"TP-V0102", "@k/select#0",
       [](Kernel& k) {
         const TypeId f4 = k.tile(TypeKind::f4E2M1FN, {8});
         const ValueId value = any(k, f4);
         k.make("select", {tile(k, TypeKind::i1, {8}), value, value}, f4);
       }},
      {"TP-V0201", "@k/mmaf#0",
       [=](Kernel& k) { matrices(k, TypeKind::f16, TypeKind::f32, {16}, {16}, {16}); }},
      {"TP-V0202", "@k/mmaf#0",
       [=](Kernel& k) { matrices(k, TypeKind::f16, TypeKind::f32, {16, 8}, {16, 16}, {16, 16}); }},
      {"TP-V0202", "@k/mmaf#0",
       [=](Kernel& k) { matrices(k, TypeKind::f16, TypeKind::f32, {2, 16, 8}, {4, 8, 16}, {2, 16, 16}); }},
      {"TP-V0202", "@k/mmaf#0",
       [=](Kernel& k) { matrices(k, TypeKind::f16, TypeKind::f32, {16, 8}, {8, 16}, {16, 32}); }},
      {"TP-V0203", "@k/mmaf#0",
       [=](Kernel& k) { matrices(k, TypeKind::bf16, TypeKind::f16, {16, 8}, {8, 16}, {16, 16}); }},
      {"TP-V0203", "@k/mmaf#0",
       [=](Kernel& k) { matrices(k, TypeKind::f64, TypeKind::f32, {16, 8}, {8, 16}, {16, 16}); }},
      {"TP-V0204", "@k/mmaf_scaled#0",
       [=](Kernel& k) { scaled(k, TypeKind::f8E4M3FN, TypeKind::f8E8M0FNU, 64, 2, 4); }},
      {"TP-V0204", "@k/mmaf_scaled#0",
       [=](Kernel& k) { scaled(k, TypeKind::f8E4M3FN, TypeKind::f8E8M0FNU, 32, 64, 64); }},
      {"TP-V0205", "@k/mmaf_scaled#0",
       [=](Kernel& k) { scaled(k, TypeKind::f8E4M3FN, TypeKind::f8E4M3FN, 64, 2, 2); }},
      {"TP-V0206", "@k/mmaf_scaled#0",
       [=](Kernel& k) { scaled(k, TypeKind::f8E4M3FN, TypeKind::f8E8M0FNU, 64, 4, 4); }},
      {"TP-V0206", "@k/mmaf_scaled#0",
       [=](Kernel& k) { scaled(k, TypeKind::f4E2M1FN, TypeKind::f8E4M3FN, 64, 2, 2); }},
      {"TP-V0301", "@k/bitcast#0", convert("bitcast", TypeKind::i16, TypeKind::f32)},
      {"TP-V0302", "@k/exti#0", convert("exti", TypeKind::i32, TypeKind::i32, {{"signedness", 1}})},
      {"TP-V0303", "@k/trunci#0", convert("trunci", TypeKind::i16, TypeKind::i32)},
      {"TP-V0304", "@k/ftof#0", convert("ftof", TypeKind::f32, TypeKind::f32)},
      {"TP-V0305", "@k/ftof#0",
       convert("ftof", TypeKind::f32, TypeKind::f16,
               {{"rounding_mode", number(ir::kRoundingMode, "negative_inf")}})},
      {"TP-V0305", "@k/ftof#0", convert("ftof", TypeKind::f32, TypeKind::f8E8M0FNU)},
      {"TP-V0305", "@k/ftof#0",
       convert("ftof", TypeKind::f8E8M0FNU, TypeKind::f32,
               {{"rounding_mode", number(ir::kRoundingMode, "negative_inf")}})},
      {"TP-V0306", "@k/itof#0", convert("itof", TypeKind::i32, TypeKind::f8E8M0FNU, {{"signedness", 1}})},
      {"TP-V0307", "@k/pack#0",
       [](Kernel& k) { k.make("pack", {tile(k, TypeKind::f32, {8, 8})}, k.tile(TypeKind::i8, {16, 16})); }},
      {"TP-V0308", "@k/pack#0", convert("pack", TypeKind::i8, TypeKind::i8)},
      {"TP-V0309", "@k/unpack#0", convert("unpack", TypeKind::i8, TypeKind::i16)},
      {"TP-V0401", "@k/broadcast#0", reshape("broadcast", {1, 4}, {8, 8})},
      {"TP-V0402", "@k/reshape#0", reshape("reshape", {8}, {4})},
      {"TP-V0403", "@k/permute#0", permute({8}, {8}, {0})},
      {"TP-V0404", "@k/permute#0", permute({8, 4}, {4, 8}, {1, 1})},
      {"TP-V0404", "@k/permute#0", permute({8, 4}, {4, 8}, {1, 0, 2})},
      {"TP-V0405", "@k/permute#0", permute({8, 4}, {8, 4}, {1, 0})},
      {"TP-V0406", "@k/cat#0", cat(2, {4, 16})},
      {"TP-V0407", "@k/cat#0", cat(0, {4, 16})},
      {"TP-V0408", "@k/extract#0", extract({8, 8}, 2)},
      {"TP-V0409", "@k/extract#0", extract({4, 4}, 1)},
      {"TP-V0410", "@k/iota#0", [](Kernel& k) { k.make("iota", {}, k.tile(TypeKind::i32, {4, 4})); }},
      {"TP-V0411", "@k/iota#0", [](Kernel& k) { k.make("iota", {}, k.tile(TypeKind::i8, {512})); }},
  };
}

}  // namespace verify_refusals

TEST_CASE("verify: arithmetic, conversions and shapes", "[verify]") {
  verify_refusals::check_all(verify_refusals::arith_refusals());
}
