// SPDX-License-Identifier: Apache-2.0
// The extension module `tileport._core`. Every bindings/FOLDER.cpp defines `bind_FOLDER`, which is given
// `_core` itself and adds its submodule with `core.def_submodule("FOLDER")`. layers.inc, written by CMake,
// names the folders in the order of the layers.
#include <pybind11/pybind11.h>

#define TILEPORT_LAYER(folder) void bind_##folder(pybind11::module_& core);
#include "layers.inc"
#undef TILEPORT_LAYER

PYBIND11_MODULE(_core, core) {
  core.doc() = "The C++ core of tileport; use the modules tileport.ir, tileport.text and so on instead.";
  core.attr("__version__") = TILEPORT_VERSION;
#define TILEPORT_LAYER(folder) bind_##folder(core);
#include "layers.inc"
#undef TILEPORT_LAYER
}
