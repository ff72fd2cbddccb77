// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <span>
#include <tileport/text/print.hpp>
#include <vector>

#include "text/form.hpp"
#include "text/literals.hpp"
#include "text/locations.hpp"
#include "text/names.hpp"

namespace tileport::text {
namespace {

using ir::BlockId;
using ir::OpId;
using ir::ValueId;

class Printer {
 public:
  Printer(const ir::Module& module, const PrintOptions& options)
      : module_(module), literals_(module), names_(module, literals_) {
    if (options.locations) locations_.emplace(module);
  }

  std::string print() {
    if (locations_) {
      // Aliases are numbered when all are known.
      print_module();
      locations_->number();
      out_.clear();
    }
    print_module();
    if (locations_) locations_->append_definitions(out_);
    return std::move(out_);
  }

  Listing list() {
    op_offsets_.assign(module_.ops.size(), std::string::npos);
    print_module();
    Listing made;
    std::vector<std::size_t> starts;
    for (std::size_t at = 0; at < out_.size();) {
      const std::size_t end = std::min(out_.find('\n', at), out_.size());
      starts.push_back(at);
      made.lines.push_back(out_.substr(at, end - at));
      at = end + 1;
    }
    const auto line = [&](std::size_t offset) {
      return static_cast<std::uint32_t>(std::ranges::upper_bound(starts, offset) - starts.begin() - 1);
    };
    for (const std::size_t offset : op_offsets_)
      made.line_of_op.push_back(offset == std::string::npos ? kNoLine : line(offset));
    for (const auto& [first, last] : function_offsets_)
      made.functions.emplace_back(line(first), line(last) + 1);
    return made;
  }

 private:
  void print_module() {
    if (module_.producer) out_ += "// Producer: " + module_.string(*module_.producer) + "\n";
    for (const ir::Global& global : module_.globals) print_global(global);
    for (const ir::Function& function : module_.functions) print_function(function);
    if (module_.globals.empty() && module_.functions.empty()) out_ += '\n';
  }

  void print_global(const ir::Global& global) {
    collect(ir::DebugId{});  // The format holds no places of globals.
    out_ += "global ";
    if (global.is_private) out_ += "private ";
    if (global.is_constant) out_ += " constant";
    out_ += ' ';
    append_symbol(out_, module_.string(global.name));
    if (global.alignment != 0) out_ += fmt::format(" alignment = {}", global.alignment);
    out_ += ' ';
    literals_.append_dense(out_, global.value, global.type);
    out_ += " : " + literals_.type(global.type);
    end_line(ir::DebugId{});
  }

  void print_function(const ir::Function& function) {
    collect(function.location);
    const std::size_t first = out_.size();
    out_ += function.is_kernel ? "entry " : "testing$func ";
    append_symbol(out_, module_.string(function.name));
    out_ += '(';
    append_arguments(function.body, function.argument_attributes);
    out_ += ')';
    append_results(module_.type(function.type).results);
    if (function.hints && !module_.attribute(*function.hints).keys.empty()) {
      out_ += " optimization_hints=";
      literals_.append_hints(out_, module_.attribute(*function.hints));
    }
    out_ += " {\n";
    ++depth_;
    for (OpId op : module_.block(function.body).ops) print_op(op);
    --depth_;
    out_ += '}';
    function_offsets_.emplace_back(first, out_.size() - 1);
    end_line(function.location);
  }

  void collect(ir::DebugId location) {
    if (locations_) locations_->collect(location);
  }

  void end_line(ir::DebugId location) {
    if (locations_) locations_->append_use(out_, location);
    out_ += '\n';
  }

  /// Only functions of the dialect's test build have results.
  void append_results(const std::vector<ir::TypeId>& types) {
    if (types.empty()) return;
    out_ += types.size() == 1 ? " -> " : " -> (";
    for (std::size_t i = 0; i < types.size(); ++i) out_ += (i == 0 ? "" : ", ") + literals_.type(types[i]);
    if (types.size() != 1) out_ += ')';
  }

  /// `attributes` are dictionaries, one an argument.
  void append_arguments(BlockId block, std::optional<ir::AttributeId> attributes = {}) {
    const ir::Range arguments = module_.block(block).arguments;
    const auto given =
        attributes ? std::span(module_.attribute(*attributes).items) : std::span<const ir::AttributeId>{};
    for (std::uint32_t i = 0; i < arguments.count; ++i) {
      if (i != 0) out_ += ", ";
      const ValueId argument = module_.argument(block, i);
      out_ += names_.use(argument);
      out_ += ": " + literals_.type(module_.value(argument).type);
      if (i < given.size() && !module_.attribute(given[i]).keys.empty()) {
        out_ += ' ';
        literals_.append_dictionary(out_, module_.attribute(given[i]));
      }
    }
  }

