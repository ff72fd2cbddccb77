// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>
#include <tileport/core/diagnostic.hpp>

namespace tileport {
std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "error";
}

std::string to_string(const Diagnostic& diagnostic) {
  const Place& place = diagnostic.place;
  std::string text = place.file;
  if (place.line != 0) {
    text += fmt::format("{}{}", text.empty() ? "line " : ":", place.line);
    if (place.column != 0) text += fmt::format(":{}", place.column);
  } else if (place.offset) {
    text += fmt::format("{}{:#x}", text.empty() ? "offset " : ":", *place.offset);
  }
  if (!place.path.empty()) text += (text.empty() ? "" : ": ") + place.path;
  if (!text.empty()) text += ": ";
  text += fmt::format("{}: {} [{}]", name(diagnostic.severity), diagnostic.message, diagnostic.code);
  if (!place.source.empty()) text += "\n  from " + place.source;
  if (!diagnostic.advice.empty()) text += "\n  " + diagnostic.advice;
  return text;
}

}  // namespace tileport
