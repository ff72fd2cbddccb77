// SPDX-License-Identifier: Apache-2.0
// Plants one change in a kernel, of a kind from a table: to ask of whatever judges kernels (the diff, the
// execution on the CPU) whether it sees what it should see and stays silent where nothing changed.
//
// A kind has a guard that says at which ops it means what its row says: a changed op must matter (something
// with an effect depends on it), swapped operands must be different values, and so on. The guards know
// nothing of the diff. Mutants are valid: one that the verifier refuses is not made.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tileport/ir/module.hpp>
#include <vector>

namespace tileport::mutation {

/// What a mutant has changed, compared with the original.
enum class Change : std::uint8_t {
  value,           ///< What is computed, stored or waited for.
  stronger_facts,  ///< More is promised, or a hint says something else: false promises make programs wrong.
  weaker_facts,    ///< Less is promised or hinted: slower code at most.
  neutral,         ///< Nothing: the same program, written otherwise.
};

struct Kind {
  std::string_view name;  ///< "operand_order"; never changes its meaning.
  Change change = Change::value;
  std::string_view guard;  ///< Which ops are eligible, in words.
};

/// A place where a kind can be applied; `variant` numbers the ways to do it there.
struct Site {
  std::uint32_t kind = 0;  ///< Its place in `kinds()`.
  ir::OpId op{};           ///< In the original; for kinds of whole entries the first op of the entry.
  std::uint32_t variant = 0;
};

struct Mutant {
  ir::Module module;
  /// Where the change is: the changed op and what directly uses it, by access path in either module; also
  /// the entry's, "@k", where the entry itself was changed.
  std::vector<std::string> original_paths;
  std::vector<std::string> mutant_paths;
};

std::string_view name(Change change);

/// All kinds.
std::span<const Kind> kinds();

/// All sites of a module, in program order, kind by kind at each op. Modules as a reader makes them;
/// functions that are no kernels are left alone.
std::vector<Site> sites(const ir::Module& module);

/// The mutant of a site of this module; nothing if it would not be valid.
std::optional<Mutant> mutate(const ir::Module& module, const Site& site);

/// "mask of @k/load_ptr_tko#1, variant 0": for messages.
std::string describe(const ir::Module& module, const Site& site);

}  // namespace tileport::mutation
