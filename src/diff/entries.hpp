// SPDX-License-Identifier: Apache-2.0
// The two kernels that are compared.
#pragma once

#include <tileport/core/diagnostic.hpp>
#include <tileport/diff/compare.hpp>
#include <tileport/ir/module.hpp>

namespace tileport::diff {

struct Entries {
  const ir::Function* reference = nullptr;
  const ir::Function* port = nullptr;
};

/// The entries that the options name, or the only one of each module. TP-D0001 to TP-D0004.
Result<Entries> find_entries(const ir::Module& reference, const ir::Module& port,
                             const CompareOptions& options);

}  // namespace tileport::diff
