// SPDX-License-Identifier: Apache-2.0
// Any module: the verifier ends, and finds what it finds at places that exist. A file is verified as it is
// read; a file that is followed by edits (6 bytes each, their number last) has words of its tables changed
// first, as a builder or pass that went wrong would leave them.
#include <cstddef>
#include <cstdint>
#include <span>
#include <tileport/bytecode/read.hpp>
#include <tileport/text/print.hpp>
#include <tileport/verify/verify.hpp>

#include "require.hpp"

namespace ir = tileport::ir;

namespace {

constexpr std::size_t kEdit = 6;

template <class Table, class Change>
void change(Table& table, std::size_t place, Change&& change) {
  if (!table.empty()) change(table[place % table.size()]);
}

/// One edit: which table and member, which entry, and the new word.
void edit(ir::Module& m, std::span<const std::uint8_t> bytes) {
  const std::size_t place = bytes[1] | static_cast<std::size_t>(bytes[2]) << 8;
  const std::uint32_t word =
      bytes[3] | static_cast<std::uint32_t>(bytes[4]) << 8 | (bytes[5] > 250 ? 0xFFFF0000U : 0);
  switch (bytes[0] % 20) {
    case 0:
      return change(m.values, place, [&](auto& v) { v.type = ir::TypeId{word}; });
    case 1:
      return change(m.operand_pool, place, [&](auto& v) { v = ir::ValueId{word}; });
    case 2:
      return change(m.segment_pool, place, [&](auto& v) { v = word; });
    case 3:
      return change(m.attribute_slots, place, [&](auto& v) { v.word = word; });
    case 4:
      return change(m.attribute_slots, place, [&](auto& v) { v.present = !v.present; });
    case 5:
      return change(m.types, place, [&](auto& v) { v.element = ir::TypeId{word}; });
    case 6:
      return change(m.types, place, [&](auto& v) { v.kind = static_cast<ir::TypeKind>(word % 24); });
    case 7:
      return change(m.types, place, [&](auto& v) { v.shape.push_back(word); });
    case 8:
      return change(m.types, place, [&](auto& v) { v.shape.clear(); });
    case 9:
      return change(m.ops, place, [&](auto& v) { v.operands.count = word; });
    case 10:
      return change(m.ops, place, [&](auto& v) { v.results.count = word; });
    case 11:
      return change(m.ops, place, [&](auto& v) { v.regions.first = word; });
    case 12:
      return change(m.ops, place, [&](auto& v) { v.parent = ir::BlockId{word}; });
    case 13:
      return change(m.ops, place, [&](auto& v) { v.location = ir::DebugId{word}; });
    case 14:
      return change(m.blocks, place, [&](auto& v) { v.parent = ir::RegionId{word}; });
    case 15:
      return change(m.blocks, place, [&](auto& v) { v.arguments.count = word; });
    case 16:
      return change(m.regions, place, [&](auto& v) { v.blocks.first = word; });
    case 17:
      return change(m.debug, place, [&](auto& v) { v.scope = v.caller = ir::DebugId{word}; });
    case 18:
      return change(m.attributes, place,
                    [&](auto& v) { v.kind = static_cast<ir::Attribute::Kind>(1 + word % 13); });
    default:
      return change(m.functions, place, [&](auto& v) { v.body = ir::BlockId{word}; });
  }
}

void check(const ir::Module& module) {
  for (const auto& finding : tileport::verify::verify(module, {.target = "sm_90"})) {
    REQUIRE(finding.code.starts_with("TP-V"));
    REQUIRE(!finding.message.empty());
    to_string(finding);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::span<const std::uint8_t> file(data, size);
  if (const auto module = tileport::bytecode::read(std::as_bytes(file))) {
    check(*module);
    return 0;
  }
  if (size == 0 || data[size - 1] * kEdit >= size) return 0;
  const std::size_t edits = data[size - 1];
  auto module = tileport::bytecode::read(std::as_bytes(file.first(size - 1 - edits * kEdit)));
  if (!module) return 0;
  for (std::size_t i = 0; i < edits; ++i) edit(*module, file.subspan(size - 1 - (i + 1) * kEdit, kEdit));
  check(*module);
  return 0;
}
