// SPDX-License-Identifier: Apache-2.0
// Building and editing. Types are texts; attributes are what Operation.attributes gives.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <map>
#include <optional>
#include <string>
#include <tileport/ir/builder.hpp>
#include <tileport/ir/type_rules.hpp>
#include <tileport/text/parse.hpp>
#include <tileport/text/print.hpp>
#include <utility>
#include <vector>

#include "diagnostics.hpp"
#include "ir_handles.hpp"

namespace {

using tileport::Diagnostics;
using tileport::Result;

/// The Python module makes an exception of it: its argument is the list of diagnostics.
[[noreturn]] void raise(const Diagnostics& diagnostics) {
  const py::object error = py::module_::import("tileport.ir").attr("BuildError");
  PyErr_SetObject(error.ptr(), error(diagnostics_to_python(diagnostics)).ptr());
  throw py::error_already_set();
}

[[noreturn]] void raise(std::string code, std::string message) {
  raise({{.code = std::move(code), .message = std::move(message)}});
}

template <class T>
T value_or_raise(Result<T> result) {
  if (!result) raise(result.error());
  return std::move(*result);
}

void done_or_raise(const Result<void>& result) {
  if (!result) raise(result.error());
}

class PythonBuilder {
 public:
  explicit PythonBuilder(ModulePtr module) : module_(std::move(module)), builder_(*module_) {}

  const ModulePtr& module() const { return module_; }

  ir::TypeId type(const std::string& text) {
    return value_or_raise(tileport::text::parse_type(text, builder_));
  }

  std::vector<ir::TypeId> types(const std::vector<std::string>& texts) {
    std::vector<ir::TypeId> all;
    for (const std::string& text : texts) all.push_back(type(text));
    return all;
  }

  FunctionHandle kernel(const std::string& name, const std::vector<std::string>& parameters) {
    return {module_, builder_.kernel(name, types(parameters))};
  }

  void global(const std::string& name, const std::string& type_text, const py::bytes& data,
              std::uint64_t alignment, bool is_private, bool is_constant) {
    const ir::TypeId tile = type(type_text);
    const std::size_t number = builder_.global(name, tile, constant(tile, data));
    module_->globals[number].alignment = alignment;
    module_->globals[number].is_private = is_private;
    module_->globals[number].is_constant = is_constant;
  }

  OpHandle op(const std::string& mnemonic, const std::map<std::string, py::object>& operands,
              const std::vector<std::string>& results, const py::dict& attributes) {
    if (ir::index(builder_.block()) == ir::kNone) raise("TP-I0009", "there is no place where ops go yet");
    ir::OperationDescription description;
    description.mnemonic = mnemonic;
    for (const auto& [group, content] : operands) description.operands.push_back({group, values(content)});
    description.results = types(results);
    const ir::OpInfo* info = ir::find_op(mnemonic);
    std::vector<std::string> names;
    names.reserve(attributes.size());
    for (const auto& [key, content] : attributes) {
      names.push_back(py::cast<std::string>(key));
      description.attributes.push_back(
          {names.back(),
           attribute(info, names.back(), py::reinterpret_borrow<py::object>(content), description.results)});
    }
    return {module_, value_or_raise(builder_.op(description))};
  }

  BlockHandle body(const OpHandle& op, std::size_t region, const std::vector<std::string>& arguments) {
    own(op.module);
    const auto all = op.get().regions;
    if (region >= all.count || module_->body(op.id, region))
      raise("TP-I0003", "the op has no such region, or it has a body already");
    return {module_, builder_.body(op.id, region, types(arguments))};
  }

  void to_end_of(const BlockHandle& block) {
    own(block.module);
    builder_.to_end_of(block.id);
  }
  void to_end_of(const FunctionHandle& function) {
    own(function.module);
    builder_.to_end_of(function.get().body);
  }
  void before(const OpHandle& op) { builder_.before(standing(op)); }
  void after(const OpHandle& op) { builder_.after(standing(op)); }

