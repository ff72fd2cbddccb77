// SPDX-License-Identifier: Apache-2.0
// Handles on the parts of a module. A module is shared by all handles on its parts, so a handle never
// outlives what it points to.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <memory>
#include <string_view>
#include <tileport/ir/module.hpp>

namespace py = pybind11;
namespace ir = tileport::ir;

using ModulePtr = std::shared_ptr<ir::Module>;

struct FunctionHandle {
  ModulePtr module;
  std::size_t number;
  const ir::Function& get() const { return module->functions[number]; }
};
struct OpHandle {
  ModulePtr module;
  ir::OpId id;
  const ir::Operation& get() const { return module->op(id); }
};
struct BlockHandle {
  ModulePtr module;
  ir::BlockId id;
};
struct ValueHandle {
  ModulePtr module;
  ir::ValueId id;
};
/// One frame of a place.
struct LocationHandle {
  ModulePtr module;
  ir::DebugId id;
  std::size_t frame;
  ir::SourceLocation get() const { return module->frames(id)[frame]; }
};

inline py::str text(std::string_view bytes) {
  PyObject* result =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<py::ssize_t>(bytes.size()), "surrogateescape");
  if (!result) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(result);
}

/// Defined in builder.cpp.
void bind_builder(py::module_& module);
