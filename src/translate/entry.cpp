// SPDX-License-Identifier: Apache-2.0
#include "translate/entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <tuple>

#include "translate/codes.hpp"
#include "translate/declarations.hpp"
#include "translate/handlers.hpp"
#include "translate/hints.hpp"
#include "translate/padding.hpp"
#include "translate/rust_types.hpp"
#include "translate/splat.hpp"

namespace tileport::translate {
namespace {

// What the launcher takes that cutile's macro generates.
constexpr std::uint32_t kMostLauncherArguments = 64;

// What the functions `divisible` and `aligned` know.
constexpr std::uint64_t kLargestDivisor = 16;

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

/// The names of the file that a location speaks of: the key that is the recorded path or the longest tail of
/// it.
const std::map<std::pair<std::uint32_t, std::uint32_t>, std::string>* find_file(const SourceNames& names,
                                                                                std::string_view file) {
  const std::map<std::pair<std::uint32_t, std::uint32_t>, std::string>* found = nullptr;
  std::size_t length = 0;
  for (const auto& [key, positions] : names) {
    const bool matches =
        file == key || (!key.empty() && file.ends_with(key) && file[file.size() - key.size() - 1] == '/');
    if (matches && key.size() > length) {
      found = &positions;
      length = key.size();
    }
  }
  return found;
}

}  // namespace

Entry::Entry(const ir::Module& module, const ir::Function& function, Signature signature,
             const Options& options, Literals literals)
    : module_(module),
      function_(function),
      signature_(signature),
      options_(options),
      literals_(std::move(literals)),
      types_(module, literals_),
      variables_(module.values.size()),
      stems_(module.values.size()),
      uses_(module.values.size()),
      statements_(module.ops.size()) {}

void Entry::translate() {
  if (!module_.globals.empty()) {
    refuse_entry(code::kGlobal,
                 "the module has global data, and cutile 0.5.0 has only atomic scalars of its own");
  }
  read_uses();
  read_paddings();
  read_divisors();
  read_names(function_.body);
  if (!write_signature()) return;
  frames_.push_back({Frame::Kind::function, {}, {}, {}});
  translate_block(function_.body);
  frames_.pop_back();
  out_.close();
}

void Entry::read_uses() {
  ir::walk(module_, function_.body, [&](ir::OpId op) {
    for (ir::ValueId value : module_.operands(op)) ++uses_[ir::index(value)];
  });
}

// A padded load takes a scalar and spreads it itself; the ops that do so in the reference are then left out
// unless something else needs them.
void Entry::read_paddings() {
  std::map<ir::OpId, unsigned> paddings;
  ir::walk(module_, function_.body, [&](ir::OpId op) {
    if (!module_.op(op).info->is("load_ptr_tko")) return;
    for (ir::ValueId padding : module_.operands(op, "paddingValue")) {
      const auto scalar = padding_scalar(module_, padding);
      if (scalar && *scalar != padding) ++paddings[*module_.producer_of(padding)];
    }
  });
  std::map<ir::OpId, unsigned> spreads;
  const auto absorb_if = [&](ir::OpId op, unsigned users) {
    if (uses(module_.result(op, 0)) != users) return;
    absorbed_.insert(op);
    if (!module_.op(op).info->is("broadcast")) return;
    if (const auto source = module_.producer_of(module_.operand(op, 0))) ++spreads[*source];
  };
  for (const auto& [broadcast, users] : paddings) absorb_if(broadcast, users);
  for (const auto& [reshape, users] : std::map(std::move(spreads))) absorb_if(reshape, users);
}

// A Python expression lowers to several ops at one location; the last of them makes its value. Promises are
// about a value that has its name already, and loops and tokens have no expression.
void Entry::read_names(ir::BlockId block) {
  using Position = std::tuple<std::string_view, std::uint32_t, std::uint32_t>;
  std::map<Position, ir::OpId> last;
  for (ir::OpId op : module_.block(block).ops) {
    const ir::Operation& operation = module_.op(op);
    const bool value = operation.results.count != 0 && operation.regions.count == 0 &&
                       module_.type_of(module_.result(op, 0)).kind != ir::TypeKind::token;
    const bool reduction = operation.info->is("reduce") || operation.info->is("scan");
    if ((value || reduction) && !has(operation.info->traits, ir::Trait::promises)) {
      const ir::SourceLocation location = module_.source(operation.location);
      last[{location.file, location.line, location.column}] = op;
    }
    for (std::uint32_t r = 0; r < operation.regions.count; ++r) {
      if (const auto inner = module_.body(op, r)) read_names(*inner);
    }
  }
  for (const auto& [position, op] : last) {
    if (std::string name = python_name(op); !name.empty())
      result_names_.emplace(ir::index(op), std::move(name));
  }
}

std::string Entry::python_name(ir::OpId op) const {
  const ir::SourceLocation location = module_.source(module_.op(op).location);
  if (location.line == 0) return {};
  const auto* positions = find_file(options_.names, location.file);
  if (!positions) return {};
  const auto found = positions->find({location.line, location.column});
  return found == positions->end() ? std::string() : found->second;
}

std::string Entry::result_name(ir::OpId op) const {
  const auto found = result_names_.find(ir::index(op));
  return found == result_names_.end() ? std::string() : found->second;
}

ir::TypeKind Entry::element(ir::ValueId value) const {
  const ir::Type& tile = type(value);
  assert(tile.kind == ir::TypeKind::tile && "only tiles have elements");
  return module_.type(tile.element).kind;
}

std::string Entry::name(ir::ValueId value) {
  if (const auto constant_bits = constants_.find(ir::index(value)); constant_bits != constants_.end()) {
    return constant(*splat(*this, element(value), constant_bits->second, type(value).shape));
  }
  const std::string& variable = variables_[ir::index(value)];
  assert(!variable.empty() && "a value is used before a variable holds it");
  return variable;
}

std::vector<std::string> Entry::names(std::span<const ir::ValueId> values) {
  std::vector<std::string> all;
  for (ir::ValueId value : values) all.push_back(name(value));
  return all;
}

void Entry::hold(ir::ValueId value, std::string variable, std::string stem) {
  variables_[ir::index(value)] = std::move(variable);
  stems_[ir::index(value)] = std::move(stem);
  visible_.push_back(value);
}

void Entry::hold_constant(ir::ValueId value, std::uint64_t bits) {
  constants_[ir::index(value)] = bits;
  stems_[ir::index(value)] = fmt::format("const_{}", ir::keyword(element(value)));
  // So that it counts as defined.
  variables_[ir::index(value)] = "constant";
}

// With marks every use writes its own: whether two uses share a constant is no structure.
std::string Entry::constant(const Splat& splat) {
  if (literals_.marks()) return write(*this, splat);
  const std::string key = splat.key();
  for (const auto& [known, variable] : written_constants_) {
    if (known == key) return variable;
  }
  std::string variable = write(*this, splat);
  written_constants_.emplace_back(key, variable);
  return variable;
}

void Entry::define(ir::ValueId value, std::string_view role, const Expression& expression) {
  const std::string variable = names_.claim(role);
  const ir::TypeId type = module_.value(value).type;
  if (types_.has(type)) out_.let(variable, types_.write(type), expression);
  hold(value, variable, std::string(role));
}

void Entry::define(OpReader& op, std::string_view role, const Expression& expression) {
  const std::string python = result_name(op.id());
  define(op.result(), python.empty() ? role : python, expression);
}

void Entry::define_with_token(OpReader& op, std::string_view role, const Expression& expression) {
  const std::string python = result_name(op.id());
  const std::string stem = python.empty() ? std::string(role) : python;
  const std::string tile = names_.claim(stem);
  const std::string token = claim_token(op.result(1));
  if (types_.has(op.result_type())) {
    out_.let(fmt::format("({}, {})", tile, token), fmt::format("({}, Token)", types_.write(op.result_type())),
             expression);
  }
  hold(op.result(0), tile, stem);
}

void Entry::define_token(OpReader& op, const Expression& expression) {
  out_.let(claim_token(op.result()), "Token", expression);
}

std::string Entry::claim_token(ir::ValueId token) {
  if (uses(token) == 0) {
    variables_[ir::index(token)] = "_";
    return "_";
  }
  std::string variable = names_.claim("token");
  hold(token, variable, "token");
  return variable;
}

std::string Entry::bind(std::string_view wish, std::string_view type, const Expression& expression) {
  std::string variable = names_.claim(wish);
  out_.let(variable, type, expression);
  return variable;
}

std::string Entry::as_unsigned(ir::ValueId value) {
  const ir::TypeKind kind = element(value);
  if (kind == ir::TypeKind::i1) return name(value);
  return bind(stem(value) + "_unsigned", types_.tile(unsigned_name(kind), type(value).shape),
              call("bitcast", {name(value)}));
}

std::string Entry::scalar(std::string_view wish, ir::ValueId value) {
  return bind(wish, element_name(element(value)), call("tile_to_scalar", {name(value)}));
}

std::string Entry::any_token() {
  for (auto value = visible_.rbegin(); value != visible_.rend(); ++value) {
    if (type(*value).kind == ir::TypeKind::token) return name(*value);
  }
  return bind("token", "Token", call("new_token_unordered", {}));
}

std::optional<std::string> Entry::variable_of_type(ir::TypeId wanted) {
  for (auto value = visible_.rbegin(); value != visible_.rend(); ++value) {
    if (module_.value(*value).type == wanted) return name(*value);
  }
  return std::nullopt;
}

const Frame* Entry::innermost_loop() const {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (frame->kind == Frame::Kind::for_loop || frame->kind == Frame::Kind::loop) return &*frame;
  }
  return nullptr;
}

