// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <tileport/contract/validate.hpp>
#include <tileport/contract/verdict.hpp>

#include "diagnostics.hpp"

namespace py = pybind11;
namespace contract = tileport::contract;

void bind_contract(py::module_& core) {
  py::module_ module = core.def_submodule("contract", "Schemas of the conversion's documents, and verdicts.");
  module.def("schema_names", &contract::schema_names);
  module.def(
      "schema_text",
      [](const std::string& schema) -> py::object {
        const auto text = contract::schema_text(schema);
        if (!text) return py::none();
        return py::str(text->data(), text->size());
      },
      py::arg("schema"), "The schema as JSON text, or None if there is none of that name.");
  module.def(
      "validate",
      [](const std::string& schema, const std::string& json, const std::string& file) {
        const auto result = contract::validate(schema, json, file);
        return result ? py::list{} : diagnostics_to_python(result.error());
      },
      py::arg("schema"), py::arg("json"), py::arg("file") = "",
      "What is wrong with a document: a list of dicts with code, message, file, line, column, path (a JSON "
      "pointer), advice.");
  module.def(
      "judge",
      [](const std::string& proof_json, const std::string& file) {
        const auto judgement = contract::judge(proof_json, file);
        py::dict result;
        if (!judgement) {
          result["diagnostics"] = diagnostics_to_python(judgement.error());
          return result;
        }
        result["verdict"] = std::string{contract::to_string(judgement->verdict)};
        py::dict rows;
        for (const auto& row : judgement->specializations)
          rows[py::str(row.name)] = std::string{contract::to_string(row.verdict)};
        result["specializations"] = rows;
        return result;
      },
      py::arg("proof_json"), py::arg("file") = "",
      "The verdicts that follow from a proof's evidence: {verdict, specializations: {name: verdict}}, or "
      "{diagnostics}.");
}
