// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <tileport/ir/equality.hpp>
#include <tileport/text/print.hpp>
#include <vector>

#include "ir_handles.hpp"

namespace {

py::object location(const ModulePtr& module, ir::DebugId id, std::size_t frame = 0) {
  if (ir::index(id) == 0 || frame >= module->frames(id).size()) return py::none();
  return py::cast(LocationHandle{module, id, frame});
}

std::vector<ValueHandle> handles(const ModulePtr& module, std::span<const ir::ValueId> ids) {
  std::vector<ValueHandle> result;
  for (ir::ValueId id : ids) result.push_back({module, id});
  return result;
}

std::vector<ValueHandle> handles(const ModulePtr& module, ir::Range range) {
  std::vector<ValueHandle> result;
  for (std::uint32_t i = 0; i < range.count; ++i) result.push_back({module, ir::ValueId{range.first + i}});
  return result;
}

std::vector<OpHandle> ops_of(const ModulePtr& module, ir::BlockId block) {
  std::vector<OpHandle> result;
  for (ir::OpId id : module->block(block).ops) result.push_back({module, id});
  return result;
}

std::vector<OpHandle> walk(const ModulePtr& module, ir::BlockId block) {
  std::vector<OpHandle> result;
  ir::walk(*module, block, [&](ir::OpId id) { result.push_back({module, id}); });
  return result;
}

py::object optional_int(const std::optional<std::int64_t>& number) {
  return number ? py::object(py::int_(*number)) : py::none();
}

py::dict constant(const ir::Module& module, ir::ConstantId id, ir::TypeId type) {
  py::dict result;
  result["type"] = tileport::text::print(module, type);
  result["data"] = py::bytes(module.constants[static_cast<std::size_t>(id)]);
  return result;
}

py::object to_python(const ir::Module& module, const ir::Attribute& attribute);

py::dict dictionary(const ir::Module& module, const ir::Attribute& attribute) {
  py::dict result;
  for (std::size_t i = 0; i < attribute.keys.size(); ++i) {
    result[text(module.string(attribute.keys[i]))] = to_python(module, module.attribute(attribute.items[i]));
  }
  return result;
}

py::dict number(const ir::Module& module, const ir::Attribute& attribute) {
  const ir::TypeKind kind = module.type(attribute.type).kind;
  py::dict result;
  result["type"] = std::string(ir::keyword(kind));
  if (ir::is_float(kind)) {
    result["bits"] = attribute.bits;
    result["text"] = tileport::text::print_float(kind, attribute.bits);
  } else {
    const unsigned unused = 64 - ir::bit_width(kind);
    result["value"] = static_cast<std::int64_t>(attribute.bits << unused) >> unused;
  }
  return result;
}

py::object to_python(const ir::Module& module, const ir::Attribute& attribute) {
  using Kind = ir::Attribute::Kind;
  py::dict predicate;
  switch (attribute.kind) {
    case Kind::integer:
    case Kind::floating:
      return number(module, attribute);
    case Kind::boolean:
      return py::bool_(attribute.bits != 0);
    case Kind::type_attribute:
      return py::str(tileport::text::print(module, attribute.type));
    case Kind::string:
      return text(module.string(attribute.string));
    case Kind::array: {
      py::list items;
      for (ir::AttributeId item : attribute.items) items.append(to_python(module, module.attribute(item)));
      return items;
    }
    case Kind::dictionary:
    case Kind::optimization_hints:
      return dictionary(module, attribute);
    case Kind::number_list:
      return py::cast(attribute.numbers);
    case Kind::div_by:
      predicate["kind"] = "div_by";
      predicate["divisor"] = attribute.bits;
      predicate["every"] = optional_int(attribute.first);
      predicate["along"] = optional_int(attribute.second);
      return predicate;
    case Kind::same_elements:
      predicate["kind"] = "same_elements";
      predicate["groups"] = attribute.numbers;
      return predicate;
    case Kind::bounded:
      predicate["kind"] = "bounded";
      predicate["lower"] = optional_int(attribute.first);
      predicate["upper"] = optional_int(attribute.second);
      return predicate;
  }
  return py::none();
}

py::object to_python(const OpHandle& op, const ir::AttributeInfo& info, std::uint64_t word) {
  const ir::Module& module = *op.module;
  switch (info.encoding) {
    case ir::Encoding::enumeration:
      return py::str(std::string(info.enumeration->values[word]));
    case ir::Encoding::integer:
      return py::int_(word);
    case ir::Encoding::boolean:
      return py::bool_(word != 0);
    case ir::Encoding::string:
      return text(module.string(static_cast<ir::StringId>(word)));
    case ir::Encoding::type:
      return py::str(tileport::text::print(module, static_cast<ir::TypeId>(word)));
    case ir::Encoding::constant:
      return constant(module, static_cast<ir::ConstantId>(word), module.value(module.result(op.id, 0)).type);
    case ir::Encoding::boolean_array: {
      py::list entries;
      for (std::int64_t entry : module.attributes[word].numbers) entries.append(entry != 0);
      return entries;
    }
    default:
      return to_python(module, module.attributes[word]);
  }
}

py::dict attributes(const OpHandle& op) {
  py::dict result;
  const ir::OpInfo& info = *op.get().info;
  for (std::size_t i = 0; i < info.attributes.size(); ++i) {
    const auto word = op.module->word(op.id, info.attributes[i].name);
    if (word)
      result[py::str(std::string(info.attributes[i].name))] = to_python(op, info.attributes[i], *word);
  }
  return result;
}

py::list flags(const OpHandle& op) {
  py::list result;
  const ir::OpInfo& info = *op.get().info;
  for (std::size_t i = 0; i < info.flags.size(); ++i) {
    const bool unit = info.flags[i].kind == ir::FlagInfo::Kind::unit_attribute;
    if (unit && (op.get().flags >> i & 1U) != 0) result.append(std::string(info.flags[i].name));
  }
  return result;
}

py::dict operand_groups(const OpHandle& op) {
  py::dict result;
  const ir::OpInfo& info = *op.get().info;
  for (std::size_t i = 0; i < info.operands.size(); ++i) {
    result[py::str(std::string(info.operands[i].name))] = handles(op.module, op.module->operands(op.id, i));
  }
  return result;
}

std::vector<std::optional<BlockHandle>> regions(const OpHandle& op) {
  std::vector<std::optional<BlockHandle>> result;
  for (std::uint32_t i = 0; i < op.get().regions.count; ++i) {
    const auto body = op.module->body(op.id, i);
    result.push_back(body ? std::optional(BlockHandle{op.module, *body}) : std::nullopt);
  }
  return result;
}

void bind_module(py::module_& module) {
  py::class_<ir::Module, ModulePtr>(module, "Module")
      .def_property_readonly(
          "version", [](const ir::Module& m) { return py::make_tuple(m.version.major, m.version.minor); })
      .def_readonly("file", &ir::Module::file)
      .def_property_readonly("producer",
                             [](const ir::Module& m) -> py::object {
                               return m.producer ? py::object(text(m.string(*m.producer))) : py::none();
                             })
      .def_property_readonly("functions",
                             [](const ModulePtr& m) {
                               std::vector<FunctionHandle> result;
                               for (std::size_t i = 0; i < m->functions.size(); ++i) result.push_back({m, i});
                               return result;
                             })
      .def_property_readonly("globals",
                             [](const ir::Module& m) {
                               py::list result;
                               for (const ir::Global& global : m.globals) {
                                 py::dict row = constant(m, global.value, global.type);
                                 row["name"] = text(m.string(global.name));
                                 row["alignment"] = global.alignment;
                                 row["private"] = global.is_private;
                                 row["constant"] = global.is_constant;
                                 result.append(row);
                               }
                               return result;
                             })
      .def("walk",
           [](const ModulePtr& m) {
             std::vector<OpHandle> result;
             for (const ir::Function& function : m->functions) {
               ir::walk(*m, function.body, [&](ir::OpId id) { result.push_back({m, id}); });
             }
             return result;
           })
      .def("__str__", [](const ir::Module& m) { return text(tileport::text::print(m)); })
      .def("__repr__", [](const ir::Module& m) {
        return "<tileport.ir.Module of " + std::to_string(m.ops.size()) + " ops>";
      });
  py::class_<FunctionHandle>(module, "Function")
      .def_property_readonly("name",
                             [](const FunctionHandle& f) { return text(f.module->string(f.get().name)); })
      .def_property_readonly(
          "arguments",
          [](const FunctionHandle& f) { return handles(f.module, f.module->block(f.get().body).arguments); })
      .def_property_readonly("ops", [](const FunctionHandle& f) { return ops_of(f.module, f.get().body); })
      .def("walk", [](const FunctionHandle& f) { return walk(f.module, f.get().body); })
      .def_property_readonly(
          "hints",
          [](const FunctionHandle& f) {
            return f.get().hints ? dictionary(*f.module, f.module->attribute(*f.get().hints)) : py::dict();
          })
      .def_property_readonly("location",
                             [](const FunctionHandle& f) { return location(f.module, f.get().location); });
}

void bind_operation(py::module_& module) {
  py::class_<OpHandle>(module, "Operation")
      .def_property_readonly("mnemonic",
                             [](const OpHandle& op) { return std::string(op.get().info->mnemonic); })
      .def_property_readonly("family",
                             [](const OpHandle& op) { return std::string(ir::name(op.get().info->family)); })
      .def_property_readonly(
          "operands", [](const OpHandle& op) { return handles(op.module, op.module->operands(op.id)); })
      .def_property_readonly("operand_groups", &operand_groups)
      .def_property_readonly("results",
                             [](const OpHandle& op) { return handles(op.module, op.get().results); })
      .def_property_readonly("attributes", &attributes)
      .def_property_readonly("flags", &flags)
      .def_property_readonly("regions", &regions)
      .def_property_readonly("location",
                             [](const OpHandle& op) { return location(op.module, op.get().location); })
      .def_property_readonly("path", [](const OpHandle& op) { return text(op.module->access_path(op.id)); })
      .def("__eq__",
           [](const OpHandle& a, const OpHandle& b) { return a.module == b.module && a.id == b.id; })
      .def("__hash__", [](const OpHandle& op) { return ir::index(op.id); })
      .def("__repr__", [](const OpHandle& op) { return text("<" + op.module->access_path(op.id) + ">"); });
  py::class_<BlockHandle>(module, "Block")
      .def_property_readonly(
          "arguments",
          [](const BlockHandle& b) { return handles(b.module, b.module->block(b.id).arguments); })
      .def_property_readonly("ops", [](const BlockHandle& b) { return ops_of(b.module, b.id); })
      .def("walk", [](const BlockHandle& b) { return walk(b.module, b.id); });
}

void bind_value(py::module_& module) {
  py::class_<ValueHandle>(module, "Value")
      .def_property_readonly(
          "type",
          [](const ValueHandle& v) { return tileport::text::print(*v.module, v.module->value(v.id).type); })
      .def_property_readonly("index", [](const ValueHandle& v) { return v.module->value(v.id).index; })
      .def_property_readonly("producer",
                             [](const ValueHandle& v) -> py::object {
                               const auto op = v.module->producer_of(v.id);
                               return op ? py::cast(OpHandle{v.module, *op}) : py::none();
                             })
      .def("__eq__",
           [](const ValueHandle& a, const ValueHandle& b) { return a.module == b.module && a.id == b.id; })
      .def("__hash__", [](const ValueHandle& v) { return ir::index(v.id); });
  py::class_<LocationHandle>(module, "Location")
      .def_property_readonly("file", [](const LocationHandle& l) { return text(l.get().file); })
      .def_property_readonly("function", [](const LocationHandle& l) { return text(l.get().function); })
      .def_property_readonly("line", [](const LocationHandle& l) { return l.get().line; })
      .def_property_readonly("column", [](const LocationHandle& l) { return l.get().column; })
      .def_property_readonly("inlined_at",
                             [](const LocationHandle& l) { return location(l.module, l.id, l.frame + 1); })
      .def("__repr__", [](const LocationHandle& l) {
        const ir::SourceLocation place = l.get();
        return text(std::string(place.file) + ":" + std::to_string(place.line) + ":" +
                    std::to_string(place.column));
      });
}

py::tuple version_tuple(ir::Version version) { return py::make_tuple(version.major, version.minor); }

template <class List>
py::list groups(const List& list) {
  constexpr const char* kArities[] = {"one", "optional", "variadic"};
  py::list all;
  for (const ir::GroupInfo& group : list) {
    py::dict entry;
    entry["name"] = std::string(group.name);
    entry["arity"] = kArities[static_cast<std::size_t>(group.arity)];
    entry["since"] = version_tuple(group.since);
    all.append(entry);
  }
  return all;
}

py::dict attribute_entry(const ir::AttributeInfo& attribute) {
  py::dict entry;
  entry["name"] = std::string(attribute.name);
  entry["optional"] = attribute.optional;
  entry["since"] = version_tuple(attribute.since);
  py::dict enumerators;
  if (attribute.enumeration) {
    const ir::Enumeration& all = *attribute.enumeration;
    for (std::size_t i = 0; i < all.values.size(); ++i) {
      const std::uint8_t minor = i < all.newer_from ? 1 : all.newer_minor;
      enumerators[py::str(std::string(all.values[i]))] = version_tuple({13, minor});
    }
  }
  entry["enumerators"] = enumerators;
  return entry;
}

py::list op_table() {
  py::list result;
  for (const ir::OpInfo* info : ir::all_ops()) {
    py::dict row;
    row["mnemonic"] = std::string(info->mnemonic);
    row["opcode"] = info->opcode;
    row["family"] = std::string(ir::name(info->family));
    row["since"] = version_tuple(info->since);
    row["regions"] = info->regions;
    row["results"] = groups(info->results);
    row["operands"] = groups(info->operands);
    py::list attributes;
    for (const ir::AttributeInfo& attribute : info->attributes) attributes.append(attribute_entry(attribute));
    row["attributes"] = attributes;
    py::list units;
    for (const ir::FlagInfo& flag : info->flags) {
      if (flag.kind == ir::FlagInfo::Kind::unit_attribute) units.append(std::string(flag.name));
    }
    row["units"] = units;
    result.append(row);
  }
  return result;
}

}  // namespace

void bind_ir(py::module_& core) {
  py::module_ module = core.def_submodule("ir", "Tile IR modules.");
  bind_value(module);
  bind_operation(module);
  bind_module(module);
  module.def("op_table", &op_table);
  module.def(
      "first_difference",
      [](const ir::Module& left, const ir::Module& right) { return ir::first_difference(left, right); },
      py::arg("left"), py::arg("right"));
  bind_builder(module);
}
