// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <span>
#include <string_view>
#include <tileport/cubin/compare.hpp>

#include "diagnostics.hpp"

namespace py = pybind11;
namespace cubin = tileport::cubin;

namespace {

std::span<const std::byte> span_of(const py::bytes& data) {
  const std::string_view bytes = data;
  return std::as_bytes(std::span(bytes));
}

py::dict to_python(const cubin::KernelSummary& kernel) {
  py::dict result;
  result["name"] = kernel.name;
  result["instructions"] = kernel.instructions;
  result["registers"] = kernel.registers;
  result["shared_bytes"] = kernel.shared_bytes;
  return result;
}

py::object summarize(const py::bytes& data) {
  const auto kernels = cubin::summarize(span_of(data));
  if (!kernels) return py::make_tuple(py::none(), diagnostics_to_python(kernels.error()));
  py::list result;
  for (const cubin::KernelSummary& kernel : *kernels) result.append(to_python(kernel));
  return py::make_tuple(result, py::none());
}

py::object compare(const py::bytes& reference, const py::bytes& port) {
  const auto a = span_of(reference);
  const auto b = span_of(port);
  std::optional<tileport::Result<cubin::Comparison>> comparison;
  {
    const py::gil_scoped_release release;
    comparison = cubin::compare(a, b);
  }
  if (!*comparison) return py::make_tuple(py::none(), diagnostics_to_python(comparison->error()));
  py::dict result;
  result["identical"] = (*comparison)->identical;
  result["reference"] = to_python((*comparison)->reference);
  result["port"] = to_python((*comparison)->port);
  py::list differences;
  for (const cubin::Difference& difference : (*comparison)->differences) {
    py::dict row;
    row["what"] = difference.what;
    row["reference"] = difference.reference;
    row["port"] = difference.port;
    differences.append(row);
  }
  result["differences"] = differences;
  return py::make_tuple(result, py::none());
}

}  // namespace

void bind_cubin(py::module_& core) {
  py::module_ module = core.def_submodule("cubin", "Reads cubins and compares their machine code.");
  module.def("summarize", &summarize, py::arg("data"));
  module.def("compare", &compare, py::arg("reference"), py::arg("port"));
}
