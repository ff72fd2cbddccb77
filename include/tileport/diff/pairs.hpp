// SPDX-License-Identifier: Apache-2.0
// Which entry of a port stands for which of a reference, where nobody said so.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <tileport/core/diagnostic.hpp>
#include <tileport/ir/module.hpp>
#include <vector>

namespace tileport::diff {

/// A kernel among several, of one file or of many.
struct EntryRef {
  const ir::Module* module = nullptr;
  std::string entry;  ///< Its name in the module.
  std::string label;  ///< "softmax.tileirbc:softmax_kernel": what diagnostics call it.
};

struct ProposedPair {
  std::size_t reference = 0;
  std::size_t port = 0;
  double similarity = 0;  ///< 1: every live op has an equal one. 0: none has.
};

/// The ops that two kernels have in common, each as often as in both, of all that either has: what ops say
/// and give, and what they compute.
double similarity(const EntryRef& reference, const EntryRef& port);

/// Pairs the most similar entries first. An entry that is as similar to two others is ambiguous: TP-D0005,
/// which names the candidates. One entry on each side is a pair whatever it holds. Entries may be left over.
Result<std::vector<ProposedPair>> propose_pairs(std::span<const EntryRef> reference,
                                                std::span<const EntryRef> port);

}  // namespace tileport::diff
