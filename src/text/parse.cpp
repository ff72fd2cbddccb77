// SPDX-License-Identifier: Apache-2.0
//   text     := (item | alias | wrapper | "module" [symbol] ["attributes" dictionary] "{" … "}")*
//   wrapper  := "cuda_tile.module" symbol ["attributes" dictionary] "{" item* "}" ["loc(" … ")"]
//   item     := entry | global | the generic form of either
//   entry    := ("entry" | "testing$func") symbol arguments ["->" types] ["optimization_hints=" hints]
//               body [dictionary] ["loc(" … ")"]
//   global   := "global" ["public" | "private"] ["constant"] symbol ["alignment" "=" number] dense ":" type
//   alias    := "#" name "=" value | "!" name "=" type
//
// Aliases may stand behind their uses, so they are read in a pass of their own, into tables that every module
// of the text starts from.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <tileport/text/parse.hpp>
#include <unordered_set>

#include "text/codes.hpp"
#include "text/parse_ops.hpp"

namespace tileport::text {
namespace {

using Kind = AttributeValue::Kind;

/// Each module starts as a copy of the aliases' tables.
constexpr std::size_t kMostModules = 1000;
constexpr std::string_view kProducer = "// Producer: ";

class ModuleParser {
 public:
  ModuleParser(std::string_view text, const ParseOptions& options)
      : options_(options),
        context_{.in = TokenStream(text, options.file)},
        types_(context_),
        attributes_(context_, types_),
        ops_(context_, types_, attributes_) {
    context_.wanted = options.version;
    prototype_.file = options.file;
    prototype_builder_.emplace(prototype_);
  }

  Result<std::vector<ir::Module>> parse() {
    TokenStream& in = context_.in;
    leave_module();
    read_aliases();
    while (!in.at_end() && !in.hopeless()) {
      const std::size_t start = in.offset();
      const std::size_t braces = in.braces();
      if (!item()) skip_to_next_item(start, braces);
    }
    end_module();
    if (!in.diagnostics().empty()) return tl::unexpected(in.take_diagnostics());
    if (done_.empty()) {
      begin_module();
      end_module();
    }
    return std::move(done_);
  }

 private:
  // ---- modules
  /// Aliases, and nothing else, go to the tables that all modules start from.
  void leave_module() {
    context_.module = &prototype_;
    context_.builder = &*prototype_builder_;
  }
  void begin_module() {
    current_ = std::make_unique<ir::Module>(prototype_);
    builder_.emplace(*current_);
    context_.module = current_.get();
    context_.builder = &*builder_;
    context_.debug_heights.resize(prototype_.debug.size());
    context_.needed = needed_by_aliases_;
    symbols_.clear();
    if (done_.empty()) read_producer();
  }
  void end_module() {
    if (!current_) return;
    settle_version();
    done_.push_back(std::move(*current_));
    current_.reset();
    builder_.reset();
    leave_module();
  }
  /// Attributes that the version does not have are absent; they say nothing, or there was an error.
  void settle_version() {
    ir::Module& module = *current_;
    constexpr ir::Version kUsual{13, 3};
    module.version = options_.version.value_or(std::max(kUsual, context_.needed));
    for (const ir::Operation& op : module.ops) {
      for (std::size_t i = 0; i < op.info->attributes.size(); ++i) {
        if (module.version < op.info->attributes[i].since)
          module.attribute_slots[op.attributes.first + i] = {};
      }
    }
  }
  /// What `print` writes as a comment.
  void read_producer() {
    std::string_view source = context_.in.source();
    if (!source.starts_with(kProducer)) return;
    source.remove_prefix(kProducer.size());
    source = source.substr(0, source.find('\n'));
    if (source.ends_with('\r')) source.remove_suffix(1);
    set_producer(source, {TokenKind::identifier, source});
  }
  void set_producer(std::string_view text, const Token& at) {
    current_->producer = builder_->string(text);
    context_.need({13, 3}, "a producer", at);
  }

