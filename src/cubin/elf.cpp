// SPDX-License-Identifier: Apache-2.0
#include "cubin/elf.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <bit>
#include <cassert>
#include <cstring>
#include <optional>

namespace tileport::cubin {
namespace {

static_assert(std::endian::native == std::endian::little, "ELF structures are read by copying");

constexpr std::string_view kAdvice = "Assemble the kernel again; the file is damaged or was cut short";

Diagnostic located(std::string code, std::string message, std::uint64_t offset, std::string advice) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.place.offset = offset;
  diagnostic.advice = std::move(advice);
  return diagnostic;
}

bool within(std::uint64_t offset, std::uint64_t size, std::uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

template <class T>
T load(Bytes bytes, std::uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// The NUL-terminated string at `offset`, or nothing if it leaves the table.
std::optional<std::string_view> string_at(Bytes table, std::uint64_t offset) {
  if (offset >= table.size()) return std::nullopt;
  const std::string_view rest = as_text(table.subspan(offset));
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(0, end);
}

Result<Elf64_Ehdr> read_header(Bytes bytes, std::uint64_t base) {
  const bool magic = bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
  if (!magic) {
    return fail(located("TP-C0001", "not an ELF file: the first bytes are not 7F 45 4C 46", base,
                        "Give a cubin as tileiras writes it, not Tile IR bytecode or PTX"));
  }
  if (bytes.size() < sizeof(Elf64_Ehdr)) {
    return fail(located(
        "TP-C0002",
        fmt::format("the ELF header needs {} bytes, the file has {}", sizeof(Elf64_Ehdr), bytes.size()),
        base + bytes.size(), std::string(kAdvice)));
  }
  const auto header = load<Elf64_Ehdr>(bytes, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return fail(located("TP-C0001", "an ELF file, but not a 64-bit little-endian one", base + EI_CLASS,
                        "Give a cubin as tileiras writes it"));
  }
  return header;
}

}  // namespace

std::uint64_t little_endian(Bytes bytes, std::size_t offset, std::size_t width) {
  assert(width <= 8 && within(offset, width, bytes.size()));
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, width);
  return value;
}

std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

Result<Elf> Elf::read(Bytes bytes, std::uint64_t base) {
  const auto header = read_header(bytes, base);
  if (!header) return tl::unexpected<Diagnostics>(header.error());
  Elf elf;
  elf.machine = header->e_machine;
  elf.type = header->e_type;
  elf.flags = header->e_flags;
  elf.base = base;
  const std::uint64_t count = header->e_shnum;
  if (count == 0 || header->e_shentsize != sizeof(Elf64_Shdr) ||
      !within(header->e_shoff, count * sizeof(Elf64_Shdr), bytes.size())) {
    return fail(
        located("TP-C0002",
                fmt::format("the section table ({} entries of {} bytes at offset {}) is not inside the "
                            "file of {} bytes",
                            count, header->e_shentsize, header->e_shoff, bytes.size()),
                base + offsetof(Elf64_Ehdr, e_shoff), std::string(kAdvice)));
  }
  if (!within(header->e_phoff, std::uint64_t{header->e_phnum} * sizeof(Elf64_Phdr), bytes.size())) {
    return fail(
        located("TP-C0002",
                fmt::format("the program header table ({} entries at offset {}) is not inside the file of {} "
                            "bytes",
                            header->e_phnum, header->e_phoff, bytes.size()),
                base + offsetof(Elf64_Ehdr, e_phoff), std::string(kAdvice)));
  }
  std::vector<std::uint32_t> names;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = header->e_shoff + i * sizeof(Elf64_Shdr);
    const auto raw = load<Elf64_Shdr>(bytes, at);
    Section section{{},          raw.sh_type, raw.sh_flags,     raw.sh_offset,  raw.sh_size,
                    raw.sh_link, raw.sh_info, raw.sh_addralign, raw.sh_entsize, {}};
    if (!has_no_bytes(raw.sh_type) && raw.sh_type != SHT_NULL) {
      if (!within(raw.sh_offset, raw.sh_size, bytes.size())) {
        return fail(
            located("TP-C0003",
                    fmt::format("section {} ({} bytes at offset {}) is not inside the file of {} bytes", i,
                                raw.sh_size, raw.sh_offset, bytes.size()),
                    base + at, std::string(kAdvice)));
      }
      section.data = bytes.subspan(raw.sh_offset, raw.sh_size);
    }
    elf.sections.push_back(section);
    names.push_back(raw.sh_name);
  }
  const std::uint32_t table = header->e_shstrndx;
  if (table >= count) {
    return fail(located("TP-C0004", fmt::format("the section of section names is {}, of {}", table, count),
                        base + offsetof(Elf64_Ehdr, e_shstrndx), std::string(kAdvice)));
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto name = string_at(elf.sections[table].data, names[i]);
    if (!name) {
      return fail(located("TP-C0004",
                          fmt::format("the name of section {} is not inside the section of names", i),
                          base + header->e_shoff + i * sizeof(Elf64_Shdr), std::string(kAdvice)));
    }
    elf.sections[i].name = *name;
  }
  return elf;
}

