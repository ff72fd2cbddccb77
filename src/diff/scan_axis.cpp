// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "diff/graph.hpp"

namespace tileport::diff {
namespace {

using ir::Module;
using ir::OpId;
using ir::ValueId;

/// The number of axes of extent 1 that stand in `longer` before the axes of `shorter`; 0 if that isn't so.
std::size_t unit_axes_before(const std::vector<std::int64_t>& longer,
                             const std::vector<std::int64_t>& shorter) {
  if (longer.size() <= shorter.size()) return 0;
  const auto axes = static_cast<std::ptrdiff_t>(longer.size() - shorter.size());
  const bool units =
      std::all_of(longer.begin(), longer.begin() + axes, [](std::int64_t extent) { return extent == 1; });
  const bool rest = std::equal(longer.begin() + axes, longer.end(), shorter.begin(), shorter.end());
  return units && rest ? static_cast<std::size_t>(axes) : 0;
}

/// Values that something else than a reshape reads.
std::vector<bool> read_with_shape(const Module& module, ir::BlockId body) {
  std::vector<bool> read(module.values.size(), false);
  ir::walk(module, body, [&](OpId op) {
    if (module.op(op).info->is("reshape")) return;
    for (const ValueId operand : module.operands(op)) read[ir::index(operand)] = true;
  });
  return read;
}

/// The value that a scan's operand is a reshape of, if that only takes away axes of extent 1 in front.
std::optional<ValueId> before_reshape(const Module& module, OpId scan) {
  if (module.operands(scan).size() != 1 || module.word(scan, "dim") != 0) return std::nullopt;
  const auto reshape = module.producer_of(module.operand(scan, 0));
  if (!reshape || !module.op(*reshape).info->is("reshape")) return std::nullopt;
  return module.operand(*reshape, 0);
}

}  // namespace

std::uint32_t rewrite_scans(Module& module, ir::BlockId body) {
  const std::vector<bool> needs_shape = read_with_shape(module, body);
  std::uint32_t times = 0;
  ir::walk(module, body, [&](OpId scan) {
    if (!module.op(scan).info->is("scan") || needs_shape[ir::index(module.result(scan, 0))]) return;
    const auto source = before_reshape(module, scan);
    if (!source) return;
    const std::size_t axes =
        unit_axes_before(module.type_of(*source).shape, module.type_of(module.operand(scan, 0)).shape);
    if (axes == 0) return;
    const ir::Operation& op = module.op(scan);
    module.operand_pool[op.operands.first] = *source;
    module.attribute_slots[op.attributes.first + *op.info->attribute_index("dim")].word = axes;
    module.values[op.results.first].type = module.value(*source).type;
    ++times;
  });
  return times;
}

}  // namespace tileport::diff