void Entry::refuse(ir::OpId op, std::string_view code, std::string message, std::string advice) {
  refuse_at(module_.op(op).location, module_.access_path(op), code, std::move(message), std::move(advice));
}

void Entry::refuse_entry(std::string_view code, std::string message, std::string advice) {
  refuse_at(function_.location, "@" + module_.string(function_.name), code, std::move(message),
            std::move(advice));
}

// One reason is told once, for the first op that has it.
void Entry::refuse_at(ir::DebugId where, std::string path, std::string_view code, std::string message,
                      std::string advice) {
  for (const Diagnostic& told : diagnostics_) {
    if (told.code == code && told.message == message) return;
  }
  Diagnostic diagnostic{std::string(code), Severity::error, std::move(message), {}, std::move(advice)};
  const ir::SourceLocation location = module_.source(where);
  diagnostic.place.file = location.file;
  diagnostic.place.line = location.line;
  diagnostic.place.column = location.line == 0 ? 0 : location.column + 1;
  diagnostic.place.path = std::move(path);
  diagnostics_.push_back(std::move(diagnostic));
}

void Entry::comment(ir::OpId op) {
  const ir::SourceLocation location = module_.source(module_.op(op).location);
  if (location.line == 0) return;
  std::string here = fmt::format("// {}:{}", base_name(location.file), location.line);
  if (here == last_comment_) return;
  out_.line(here);
  last_comment_ = std::move(here);
}

