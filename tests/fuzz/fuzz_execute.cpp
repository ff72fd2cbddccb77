// SPDX-License-Identifier: Apache-2.0
// Any valid module: compiling and launching it ends within its limits, in a result or a coded error, and
// touches no memory that it was not given. Arguments are small arrays and numbers that a hash of the input
// decides.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tileport/bytecode/read.hpp>
#include <tileport/cpu/launch.hpp>
#include <tileport/verify/verify.hpp>
#include <vector>

#include "require.hpp"

namespace cpu = tileport::cpu;
namespace ir = tileport::ir;

namespace {

constexpr std::size_t kElements = 1024;

void require_coded(const tileport::Diagnostics& errors) {
  REQUIRE(!errors.empty());
  for (const auto& error : errors) {
    REQUIRE(error.code.starts_with("TP-E"));
    REQUIRE(!error.message.empty());
    to_string(error);
  }
}

std::uint64_t next(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

void launch(const cpu::Program& program, std::uint64_t seed) {
  std::vector<std::vector<std::uint64_t>> memory;
  std::vector<cpu::Argument> arguments;
  for (const ir::TypeKind kind : program.parameters()) {
    if (kind == ir::TypeKind::pointer) {
      memory.emplace_back(kElements, next(seed));
      const auto address = reinterpret_cast<std::uint64_t>(memory.back().data());
      // As a number, so that its element type is the kernel's own affair.
      arguments.emplace_back(static_cast<std::int64_t>(address));
    } else if (ir::is_integer(kind)) {
      const std::uint64_t number = next(seed);
      const std::int64_t values[] = {0, 1, 16, 32, 64, static_cast<std::int64_t>(number % 100), -1};
      arguments.emplace_back(kind == ir::TypeKind::i1 ? static_cast<std::int64_t>(number & 1)
                                                      : values[number / 128 % std::size(values)]);
    } else {
      arguments.emplace_back(static_cast<double>(next(seed) % 1000) / 8);
    }
  }
  std::vector<cpu::Storage> storages;
  for (const auto& one : memory) {
    storages.push_back({.begin = reinterpret_cast<std::uint64_t>(one.data()),
                        .bytes = one.size() * sizeof(std::uint64_t),
                        .name = "memory"});
  }
  const cpu::LaunchOptions options{
      .limits = {.bytes = std::uint64_t{32} << 20, .steps = 2000, .work = 2'000'000}, .threads = 1};
  const auto result = cpu::launch(program, {2, 1, 1}, arguments, storages, options);
  if (!result) require_coded(result.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> file(data, size);
  auto module = tileport::bytecode::read(std::as_bytes(file));
  if (!module) return 0;
  for (const auto& finding : tileport::verify::verify(*module)) {
    if (finding.severity == tileport::Severity::error) return 0;
  }
  std::uint64_t seed = 0xCBF29CE484222325;
  for (const std::uint8_t byte : file) seed = (seed ^ byte) * 0x100000001B3;
  const auto kept = std::make_shared<const ir::Module>(std::move(*module));
  for (const auto& function : kept->functions) {
    if (!function.is_kernel) continue;
    const auto program = cpu::compile(kept, {.kernel = kept->string(function.name)});
    if (!program) {
      require_coded(program.error());
      continue;
    }
    launch(*program, seed);
  }
  return 0;
}
