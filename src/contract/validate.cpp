// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tileport/contract/validate.hpp>
#include <tileport/contract/verdict.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "contract/document.hpp"
#include "contract/embedded_schemas.hpp"

namespace tileport::contract {
namespace {

constexpr std::string_view kProof = "tileport/proof/1";
/// valijson matches patterns with std::regex, which recurses once a character; longer strings than this are
/// refused before it sees them.
constexpr std::size_t kLongestString = 8192;
/// Enough to see what is wrong with a document that is wrong everywhere.
constexpr std::size_t kMostDiagnostics = 50;

/// "tileport/index/1" is embedded under its file's name, "index.1".
std::string schema_name(std::string_view embedded) {
  std::string name{embedded};
  std::replace(name.begin(), name.end(), '.', '/');
  return "tileport/" + name;
}

const EmbeddedFile* find_schema(std::string_view schema) {
  for (const EmbeddedFile& file : embedded_schemas)
    if (schema_name(file.name) == schema) return &file;
  return nullptr;
}

tl::unexpected<Diagnostics> unknown_schema(std::string_view schema, const std::string& file) {
  std::string known;
  for (const std::string& name : schema_names()) known += (known.empty() ? "" : ", ") + name;
  auto diagnostic = diagnostic_at("TP-J0002", fmt::format("there is no schema '{}'", schema), file, "");
  diagnostic.advice = "known are: " + known;
  return fail(std::move(diagnostic));
}

/// A parsed schema is kept: parsing takes longer than validating with it. Thread-local, because valijson does
/// not say that a schema may be shared.
const valijson::Schema& parsed_schema(const EmbeddedFile& file) {
  thread_local std::map<std::string_view, valijson::Schema> parsed;
  const auto [entry, is_new] = parsed.try_emplace(file.name);
  if (is_new) {
    const auto text = nlohmann::json::parse(file.text);
    valijson::SchemaParser{valijson::SchemaParser::kDraft7}.populateSchema(
        valijson::adapters::NlohmannJsonAdapter{text}, entry->second);
  }
  return entry->second;
}

std::string pointer_escaped(std::string_view token) {
  std::string escaped;
  for (const char c : token) {
    if (c == '~')
      escaped += "~0";
    else if (c == '/')
      escaped += "~1";
    else
      escaped += c;
  }
  return escaped;
}

/// valijson's context is "<root>", "[specializations]", "[0]", "[name]".
std::string pointer_of(const std::vector<std::string>& context) {
  std::string pointer;
  for (const std::string& step : context) {
    std::string_view name{step};
    if (name == "<root>") continue;
    if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
    pointer += '/' + pointer_escaped(name);
  }
  return pointer;
}

/// One sentence about the value at `pointer`, in the terms of the document.
std::string described(const valijson::ValidationResults::Error& error, const std::string& pointer,
                      const nlohmann::json& document) {
  std::string what = error.description;
  while (what.ends_with('.')) what.pop_back();
  const nlohmann::json::json_pointer place{pointer};
  if (!document.contains(place) || document.at(place).is_structured()) return what;
  std::string value = document.at(place).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (value.size() > 80) value = value.substr(0, 77) + "...";
  return fmt::format("{} (value {})", what, value);
}

bool is_prefix(const std::vector<std::string>& shorter, const std::vector<std::string>& longer) {
  return shorter.size() <= longer.size() && std::equal(shorter.begin(), shorter.end(), longer.begin());
}

/// Whether a report only says that something inside failed, which has a report of its own: every enclosing
/// object and every allOf repeats the failure of a member.
bool repeats_another(const valijson::ValidationResults::Error& error,
                     const valijson::ValidationResults& results) {
  if (error.description.starts_with("Missing required") ||
      error.description.starts_with("Object contains a property"))
    return false;
  const bool is_summary = error.description.starts_with("Failed to validate against child schema");
  return std::any_of(results.begin(), results.end(), [&](const auto& other) {
    return &other != &error && is_prefix(error.context, other.context) &&
           (other.context.size() > error.context.size() || is_summary);
  });
}

void find_long_strings(const nlohmann::json& value, const std::string& pointer, const std::string& file,
                       Diagnostics& found) {
  if (value.is_string() && value.get_ref<const std::string&>().size() > kLongestString) {
    found.push_back(diagnostic_at("TP-J0003",
                                  fmt::format("a string of {} bytes; at most {} are allowed",
                                              value.get_ref<const std::string&>().size(), kLongestString),
                                  file, pointer));
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      find_long_strings(value[i], fmt::format("{}/{}", pointer, i), file, found);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.items())
      find_long_strings(member, pointer + '/' + pointer_escaped(name), file, found);
  }
}

/// The names of the specializations must be unique: files and Rust functions bear them.
void check_names(const nlohmann::json& document, const std::string& file, Diagnostics& found) {
  const auto rows = document.find("specializations");
  if (rows == document.end() || !rows->is_array()) return;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const std::string name = (*rows)[i].value("name", "");
    if (!seen.insert(name).second)
      found.push_back(diagnostic_at("TP-J0004", fmt::format("two specializations are named '{}'", name), file,
                                    fmt::format("/specializations/{}/name", i)));
  }
}