  void indent() { out_.append(2 * depth_, ' '); }

  void print_op(OpId id) {
    const ir::Operation& op = module_.op(id);
    collect(op.location);
    if (!op_offsets_.empty()) op_offsets_[ir::index(id)] = out_.size();
    indent();
    names_.append_results(out_, id);
    out_ += op.info->mnemonic;
    append_form(id, form_of(*op.info));
    end_line(op.location);
  }

  void append_form(OpId id, const std::vector<FormNode>& nodes) {
    for (const FormNode& node : nodes) append_node(id, node);
  }

  void append_node(OpId id, const FormNode& node) {
    switch (node.directive) {
      case Directive::literal:
        out_ += node.literal;
        break;
      case Directive::plain:
        append_plain(id, node);
        break;
      case Directive::condition:
        append_form(id, says_something(id, node) ? node.then : node.otherwise);
        break;
      case Directive::symbol:
        append_symbol(out_, module_.string(static_cast<ir::StringId>(slot(id, node).word)));
        break;
      case Directive::attributes:
        if (says_something(id, node))
          append_dictionary_entry(module_.op(id).info->attributes[node.index], slot(id, node));
        break;
      case Directive::type:
        append_types(values(id, node));
        break;
      case Directive::first_type:
        append_types(values(id, node).first(std::min<std::size_t>(1, values(id, node).size())));
        break;
      case Directive::same_type:
        append_same_type(values(id, node));
        break;
      case Directive::shape:
        append_extents(result_type(id).shape, values(id, node));
        break;
      case Directive::strides:
        append_extents(result_type(id).strides, values(id, node));
        break;
      case Directive::source_type:
        append_source_type(id);
        break;
      case Directive::argument:
        out_ += names_.use(module_.argument(*module_.body(id), node.index));
        break;
      case Directive::bindings:
        append_bindings(id, values(id, node));
        break;
      case Directive::region:
        append_region(id, node.index);
        break;
      case Directive::else_region:
        if (module_.body(id, node.index)) {
          out_ += " else ";
          append_region(id, node.index);
        }
        break;
      case Directive::function:
        append_function(id, node.index);
        break;
    }
  }

  const ir::AttributeSlot& slot(OpId id, const FormNode& node) const {
    return module_.attribute_slots[module_.op(id).attributes.first + node.index];
  }

  /// The values of an operand or result group.
  std::span<const ValueId> values(OpId id, const FormNode& node) {
    if (node.subject == Subject::operands) return module_.operands(id, node.index);
    const ir::Range results = module_.op(id).results;
    const bool variadic = module_.op(id).info->results[node.index].arity == ir::Arity::variadic;
    scratch_.clear();
    for (std::uint32_t i = node.index; i < results.count && (variadic || i == node.index); ++i) {
      scratch_.push_back(module_.result(id, i));
    }
    return scratch_;
  }

  bool says_something(OpId id, const FormNode& node) {
    switch (node.subject) {
      case Subject::operands:
      case Subject::results:
        return !values(id, node).empty();
      case Subject::flag:
        return (module_.op(id).flags >> node.index & 1U) != 0;
      case Subject::attribute:
        break;
      case Subject::none:
        return false;
    }
    return module_.says_something(slot(id, node), module_.op(id).info->attributes[node.index]);
  }

  void append_plain(OpId id, const FormNode& node) {
    if (node.subject == Subject::attribute) {
      append_attribute(id, module_.op(id).info->attributes[node.index], slot(id, node));
      return;
    }
    bool first = true;
    for (ValueId value : values(id, node)) {
      if (!first) out_ += ", ";
      first = false;
      out_ += names_.use(value);
    }
  }

