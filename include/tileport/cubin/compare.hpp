// SPDX-License-Identifier: Apache-2.0
// Reads cubins (ELF) and compares their machine code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tileport/core/diagnostic.hpp>
#include <vector>

namespace tileport::cubin {

/// What one kernel of a cubin needs and how large it is.
struct KernelSummary {
  std::string name;
  std::uint64_t instructions = 0;  ///< Without trailing padding (branch-to-self and NOPs after it).
  std::uint32_t registers = 0;     ///< Per thread.
  std::uint64_t shared_bytes = 0;  ///< Static shared memory.
};

/// One section or attribute that differs.
struct Difference {
  std::string what;  ///< ".text", ".nv.constant0", "registers", …
  std::string reference;
  std::string port;
};

struct Comparison {
  bool identical = false;
  KernelSummary reference;
  KernelSummary port;
  std::vector<Difference> differences;
};

/// The kernels of a cubin; TP-C diagnostics for anything that is no CUDA ELF file.
Result<std::vector<KernelSummary>> summarize(std::span<const std::byte> cubin);

/// Compares the only kernel of each cubin by content: code, constant banks, shared memory, registers and
/// launch attributes. The exceptions are listed, with reasons, in src/cubin/compare.cpp.
Result<Comparison> compare(std::span<const std::byte> reference, std::span<const std::byte> port);

}  // namespace tileport::cubin
