// SPDX-License-Identifier: Apache-2.0
// Translates Tile IR kernels to cuTile Rust source, one statement per op.
//
// What cuTile Rust can't express is refused with the op, its location and the reason; nothing is guessed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tileport/core/diagnostic.hpp>
#include <tileport/ir/module.hpp>
#include <tileport/translate/derivation.hpp>
#include <utility>
#include <variant>
#include <vector>

namespace tileport::translate {

/// One specialization to translate.
struct Specialization {
  std::string name;
  std::string kernel;  ///< The Python function; entries of one kernel share a Rust module.
  const ir::Module* module = nullptr;
  /// Parameter names of the entry's arguments, in order ("output", "output_size0", …); may be empty.
  std::vector<std::string> argument_names;
  /// The constants of the Python kernel, in the order of its parameters: const generics follow them.
  std::vector<Constant> constants;
  /// Made to learn how an entry's generics follow from constants; it needs no entry itself.
  bool is_variation = false;
};

/// Python variable names by source position: file → (line, column) → name.
using SourceNames = std::map<std::string, std::map<std::pair<std::uint32_t, std::uint32_t>, std::string>>;

struct Options {
  SourceNames names;
  std::string header;  ///< Lines for the top of the file, without comment marks.
  /// Whether specializations of one structure share an entry. Otherwise each has its own, by its name.
  bool generic = true;
};

/// A generic of an entry: an i32, or an element type.
struct Generic {
  std::string name;
  bool is_type = false;
  /// How it follows from the kernel's constants; nothing: from what is known of the arguments.
  std::optional<Derivation> derivation;
  /// What explains the captured specializations but not a variation: at constants of this expression the
  /// entry is good for captured values only.
  std::optional<Derivation> refuted;
};

/// "f16", 64.
using GenericValue = std::variant<std::string, std::int64_t>;

/// A specialization as an instance of an entry.
struct Instance {
  std::string name;
  std::vector<GenericValue> generics;  ///< In the order of the entry's.
  /// Compiler hints for every target, beside those that the entry states.
  std::map<std::string, std::int32_t> hints;
};

/// One entry: specializations of one structure.
struct Variant {
  std::string name;
  std::string kernel;
  std::vector<Generic> generics;
  std::vector<Instance> instances;
  std::vector<Instance> variations;  ///< The same for specializations that are variations.
  /// Whether the hints are the instances', not the entry's.
  bool has_hints_by_instance = false;
};

struct Refusal {
  std::string name;  ///< The specialization.
  Diagnostics diagnostics;
};

struct Translation {
  std::string source;             ///< kernel.rs; holds the entries that could be translated.
  std::vector<Variant> variants;  ///< These entries, in order.
  std::vector<Refusal> refusals;
};

/// The Python function that the module's first kernel was made from: the debug information's word for it,
/// else the symbol without the launcher's suffix; "kernel" if that is no identifier.
std::string kernel_name(const ir::Module& module);

/// Mnemonics of the ops that have no translation, in the order of the op table.
std::vector<std::string_view> untranslated_ops();

/// What `translate` writes for one kernel, op by op.
struct Statements {
  std::string attribute;  ///< "#[cutile::entry(…)]".
  /// By OpId: the statement, indented as in the file; of an op with regions what opens them; of one that is
  /// written where it is used first, that statement. Empty for what can't be expressed.
  std::vector<std::string> of_op;
};
Statements statements(const ir::Module& module, const ir::Function& kernel);

/// Bad input (no kernel in a module, two entries of one name) is an error; a kernel that can't be expressed
/// is a refusal and the others are still translated.
Result<Translation> translate(const std::vector<Specialization>& specializations, const Options& options);

}  // namespace tileport::translate
