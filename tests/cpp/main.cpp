// SPDX-License-Identifier: Apache-2.0
#define CATCH_CONFIG_MAIN
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "test_data.hpp"

std::filesystem::path test_data() { return TILEPORT_TEST_DATA; }

std::vector<std::filesystem::path> test_files(const std::filesystem::path& folder,
                                              const std::string& extension, std::uintmax_t most) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(test_data() / folder)) {
    if (entry.path().extension() == extension && entry.file_size() < most) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
