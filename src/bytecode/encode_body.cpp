// SPDX-License-Identifier: Apache-2.0
// The layout of ops stands in body.cpp. What the asked version does not write must say nothing: a flag that
// is set, an attribute that differs from its default or an operand there has no place.
#include <fmt/format.h>

#include <algorithm>

#include "bytecode/codes.hpp"
#include "bytecode/encoder.hpp"

namespace tileport::bytecode {
namespace {

using ir::Arity;
using ir::ListEncoding;
using ir::OpId;
using ir::OpInfo;
using ir::ValueId;

bool is_variadic(const auto& groups) {
  return std::ranges::any_of(groups,
                             [](const ir::GroupInfo& group) { return group.arity == Arity::variadic; });
}

}  // namespace

void Encoder::define(ValueId value) {
  numbers_[ir::index(value)] = static_cast<std::uint32_t>(scope_.size());
  scope_.push_back(value);
}

void Encoder::enter_block(ir::BlockId block) {
  const ir::Range arguments = module_.block(block).arguments;
  for (std::uint32_t i = 0; i < arguments.count; ++i) define(ValueId{arguments.first + i});
}

void Encoder::write_block_ops(Output& out, ir::BlockId block) {
  for (OpId op : module_.block(block).ops) {
    if (failure_) return;
    write_op(out, op);
  }
}

void Encoder::write_op(Output& out, OpId id) {
  const Output::Scope item(out, Layout::Item::op, ir::index(id));
  const OpInfo& info = *module_.op(id).info;
  current_op_ = id;
  if (!is_instruction(info)) contradiction(fmt::format("{} can't stand in a body", info.mnemonic));
  if (module_.version < info.since) lacks(info.mnemonic, info.since);
  check_parts(id);
  if (failure_) return;
  out.varint(info.opcode);
  write_results(out, id);
  write_flags(out, id);
  write_op_attributes(out, id);
  write_operands(out, id);
  if (info.regions != 0 && !failure_) write_regions(out, id);
  const ir::Range results = module_.op(id).results;
  for (std::uint32_t i = 0; i < results.count; ++i) {
    if (is_written(info, i, module_.version)) define(ValueId{results.first + i});
  }
}

/// What the accessors of modules rely on.
void Encoder::check_parts(OpId id) {
  const ir::Operation& op = module_.op(id);
  bool good = op.attributes.count == op.info->attributes.size() && op.regions.count == op.info->regions;
  if (op.info->operands_encoding != ListEncoding::counted) {
    std::uint64_t sum = op.segments == ir::kNone ? op.info->operands.size() : 0;
    for (std::uint32_t size : module_.segments(id)) sum += size;
    good = good && sum == op.operands.count;
  }
  if (!good) contradiction(fmt::format("{} does not have the parts that its row says", op.info->mnemonic));
}

void Encoder::write_results(Output& out, OpId id) {
  const OpInfo& info = *module_.op(id).info;
  const ir::Range results = module_.op(id).results;
  if (!is_variadic(info.results) && results.count != info.results.size()) {
    contradiction(
        fmt::format("{} has {} results instead of {}", info.mnemonic, results.count, info.results.size()));
  }
  std::uint32_t written = 0;
  for (std::uint32_t i = 0; i < results.count; ++i) written += is_written(info, i, module_.version) ? 1 : 0;
  if (info.results_encoding == ListEncoding::counted) out.varint(written);
  for (std::uint32_t i = 0; i < written; ++i) write_type_id(out, module_.values[results.first + i].type);
}

/// Presence flags are what is there; only unit flags are the op's own.
std::uint64_t Encoder::presence_flags(OpId id) const {
  const ir::Operation& op = module_.op(id);
  std::uint64_t flags = 0;
  for (std::size_t bit = 0; bit < op.info->flags.size(); ++bit) {
    const ir::FlagInfo& flag = op.info->flags[bit];
    bool set = false;
    if (flag.kind == ir::FlagInfo::Kind::unit_attribute) {
      set = (op.flags >> bit & 1U) != 0;
    } else if (const auto attribute = op.info->attribute_index(flag.name)) {
      set = module_.attribute_slots[op.attributes.first + *attribute].present;
    } else if (const auto group = op.info->operand_group(flag.name)) {
      set = !module_.operands(id, *group).empty();
    }
    flags |= std::uint64_t{set} << bit;
  }
  return flags;
}

void Encoder::write_flags(Output& out, OpId id) {
  const OpInfo& info = *module_.op(id).info;
  if (info.flags.empty()) return;
  const std::uint64_t flags = presence_flags(id);
  if (info.flags_since && module_.version >= *info.flags_since) {
    out.varint(flags);
    return;
  }
  for (std::size_t bit = 0; bit < info.flags.size(); ++bit) {
    if ((flags >> bit & 1U) == 0) continue;
    lacks(fmt::format("{} of {}", info.flags[bit].name, info.mnemonic),
          info.flags_since.value_or(kNewestVersion));
  }
}

void Encoder::write_op_attributes(Output& out, OpId id) {
  const ir::Operation& op = module_.op(id);
  for (std::size_t i = 0; i < op.info->attributes.size() && !failure_; ++i) {
    const ir::AttributeInfo& info = op.info->attributes[i];
    const ir::AttributeSlot& slot = module_.attribute_slots[op.attributes.first + i];
    if (module_.version < info.since) {
      if (module_.says_something(slot, info)) {
        lacks(fmt::format("{} of {}", info.name, op.info->mnemonic), info.since);
      }
    } else if (slot.present) {
      write_word(out, info, slot.word);
    } else if (info.optional) {
      continue;
    } else if (info.default_value) {
      write_word(out, info, *info.default_value);
    } else if (const auto group = op.info->operand_group(info.one_per)) {
      const std::size_t count = module_.operands(id, *group).size();
      out.varint(count);
      for (std::size_t entry = 0; entry < count; ++entry) out.byte(0);
    } else {
      contradiction(fmt::format("{} has no {}", op.info->mnemonic, info.name));
    }
  }
}

void Encoder::write_operand(Output& out, OpId id, ValueId value) {
  const std::uint32_t number = ir::index(value) < numbers_.size() ? numbers_[ir::index(value)] : ir::kNone;
  if (number == ir::kNone) {
    const auto producer = ir::index(value) < numbers_.size() ? module_.producer_of(value) : std::nullopt;
    const OpInfo* by = producer ? module_.op(*producer).info : nullptr;
    if (by && !is_written(*by, module_.value(value).index, module_.version)) {
      lacks(fmt::format("the result of {}", by->mnemonic), by->results[module_.value(value).index].since);
    } else {
      contradiction(
          fmt::format("an operand of {} is not defined where it is used", module_.op(id).info->mnemonic));
    }
  }
  out.varint(number);
}

void Encoder::write_operands(Output& out, OpId id) {
  const OpInfo& info = *module_.op(id).info;
  const auto all = module_.operands(id);
  if (info.operands_encoding == ListEncoding::counted) {
    out.varint(all.size());
    for (ValueId value : all) write_operand(out, id, value);
    return;
  }
  std::size_t written = 0;
  for (std::size_t i = 0; i < info.operands.size(); ++i) {
    const ir::GroupInfo& group = info.operands[i];
    const auto values = module_.operands(id, i);
    if (group.arity == Arity::variadic) {
      out.varint(values.size());
    } else if (values.size() > 1 || (values.empty() && group.arity == Arity::one)) {
      contradiction(fmt::format("{} has {} operands for {}", info.mnemonic, values.size(), group.name));
    }
    for (ValueId value : values) write_operand(out, id, value);
    written += values.size();
  }
  if (written != all.size()) contradiction(fmt::format("{} has too many operands", info.mnemonic));
}

void Encoder::write_regions(Output& out, OpId id) {
  const ir::Range regions = module_.op(id).regions;
  out.varint(regions.count);
  for (std::uint32_t r = regions.first; r < regions.first + regions.count && !failure_; ++r) {
    const ir::Range blocks = module_.regions[r].blocks;
    out.varint(blocks.count);
    for (std::uint32_t b = blocks.first; b < blocks.first + blocks.count && !failure_; ++b) {
      const std::size_t outside = scope_.size();
      const ir::Range arguments = module_.blocks[b].arguments;
      out.varint(arguments.count);
      for (std::uint32_t i = 0; i < arguments.count; ++i)
        write_type_id(out, module_.values[arguments.first + i].type);
      enter_block(ir::BlockId{b});
      out.varint(module_.blocks[b].ops.size());
      write_block_ops(out, ir::BlockId{b});
      while (scope_.size() > outside) {
        numbers_[ir::index(scope_.back())] = ir::kNone;
        scope_.pop_back();
      }
      current_op_ = id;
    }
  }
}

}  // namespace tileport::bytecode