  void set_operands(const OpHandle& op, const std::string& group, const py::object& content) {
    done_or_raise(builder_.set_operands(standing(op), group, values(content)));
  }
  void set_attribute(const OpHandle& op, const std::string& name, const py::object& content) {
    std::vector<ir::TypeId> results;
    if (op.get().results.count != 0) results.push_back(module_->value(module_->result(op.id, 0)).type);
    done_or_raise(
        builder_.set_attribute(standing(op), name, attribute(op.get().info, name, content, results)));
  }
  void set_hints(const FunctionHandle& function, const py::dict& content) {
    own(function.module);
    module_->functions[function.number].hints = builder_.hints(entries(content));
  }
  void set_location(const FunctionHandle& function, const std::string& file, std::uint32_t line,
                    std::uint32_t column) {
    own(function.module);
    builder_.set_location(function.number, file, line, column);
  }
  void set_location(const OpHandle& op, const std::string& file, std::uint32_t line, std::uint32_t column) {
    done_or_raise(builder_.set_location(standing(op), file, line, column));
  }
  void remove_attribute(const OpHandle& op, const std::string& name) {
    done_or_raise(builder_.remove_attribute(standing(op), name));
  }
  std::size_t replace_all_uses(const ValueHandle& from, const ValueHandle& to) {
    own(from.module);
    own(to.module);
    return builder_.replace_all_uses(from.id, to.id);
  }
  std::vector<std::pair<OpHandle, std::uint32_t>> uses(const ValueHandle& value) {
    own(value.module);
    std::vector<std::pair<OpHandle, std::uint32_t>> all;
    for (const ir::Use& use : builder_.uses(value.id)) all.push_back({{module_, use.op}, use.operand});
    return all;
  }
  void erase(const OpHandle& op) { done_or_raise(builder_.erase(standing(op))); }

 private:
  void own(const ModulePtr& module) const {
    if (module != module_) raise("TP-I0010", "this is a part of another module");
  }
  ir::OpId standing(const OpHandle& op) const {
    own(op.module);
    if (ir::index(op.get().parent) == ir::kNone) raise("TP-I0010", "the op was erased");
    return op.id;
  }

  /// One value, or a list of them.
  std::vector<ir::ValueId> values(const py::object& content) const {
    std::vector<ValueHandle> all;
    if (py::isinstance<ValueHandle>(content)) {
      all.push_back(py::cast<ValueHandle>(content));
    } else {
      all = py::cast<std::vector<ValueHandle>>(content);
    }
    std::vector<ir::ValueId> ids;
    for (const ValueHandle& value : all) {
      own(value.module);
      ids.push_back(value.id);
    }
    return ids;
  }

  /// Bytes of one element, or of all.
  ir::ConstantId constant(ir::TypeId type, const std::string& data) {
    const ir::Type& tile = module_->type(type);
    const ir::TypeKind element =
        tile.kind == ir::TypeKind::tile ? module_->type(tile.element).kind : tile.kind;
    if (tile.kind != ir::TypeKind::tile || !ir::is_element(element))
      raise("TP-I0005", "a constant's type must be a tile of integers or floats");
    if (!ir::fills_tile(data.size(), element, tile))
      raise("TP-I0005", "the bytes of a constant are neither one element nor all of them");
    return builder_.constant(data);
  }

  ir::AttributeContent attribute(const ir::OpInfo* info, const std::string& name, const py::object& content,
                                 const std::vector<ir::TypeId>& results) {
    const auto number = info ? info->attribute_index(name) : std::nullopt;
    if (!number) return plain(content);
    switch (info->attributes[*number].encoding) {
      case ir::Encoding::type:
        return type(py::cast<std::string>(py::str(content)));
      case ir::Encoding::constant: {
        const py::object data = py::isinstance<py::dict>(content) ? content["data"] : content;
        if (results.empty()) raise("TP-I0004", "a constant needs the type of its result");
        if (!py::isinstance<py::bytes>(data)) raise("TP-I0005", "'" + name + "' must be bytes");
        return constant(results.front(), py::cast<std::string>(data));
      }
      case ir::Encoding::optimization_hints:
        if (!py::isinstance<py::dict>(content)) raise("TP-I0005", "'" + name + "' must be a dict of dicts");
        return builder_.hints(entries(content));
      case ir::Encoding::attribute_array:
      case ir::Encoding::attribute:
        return tagged(content);
      default:
        return plain(content);
    }
  }

