// SPDX-License-Identifier: Apache-2.0
// The cubins of tests/data/cubin were assembled by tileiras 13.5.37 from small kernels: two called `scale`
// (sm_90 and sm_110) and `checked` (sm_100, with an assertion), each once as cuTile Python emits it and once
// renamed and without debug information, as a port is. Instruction counts and registers were read off the raw
// words by hand.
#include <elf.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <tileport/cubin/compare.hpp>

#include "cubin/elf.hpp"
#include "cubin/kernel.hpp"
#include "test_data.hpp"

using namespace tileport;
using cubin::Bytes;
using Buffer = std::vector<std::byte>;

namespace {

Buffer cubin_file(const std::string& name) {
  std::ifstream in(test_data() / "cubin" / (name + ".cubin"), std::ios::binary);
  REQUIRE(in);
  const std::string content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Buffer bytes(content.size());
  std::memcpy(bytes.data(), content.data(), content.size());
  return bytes;
}

cubin::Section section_of(const Buffer& file, const std::string& prefix) {
  const auto elf = cubin::Elf::read(file);
  REQUIRE(elf);
  for (const cubin::Section& section : elf->sections) {
    if (section.name.starts_with(prefix)) return section;
  }
  FAIL("no section " << prefix);
  return {};
}

Buffer flipped(Buffer file, std::uint64_t byte, unsigned bit) {
  file.at(byte) ^= static_cast<std::byte>(1U << bit);
  return file;
}

const cubin::Difference* find(const cubin::Comparison& comparison, std::string_view what) {
  const auto found = std::ranges::find(comparison.differences, what, &cubin::Difference::what);
  return found == comparison.differences.end() ? nullptr : &*found;
}

template <class T>
std::string code_of(const Result<T>& result) {
  REQUIRE_FALSE(result);
  REQUIRE_FALSE(result.error().empty());
  return result.error().front().code;
}

template <class T>
void put(Buffer& file, std::size_t offset, T value) {
  std::memcpy(file.data() + offset, &value, sizeof value);
}

}  // namespace

TEST_CASE("cubin: a section of sm_110 that holds no bytes is not read") {
  // Its offset is that of the section headers, which change with the length of the kernel's name.
  const Buffer reference = cubin_file("scale_sm_110");
  const auto comparison = cubin::compare(reference, cubin_file("scale_port_sm_110"));
  REQUIRE(comparison);
  CHECK(comparison->identical);
  CHECK(comparison->differences.empty());
  const cubin::Section section = section_of(reference, ".nv.merc.nv.shared.reserved.0");
  CHECK(section.type == 0x70000015);
  CHECK(section.size == 128);
  CHECK(section.data.empty());
}

TEST_CASE("a kernel's size, registers and shared memory are those of the file", "[cubin]") {
  const auto scale = cubin::summarize(cubin_file("scale_sm_90"));
  REQUIRE(scale);
  REQUIRE(scale->size() == 1);
  CHECK(scale->front().name == "scale_Kt1_A1f32_1t1_p16_A1f32_1t1_p16");
  CHECK(scale->front().instructions == 86);
  CHECK(scale->front().registers == 20);
  CHECK(scale->front().shared_bytes == 0);

  const auto checked = cubin::summarize(cubin_file("checked_port_sm_100"));
  REQUIRE(checked);
  CHECK(checked->front().name == "checked__0123456789_entry");
  CHECK(checked->front().instructions == 85);
  CHECK(checked->front().registers == 24);
}

TEST_CASE("padding is no instruction: a branch to itself, then NOPs", "[cubin]") {
  const auto code = [](std::vector<std::pair<std::uint64_t, std::uint64_t>> words) {
    Buffer bytes(words.size() * 16);
    if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
    return cubin::count_instructions(bytes);
  };
  const std::pair<std::uint64_t, std::uint64_t> exit{0x794d, 0x000fea0003800000};
  const std::pair<std::uint64_t, std::uint64_t> nop{0x7918, 0x000fc00000000000};
  const std::pair<std::uint64_t, std::uint64_t> self_90{0xfffffffc00fc7947, 0x000fc0000383ffff};
  const std::pair<std::uint64_t, std::uint64_t> self_80{0xfffffff000007947, 0x000fc0000383ffff};
  const std::pair<std::uint64_t, std::uint64_t> back{0xffffffec00ec7947, 0x000fc0000383ffff};
  CHECK(code({exit, self_90, nop, nop}) == 1);
  CHECK(code({exit, self_80, nop}) == 1);
  CHECK(code({exit, self_90}) == 1);
  CHECK(code({exit, back}) == 2);
  CHECK(code({nop, exit, self_90, nop}) == 2);
  CHECK(code({exit, self_90, self_90, nop}) == 2);
  CHECK(code({}) == 0);
}