void Entry::translate_op(ir::OpId id) {
  OpReader op(module_, id);
  const std::size_t before = out_.str().size();
  const std::size_t refused = diagnostics_.size();
  bool types_known = true;
  for (std::size_t i = 0; i < op.results(); ++i) {
    if (types_.has(op.result_type(i))) continue;
    types_known = false;
    refuse(id, code::kType, fmt::format("cuTile Rust has no type for result {} of {}", i, op.mnemonic()),
           "see docs/limits.md for the types that can be written");
  }
  const Handler* handler = find_handler(op.mnemonic());
  if (!handler) {
    refuse(id, code::kNoHandler, fmt::format("{} can't be expressed: {}", op.mnemonic(), gap(op.mnemonic())));
  } else if (types_known) {
    handler->translate(*this, op);
    if (std::string unread = op.unread(); !unread.empty()) {
      refuse(id, code::kUnread, fmt::format("{} of {} has no translation", unread, op.mnemonic()));
    }
  }
  if (diagnostics_.size() == refused) {
    std::string written = out_.str().substr(before);
    const std::size_t opened = module_.op(id).regions.count != 0 ? written.find("{\n") : std::string::npos;
    if (opened != std::string::npos) written.resize(opened + 1);
    statements_[ir::index(id)] = std::move(written);
  }
  // After a refusal the rest is still looked at, so that all reasons are told at once.
  for (std::size_t i = 0; i < op.results(); ++i) {
    if (variables_[ir::index(op.result(i))].empty()) hold(op.result(i), "refused", "refused");
  }
}