bool Elf::holds_symbols(std::uint32_t section) const {
  return section < sections.size() &&
         (sections[section].type == SHT_SYMTAB || sections[section].type == kSectionMercSymbols);
}

bool Elf::holds_relocations(std::uint32_t section) const {
  return section < sections.size() &&
         (sections[section].type == SHT_RELA || sections[section].type == kSectionMercRela);
}

Diagnostic Elf::at(const Section& section, std::uint64_t within_section, std::string code,
                   std::string message) const {
  return located(std::move(code), fmt::format("section {}: {}", section.name, message),
                 base + section.offset + within_section, std::string(kAdvice));
}

Result<std::vector<Symbol>> Elf::symbols(std::uint32_t index) const {
  assert(holds_symbols(index));
  const Section& section = sections[index];
  if (section.data.size() % sizeof(Elf64_Sym) != 0) {
    return fail(at(section, section.size, "TP-C0005",
                   fmt::format("{} bytes are no whole number of symbols", section.size)));
  }
  if (section.link >= sections.size()) {
    return fail(at(section, 0, "TP-C0005",
                   fmt::format("its names are in section {}, of {}", section.link, sections.size())));
  }
  std::vector<Symbol> all;
  for (std::size_t offset = 0; offset < section.data.size(); offset += sizeof(Elf64_Sym)) {
    const auto raw = load<Elf64_Sym>(section.data, offset);
    const auto name = string_at(sections[section.link].data, raw.st_name);
    if (!name) return fail(at(section, offset, "TP-C0005", "a symbol's name is not inside the string table"));
    if (raw.st_shndx < SHN_LORESERVE && raw.st_shndx >= sections.size()) {
      return fail(at(section, offset, "TP-C0005",
                     fmt::format("symbol {} is in section {}, of {}", *name, raw.st_shndx, sections.size())));
    }
    all.push_back({*name, raw.st_info, raw.st_other, raw.st_shndx, raw.st_value, raw.st_size});
  }
  return all;
}

Result<std::vector<Relocation>> Elf::relocations(std::uint32_t index) const {
  assert(holds_relocations(index));
  const Section& section = sections[index];
  if (section.data.size() % sizeof(Elf64_Rela) != 0) {
    return fail(at(section, section.size, "TP-C0006",
                   fmt::format("{} bytes are no whole number of relocations", section.size)));
  }
  std::vector<Relocation> all;
  for (std::size_t offset = 0; offset < section.data.size(); offset += sizeof(Elf64_Rela)) {
    const auto raw = load<Elf64_Rela>(section.data, offset);
    all.push_back({raw.r_offset, static_cast<std::uint32_t>(ELF64_R_TYPE(raw.r_info)),
                   static_cast<std::uint32_t>(ELF64_R_SYM(raw.r_info)), raw.r_addend});
  }
  return all;
}

}  // namespace tileport::cubin
