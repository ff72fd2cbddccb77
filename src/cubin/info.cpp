// SPDX-License-Identifier: Apache-2.0
#include "cubin/info.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace tileport::cubin {
namespace {

constexpr std::uint8_t kWithPayload = 4;

struct Known {
  std::uint8_t attribute;
  std::string_view name;
  SymbolWords symbols = SymbolWords::none;
};

constexpr std::array kKnown = {
    Known{0x0a, "PARAM_CBANK", SymbolWords::first},
    Known{0x0f, "EXTERNS", SymbolWords::all},
    Known{0x10, "REQNTID"},
    Known{0x11, "FRAME_SIZE", SymbolWords::first},
    Known{0x12, "MIN_STACK_SIZE", SymbolWords::first},
    Known{0x17, "KPARAM_INFO"},
    Known{0x19, "CBANK_PARAM_SIZE"},
    Known{0x1b, "MAXREG_COUNT"},
    Known{0x1c, "EXIT_INSTR_OFFSETS"},
    Known{0x1e, "CRS_STACK_SIZE"},
    Known{0x23, "MAX_STACK_SIZE", SymbolWords::first},
    Known{0x28, "COOP_GROUP_INSTR_OFFSETS"},
    Known{0x29, "COOP_GROUP_MASK_REGIDS"},
    Known{kRegisterCount, "REGCOUNT", SymbolWords::first},
    Known{0x31, "INT_WARP_WIDE_INSTR_OFFSETS"},
    Known{0x34, "INDIRECT_BRANCH_TARGETS"},
    Known{0x36, "SW_WAR"},
    Known{0x37, "CUDA_API_VERSION"},
    Known{0x38, "NUM_MBARRIERS"},
    Known{0x39, "MBARRIER_INSTR_OFFSETS"},
    Known{0x3d, "CTA_PER_CLUSTER"},
    Known{0x3e, "EXPLICIT_CLUSTER"},
    Known{0x3f, "MAX_CLUSTER_RANK"},
    Known{0x40, "INSTR_REG_MAP"},
};

const Known* find(std::uint8_t attribute) {
  for (const Known& known : kKnown) {
    if (known.attribute == attribute) return &known;
  }
  return nullptr;
}

}  // namespace

std::string attribute_name(std::uint8_t attribute) {
  const Known* known = find(attribute);
  return known != nullptr ? std::string(known->name) : fmt::format("attribute 0x{:02x}", attribute);
}

SymbolWords symbol_words(std::uint8_t attribute) {
  const Known* known = find(attribute);
  return known != nullptr ? known->symbols : SymbolWords::none;
}

Result<std::vector<InfoRecord>> read_info(const Elf& elf, const Section& section) {
  std::vector<InfoRecord> records;
  const Bytes data = section.data;
  std::size_t at = 0;
  while (at < data.size()) {
    if (data.size() - at < 4) {
      return fail(elf.at(section, at, "TP-C0007", "an attribute record is cut short"));
    }
    InfoRecord record;
    record.format = static_cast<std::uint8_t>(little_endian(data, at, 1));
    record.attribute = static_cast<std::uint8_t>(little_endian(data, at + 1, 1));
    if (record.format == 0 || record.format > kWithPayload) {
      return fail(elf.at(
          section, at, "TP-C0007",
          fmt::format("attribute 0x{:02x} has the unknown format {}", record.attribute, record.format)));
    }
    std::size_t size = 2;
    std::size_t start = at + 2;
    if (record.format == kWithPayload) {
      size = little_endian(data, at + 2, 2);
      start = at + 4;
    }
    if (size > data.size() - start) {
      return fail(elf.at(section, at, "TP-C0007",
                         fmt::format("the payload of {} needs {} bytes, {} are left",
                                     attribute_name(record.attribute), size, data.size() - start)));
    }
    record.payload = data.subspan(start, size);
    records.push_back(record);
    at = start + size;
  }
  return records;
}

}  // namespace tileport::cubin