void Entry::translate_block(ir::BlockId block) {
  const std::size_t scope = visible_.size();
  const std::size_t constants = written_constants_.size();
  cursors_.push_back({block, 0});
  translate_rest();
  cursors_.pop_back();
  visible_.resize(scope);
  written_constants_.resize(constants);
}

void Entry::translate_rest() {
  const std::size_t depth = cursors_.size() - 1;
  const auto& ops = module_.block(cursors_[depth].block).ops;
  while (cursors_[depth].next < ops.size()) {
    const ir::OpId op = ops[cursors_[depth].next++];
    if (absorbed_.contains(op)) continue;
    const bool implied =
        has(module_.op(op).info->traits, ir::Trait::terminator) || module_.op(op).info->is("constant");
    if (!implied) comment(op);
    translate_op(op);
  }
}

// cutile's compiler knows an entry by the last part of the attribute's path, its macro generates a launcher
// for `cutile::entry` only. An entry that has too many arguments for the launcher has an attribute of a
// tool's namespace, which rustc leaves alone; tileport launches entries without that launcher.
std::string_view Entry::entry_path() const {
  const auto arguments = module_.block(function_.body).arguments.count;
  return arguments > kMostLauncherArguments ? "rust_analyzer::entry" : "cutile::entry";
}

std::map<std::string, std::int32_t> Entry::instance_hints() const {
  if (!function_.hints) return {};
  return default_hints(module_, module_.attribute(*function_.hints))
      .value_or(std::map<std::string, std::int32_t>{});
}

std::string Entry::entry_attribute() {
  const bool of_instance = signature_.variant ? signature_.variant->has_hints_by_instance : literals_.marks();
  if (!function_.hints || (of_instance && !instance_hints().empty()))
    return fmt::format("#[{}()]", entry_path());
  auto hints = entry_hints(module_, module_.attribute(*function_.hints));
  if (!hints) {
    refuse_entry(code::kHint, hints.error());
    return {};
  }
  return hints->empty() ? fmt::format("#[{}()]", entry_path())
                        : fmt::format("#[{}(optimization_hints = ({}))]", entry_path(), *hints);
}

bool Entry::write_signature() {
  const auto argument_count = module_.block(function_.body).arguments.count;
  if (function_.argument_attributes) {
    const ir::Attribute& all = module_.attribute(*function_.argument_attributes);
    const bool empty = std::ranges::all_of(
        all.items, [&](ir::AttributeId item) { return module_.attribute(item).items.empty(); });
    if (!empty) refuse_entry(code::kSignature, "cuTile Rust can't give attributes to an entry's arguments");
  }
  std::vector<std::string> parameters;
  std::vector<std::string> variables;
  if (signature_.variant) {
    for (const Generic& each : signature_.variant->generics) names_.claim(each.name);
  }
  for (std::uint32_t i = 0; i < argument_count; ++i) {
    const ir::ValueId argument = module_.argument(function_.body, i);
    const std::string wish =
        signature_.argument_names.empty() ? fmt::format("arg{}", i) : signature_.argument_names[i];
    const auto type = types_.parameter(module_.value(argument).type, wish);
    if (!type) {
      refuse_entry(code::kSignature, fmt::format("cuTile Rust has no parameter type for argument {}", i));
      return false;
    }
    variables.push_back(names_.claim(wish));
    stems_[ir::index(argument)] = wish;
    parameters.push_back(fmt::format("{}: {}", variables.back(), *type));
  }
  write_documentation();
  if (argument_count > kMostLauncherArguments) {
    out_.line("/// Not `cutile::entry`: the launcher that its macro would add takes 64 arguments at most.");
  }
  if (const std::string attribute = entry_attribute(); !attribute.empty()) out_.line(attribute);
  std::vector<std::string> generics;
  if (signature_.variant) {
    for (const Generic& each : signature_.variant->generics) {
      generics.push_back(each.is_type ? each.name + ": ElementType"
                                      : fmt::format("const {}: i32", each.name));
    }
  }
  out_.open_function(fmt::format("pub unsafe fn {}", signature_.variant ? signature_.variant->name : "f"),
                     generics, parameters);
  for (std::uint32_t i = 0; i < argument_count; ++i) {
    const ir::ValueId argument = module_.argument(function_.body, i);
    if (uses(argument) == 0) continue;
    const bool pointer = element(argument) == ir::TypeKind::pointer;
    define(argument, std::string(stem(argument)),
           call(pointer ? "pointer_to_tile" : "scalar_to_tile", {variables[i]}));
  }
  for (std::uint32_t i = 0; i < argument_count; ++i) write_divisor(module_.argument(function_.body, i));
  return true;
}

