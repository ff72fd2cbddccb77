// SPDX-License-Identifier: Apache-2.0
#include "diff/table_import.hpp"

namespace tileport::diff {

ir::TypeId TableImport::type(ir::TypeId id) {
  const auto known = types_.find(static_cast<std::uint32_t>(id));
  if (known != types_.end()) return known->second;
  ir::Type made = from_.type(id);
  const bool nested =
      !ir::is_element(made.kind) && made.kind != ir::TypeKind::token && made.kind != ir::TypeKind::function;
  if (nested) made.element = type(made.element);
  for (ir::TypeId& input : made.inputs) input = type(input);
  for (ir::TypeId& result : made.results) result = type(result);
  const ir::TypeId imported = into_.type(made);
  types_.emplace(static_cast<std::uint32_t>(id), imported);
  return imported;
}

ir::AttributeId TableImport::attribute(ir::AttributeId id) {
  using Kind = ir::Attribute::Kind;
  ir::Attribute made = from_.attribute(id);
  if (made.kind == Kind::integer || made.kind == Kind::floating || made.kind == Kind::type_attribute)
    made.type = type(made.type);
  if (made.kind == Kind::string) made.string = string(made.string);
  for (ir::StringId& key : made.keys) key = string(key);
  for (ir::AttributeId& item : made.items) item = attribute(item);
  return into_.attribute(std::move(made));
}

ir::AttributeSlot TableImport::slot(const ir::AttributeInfo& info, ir::AttributeSlot slot) {
  if (!slot.present) return slot;
  const auto number = static_cast<std::uint32_t>(slot.word);
  switch (info.encoding) {
    case ir::Encoding::enumeration:
    case ir::Encoding::integer:
    case ir::Encoding::boolean:
      break;
    case ir::Encoding::string:
      slot.word = static_cast<std::uint64_t>(string(ir::StringId{number}));
      break;
    case ir::Encoding::type:
      slot.word = static_cast<std::uint64_t>(type(ir::TypeId{number}));
      break;
    case ir::Encoding::constant:
      slot.word = static_cast<std::uint64_t>(constant(ir::ConstantId{number}));
      break;
    default:
      slot.word = ir::index(attribute(ir::AttributeId{number}));
      break;
  }
  return slot;
}

}  // namespace tileport::diff
