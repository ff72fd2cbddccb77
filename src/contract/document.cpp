// SPDX-License-Identifier: Apache-2.0
#include "contract/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace tileport::contract {
namespace {

/// Watches the parser's events for a member name that its object has already.
class MemberNames {
 public:
  bool operator()(int depth, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) {
      open_.resize(static_cast<std::size_t>(depth) + 1);
      open_.back().clear();
    } else if (event == Event::key) {
      auto& names = open_.at(static_cast<std::size_t>(depth) - 1);
      const auto& name = value.get_ref<const std::string&>();
      if (!names.insert(name).second && duplicate_.empty()) duplicate_ = name;
    }
    return true;
  }
  const std::string& duplicate() const { return duplicate_; }

 private:
  std::vector<std::set<std::string>> open_;
  std::string duplicate_;
};

Diagnostic syntax_error(std::string_view text, const std::string& file, std::size_t byte,
                        std::string_view what) {
  const std::size_t end = std::min(byte > 0 ? byte - 1 : 0, text.size());
  const std::string_view before = text.substr(0, end);
  Diagnostic diagnostic{.code = "TP-J0001", .message = {}, .place = {}, .advice = {}};
  diagnostic.place.file = file;
  diagnostic.place.offset = end;
  diagnostic.place.line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t newline = before.rfind('\n');
  diagnostic.place.column =
      static_cast<std::uint32_t>(newline == std::string_view::npos ? end : end - newline - 1) + 1;
  // The library puts "[json.exception…] parse error at line 1, column 2: " in front of what it has to say.
  const std::size_t colon = what.find(": ");
  diagnostic.message =
      fmt::format("not a JSON document: {}", colon == std::string_view::npos ? what : what.substr(colon + 2));
  return diagnostic;
}

}  // namespace

Diagnostic diagnostic_at(std::string code, std::string message, const std::string& file,
                         std::string pointer) {
  Diagnostic diagnostic{.code = std::move(code), .message = std::move(message), .place = {}, .advice = {}};
  diagnostic.place.file = file;
  diagnostic.place.path = std::move(pointer);
  return diagnostic;
}

Result<nlohmann::json> parse_document(std::string_view text, const std::string& file) {
  MemberNames names;
  try {
    auto document = nlohmann::json::parse(
        text, [&names](int depth, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
          return names(depth, event, value);
        });
    if (!names.duplicate().empty())
      return fail(diagnostic_at(
          "TP-J0004", fmt::format("an object has two members named '{}'", names.duplicate()), file, ""));
    return document;
  } catch (const nlohmann::json::parse_error& error) {
    return fail(syntax_error(text, file, error.byte, error.what()));
  } catch (const nlohmann::json::exception& error) {  // a number that no double can hold
    return fail(diagnostic_at("TP-J0001", fmt::format("not a JSON document: {}", error.what()), file, ""));
  }
}

}  // namespace tileport::contract
