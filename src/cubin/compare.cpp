// SPDX-License-Identifier: Apache-2.0
// Compares two cubins by content. Whatever a section holds must be equal, except what is listed here with its
// reason:
//
//   entry name         The port's entry has another name by rule. It appears in section names, symbol names
//   and, as a
//                      string, in the host code (.nv.host, see host.cpp); there it is compared as "<kernel>".
//   string tables      .strtab, .shstrtab: only names; every name is compared where something refers to it.
//   symbol indices     Symbol tables are compared as sets; relocations, attributes and the call graph by the
//   symbol's
//                      name. An index only says where in its table the linker put a symbol.
//   layout             File offsets, program headers, section order: where the linker put bytes that are
//   compared. debug sections     .debug_*, .nv_debug_*, .nv.merc.debug_* and their relocations: for debuggers
//   and unwinders; the
//                      kernel cannot see them, and they name source lines, which differ between a kernel in
//                      Python and one in Rust.
//   .note.nv.tkinfo    Name, version and command line of the assembler; no part of the program.
//   assert places      An assertion's message in .nv.global.init starts with FILE:LINE, taken from debug
//   locations.
//                      The text from ": tile block: [" on must be equal; strings may then stand at other
//                      offsets of that section, so its symbols are compared by name and content instead.
//
// Not excepted, though design-wise easily forgotten: .nv.host, the CPU code that prepares launches (it builds
// tensor maps, so two kernels with equal .text may still read different memory), and the .nv.merc/.nv.capmerc
// sections, from which later chips of a family get their code.
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "cubin/host.hpp"
#include "cubin/kernel.hpp"
#include "cubin/names.hpp"