  void append_attribute(OpId id, const ir::AttributeInfo& info, const ir::AttributeSlot& content) {
    switch (info.encoding) {
      case ir::Encoding::enumeration:
        out_ += info.enumeration->values[content.word];
        break;
      case ir::Encoding::integer:
        out_ += fmt::to_string(static_cast<std::int64_t>(content.word));
        break;
      case ir::Encoding::boolean:
        out_ += content.word != 0 ? "true" : "false";
        break;
      case ir::Encoding::string:
        append_quoted(out_, module_.string(static_cast<ir::StringId>(content.word)));
        break;
      case ir::Encoding::type:
        out_ += literals_.type(static_cast<ir::TypeId>(content.word));
        break;
      case ir::Encoding::constant:
        literals_.append_dense(out_, static_cast<ir::ConstantId>(content.word),
                               module_.value(module_.result(id, 0)).type);
        break;
      case ir::Encoding::boolean_array: {
        const auto& entries = module_.attributes[content.word].numbers;
        out_ += '[';
        for (std::size_t i = 0; i < entries.size(); ++i)
          out_ += fmt::format("{}{}", i == 0 ? "" : ", ", entries[i] != 0);
        out_ += ']';
        break;
      }
      case ir::Encoding::attribute:
        literals_.append_predicate(out_, module_.attributes[content.word]);
        break;
      case ir::Encoding::optimization_hints:
        literals_.append_hints(out_, module_.attributes[content.word]);
        break;
      case ir::Encoding::integer_array:
      case ir::Encoding::attribute_array:
        literals_.append_attribute(out_, module_.attributes[content.word], NumberTypes::unusual);
        break;
    }
  }

  void append_dictionary_entry(const ir::AttributeInfo& info, const ir::AttributeSlot& content) {
    out_ += fmt::format(" attributes {{{} = #cuda_tile.{}<{}>}}", info.name, info.enumeration->mnemonic,
                        info.enumeration->values[content.word]);
  }

  void append_types(std::span<const ValueId> list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i != 0) out_ += ", ";
      out_ += literals_.type(module_.value(list[i]).type);
    }
  }

  void append_same_type(std::span<const ValueId> list) {
    const bool same = std::ranges::all_of(list, [&](ValueId value) {
      return ir::same_type(module_, module_.value(value).type, module_, module_.value(list.front()).type);
    });
    append_types(same ? list.first(1) : list);
  }

  const ir::Type& result_type(OpId id) const { return module_.type_of(module_.result(id, 0)); }

  void append_extents(const std::vector<std::int64_t>& extents, std::span<const ValueId> dynamic) {
    out_ += '[';
    std::size_t next = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (i != 0) out_ += ", ";
      if (extents[i] == ir::kDynamic) {
        out_ += names_.use(dynamic[next++]);
      } else {
        out_ += fmt::to_string(extents[i]);
      }
    }
    out_ += ']';
  }

  /// The type of the dynamic extents and strides; with a pointer attribute the pointer's instead, and always.
  void append_source_type(OpId id) {
    const auto all = module_.operands(id);
    if (result_type(id).pointer_attribute) {
      append_types(all.first(1));
    } else if (all.size() > 1) {
      append_types(all.subspan(1, 1));
    } else {
      return;
    }
    out_ += " -> ";
  }

  void append_bindings(OpId id, std::span<const ValueId> initial) {
    const BlockId body = *module_.body(id);
    const std::size_t first = module_.block(body).arguments.count - initial.size();
    for (std::size_t i = 0; i < initial.size(); ++i) {
      if (i != 0) out_ += ", ";
      out_ += names_.use(module_.argument(body, first + i));
      out_ += " = ";
      out_ += names_.use(initial[i]);
    }
  }

  bool is_implied(OpId parent, OpId last) const {
    return module_.op(last).operands.count == 0 &&
           module_.op(last).info->is(module_.op(parent).info->implied_terminator);
  }

  void append_region(OpId id, std::size_t number) {
    out_ += "{\n";
    ++depth_;
    const auto& ops = module_.block(*module_.body(id, number)).ops;
    for (OpId op : ops) {
      if (op == ops.back() && is_implied(id, op)) break;
      print_op(op);
    }
    --depth_;
    indent();
    out_ += '}';
  }

  void append_function(OpId id, std::size_t number) {
    out_ += '\n';
    indent();
    out_ += '(';
    append_arguments(*module_.body(id, number));
    out_ += ") {\n";
    ++depth_;
    for (OpId op : module_.block(*module_.body(id, number)).ops) print_op(op);
    --depth_;
    indent();
    out_ += '}';
  }

  const ir::Module& module_;
  Literals literals_;
  Names names_;
  std::optional<Locations> locations_;
  std::string out_;
  std::size_t depth_ = 0;
  std::vector<ValueId> scratch_;
  std::vector<std::size_t> op_offsets_;  ///< By OpId, where each op's text begins; empty if nobody asks.
  std::vector<std::pair<std::size_t, std::size_t>> function_offsets_;
};

}  // namespace

std::string print(const ir::Module& module, const PrintOptions& options) {
  return Printer(module, options).print();
}

Listing list(const ir::Module& module) { return Printer(module, {}).list(); }

std::string print(const ir::Module& module, ir::TypeId type) { return Literals(module).type(type); }

}  // namespace tileport::text
