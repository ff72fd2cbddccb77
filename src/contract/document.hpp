// SPDX-License-Identifier: Apache-2.0
// Reading a JSON document strictly.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tileport/core/diagnostic.hpp>

namespace tileport::contract {

/// The parsed document; TP-J0001 if it isn't JSON, TP-J0004 if an object has two members of one name (parsers
/// disagree about which one counts).
Result<nlohmann::json> parse_document(std::string_view text, const std::string& file);

/// Diagnostics for everything in `document` that the embedded schema forbids; empty if there is nothing.
Result<Diagnostics> violations(std::string_view schema, const nlohmann::json& document,
                               const std::string& file);

Diagnostic diagnostic_at(std::string code, std::string message, const std::string& file, std::string pointer);

}  // namespace tileport::contract
