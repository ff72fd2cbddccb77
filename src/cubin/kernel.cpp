// SPDX-License-Identifier: Apache-2.0
#include "cubin/kernel.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <utility>

namespace tileport::cubin {
namespace {

constexpr std::string_view kTextPrefix = ".text.";

bool is_padding_nop(Bytes text, std::uint64_t at) { return (little_endian(text, at, 8) & 0xfff) == 0x918; }

/// BRA to its own address. The distance counts from the next instruction in units of 4 bytes, -4 here; up to
/// sm_89 it stands in bits 34 to 81, from sm_90 on its low eight bits are in bits 16 to 23.
bool is_branch_to_self(Bytes text, std::uint64_t at) {
  const std::uint64_t low = little_endian(text, at, 8);
  const std::uint64_t high = little_endian(text, at + 8, 8);
  return (low == 0xfffffffc00fc7947 || low == 0xfffffff000007947) && (high & 0x3ffff) == 0x3ffff;
}

/// REGCOUNT of the function `name`, or what compilers before that record wrote above the symbol index in
/// sh_info.
std::uint32_t registers_of(const Cubin& cubin, std::string_view name, const Section& text) {
  for (const auto& [section, records] : cubin.info) {
    const auto symbols = cubin.symbols.find(cubin.elf.sections[section].link);
    if (cubin.elf.sections[section].type != kSectionInfo || symbols == cubin.symbols.end()) continue;
    for (const InfoRecord& record : records) {
      if (record.attribute != kRegisterCount || record.payload.size() != 8) continue;
      const std::uint64_t symbol = little_endian(record.payload, 0, 4);
      if (symbol < symbols->second.size() && symbols->second[symbol].name == name) {
        return static_cast<std::uint32_t>(little_endian(record.payload, 4, 4));
      }
    }
  }
  return text.info >> 24;
}

bool is_kernel(const Cubin& cubin, std::uint32_t section, std::string_view name) {
  for (const auto& [table, symbols] : cubin.symbols) {
    for (const Symbol& symbol : symbols) {
      if (symbol.section == section && symbol.name == name && (symbol.other & kSymbolIsKernel) != 0)
        return true;
    }
  }
  return false;
}

KernelSummary summary_of(const Cubin& cubin, std::string_view name, const Section& text) {
  KernelSummary kernel;
  kernel.name = name;
  kernel.instructions = count_instructions(text.data);
  kernel.registers = registers_of(cubin, name, text);
  for (const Section& section : cubin.elf.sections) {
    if (section.name.starts_with(".nv.shared.") && section.name.substr(11) == name) {
      kernel.shared_bytes = section.size;
    }
  }
  return kernel;
}

Diagnostic no_kernel() {
  Diagnostic diagnostic;
  diagnostic.code = "TP-C0009";
  diagnostic.message =
      "the cubin has no kernel: no .text section belongs to a function that the host can launch";
  diagnostic.advice = "Assemble a Tile IR module that has an entry";
  return diagnostic;
}

Result<void> read_tables(Cubin& cubin) {
  const auto count = static_cast<std::uint32_t>(cubin.elf.sections.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const Section& section = cubin.elf.sections[i];
    if (cubin.elf.holds_symbols(i)) {
      auto symbols = cubin.elf.symbols(i);
      if (!symbols) return tl::unexpected<Diagnostics>(symbols.error());
      cubin.symbols.emplace(i, std::move(*symbols));
    } else if (cubin.elf.holds_relocations(i)) {
      auto relocations = cubin.elf.relocations(i);
      if (!relocations) return tl::unexpected<Diagnostics>(relocations.error());
      cubin.relocations.emplace(i, std::move(*relocations));
    } else if (section.type == kSectionInfo || section.type == kSectionMercInfo) {
      auto records = read_info(cubin.elf, section);
      if (!records) return tl::unexpected<Diagnostics>(records.error());
      cubin.info.emplace(i, std::move(*records));
    }
  }
  return {};
}

}  // namespace

std::uint64_t count_instructions(Bytes text) {
  std::uint64_t count = text.size() / kInstructionBytes;
  const auto last = [&] { return (count - 1) * kInstructionBytes; };
  while (count > 0 && is_padding_nop(text, last())) --count;
  if (count > 0 && is_branch_to_self(text, last())) --count;
  return count;
}

Result<Cubin> Cubin::read(Bytes bytes) {
  auto elf = Elf::read(bytes);
  if (!elf) return tl::unexpected<Diagnostics>(elf.error());
  if (elf->machine != EM_CUDA) {
    Diagnostic diagnostic;
    diagnostic.code = "TP-C0008";
    diagnostic.message = fmt::format("an ELF file for machine {}, not for CUDA ({})", elf->machine, EM_CUDA);
    diagnostic.place.offset = offsetof(Elf64_Ehdr, e_machine);
    diagnostic.advice = "Give a cubin as tileiras writes it";
    return fail(std::move(diagnostic));
  }
  Cubin cubin;
  cubin.elf = std::move(*elf);
  if (auto tables = read_tables(cubin); !tables) return tl::unexpected<Diagnostics>(tables.error());
  for (std::uint32_t i = 0; i < cubin.elf.sections.size(); ++i) {
    const Section& section = cubin.elf.sections[i];
    if (section.type != SHT_PROGBITS || !section.name.starts_with(kTextPrefix)) continue;
    const std::string_view name = section.name.substr(kTextPrefix.size());
    if (!is_kernel(cubin, i, name)) continue;
    if (section.size == 0 || section.size % kInstructionBytes != 0) {
      return fail(
          cubin.elf.at(section, 0, "TP-C0010",
                       fmt::format("{} bytes are no whole number of 16-byte instructions", section.size)));
    }
    cubin.kernels.push_back(summary_of(cubin, name, section));
  }
  if (cubin.kernels.empty()) return fail(no_kernel());
  return cubin;
}

Result<std::vector<KernelSummary>> summarize(std::span<const std::byte> bytes) {
  auto cubin = Cubin::read(bytes);
  if (!cubin) return tl::unexpected<Diagnostics>(cubin.error());
  return std::move(cubin->kernels);
}

}  // namespace tileport::cubin