  // ---- aliases
  void read_aliases();
  bool alias();
  bool at_alias() const {
    const TokenStream& in = context_.in;
    return in.token().first_on_line && (in.at(TokenKind::attribute) || in.at(TokenKind::type));
  }

  // ---- items
  bool item();
  void skip_to_next_item(std::size_t start, std::size_t braces);
  bool wrapper();
  bool builtin_module();
  bool items(const Token& start);
  bool module_attributes();
  bool contents(const Token& open);
  bool member();
  bool entry(bool kernel);
  bool add_function(const Token& at, std::string name, std::vector<ir::TypeId> inputs,
                    std::vector<ir::TypeId> results, bool kernel, std::size_t& number);
  bool global();
  bool symbol(std::string& name, Token& token);
  bool fresh(const std::string& name, const Token& token);
  bool location(std::optional<std::size_t> function);
  void argument_attributes(std::size_t function, const std::vector<AttributeValuePtr>& attributes);
  bool generic_member();
  bool generic_module();
  bool generic_builtin_module();
  bool generic_head(AttributeValue& properties);
  bool generic_tail(AttributeValue& properties);
  const AttributeValue* property(const AttributeValue& properties, std::string_view key, Kind kind,
                                 const Token& owner);
  bool generic_function(const AttributeValue& properties, bool kernel, const Token& token);
  bool generic_global(const AttributeValue& properties, const Token& token);

