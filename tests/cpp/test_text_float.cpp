// SPDX-License-Identifier: Apache-2.0
// Literals as tileirdisasm printed them; tests/python compares thousands of random ones with the tool itself.
#include <bit>
#include <catch2/catch.hpp>
#include <string>
#include <tileport/text/print.hpp>

#include "text/big_unsigned.hpp"

using tileport::ir::TypeKind;
using tileport::text::print_float;

namespace {

std::string f32(float value) { return print_float(TypeKind::f32, std::bit_cast<std::uint32_t>(value)); }
std::string f64(double value) { return print_float(TypeKind::f64, std::bit_cast<std::uint64_t>(value)); }

}  // namespace

TEST_CASE("floats that six digits give back", "[text]") {
  CHECK(f32(0.0F) == "0.000000e+00");
  CHECK(f32(-0.0F) == "-0.000000e+00");
  CHECK(f32(1.0F) == "1.000000e+00");
  CHECK(f32(-1.5F) == "-1.500000e+00");
  CHECK(f32(0.1F) == "1.000000e-01");
  CHECK(f32(1e10F) == "1.000000e+10");
  CHECK(f64(1e300) == "1.000000e+300");
  CHECK(f64(0.1) == "1.000000e-01");
  CHECK(print_float(TypeKind::f16, 0x3C00) == "1.000000e+00");
  CHECK(print_float(TypeKind::bf16, 0x3DCD) == "1.000980e-01");
}

TEST_CASE("digits are cut in two steps", "[text]") {
  CHECK(print_float(TypeKind::f16, 0x4248) == "3.140630e+00");  // 3.140625
  CHECK(f32(1e19F) == "9.99999998E+18");
}

TEST_CASE("floats that need more digits, or none", "[text]") {
  CHECK(f32(16777216.0F) == "0x4B800000");
  CHECK(f64(3.141592653589793) == "3.1415926535897931");
  CHECK(f32(std::bit_cast<float>(0x7FC00000U)) == "0x7FC00000");
  CHECK(f32(std::bit_cast<float>(0xFF800000U)) == "0xFF800000");
  CHECK(f64(std::bit_cast<double>(0xFFF0000000000000U)) == "0xFFF0000000000000");
  CHECK(print_float(TypeKind::f8E4M3FN, 0x7F) == "0x7F");
  CHECK(print_float(TypeKind::f8E4M3FN, 0x7E) == "4.480000e+02");
  CHECK(print_float(TypeKind::f8E8M0FNU, 0x7F) == "1.000000e+00");
  CHECK(print_float(TypeKind::f8E8M0FNU, 0xFF) == "0xFF");
}

TEST_CASE("arbitrary-precision numbers", "[text]") {
  tileport::text::BigUnsigned number(1);
  number.multiply_power(10, 30);
  CHECK(number.digits() == "1" + std::string(30, '0'));
  CHECK(number.bit_length() == 100);
  number.divide_power(10, 29);
  CHECK(number.digits() == "10");
  number.shift_left(64);
  CHECK(number.digits() == "184467440737095516160");
  CHECK(tileport::text::BigUnsigned(0).digits().empty());
  CHECK((number <=> tileport::text::BigUnsigned(11)) == std::strong_ordering::greater);
  CHECK((tileport::text::BigUnsigned(10) <=> tileport::text::BigUnsigned(11)) == std::strong_ordering::less);
}
