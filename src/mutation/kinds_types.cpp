// SPDX-License-Identifier: Apache-2.0
// Kinds that change what a type says: of views, of tensors behind them, of a value on its way.
#include <algorithm>

#include "mutation/kind_table.hpp"

namespace tileport::mutation {
namespace {

using ir::OpId;
using ir::Type;
using ir::TypeKind;
using ir::ValueId;

/// The type of the view that a live op makes; null for other ops.
const Type* view_of(const Context& context, OpId op) {
  const ir::Operation& operation = context.module.op(op);
  if (!context.live(op) || operation.results.count != 1 || !is_pure(*operation.info)) return nullptr;
  const Type& type = context.module.type_of(context.module.result(op, 0));
  return ir::is_view(type.kind) ? &type : nullptr;
}

std::uint32_t paddings(const Context& context, OpId op) {
  // Without padding there are five others; of five with a padding there are four, and none.
  return view_of(context, op) != nullptr ? static_cast<std::uint32_t>(ir::kPaddingValue.values.size()) : 0;
}
void other_padding(Edit& edit, OpId op, std::uint32_t variant) {
  Type type = edit.module.type_of(edit.module.result(op, 0));
  const std::uint32_t count = static_cast<std::uint32_t>(ir::kPaddingValue.values.size());
  const std::uint32_t now = type.padding ? static_cast<std::uint32_t>(*type.padding) + 1 : 0;
  const std::uint32_t next = (now + 1 + variant) % (count + 1);
  if (next == 0) {
    type.padding.reset();
  } else {
    type.padding = static_cast<ir::PaddingValue>(next - 1);
  }
  edit.set_type(edit.module.result(op, 0), type);
}

std::uint32_t dim_maps(const Context& context, OpId op) {
  const Type* type = view_of(context, op);
  return type == nullptr || type->dim_map.size() < 2 ? 0
                                                     : static_cast<std::uint32_t>(type->dim_map.size() - 1);
}
void other_dim_map(Edit& edit, OpId op, std::uint32_t variant) {
  Type type = edit.module.type_of(edit.module.result(op, 0));
  std::swap(type.dim_map[variant], type.dim_map[variant + 1]);
  edit.set_type(edit.module.result(op, 0), type);
}

std::uint32_t traversals(const Context& context, OpId op) {
  const Type* type = view_of(context, op);
  return type != nullptr && type->kind == TypeKind::strided_view
             ? static_cast<std::uint32_t>(type->strides.size())
             : 0;
}
void other_traversal(Edit& edit, OpId op, std::uint32_t variant) {
  Type type = edit.module.type_of(edit.module.result(op, 0));
  type.strides[variant] += 1;
  edit.set_type(edit.module.result(op, 0), type);
}

/// Axes of a view's tile from which a factor of two can go to the next one, if only accesses use the view: a
/// reshape behind each load and before each store then keeps the types of everything else.
std::vector<std::size_t> movable_extents(const Context& context, OpId op) {
  std::vector<std::size_t> axes;
  const Type* type = view_of(context, op);
  if (type == nullptr || type->kind == TypeKind::gather_scatter_view) return axes;
  for (const OpId user : context.users(context.module.result(op, 0))) {
    const ir::OpInfo& info = *context.module.op(user).info;
    if (!info.is("load_view_tko") && !info.is("store_view_tko")) return axes;
  }
  for (std::size_t i = 0; i + 1 < type->shape.size(); ++i) {
    if (type->shape[i] > 1 && type->shape[i] % 2 == 0) axes.push_back(i);
  }
  return axes;
}
std::uint32_t extents(const Context& context, OpId op) {
  return static_cast<std::uint32_t>(movable_extents(context, op).size());
}
ir::OperationParts reshape_parts(ValueId of, ir::TypeId to) {
  ir::OperationParts parts;
  parts.info = ir::find_op("reshape");
  parts.operands = {of};
  parts.group_sizes[0] = 1;
  parts.results = {to};
  return parts;
}
void other_extents(Edit& edit, OpId op, std::uint32_t variant) {
  const std::size_t axis = movable_extents(edit.context, op)[variant];
  const ValueId view = edit.module.result(op, 0);
  Type type = edit.module.type_of(view);
  type.shape[axis] /= 2;
  type.shape[axis + 1] *= 2;
  edit.set_type(view, type);
  for (const OpId user : edit.context.users(view)) {
    const bool loads = edit.module.op(user).info->is("load_view_tko");
    const ValueId tile = loads ? edit.module.result(user, 0) : edit.module.operand(user, 0);
    const ir::TypeId old = edit.module.value(tile).type;
    Type tile_type = edit.module.type(old);
    tile_type.shape = type.shape;
    const ir::TypeId turned = edit.builder.type(tile_type);
    if (loads) {
      edit.module.values[ir::index(tile)].type = turned;
      edit.builder.after(user);
      const OpId back = edit.builder.insert(reshape_parts(tile, old));
      edit.builder.replace_all_uses(tile, edit.module.result(back, 0));
      edit.set_operand(back, 0, tile);
    } else {
      edit.builder.before(user);
      const OpId turn = edit.builder.insert(reshape_parts(tile, turned));
      edit.set_operand(user, 0, edit.module.result(turn, 0));
    }
  }
}

const Type* tensor_of(const Context& context, OpId op) {
  const ir::Operation& operation = context.module.op(op);
  return context.live(op) && operation.info->is("make_tensor_view")
             ? &context.module.type_of(context.module.result(op, 0))
             : nullptr;
}
/// Gives a tensor view another type, and so the views of it.
void change_tensor(Edit& edit, OpId op, const Type& type) {
  const ValueId tensor = edit.module.result(op, 0);
  edit.set_type(tensor, type);
  for (const OpId user : edit.context.users(tensor)) {
    if (edit.module.op(user).results.count != 1) continue;
    Type view = edit.module.type_of(edit.module.result(user, 0));
    if (!ir::is_view(view.kind)) continue;
    view.element = edit.module.value(tensor).type;
    edit.set_type(edit.module.result(user, 0), view);
  }
}
std::vector<std::size_t> statics(const std::vector<std::int64_t>& numbers) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != ir::kDynamic) found.push_back(i);
  }
  return found;
}
std::uint32_t static_extents(const Context& context, OpId op) {
  const Type* type = tensor_of(context, op);
  return type == nullptr ? 0 : static_cast<std::uint32_t>(statics(type->shape).size());
}
void other_static_extent(Edit& edit, OpId op, std::uint32_t variant) {
  Type type = edit.module.type_of(edit.module.result(op, 0));
  type.shape[statics(type.shape)[variant]] += 1;
  change_tensor(edit, op, type);
}
std::uint32_t static_strides(const Context& context, OpId op) {
  const Type* type = tensor_of(context, op);
  return type == nullptr ? 0 : static_cast<std::uint32_t>(statics(type->strides).size());
}
void other_static_stride(Edit& edit, OpId op, std::uint32_t variant) {
  Type type = edit.module.type_of(edit.module.result(op, 0));
  type.strides[statics(type.strides)[variant]] += 1;
  change_tensor(edit, op, type);
}

