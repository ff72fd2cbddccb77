// SPDX-License-Identifier: Apache-2.0
// Diagnostics as Python sees them: a list of dicts. The Python modules make exceptions of them.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <tileport/core/diagnostic.hpp>

inline pybind11::dict diagnostic_to_python(const tileport::Diagnostic& diagnostic) {
  pybind11::dict result;
  result["code"] = diagnostic.code;
  result["message"] = diagnostic.message;
  result["file"] = diagnostic.place.file;
  result["offset"] =
      diagnostic.place.offset ? pybind11::object(pybind11::int_(*diagnostic.place.offset)) : pybind11::none();
  result["line"] = diagnostic.place.line;
  result["column"] = diagnostic.place.column;
  result["path"] = diagnostic.place.path;
  result["source"] = diagnostic.place.source;
  result["severity"] = std::string(tileport::name(diagnostic.severity));
  result["advice"] = diagnostic.advice;
  result["text"] = to_string(diagnostic);
  return result;
}

inline pybind11::list diagnostics_to_python(const tileport::Diagnostics& diagnostics) {
  pybind11::list result;
  for (const auto& diagnostic : diagnostics) result.append(diagnostic_to_python(diagnostic));
  return result;
}
