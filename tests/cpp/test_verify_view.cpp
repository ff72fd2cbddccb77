// SPDX-License-Identifier: Apache-2.0
// Rules about views and what goes through them; and that every rule has a refusal that is its own.
#include "verify_refusals.hpp"

namespace verify_refusals {
namespace {

using Shape = std::vector<std::int64_t>;

struct Tensor {
  TypeKind element = TypeKind::f32;
  Shape shape{64, 32};
  Shape strides{32, 1};
  std::optional<ir::PointerAttribute> address{};
};

TypeId tensor_view(Kernel& k, const Tensor& tensor) {
  Type type;
  type.kind = TypeKind::tensor_view;
  type.element = k.element(tensor.element);
  type.shape = tensor.shape;
  type.strides = tensor.strides;
  type.pointer_attribute = tensor.address;
  return k.type(type);
}

TypeId view(Kernel& k, TypeKind kind, const Tensor& tensor, Shape tile, std::int32_t sparse_dim = 0) {
  Type type;
  type.kind = kind;
  type.element = tensor_view(k, tensor);
  type.shape = std::move(tile);
  type.sparse_dim = sparse_dim;
  for (std::size_t i = 0; i < type.shape.size(); ++i) type.dim_map.push_back(static_cast<std::int32_t>(i));
  return k.type(type);
}

TypeId base_type(Kernel& k, const Tensor& tensor) {
  Type pointer;
  pointer.kind = TypeKind::pointer;
  pointer.element = k.element(tensor.element);
  pointer.pointer_attribute = tensor.address;
  return k.tile(k.type(pointer));
}

/// A tensor_view, and a view of it: loops may not give them, so they are made.
ValueId made(Kernel& k, TypeId type, const Tensor& tensor) {
  return k.make("make_tensor_view", {any(k, base_type(k, tensor))}, type, {}, {1, 0, 0});
}
ValueId made_view(Kernel& k, TypeKind kind, const Tensor& tensor, Shape tile, std::int32_t sparse_dim = 0) {
  const TypeId type = view(k, kind, tensor, std::move(tile), sparse_dim);
  const ValueId source = made(k, k.module.type(type).element, tensor);
  const char* op = kind == TypeKind::partition_view ? "make_partition_view"
                   : kind == TypeKind::strided_view ? "make_strided_view"
                                                    : "make_gather_scatter_view";
  return k.make(op, {source}, type);
}

std::uint64_t all_inbounds(Kernel& k, std::size_t count) {
  ir::Attribute list;
  list.kind = ir::Attribute::Kind::number_list;
  list.numbers.assign(count, 0);
  return k.attribute(list);
}

void load(Kernel& k, ValueId from, TypeId tile, const Types& indices, std::size_t inbounds = 2) {
  Values operands{from};
  for (TypeId index : indices) operands.push_back(any(k, index));
  k.op("load_view_tko", operands, {tile, k.token()},
       {{"memory_ordering_semantics", 0}, {"inbounds", all_inbounds(k, inbounds)}},
       {1, static_cast<std::uint32_t>(indices.size()), 0});
}

void reduce_into(Kernel& k, ValueId to, TypeId value) {
  const TypeId i32 = k.tile(TypeKind::i32);
  k.op("atomic_red_view_tko", {to, any(k, i32), any(k, i32), any(k, value)}, {k.token()},
       {{"memory_ordering_semantics", ir::number(ir::kMemoryOrdering, "relaxed")},
        {"memory_scope", 1},
        {"mode", ir::number(ir::kAtomicMode, "addf")},
        {"inbounds", all_inbounds(k, 2)}},
       {1, 2, 1, 0});
}

void multimem(Kernel& k, const Tensor& tensor, const Shape& shape, std::string_view reduction,
              TypeKind kind = TypeKind::partition_view) {
  const TypeId i32 = k.tile(TypeKind::i32);
  const TypeId tile = k.tile(tensor.element, shape);
  k.op("multimem_load_reduce_view_tko", {made_view(k, kind, tensor, shape), any(k, i32), any(k, i32)},
       {tile, k.token()},
       {{"memory_ordering_semantics", 0},
        {"reduction", ir::number(ir::kReductionKind, reduction)},
        {"inbounds", all_inbounds(k, 2)}},
       {1, 2, 0});
}

constexpr auto kMulticast = ir::PointerAttribute::multicast;

}  // namespace

std::vector<Refusal> view_refusals() {
  const Shape tile{16, 8};
  const auto scalars = [](Kernel& k) { return Types{k.tile(TypeKind::i32), k.tile(TypeKind::i32)}; };
  const auto loads = [=](TypeKind kind, const Tensor& tensor, std::int32_t sparse_dim = 0) {
    return [=](Kernel& k) {
      Types indices = scalars(k);
      if (kind == TypeKind::gather_scatter_view) {
        const auto sparse = static_cast<std::size_t>(sparse_dim);
        indices[sparse] = k.tile(TypeKind::i32, {tile[sparse]});
      }
      load(k, made_view(k, kind, tensor, tile, sparse_dim), k.tile(tensor.element, tile), indices);
    };
  };
  const Tensor packed{.element = TypeKind::f4E2M1FN};
  const Tensor half{.element = TypeKind::f16, .strides = {32, 2}, .address = kMulticast};
  return {
      {"TP-V0801", "@k/make_tensor_view#0",
       [](Kernel& k) { made(k, tensor_view(k, {.shape = {ir::kDynamic, 32}}), {}); }},
      {"TP-V0801", "@k/make_tensor_view#0",
       [](Kernel& k) {
         const TypeId type = tensor_view(k, {.shape = {ir::kDynamic, 32}, .strides = {ir::kDynamic, 1}});
         const ValueId extent = any(k, k.tile(TypeKind::i32));
         const ValueId stride = any(k, k.tile(TypeKind::i64));
         k.op("make_tensor_view", {any(k, k.pointers(TypeKind::f32)), extent, stride}, {type}, {}, {1, 1, 1});
       }},
      {"TP-V0802", "@k/load_view_tko#0", loads(TypeKind::partition_view, {.address = kMulticast})},
      {"TP-V0803", "@k/load_view_tko#0",
       [=](Kernel& k) {
         load(k, made_view(k, TypeKind::partition_view, {}, tile), k.tile(TypeKind::f32, tile),
              {k.tile(TypeKind::i32)}, 1);
       }},
      {"TP-V0804", "@k/load_view_tko#0",
       [=](Kernel& k) {
         load(k, made_view(k, TypeKind::partition_view, {}, tile), k.tile(TypeKind::f32, tile),
              {k.tile(TypeKind::i32), k.tile(TypeKind::i64)});
       }},
      {"TP-V0804", "@k/load_view_tko#0",
       [=](Kernel& k) {
         load(k, made_view(k, TypeKind::gather_scatter_view, {}, tile), k.tile(TypeKind::f32, tile),
              scalars(k));
       }},
      {"TP-V0805", "@k/load_view_tko#0",
       [=](Kernel& k) {
         load(k, made_view(k, TypeKind::partition_view, {}, tile), k.tile(TypeKind::f32, tile), scalars(k),
              3);
       }},
      {"TP-V0806", "@k/load_view_tko#0",
       [=](Kernel& k) {
         load(k, made_view(k, TypeKind::partition_view, {}, tile), k.tile(TypeKind::f16, tile), scalars(k));
       }},
      {"TP-V0807", "@k/load_view_tko#0",
       loads(TypeKind::partition_view, {.element = TypeKind::f4E2M1FN, .strides = {32, 2}})},
      {"TP-V0807", "@k/load_view_tko#0", loads(TypeKind::gather_scatter_view, packed, 1)},
      {"TP-V0808", "@k/make_tensor_view#0",
       [](Kernel& k) { made(k, tensor_view(k, {}), {.element = TypeKind::f16}); }},
      {"TP-V0809", "@k/make_tensor_view#0",
       [](Kernel& k) { made(k, tensor_view(k, {.address = kMulticast}), {}); }},
      {"TP-V0810", "@k/make_partition_view#0",
       [=](Kernel& k) {
         const Tensor square{.shape = {64, 64}};
         const ValueId source = made(k, tensor_view(k, square), square);
         k.make("make_partition_view", {source}, view(k, TypeKind::partition_view, {}, tile));
       }},
      {"TP-V0811", "@k/get_tensor_shape#0",
       [](Kernel& k) {
         k.op("get_tensor_shape", {made(k, tensor_view(k, {}), {})}, {k.tile(TypeKind::i32)});
       }},
      {"TP-V0604", "@k/atomic_red_view_tko#0",
       [=](Kernel& k) {
         reduce_into(k, made_view(k, TypeKind::gather_scatter_view, {}, tile), k.tile(TypeKind::f32, tile));
       }},
      {"TP-V0605", "@k/multimem_load_reduce_view_tko#0", [=](Kernel& k) { multimem(k, {}, tile, "add"); }},
      {"TP-V0605", "@k/multimem_load_reduce_view_tko#0",
       [=](Kernel& k) { multimem(k, {.address = kMulticast}, tile, "add", TypeKind::gather_scatter_view); }},
      {"TP-V0606", "@k/multimem_load_reduce_view_tko#0",
       [=](Kernel& k) { multimem(k, {.element = TypeKind::i16, .address = kMulticast}, tile, "add"); }},
      {"TP-V0607", "@k/multimem_load_reduce_view_tko#0",
       [=](Kernel& k) { multimem(k, {.address = kMulticast}, tile, "max"); }},
      {"TP-V0608", "@k/multimem_load_reduce_view_tko#0",
       [=](Kernel& k) { multimem(k, {.element = TypeKind::f16, .address = kMulticast}, {1, 1}, "add"); }},
      {"TP-V0609", "@k/multimem_load_reduce_view_tko#0", [=](Kernel& k) { multimem(k, half, tile, "add"); }},
  };
}

}  // namespace verify_refusals

TEST_CASE("verify: views", "[verify]") { verify_refusals::check_all(verify_refusals::view_refusals()); }
