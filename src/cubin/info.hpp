// SPDX-License-Identifier: Apache-2.0
// The attribute records of `.nv.info` sections: what the driver must know to launch a kernel.
//
//   record := format:u8 attribute:u8 (value:u16 | size:u16 payload[size])
// Format 4 carries a payload; formats 1 (no value), 2 (one byte) and 3 (two bytes) carry the 16-bit field
// itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubin/elf.hpp"

namespace tileport::cubin {

struct InfoRecord {
  std::uint8_t format = 0;
  std::uint8_t attribute = 0;
  Bytes payload;  ///< Formats 1 to 3: the two bytes of the value.
};

/// The attribute that gives a function's registers: payload = symbol:u32 registers:u32.
inline constexpr std::uint8_t kRegisterCount = 0x2f;

Result<std::vector<InfoRecord>> read_info(const Elf& elf, const Section& section);

/// "REGCOUNT"; attributes that NVIDIA's public tools give no name are "attribute 0x6b".
std::string attribute_name(std::uint8_t attribute);

/// Which 32-bit words of a record's payload are symbol indices: none, the first, or all.
enum class SymbolWords : std::uint8_t { none, first, all };
SymbolWords symbol_words(std::uint8_t attribute);

}  // namespace tileport::cubin
