// SPDX-License-Identifier: Apache-2.0
// Rules for what is written in one op or in several: each accepts its two forms, in both directions, and does
// not where they compute something else.
#include <tileport/text/parse.hpp>

#include "diff_programs.hpp"

namespace {

using namespace diff_programs;

ir::Module read(const std::string& text) {
  auto module = tileport::text::parse(text);
  if (!module) FAIL(tileport::to_string(module.error().front()) + "\n" + text);
  return std::move(*module);
}

/// A kernel that computes %r of %n (an i32 of which `fact` is assumed) and %m, and stores it.
ir::Module scalar_kernel(const std::string& fact, const std::string& body) {
  return read(
      "entry @k(%out: tile<ptr<i32>>, %n0: tile<i32>, %m: tile<i32>) {\n" +
      (fact.empty() ? "  %n = addi %n0, %m : tile<i32>\n"
                    : "  %n1 = addi %n0, %m : tile<i32>\n  %n = assume " + fact + ", %n1 : tile<i32>\n") +
      "  %c0 = constant <i32: 0> : tile<i32>\n  %c4 = constant <i32: 4> : tile<i32>\n"
      "  %c3 = constant <i32: 3> : tile<i32>\n" +
      body + "  %t = store_ptr_tko weak %out, %r : tile<ptr<i32>>, tile<i32> -> token\n  return\n}\n");
}

void check(const ir::Module& a, const ir::Module& b, const std::string& rule) {
  for (const bool turned : {false, true}) {
    const auto result = turned ? compare(b, a) : compare(a, b);
    INFO(findings(result));
    CHECK((result.equality != diff::Equality::differs) == !rule.empty());
    if (!rule.empty()) CHECK(notes(result).find(rule + " x1") != std::string::npos);
  }
}

const std::string kCeil = "  %r = divi %n, %c4 signed rounding<positive_inf> : tile<i32>\n";

}  // namespace

TEST_CASE("rule ceil_division", "[diff]") {
  const std::string sum = "  %s = addi %n, %c3 : tile<i32>\n  %r = divi %s, %c4 signed : tile<i32>\n";
  const std::string bounded = "bounded<0, 1000000>";
  check(scalar_kernel(bounded, kCeil), scalar_kernel(bounded, sum), "ceil_division");
  // It can be negative; it can overflow; another number is added.
  check(scalar_kernel("bounded<-1, 1000000>", kCeil), scalar_kernel("bounded<-1, 1000000>", sum), "");
  check(scalar_kernel("bounded<0, ?>", kCeil), scalar_kernel("bounded<0, ?>", sum), "");
  const std::string other = "  %s = addi %n, %c4 : tile<i32>\n  %r = divi %s, %c4 signed : tile<i32>\n";
  check(scalar_kernel(bounded, kCeil), scalar_kernel(bounded, other), "");
  const std::string floor = "  %r = divi %n, %c4 signed rounding<negative_inf> : tile<i32>\n";
  check(scalar_kernel(bounded, kCeil), scalar_kernel(bounded, floor), "");
}

TEST_CASE("rule ceil_division: an i32 that was made i64 can't overflow", "[diff]") {
  const auto kernel = [](const std::string& body) {
    return scalar_kernel("bounded<0, ?>",
                         "  %w = exti %n signed : tile<i32> -> tile<i64>\n"
                         "  %w4 = constant <i64: 4> : tile<i64>\n  %w3 = constant <i64: 3> : tile<i64>\n" +
                             body + "  %r = trunci %q : tile<i64> -> tile<i32>\n");
  };
  check(kernel("  %q = divi %w, %w4 signed rounding<positive_inf> : tile<i64>\n"),
        kernel("  %s = addi %w, %w3 : tile<i64>\n  %q = divi %s, %w4 signed : tile<i64>\n"), "ceil_division");
}

TEST_CASE("rule select_minimum_maximum", "[diff]") {
  const auto chosen = [](const std::string& predicate, const std::string& operands) {
    return scalar_kernel("", "  %l = cmpi " + predicate +
                                 " %n, %m, signed : tile<i32> -> tile<i1>\n  %r = select %l, " + operands +
                                 " : tile<i1>, tile<i32>\n");
  };
  const auto minimum = scalar_kernel("", "  %r = mini %n, %m signed : tile<i32>\n");
  const auto maximum = scalar_kernel("", "  %r = maxi %n, %m signed : tile<i32>\n");
  check(minimum, chosen("less_than", "%n, %m"), "select_minimum_maximum");
  check(minimum, chosen("greater_than_or_equal", "%m, %n"), "select_minimum_maximum");
  check(maximum, chosen("greater_than", "%n, %m"), "select_minimum_maximum");
  check(maximum, chosen("less_than_or_equal", "%m, %n"), "select_minimum_maximum");
  check(minimum, chosen("less_than", "%m, %n"), "");
  check(minimum, chosen("equal", "%n, %m"), "");
  check(scalar_kernel("", "  %r = mini %n, %m unsigned : tile<i32>\n"), chosen("less_than", "%n, %m"), "");
}

