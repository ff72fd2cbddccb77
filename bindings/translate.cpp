// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <string>
#include <tileport/translate/translate.hpp>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "diagnostics.hpp"

namespace py = pybind11;
namespace translate = tileport::translate;

namespace {

using ConstantRow = std::pair<std::string, std::variant<bool, std::int64_t, double>>;
using Row = std::tuple<std::string, std::string, const tileport::ir::Module*, std::vector<std::string>,
                       std::vector<ConstantRow>, bool>;

std::vector<translate::Constant> constants_from(const std::vector<ConstantRow>& rows) {
  std::vector<translate::Constant> constants;
  for (const auto& [name, value] : rows) {
    const bool is_float = std::holds_alternative<double>(value);
    constants.push_back({name, {}});
    if (is_float) {
      constants.back().value = std::get<double>(value);
    } else {
      constants.back().value = std::holds_alternative<bool>(value) ? std::int64_t{std::get<bool>(value)}
                                                                   : std::get<std::int64_t>(value);
    }
  }
  return constants;
}

py::object derivation_to_python(const translate::Derivation& derivation) {
  py::list of;
  for (const translate::Derivation& each : derivation.of) of.append(derivation_to_python(each));
  py::dict result;
  result["operation"] = derivation.operation;
  result["name"] = derivation.name;
  result["number"] = derivation.number;
  result["of"] = of;
  return result;
}

translate::Derivation derivation_from_python(const py::dict& document) {
  translate::Derivation derivation{document["operation"].cast<std::string>(),
                                   document["name"].cast<std::string>(),
                                   document["number"].cast<std::int64_t>(),
                                   {}};
  for (const py::handle each : document["of"].cast<py::list>()) {
    derivation.of.push_back(derivation_from_python(each.cast<py::dict>()));
  }
  return derivation;
}

py::dict variant_to_python(const translate::Variant& variant) {
  py::dict result;
  result["name"] = variant.name;
  result["kernel"] = variant.kernel;
  py::list generics;
  for (const translate::Generic& each : variant.generics) {
    const py::object derivation = each.derivation ? derivation_to_python(*each.derivation) : py::none();
    const std::string text = each.derivation ? each.derivation->text() : "";
    const py::object refuted = each.refuted ? derivation_to_python(*each.refuted) : py::none();
    generics.append(py::make_tuple(each.name, each.is_type, derivation, text, refuted));
  }
  result["generics"] = generics;
  const auto rows = [](const std::vector<translate::Instance>& instances) {
    py::list list;
    for (const translate::Instance& each : instances) {
      list.append(py::make_tuple(each.name, each.generics, each.hints));
    }
    return list;
  };
  result["instances"] = rows(variant.instances);
  result["variations"] = rows(variant.variations);
  return result;
}

py::dict translate_rows(const std::vector<Row>& rows, const translate::SourceNames& names,
                        const std::string& header, bool generic) {
  std::vector<translate::Specialization> specializations;
  for (const auto& [name, kernel, module, argument_names, constants, is_variation] : rows) {
    if (module == nullptr) throw py::type_error("a specialization's module is None");
    specializations.push_back(
        {name, kernel, module, argument_names, constants_from(constants), is_variation});
  }
  tileport::Result<translate::Translation> translation = [&] {
    const py::gil_scoped_release other_threads_may_run;
    return translate::translate(specializations, {names, header, generic});
  }();
  py::dict result;
  if (!translation) {
    result["diagnostics"] = diagnostics_to_python(translation.error());
    return result;
  }
  result["source"] = translation->source;
  py::list variants;
  for (const translate::Variant& variant : translation->variants) variants.append(variant_to_python(variant));
  result["variants"] = variants;
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
  module.def("translate", &translate_rows, py::arg("specializations"), py::arg("names"), py::arg("header"),
             py::arg("generic"),
             "Translates (name, kernel, module, argument names, constants, is a variation) tuples. A dict: "
             "source, variants "
             "and refusals, (name, diagnostics) pairs; or only diagnostics if the input is wrong.");
  module.def(
      "evaluate",
      [](const py::dict& derivation, const std::vector<ConstantRow>& constants) {
        return translate::evaluate(derivation_from_python(derivation), constants_from(constants));
      },
      py::arg("derivation"), py::arg("constants"),
      "The number that a derivation (a dict: operation, name, number, of) gives for constants, or None.");
  module.def("derivation_operations", &translate::derivation_operations,
             "Names of the operations of derivations.");
  module.def("untranslated_ops", &translate::untranslated_ops,
             "Mnemonics of the ops that have no translation.");
  module.def("kernel_name", &translate::kernel_name, py::arg("module"),
             "The Python function that a module's only kernel was made from, as far as the module says.");
}
