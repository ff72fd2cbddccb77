// SPDX-License-Identifier: Apache-2.0
#include "translate/hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <vector>

#include "translate/source.hpp"

namespace tileport::translate {
namespace {

using Kind = ir::Attribute::Kind;

constexpr std::array kEntryHints = std::to_array<std::string_view>(
    {"min_ctas_per_sm", "num_cta_in_cga", "num_worker_warps_per_cta", "occupancy"});

/// The number as an i32 literal, as cuTile Rust stores hints; bits are zero-extended.
std::optional<std::int32_t> small_number(const ir::Attribute& value) {
  if (value.kind != Kind::integer || value.bits > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  return static_cast<std::int32_t>(value.bits);
}

}  // namespace

tl::expected<std::string, std::string> entry_hints(const ir::Module& module, const ir::Attribute& hints) {
  std::vector<std::string> targets;
  for (std::size_t t = 0; t < hints.keys.size(); ++t) {
    const std::string& target = module.string(hints.keys[t]);
    const ir::Attribute& named = module.attribute(hints.items[t]);
    if (named.kind != Kind::dictionary) {
      return tl::unexpected(fmt::format("the hints for '{}' are no dictionary", target));
    }
    std::string all;
    for (std::size_t i = 0; i < named.keys.size(); ++i) {
      const std::string& key = module.string(named.keys[i]);
      const auto number = small_number(module.attribute(named.items[i]));
      if (std::ranges::find(kEntryHints, key) == kEntryHints.end() || !number) {
        return tl::unexpected(fmt::format("cutile 0.5.0 has no entry hint '{}' of that value", key));
      }
      // Every item with its comma: cutile wants tuples, also for one item.
      all += fmt::format("{}{} = {},", all.empty() ? "" : " ", key, *number);
    }
    if (!all.empty()) targets.push_back(fmt::format("{} = ({}),", target, all));
  }
  return join(targets, " ");
}

std::optional<std::map<std::string, std::int32_t>> default_hints(const ir::Module& module,
                                                                 const ir::Attribute& hints) {
  std::map<std::string, std::int32_t> all;
  for (std::size_t t = 0; t < hints.keys.size(); ++t) {
    const ir::Attribute& named = module.attribute(hints.items[t]);
    if (module.string(hints.keys[t]) != "default" || named.kind != Kind::dictionary) return std::nullopt;
    for (std::size_t i = 0; i < named.keys.size(); ++i) {
      const std::string& key = module.string(named.keys[i]);
      const auto number = small_number(module.attribute(named.items[i]));
      if (std::ranges::find(kEntryHints, key) == kEntryHints.end() || !number) return std::nullopt;
      all[key] = *number;
    }
  }
  return all;
}

tl::expected<AccessHints, std::string> access_hints(const ir::Module& module, const ir::Attribute* hints) {
  AccessHints result;
  if (!hints) return result;
  for (std::size_t t = 0; t < hints->keys.size(); ++t) {
    const std::string& target = module.string(hints->keys[t]);
    const ir::Attribute& named = module.attribute(hints->items[t]);
    if (target != "default" && !named.items.empty()) {
      return tl::unexpected(fmt::format(
          "the hint is for {} only, and cutile 0.5.0 writes the hints of an access for every target",
          target));
    }
    for (std::size_t i = 0; i < named.keys.size(); ++i) {
      const std::string& key = module.string(named.keys[i]);
      const ir::Attribute& value = module.attribute(named.items[i]);
      const auto number = small_number(value);
      if (key == "latency" && number && *number > 0) {
        result.latency = number;
      } else if (key == "allow_tma" && value.kind == Kind::boolean && value.bits == 0) {
        result.forbids_tma = true;
      } else {
        return tl::unexpected(
            fmt::format("cutile 0.5.0 can't write the access hint '{}' with this value", key));
      }
    }
  }
  return result;
}

}  // namespace tileport::translate
