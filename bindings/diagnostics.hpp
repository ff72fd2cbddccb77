// SPDX-License-Identifier: Apache-2.0
// Diagnostics as Python sees them: a list of dicts. The Python modules make exceptions of them.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <tileport/core/diagnostic.hpp>

/// Inputs may hold any bytes, and messages cite them; those that are not UTF-8 are shown as "\\xff".
inline pybind11::str message_to_python(const std::string& text) {
  PyObject* result =
      PyUnicode_DecodeUTF8(text.data(), static_cast<pybind11::ssize_t>(text.size()), "backslashreplace");
  if (!result) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::str>(result);
}

inline pybind11::dict diagnostic_to_python(const tileport::Diagnostic& diagnostic) {
  pybind11::dict result;
  result["code"] = diagnostic.code;
  result["message"] = message_to_python(diagnostic.message);
  result["file"] = message_to_python(diagnostic.place.file);
  result["offset"] =
      diagnostic.place.offset ? pybind11::object(pybind11::int_(*diagnostic.place.offset)) : pybind11::none();
  result["line"] = diagnostic.place.line;
  result["column"] = diagnostic.place.column;
  result["path"] = message_to_python(diagnostic.place.path);
  result["source"] = message_to_python(diagnostic.place.source);
  result["severity"] = std::string(tileport::name(diagnostic.severity));
  result["advice"] = message_to_python(diagnostic.advice);
  result["text"] = message_to_python(to_string(diagnostic));
  return result;
}

inline pybind11::list diagnostics_to_python(const tileport::Diagnostics& diagnostics) {
  pybind11::list result;
  for (const auto& diagnostic : diagnostics) result.append(diagnostic_to_python(diagnostic));
  return result;
}
