// SPDX-License-Identifier: Apache-2.0
#include "diff/hints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tileport::diff {
namespace {

using Kind = ir::Attribute::Kind;

std::int64_t signed_value(const ir::Module& module, const ir::Attribute& attribute) {
  const unsigned width = ir::bit_width(module.type(attribute.type).kind);
  const unsigned unused = width == 0 ? 0 : 64 - width;
  return static_cast<std::int64_t>(attribute.bits << unused) >> unused;
}

}  // namespace

std::string attribute_text(const ir::Module& module, ir::AttributeId id) {
  const ir::Attribute& attribute = module.attribute(id);
  switch (attribute.kind) {
    case Kind::integer:
      return fmt::format("{}", signed_value(module, attribute));
    case Kind::floating:
      return fmt::format("0x{:X} : {}", attribute.bits, ir::keyword(module.type(attribute.type).kind));
    case Kind::boolean:
      return attribute.bits != 0 ? "true" : "false";
    case Kind::string:
      return fmt::format("\"{}\"", module.string(attribute.string));
    case Kind::same_elements:
    case Kind::number_list:
      return fmt::format("[{}]", fmt::join(attribute.numbers, ", "));
    case Kind::array: {
      std::vector<std::string> items;
      for (const ir::AttributeId item : attribute.items) items.push_back(attribute_text(module, item));
      return fmt::format("[{}]", fmt::join(items, ", "));
    }
    case Kind::dictionary:
    case Kind::optimization_hints: {
      std::map<std::string, std::string> entries;
      for (std::size_t i = 0; i < attribute.items.size(); ++i) {
        entries[module.string(attribute.keys[i])] = attribute_text(module, attribute.items[i]);
      }
      std::vector<std::string> items;
      for (const auto& [key, value] : entries) items.push_back(fmt::format("{} = {}", key, value));
      return fmt::format("{{{}}}", fmt::join(items, ", "));
    }
    default:
      return "…";
  }
}

Hints resolve_hints(const ir::Module& module, std::optional<ir::AttributeId> attribute,
                    const std::string& target) {
  Hints hints;
  if (!attribute) return hints;
  const ir::Attribute& all = module.attribute(*attribute);
  for (const std::string& wanted : {std::string("default"), target}) {
    for (std::size_t i = 0; i < all.items.size(); ++i) {
      if (module.string(all.keys[i]) != wanted) continue;
      const ir::Attribute& entry = module.attribute(all.items[i]);
      for (std::size_t k = 0; k < entry.items.size() && k < entry.keys.size(); ++k) {
        hints.values[module.string(entry.keys[k])] = attribute_text(module, entry.items[k]);
        hints.keys[module.string(entry.keys[k])] = wanted;
      }
    }
  }
  return hints;
}

std::optional<ir::AttributeId> hints_of(const ir::Module& module, ir::OpId id) {
  const ir::OpInfo& info = *module.op(id).info;
  for (std::size_t i = 0; i < info.attributes.size(); ++i) {
    if (info.attributes[i].encoding != ir::Encoding::optimization_hints) continue;
    const ir::AttributeSlot& slot = module.attribute_slots[module.op(id).attributes.first + i];
    if (slot.present) return ir::AttributeId{static_cast<std::uint32_t>(slot.word)};
  }
  return std::nullopt;
}

}  // namespace tileport::diff
