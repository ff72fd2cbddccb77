// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tileport/diff/compare.hpp>
#include <tileport/diff/edit_script.hpp>
#include <tileport/diff/pairs.hpp>
#include <tileport/translate/translate.hpp>
#include <tuple>
#include <vector>

#include "diagnostics.hpp"

namespace py = pybind11;
namespace diff = tileport::diff;

namespace {

py::dict to_python(const diff::Site& site) {
  py::dict result;
  result["path"] = message_to_python(site.path);
  result["text"] = message_to_python(site.text);
  result["file"] = message_to_python(site.file);
  result["line"] = site.line;
  result["column"] = site.column;
  return result;
}

py::dict to_python(const diff::Finding& finding) {
  py::dict result;
  result["class"] = diff::name(finding.kind);
  result["group"] = diff::name(finding.group);
  result["side"] = diff::name(finding.side);
  result["severity"] = diff::name(finding.severity);
  result["owner"] = diff::name(finding.owner);
  result["effect"] = diff::name(finding.effect);
  result["message"] = message_to_python(finding.message);
  result["fix"] = message_to_python(finding.fix);
  result["reference"] = to_python(finding.reference);
  result["port"] = to_python(finding.port);
  return result;
}

py::dict to_python(const diff::Comparison& comparison) {
  py::list notes;
  for (const diff::Note& note : comparison.notes) {
    py::dict row;
    row["rule"] = note.rule;
    row["count"] = note.count;
    row["message"] = note.message;
    notes.append(row);
  }
  py::list findings;
  for (const diff::Finding& finding : comparison.findings) findings.append(to_python(finding));
  py::dict result;
  result["equality"] = diff::name(comparison.equality);
  result["notes"] = notes;
  result["findings"] = findings;
  return result;
}

/// Says what would mend the findings, by what the translator makes of the reference.
void suggest(diff::Comparison& comparison, const tileport::ir::Module& reference, const std::string& entry) {
  const auto kernel = std::ranges::find_if(reference.functions, [&](const tileport::ir::Function& function) {
    return function.is_kernel && (entry.empty() || reference.string(function.name) == entry);
  });
  auto statements = tileport::translate::statements(reference, *kernel);
  diff::suggest(comparison, {std::move(statements.attribute), std::move(statements.of_op)});
}

/// The comparison, or the list of diagnostics that say why there is none.
py::object compare(const tileport::ir::Module& reference, const tileport::ir::Module& port,
                   const std::string& target, const std::string& reference_entry,
                   const std::string& port_entry) {
  std::optional<tileport::Result<diff::Comparison>> result;
  {
    const py::gil_scoped_release release;
    result = diff::compare(reference, port, {target, reference_entry, port_entry});
    if (*result && !(*result)->findings.empty()) suggest(**result, reference, reference_entry);
  }
  if (!*result) return diagnostics_to_python(result->error());
  return to_python(**result);
}

py::dict to_python(const diff::Edit& edit) {
  py::dict result;
  result["kind"] = diff::name(edit.kind);
  result["layer"] = diff::name(edit.layer);
  result["reference"] = to_python(edit.reference);
  result["port"] = to_python(edit.port);
  return result;
}

/// The script, or the list of diagnostics that say why there is none.
py::object edit_script(const tileport::ir::Module& reference, const tileport::ir::Module& port,
                       const std::string& reference_entry, const std::string& port_entry) {
  std::optional<tileport::Result<diff::EditScript>> result;
  {
    const py::gil_scoped_release release;
    result = diff::edit_script(reference, port, {{}, reference_entry, port_entry});
  }
  if (!*result) return diagnostics_to_python(result->error());
  return py::cast(std::make_shared<diff::EditScript>(std::move(**result)));
}

py::object apply(const diff::EditScript& script, const tileport::ir::Module& reference) {
  std::optional<tileport::Result<tileport::ir::Module>> result;
  {
    const py::gil_scoped_release release;
    result = diff::apply(script, reference);
  }
  if (!*result) return diagnostics_to_python(result->error());
  return py::cast(std::make_shared<tileport::ir::Module>(std::move(**result)));
}

py::object number(const std::optional<std::uint32_t>& line) {
  return line ? py::object(py::int_(*line)) : py::none();
}

py::list texts(const std::vector<std::string>& lines) {
  py::list made;
  for (const std::string& line : lines) made.append(message_to_python(line));
  return made;
}

/// Lines of both texts, and rows (kind, layer, reference line, port line, reference path, port path).
py::object side_by_side(const tileport::ir::Module& reference, const tileport::ir::Module& port,
                        const std::string& reference_entry, const std::string& port_entry) {
  std::optional<tileport::Result<diff::SideBySide>> result;
  {
    const py::gil_scoped_release release;
    result = diff::side_by_side(reference, port, {{}, reference_entry, port_entry});
  }
  if (!*result) return diagnostics_to_python(result->error());
  py::list rows;
  for (const diff::SideBySideRow& row : (*result)->rows) {
    rows.append(py::make_tuple(diff::name(row.kind), diff::name(row.layer), number(row.reference),
                               number(row.port), message_to_python(row.reference_path),
                               message_to_python(row.port_path)));
  }
  return py::make_tuple(texts((*result)->reference), texts((*result)->port), rows);
}

using EntryRow = std::tuple<const tileport::ir::Module*, std::string, std::string>;

/// A tuple of pairs (reference, port, similarity), or the list of diagnostics.
py::object propose_pairs(const std::vector<EntryRow>& reference, const std::vector<EntryRow>& port) {
  const auto refs = [](const std::vector<EntryRow>& rows) {
    std::vector<diff::EntryRef> made;
    for (const auto& [module, entry, label] : rows) {
      if (module == nullptr) throw py::type_error("an entry's module is None");
      made.push_back({module, entry, label});
    }
    return made;
  };
  const auto left = refs(reference);
  const auto right = refs(port);
  std::optional<tileport::Result<std::vector<diff::ProposedPair>>> result;
  {
    const py::gil_scoped_release release;
    result = diff::propose_pairs(left, right);
  }
  if (!*result) return diagnostics_to_python(result->error());
  py::list pairs;
  for (const diff::ProposedPair& pair : **result)
    pairs.append(py::make_tuple(pair.reference, pair.port, pair.similarity));
  return py::tuple(pairs);
}

}  // namespace

