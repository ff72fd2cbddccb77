// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// The folder tests/data of the source tree.
std::filesystem::path test_data();

/// The files of one of its folders with an extension (".mlir") and of less than `most` bytes, sorted.
std::vector<std::filesystem::path> test_files(const std::filesystem::path& folder,
                                              const std::string& extension,
                                              std::uintmax_t most = UINTMAX_MAX);
std::string content(const std::filesystem::path& path);
