// SPDX-License-Identifier: Apache-2.0
// A cubin taken apart: its sections, symbol tables, attribute records and kernels.
#pragma once

#include <map>
#include <tileport/cubin/compare.hpp>
#include <vector>

#include "cubin/elf.hpp"
#include "cubin/info.hpp"

namespace tileport::cubin {

struct Cubin {
  Elf elf;
  std::map<std::uint32_t, std::vector<Symbol>> symbols;          ///< By the symbol table's section.
  std::map<std::uint32_t, std::vector<InfoRecord>> info;         ///< By section.
  std::map<std::uint32_t, std::vector<Relocation>> relocations;  ///< By section.
  std::vector<KernelSummary> kernels;                            ///< In the order of their `.text` sections.

  /// Checks and reads every table; TP-C diagnostics for what is no CUDA ELF file or has no kernel.
  static Result<Cubin> read(Bytes bytes);
};

/// Bytes of one machine instruction, sm_70 and later.
inline constexpr std::uint64_t kInstructionBytes = 16;

/// Instructions of a `.text` section up to the padding that fills it: a branch to itself, then NOPs.
std::uint64_t count_instructions(Bytes text);

}  // namespace tileport::cubin
