// SPDX-License-Identifier: Apache-2.0
// The section .nv.host: an x86-64 or AArch64 object that the driver calls before launches. It checks
// alignment of arguments and builds tensor maps from them, so it decides what TMA instructions read and
// write.
#pragma once

#include <map>
#include <string>
#include <tileport/cubin/compare.hpp>
#include <vector>

#include "cubin/elf.hpp"

namespace tileport::cubin {

/// The content of a host object with the kernel's name taken out, as printable facts by section.
struct HostObject {
  std::map<std::string, std::string> sections;  ///< Section name -> everything in it.
};

/// `offset` is where the object starts in the cubin.
Result<HostObject> describe_host(Bytes object, std::uint64_t offset, std::string_view kernel);

void compare_host(const std::string& name, const HostObject& reference, const HostObject& port,
                  std::vector<Difference>& differences);

}  // namespace tileport::cubin
