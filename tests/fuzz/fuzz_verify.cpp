// SPDX-License-Identifier: Apache-2.0
// Any module: the verifier ends, and what it finds has a code and a message. A module is verified as it is
// read, and again with some words of its tables changed, as a builder or pass that went wrong would leave
// them; which words, a hash of the input decides.
#include <cstddef>
#include <cstdint>
#include <span>
#include <tileport/bytecode/read.hpp>
#include <tileport/text/print.hpp>
#include <tileport/verify/verify.hpp>

#include "require.hpp"

namespace ir = tileport::ir;

namespace {

template <class Table, class Change>
void change(Table& table, std::size_t place, Change&& change) {
  if (!table.empty()) change(table[place % table.size()]);
}

/// Numbers from a seed: xorshift.
class Numbers {
 public:
  explicit Numbers(std::span<const std::uint8_t> data) {
    for (std::uint8_t byte : data) state_ = (state_ ^ byte) * 0x100000001B3;
  }
  std::uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(state_ >> 16);
  }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325;
};

/// Changes one member of one entry of one table. Most numbers are small, so that they exist.
void edit(ir::Module& m, Numbers& numbers) {
  const std::size_t place = numbers.next();
  const std::uint32_t kind = numbers.next() % 8;
  const std::uint32_t word = kind == 0 ? numbers.next() : kind == 1 ? ir::kNone : numbers.next() % 64;
  switch (numbers.next() % 20) {
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
  const std::span<const std::uint8_t> file(data, size);
  const auto module = tileport::bytecode::read(std::as_bytes(file));
  if (!module) return 0;
  check(*module);
  constexpr int kVariants = 4;
  Numbers numbers(file);
  for (int variant = 0; variant < kVariants; ++variant) {
    ir::Module changed = *module;
    for (int edits = 0; edits <= variant; ++edits) edit(changed, numbers);
    check(changed);
  }
  return 0;
}
