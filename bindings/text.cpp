// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <tileport/ir/module.hpp>
#include <tileport/text/parse.hpp>
#include <tileport/text/print.hpp>
#include <utility>

#include "diagnostics.hpp"

namespace py = pybind11;
namespace ir = tileport::ir;

namespace {

/// A file may hold any bytes in its names; those that are not UTF-8 survive as surrogates.
py::str to_python(const std::string& text) {
  PyObject* result =
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "surrogateescape");
  if (!result) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(result);
}

std::optional<ir::TypeKind> element_kind(const std::string& keyword) {
  for (int i = 0; i <= static_cast<int>(ir::TypeKind::fnv8E5M3FNU); ++i) {
    if (ir::keyword(static_cast<ir::TypeKind>(i)) == keyword) return static_cast<ir::TypeKind>(i);
  }
  return std::nullopt;
}

}  // namespace

void bind_text(py::module_& core) {
  py::module_ module = core.def_submodule("text", "Prints and parses Tile IR.");
  module.def(
      "print",
      [](const ir::Module& printed, bool locations) {
        return to_python(tileport::text::print(printed, {.locations = locations}));
      },
      py::arg("module"), py::arg("locations"));
  module.def(
      "parse_modules",
      [](const py::bytes& source, const std::string& file,
         std::optional<std::pair<int, int>> version) -> py::object {
        tileport::text::ParseOptions options{.file = file};
        if (version) {
          options.version = ir::Version{static_cast<std::uint8_t>(version->first),
                                        static_cast<std::uint8_t>(version->second)};
        }
        auto modules = tileport::text::parse_modules(std::string_view(source), options);
        if (!modules) return diagnostics_to_python(modules.error());
        py::tuple result(modules->size());
        for (std::size_t i = 0; i < modules->size(); ++i)
          result[i] = py::cast(std::make_shared<ir::Module>(std::move((*modules)[i])));
        return result;
      },
      py::arg("source"), py::arg("file") = "", py::arg("version") = py::none());
  module.def(
      "print_float",
      [](const std::string& type, std::uint64_t bits) -> py::object {
        const auto kind = element_kind(type);
        if (!kind || !ir::is_float(*kind)) return py::none();
        return py::str(tileport::text::print_float(*kind, bits));
      },
      py::arg("type"), py::arg("bits"));
}
