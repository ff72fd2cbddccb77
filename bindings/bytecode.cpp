// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tileport/bytecode/read.hpp>
#include <tileport/bytecode/write.hpp>
#include <utility>

#include "diagnostics.hpp"

namespace py = pybind11;
namespace bytecode = tileport::bytecode;
namespace ir = tileport::ir;

namespace {

/// The module, or the list of diagnostics that say why there is none.
py::object to_python(tileport::Result<ir::Module> result) {
  if (!result) return diagnostics_to_python(result.error());
  return py::cast(std::make_shared<ir::Module>(std::move(*result)));
}

py::object to_python(tileport::Result<bytecode::Document> result) {
  if (!result) return diagnostics_to_python(result.error());
  return py::make_tuple(std::make_shared<ir::Module>(std::move(result->module)), std::move(result->layout));
}

py::object to_python(const tileport::Result<std::string>& result) {
  if (!result) return diagnostics_to_python(result.error());
  return py::bytes(*result);
}

std::span<const std::byte> bytes_of(const py::bytes& data) {
  return std::as_bytes(std::span(std::string_view(data)));
}

}  // namespace

void bind_bytecode(py::module_& core) {
  py::module_ module = core.def_submodule("bytecode", "Reads and writes Tile IR bytecode.");
  py::class_<bytecode::Layout>(module, "Layout").def(py::init<>());
  module.def(
      "read",
      [](const py::bytes& data, const std::string& file) {
        return to_python(bytecode::read(bytes_of(data), file));
      },
      py::arg("data"), py::arg("file") = "");
  module.def(
      "read_file", [](const std::string& path) { return to_python(bytecode::read_file(path)); },
      py::arg("path"));
  module.def(
      "read_document",
      [](const py::bytes& data, const std::string& file) {
        return to_python(bytecode::read_document(bytes_of(data), file));
      },
      py::arg("data"), py::arg("file") = "");
  module.def(
      "write_faithful",
      [](const ir::Module& written, const bytecode::Layout& layout) {
        return to_python(bytecode::write_faithful(written, layout));
      },
      py::arg("module"), py::arg("layout"));
  module.def(
      "write_canonical",
      [](const ir::Module& written, std::optional<std::pair<std::uint8_t, std::uint8_t>> version,
         bool debug_info) {
        bytecode::CanonicalOptions options{.debug_info = debug_info};
        if (version) options.version = ir::Version{version->first, version->second};
        return to_python(bytecode::write_canonical(written, options));
      },
      py::arg("module"), py::arg("version"), py::arg("debug_info"));
}
