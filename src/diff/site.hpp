// SPDX-License-Identifier: Apache-2.0
// Ops as findings show them: a short text and a place in the source.
#pragma once

#include <cstdint>
#include <string>
#include <tileport/diff/compare.hpp>
#include <tileport/ir/module.hpp>
#include <vector>

namespace tileport::diff {

/// "divf approx flush_to_zero : tile<1x1024xf32>": mnemonic, attributes, types; no value names.
std::string op_text(const ir::Module& module, ir::OpId id);

/// "blockId_y of get_tile_block_id", "the index of for", "broadcast(exti(parameter 3))".
std::string value_text(const ir::Module& module, ir::ValueId id);

/// Path, text and source place of a kernel's ops. Ops without a place of their own take that of the nearest
/// op before them in their block that has one, else of the op around them. The first question costs a walk.
class Sites {
 public:
  Sites(const ir::Module& module, const ir::Function& kernel) : module_(module), kernel_(kernel) {}
  Site operator()(ir::OpId id);

 private:
  void prepare();
  void prepare(ir::BlockId block, ir::DebugId around);
  std::string path(ir::OpId id) const;

  const ir::Module& module_;
  const ir::Function& kernel_;
  bool prepared_ = false;
  std::vector<std::uint32_t> ordinals_;  ///< By OpId: which of its mnemonic in its block.
  std::vector<ir::DebugId> places_;
};

/// An attribute of an op by its place in the row, as the text form writes it; "none" if it is absent.
std::string slot_text(const ir::Module& module, ir::OpId id, std::size_t attribute);

}  // namespace tileport::diff
