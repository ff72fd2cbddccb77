// SPDX-License-Identifier: Apache-2.0
// Conversions between element types.
#include <fmt/format.h>

#include "translate/codes.hpp"
#include "translate/declarations.hpp"
#include "translate/handlers.hpp"
#include "translate/rust_types.hpp"
#include "translate/selectors.hpp"

namespace tileport::translate {
namespace {

std::string operand_stem(Entry& entry, OpReader& op) { return entry.stem(op.all_operands().front()); }

void refuse_sign(Entry& entry, OpReader& op, ir::TypeKind kind, bool is_signed) {
  entry.refuse(op.id(), code::kType,
               fmt::format("{} of {} {} can't be expressed: cuTile Rust has no such element type",
                           op.mnemonic(), is_signed ? "signed" : "unsigned", ir::keyword(kind)));
}

/// The operand, through a bitcast if the op takes it as unsigned; empty if that can't be expressed.
std::string integer_operand(Entry& entry, OpReader& op) {
  const ir::ValueId source = op.operand("from");
  const ir::TypeKind kind = entry.element(source);
  const bool is_signed = op.enumerator("signedness") == "signed";
  if (!has_sign(kind, is_signed)) {
    refuse_sign(entry, op, kind, is_signed);
    return {};
  }
  return is_signed ? entry.name(source) : entry.as_unsigned(source);
}

void extend(Entry& entry, OpReader& op) {
  if (std::string source = integer_operand(entry, op); !source.empty()) {
    entry.define(op, operand_stem(entry, op), call("exti", {source}));
  }
}

void integer_to_float(Entry& entry, OpReader& op) {
  const std::string mode = rounding(op.enumerator("rounding_mode"));
  if (std::string source = integer_operand(entry, op); !source.empty()) {
    entry.define(op, operand_stem(entry, op), call("itof", {source, mode}));
  }
}

void float_to_integer(Entry& entry, OpReader& op) {
  const std::string_view mode = op.enumerator("rounding_mode");
  const bool is_signed = op.enumerator("signedness") == "signed";
  const std::string source = entry.name(op.operand("from"));
  const ir::TypeKind kind = entry.element(op.result());
  const std::string stem = operand_stem(entry, op);
  Expression conversion = call("ftoi", {source, rounding(mode)});
  if (op.flag("saturating")) {
    if (mode != "nearest_int_to_zero") {
      entry.refuse(op.id(), code::kValue, "saturating ftoi has no rounding mode in cuTile Rust");
    }
    conversion = call("ftoi_saturating", {source, "saturating::Enabled"});
  }
  if (!has_sign(kind, is_signed)) {
    refuse_sign(entry, op, kind, is_signed);
  } else if (is_signed || kind == ir::TypeKind::i1) {
    entry.define(op, stem, conversion);
  } else {
    const std::string raw =
        entry.bind(stem + "_unsigned", entry.types().tile(unsigned_name(kind), entry.type(op.result()).shape),
                   conversion);
    entry.define(op, stem, call("bitcast", {raw}));
  }
}

void truncate(Entry& entry, OpReader& op) {
  const std::string_view mode = op.enumerator("overflow");
  const ir::ValueId source = op.operand("from");
  const std::string stem = operand_stem(entry, op);
  if (mode == "none") {
    entry.define(op, stem, call(declared(entry, Need::wrapping_truncation), {entry.name(source)}));
  } else {
    entry.define(op, stem, call("trunci", {entry.name(source), overflow(mode)}));
  }
}

void float_to_float(Entry& entry, OpReader& op) {
  const std::string mode = rounding(op.enumerator("rounding_mode"));
  entry.define(op, operand_stem(entry, op), call("ftof", {entry.name(op.operand("from")), mode}));
}

void same_bits(Entry& entry, OpReader& op) {
  entry.define(op, operand_stem(entry, op), call(std::string(op.mnemonic()), entry.names(op.all_operands())));
}

void pointer_to_integer(Entry& entry, OpReader& op) {
  entry.define(op, operand_stem(entry, op) + "_address",
               call(declared(entry, Need::pointer_address), {entry.name(op.operand("source"))}));
}

constexpr Handler kHandlers[] = {
    {"bitcast", same_bits},     {"exti", extend},
    {"trunci", truncate},       {"ftof", float_to_float},
    {"ftoi", float_to_integer}, {"itof", integer_to_float},
    {"int_to_ptr", same_bits},  {"ptr_to_int", pointer_to_integer},
    {"ptr_to_ptr", same_bits},  {"pack", same_bits},
    {"unpack", same_bits},
};

}  // namespace

std::span<const Handler> convert_handlers() { return kHandlers; }

}  // namespace tileport::translate
