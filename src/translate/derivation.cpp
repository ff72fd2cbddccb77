// SPDX-License-Identifier: Apache-2.0
// Expressions are found from below: constants first, then one operation on them, then one more. Two
// expressions with the same value in every row are one, the simpler. The last operation is found backwards:
// given one operand, what is wanted says what the other has to be, and a table knows whether there is such an
// expression.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <tileport/translate/derivation.hpp>

namespace tileport::translate {
namespace {

using Integer = std::int64_t;
using Result = std::optional<Integer>;
using Column = std::vector<Integer>;

constexpr Integer kLargest = std::int64_t{1} << 53;

Result small(Integer value) { return value > -kLargest && value < kLargest ? Result(value) : std::nullopt; }

Result product(Integer a, Integer b) {
  Integer result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::nullopt : small(result);
}

Integer floor_quotient(Integer a, Integer b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

Result exact_quotient(Integer a, Integer b) { return b != 0 && a % b == 0 ? Result(a / b) : std::nullopt; }

struct Unary {
  std::string_view name;
  Result (*apply)(Integer a);
  std::string_view text;
};

constexpr auto kUnary = std::to_array<Unary>({
    {"next_power_of_two",
     [](Integer a) {
       return a < 1 ? std::nullopt
                    : small(static_cast<Integer>(std::bit_ceil(static_cast<std::uint64_t>(a))));
     },
     "next_power_of_two({})"},
    {"negative", [](Integer a) { return small(-a); }, "-{}"},
    {"log2",
     [](Integer a) {
       const auto bits = static_cast<std::uint64_t>(a);
       return a > 0 && std::has_single_bit(bits) ? Result(std::countr_zero(bits)) : std::nullopt;
     },
     "log2({})"},
});

/// The operand that gives `wanted` with the other operand `a`: f(a, other) or, for `flipped`, f(other, a).
using Inverse = Result (*)(Integer a, Integer wanted);

struct Binary {
  std::string_view name;
  Result (*apply)(Integer a, Integer b);
  std::string_view text;
  bool commutes = false;
  Inverse second = nullptr;    ///< Given the first operand; null: not unique.
  bool takes_numbers = false;  ///< Whether the second may be a number that no constant has.
};

constexpr auto kBinary = std::to_array<Binary>({
    {"cdiv", [](Integer a, Integer b) { return b > 0 ? Result(-floor_quotient(-a, b)) : std::nullopt; },
     "cdiv({}, {})"},
    {"product", product, "{} * {}", true, [](Integer a, Integer wanted) { return exact_quotient(wanted, a); },
     true},
    {"quotient", [](Integer a, Integer b) { return b > 0 ? Result(floor_quotient(a, b)) : std::nullopt; },
     "{} / {}", false,
     [](Integer a, Integer wanted) { return wanted != 0 ? exact_quotient(a, wanted) : std::nullopt; }, true},
    {"sum", [](Integer a, Integer b) { return small(a + b); }, "{} + {}", true,
     [](Integer a, Integer wanted) { return small(wanted - a); }, true},
    {"difference", [](Integer a, Integer b) { return small(a - b); }, "{} - {}", false,
     [](Integer a, Integer wanted) { return small(a - wanted); }},
    {"minimum", [](Integer a, Integer b) { return Result(std::min(a, b)); }, "min({}, {})", true},
    {"maximum", [](Integer a, Integer b) { return Result(std::max(a, b)); }, "max({}, {})", true},
    {"remainder", [](Integer a, Integer b) { return b > 0 && a >= 0 ? Result(a % b) : std::nullopt; },
     "{} % {}"},
});

/// An operation on a real number whose result is the bits of an f32.
struct FloatOperation {
  std::string_view name;
  double (*apply)(double value);
  std::string_view text;
};

constexpr double kLog2E = 1.4426950408889634;

constexpr auto kFloatOperations = std::to_array<FloatOperation>({
    {"bits", [](double value) { return value; }, "bits({})"},
    {"bits_of_negative", [](double value) { return -value; }, "bits(-{})"},
    {"bits_of_reciprocal", [](double value) { return 1.0 / value; }, "bits(1 / {})"},
    {"bits_times_log2e", [](double value) { return value * kLog2E; }, "bits({} * log2(e))"},
    {"bits_over_log2e", [](double value) { return value / kLog2E; }, "bits({} / log2(e))"},
    {"bits_of_complement", [](double value) { return 1.0 - value; }, "bits(1 - {})"},
    {"bits_of_reciprocal_complement", [](double value) { return 1.0 / (1.0 - value); }, "bits(1 / (1 - {}))"},
    {"bits_of_square", [](double value) { return value * value; }, "bits({0} * {0})"},
    {"bits_of_reciprocal_root", [](double value) { return 1.0 / std::sqrt(value); }, "bits(1 / sqrt({}))"},
});

template <class Table>
const typename Table::value_type* find_in(const Table& table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Table::value_type::name);
  return found == table.end() ? nullptr : &*found;
}

const Constant* find(std::string_view name, std::span<const Constant> constants) {
  const auto found = std::ranges::find(constants, name, &Constant::name);
  return found == constants.end() ? nullptr : &*found;
}

/// Nothing for a NaN, whose bits no constant means.
Result bits_of(double value) {
  if (std::isnan(value)) return std::nullopt;
  return static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
}

/// The value of what a float operation works on: any constant, or an integer expression.
std::optional<double> real(const Derivation& derivation, std::span<const Constant> constants) {
  if (derivation.operation == "constant") {
    const Constant* constant = find(derivation.name, constants);
    if (!constant) return std::nullopt;
    return std::visit([](auto number) { return static_cast<double>(number); }, constant->value);
  }
  const Result integer = evaluate(derivation, constants);
  return integer ? std::optional(static_cast<double>(*integer)) : std::nullopt;
}

Derivation constant(std::string name) { return {"constant", std::move(name), 0, {}}; }
Derivation number(Integer value) { return {"number", {}, value, {}}; }
Derivation on(std::string_view operation, std::vector<Derivation> of) {
  return {std::string(operation), {}, 0, std::move(of)};
}

class Search {
 public:
  Search(std::span<const std::vector<Constant>> rows, const Column& wanted) : rows_(rows), wanted_(wanted) {
    for (const Constant& each : rows.front()) {
      if (std::holds_alternative<Integer>(each.value)) add(constant(each.name));
    }
    constants_ = known_.size();
  }

