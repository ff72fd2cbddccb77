// SPDX-License-Identifier: Apache-2.0
#include "cpu/arguments.hpp"

#include <fmt/format.h>

#include <cstring>

#include "cpu/element.hpp"
#include "cpu/kernels/codecs.hpp"

namespace tileport::cpu {
namespace {

using ir::TypeKind;

/// One value for one parameter, and whose it is.
struct Passed {
  std::variant<std::int64_t, double, const Array*> value;
  std::size_t argument;
};

tl::unexpected<Diagnostics> bad(const Plan& plan, std::string code, std::string message,
                                std::string advice = "") {
  return fail({.code = std::move(code),
               .message = fmt::format("kernel {}: {}", plan.kernel, message),
               .place = {.file = plan.module->file},
               .advice = std::move(advice)});
}

std::string signature(const Plan& plan) {
  std::string text;
  for (const Parameter& parameter : plan.parameters) {
    if (!text.empty()) text += ", ";
    text += parameter.kind == TypeKind::pointer ? fmt::format("ptr<{}>", ir::keyword(parameter.pointee))
                                                : std::string(ir::keyword(parameter.kind));
  }
  return text;
}

std::vector<Passed> passed(const Plan& plan, std::span<const Argument> arguments) {
  const bool one_each = arguments.size() == plan.parameters.size();
  std::vector<Passed> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const auto* integer = std::get_if<std::int64_t>(&arguments[i])) {
      values.push_back({*integer, i});
    } else if (const auto* real = std::get_if<double>(&arguments[i])) {
      values.push_back({*real, i});
    } else {
      const Array& array = std::get<Array>(arguments[i]);
      values.push_back({&array, i});
      if (one_each) continue;
      for (const std::int64_t extent : array.shape) values.push_back({extent, i});
      for (const std::int64_t stride : array.strides) values.push_back({stride, i});
    }
  }
  return values;
}

/// Element types that are the same bits under different names: torch and NumPy have no tf32, no f8E8M0, no
/// f4.
bool same_element(TypeKind array, TypeKind pointee) {
  if (array == pointee) return true;
  if (pointee == TypeKind::tf32) return array == TypeKind::f32;
  const bool is_code = pointee == TypeKind::f8E8M0FNU || pointee == TypeKind::fnv8E5M3FNU ||
                       pointee == TypeKind::f4E2M1FN || pointee == TypeKind::i4 || pointee == TypeKind::i1;
  return is_code && array == TypeKind::i8;
}

Result<std::uint64_t> pointer_word(const Plan& plan, const Parameter& parameter, std::size_t number,
                                   const Passed& value) {
  if (const auto* address = std::get_if<std::int64_t>(&value.value))
    return static_cast<std::uint64_t>(*address);
  const auto* const* array = std::get_if<const Array*>(&value.value);
  if (!array) {
    return bad(plan, "TP-E0003",
               fmt::format("parameter {} is a pointer, and argument {} a number", number, value.argument),
               "pass an array");
  }
  if (!same_element((*array)->element, parameter.pointee)) {
    return bad(plan, "TP-E0004",
               fmt::format("parameter {} points to {}, and argument {} is an array of {}", number,
                           ir::keyword(parameter.pointee), value.argument, ir::keyword((*array)->element)),
               "pass an array of that type; a kernel is compiled for its types");
  }
  return (*array)->address;
}

Result<std::uint64_t> integer_word(const Plan& plan, const Parameter& parameter, std::size_t number,
                                   const Passed& value) {
  const auto* integer = std::get_if<std::int64_t>(&value.value);
  const std::string_view type = ir::keyword(parameter.kind);
  if (!integer) {
    return bad(plan, "TP-E0003",
               fmt::format("parameter {} is {}, and argument {} is {}", number, type, value.argument,
                           std::holds_alternative<double>(value.value) ? "a float" : "an array"),
               fmt::format("it takes ({})", signature(plan)));
  }
  const unsigned bits = ir::bit_width(parameter.kind);
  const bool fits =
      bits >= 64 || (*integer >= -(std::int64_t{1} << (bits - 1)) && *integer < std::int64_t{1} << bits);
  if (!fits) {
    return bad(plan, "TP-E0003",
               fmt::format("parameter {} is {}, and argument {} gives it {}", number, type, value.argument,
                           *integer));
  }
  return static_cast<std::uint64_t>(bits == 1 ? *integer & 1 : *integer);
}

Result<std::uint64_t> float_word(const Plan& plan, const Parameter& parameter, std::size_t number,
                                 const Passed& value) {
  double real = 0;
  if (const auto* given = std::get_if<double>(&value.value)) {
    real = *given;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value.value)) {
    real = static_cast<double>(*integer);
  } else {
    return bad(plan, "TP-E0003",
               fmt::format("parameter {} is {}, and argument {} is an array", number,
                           ir::keyword(parameter.kind), value.argument),
               fmt::format("it takes ({})", signature(plan)));
  }
  std::uint64_t bits = 0;
  if (is_double(parameter.kind)) {
    std::memcpy(&bits, &real, sizeof(real));
    return bits;
  }
  const auto narrow = static_cast<float>(real);
  if (const Encode encode = encoder(parameter.kind, Rounding::nearest_even)) {
    encode(&narrow, &bits, 1);
  } else {
    std::memcpy(&bits, &narrow, sizeof(narrow));
  }
  return bits;
}

}  // namespace

Result<std::vector<std::uint64_t>> argument_words(const Plan& plan, std::span<const Argument> arguments) {
  const std::vector<Passed> values = passed(plan, arguments);
  if (values.size() != plan.parameters.size()) {
    return bad(
        plan, "TP-E0003",
        fmt::format("{} arguments were given, which make {} values with extents and strides of arrays, and "
                    "the kernel has {} parameters: ({})",
                    arguments.size(), values.size(), plan.parameters.size(), signature(plan)),
        "pass one argument a parameter, or one array for each address with its extents and strides; is the "
        "rank of an array another one?");
  }
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Parameter& parameter = plan.parameters[i];
    const auto word = parameter.kind == TypeKind::pointer ? pointer_word(plan, parameter, i, values[i])
                      : ir::is_integer(parameter.kind)    ? integer_word(plan, parameter, i, values[i])
                                                          : float_word(plan, parameter, i, values[i]);
    if (!word) return tl::unexpected<Diagnostics>(word.error());
    words.push_back(*word);
  }
  return words;
}

}  // namespace tileport::cpu
