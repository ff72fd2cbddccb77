// SPDX-License-Identifier: Apache-2.0
// Rules about pointers, tokens, atomics, promises and messages.
#include "verify_refusals.hpp"

namespace verify_refusals {
namespace {

TypeId multicast(Kernel& k, TypeKind element) {
  Type pointer;
  pointer.kind = TypeKind::pointer;
  pointer.element = k.element(element);
  pointer.pointer_attribute = ir::PointerAttribute::multicast;
  return k.tile(k.type(pointer));
}

/// load_ptr_tko of one element.
void load(Kernel& k, ValueId pointer, TypeId result, kernel_builder::Words words) {
  k.op("load_ptr_tko", {pointer}, {result, k.token()}, words, {1, 0, 0, 0});
}

void atomic(Kernel& k, TypeKind element, std::string_view mode) {
  const TypeId type = k.tile(element);
  k.op("atomic_rmw_tko", {any(k, k.pointers(element)), any(k, type)}, {type, k.token()},
       {{"memory_ordering_semantics", number(ir::kMemoryOrdering, "relaxed")},
        {"memory_scope", number(ir::kMemoryScope, "device")},
        {"mode", number(ir::kAtomicMode, mode)}},
       {1, 1, 0, 0});
}

std::function<void(Kernel&)> promise(ir::Attribute predicate, TypeKind element,
                                     std::vector<std::int64_t> shape = {}) {
  return [=](Kernel& k) {
    const TypeId type = k.tile(element, shape);
    k.make("assume", {any(k, type)}, type, {{"predicate", k.attribute(predicate)}});
  };
}

ir::Attribute div_by(std::uint64_t divisor, std::optional<std::int64_t> every = {},
                     std::optional<std::int64_t> along = {}) {
  ir::Attribute predicate;
  predicate.kind = ir::Attribute::Kind::div_by;
  predicate.bits = divisor;
  predicate.first = every;
  predicate.second = along;
  return predicate;
}

ir::Attribute same_elements(std::vector<std::int64_t> numbers) {
  ir::Attribute predicate;
  predicate.kind = ir::Attribute::Kind::same_elements;
  predicate.numbers = std::move(numbers);
  return predicate;
}

ir::Attribute bounded(std::optional<std::int64_t> lower, std::optional<std::int64_t> upper) {
  ir::Attribute predicate;
  predicate.kind = ir::Attribute::Kind::bounded;
  predicate.first = lower;
  predicate.second = upper;
  return predicate;
}

std::function<void(Kernel&)> printed(const std::string& format, std::size_t arguments) {
  return [=](Kernel& k) {
    Values values;
    for (std::size_t i = 0; i < arguments; ++i) values.push_back(tile(k, TypeKind::i32));
    k.op("print_tko", values, {k.token()}, {{"str", static_cast<std::uint64_t>(k.string(format))}},
         {static_cast<std::uint32_t>(arguments), 0});
  };
}

std::function<void(Kernel&)> allocated(TypeKind element, std::uint64_t count, std::uint64_t alignment) {
  return [=](Kernel& k) {
    k.make("alloca", {}, k.pointers(element), {{"num_elem", count}, {"alignment", alignment}});
  };
}

void global(Kernel& k) {
  ir::Global global;
  global.name = k.string("g");
  global.type = k.tile(TypeKind::f32, {4});
  k.module.constants.emplace_back(4, '\0');
  k.module.globals.push_back(global);
}

}  // namespace

std::vector<Refusal> memory_refusals() {
  const auto get_global = [](const std::string& name, TypeKind pointee) {
    return [=](Kernel& k) {
      global(k);
      k.make("get_global", {}, k.pointers(pointee), {{"name", static_cast<std::uint64_t>(k.string(name))}});
    };
  };
  const auto weak = number(ir::kMemoryOrdering, "weak");
  const auto relaxed = number(ir::kMemoryOrdering, "relaxed");
  return {
      {"TP-V0501", "@k/load_ptr_tko#0",
       [=](Kernel& k) {
         load(k, any(k, k.pointers(TypeKind::f32)), k.tile(TypeKind::f32),
              {{"memory_ordering_semantics", relaxed}});
       }},
      {"TP-V0501", "@k/load_ptr_tko#0",
       [=](Kernel& k) {
         load(k, any(k, k.pointers(TypeKind::f32)), k.tile(TypeKind::f32),
              {{"memory_ordering_semantics", weak}, {"memory_scope", 0}});
       }},
      {"TP-V0502", "@k/load_ptr_tko#0",
       [=](Kernel& k) {
         load(k, any(k, multicast(k, TypeKind::f32)), k.tile(TypeKind::f32),
              {{"memory_ordering_semantics", weak}});
       }},
      {"TP-V0503", "@k/alloca#0", allocated(TypeKind::f32, ~0ULL, 16)},
      {"TP-V0504", "@k/alloca#0", allocated(TypeKind::f32, 8, 12)},
      {"TP-V0505", "@k/alloca#0", allocated(TypeKind::f64, 8, 4)},
      {"TP-V0506", "@k/get_global#0", get_global("other", TypeKind::f32)},
      {"TP-V0507", "@k/get_global#0", get_global("g", TypeKind::f16)},
      {"TP-V0508", "@k/join_tokens#0",
       [](Kernel& k) { k.op("join_tokens", {any(k, k.token())}, {k.token()}); }},
      {"TP-V0601", "@k/atomic_rmw_tko#0", [](Kernel& k) { atomic(k, TypeKind::f32, "add"); }},
      {"TP-V0601", "@k/atomic_rmw_tko#0", [](Kernel& k) { atomic(k, TypeKind::i32, "addf"); }},
      {"TP-V0601", "@k/atomic_rmw_tko#0", [](Kernel& k) { atomic(k, TypeKind::i16, "xchg"); }},
      {"TP-V0602", "@k/atomic_cas_tko#0",
       [=](Kernel& k) {
         const TypeId type = k.tile(TypeKind::i16);
         k.op("atomic_cas_tko", {any(k, k.pointers(TypeKind::i16)), any(k, type), any(k, type)},
              {type, k.token()}, {{"memory_ordering_semantics", relaxed}, {"memory_scope", 1}},
              {1, 1, 1, 0, 0});
       }},
      {"TP-V0603", "@k/atomic_rmw_tko#0",
       [=](Kernel& k) {
         const TypeId type = k.tile(TypeKind::i32);
         k.op("atomic_rmw_tko", {any(k, multicast(k, TypeKind::i32)), any(k, type)}, {type, k.token()},
              {{"memory_ordering_semantics", relaxed},
               {"memory_scope", 1},
               {"mode", number(ir::kAtomicMode, "add")}},
              {1, 1, 0, 0});
       }},
      {"TP-V0901", "@k/assume#0", promise(div_by(8), TypeKind::f32)},
      {"TP-V0902", "@k/assume#0", promise(div_by(3), TypeKind::i32)},
      {"TP-V0902", "@k/assume#0", promise(div_by(std::uint64_t{1} << 63), TypeKind::i64)},
      {"TP-V0903", "@k/assume#0", promise(div_by(8, 4, std::nullopt), TypeKind::i32, {16})},
      {"TP-V0903", "@k/assume#0", promise(div_by(8, 4, 0), TypeKind::i32)},
      {"TP-V0903", "@k/assume#0", promise(div_by(8, 4, 1), TypeKind::i32, {16})},
      {"TP-V0903", "@k/assume#0", promise(div_by(8, 32, 0), TypeKind::i32, {16})},
      {"TP-V0904", "@k/assume#0", promise(same_elements({4}), TypeKind::f32, {16})},
      {"TP-V0905", "@k/assume#0", promise(same_elements({4, 4}), TypeKind::i32, {16})},
      {"TP-V0905", "@k/assume#0", promise(same_elements({32}), TypeKind::i32, {16})},
      {"TP-V0906", "@k/assume#0", promise(bounded(0, std::nullopt), TypeKind::f32)},
      {"TP-V0907", "@k/assume#0", promise(bounded(0, 128), TypeKind::i8)},
      {"TP-V0907", "@k/assume#0", promise(bounded(2, 1), TypeKind::i32)},
      {"TP-V0908", "@k/print_tko#0", printed("%d %d", 1)},
      {"TP-V0908", "@k/print_tko#0", printed("100%", 0)},
  };
}

}  // namespace verify_refusals

TEST_CASE("verify: memory and promises", "[verify]") {
  verify_refusals::check_all(verify_refusals::memory_refusals());
}
