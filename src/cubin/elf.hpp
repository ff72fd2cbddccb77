// SPDX-License-Identifier: Apache-2.0
// A bounds-checked reader of little-endian ELF64 files as far as cubins need it: sections, symbols,
// relocations. Everything it hands out points into the buffer that was read, which must outlive it.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tileport/core/diagnostic.hpp>
#include <vector>

namespace tileport::cubin {

using Bytes = std::span<const std::byte>;

// CUDA's section types (sh_type); NVIDIA publishes no header for them. The "merc" sections of sm_100 and
// later hold the same content a second time, for finalization on a later chip.
inline constexpr std::uint32_t kSectionInfo = 0x70000000;
inline constexpr std::uint32_t kSectionCallGraph = 0x70000001;
inline constexpr std::uint32_t kSectionMercNoBits =
    0x70000015;  ///< As SHT_NOBITS: sm_110's reserved shared memory.
inline constexpr std::uint32_t kSectionMercRela = 0x70000082;
inline constexpr std::uint32_t kSectionMercInfo = 0x70000083;
inline constexpr std::uint32_t kSectionMercSymbols = 0x70000085;
inline constexpr std::uint32_t kSectionHost = 0x70000087;
inline constexpr std::uint32_t kSectionMercCallGraph = 0x7000008a;

/// STO_CUDA_ENTRY: this bit of a function symbol's st_other says that the host can launch it.
inline constexpr std::uint8_t kSymbolIsKernel = 0x10;

/// Whether the file holds no bytes of a section of this type, whatever its offset points at.
constexpr bool has_no_bytes(std::uint32_t type) { return type == SHT_NOBITS || type == kSectionMercNoBits; }

struct Section {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t offset = 0;  ///< In the file.
  std::uint64_t size = 0;    ///< Bytes, also if the file holds none of them (NOBITS).
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint64_t alignment = 0;
  std::uint64_t entry_size = 0;
  Bytes data;  ///< Empty for NOBITS.
};

struct Symbol {
  std::string_view name;
  std::uint8_t info = 0;
  std::uint8_t other = 0;
  std::uint16_t section = 0;
  std::uint64_t value = 0;
  std::uint64_t size = 0;
};

struct Relocation {
  std::uint64_t offset = 0;
  std::uint32_t type = 0;
  std::uint32_t symbol = 0;
  std::int64_t addend = 0;
};

class Elf {
 public:
  /// `base` is where the buffer starts in the user's file, for diagnostics about an ELF inside an ELF.
  static Result<Elf> read(Bytes bytes, std::uint64_t base = 0);

  std::uint16_t machine = 0;
  std::uint16_t type = 0;
  std::uint32_t flags = 0;
  std::uint64_t base = 0;
  std::vector<Section> sections;

  bool holds_symbols(std::uint32_t section) const;
  bool holds_relocations(std::uint32_t section) const;
  /// Entries of a symbol table; the section must be one (assertion).
  Result<std::vector<Symbol>> symbols(std::uint32_t section) const;
  /// Entries of a relocation section with addends; the section must be one (assertion).
  Result<std::vector<Relocation>> relocations(std::uint32_t section) const;
  /// "offset N"-located diagnostic about a section.
  Diagnostic at(const Section& section, std::uint64_t within, std::string code, std::string message) const;
};

/// An unsigned little-endian number of `width` bytes (at most 8); the caller has checked the bounds.
std::uint64_t little_endian(Bytes bytes, std::size_t offset, std::size_t width);

std::string_view as_text(Bytes bytes);

}  // namespace tileport::cubin