  ParseOptions options_;
  Context context_;
  TypeParser types_;
  AttributeParser attributes_;
  OpParser ops_;
  ir::Module prototype_;
  std::optional<ir::Builder> prototype_builder_;
  std::unique_ptr<ir::Module> current_;
  std::optional<ir::Builder> builder_;
  std::vector<ir::Module> done_;
  std::unordered_set<std::string> symbols_;
  ir::Version needed_by_aliases_{13, 1};
  std::unordered_map<std::size_t, std::size_t> alias_ends_;  ///< Offset of each alias → of what follows it.
  std::size_t depth_ = 0;
};

// ---- aliases ------------------------------------------------------------------------------------------

void ModuleParser::read_aliases() {
  TokenStream& in = context_.in;
  const std::string_view source = in.source();
  const auto begins = [&](char mark) {
    return source.starts_with(mark) || source.find(std::string{'\n', mark}) != std::string_view::npos ||
           source.find(std::string{' ', mark}) != std::string_view::npos;
  };
  if (!begins('#') && !begins('!')) return;
  in.set_quiet(true);
  while (!in.at_end()) {
    if (in.braces() == 0 && at_alias()) {
      const std::size_t offset = in.offset();
      in.set_quiet(false);
      const bool good = alias();
      in.set_quiet(true);
      while (!good && !in.at_end() && (!in.token().first_on_line || in.offset() == offset)) in.advance();
      alias_ends_[offset] = in.offset();
    } else {
      in.advance();
    }
  }
  in.set_quiet(false);
  needed_by_aliases_ = context_.needed;
  in.restart();
}

bool ModuleParser::alias() {
  TokenStream& in = context_.in;
  const Token name = in.take();
  if (!in.expect("=")) return false;
  const auto known = [&](const auto& aliases) { return aliases.contains(std::string(name.text)); };
  if (known(context_.type_aliases) || known(context_.attribute_aliases))
    return in.error(code::kAlias, fmt::format("'{}' is defined already", name.text), name);
  AttributeValue value;
  if (!attributes_.value(value)) return false;
  if (name.kind == TokenKind::type) {
    if (value.kind != Kind::type || context_.module->type(*value.type).kind == ir::TypeKind::function)
      return in.error(code::kAlias, fmt::format("'{}' must be a type of values", name.text), name);
    context_.type_aliases.emplace(name.text, *value.type);
  } else {
    context_.attribute_aliases.emplace(name.text, std::make_shared<const AttributeValue>(std::move(value)));
  }
  return true;
}

// ---- items --------------------------------------------------------------------------------------------

/// From what begins at `start` to the next thing that can stand outside of functions.
void ModuleParser::skip_to_next_item(std::size_t start, std::size_t braces) {
  TokenStream& in = context_.in;
  in.set_quiet(true);
  for (; !in.at_end(); in.advance()) {
    if (in.braces() > braces) continue;
    if (in.braces() < braces || (in.at("}") && braces > 0)) break;
    const std::string_view word = without_dialect(in.token().text);
    const bool begins = word == "entry" || word == "global" || word == "module" || word == "testing$func";
    if (begins && in.at(TokenKind::identifier) && in.token().first_on_line && in.offset() > start) break;
  }
  in.set_quiet(false);
}

bool ModuleParser::item() {
  TokenStream& in = context_.in;
  const auto ends = alias_ends_.find(in.offset());
  if (ends != alias_ends_.end()) {
    in.rewind(ends->second);
    return true;
  }
  if (in.at("module")) return builtin_module();
  if (in.at("cuda_tile.module")) return wrapper();
  if (in.at(TokenKind::string)) {
    if (in.token().text == "\"builtin.module\"") return generic_builtin_module();
    if (in.token().text == "\"cuda_tile.module\"") return generic_module();
  }
  if (!current_) begin_module();
  return member();
}

bool ModuleParser::module_attributes() {
  TokenStream& in = context_.in;
  if (!in.accept("attributes")) return true;
  AttributeValue read;
  if (!attributes_.dictionary(read)) return false;
  for (std::size_t i = 0; i < read.keys.size(); ++i) {
    if (read.keys[i] == "producer" && current_ && read.items[i]->kind == Kind::string)
      set_producer(read.items[i]->text, read.items[i]->token);
  }
  return true;
}

/// The module around modules says nothing.
bool ModuleParser::builtin_module() {
  TokenStream& in = context_.in;
  const Token start = in.take();
  if (in.at(TokenKind::symbol)) in.advance();
  return module_attributes() && items(start) && location(std::nullopt);
}

/// What stands in the braces of a module around modules.
bool ModuleParser::items(const Token& start) {
  TokenStream& in = context_.in;
  end_module();
  if (depth_ >= kDeepestAttribute) return in.error(code::kNesting, "modules are nested too deeply", start);
  if (!in.expect("{")) return false;
  if (in.at(TokenKind::block) && !(in.take(), in.expect(":"))) return false;
  ++depth_;
  const std::size_t braces = in.braces();
  while (!in.at("}") && !in.at_end() && !in.hopeless() && in.braces() >= braces) {
    const std::size_t begin = in.offset();
    if (!item()) skip_to_next_item(begin, braces);
  }
  --depth_;
  end_module();
  return in.expect("}");
}

bool ModuleParser::wrapper() {
  TokenStream& in = context_.in;
  const Token start = in.take();
  std::string name;
  Token token;
  end_module();
  if (done_.size() >= kMostModules)
    return in.error(code::kModules, fmt::format("more than {} modules are in one text", kMostModules), start);
  if (!symbol(name, token)) return false;
  begin_module();
  const Token open = in.token();
  const bool good = module_attributes() && in.expect("{") && contents(open) && location(std::nullopt);
  end_module();
  return good;
}

bool ModuleParser::contents(const Token& open) {
  TokenStream& in = context_.in;
  const std::size_t braces = in.braces();
  while (!in.at("}")) {
    if (in.hopeless()) return false;
    if (in.at_end()) {
      return in.error(code::kUnclosed,
                      fmt::format("the module that begins on line {} is not closed", in.origin(open).line),
                      in.token());
    }
    const std::size_t start = in.offset();
    if (!member()) skip_to_next_item(start, braces);
    if (in.braces() < braces) return false;
  }
  in.advance();
  return true;
}

bool ModuleParser::member() {
  TokenStream& in = context_.in;
  const std::string_view word = without_dialect(in.token().text);
  if (in.at(TokenKind::string)) return generic_member();
  if (in.at(TokenKind::identifier)) {
    if (word == "entry") return entry(true);
    if (word == "testing$func") return entry(false);
    if (word == "global") return global();
  }
  return in.expected("'entry', 'global' or 'cuda_tile.module'");
}

bool ModuleParser::symbol(std::string& name, Token& token) {
  TokenStream& in = context_.in;
  if (!in.expect(TokenKind::symbol, "a symbol", token)) return false;
  const auto content = unescaped(token.text);
  if (!content) return in.error(code::kString, "a symbol has an escape that does not exist", token);
  name = *content;
  return true;
}

bool ModuleParser::fresh(const std::string& name, const Token& token) {
  if (symbols_.insert(name).second) return true;
  return context_.in.error(code::kRedefined, fmt::format("@{} is defined already", name), token);
}

bool ModuleParser::location(std::optional<std::size_t> function) {
  if (!context_.in.at("loc")) return true;
  ir::DebugId place{};
  if (!attributes_.location(place)) return false;
  if (function) context_.module->functions[*function].location = place;
  return true;
}

void ModuleParser::argument_attributes(std::size_t function,
                                       const std::vector<AttributeValuePtr>& attributes) {
  const bool any = std::ranges::any_of(attributes, [](const auto& each) { return !each->keys.empty(); });
  if (!any) return;
  std::vector<ir::AttributeId> items;
  for (const AttributeValuePtr& each : attributes) {
    if (!attributes_.encode(*each, ir::TypeKind::i64, items.emplace_back())) return;
  }
  context_.need({13, 5}, "an attribute of an argument", attributes.front()->token);
  context_.module->functions[function].argument_attributes = context_.builder->array(std::move(items));
}

bool ModuleParser::add_function(const Token& at, std::string name, std::vector<ir::TypeId> inputs,
                                std::vector<ir::TypeId> results, bool kernel, std::size_t& number) {
  if (!fresh(name, at)) return false;
  number = context_.builder->kernel(name, inputs);
  ir::Function& function = context_.module->functions[number];
  function.is_kernel = kernel;
  if (!results.empty())
    function.type = context_.builder->function_type(std::move(inputs), std::move(results));
  return true;
}

bool ModuleParser::entry(bool kernel) {
  TokenStream& in = context_.in;
  in.advance();
  std::string name;
  Token token;
  std::vector<OpParser::Argument> arguments;
  std::vector<AttributeValuePtr> attributes;
  std::vector<ir::TypeId> inputs;
  std::vector<ir::TypeId> results;
  if (!symbol(name, token) || !ops_.arguments(arguments, &attributes)) return false;
  if (in.accept("->") && !types_.results(results)) return false;
  for (const OpParser::Argument& argument : arguments) inputs.push_back(argument.type);
  std::size_t number = 0;
  if (!add_function(token, std::move(name), std::move(inputs), std::move(results), kernel, number))
    return false;
  argument_attributes(number, attributes);
  if (in.accept("optimization_hints")) {
    ir::AttributeId hints{};
    if (!in.expect("=") || !attributes_.hints(hints)) return false;
    if (!context_.module->attribute(hints).keys.empty()) context_.module->functions[number].hints = hints;
  }
  // Marks for passes, which MLIR may drop at any time.
  AttributeValue discardable;
  return ops_.function_body(context_.module->functions[number].body, arguments) &&
         (!in.at("{") || attributes_.dictionary(discardable)) && location(number);
}

bool ModuleParser::global() {
  TokenStream& in = context_.in;
  const Token start = in.take();
  ir::Global made;
  if (in.at("private") || in.at("public")) made.is_private = in.take().text == "private";
  made.is_constant = in.accept("constant");
  std::string name;
  Token token;
  if (!symbol(name, token) || !fresh(name, token)) return false;
  if (in.accept("alignment")) {
    std::int64_t alignment = 0;
    if (!in.expect("=") || !types_.integer(alignment)) return false;
    made.alignment = static_cast<std::uint64_t>(alignment);
  }
  DenseLiteral literal;
  if (!attributes_.dense(literal) || !in.expect(":") || !types_.parse(made.type) ||
      !attributes_.constant(literal, made.type, made.value)) {
    return false;
  }
  made.name = context_.builder->string(name);
  context_.module->globals.push_back(made);
  if (made.is_private || made.is_constant) context_.need({13, 3}, "a private or constant global", start);
  return location(std::nullopt);
}

// ---- the generic form ---------------------------------------------------------------------------------

/// "() <{...}>" behind the name.
bool ModuleParser::generic_head(AttributeValue& properties) {
  TokenStream& in = context_.in;
  in.advance();
  return in.expect("(") && in.expect(")") &&
         (!in.accept("<") || (attributes_.dictionary(properties) && in.expect(">")));
}

/// "{...} : () -> () loc(...)" behind the regions. What the dictionary says joins the properties.
bool ModuleParser::generic_tail(AttributeValue& properties) {
  TokenStream& in = context_.in;
  AttributeValue more;
  if (in.at("{") && !attributes_.dictionary(more)) return false;
  properties.keys.insert(properties.keys.end(), more.keys.begin(), more.keys.end());
  properties.items.insert(properties.items.end(), more.items.begin(), more.items.end());
  for (std::string_view word : {":", "(", ")", "->", "(", ")"}) {
    if (!in.expect(word)) return false;
  }
  return true;
}

const AttributeValue* ModuleParser::property(const AttributeValue& properties, std::string_view key,
                                             Kind kind, const Token& owner) {
  const auto found = std::ranges::find(properties.keys, key);
  if (found != properties.keys.end()) {
    const AttributeValue& value =
        *properties.items[static_cast<std::size_t>(found - properties.keys.begin())];
    if (value.kind == kind) return &value;
  }
  context_.in.error(code::kMissing, fmt::format("{} needs '{}', {}", owner.text, key, description(kind)),
                    owner);
  return nullptr;
}

bool ModuleParser::generic_builtin_module() {
  const Token start = context_.in.token();
  AttributeValue properties;
  return generic_head(properties) && context_.in.expect("(") && items(start) && context_.in.expect(")") &&
         generic_tail(properties) && location(std::nullopt);
}

bool ModuleParser::generic_module() {
  TokenStream& in = context_.in;
  AttributeValue properties;
  end_module();
  if (!generic_head(properties)) return false;
  begin_module();
  bool good = in.expect("(");
  const Token open = in.token();
  good = good && in.expect("{") && (!in.at(TokenKind::block) || (in.take(), in.expect(":"))) &&
         contents(open) && in.expect(")") && generic_tail(properties) && location(std::nullopt);
  const auto producer = std::ranges::find(properties.keys, "producer");
  if (good && producer != properties.keys.end()) {
    const AttributeValue& text =
        *properties.items[static_cast<std::size_t>(producer - properties.keys.begin())];
    set_producer(text.text, text.token);
  }
  end_module();
  return good;
}

bool ModuleParser::generic_member() {
  const Token token = context_.in.token();
  const std::string_view name = token.text.substr(1, token.text.size() - 2);
  AttributeValue properties;
  const bool function = name == "cuda_tile.entry" || name == "cuda_tile.testing$func";
  if (!function && name != "cuda_tile.global")
    return context_.in.expected("'entry', 'global' or 'cuda_tile.module'");
  if (!generic_head(properties)) return false;
  if (function) return generic_function(properties, name == "cuda_tile.entry", token);
  return generic_tail(properties) && generic_global(properties, token) && location(std::nullopt);
}

bool ModuleParser::generic_function(const AttributeValue& properties, bool kernel, const Token& token) {
  TokenStream& in = context_.in;
  const AttributeValue* name = property(properties, "sym_name", Kind::string, token);
  const AttributeValue* type = name ? property(properties, "function_type", Kind::type, token) : nullptr;
  if (!type) return false;
  const ir::Type signature = context_.module->type(*type->type);
  if (signature.kind != ir::TypeKind::function)
    return in.error(code::kAttribute, "'function_type' must be the type of a function", type->token);
  std::size_t number = 0;
  if (!add_function(token, name->text, signature.inputs, signature.results, kernel, number)) return false;
  for (std::size_t i = 0; i < properties.keys.size(); ++i) {
    const AttributeValue& value = *properties.items[i];
    if (properties.keys[i] == "arg_attrs" && value.kind == Kind::array)
      argument_attributes(number, value.items);
    if (properties.keys[i] == "optimization_hints" && value.kind == Kind::encoded &&
        !context_.module->attribute(value.attribute).keys.empty()) {
      context_.module->functions[number].hints = value.attribute;
    }
  }
  AttributeValue rest;
  return in.expect("(") && ops_.generic_function_body(context_.module->functions[number].body) &&
         in.expect(")") && generic_tail(rest) && location(number);
}

bool ModuleParser::generic_global(const AttributeValue& properties, const Token& token) {
  const AttributeValue* name = property(properties, "sym_name", Kind::string, token);
  const AttributeValue* value = name ? property(properties, "value", Kind::dense, token) : nullptr;
  ir::Global made;
  if (!value || !fresh(name->text, token) || !attributes_.constant(value->dense, *value->type, made.value))
    return false;
  made.name = context_.builder->string(name->text);
  made.type = *value->type;
  for (std::size_t i = 0; i < properties.keys.size(); ++i) {
    const AttributeValue& extra = *properties.items[i];
    if (properties.keys[i] == "constant") made.is_constant = extra.kind == Kind::unit || extra.flag;
    if (properties.keys[i] == "symbol_visibility") made.is_private = extra.word == "private";
    const ir::AttributeInfo alignment{.name = "alignment", .encoding = ir::Encoding::integer};
    if (properties.keys[i] == "alignment" &&
        !attributes_.convert(alignment, extra, std::nullopt, made.alignment)) {
      return false;
    }
  }
  context_.module->globals.push_back(made);
  if (made.is_private || made.is_constant) context_.need({13, 3}, "a private or constant global", token);
  return true;
}

}  // namespace

Result<std::vector<ir::Module>> parse_modules(std::string_view text, const ParseOptions& options) {
  if (text.size() > kLongestText) {
    return fail({.code = std::string(code::kTooLong),
                 .message = fmt::format("the text has {} bytes; {} are the most", text.size(), kLongestText),
                 .place = {.file = options.file}});
  }
  return ModuleParser(text, options).parse();
}

Result<ir::Module> parse(std::string_view text, const ParseOptions& options) {
  auto modules = parse_modules(text, options);
  if (!modules) return tl::unexpected(std::move(modules.error()));
  if (modules->size() == 1) return std::move(modules->front());
  return fail({.code = std::string(code::kModules),
               .message = fmt::format("the text has {} modules", modules->size()),
               .place = {.file = options.file},
               .advice = "Put each into a file of its own."});
}

Result<ir::TypeId> parse_type(std::string_view text, ir::Builder& builder) {
  Context context{.in = TokenStream(text, {}), .module = &builder.module(), .builder = &builder};
  ir::TypeId type{};
  if (TypeParser(context).parse(type) && !context.in.at_end()) context.in.expected("the end of the type");
  if (!context.in.diagnostics().empty()) return tl::unexpected(context.in.take_diagnostics());
  return type;
}

Result<ir::Module> parse_file(const std::string& path, ParseOptions options) {
  if (options.file.empty()) options.file = path;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || file.bad()) {
    return fail({.code = std::string(code::kUnreadable),
                 .message = "the file can't be read",
                 .place = {.file = options.file}});
  }
  return parse(text, options);
}

}  // namespace tileport::text