TEST_CASE("rule remainder_sign", "[diff]") {
  const auto corrected = [](const std::string& divisor, const std::string& zero) {
    return "  %q = remi %n, " + divisor +
           " signed : tile<i32>\n"
           "  %a = cmpi less_than %q, %c0, signed : tile<i32> -> tile<i1>\n"
           "  %b = cmpi less_than " +
           divisor +
           ", %c0, signed : tile<i32> -> tile<i1>\n"
           "  %x = xori %a, %b : tile<i1>\n  %y = cmpi not_equal %q, " +
           zero + ", signed : tile<i32> -> tile<i1>\n  %z = andi %x, %y : tile<i1>\n  %s = addi %q, " +
           divisor + " : tile<i32>\n  %r = select %z, %s, %q : tile<i1>, tile<i32>\n";
  };
  const std::string plain = "  %r = remi %n, %c4 signed : tile<i32>\n";
  check(scalar_kernel("bounded<0, ?>", plain), scalar_kernel("bounded<0, ?>", corrected("%c4", "%c0")),
        "remainder_sign");
  check(scalar_kernel("", plain), scalar_kernel("", corrected("%c4", "%c0")), "");
  check(scalar_kernel("bounded<0, ?>", "  %r = remi %n, %m signed : tile<i32>\n"),
        scalar_kernel("bounded<0, ?>", corrected("%m", "%c0")), "");
  check(scalar_kernel("bounded<0, ?>", plain), scalar_kernel("bounded<0, ?>", corrected("%c4", "%c3")), "");
}

TEST_CASE("rule permuted_load", "[diff]") {
  const auto kernel = [](const std::string& view, const std::string& body) {
    return read(
        "entry @k(%in: tile<ptr<f32>>, %out: tile<ptr<f32>>, %i: tile<i32>, %j: tile<i32>, %h: tile<i32>,"
        " %w: tile<i32>) {\n"
        "  %v = make_tensor_view %in, shape = [%h, %w], strides = [%w, 1] : tile<i32>"
        " -> tensor_view<?x?xf32, strides=[?,1]>\n"
        "  %p = make_partition_view %v : " +
        view + "\n" + body +
        "  %o = reshape %out : tile<ptr<f32>> -> tile<1x1xptr<f32>>\n"
        "  %b = broadcast %o : tile<1x1xptr<f32>> -> tile<4x8xptr<f32>>\n"
        "  %s = store_ptr_tko weak %b, %r : tile<4x8xptr<f32>>, tile<4x8xf32> -> token\n  return\n}\n");
  };
  const std::string tensor = "tensor_view<?x?xf32, strides=[?,1]>";
  const std::string straight = "partition_view<tile=(8x4), " + tensor + ">";
  const std::string turned = "partition_view<tile=(4x8), " + tensor + ", dim_map=[1, 0]>";
  const auto load = [](const std::string& index, const std::string& view, const std::string& tile,
                       const std::string& name) {
    return "  %" + name + ", %t = load_view_tko weak %p[" + index + "] : " + view + ", tile<i32> -> tile<" +
           tile + "xf32>, token\n";
  };
  const std::string permute = "  %r = permute %l [1, 0] : tile<8x4xf32> -> tile<4x8xf32>\n";
  const auto mapped = kernel(turned, load("%j, %i", turned, "4x8", "r"));
  check(mapped, kernel(straight, load("%i, %j", straight, "8x4", "l") + permute), "permuted_load");
  check(mapped, kernel(straight, load("%j, %i", straight, "8x4", "l") + permute), "");
  // The tile itself is read too.
  check(
      mapped,
      kernel(straight,
             load("%i, %j", straight, "8x4", "l") + permute +
                 "  %two = addf %l, %l : tile<8x4xf32>\n  print_tko \"%f\", %two : tile<8x4xf32> -> token\n"),
      "");
  const std::string padded = "partition_view<tile=(8x4), padding_value = zero, " + tensor + ">";
  check(mapped, kernel(padded, load("%i, %j", padded, "8x4", "l") + permute), "");
}