void Entry::write_documentation() {
  if (!signature_.variant) return;
  const Variant& variant = *signature_.variant;
  if (variant.instances.size() == 1) {
    out_.line(fmt::format("/// Tile IR entry `{}`.", module_.string(function_.name)));
    return;
  }
  out_.line(fmt::format("/// `{}`: {} specializations.", variant.kernel, variant.instances.size()));
  if (variant.generics.empty()) return;
  out_.line("///");
  for (const Generic& each : variant.generics) {
    if (each.derivation) {
      out_.line(fmt::format("/// * `{}`: the constant `{}`", each.name, each.derivation->text()));
    } else if (each.refuted) {
      out_.line(fmt::format("/// * `{}`: `{}` where it was captured, but not everywhere", each.name,
                            each.refuted->text()));
    } else if (!each.is_type) {
      out_.line(fmt::format("/// * `{}`: 1 if nothing is known to divide the argument", each.name));
    }
  }
}

// cuTile Python says what divides an argument where the kernel begins, and again where its bounds are known.
// Where nothing is known it says nothing; here that is a divisor of 1, so that what is known makes no
// structure.
void Entry::read_divisors() {
  ir::walk(module_, function_.body, [&](ir::OpId op) {
    if (!module_.op(op).info->is("assume")) return;
    const ir::Attribute* predicate = module_.tagged(op, "predicate");
    const bool plain = predicate && predicate->kind == ir::Attribute::Kind::div_by && !predicate->first &&
                       !predicate->second && predicate->bits > 1 && std::has_single_bit(predicate->bits) &&
                       predicate->bits <= kLargestDivisor;
    const ir::ValueId value = module_.operand(op, 0);
    if (plain && uses(value) == 1) divisors_.emplace(ir::index(value), op);
  });
}

void Entry::write_divisor(ir::ValueId value) {
  const ir::TypeKind kind = element(value);
  const bool divisible =
      kind == ir::TypeKind::pointer || kind == ir::TypeKind::i32 || kind == ir::TypeKind::i64;
  if (uses(value) == 0 || !divisible || !type(value).shape.empty()) return;
  const auto promise = divisors_.find(ir::index(value));
  const bool promised = promise != divisors_.end();
  const ir::ValueId result = promised ? module_.result(promise->second, 0) : value;
  const std::int64_t number =
      promised ? static_cast<std::int64_t>(module_.tagged(promise->second, "predicate")->bits) : 1;
  const std::string role = stem(value);
  const bool is_pointer = kind == ir::TypeKind::pointer;
  const std::string of =
      types_.element(is_pointer ? module_.type(module_.type(type(value).element).element).kind : kind);
  const auto divisor = literals_.next({Literal::Kind::divisor, {}, number, role});
  if (promised) absorbed_.insert(promise->second);
  if (divisor.is_generic) {
    const std::string function = declared(*this, is_pointer ? Need::aligned : Need::divisible);
    define(result, role, call(fmt::format("{}::<{}, {}>", function, of, divisor.text), {name(value)}));
  } else if (divisor.text == "1") {
    // The type is written for the marks' sake only: with them there is a statement.
    types_.write(module_.value(result).type);
    hold(result, name(value), role);
  } else {
    define(result, role, call("assume_div_by_raw", {name(value), divisor.text, "None", "None"}));
  }
}

}  // namespace tileport::translate