TEST_CASE("a cubin equals itself and its renamed twin without debug information", "[cubin]") {
  for (const std::string name : {"scale_sm_90", "checked_sm_100"}) {
    const std::string port = name == "scale_sm_90" ? "scale_port_sm_90" : "checked_port_sm_100";
    const auto same = cubin::compare(cubin_file(name), cubin_file(name));
    REQUIRE(same);
    CHECK(same->identical);
    const auto renamed = cubin::compare(cubin_file(name), cubin_file(port));
    REQUIRE(renamed);
    CHECK(renamed->identical);
    CHECK(renamed->differences.empty());
    CHECK(renamed->reference.instructions == renamed->port.instructions);
    CHECK(renamed->reference.name != renamed->port.name);
  }
}

TEST_CASE("every flipped bit of the code is named with its instruction", "[cubin]") {
  const Buffer reference = cubin_file("scale_sm_90");
  const Buffer port = cubin_file("scale_port_sm_90");
  const cubin::Section text = section_of(port, ".text.");
  std::mt19937 random(7);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t byte = random() % text.size;
    const auto result = cubin::compare(reference, flipped(port, text.offset + byte, random() % 8));
    REQUIRE(result);
    REQUIRE_FALSE(result->identical);
    const cubin::Difference* difference = find(*result, ".text");
    REQUIRE(difference != nullptr);
    const std::string place = "; instruction " + std::to_string(byte / 16) + " (offset ";
    CHECK(difference->reference.find(place) != std::string::npos);
    CHECK(difference->port.find(place) != std::string::npos);
    CHECK(difference->reference != difference->port);
  }
}

TEST_CASE("a flipped bit of a constant bank, the host code or the capsule is a difference there", "[cubin]") {
  const Buffer reference = cubin_file("checked_sm_100");
  const Buffer port = cubin_file("checked_port_sm_100");
  const auto elf = cubin::Elf::read(port);
  REQUIRE(elf);
  std::mt19937 random(11);
  for (const std::string prefix : {".nv.constant0", ".nv.constant4", ".nv.capmerc.text",
                                   ".nv.merc.nv.constant.pic", ".nv.compat", ".note.nv.cuinfo"}) {
    const cubin::Section section = section_of(port, prefix);
    for (int i = 0; i < 20; ++i) {
      const auto result =
          cubin::compare(reference, flipped(port, section.offset + random() % section.size, random() % 8));
      REQUIRE(result);
      CHECK_FALSE(result->identical);
      CHECK(std::ranges::any_of(result->differences,
                                [&](const auto& d) { return d.what.starts_with(prefix); }));
    }
  }
  const cubin::Section host = section_of(port, ".nv.host");
  const auto inner = cubin::Elf::read(Bytes(port).subspan(host.offset, host.size), host.offset);
  REQUIRE(inner);
  for (const cubin::Section& section : inner->sections) {
    if (section.name != ".ltext" && section.name != ".data.rel.ro" && section.name != ".lrodata") continue;
    for (int i = 0; i < 20 && section.size > 0; ++i) {
      const std::uint64_t byte = host.offset + section.offset + random() % section.size;
      const auto result = cubin::compare(reference, flipped(port, byte, random() % 8));
      REQUIRE(result);
      CHECK(find(*result, ".nv.host " + std::string(section.name)) != nullptr);
    }
  }
}

TEST_CASE("registers and launch attributes are compared, by name", "[cubin]") {
  const Buffer reference = cubin_file("scale_sm_90");
  Buffer port = cubin_file("scale_port_sm_90");
  const auto elf = cubin::Elf::read(port);
  REQUIRE(elf);
  int changed = 0;
  for (const cubin::Section& section : elf->sections) {
    if (section.type != cubin::kSectionInfo) continue;
    const auto records = cubin::read_info(*elf, section);
    REQUIRE(records);
    for (const cubin::InfoRecord& record : *records) {
      if (record.payload.empty()) continue;
      const std::byte* last = &record.payload.back();
      const Buffer other = flipped(port, static_cast<std::uint64_t>(last - port.data()), 0);
      const auto result = cubin::compare(reference, other);
      REQUIRE(result);
      INFO(cubin::attribute_name(record.attribute));
      CHECK_FALSE(result->identical);
      const bool registers = record.attribute == cubin::kRegisterCount;
      const std::string suffix = registers ? "registers" : cubin::attribute_name(record.attribute);
      CHECK(
          std::ranges::any_of(result->differences, [&](const auto& d) { return d.what.ends_with(suffix); }));
      ++changed;
    }
  }
  CHECK(changed > 10);
}

TEST_CASE("shared memory and relocations count", "[cubin]") {
  const Buffer reference = cubin_file("scale_sm_90");
  const Buffer port = cubin_file("scale_port_sm_90");
  Elf64_Ehdr header;
  std::memcpy(&header, port.data(), sizeof header);
  const auto elf = cubin::Elf::read(port);
  REQUIRE(elf);
  for (std::size_t i = 0; i < elf->sections.size(); ++i) {
    const cubin::Section& section = elf->sections[i];
    Buffer other = port;
    if (section.name == ".nv.global") {
      put<std::uint64_t>(other, header.e_shoff + i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size), 65);
    } else if (section.name == ".rela.nv.constant4") {
      other = flipped(port, section.offset + offsetof(Elf64_Rela, r_addend), 3);
    } else {
      continue;
    }
    const auto result = cubin::compare(reference, other);
    REQUIRE(result);
    CHECK(find(*result, section.name) != nullptr);
  }
}