  std::optional<Derivation> integers() {
    if (const Derivation* found = lookup(wanted_)) return *found;
    combine_constants();
    if (const Derivation* found = lookup(wanted_)) return *found;
    if (auto found = with_number(constants_)) return found;
    // Two rows say too little to tell one long expression from another.
    if (rows_.size() < 3) return std::nullopt;
    if (auto found = last_operation()) return found;
    return with_number(known_.size());
  }

  std::optional<Derivation> floats() {
    for (const FloatOperation& operation : kFloatOperations) {
      for (const Constant& each : rows_.front()) {
        Derivation candidate = on(operation.name, {constant(each.name)});
        if (explains(candidate)) return candidate;
      }
    }
    combine_constants();
    for (const FloatOperation& operation : kFloatOperations) {
      for (std::size_t i = constants_; i < known_.size(); ++i) {
        Derivation candidate = on(operation.name, {known_[i].first});
        if (explains(candidate)) return candidate;
      }
    }
    return std::nullopt;
  }

 private:
  using Known = std::pair<Derivation, Column>;

  void add(Derivation derivation) {
    if (auto values = column(derivation)) add(std::move(derivation), std::move(*values));
  }

  void add(Derivation derivation, Column values) {
    if (places_.try_emplace(values, known_.size()).second) {
      known_.emplace_back(std::move(derivation), std::move(values));
    }
  }

  std::optional<Column> column(const Derivation& derivation) const {
    Column values;
    for (const auto& row : rows_) {
      const Result value = evaluate(derivation, row);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    return values;
  }

  bool explains(const Derivation& candidate) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (evaluate(candidate, rows_[i]) != wanted_[i]) return false;
    }
    return true;
  }

  const Derivation* lookup(const Column& values) const {
    const auto found = places_.find(values);
    return found == places_.end() ? nullptr : &known_[found->second].first;
  }

  std::optional<Column> combined(const Binary& operation, const Column& a, const Column& b) const {
    Column values(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Result value = operation.apply(a[i], b[i]);
      if (!value) return std::nullopt;
      values[i] = *value;
    }
    return values;
  }

  void combine_constants() {
    for (const Unary& operation : kUnary) {
      for (std::size_t i = 0; i < constants_; ++i) add(on(operation.name, {known_[i].first}));
    }
    for (const Binary& operation : kBinary) {
      for (std::size_t i = 0; i < constants_; ++i) {
        for (std::size_t k = operation.commutes ? i + 1 : 0; k < constants_; ++k) {
          if (i == k) continue;
          auto values = combined(operation, known_[i].second, known_[k].second);
          if (values) add(on(operation.name, {known_[i].first, known_[k].first}), std::move(*values));
        }
      }
    }
  }