void check_targets(const nlohmann::json& proof, const std::string& file, Diagnostics& found) {
  std::set<std::string> targets;
  for (const auto& target : proof["targets"]) targets.insert(target.get<std::string>());
  const auto& rows = proof["specializations"];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& code = rows[i]["code"];
    if (code.is_null()) continue;
    std::set<std::string> present;
    for (const auto& [target, value] : code.items()) present.insert(target);
    if (present != targets)
      found.push_back(diagnostic_at("TP-J0006", "the targets are not those that \"targets\" lists", file,
                                    fmt::format("/specializations/{}/code", i)));
  }
}

}  // namespace

std::vector<std::string> schema_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_schemas) names.push_back(schema_name(file.name));
  return names;
}

Result<std::string_view> schema_text(std::string_view schema) {
  const EmbeddedFile* file = find_schema(schema);
  if (file == nullptr) return unknown_schema(schema, {});
  return file->text;
}

Result<Diagnostics> violations(std::string_view schema, const nlohmann::json& document,
                               const std::string& file) {
  const EmbeddedFile* embedded = find_schema(schema);
  if (embedded == nullptr) return unknown_schema(schema, file);
  Diagnostics found;
  find_long_strings(document, "", file, found);
  if (!found.empty()) return found;

  valijson::ValidationResults results;
  valijson::Validator{valijson::Validator::kStrongTypes}.validate(
      parsed_schema(*embedded), valijson::adapters::NlohmannJsonAdapter{document}, &results);
  for (const auto& error : results) {
    if (repeats_another(error, results)) continue;
    const std::string pointer = pointer_of(error.context);
    found.push_back(diagnostic_at("TP-J0003", described(error, pointer, document), file, pointer));
    if (found.size() == kMostDiagnostics) break;
  }
  return found;
}

Result<void> validate(std::string_view schema, std::string_view json, const std::string& file) {
  const auto document = parse_document(json, file);
  if (!document) return tl::unexpected{document.error()};
  auto found = violations(schema, *document, file);
  if (!found) return tl::unexpected{found.error()};
  if (!found->empty()) return tl::unexpected{std::move(*found)};

  check_names(*document, file, *found);
  if (schema == kProof) {
    check_targets(*document, file, *found);
    const auto judgement = judge(json, file);
    if (!judgement) return tl::unexpected{judgement.error()};
    const auto& recorded = (*document)["verdict"];
    if (!recorded.is_null() && recorded != to_string(judgement->verdict))
      found->push_back(
          diagnostic_at("TP-J0005",
                        fmt::format("the verdict '{}' doesn't follow from the evidence, which makes it '{}'",
                                    recorded.get<std::string>(), to_string(judgement->verdict)),
                        file, "/verdict"));
  }
  if (!found->empty()) return tl::unexpected{std::move(*found)};
  return {};
}

}  // namespace tileport::contract
