// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tileport/ir/op_table.hpp>
#include <unordered_map>
#include <vector>

#include "ir/op_families.hpp"

namespace tileport::ir {
namespace {

struct Table {
  std::vector<const OpInfo*> by_opcode;  ///< Sorted.
  std::vector<const OpInfo*>
      at_opcode;  ///< Indexed by opcode; public ones only, for the reader's inner loop.
  std::unordered_map<std::string_view, const OpInfo*> by_mnemonic;
  std::unordered_map<std::string_view, const OpInfo*> by_older_mnemonic;

  Table() {
    for (auto family : {arith_ops, math_ops, convert_ops, shape_ops, memory_ops, atomic_ops, control_ops,
                        view_ops, misc_ops}) {
      for (const OpInfo& info : family()) {
        by_opcode.push_back(&info);
        by_mnemonic.emplace(info.mnemonic, &info);
        if (!info.older_mnemonic.empty()) by_older_mnemonic.emplace(info.older_mnemonic, &info);
      }
    }
    std::ranges::sort(by_opcode, {}, [](const OpInfo* info) { return info->opcode; });
    constexpr std::size_t kPublicOpcodes = 0x100;
    at_opcode.resize(kPublicOpcodes);
    for (const OpInfo* info : by_opcode) {
      if (info->opcode < kPublicOpcodes) at_opcode[info->opcode] = info;
    }
    assert(by_mnemonic.size() == by_opcode.size() && "a mnemonic stands in two rows");
  }
};

const Table& table() {
  static const Table instance;
  return instance;
}

template <class List>
std::optional<std::size_t> index_of(const List& list, std::string_view name) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].name == name) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> OpInfo::attribute_index(std::string_view name) const {
  return index_of(attributes, name);
}
std::optional<std::size_t> OpInfo::operand_group(std::string_view name) const {
  return index_of(operands, name);
}
std::optional<std::size_t> OpInfo::flag_bit(std::string_view name) const { return index_of(flags, name); }

std::span<const OpInfo* const> all_ops() { return table().by_opcode; }

const OpInfo* find_op(std::uint16_t opcode) {
  const Table& all = table();
  if (opcode < all.at_opcode.size()) return all.at_opcode[opcode];
  const auto found =
      std::ranges::lower_bound(all.by_opcode, opcode, {}, [](const OpInfo* info) { return info->opcode; });
  return found != all.by_opcode.end() && (*found)->opcode == opcode ? *found : nullptr;
}

const OpInfo* find_op(std::string_view mnemonic) {
  const auto found = table().by_mnemonic.find(mnemonic);
  return found == table().by_mnemonic.end() ? nullptr : found->second;
}

const OpInfo* find_op_of_text(std::string_view mnemonic) {
  if (const OpInfo* info = find_op(mnemonic)) return info;
  const auto found = table().by_older_mnemonic.find(mnemonic);
  return found == table().by_older_mnemonic.end() ? nullptr : found->second;
}

std::string_view name(Family family) {
  constexpr std::string_view kNames[] = {"arith",  "math",    "convert", "shape", "memory",
                                         "atomic", "control", "view",    "misc"};
  return kNames[static_cast<std::size_t>(family)];
}

}  // namespace tileport::ir
