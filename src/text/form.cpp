// SPDX-License-Identifier: Apache-2.0
#include "text/form.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace tileport::text {
namespace {

struct Word {
  std::string_view name;
  Directive directive;
  bool takes_number;
};

constexpr Word kWords[] = {
    {"symbol", Directive::symbol, false},       {"attributes", Directive::attributes, false},
    {"type", Directive::type, false},           {"first_type", Directive::first_type, false},
    {"same_type", Directive::same_type, false}, {"shape", Directive::shape, false},
    {"strides", Directive::strides, false},     {"source_type", Directive::source_type, false},
    {"argument", Directive::argument, true},    {"bindings", Directive::bindings, false},
    {"region", Directive::region, true},        {"else", Directive::else_region, true},
    {"function", Directive::function, true},
};

/// "> : " is '>' and ':'; blanks only separate.
std::vector<std::string_view> words_of(std::string_view literal) {
  const auto in_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < literal.size();) {
    std::size_t size = 1;
    if (in_word(literal[i])) {
      while (i + size < literal.size() && in_word(literal[i + size])) ++size;
    } else if (literal.substr(i, 2) == "->") {
      size = 2;
    }
    if (literal[i] != ' ') words.push_back(literal.substr(i, size));
    i += size;
  }
  return words;
}

class FormParser {
 public:
  explicit FormParser(const ir::OpInfo& info) : info_(info), rest_(info.form) {}

  std::optional<std::vector<FormNode>> parse() {
    std::vector<FormNode> nodes = sequence();
    if (bad_ || !rest_.empty()) return std::nullopt;
    return nodes;
  }

 private:
  /// Up to the end or to the '|' or '}' that belongs to an enclosing condition.
  std::vector<FormNode> sequence() {
    std::vector<FormNode> nodes;
    while (!bad_ && !rest_.empty() && rest_.front() != '|' && rest_.front() != '}') {
      if (rest_.front() == '{') {
        rest_.remove_prefix(1);
        nodes.push_back(directive());
      } else {
        const std::string_view literal = until("{|}");
        nodes.push_back({.directive = Directive::literal, .literal = literal, .words = words_of(literal)});
      }
    }
    return nodes;
  }

  FormNode directive() {
    FormNode node;
    const std::string_view name = until("?(}");
    if (accept('(')) {
      node = call(name, until(")"));
      expect(')');
    } else {
      node = reference(name);
      node.directive = Directive::plain;
      if (accept('?')) {
        node.directive = Directive::condition;
        node.then = sequence();
        if (accept('|')) node.otherwise = sequence();
      }
    }
    expect('}');
    return node;
  }

  FormNode call(std::string_view name, std::string_view argument) {
    const auto word = std::ranges::find(kWords, name, &Word::name);
    bad_ = bad_ || word == std::end(kWords) || argument.empty();
    if (bad_) return {};
    FormNode node;
    if (word->takes_number) {
      node.index = static_cast<std::uint8_t>(argument.front() - '0');
      bad_ = argument.size() != 1 || node.index > 9;
    } else {
      node = reference(argument);
    }
    node.directive = word->directive;
    return node;
  }

  FormNode reference(std::string_view name) {
    FormNode node;
    const auto found = [&](Subject subject, std::optional<std::size_t> index) {
      if (!index) return false;
      node.subject = subject;
      node.index = static_cast<std::uint8_t>(*index);
      return true;
    };
    const auto result = std::ranges::find(info_.results, name, &ir::GroupInfo::name);
    const auto result_index = result == info_.results.end()
                                  ? std::nullopt
                                  : std::optional(static_cast<std::size_t>(result - info_.results.begin()));
    const bool known = found(Subject::operands, info_.operand_group(name)) ||
                       found(Subject::attribute, info_.attribute_index(name)) ||
                       found(Subject::results, result_index) || found(Subject::flag, info_.flag_bit(name));
    bad_ = bad_ || !known;
    return node;
  }

  std::string_view until(std::string_view stops) {
    const std::size_t size = std::min(rest_.find_first_of(stops), rest_.size());
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  bool accept(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) { bad_ = !accept(wanted) || bad_; }

  const ir::OpInfo& info_;
  std::string_view rest_;
  bool bad_ = false;
};

}  // namespace

std::optional<std::vector<FormNode>> parse_form(const ir::OpInfo& info) { return FormParser(info).parse(); }

const std::vector<FormNode>& form_of(const ir::OpInfo& info) {
  static const auto forms = [] {
    std::vector<std::vector<FormNode>> by_opcode(std::size_t{ir::all_ops().back()->opcode} + 1);
    for (const ir::OpInfo* row : ir::all_ops()) {
      auto form = parse_form(*row);
      assert(form && "a row's form is malformed");
      by_opcode[row->opcode] = std::move(form).value_or(std::vector<FormNode>{});
    }
    return by_opcode;
  }();
  return forms.at(info.opcode);
}

}  // namespace tileport::text
