// SPDX-License-Identifier: Apache-2.0
// Rules about control flow, and about functions and bodies.
#include "verify_refusals.hpp"

namespace verify_refusals {
namespace {

/// A for over i32 with one carried value of `carried`, whose body takes `arguments` and continues with
/// `next` of them.
void counted(Kernel& k, const Types& arguments, const Types& initial, const Types& results) {
  const ValueId bound = tile(k, TypeKind::i32);
  Values operands{bound, bound, bound};
  for (TypeId type : initial) operands.push_back(any(k, type));
  const auto loop = k.op("for", operands, results);
  const Values inside = k.open(loop, 0, arguments);
  Values next;
  for (std::size_t i = 0; i < results.size(); ++i) next.push_back(any(k, results[i]));
  k.op("continue", next, {});
  k.close();
}

/// A reduce of `operands` along dimension `dim`; `body` writes the body.
void reduce(Kernel& k, const Values& operands, const Types& results, std::uint64_t dim,
            const std::vector<TypeKind>& identities, const Types& arguments,
            const std::function<Values(Kernel&, const Values&)>& body) {
  ir::Attribute list;
  list.kind = ir::Attribute::Kind::array;
  for (TypeKind kind : identities) {
    ir::Attribute identity;
    identity.kind = ir::is_integer(kind) ? ir::Attribute::Kind::integer : ir::Attribute::Kind::floating;
    identity.type = k.element(kind);
    list.items.push_back(ir::AttributeId{static_cast<std::uint32_t>(k.attribute(identity))});
  }
  const auto op = k.op("reduce", operands, results, {{"dim", dim}, {"identities", k.attribute(list)}});
  const Values inside = k.open(op, 0, arguments);
  k.op("yield", body(k, inside), {});
  k.close();
}

Values first(Kernel&, const Values& arguments) { return {arguments.front()}; }

std::function<void(Kernel&)> branch(const Types& results, const std::function<void(Kernel&)>& then,
                                    bool otherwise) {
  return [=](Kernel& k) {
    const auto op = k.op("if", {tile(k, TypeKind::i1)}, results);
    k.open(op, 0);
    then(k);
    k.close();
    if (!otherwise) return;
    k.open(op, 1);
    then(k);
    k.close();
  };
}

}  // namespace

std::vector<Refusal> control_refusals() {
  return {
      {"TP-V0701", "@k/for#0", [](Kernel& k) { counted(k, {k.tile(TypeKind::i64)}, {}, {}); }},
      {"TP-V0702", "@k/for#0",
       [](Kernel& k) {
         const TypeId f32 = k.tile(TypeKind::f32);
         counted(k, {k.tile(TypeKind::i32), k.tile(TypeKind::f16)}, {f32}, {f32});
       }},
      {"TP-V0703", "@k/loop#0",
       [](Kernel& k) {
         Type view;
         view.kind = TypeKind::tensor_view;
         view.element = k.element(TypeKind::f32);
         any(k, k.type(view));
       }},
      {"TP-V0704", "@k/if#0",
       [](Kernel& k) {
         const TypeId f32 = k.tile(TypeKind::f32);
         const ValueId other = tile(k, TypeKind::f16);
         const ValueId good = any(k, f32);
         const auto op = k.op("if", {tile(k, TypeKind::i1)}, {f32});
         k.open(op, 0);
         k.op("yield", {good}, {});
         k.close();
         k.open(op, 1);
         k.op("yield", {other}, {});
         k.close();
       }},
      {"TP-V0705", "@k/if#0",
       [](Kernel& k) {
         const TypeId f32 = k.tile(TypeKind::f32);
         const ValueId good = any(k, f32);
         const auto op = k.op("if", {tile(k, TypeKind::i1)}, {f32});
         k.open(op, 0);
         k.op("yield", {good}, {});
         k.close();
       }},
      {"TP-V0706", "@k/if#0/break#0",
       branch(
           {}, [](Kernel& k) { k.op("break", {}, {}); }, false)},
      {"TP-V0706", "@k/if#0/continue#0",
       branch(
           {}, [](Kernel& k) { k.op("continue", {}, {}); }, false)},
      {"TP-V0707", "@k/loop#1/break#0",
       [](Kernel& k) {
         const ValueId value = tile(k, TypeKind::f32);
         const auto op = k.op("loop", {}, {});
         k.open(op, 0);
         k.op("break", {value}, {});
         k.close();
         // `tile` made loop 0 of function level; this one is loop 1.
       }},
      {"TP-V0708", "@k/for#0/if#0/return#0",
       [](Kernel& k) {
         const ValueId bound = tile(k, TypeKind::i32);
         const ValueId condition = tile(k, TypeKind::i1);
         const auto loop = k.op("for", {bound, bound, bound}, {});
         k.open(loop, 0, {k.module.value(bound).type});
         const auto op = k.op("if", {condition}, {});
         k.open(op, 0);
         k.op("return", {}, {});
         k.close();
         k.op("continue", {}, {});
         k.close();
       }},
      {"TP-V0709", "@k/reduce#0",
       [](Kernel& k) {
         const TypeId f32 = k.tile(TypeKind::f32);
         reduce(k, {tile(k, TypeKind::f32, {8})}, {f32, f32}, 0, {TypeKind::f32}, {f32, f32}, first);
       }},
      {"TP-V0710", "@k/reduce#0",
       [](Kernel& k) {
         const TypeId f32 = k.tile(TypeKind::f32);
         reduce(k, {tile(k, TypeKind::f32, {8})}, {f32}, 0, {TypeKind::f64}, {f32, f32}, first);
       }},
      {"TP-V0710", "@k/reduce#0",
       [](Kernel& k) {
         const TypeId f32 = k.tile(TypeKind::f32);
         reduce(k, {tile(k, TypeKind::f32, {8})}, {f32}, 0, {}, {f32, f32}, first);
       }},
      {"TP-V0711", "@k/reduce#0",
       [](Kernel& k) {
         const TypeId f32 = k.tile(TypeKind::f32);
         reduce(k, {tile(k, TypeKind::f32, {8})}, {f32}, 1, {TypeKind::f32}, {f32, f32}, first);
       }},
      {"TP-V0712", "@k/reduce#0",
       [](Kernel& k) {
         const TypeId f32 = k.tile(TypeKind::f32);
         reduce(k, {tile(k, TypeKind::f32, {8, 4})}, {k.tile(TypeKind::f32, {8})}, 0, {TypeKind::f32},
                {f32, f32}, first);
       }},
      {"TP-V0713", "@k/reduce#0",
       [](Kernel& k) {
         const TypeId f32 = k.tile(TypeKind::f32);
         reduce(k, {tile(k, TypeKind::f32, {8})}, {f32}, 0, {TypeKind::f32}, {f32, k.tile(TypeKind::f16)},
                first);
       }},
      {"TP-V0713", "@k/reduce#0/yield#0",
       [](Kernel& k) {
         const TypeId f32 = k.tile(TypeKind::f32);
         reduce(k, {tile(k, TypeKind::f32, {8})}, {f32}, 0, {TypeKind::f32}, {f32, f32},
                [](Kernel&, const Values&) { return Values{}; });
       }},
      {"TP-V0714", "@k/reduce#0/assume#0",
       [](Kernel& k) {
         const TypeId i32 = k.tile(TypeKind::i32);
         reduce(k, {tile(k, TypeKind::i32, {8})}, {i32}, 0, {TypeKind::i32}, {i32, i32},
                [](Kernel& inside, const Values& arguments) {
                  return Values{inside.assume_bounded(arguments[0], 0)};
                });
       }},
      {"TP-V0004", "@k/return#0", [](Kernel& k) { k.op("return", {}, {}); }},
      {"TP-V0029", "@k/loop#0/yield#0",
       [](Kernel& k) {
         const auto op = k.op("loop", {}, {});
         k.open(op, 0);
         k.op("yield", {}, {});
         k.close();
       }},
      {"TP-V0005", "@k",
       [](Kernel& k) {
         ir::Attribute list;
         list.kind = ir::Attribute::Kind::array;
         list.items = {ir::AttributeId{static_cast<std::uint32_t>(k.integer(1))}};
         k.module.functions[0].argument_attributes =
             ir::AttributeId{static_cast<std::uint32_t>(k.attribute(list))};
       }},
      {"TP-V0005", "@k",
       [](Kernel& k) {
         const ir::Attribute none{.kind = ir::Attribute::Kind::dictionary};
         ir::Attribute list{.kind = ir::Attribute::Kind::array};
         for (int i = 0; i < 9; ++i)
           list.items.push_back(ir::AttributeId{static_cast<std::uint32_t>(k.attribute(none))});
         k.module.functions[0].argument_attributes =
             ir::AttributeId{static_cast<std::uint32_t>(k.attribute(list))};
       }},
      {"TP-V0006", "@k",
       [](Kernel& k) {
         ir::Global global;
         global.name = k.string("k");
         global.type = k.tile(TypeKind::f32, {4});
         k.module.constants.emplace_back(4, '\0');
         k.module.globals.push_back(global);
       }},
      {"TP-V0007", "@k", [](Kernel& k) { k.parameter(k.tile(TypeKind::f32, {4})); }},
      {"TP-V0008", "@k", [](Kernel& k) { k.module.functions[0].is_private = true; }},
      {"TP-V0009", "@g",
       [](Kernel& k) {
         ir::Global global;
         global.name = k.string("g");
         global.type = k.tile(TypeKind::f32, {4, 4});
         k.module.constants.emplace_back(4, '\0');
         k.module.globals.push_back(global);
       }},
      {"TP-V0012", "@g",
       [](Kernel& k) {
         ir::Global global;
         global.name = k.string("g");
         global.type = k.tile(TypeKind::f32, {4});
         k.module.constants.emplace_back(5, '\0');
         k.module.globals.push_back(global);
       }},
      {"TP-V0013", "@k/loop#0", [](Kernel& k) { tile(k, TypeKind::f32, {3}); }},
      {"TP-V0014", "@k/loop#0",
       [](Kernel& k) {
         k.module.version = {13, 3};
         tile(k, TypeKind::fnv8E5M3FNU, {4});
       }},
      {"TP-V0015", "@k/atan2#0",
       [](Kernel& k) {
         k.module.version = {13, 1};
         const TypeId f32 = k.tile(TypeKind::f32);
         const ValueId value = any(k, f32);
         k.make("atan2", {value, value}, f32);
       }},
  };
}

}  // namespace verify_refusals

TEST_CASE("verify: control flow, functions and bodies", "[verify]") {
  verify_refusals::check_all(verify_refusals::control_refusals());
}
