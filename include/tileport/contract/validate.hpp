// SPDX-License-Identifier: Apache-2.0
// Validates the JSON documents of a conversion against their schemas, and the rules a schema can't state.
#pragma once

#include <string>
#include <string_view>
#include <tileport/core/diagnostic.hpp>
#include <vector>

namespace tileport::contract {

/// The names of the embedded schemas, as a document's "schema" member gives them: "tileport/index/1", …
std::vector<std::string> schema_names();

/// The JSON Schema (draft 7) of that name; TP-J0002 if there is none.
Result<std::string_view> schema_text(std::string_view schema);

/// Checks one document. Diagnostics have the JSON pointer of what is wrong as Place::path ("" is the whole
/// document), and `file` as Place::file:
///   TP-J0001  not JSON (with line, column and byte offset)
///   TP-J0002  no such schema
///   TP-J0003  against the schema
///   TP-J0004  a name that must be unique occurs twice: a member of an object, or a specialization
///   TP-J0005  the verdict isn't the one that follows from the evidence
///   TP-J0006  specializations of one proof name different targets
Result<void> validate(std::string_view schema, std::string_view json, const std::string& file = {});

}  // namespace tileport::contract
