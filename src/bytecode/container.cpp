// SPDX-License-Identifier: Apache-2.0
//   file    := 7F "TileIR" 00, major byte, minor byte, tag u16, section*, 00
//   section := id byte (| 80 if aligned), varint size, [varint alignment, filler], payload
// Filler brings the payload to the alignment, counted from the start of the file.
#include "bytecode/container.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "bytecode/codes.hpp"

namespace tileport::bytecode {
namespace {

constexpr std::uint64_t kPreviewBit = 1;

void read_header(Cursor& in, std::span<const std::byte> bytes, Container& container) {
  const bool magic = bytes.size() >= kMagic.size() &&
                     std::ranges::equal(bytes.first(kMagic.size()), std::as_bytes(std::span(kMagic)));
  if (!magic) {
    in.fail(code::kMagic, "this is not Tile IR bytecode: it does not begin with 7F 'TileIR' 00", 0);
    return;
  }
  in.take(kMagic.size());
  const std::uint8_t major = in.byte();
  const std::uint8_t minor = in.byte();
  const std::uint64_t tag = in.fixed(2);
  if (!in.ok()) return;
  container.version = {major, minor};
  if (container.version < kOldestVersion || container.version > kNewestVersion) {
    in.fail(
        code::kVersion,
        fmt::format("bytecode version {}.{} is not supported; {}.{} to {}.{} are", major, minor,
                    kOldestVersion.major, kOldestVersion.minor, kNewestVersion.major, kNewestVersion.minor),
        8);
  } else if ((tag & kPreviewBit) != 0) {
    in.fail(code::kHeaderTag, "the file holds public-preview content, which is not supported", 10);
  } else if (tag != 0) {
    in.fail(code::kHeaderTag, fmt::format("the header's tag {:#06x} has unknown bits", tag), 10);
  }
}

/// Whether a section followed; false at the end marker or at a mistake.
bool read_section(Cursor& in, Container& container) {
  const std::uint64_t start = in.offset();
  const std::uint8_t head = in.byte();
  if (!in.ok() || head == 0) return false;
  const std::size_t id = head & (kAlignedSection - 1);
  if (id == 0 || id >= kSectionKinds || container.version < kSections[id].since) {
    in.fail(code::kSection,
            fmt::format("section id {} does not exist in bytecode {}.{}", id, container.version.major,
                        container.version.minor),
            start);
    return false;
  }
  const std::uint64_t size = in.varint();
  std::uint64_t alignment = 1;
  const bool aligned = (head & kAlignedSection) != 0;
  if (aligned) {
    alignment = in.varint();
    if (in.ok() && !std::has_single_bit(alignment)) {
      in.fail(
          code::kAlignment,
          fmt::format("alignment {} of the {} section is not a power of two", alignment, kSections[id].name),
          start);
    }
    if (in.ok()) in.align(alignment);
  }
  if (!in.ok()) return false;
  if (alignment % kSections[id].alignment != 0) {
    in.fail(code::kAlignment,
            fmt::format("the {} section is aligned to {}, it needs {}", kSections[id].name, alignment,
                        kSections[id].alignment),
            start);
    return false;
  }
  const std::uint64_t offset = in.offset();
  if (size > in.remaining()) {
    in.fail(code::kTruncated,
            fmt::format("the {} section has {} bytes, but only {} are left", kSections[id].name, size,
                        in.remaining()),
            start);
    return false;
  }
  container.sections[id].emplace(in.take(size), offset);
  container.order.push_back({static_cast<SectionId>(id), aligned, alignment, offset, size});
  return true;
}

}  // namespace

Result<Container> read_container(std::span<const std::byte> bytes) {
  Container container;
  Cursor in(bytes, 0);
  read_header(in, bytes, container);
  while (in.ok() && read_section(in, container)) {
  }
  if (in.ok() && !in.at_end()) {
    in.fail(code::kTrailing, fmt::format("{} bytes follow the end of the last section", in.remaining()));
  }
  for (SectionId id : {SectionId::string, SectionId::function}) {
    if (in.ok() && !container.section(id)) {
      in.fail(code::kMissingSection, fmt::format("the {} section is missing", section_info(id).name));
    }
  }
  if (!in.ok()) return fail(in.failure());
  return container;
}

}  // namespace tileport::bytecode
