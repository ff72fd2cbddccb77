// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <span>
#include <string>
#include <tileport/bytecode/read.hpp>
#include <utility>

#include "diagnostics.hpp"

namespace py = pybind11;

namespace {

/// The module, or the list of diagnostics that say why there is none.
py::object to_python(tileport::Result<tileport::ir::Module> result) {
  if (!result) return diagnostics_to_python(result.error());
  return py::cast(std::make_shared<tileport::ir::Module>(std::move(*result)));
}

}  // namespace

void bind_bytecode(py::module_& core) {
  py::module_ module = core.def_submodule("bytecode", "Reads Tile IR bytecode.");
  module.def(
      "read",
      [](const py::bytes& data, const std::string& file) {
        const std::string_view bytes = data;
        return to_python(tileport::bytecode::read(std::as_bytes(std::span(bytes)), file));
      },
      py::arg("data"), py::arg("file") = "");
  module.def(
      "read_file", [](const std::string& path) { return to_python(tileport::bytecode::read_file(path)); },
      py::arg("path"));
}
