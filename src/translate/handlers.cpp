// SPDX-License-Identifier: Apache-2.0
#include "translate/handlers.hpp"

#include <array>
#include <cassert>
#include <tileport/ir/op_table.hpp>
#include <tileport/translate/translate.hpp>
#include <unordered_map>

namespace tileport::translate {
namespace {

using Table = std::unordered_map<std::string_view, const Handler*>;

Table build() {
  Table table;
  for (const auto family :
       {arith_handlers(), math_handlers(), convert_handlers(), shape_handlers(), memory_handlers(),
        atomic_handlers(), control_handlers(), view_handlers(), misc_handlers()}) {
    for (const Handler& handler : family) {
      assert(ir::find_op(handler.mnemonic) && "a handler for an op that the op table doesn't have");
      table.emplace(handler.mnemonic, &handler);
    }
  }
  return table;
}

// Why an op has no handler, where more is known than that cutile has no call for it.
struct Gap {
  std::string_view mnemonic;
  std::string_view reason;
};
constexpr std::array kGaps = std::to_array<Gap>({
    {"get_global", "cutile 0.5.0 reaches globals only through the methods of its own atomic statics"},
    {"preview$call", "it calls a foreign tile library, which this translation can't carry along"},
    {"multimem_load_reduce_view_tko", "multicast memory is not translated"},
    {"multimem_reduce_view_tko", "multicast memory is not translated"},
    {"multimem_store_view_tko", "multicast memory is not translated"},
});

}  // namespace

const Handler* find_handler(std::string_view mnemonic) {
  static const Table table = build();
  const auto found = table.find(mnemonic);
  return found == table.end() ? nullptr : found->second;
}

std::vector<std::string_view> untranslated_ops() {
  std::vector<std::string_view> names;
  for (const ir::OpInfo* info : ir::all_ops()) {
    if (!find_handler(info->mnemonic)) names.push_back(info->mnemonic);
  }
  return names;
}

std::string_view gap(std::string_view mnemonic) {
  for (const Gap& known : kGaps) {
    if (known.mnemonic == mnemonic) return known.reason;
  }
  return "cuTile Rust has no call that makes this op";
}

}  // namespace tileport::translate
