// SPDX-License-Identifier: Apache-2.0
// The only thing that depends on the entry's name is the string that the symbol __CUDA_TILEIR_FUNC_NAME_0
// covers. It must be the kernel's name plus NUL; it is cut out, and addresses behind it in the same section
// move down by its length, so that names of different length compare equal and nothing else does. The
// alignment of that section follows from the string's length (16 from 16 bytes on) and is left out with it.
#include "cubin/host.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <optional>

namespace tileport::cubin {
namespace {

constexpr std::string_view kNameSymbol = "__CUDA_TILEIR_FUNC_NAME_";

/// The bytes of a section that hold the kernel's name.
struct NamePlace {
  std::uint32_t section = 0;
  std::uint64_t first = 0;
  std::uint64_t size = 0;

  /// An address of that section once the name is gone.
  std::uint64_t moved(std::uint64_t address) const {
    if (address >= first + size) return address - size;
    return address > first ? first : address;
  }
};

struct Host {
  Elf elf;
  std::vector<Symbol> symbols;
  std::optional<NamePlace> name;

  std::string section_name(std::uint32_t i) const {
    return i < elf.sections.size() ? std::string(elf.sections[i].name) : fmt::format("special section {}", i);
  }
  std::string symbol_name(std::uint32_t i) const {
    if (i >= symbols.size()) return fmt::format("symbol {}", i);
    return symbols[i].name.empty() ? section_name(symbols[i].section) : std::string(symbols[i].name);
  }
  std::uint64_t moved(std::uint32_t section, std::uint64_t address) const {
    return name && name->section == section ? name->moved(address) : address;
  }
};

Result<Host> read_host(Bytes object, std::uint64_t offset, std::string_view kernel) {
  auto elf = Elf::read(object, offset);
  if (!elf) return tl::unexpected<Diagnostics>(elf.error());
  Host host{std::move(*elf), {}, std::nullopt};
  for (std::uint32_t i = 0; i < host.elf.sections.size(); ++i) {
    if (host.elf.sections[i].type != SHT_SYMTAB) continue;
    auto symbols = host.elf.symbols(i);
    if (!symbols) return tl::unexpected<Diagnostics>(symbols.error());
    host.symbols = std::move(*symbols);
  }
  for (const Symbol& symbol : host.symbols) {
    if (!symbol.name.starts_with(kNameSymbol) || symbol.section >= host.elf.sections.size()) continue;
    const Bytes data = host.elf.sections[symbol.section].data;
    if (symbol.value > data.size() || symbol.size > data.size() - symbol.value) continue;
    const std::string_view text = as_text(data.subspan(symbol.value, symbol.size));
    if (text.size() == kernel.size() + 1 && text.starts_with(kernel) && text.back() == '\0') {
      host.name = NamePlace{symbol.section, symbol.value, symbol.size};
    }
  }
  return host;
}

std::string symbol_text(const Host& host, const Symbol& symbol) {
  const bool is_name = host.name && symbol.name.starts_with(kNameSymbol) &&
                       symbol.section == host.name->section && symbol.value == host.name->first;
  return fmt::format("{} (info 0x{:x}, other 0x{:x}) in {} at 0x{:x}, {}\n", symbol.name, symbol.info,
                     symbol.other, host.section_name(symbol.section),
                     host.moved(symbol.section, symbol.value),
                     is_name ? std::string("the kernel's name") : fmt::format("{} bytes", symbol.size));
}

Result<std::string> relocation_text(const Host& host, std::uint32_t section) {
  const auto relocations = host.elf.relocations(section);
  if (!relocations) return tl::unexpected<Diagnostics>(relocations.error());
  std::string text;
  for (const Relocation& entry : *relocations) {
    std::int64_t addend = entry.addend;
    if (entry.symbol < host.symbols.size() && addend >= 0) {
      // Relative to the section's start, so that an address behind the name counts without it.
      const Symbol& symbol = host.symbols[entry.symbol];
      const std::uint64_t start = host.moved(symbol.section, symbol.value);
      const std::uint64_t target = symbol.value + static_cast<std::uint64_t>(addend);
      addend = static_cast<std::int64_t>(host.moved(symbol.section, target) - start);
    }
    text += fmt::format("offset 0x{:x}: type {}, {} + {}\n",
                        host.moved(host.elf.sections[section].info, entry.offset), entry.type,
                        host.symbol_name(entry.symbol), addend);
  }
  return text;
}

std::string content_text(const Host& host, std::uint32_t i) {
  const Section& section = host.elf.sections[i];
  std::string content(as_text(section.data));
  std::uint64_t size = section.size;
  std::string alignment = fmt::format("alignment {}", section.alignment);
  if (host.name && host.name->section == i) {
    content.erase(host.name->first, host.name->size);
    size -= host.name->size;
    alignment = "the kernel's name";
  }
  return fmt::format("type 0x{:x}, flags 0x{:x}, {}, {} bytes\n{}", section.type, section.flags, alignment,
                     size, content);
}

}  // namespace

Result<HostObject> describe_host(Bytes object, std::uint64_t offset, std::string_view kernel) {
  const auto host = read_host(object, offset, kernel);
  if (!host) return tl::unexpected<Diagnostics>(host.error());
  HostObject described;
  described.sections["machine"] = fmt::format("{}, flags 0x{:x}", host->elf.machine, host->elf.flags);
  for (std::uint32_t i = 0; i < host->elf.sections.size(); ++i) {
    const Section& section = host->elf.sections[i];
    if (section.type == SHT_NULL || section.type == SHT_STRTAB) continue;
    std::string& text = described.sections[std::string(section.name)];
    if (section.type == SHT_SYMTAB) {
      for (const Symbol& symbol : host->symbols) text += symbol_text(*host, symbol);
    } else if (host->elf.holds_relocations(i)) {
      auto relocations = relocation_text(*host, i);
      if (!relocations) return tl::unexpected<Diagnostics>(relocations.error());
      text += *relocations;
    } else {
      text += content_text(*host, i);
    }
  }
  return described;
}

void compare_host(const std::string& name, const HostObject& reference, const HostObject& port,
                  std::vector<Difference>& differences) {
  const auto report = [&](const std::string& section, const std::string& a, const std::string& b) {
    std::size_t at = 0;
    while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
    differences.push_back({fmt::format("{} {}", name, section),
                           fmt::format("differs from byte {} of its content", at),
                           fmt::format("differs from byte {} of its content", at)});
  };
  for (const auto& [section, content] : reference.sections) {
    const auto found = port.sections.find(section);
    if (found == port.sections.end()) {
      differences.push_back({fmt::format("{} {}", name, section), "present", "absent"});
    } else if (found->second != content) {
      report(section, content, found->second);
    }
  }
  for (const auto& [section, content] : port.sections) {
    if (!reference.sections.contains(section)) {
      differences.push_back({fmt::format("{} {}", name, section), "absent", "present"});
    }
  }
}

}  // namespace tileport::cubin
