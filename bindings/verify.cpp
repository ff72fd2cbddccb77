// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>

#include <string>
#include <tileport/verify/verify.hpp>

#include "diagnostics.hpp"

namespace py = pybind11;
namespace verify = tileport::verify;

void bind_verify(py::module_& core) {
  py::module_ module = core.def_submodule("verify", "Checks well-formed Tile IR modules.");
  module.def(
      "verify",
      [](const tileport::ir::Module& tile_ir, const tileport::bytecode::Layout& layout, bool strict,
         const std::string& target) {
        tileport::Diagnostics findings;
        {
          const py::gil_scoped_release release;
          findings = verify::verify(tile_ir, layout, {.strict = strict, .target = target});
        }
        return diagnostics_to_python(findings);
      },
      py::arg("module"), py::arg("layout"), py::arg("strict"), py::arg("target"));
  module.def("rules", [] {
    py::list rules;
    for (const verify::Rule& rule : verify::rules()) {
      rules.append(py::make_tuple(std::string(rule.code), std::string(rule.holds), std::string(rule.source)));
    }
    return rules;
  });
}
