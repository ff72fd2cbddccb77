// SPDX-License-Identifier: Apache-2.0
#include "diff/site.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tileport/text/print.hpp>
#include <unordered_map>

#include "diff/facts.hpp"
#include "diff/hints.hpp"
#include "diff/keys.hpp"

namespace tileport::diff {
namespace {

std::string constant_text(const ir::Module& module, ir::OpId id, ir::ConstantId constant) {
  const ir::TypeId type = module.value(module.result(id, 0)).type;
  const ConstantContent content = constant_content(module, type, constant);
  const ir::TypeKind kind = module.type(module.type(type).element).kind;
  if (!content.splat)
    return fmt::format("<{}: {} bytes of elements>", ir::keyword(kind), content.elements.size());
  if (ir::is_float(kind))
    return fmt::format("<{}: {}>", ir::keyword(kind), text::print_float(kind, *content.splat));
  if (kind == ir::TypeKind::i1) return fmt::format("<i1: {}>", *content.splat != 0 ? "true" : "false");
  const unsigned unused = 64 - std::max(1U, ir::bit_width(kind));
  return fmt::format("<{}: {}>", ir::keyword(kind),
                     static_cast<std::int64_t>(*content.splat << unused) >> unused);
}

}  // namespace

std::string slot_text(const ir::Module& module, ir::OpId id, std::size_t i) {
  const ir::AttributeInfo& info = module.op(id).info->attributes[i];
  const ir::AttributeSlot& slot = module.attribute_slots[module.op(id).attributes.first + i];
  const auto word = slot.present ? std::optional(slot.word) : info.default_value;
  if (!word) return "none";
  const auto number = static_cast<std::uint32_t>(*word);
  switch (info.encoding) {
    case ir::Encoding::enumeration:
      return *word < info.enumeration->values.size() ? std::string(info.enumeration->values[*word])
                                                     : fmt::format("{}", *word);
    case ir::Encoding::integer:
      return fmt::format("{}", static_cast<std::int64_t>(*word));
    case ir::Encoding::boolean:
      return *word != 0 ? "true" : "false";
    case ir::Encoding::string:
      return fmt::format("\"{}\"", module.string(ir::StringId{number}));
    case ir::Encoding::type:
      return text::print(module, ir::TypeId{number});
    case ir::Encoding::constant:
      return constant_text(module, id, ir::ConstantId{number});
    case ir::Encoding::attribute:
      return to_string(fact_of(module.attribute(ir::AttributeId{number})));
    default:
      return attribute_text(module, ir::AttributeId{number});
  }
}

std::string op_text(const ir::Module& module, ir::OpId id) {
  const ir::Operation& op = module.op(id);
  std::string out(op.info->mnemonic);
  for (std::size_t i = 0; i < op.info->attributes.size(); ++i) {
    const ir::AttributeInfo& info = op.info->attributes[i];
    if (!module.attribute_slots[op.attributes.first + i].present) continue;
    const std::string value = slot_text(module, id, i);
    if (info.encoding == ir::Encoding::constant || info.encoding == ir::Encoding::attribute) {
      out += fmt::format(" {}", value);
    } else {
      out += fmt::format(" {}={}", info.name, value);
    }
  }
  for (std::size_t i = 0; i < op.info->flags.size(); ++i) {
    if (op.info->flags[i].kind == ir::FlagInfo::Kind::unit_attribute && (op.flags >> i & 1U) != 0) {
      out += fmt::format(" {}", op.info->flags[i].name);
    }
  }
  std::vector<std::string> operands;
  for (const ir::ValueId operand : module.operands(id)) {
    operands.push_back(text::print(module, module.value(operand).type));
  }
  std::vector<std::string> results;
  for (std::uint32_t i = 0; i < op.results.count; ++i) {
    results.push_back(text::print(module, module.value(module.result(id, i)).type));
  }
  const auto only_types = std::set<std::string>(operands.begin(), operands.end());
  if (results.size() == 1 && (operands.empty() || only_types == std::set<std::string>{results.front()})) {
    return fmt::format("{} : {}", out, results.front());
  }
  if (!operands.empty()) out += fmt::format(" : {}", fmt::join(operands, ", "));
  if (!results.empty()) out += fmt::format(" -> {}", fmt::join(results, ", "));
  return out;
}

/// How many ops that only change a value's form are looked through.
constexpr int kDeepestText = 4;

static std::string value_text(const ir::Module& module, ir::ValueId id, int depth) {
  const ir::Value& value = module.value(id);
  if (value.owner == ir::Value::Owner::op_result) {
    const ir::Operation& op = module.op(ir::OpId{value.owner_id});
    if (op.info->is("constant")) return op_text(module, ir::OpId{value.owner_id});
    if (has(op.info->traits, ir::Trait::promises))
      return value_text(module, module.operand(ir::OpId{value.owner_id}, 0), depth);
    const bool hands_on =
        op.info->is("reshape") || op.info->is("broadcast") || op.info->is("exti") || op.info->is("trunci");
    if (hands_on && depth < kDeepestText) {
      return fmt::format("{}({})", op.info->mnemonic,
                         value_text(module, module.operand(ir::OpId{value.owner_id}, 0), depth + 1));
    }
    if (value.index < op.info->result_names.size() && op.results.count > 1) {
      return fmt::format("{} of {}", op.info->result_names[value.index], op.info->mnemonic);
    }
    return op.results.count > 1 ? fmt::format("result {} of {}", value.index, op.info->mnemonic)
                                : fmt::format("the result of {}", op.info->mnemonic);
  }
  const ir::RegionId region = module.block(ir::BlockId{value.owner_id}).parent;
  if (ir::index(region) == ir::kNone) return fmt::format("parameter {}", value.index);
  const ir::OpInfo& info = *module.op(module.region(region).parent).info;
  if (info.is("for") && value.index == 0) return "the index of for";
  const std::uint32_t first = info.is("for") ? 1 : 0;
  return fmt::format("{} {} of {}",
                     info.argument_names == ir::ArgumentNames::pairs ? "argument" : "iteration value",
                     value.index - first, info.mnemonic);
}

std::string value_text(const ir::Module& module, ir::ValueId id) { return value_text(module, id, 0); }

void Sites::prepare() {
  ordinals_.assign(module_.ops.size(), 0);
  places_.assign(module_.ops.size(), {});
  prepare(kernel_.body, {});
  prepared_ = true;
}

/// Ops without a place of their own have `around`, the last one before them.
void Sites::prepare(ir::BlockId block, ir::DebugId around) {
  std::unordered_map<const ir::OpInfo*, std::uint32_t> seen;
  for (const ir::OpId id : module_.block(block).ops) {
    ordinals_[ir::index(id)] = seen[module_.op(id).info]++;
    if (ir::index(module_.op(id).location) != 0) around = module_.op(id).location;
    places_[ir::index(id)] = around;
    for (std::size_t r = 0; r < module_.op(id).regions.count; ++r) {
      if (const auto inner = module_.body(id, r)) prepare(*inner, around);
    }
  }
}

std::string Sites::path(ir::OpId id) const {
  const ir::RegionId inside = module_.block(module_.op(id).parent).parent;
  std::string prefix;
  if (ir::index(inside) == ir::kNone) {
    prefix = "@" + module_.string(kernel_.name);
  } else {
    const ir::OpId parent = module_.region(inside).parent;
    prefix = path(parent);
    if (ir::index(inside) != module_.op(parent).regions.first) prefix += "/else";
  }
  return fmt::format("{}/{}#{}", prefix, module_.op(id).info->mnemonic, ordinals_[ir::index(id)]);
}

Site Sites::operator()(ir::OpId id) {
  if (!prepared_) prepare();
  Site site;
  site.op = id;
  site.path = path(id);
  site.text = op_text(module_, id);
  const ir::SourceLocation place = module_.source(places_[ir::index(id)]);
  site.file = place.file;
  site.line = place.line;
  site.column = place.column;
  return site;
}

}  // namespace tileport::diff