namespace tileport::cubin {
namespace {

constexpr std::string_view kAbsent = "absent";
constexpr std::string_view kAssertMarker = ": tile block: [";

bool is_excepted(const Section& section) {
  std::string_view name = section.name;
  for (const std::string_view prefix : {".nv.merc", ".rela"}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  return section.type == SHT_NULL || section.type == SHT_STRTAB || name.starts_with(".debug_") ||
         name.starts_with(".nv_debug") || name == ".note.nv.tkinfo";
}

/// One side while two cubins are compared.
struct Side {
  const Cubin& cubin;
  std::string_view kernel;
  std::map<std::string, std::uint32_t> sections{};  ///< By name with the kernel's taken out.

  explicit Side(const Cubin& from) : cubin(from), kernel(from.kernels.front().name) {
    // The kernel's own sections take the short names: ".nv.info" is the kernel's, ".nv.info (file)" the
    // file's.
    for (const bool own : {true, false}) {
      for (std::uint32_t i = 0; i < cubin.elf.sections.size(); ++i) {
        const std::string name = section_name(i);
        if (is_excepted(cubin.elf.sections[i]) || (name != cubin.elf.sections[i].name) != own) continue;
        std::string unique = name;
        if (sections.contains(unique)) unique += " (file)";
        for (int n = 2; sections.contains(unique); ++n) unique = fmt::format("{} ({})", name, n);
        sections.emplace(unique, i);
      }
    }
  }
  const Section& section(std::uint32_t i) const { return cubin.elf.sections[i]; }
  std::string section_name(std::uint32_t i) const {
    if (i >= cubin.elf.sections.size()) return fmt::format("section {}", i);
    return without_kernel(cubin.elf.sections[i].name, kernel);
  }
  std::string symbol_name(std::uint32_t table, std::uint64_t symbol) const {
    const auto found = cubin.symbols.find(table);
    if (found == cubin.symbols.end() || symbol >= found->second.size())
      return fmt::format("symbol {}", symbol);
    const Symbol& entry = found->second[symbol];
    if (entry.name.empty() && entry.section < SHN_LORESERVE) return section_name(entry.section);
    return without_kernel(entry.name, kernel);
  }
};

using Differences = std::vector<Difference>;

std::string hex(Bytes bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

std::size_t first_difference(Bytes a, Bytes b) {
  const std::size_t common = std::min(a.size(), b.size());
  std::size_t at = 0;
  while (at < common && a[at] == b[at]) ++at;
  return at;
}

/// An instruction as one 128-bit number, as disassemblers print it.
std::string instruction_at(Bytes text, std::size_t index) {
  const std::size_t at = index * kInstructionBytes;
  if (at + kInstructionBytes > text.size()) return "end of code";
  return fmt::format("0x{:016x}{:016x}", little_endian(text, at + 8, 8), little_endian(text, at, 8));
}

void compare_code(const std::string& name, Bytes a, Bytes b, Differences& out) {
  if (std::ranges::equal(a, b)) return;
  const std::size_t index = first_difference(a, b) / kInstructionBytes;
  const auto describe = [&](Bytes text) {
    return fmt::format("{} instructions; instruction {} (offset 0x{:x}) is {}", count_instructions(text),
                       index, index * kInstructionBytes, instruction_at(text, index));
  };
  out.push_back({name, describe(a), describe(b)});
}

void compare_bytes(const std::string& name, Bytes a, Bytes b, Differences& out) {
  if (std::ranges::equal(a, b)) return;
  const std::size_t at = first_difference(a, b);
  const auto describe = [&](Bytes data) {
    const std::size_t count = std::min<std::size_t>(8, data.size() - std::min(at, data.size()));
    return fmt::format("{} bytes; at offset 0x{:x}: {}", data.size(), at,
                       count == 0 ? std::string("end") : hex(data.subspan(at, count)));
  };
  out.push_back({name, describe(a), describe(b)});
}

/// Both sides as lists of lines: what only one side has is the difference.
void compare_lines(const std::string& name, std::vector<std::string> a, std::vector<std::string> b,
                   Differences& out) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  std::vector<std::string> only_a;
  std::vector<std::string> only_b;
  std::ranges::set_difference(a, b, std::back_inserter(only_a));
  std::ranges::set_difference(b, a, std::back_inserter(only_b));
  if (only_a.empty() && only_b.empty()) return;
  const auto describe = [](const std::vector<std::string>& lines) {
    if (lines.empty()) return std::string(kAbsent);
    return lines.size() == 1 ? lines.front()
                             : fmt::format("{} (and {} more)", lines.front(), lines.size() - 1);
  };
  out.push_back({name, describe(only_a), describe(only_b)});
}

/// A symbol whose content is compared by name in a section of strings. (The merc sections' symbols have a
/// type of NVIDIA's own, 13, so the type doesn't tell.)
bool names_a_string(const Symbol& symbol, const Section& section) {
  return symbol.size > 0 && section.data.size() >= symbol.size &&
         symbol.value <= section.data.size() - symbol.size;
}

bool is_string_section(const Section& section) { return section.name.ends_with(".nv.global.init"); }

std::vector<std::string> symbol_lines(const Side& side, std::uint32_t table) {
  std::vector<std::string> lines;
  const auto& symbols = side.cubin.symbols.at(table);
  for (std::uint32_t i = 0; i < symbols.size(); ++i) {
    const Symbol& symbol = symbols[i];
    const bool in_section = symbol.section < SHN_LORESERVE;
    if (in_section && symbol.section != SHN_UNDEF && is_excepted(side.section(symbol.section))) continue;
    std::string place = "by its content";
    if (!in_section || !is_string_section(side.section(symbol.section)) ||
        !names_a_string(symbol, side.section(symbol.section))) {
      place = fmt::format("at 0x{:x}, {} bytes", symbol.value, symbol.size);
    }
    const std::string name = side.symbol_name(table, i);
    lines.push_back(fmt::format(
        "{} (info 0x{:x}, other 0x{:x}) in {} {}", name.empty() ? "unnamed" : name, symbol.info, symbol.other,
        in_section ? side.section_name(symbol.section) : fmt::format("special section {}", symbol.section),
        place));
  }
  return lines;
}

std::vector<std::string> relocation_lines(const Side& side, std::uint32_t section) {
  std::vector<std::string> lines;
  for (const Relocation& entry : side.cubin.relocations.at(section)) {
    lines.push_back(fmt::format("offset 0x{:x}: type 0x{:x}, {} + {}", entry.offset, entry.type,
                                side.symbol_name(side.section(section).link, entry.symbol), entry.addend));
  }
  return lines;
}

std::vector<std::string> call_graph_lines(const Side& side, std::uint32_t section) {
  std::vector<std::string> lines;
  const Bytes data = side.section(section).data;
  const auto word = [&](std::size_t at) {
    const auto value = static_cast<std::uint32_t>(little_endian(data, at, 4));
    // Small negative numbers mark roots and unknown callees; 0 is no symbol.
    if (value == 0 || value >= 0xfffffff0) return fmt::format("{}", static_cast<std::int32_t>(value));
    return side.symbol_name(side.section(section).link, value);
  };
  std::size_t at = 0;
  for (; at + 8 <= data.size(); at += 8) lines.push_back(fmt::format("{} -> {}", word(at), word(at + 4)));
  if (at != data.size()) lines.push_back(hex(data.subspan(at)));
  return lines;
}

std::string record_text(const Side& side, std::uint32_t section, const InfoRecord& record) {
  const SymbolWords symbols = symbol_words(record.attribute);
  std::string text;
  std::size_t at = 0;
  for (; at + 4 <= record.payload.size(); at += 4) {
    const bool symbolic = symbols == SymbolWords::all || (symbols == SymbolWords::first && at == 0);
    const std::uint64_t value = little_endian(record.payload, at, 4);
    text += symbolic ? side.symbol_name(side.section(section).link, value) : fmt::format("0x{:x}", value);
    text += ' ';
  }
  text += hex(record.payload.subspan(at));
  return text;
}

/// Enough of a record to see where it departs from the other side's.
std::string excerpt(const std::string& text, const std::string& other) {
  constexpr std::size_t kShown = 100;
  if (text.size() <= kShown) return text;
  std::size_t at = 0;
  while (at < text.size() && at < other.size() && text[at] == other[at]) ++at;
  while (at > 0 && text[at - 1] != ' ') --at;
  return fmt::format("…{}{}", text.substr(at, kShown), at + kShown < text.size() ? "…" : "");
}

/// Records of one attribute keep their order; attributes come in any order.
using Attributes = std::map<std::uint8_t, std::vector<std::string>>;

Attributes attributes_of(const Side& side, std::uint32_t section) {
  Attributes all;
  for (const InfoRecord& record : side.cubin.info.at(section)) {
    // Registers are compared as part of the summary.
    if (record.attribute == kRegisterCount && side.section(section).type == kSectionInfo) continue;
    all[record.attribute].push_back(
        fmt::format("format {}: {}", record.format, record_text(side, section, record)));
  }
  return all;
}

void compare_info(const std::string& name, const Attributes& a, const Attributes& b, Differences& out) {
  static const std::vector<std::string> kNothing;
  const auto of = [](const Attributes& all, std::uint8_t attribute) -> const std::vector<std::string>& {
    const auto found = all.find(attribute);
    return found == all.end() ? kNothing : found->second;
  };
  std::vector<std::uint8_t> attributes;
  for (const auto& [attribute, records] : a) attributes.push_back(attribute);
  for (const auto& [attribute, records] : b) {
    if (!a.contains(attribute)) attributes.push_back(attribute);
  }
  for (const std::uint8_t attribute : attributes) {
    const auto& left = of(a, attribute);
    const auto& right = of(b, attribute);
    if (left == right) continue;
    std::size_t at = 0;
    while (at < left.size() && at < right.size() && left[at] == right[at]) ++at;
    const std::string first = at < left.size() ? left[at] : std::string(kAbsent);
    const std::string second = at < right.size() ? right[at] : std::string(kAbsent);
    out.push_back({fmt::format("{} {}", name, attribute_name(attribute)), excerpt(first, second),
                   excerpt(second, first)});
  }
}

/// Strings of a section by the symbol that names them, or nothing if symbols don't cover it.
std::optional<std::vector<std::string>> string_lines(const Side& side, std::uint32_t section) {
  std::vector<std::string> lines;
  std::uint64_t covered = 0;
  for (const auto& [table, symbols] : side.cubin.symbols) {
    for (const Symbol& symbol : symbols) {
      if (symbol.section != section || symbol.size == 0) continue;
      if (!names_a_string(symbol, side.section(section))) return std::nullopt;
      std::string_view content = as_text(side.section(section).data.subspan(symbol.value, symbol.size));
      if (const std::size_t marker = content.find(kAssertMarker); marker != std::string_view::npos) {
        content.remove_prefix(marker);
      }
      lines.push_back(fmt::format("{}: \"{}\"", without_kernel(symbol.name, side.kernel), content));
      covered += symbol.size;
    }
  }
  if (covered != side.section(section).size) return std::nullopt;
  return lines;
}

void compare_strings(const std::string& name, const Side& a, std::uint32_t in_a, const Side& b,
                     std::uint32_t in_b, Differences& out) {
  const auto left = string_lines(a, in_a);
  const auto right = string_lines(b, in_b);
  if (left && right) return compare_lines(name, *left, *right, out);
  compare_bytes(name, a.section(in_a).data, b.section(in_b).data, out);
}

void compare_headers(const std::string& name, const Section& a, const Section& b, Differences& out) {
  const auto describe = [](const Section& section) {
    return fmt::format("type 0x{:x}, flags 0x{:x}, alignment {}, entry size {}", section.type, section.flags,
                       section.alignment, section.entry_size);
  };
  if (describe(a) != describe(b)) out.push_back({name, describe(a), describe(b)});
  if (has_no_bytes(a.type) && has_no_bytes(b.type) && a.size != b.size) {
    out.push_back({name, fmt::format("{} bytes", a.size), fmt::format("{} bytes", b.size)});
  }
}

Result<void> compare_sections(const std::string& name, const Side& a, std::uint32_t in_a, const Side& b,
                              std::uint32_t in_b, Differences& out) {
  const Section& left = a.section(in_a);
  const Section& right = b.section(in_b);
  compare_headers(name, left, right, out);
  if (left.type != right.type) return {};
  if (a.cubin.symbols.contains(in_a)) {
    compare_lines(name, symbol_lines(a, in_a), symbol_lines(b, in_b), out);
  } else if (a.cubin.relocations.contains(in_a)) {
    compare_lines(name, relocation_lines(a, in_a), relocation_lines(b, in_b), out);
  } else if (a.cubin.info.contains(in_a)) {
    compare_info(name, attributes_of(a, in_a), attributes_of(b, in_b), out);
  } else if (left.type == kSectionCallGraph || left.type == kSectionMercCallGraph) {
    compare_lines(name, call_graph_lines(a, in_a), call_graph_lines(b, in_b), out);
  } else if (left.type == kSectionHost) {
    auto host_a = describe_host(left.data, a.cubin.elf.base + left.offset, a.kernel);
    if (!host_a) return tl::unexpected<Diagnostics>(host_a.error());
    auto host_b = describe_host(right.data, b.cubin.elf.base + right.offset, b.kernel);
    if (!host_b) return tl::unexpected<Diagnostics>(host_b.error());
    compare_host(name, *host_a, *host_b, out);
  } else if (is_string_section(left)) {
    compare_strings(name, a, in_a, b, in_b, out);
  } else if (name == ".text") {
    compare_code(name, left.data, right.data, out);
  } else {
    compare_bytes(name, left.data, right.data, out);
  }
  return {};
}

void compare_summaries(const Comparison& comparison, Differences& out) {
  const auto number = [&](std::string_view what, std::uint64_t a, std::uint64_t b) {
    if (a != b) out.push_back({std::string(what), fmt::format("{}", a), fmt::format("{}", b)});
  };
  number("registers", comparison.reference.registers, comparison.port.registers);
  number("shared_bytes", comparison.reference.shared_bytes, comparison.port.shared_bytes);
}

/// Code first, then what the launch needs, then the rest: the first difference is the one to look at.
int rank(const std::string& section) {
  if (section == ".text") return 0;
  if (section.starts_with(".nv.constant")) return 1;
  if (section.starts_with(".nv.info")) return 2;
  if (section.starts_with(".nv.host") || section.starts_with(".nv.shared")) return 3;
  return section.starts_with(".nv.merc") || section.starts_with(".nv.capmerc") ? 5 : 4;
}

Result<Cubin> read_single(std::span<const std::byte> bytes, std::string_view side) {
  auto cubin = Cubin::read(bytes);
  if (!cubin) {
    for (Diagnostic& diagnostic : cubin.error())
      diagnostic.message = fmt::format("{}: {}", side, diagnostic.message);
    return cubin;
  }
  if (cubin->kernels.size() == 1) return cubin;
  Diagnostic diagnostic;
  diagnostic.code = "TP-C0011";
  diagnostic.message =
      fmt::format("{}: the cubin has {} kernels, a comparison is of one", side, cubin->kernels.size());
  diagnostic.advice = "Assemble each kernel for itself";
  return fail(std::move(diagnostic));
}

}  // namespace

Result<Comparison> compare(std::span<const std::byte> reference, std::span<const std::byte> port) {
  const auto left = read_single(reference, "reference");
  if (!left) return tl::unexpected<Diagnostics>(left.error());
  const auto right = read_single(port, "port");
  if (!right) return tl::unexpected<Diagnostics>(right.error());
  const Side a(*left);
  const Side b(*right);

  Comparison result;
  result.reference = left->kernels.front();
  result.port = right->kernels.front();
  compare_summaries(result, result.differences);
  if (left->elf.flags != right->elf.flags || left->elf.type != right->elf.type) {
    result.differences.push_back({"architecture", fmt::format("ELF flags 0x{:x}", left->elf.flags),
                                  fmt::format("ELF flags 0x{:x}", right->elf.flags)});
  }
  std::vector<std::string> names;
  for (const auto& [name, section] : a.sections) names.push_back(name);
  for (const auto& [name, section] : b.sections) {
    if (!a.sections.contains(name)) names.push_back(name);
  }
  std::ranges::stable_sort(names, {}, rank);
  for (const std::string& name : names) {
    const auto in_a = a.sections.find(name);
    const auto in_b = b.sections.find(name);
    if (in_a == a.sections.end() || in_b == b.sections.end()) {
      const bool only_port = in_a == a.sections.end();
      const auto size = only_port ? b.section(in_b->second).size : a.section(in_a->second).size;
      const std::string present = fmt::format("{} bytes", size);
      result.differences.push_back(
          {name, only_port ? std::string(kAbsent) : present, only_port ? present : std::string(kAbsent)});
      continue;
    }
    auto done = compare_sections(name, a, in_a->second, b, in_b->second, result.differences);
    if (!done) return tl::unexpected<Diagnostics>(done.error());
  }
  result.identical = result.differences.empty();
  return result;
}

}  // namespace tileport::cubin