void bind_diff(py::module_& core) {
  py::module_ module = core.def_submodule("diff", "Compares two kernels of Tile IR.");
  module.def("compare", &compare, py::arg("reference"), py::arg("port"), py::arg("target"),
             py::arg("reference_entry") = "", py::arg("port_entry") = "");
  py::class_<diff::EditScript, std::shared_ptr<diff::EditScript>>(module, "EditScript")
      .def_readonly("reference_entry", &diff::EditScript::reference_entry)
      .def_readonly("port_entry", &diff::EditScript::port_entry)
      .def_property_readonly("entry_changed", [](const diff::EditScript& s) { return s.entry.has_value(); })
      .def_property_readonly("file_changed", [](const diff::EditScript& s) { return s.file.has_value(); })
      .def("edits", [](const diff::EditScript& script) {
        py::list edits;
        for (const diff::Edit& edit : script.edits) edits.append(to_python(edit));
        return edits;
      });
  module.def("edit_script", &edit_script, py::arg("reference"), py::arg("port"),
             py::arg("reference_entry") = "", py::arg("port_entry") = "");
  module.def("side_by_side", &side_by_side, py::arg("reference"), py::arg("port"),
             py::arg("reference_entry") = "", py::arg("port_entry") = "");
  module.def("propose_pairs", &propose_pairs, py::arg("reference"), py::arg("port"));
  module.def("apply", &apply, py::arg("script"), py::arg("reference"));
  module.def("rules", [] {
    py::list rules;
    for (const diff::RuleDescription& rule : diff::rules())
      rules.append(py::make_tuple(rule.name, rule.reason));
    return rules;
  });
}