/// Extents that only the launch knows, fixed to a number.
std::vector<std::size_t> dynamics(const Type& type) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    if (type.shape[i] == ir::kDynamic) found.push_back(i);
  }
  return found;
}
std::uint32_t dynamic_extents(const Context& context, OpId op) {
  const Type* type = tensor_of(context, op);
  return type == nullptr ? 0 : static_cast<std::uint32_t>(dynamics(*type).size());
}
void fix_extent(Edit& edit, OpId op, std::uint32_t variant) {
  Type type = edit.module.type_of(edit.module.result(op, 0));
  type.shape[dynamics(type)[variant]] = 128;
  const auto shape = edit.module.operands(op, "dynamicShape");
  std::vector<ValueId> kept(shape.begin(), shape.end());
  kept.erase(kept.begin() + variant);
  (void)edit.builder.set_operands(op, "dynamicShape", kept);
  change_tensor(edit, op, type);
}

/// f32 through bf16 and i64 through i32: what a wrong type on the way loses.
std::uint32_t roundings(const Context& context, OpId op) {
  const ir::Operation& operation = context.module.op(op);
  if (!context.live(op) || !is_pure(*operation.info) || operation.results.count != 1) return 0;
  const ValueId result = context.module.result(op, 0);
  if (context.module.type_of(result).kind != TypeKind::tile || !context.used_live(result)) return 0;
  const TypeKind kind = element_kind(context.module, result);
  return kind == TypeKind::f32 || kind == TypeKind::i64 ? 1 : 0;
}
OpId convert(Edit& edit, std::string_view mnemonic, ValueId value, ir::TypeId to) {
  ir::OperationParts parts;
  parts.info = ir::find_op(mnemonic);
  parts.operands = {value};
  parts.group_sizes[0] = 1;
  parts.results = {to};
  if (parts.info->attribute_index("signedness"))
    parts.words[*parts.info->attribute_index("signedness")] = ir::number(ir::kSignedness, "signed");
  return edit.builder.insert(parts);
}
void round_trip(Edit& edit, OpId op, std::uint32_t) {
  const ValueId value = edit.module.result(op, 0);
  const ir::TypeId type = edit.module.value(value).type;
  const bool is_float = element_kind(edit.module, value) == TypeKind::f32;
  const ir::TypeId less =
      edit.builder.tile(is_float ? TypeKind::bf16 : TypeKind::i32, edit.module.type(type).shape);
  edit.builder.after(op);
  const OpId down = convert(edit, is_float ? "ftof" : "trunci", value, less);
  const OpId up = convert(edit, is_float ? "ftof" : "exti", edit.module.result(down, 0), type);
  edit.builder.replace_all_uses(value, edit.module.result(up, 0));
  edit.set_operand(down, 0, value);
  edit.also = {down, up};
}

constexpr std::string_view kViews = "live ops that make a view";
constexpr std::string_view kTensors = "live tensor views";

const KindRow kRows[] = {
    {{"padding", Change::value, kViews}, paddings, other_padding},
    {{"dim_map", Change::value, "live ops that make a view of rank 2 or more"}, dim_maps, other_dim_map},
    {{"traversal_stride", Change::value, "live strided views"}, traversals, other_traversal},
    {{"tile_extent", Change::value, "live views of rank 2 or more that only loads and stores use"},
     extents,
     other_extents},
    {{"static_extent", Change::value, kTensors}, static_extents, other_static_extent},
    {{"static_stride", Change::value, kTensors}, static_strides, other_static_stride},
    {{"extent_fixed", Change::value, "live tensor views with extents that the launch knows"},
     dynamic_extents,
     fix_extent},
    {{"type", Change::value, "live values of f32 and i64 that are used"}, roundings, round_trip},
};

}  // namespace

std::span<const KindRow> type_kinds() { return kRows; }

}  // namespace tileport::mutation