  /// By its own kind; the builder tells what does not fit.
  static ir::AttributeContent plain(const py::object& content) {
    if (py::isinstance<py::bool_>(content)) return py::cast<bool>(content);
    if (py::isinstance<py::int_>(content)) return py::cast<std::int64_t>(content);
    if (py::isinstance<py::list>(content) || py::isinstance<py::tuple>(content))
      return py::cast<std::vector<std::int64_t>>(content);
    return py::cast<std::string>(py::str(content));
  }

  std::vector<std::pair<std::string, ir::AttributeId>> entries(const py::object& content) {
    std::vector<std::pair<std::string, ir::AttributeId>> all;
    for (const auto& [key, item] : py::cast<py::dict>(content))
      all.emplace_back(py::cast<std::string>(key), tagged(py::reinterpret_borrow<py::object>(item)));
    return all;
  }

  static std::optional<std::int64_t> optional_number(const py::dict& content, const char* key) {
    if (!content.contains(key) || content[key].is_none()) return std::nullopt;
    return py::cast<std::int64_t>(content[key]);
  }

  ir::AttributeId predicate(const py::dict& content) {
    const auto kind = py::cast<std::string>(content["kind"]);
    if (kind == "div_by") {
      return builder_.div_by(py::cast<std::uint64_t>(content["divisor"]), optional_number(content, "every"),
                             optional_number(content, "along"));
    }
    if (kind == "bounded")
      return builder_.bounded(optional_number(content, "lower"), optional_number(content, "upper"));
    if (kind == "same_elements")
      return builder_.same_elements(py::cast<std::vector<std::int64_t>>(content["groups"]));
    raise("TP-I0005", "'" + kind + "' is no predicate");
  }

  ir::AttributeId tagged(const py::object& content) {
    if (py::isinstance<py::bool_>(content)) return builder_.boolean(py::cast<bool>(content));
    if (py::isinstance<py::int_>(content))
      return builder_.integer(ir::TypeKind::i32, py::cast<std::int64_t>(content));
    if (py::isinstance<py::str>(content)) return builder_.text(py::cast<std::string>(content));
    if (py::isinstance<py::list>(content) || py::isinstance<py::tuple>(content)) {
      std::vector<ir::AttributeId> items;
      for (const py::handle item : content) items.push_back(tagged(py::reinterpret_borrow<py::object>(item)));
      return builder_.array(std::move(items));
    }
    const auto dictionary = py::cast<py::dict>(content);
    if (dictionary.contains("kind")) return predicate(dictionary);
    if (!dictionary.contains("type")) return builder_.dictionary(entries(content));
    const ir::TypeKind kind = module_->type(type(py::cast<std::string>(dictionary["type"]))).kind;
    if (dictionary.contains("bits"))
      return builder_.floating(kind, py::cast<std::uint64_t>(dictionary["bits"]));
    return builder_.integer(kind, py::cast<std::int64_t>(dictionary["value"]));
  }

  ModulePtr module_;
  ir::Builder builder_;
};

/// NumPy's type of an element; those that it has not are unsigned integers of the same size, tf32 three
/// bytes.
py::dtype element_dtype(ir::TypeKind kind) {
  switch (kind) {
    case ir::TypeKind::i8:
    case ir::TypeKind::i4:
      return py::dtype("i1");
    case ir::TypeKind::i16:
      return py::dtype("<i2");
    case ir::TypeKind::i32:
      return py::dtype("<i4");
    case ir::TypeKind::i64:
      return py::dtype("<i8");
    case ir::TypeKind::f16:
      return py::dtype("<f2");
    case ir::TypeKind::bf16:
      return py::dtype("<u2");
    case ir::TypeKind::f32:
      return py::dtype("<f4");
    case ir::TypeKind::f64:
      return py::dtype("<f8");
    case ir::TypeKind::tf32:
      return py::dtype("V3");
    default:
      return py::dtype("u1");
  }
}

/// A read-only array over the module's own bytes. Short strings live inside of their table, which moves when
/// a constant is added, so they are copied; bits are unpacked.
py::object constant_array(const OpHandle& op) {
  const auto word = op.get().info->is("constant") ? op.module->word(op.id, "value") : std::nullopt;
  if (!word) return py::none();
  const std::string& raw = op.module->constants[*word];
  const ir::Type& tile = op.module->type_of(op.module->result(op.id, 0));
  const ir::TypeKind kind = op.module->type(tile.element).kind;
  const std::vector<py::ssize_t> shape(tile.shape.begin(), tile.shape.end());
  const std::uint64_t count = ir::element_count(tile);
  const auto numpy = py::module_::import("numpy");
  if (kind == ir::TypeKind::i1) {
    const py::array packed(py::dtype("u1"), raw.size(), raw.data());
    const py::object bits =
        numpy.attr("unpackbits")(packed, py::arg("bitorder") = "little").attr("astype")("?");
    const bool splat = raw.size() == 1 && count > 8;
    const py::object used = bits[py::slice(0, splat ? 1 : static_cast<py::ssize_t>(count), 1)];
    return splat ? numpy.attr("broadcast_to")(used[py::int_(0)], shape) : used.attr("reshape")(shape);
  }
  const py::dtype dtype = element_dtype(kind);
  const bool splat = raw.size() == static_cast<std::size_t>(dtype.itemsize());
  constexpr std::size_t kInside = 16;
  const bool copied = raw.size() < kInside;
  const py::array flat =
      copied ? py::array(dtype, raw.size() / dtype.itemsize(), raw.data())
             : py::array(dtype, raw.size() / dtype.itemsize(), raw.data(), py::cast(op.module));
  flat.attr("setflags")(py::arg("write") = false);
  return splat ? numpy.attr("broadcast_to")(flat[py::int_(0)], shape) : flat.attr("reshape")(shape);
}

}  // namespace

