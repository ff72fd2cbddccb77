// SPDX-License-Identifier: Apache-2.0
//   functions := varint n, n × (name, type, flags byte, varint location, [hints], [argument attributes],
//                varint size, body); what follows in the section is ignored
//   globals   := varint n, n × (name, type, constant, varint alignment,
//                [13.3: varint visibility, varint constant]); what follows in the section is ignored

#include "bytecode/functions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bytecode/attributes.hpp"
#include "bytecode/body.hpp"
#include "bytecode/codes.hpp"

namespace tileport::bytecode {
namespace {

/// Functions share types, so a few bytes can say many arguments; this many a byte are enough for real files.
constexpr std::uint64_t kMostArguments = 16;

class FunctionReader {
 public:
  FunctionReader(ir::Module& module, const Tables& tables, DebugReader& debug, Cursor& in)
      : module_(module),
        tables_(tables),
        attributes_(module, tables),
        debug_(debug),
        in_(in),
        room_(kMostArguments * in.remaining()) {}

  void read() {
    const std::uint64_t start = in_.offset();
    ir::Function function;
    function.name = tables_.string(in_);
    function.type = tables_.type(in_);
    const std::uint8_t flags = in_.byte();
    const std::uint64_t location = in_.varint();
    if (!in_.ok()) return;
    check(function, flags, location, start);
    if (!in_.ok()) return;
    const std::size_t arguments_here = module_.type(function.type).inputs.size();
    if (arguments_here > room_) {
      in_.fail(code::kCount, "functions have more arguments than a file of this size can use", start);
      return;
    }
    room_ -= arguments_here;
    function.is_private = (flags & kPrivate) != 0;
    function.is_kernel = true;
    debug_.enter_function(location);
    if (location != 0) function.location = debug_.next(in_, start);
    read_attributes(function, flags);
    const std::uint64_t size = in_.varint();
    const std::uint64_t body_start = in_.offset();
    Cursor body(in_.take(size), body_start);
    if (in_.ok()) {
      const std::vector<ir::TypeId> arguments = module_.type(function.type).inputs;
      function.body = BodyReader(module_, tables_, attributes_, debug_, token_type_, body).read(arguments);
    }
    in_.adopt(body);
    module_.functions.push_back(function);
  }

 private:
  void check(const ir::Function& function, std::uint8_t flags, std::uint64_t location, std::uint64_t start) {
    const std::string& name = module_.string(function.name);
    const ir::Type& type = module_.type(function.type);
    if (name.empty()) {
      in_.fail(code::kFunction, "a function has no name", start);
    } else if (module_.version >= ir::Version{13, 4} && (flags & ~known_flags()) != 0) {
      in_.fail(code::kFunction, fmt::format("function '{}' has unknown flags {:#04x}", name, flags), start);
    } else if ((flags & kKernel) == 0) {
      in_.fail(code::kFunction,
               fmt::format("function '{}' is not a kernel; only preview content may have such", name), start);
    } else if (type.kind != ir::TypeKind::function) {
      in_.fail(code::kFunction, fmt::format("the signature of '{}' is a {}", name, ir::keyword(type.kind)),
               start);
    } else if (!std::ranges::all_of(type.inputs, [&](ir::TypeId id) { return is_scalar_tile(id); })) {
      in_.fail(code::kFunction, fmt::format("arguments of kernel '{}' must be tiles of rank 0", name), start);
    } else if (!type.results.empty()) {
      in_.fail(code::kFunction, fmt::format("kernel '{}' has results", name), start);
    } else if (location != 0 && !debug_.present()) {
      in_.fail(code::kMissingSection,
               fmt::format("'{}' has locations but the debug section is missing", name), start);
    } else if (location > debug_.functions()) {
      in_.fail(code::kDebug,
               fmt::format("'{}' wants the locations of function {}, the debug section has {}", name,
                           location, debug_.functions()),
               start);
    }
  }

  bool is_scalar_tile(ir::TypeId id) const {
    return module_.type(id).kind == ir::TypeKind::tile && module_.type(id).shape.empty();
  }

  /// Unknown bits were ignored before 13.4.
  std::uint8_t known_flags() const {
    const bool newest = module_.version >= kHintsAlways;
    return kPrivate | kKernel | (newest ? 0 : kHasHints);
  }

  void read_attributes(ir::Function& function, std::uint8_t flags) {
    const bool newest = module_.version >= kHintsAlways;
    if (newest || (flags & kHasHints) != 0) {
      const std::uint64_t start = in_.offset();
      function.hints = attributes_.tagged(in_);
      if (in_.ok() && module_.attribute(*function.hints).kind != ir::Attribute::Kind::optimization_hints) {
        in_.fail(code::kAttribute, "the hints of a function are not optimization hints", start);
      }
    }
    if (newest) {
      const std::uint64_t start = in_.offset();
      function.argument_attributes = attributes_.tagged(in_);
      if (in_.ok() && module_.attribute(*function.argument_attributes).kind != ir::Attribute::Kind::array) {
        in_.fail(code::kAttribute, "the argument attributes of a function are not an array", start);
      }
    }
  }

  ir::Module& module_;
  const Tables& tables_;
  AttributeReader attributes_;
  DebugReader& debug_;
  Cursor& in_;
  std::optional<ir::TypeId> token_type_;
  std::uint64_t room_;  ///< Arguments that the functions to come may have.
};

}  // namespace

void read_functions(ir::Module& module, const Tables& tables, DebugReader& debug, Cursor in, Cursor& errors) {
  const std::size_t count = in.count("functions");
  FunctionReader reader(module, tables, debug, in);
  for (std::size_t i = 0; i < count && in.ok(); ++i) reader.read();
  errors.adopt(in);
}

void read_globals(ir::Module& module, const Tables& tables, Cursor in, Cursor& errors) {
  const std::size_t count = in.count("globals");
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    const std::uint64_t start = in.offset();
    ir::Global global;
    global.name = tables.string(in);
    global.type = tables.type(in);
    global.value = tables.constant(in);
    if (in.ok() && module.string(global.name).empty()) in.fail(code::kGlobal, "a global has no name", start);
    global.alignment = in.varint();
    if (module.version >= kGlobalFlags) {
      const std::uint64_t visibility = in.varint();
      if (in.ok() && visibility >= ir::kVisibility.values.size()) {
        in.fail(code::kEnumerator, fmt::format("{} has no value {}", ir::kVisibility.name, visibility),
                start);
      }
      global.is_private = visibility == ir::number(ir::kVisibility, "private");
      global.is_constant = in.varint() != 0;
    }
    tables.check_constant(in, global.value, global.type, start);
    if (in.ok()) module.globals.push_back(global);
  }
  errors.adopt(in);
}

}  // namespace tileport::bytecode
