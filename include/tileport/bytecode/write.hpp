// SPDX-License-Identifier: Apache-2.0
// Writes Tile IR bytecode 13.1 to 13.5: faithfully, as it was read, or in the canonical form.
//
// The canonical form of a module in a version, with or without debug information:
//   sections    Global, Func, Constant, Debug, Type, Producer, String; those that would be empty are left out
//   alignment   each section has the alignment that the format demands (Func, Constant, Debug 8; Type,
//               String 4; Global and Producer none); filler bytes are CB; nothing follows the last function
//   numbers     variable-length numbers have their shortest form
//   tables      each string, type, constant and debug entry once, and only those that are used, in the order
//               in which globals, functions, debug entries and the producer use them first. A type or debug
//               entry stands behind those that it refers to. Functions and globals keep their order
//   constants   one element if all are equal (i1: 00 or FF), all elements otherwise
//   dictionary  sorted by key; a function has hints only where there are some, or where the version demands
//               an empty dictionary
//   debug       a slice for each function that has a known place anywhere, in the order of functions; none,
//               and no entries, without debug information. Messages of `assert` in machine code name file and
//               line, so machine code with and without debug information can differ there
//   version     what a version writes with a default value (overflow, rounding, inbounds …) stands for what
//               older versions leave out. The producer is left out before 13.3 and subprogram flags before
//               13.5, which have no place for them
// Writing the module that was read from a canonical file gives that file.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <tileport/bytecode/layout.hpp>
#include <tileport/core/diagnostic.hpp>
#include <tileport/ir/module.hpp>

namespace tileport::bytecode {

/// A file: its module and everything else that it holds.
struct Document {
  ir::Module module;
  Layout layout;
};

/// As `read`, and keeps what the module doesn't hold.
Result<Document> read_document(std::span<const std::byte> bytes, std::string file = {});

/// Writes a module in its version with its tables as they stand. Of an unchanged document this gives the
/// file's bytes; what was changed in the module is written anew, and the rest stays. TP-B0027 if the version
/// lacks something that the module uses, TP-B0028 if the module contradicts itself.
Result<std::string> write_faithful(const ir::Module& module, const Layout& layout = {});

struct CanonicalOptions {
  std::optional<ir::Version> version{};  ///< The module's own if not given.
  bool debug_info = true;
};

/// Writes the canonical form. Diagnostics as `write_faithful`, and TP-B0003 for a version that doesn't exist.
Result<std::string> write_canonical(const ir::Module& module, const CanonicalOptions& options = {});

}  // namespace tileport::bytecode
