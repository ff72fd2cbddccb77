// SPDX-License-Identifier: Apache-2.0
// All results of a block are named before anything in the regions below it. A region starts from the counters
// that its parent block ended with, so sibling regions use the same names.
#include "text/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/float.hpp"

namespace tileport::text {

using ir::BlockId;
using ir::NameHint;
using ir::OpId;
using ir::ValueId;

Names::Names(const ir::Module& module, const Literals& literals)
    : module_(module),
      literals_(literals),
      uses_(module.values.size()),
      group_sizes_(module.values.size()),
      hints_(module.values.size()) {
  for (const ir::Function& function : module.functions) name_function(function);
}

void Names::append_results(std::string& out, OpId id) const {
  const ir::Range results = module_.op(id).results;
  if (results.count == 0) return;
  for (std::uint32_t i = results.first; i < results.first + results.count; ++i) {
    if (group_sizes_[i] == 0) continue;
    if (i != results.first) out += ", ";
    if (group_sizes_[i] == 1) {
      out += uses_[i];
    } else {
      out += uses_[i].substr(0, uses_[i].rfind('#'));
      out += ':';
      out += fmt::to_string(group_sizes_[i]);
    }
  }
  out += " = ";
}

void Names::name_function(const ir::Function& function) {
  taken_.clear();
  taken_here_.clear();
  Counters counters;
  const ir::Range arguments = module_.block(function.body).arguments;
  for (std::uint32_t i = 0; i < arguments.count; ++i) {
    uses_[arguments.first + i] = unique(fmt::format("arg{}", counters.argument++), counters);
  }
  name_block(function.body, counters);
}

void Names::name_block(BlockId block, Counters& counters) {
  for (OpId op : module_.block(block).ops) name_results(op, counters);
  for (OpId op : module_.block(block).ops) {
    for (std::uint32_t i = 0; i < module_.op(op).regions.count; ++i) {
      if (const auto body = module_.body(op, i)) name_region(op, *body, counters);
    }
  }
}

void Names::name_region(OpId op, BlockId block, Counters counters) {
  const std::size_t outside = taken_here_.size();
  name_arguments(op, block, counters);
  name_block(block, counters);
  for (std::size_t i = outside; i < taken_here_.size(); ++i) taken_.erase(taken_here_[i]);
  taken_here_.resize(outside);
}

void Names::name_arguments(OpId op, BlockId block, Counters& counters) {
  const ir::Range arguments = module_.block(block).arguments;
  const ir::ArgumentNames rule = module_.op(op).info->argument_names;
  for (std::uint32_t i = 0; i < arguments.count; ++i) {
    std::string name;
    if (rule == ir::ArgumentNames::loop) {
      name = i == 0 ? "loopIdx" : fmt::format("iterArg{}", i - 1);
    } else if (rule == ir::ArgumentNames::pairs) {
      name = i % 2 == 0 ? "reduce_lhs" : "reduce_rhs";
      if (arguments.count > 2) name += fmt::to_string(i / 2);
    } else {
      name = fmt::format("arg{}", counters.argument++);
    }
    uses_[arguments.first + i] = unique(name, counters);
  }
}

void Names::name_results(OpId op, Counters& counters) {
  const ir::Range results = module_.op(op).results;
  for (std::uint32_t first = 0; first < results.count;) {
    const Hint proposed = hint(op, first);
    std::uint32_t last = first + 1;
    while (last < results.count && hint(op, last).kind != Hint::Kind::named) ++last;
    const std::string_view name =
        proposed.kind == Hint::Kind::named ? unique(proposed.name, counters) : numbered(counters.value++);
    group_sizes_[results.first + first] = last - first;
    for (std::uint32_t i = first; i < last; ++i) {
      uses_[results.first + i] = last - first == 1 ? name : keep(fmt::format("{}#{}", name, i - first));
    }
    first = last;
  }
}

std::string_view Names::unique(std::string_view name, Counters& counters) {
  candidate_.assign(1, '%').append(name);
  while (taken_.contains(candidate_)) {
    candidate_.resize(1 + name.size());
    candidate_ += '_';
    candidate_ += fmt::format_int(counters.conflict++).c_str();
  }
  const std::string_view found = keep(candidate_);
  taken_.insert(found);
  taken_here_.push_back(found);
  return found;
}

std::string_view Names::numbered(std::uint32_t number) {
  candidate_.assign(1, '%').append(fmt::format_int(number).c_str());
  return keep(candidate_);
}

std::string_view Names::keep(std::string_view text) {
  char* const copy = static_cast<char*>(arena_.allocate(text.size(), 1));
  std::ranges::copy(text, copy);
  return {copy, text.size()};
}

Names::Hint Names::hint(OpId op, std::uint32_t result) {
  const ir::OpInfo& info = *module_.op(op).info;
  std::string_view& own = hints_[ir::index(module_.result(op, result))];
  switch (info.name_hint) {
    case NameHint::none:
      return {};
    case NameHint::empty:
      return {.kind = Hint::Kind::empty};
    case NameHint::fixed:
      if (result >= info.result_names.size()) return {.kind = Hint::Kind::empty};
      return {.kind = Hint::Kind::named, .name = info.result_names[result]};
    case NameHint::constant:
      if (own.empty()) own = keep(constant_name(op));
      return {.kind = Hint::Kind::named, .name = own};
    case NameHint::assume:
      if (own.empty()) own = keep(assume_name(op));
      return {.kind = Hint::Kind::named, .name = own};
  }
  return {};
}

std::string Names::assume_name(OpId op) {
  const ValueId assumed = module_.operand(op, 0);
  const auto producer = module_.producer_of(assumed);
  if (!producer) return "assume";
  const Hint below = hint(*producer, module_.value(assumed).index);
  return below.kind == Hint::Kind::none ? "assume" : fmt::format("assume_{}", below.name);
}

std::string Names::constant_name(OpId op) const {
  const auto constant = static_cast<ir::ConstantId>(*module_.word(op, "value"));
  const Elements elements = literals_.elements(constant, module_.value(module_.result(op, 0)).type);
  if (elements.kind == ir::TypeKind::i1) {
    return !elements.splat() ? "cst_i1" : elements.bits.front() != 0 ? "true" : "false";
  }
  std::string name = "cst";
  if (elements.splat()) {
    const std::uint64_t bits = elements.bits.front();
    if (ir::is_integer(elements.kind)) {
      name += fmt::format("_{}", sign_extended(elements.kind, bits));
    } else {
      const DecodedFloat value = decode_float(elements.kind, bits);
      if (value.kind == DecodedFloat::Class::nan) name += "_NaN";
      if (const auto whole = as_unsigned(value)) name += fmt::format("_{}", *whole);
    }
  }
  return fmt::format("{}_{}", name, ir::keyword(elements.kind));
}

}  // namespace tileport::text
