// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <tileport/mutation/mutation.hpp>
#include <tuple>
#include <vector>

namespace py = pybind11;
namespace mutation = tileport::mutation;
using tileport::ir::Module;

namespace {

using Row = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

mutation::Site site_of(const Module& module, const Row& row) {
  const auto& [kind, op, variant] = row;
  if (kind >= mutation::kinds().size() || op >= module.ops.size())
    throw py::value_error("no site of this module");
  return {kind, tileport::ir::OpId{op}, variant};
}

std::vector<Row> sites(const Module& module) {
  const py::gil_scoped_release release;
  std::vector<Row> rows;
  for (const mutation::Site& site : mutation::sites(module))
    rows.emplace_back(site.kind, tileport::ir::index(site.op), site.variant);
  return rows;
}

py::object mutate(const Module& module, const Row& row) {
  std::optional<mutation::Mutant> mutant;
  {
    const py::gil_scoped_release release;
    mutant = mutation::mutate(module, site_of(module, row));
  }
  if (!mutant) return py::none();
  return py::make_tuple(std::make_shared<Module>(std::move(mutant->module)), mutant->original_paths,
                        mutant->mutant_paths);
}

}  // namespace

void bind_mutation(py::module_& core) {
  py::module_ module = core.def_submodule("mutation", "Plants single changes in kernels.");
  module.def("kinds", [] {
    py::list kinds;
    for (const mutation::Kind& kind : mutation::kinds())
      kinds.append(py::make_tuple(kind.name, mutation::name(kind.change), kind.guard));
    return kinds;
  });
  module.def("sites", &sites, py::arg("module"));
  module.def("mutate", &mutate, py::arg("module"), py::arg("site"));
  module.def("describe",
             [](const Module& of, const Row& row) { return mutation::describe(of, site_of(of, row)); });
}