TEST_CASE("an assertion's message counts, its source place does not", "[cubin]") {
  const Buffer reference = cubin_file("checked_sm_100");
  Buffer port = cubin_file("checked_port_sm_100");
  const cubin::Section strings = section_of(port, ".nv.global.init");
  const std::string_view text = cubin::as_text(Bytes(port).subspan(strings.offset, strings.size));
  const std::size_t message = text.find("must be");
  REQUIRE(message != std::string_view::npos);
  const auto result = cubin::compare(reference, flipped(port, strings.offset + message, 1));
  REQUIRE(result);
  CHECK(find(*result, ".nv.global.init") != nullptr);
  // The capsule's copy of the section is the same bytes of the file.
  for (const auto& difference : result->differences) CHECK(difference.what.ends_with(".nv.global.init"));
}

TEST_CASE("debug sections and the assembler's own note don't count", "[cubin]") {
  const Buffer reference = cubin_file("checked_sm_100");
  for (const std::string prefix :
       {".debug_frame", ".nv.merc.debug_frame", ".note.nv.tkinfo", ".rela.debug_frame"}) {
    const cubin::Section section = section_of(reference, prefix);
    const auto result = cubin::compare(reference, flipped(reference, section.offset + section.size - 1, 5));
    REQUIRE(result);
    CHECK(result->identical);
  }
}

TEST_CASE("kernels of two targets differ in their architecture", "[cubin]") {
  const auto result = cubin::compare(cubin_file("scale_sm_90"), cubin_file("checked_sm_100"));
  REQUIRE(result);
  CHECK_FALSE(result->identical);
  CHECK(find(*result, "architecture") != nullptr);
  CHECK(find(*result, ".text") != nullptr);
  CHECK(find(*result, "registers") != nullptr);
}

TEST_CASE("what is no cubin is refused with a code and a place", "[cubin]") {
  const auto text = std::string("\x7fTileIR\0\x0d\x03", 10);
  CHECK(code_of(cubin::summarize(std::as_bytes(std::span(text)))) == "TP-C0001");
  CHECK(code_of(cubin::summarize({})) == "TP-C0001");

  Buffer file = cubin_file("scale_sm_90");
  Buffer other = file;
  other.resize(20);
  CHECK(code_of(cubin::summarize(other)) == "TP-C0002");
  other = file;
  put<std::uint16_t>(other, offsetof(Elf64_Ehdr, e_machine), EM_X86_64);
  CHECK(code_of(cubin::summarize(other)) == "TP-C0008");
  other = file;
  put<std::uint8_t>(other, EI_CLASS, ELFCLASS32);
  CHECK(code_of(cubin::summarize(other)) == "TP-C0001");
  other = file;
  put<std::uint64_t>(other, offsetof(Elf64_Ehdr, e_shoff), ~std::uint64_t{0} - 8);
  CHECK(code_of(cubin::summarize(other)) == "TP-C0002");
  other = file;
  put<std::uint16_t>(other, offsetof(Elf64_Ehdr, e_shstrndx), 999);
  CHECK(code_of(cubin::summarize(other)) == "TP-C0004");

  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  other = file;
  put<std::uint64_t>(other, header.e_shoff + 5 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset),
                     file.size());
  const auto outside = cubin::summarize(other);
  CHECK(code_of(outside) == "TP-C0003");
  CHECK(outside.error().front().place.offset == header.e_shoff + 5 * sizeof(Elf64_Shdr));

  // A payload that is longer than its section.
  const cubin::Section info = section_of(file, ".nv.info");
  other = file;
  put<std::uint16_t>(other, info.offset + 2, 0xffff);
  const auto record = cubin::summarize(other);
  CHECK(code_of(record) == "TP-C0007");
  CHECK(record.error().front().place.offset == info.offset);

  const auto side = cubin::compare(file, std::as_bytes(std::span(text)));
  CHECK(code_of(side) == "TP-C0001");
  CHECK(side.error().front().message.starts_with("port: "));
}

TEST_CASE("every truncation and random damage gives an answer or a diagnostic", "[cubin]") {
  const Buffer file = cubin_file("checked_sm_100");
  for (std::size_t size = 0; size < file.size(); size += 61) {
    const Buffer cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK_FALSE(cubin::summarize(cut));
  }
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    Buffer damaged = file;
    for (int n = 0; n < 4; ++n) damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    const auto result = cubin::compare(file, damaged);
    if (!result) CHECK(result.error().front().code.starts_with("TP-C"));
  }
}
