// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <tileport/translate/translate.hpp>
#include <tuple>
#include <vector>

#include "diagnostics.hpp"

namespace py = pybind11;
namespace translate = tileport::translate;

namespace {

using Row = std::tuple<std::string, std::string, const tileport::ir::Module*, std::vector<std::string>>;

py::dict translate_rows(const std::vector<Row>& rows, const translate::SourceNames& names,
                        const std::string& header) {
  std::vector<translate::Specialization> specializations;
  for (const auto& [name, kernel, module, argument_names] : rows) {
    if (module == nullptr) throw py::type_error("a specialization's module is None");
    specializations.push_back({name, kernel, module, argument_names});
  }
  tileport::Result<translate::Translation> translation = [&] {
    const py::gil_scoped_release other_threads_may_run;
    return translate::translate(specializations, {names, header});
  }();
  py::dict result;
  if (!translation) {
    result["diagnostics"] = diagnostics_to_python(translation.error());
    return result;
  }
  result["source"] = translation->source;
  result["entries"] = translation->entries;
  py::list refusals;
  for (const translate::Refusal& refusal : translation->refusals) {
    refusals.append(py::make_tuple(refusal.name, diagnostics_to_python(refusal.diagnostics)));
  }
  result["refusals"] = refusals;
  return result;
}

}  // namespace

void bind_translate(py::module_& core) {
  py::module_ module = core.def_submodule("translate", "Tile IR to cuTile Rust.");
  module.def(
      "translate", &translate_rows, py::arg("specializations"), py::arg("names"), py::arg("header"),
      "Translates (name, kernel, module, argument names) tuples. A dict: source, entries and refusals, "
      "(name, diagnostics) pairs; or only diagnostics if the input is wrong.");
  module.def("untranslated_ops", &translate::untranslated_ops,
             "Mnemonics of the ops that have no translation.");
  module.def("kernel_name", &translate::kernel_name, py::arg("module"),
             "The Python function that a module's only kernel was made from, as far as the module says.");
}
