// SPDX-License-Identifier: Apache-2.0
#include "translate/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tileport/ir/op_table.hpp>

#include "translate/declarations.hpp"

namespace tileport::translate {
namespace {

constexpr std::array kKeywords = std::to_array<std::string_view>({
    "Self",     "abstract", "as",      "async", "await",    "become", "box",    "break", "const",
    "continue", "crate",    "do",      "dyn",   "else",     "enum",   "extern", "false", "final",
    "fn",       "for",      "gen",     "if",    "impl",     "in",     "let",    "loop",  "macro",
    "match",    "mod",      "move",    "mut",   "override", "priv",   "pub",    "ref",   "return",
    "self",     "static",   "struct",  "super", "trait",    "true",   "try",    "type",  "typeof",
    "union",    "unsafe",   "unsized", "use",   "virtual",  "where",  "while",  "yield",
});

// A variable of one of these names would hide the function or constructor that generated statements use. The
// functions that are called like their op are known from the op table.
constexpr std::array kUsedByStatements = std::to_array<std::string_view>({
    "Err",
    "Latency",
    "None",
    "Ok",
    "Some",
    "addptr",
    "addptr_tile",
    "assume_bounds_raw",
    "assume_div_by_raw",
    "assume_same_elements_raw",
    "atomic_red_view_raw",
    "atomic_red_view_tko_with_inbounds",
    "broadcast_ptr",
    "broadcast_scalar",
    "exp_with_rounding",
    "ftoi_saturating",
    "load_view_raw",
    "max",
    "min",
    "mma",
    "mmaf_with_fast_acc",
    "new_token_unordered",
    "pointer_to_tile",
    "pow",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "reshape_ptr",
    "scalar_to_tile",
    "scan_sum",
    "store_view_raw",
    "tanh_with_rounding",
    "tile_to_pointer",
    "tile_to_scalar",
});

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_keyword(std::string_view text) { return std::ranges::find(kKeywords, text) != kKeywords.end(); }

std::string legal(std::string_view wish) {
  std::string name;
  for (char c : wish) name += is_letter(c) || is_digit(c) ? c : '_';
  if (name.find_first_not_of('_') == std::string::npos) return "value";
  if (is_digit(name.front())) name.insert(0, "_");
  return name;
}

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && text != "_" && is_letter(text.front()) && !is_keyword(text) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

bool Names::is_free(const std::string& name) const {
  return !taken_.contains(name) && !is_keyword(name) && ir::find_op(name) == nullptr && !is_declared(name) &&
         std::ranges::find(kUsedByStatements, name) == kUsedByStatements.end();
}

std::string Names::claim(std::string_view wish) {
  const std::string stem = legal(wish);
  std::string name = stem;
  if (!is_free(name)) {
    unsigned& number = next_number_[stem];
    do {
      name = fmt::format("{}_{}", stem, ++number);
    } while (!is_free(name));
  }
  taken_.insert(name);
  return name;
}

std::vector<std::string> Names::claim_ordered(const std::vector<std::string>& wishes) {
  std::vector<std::string> names;
  for (const std::string& wish : wishes) names.push_back(claim(wish));
  const bool ordered = std::ranges::adjacent_find(names, std::greater_equal<>()) == names.end();
  if (ordered) return names;
  for (const std::string& name : names) taken_.erase(name);
  names.clear();
  const auto width = fmt::formatted_size("{}", wishes.size() - 1);
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    names.push_back(claim(fmt::format("c{:0{}}_{}", i, width, legal(wishes[i]))));
  }
  return names;
}

}  // namespace tileport::translate
