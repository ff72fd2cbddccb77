// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <tileport/bytecode/read.hpp>
#include <utility>
#include <vector>

#include "bytecode/codes.hpp"
#include "bytecode/container.hpp"
#include "bytecode/debug.hpp"
#include "bytecode/functions.hpp"
#include "bytecode/sections.hpp"
#include "bytecode/tables.hpp"

namespace tileport::bytecode {
namespace {

Diagnostic unreadable(const std::string& path, int error) {
  return {.code = std::string(code::kUnreadable),
          .message = fmt::format("can't read the file: {}", std::strerror(error)),
          .place = {.file = path}};
}

}  // namespace

Result<ir::Module> read_sections(const Container& container) {
  ir::Module module;
  module.version = container.version;
  Cursor errors({}, 0);
  const Tables tables(module, container, errors);
  if (errors.ok() && container.section(SectionId::producer)) {
    Cursor in = *container.section(SectionId::producer);
    module.producer = tables.string(in);
    if (in.ok() && !in.at_end()) in.fail(code::kTrailing, "bytes follow the producer");
    errors.adopt(in);
  }
  DebugReader debug(module, tables, container, errors);
  if (errors.ok() && container.section(SectionId::global)) {
    read_globals(module, tables, *container.section(SectionId::global), errors);
  }
  if (errors.ok()) {
    read_functions(module, tables, debug, *container.section(SectionId::function), errors);
  }
  if (!errors.ok()) return fail(errors.failure());
  return module;
}

Result<ir::Module> read(std::span<const std::byte> bytes, std::string file) {
  auto module = read_container(bytes).and_then(read_sections);
  if (!module) {
    for (Diagnostic& diagnostic : module.error()) diagnostic.place.file = file;
    return module;
  }
  module->file = std::move(file);
  return module;
}

Result<ir::Module> read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!stream) return fail(unreadable(path, errno));
  std::vector<std::byte> bytes;
  std::vector<std::byte> chunk(std::size_t{1} << 16);
  while (const std::size_t size = std::fread(chunk.data(), 1, chunk.size(), stream.get())) {
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(size));
  }
  if (std::ferror(stream.get())) return fail(unreadable(path, errno));
  return read(bytes, path);
}

}  // namespace tileport::bytecode
