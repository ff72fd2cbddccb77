// SPDX-License-Identifier: Apache-2.0
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include "test_data.hpp"

std::filesystem::path test_data() { return TILEPORT_TEST_DATA; }
