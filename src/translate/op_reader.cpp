// SPDX-License-Identifier: Apache-2.0
#include "translate/op_reader.hpp"

#include <fmt/format.h>

#include <cassert>
#include <vector>

namespace tileport::translate {

std::span<const ir::ValueId> OpReader::operands(std::string_view group) {
  const auto number = info_.operand_group(group);
  assert(number && "the op has no operand group of that name");
  groups_read_ |= 1U << *number;
  return module_.operands(id_, group);
}

ir::ValueId OpReader::operand(std::string_view group) {
  const auto all = operands(group);
  assert(all.size() == 1 && "the group is one operand");
  return all.front();
}

std::optional<ir::ValueId> OpReader::optional_operand(std::string_view group) {
  const auto all = operands(group);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

std::span<const ir::ValueId> OpReader::all_operands() {
  for (std::size_t i = 0; i < info_.operands.size(); ++i) groups_read_ |= 1U << i;
  return module_.operands(id_);
}

void OpReader::read_attribute(std::string_view name) {
  const auto number = info_.attribute_index(name);
  assert(number && "the op has no attribute of that name");
  attributes_read_ |= 1U << *number;
}

bool OpReader::flag(std::string_view name) {
  const auto bit = info_.flag_bit(name);
  assert(bit && "the op has no flag of that name");
  flags_read_ |= 1U << *bit;
  return module_.has_flag(id_, name);
}

std::string_view OpReader::enumerator(std::string_view attribute) {
  read_attribute(attribute);
  return module_.enumerator(id_, attribute);
}

std::uint64_t OpReader::word(std::string_view attribute) {
  read_attribute(attribute);
  return module_.word(id_, attribute).value_or(0);
}

const ir::Attribute* OpReader::tagged(std::string_view attribute) {
  read_attribute(attribute);
  return module_.tagged(id_, attribute);
}

std::string OpReader::unread() const {
  const ir::Operation& op = module_.op(id_);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < info_.attributes.size(); ++i) {
    const bool present = module_.attribute_slots[op.attributes.first + i].present;
    if (present && (attributes_read_ >> i & 1U) == 0) {
      names.push_back(fmt::format("attribute '{}'", info_.attributes[i].name));
    }
  }
  for (std::size_t i = 0; i < info_.flags.size(); ++i) {
    const bool unit = info_.flags[i].kind == ir::FlagInfo::Kind::unit_attribute;
    if (unit && (op.flags >> i & 1U) != 0 && (flags_read_ >> i & 1U) == 0) {
      names.push_back(fmt::format("flag '{}'", info_.flags[i].name));
    }
  }
  for (std::size_t i = 0; i < info_.operands.size(); ++i) {
    const std::string_view name = info_.operands[i].name;
    if ((groups_read_ >> i & 1U) == 0 && !module_.operands(id_, name).empty()) {
      names.push_back(fmt::format("operand '{}'", name));
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace tileport::translate