  /// One of the first `count` expressions with a number that no constant has.
  std::optional<Derivation> with_number(std::size_t count) const {
    for (const Binary& operation : kBinary) {
      if (!operation.takes_numbers) continue;
      for (std::size_t i = 0; i < count; ++i) {
        const Result value = operation.second(known_[i].second.front(), wanted_.front());
        if (!value || *value == 0 || (*value == 1 && operation.name != "sum")) continue;
        Derivation candidate = on(operation.name, {known_[i].first, number(*value)});
        if (explains(candidate)) return candidate;
      }
    }
    return std::nullopt;
  }

  /// Two expressions.
  std::optional<Derivation> last_operation() const {
    for (const Binary& operation : kBinary) {
      for (const auto& [first, values] : known_) {
        if (operation.second) {
          if (const Derivation* second = other(operation, values))
            return on(operation.name, {first, *second});
          continue;
        }
        for (std::size_t k = 0; k < constants_; ++k) {
          if (combined(operation, values, known_[k].second) == wanted_) {
            return on(operation.name, {first, known_[k].first});
          }
        }
      }
    }
    return std::nullopt;
  }

  const Derivation* other(const Binary& operation, const Column& first) const {
    Column second(first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      const Result value = operation.second(first[i], wanted_[i]);
      if (!value || operation.apply(first[i], *value) != wanted_[i]) return nullptr;
      second[i] = *value;
    }
    return lookup(second);
  }

  std::span<const std::vector<Constant>> rows_;
  const Column& wanted_;
  std::vector<Known> known_;
  std::map<Column, std::size_t> places_;
  std::size_t constants_ = 0;  ///< So many of the first are constants.
};

}  // namespace

std::vector<std::string_view> derivation_operations() {
  std::vector<std::string_view> names;
  for (const Unary& operation : kUnary) names.push_back(operation.name);
  for (const Binary& operation : kBinary) names.push_back(operation.name);
  for (const FloatOperation& operation : kFloatOperations) names.push_back(operation.name);
  return names;
}

std::string Derivation::text() const {
  if (operation == "constant") return name;
  if (operation == "number") return fmt::format("{}", number);
  const auto inner = [&](std::size_t i) {
    // Calls need no parentheses, operators within operators do.
    const std::string all = of[i].text();
    const bool is_call = all.back() == ')' && all.front() != '(';
    return of[i].of.empty() || is_call ? all : "(" + all + ")";
  };
  if (const auto* known = find_in(kFloatOperations, operation); known && of.size() == 1) {
    return fmt::format(fmt::runtime(known->text), inner(0));
  }
  if (const auto* known = find_in(kUnary, operation); known && of.size() == 1) {
    return fmt::format(fmt::runtime(known->text), inner(0));
  }
  if (const auto* known = find_in(kBinary, operation); known && of.size() == 2) {
    return fmt::format(fmt::runtime(known->text), inner(0), inner(1));
  }
  return operation;
}

std::optional<Integer> evaluate(const Derivation& derivation, std::span<const Constant> constants) {
  if (derivation.operation == "number") return derivation.number;
  if (derivation.operation == "constant") {
    const Constant* constant = find(derivation.name, constants);
    const auto* value = constant ? std::get_if<Integer>(&constant->value) : nullptr;
    return value ? small(*value) : std::nullopt;
  }
  if (const auto* known = find_in(kFloatOperations, derivation.operation)) {
    const auto value = derivation.of.size() == 1 ? real(derivation.of.front(), constants) : std::nullopt;
    return value ? bits_of(known->apply(*value)) : std::nullopt;
  }
  Column operands;
  for (const Derivation& each : derivation.of) {
    const Result value = evaluate(each, constants);
    if (!value) return std::nullopt;
    operands.push_back(*value);
  }
  if (const auto* known = find_in(kUnary, derivation.operation); known && operands.size() == 1) {
    return known->apply(operands[0]);
  }
  if (const auto* known = find_in(kBinary, derivation.operation); known && operands.size() == 2) {
    return known->apply(operands[0], operands[1]);
  }
  return std::nullopt;
}

std::optional<Derivation> derive(std::span<const std::vector<Constant>> rows, std::span<const Integer> wanted,
                                 bool bits_of_float) {
  if (rows.empty() || rows.size() != wanted.size()) return std::nullopt;
  const Column column(wanted.begin(), wanted.end());
  Search search(rows, column);
  return bits_of_float ? search.floats() : search.integers();
}

}  // namespace tileport::translate
