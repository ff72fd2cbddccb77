// SPDX-License-Identifier: Apache-2.0
// reduce and scan.
#pragma once

#include "translate/entry.hpp"
#include "translate/op_reader.hpp"

namespace tileport::translate {

/// Whether a reduce or scan has no call in cutile 0.5.0 but can be a tree (reduction_tree.hpp).
bool wants_tree(const ir::Module& module, ir::OpId op);

void reduce(Entry& entry, OpReader& op);
void scan(Entry& entry, OpReader& op);

}  // namespace tileport::translate