void bind_builder(py::module_& module) {
  module.def(
      "new_module",
      [](std::pair<int, int> version) {
        auto made = std::make_shared<ir::Module>();
        made->version = {static_cast<std::uint8_t>(version.first), static_cast<std::uint8_t>(version.second)};
        return made;
      },
      py::arg("version"));
  module.def("constant_array", &constant_array, py::arg("op"));
  py::class_<PythonBuilder>(module, "Builder")
      .def(py::init<ModulePtr>(), py::arg("module"))
      .def_property_readonly("module", &PythonBuilder::module)
      .def("kernel", &PythonBuilder::kernel, py::arg("name"), py::arg("parameters"))
      .def("add_global", &PythonBuilder::global, py::arg("name"), py::arg("type"), py::arg("data"),
           py::arg("alignment") = 0, py::arg("private") = false, py::arg("constant") = false)
      .def("op", &PythonBuilder::op, py::arg("mnemonic"), py::arg("operands") = py::dict(),
           py::arg("results") = std::vector<std::string>{}, py::arg("attributes") = py::dict())
      .def("body", &PythonBuilder::body, py::arg("op"), py::arg("region") = 0,
           py::arg("arguments") = std::vector<std::string>{})
      .def("to_end_of", py::overload_cast<const BlockHandle&>(&PythonBuilder::to_end_of), py::arg("place"))
      .def("to_end_of", py::overload_cast<const FunctionHandle&>(&PythonBuilder::to_end_of), py::arg("place"))
      .def("before", &PythonBuilder::before, py::arg("op"))
      .def("after", &PythonBuilder::after, py::arg("op"))
      .def("set_operands", &PythonBuilder::set_operands, py::arg("op"), py::arg("group"), py::arg("values"))
      .def("set_attribute", &PythonBuilder::set_attribute, py::arg("op"), py::arg("name"), py::arg("content"))
      .def("set_hints", &PythonBuilder::set_hints, py::arg("function"), py::arg("hints"))
      .def("set_location",
           py::overload_cast<const FunctionHandle&, const std::string&, std::uint32_t, std::uint32_t>(
               &PythonBuilder::set_location),
           py::arg("place"), py::arg("file"), py::arg("line"), py::arg("column"))
      .def("set_location",
           py::overload_cast<const OpHandle&, const std::string&, std::uint32_t, std::uint32_t>(
               &PythonBuilder::set_location),
           py::arg("place"), py::arg("file"), py::arg("line"), py::arg("column"))
      .def("remove_attribute", &PythonBuilder::remove_attribute, py::arg("op"), py::arg("name"))
      .def("replace_all_uses", &PythonBuilder::replace_all_uses, py::arg("old"), py::arg("new"))
      .def("uses", &PythonBuilder::uses, py::arg("value"))
      .def("erase", &PythonBuilder::erase, py::arg("op"));
}
