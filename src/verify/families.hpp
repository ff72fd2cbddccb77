// SPDX-License-Identifier: Apache-2.0
// What is irregular about ops, one file a family; and the rules that belong to no op.
#pragma once

#include "verify/findings.hpp"

namespace tileport::verify {

FamilyRules arith_rules();
FamilyRules math_rules();
FamilyRules convert_rules();
FamilyRules shape_rules();
FamilyRules memory_rules();
FamilyRules atomic_rules();
FamilyRules control_rules();
FamilyRules view_rules();
FamilyRules misc_rules();

/// The constraints of the op table. False if a value is of the wrong class, so that nothing else about the op
/// makes sense.
bool check_row(Findings& findings, const Op& op);
std::span<const Rule> row_rules();

/// False if the tables of the module contradict each other, so that nothing else can be asked.
bool check_tables(Findings& findings, const ir::Module& module);
std::span<const Rule> table_rules();

/// Functions, globals, and the order of ops in their bodies: dominance, terminators.
void check_functions(Findings& findings, const ir::Module& module);
void check_structure(Findings& findings, const ir::Module& module);
std::span<const Rule> structure_rules();

/// Types that are used, and what is newer than the module's version.
void check_types(Findings& findings, const ir::Module& module);
void check_version(Findings& findings, const Op& op);
std::span<const Rule> type_rules();

/// False if the place of a function or an op leads to an entry that is not what its user needs.
bool check_debug_entries(Findings& findings, const ir::Module& module);
/// Whether the places of functions and ops belong together.
void check_debug(Findings& findings, const ir::Module& module);
std::span<const Rule> debug_rules();

/// Whether the compiler knows the hints. They must be hints: check_functions and check_structure say so.
void check_hints(Findings& findings, const ir::Module& module, const ir::Function& function);
void check_hints(Findings& findings, const Op& op);
std::span<const Rule> hint_rules();

/// Whether tileiras compiles for it: "sm_90".
bool is_target(std::string_view target);
/// What a file holds that readers pass over.
void check_layout(Findings& findings, const ir::Module& module, const bytecode::Layout& layout);
std::span<const Rule> layout_rules();

/// What an architecture can't do.
void check_target(Findings& findings, const ir::Module& module, const std::string& target);
std::span<const Rule> target_rules();

}  // namespace tileport::verify
