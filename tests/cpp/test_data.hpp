// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

/// The folder tests/data of the source tree.
std::filesystem::path test_data();
