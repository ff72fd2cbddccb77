// SPDX-License-Identifier: Apache-2.0
// Ops and what they stand in.
//
//   body    := "{" op* "}"
//   op      := [names "="] (mnemonic form [dictionary] | generic) ["loc(" location ")"]
//   names   := value [":" digits],…
//   form    := what the row of the op table says (text/form.hpp)
//   generic := string "(" value,… ")" ["<" dictionary ">"] ["(" region,… ")"] [dictionary] ":" function type
//   region  := "{" ["^" name ["(" (value ":" type),… ")"] ":"] op* "}"
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/form.hpp"
#include "text/parse_attributes.hpp"

namespace tileport::text {

/// Names of values. What a region defines is unknown behind it.
class Scope {
 public:
  explicit Scope(Context& context) : in_(context.in) {}

  /// `lost` names belong to an op that has an error: their uses are no errors of their own.
  bool define(const Token& name, ir::ValueId first, std::uint32_t count, bool lost = false);
  /// The value "%name" or "%name#2" at the current token.
  bool use(ir::ValueId& value);
  std::size_t mark() const { return order_.size(); }
  void leave(std::size_t mark);

 private:
  struct Binding {
    ir::ValueId first;
    std::uint32_t count;
    bool lost;
  };
  TokenStream& in_;
  std::unordered_map<std::string_view, Binding> bindings_;
  std::vector<std::string_view> order_;
};

class OpParser {
 public:
  OpParser(Context& context, TypeParser& types, AttributeParser& attributes)
      : context_(context), types_(types), attributes_(attributes), in_(context.in), scope_(context) {}

  struct Argument {
    Token name;
    ir::TypeId type{};
  };

  /// "(%a: T, %b: T)"; attributes of arguments go to `attributes`, one entry an argument, if there are any.
  bool arguments(std::vector<Argument>& list, std::vector<AttributeValuePtr>* attributes = nullptr);
  /// A function's body, braces included.
  bool function_body(ir::BlockId block, const std::vector<Argument>& arguments);
  /// The same in the generic form, where the arguments' names stand in the label.
  bool generic_function_body(ir::BlockId block);

 private:
  /// An op that is being read.
  struct Draft {
    const ir::OpInfo* info = nullptr;
    Token token;
    ir::BlockId block{};
    std::uint64_t named = 0;  ///< Results that have names.
    std::array<std::vector<ir::ValueId>, 6> groups{};
    std::array<bool, 6> read{};          ///< Groups whose operands were read.
    std::optional<std::size_t> moved{};  ///< The group that a value was given to ahead of its place.
    std::array<std::vector<ir::TypeId>, 4> results{};
    std::array<std::optional<std::uint64_t>, 6> words{};
    std::uint32_t units = 0;
    std::optional<DenseLiteral> dense{};
    std::size_t dense_attribute = 0;
    std::optional<std::vector<std::int64_t>> shape{}, strides{};  ///< As written, kDynamic for values.
    std::optional<ir::TypeId> pending{};                          ///< A type that was read ahead.
    Token pending_token{};
    std::optional<ir::TypeId> source_type{};
    std::vector<Argument> arguments{};
    std::optional<ir::OpId> id{};
  };
  struct ResultName {
    Token token;
    std::uint32_t count = 1;
  };

  // ---- parse_ops.cpp
  bool ops(ir::BlockId block, std::string_view implied, const Token& open);
  bool op(ir::BlockId block);
  bool result_names(std::vector<ResultName>& names);
  bool bind(const std::vector<ResultName>& names, ir::OpId id, const Token& token);
  void lose(const std::vector<ResultName>& names);
  bool custom(Draft& draft);
  bool unknown_op(const Token& token);
  bool terminate(ir::BlockId block, std::string_view implied, const Token& close);
  bool insert(Draft& draft);
  bool fill_results(Draft& draft);
  std::optional<std::vector<ir::TypeId>> implied_types(const Draft& draft, std::string_view group) const;
  bool check_view(const Draft& draft);
  bool check_version(ir::OpId id, const Token& token);
  bool region(Draft& draft, std::size_t number, const std::vector<Argument>& arguments);
  bool define(ir::BlockId block, const std::vector<Argument>& arguments);
  bool deeper(const Token& token);
  bool located(ir::OpId id);
  bool check_structure(ir::OpId id, const Token& token);

  // ---- parse_form.cpp
  bool form(Draft& draft, const std::vector<FormNode>& nodes);
  bool node(Draft& draft, const FormNode& node);
  bool begins(const std::vector<FormNode>& nodes, const ir::OpInfo& info) const;
  bool condition(Draft& draft, const FormNode& node);
  bool plain(Draft& draft, const FormNode& node);
  bool operand_group(Draft& draft, std::size_t group);
  bool types(Draft& draft, const FormNode& node);
  void move_on(Draft& draft, std::size_t group);
  bool next_type(Draft& draft, ir::TypeId& type, Token& token);
  bool type_of_value(Draft& draft, ir::ValueId value);
  bool same_type(Draft& draft, const FormNode& node);
  bool first_type(Draft& draft, const FormNode& node);
  bool extents(Draft& draft, const FormNode& node, std::vector<std::int64_t>& extents);
  bool source_type(Draft& draft);
  bool dictionary_entry(Draft& draft, const FormNode& node);
  bool bindings(Draft& draft, std::size_t group);
  bool function_region(Draft& draft, std::size_t number);

  // ---- parse_generic.cpp
  bool generic(Draft& draft);
  bool spread(Draft& draft, const std::vector<ir::ValueId>& operands,
              const std::optional<std::vector<std::int64_t>>& sizes);
  bool generic_attributes(Draft& draft, const AttributeValue& properties);
  bool set_words(const Draft& draft);
  bool generic_region(Draft& draft, std::size_t number);
  bool label(std::vector<Argument>& arguments);
  bool signature(Draft& draft, const std::vector<ir::ValueId>& operands);

  Context& context_;
  TypeParser& types_;
  AttributeParser& attributes_;
  TokenStream& in_;
  Scope scope_;
  std::size_t depth_ = 0;
};

}  // namespace tileport::text
