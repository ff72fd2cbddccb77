// SPDX-License-Identifier: Apache-2.0
#include "bytecode/canonical.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bytecode/codes.hpp"
#include "bytecode/format.hpp"

namespace tileport::bytecode {
namespace {

using ir::Attribute;
using ir::AttributeId;
using ir::ConstantId;
using ir::DebugEntry;
using ir::DebugId;
using ir::StringId;
using ir::Type;
using ir::TypeId;

/// A table's entries by content, and where entries of the old table are in the new one.
template <class Id>
class Renumbering {
 public:
  explicit Renumbering(std::size_t old_size) : new_ids_(old_size) {}

  std::optional<Id>& of(Id old) { return new_ids_[static_cast<std::size_t>(old)]; }
  /// The entry with this content; `add` makes it if there is none.
  template <class Add>
  Id intern(std::string key, Add&& add) {
    const auto [found, fresh] = by_content_.try_emplace(std::move(key));
    if (fresh) found->second = std::forward<Add>(add)();
    return found->second;
  }

 private:
  std::vector<std::optional<Id>> new_ids_;
  std::unordered_map<std::string, Id> by_content_;
};

/// The content of a type or debug entry as bytes, for looking it up.
class Key {
 public:
  void presence(const auto& value) { add(value ? 1 : 0); }
  void presence_byte(const auto& value) { presence(value); }
  void enumerator(const auto& value, const ir::Enumeration&) { add(static_cast<std::uint64_t>(value)); }
  void type(TypeId id) { add(static_cast<std::uint64_t>(id)); }
  void string(StringId id) { add(static_cast<std::uint64_t>(id)); }
  void reference(DebugId id) { add(ir::index(id)); }
  void flags(std::uint64_t flags) { add(flags); }
  void number(auto number) { add(static_cast<std::uint64_t>(number)); }
  void list(const auto& items, std::size_t = 0) {
    add(items.size());
    for (auto item : items) add(static_cast<std::uint64_t>(item));
  }
  void add(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFF);
  }

  std::string bytes;
};

/// A constant's elements, one if all are equal.
std::string shrunk(const ir::Module& module, const std::string& bytes, const Type& tile) {
  if (tile.kind != ir::TypeKind::tile || !ir::is_element(module.type(tile.element).kind)) return bytes;
  const std::uint64_t count = ir::element_count(tile);
  const unsigned bits = ir::bit_width(module.type(tile.element).kind);
  if (bits == 1) {
    if (count == 0 || bytes.size() != (count + 7) / 8) return bytes;
    std::string packed = bytes;
    // Bits beyond the last element mean nothing.
    if (count % 8 != 0) packed.back() = static_cast<char>(packed.back() & ((1U << count % 8) - 1));
    std::string full(packed.size(), '\xFF');
    if (count % 8 != 0) full.back() = static_cast<char>((1U << count % 8) - 1);
    if (packed == full) return "\xFF";
    return std::ranges::all_of(packed, [](char c) { return c == 0; }) ? std::string(1, '\0') : packed;
  }
  const std::size_t size = (bits + 7) / 8;
  if (bytes.size() <= size || bytes.size() % size != 0) return bytes;
  // All elements are equal if the bytes are equal to themselves one element further on.
  const bool equal =
      std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(size), bytes.end(), bytes.begin());
  return equal ? bytes.substr(0, size) : bytes;
}

class Canonical {
 public:
  Canonical(const ir::Module& old, ir::Version version)
      : old_(old),
        made_(old),
        strings_(old.strings.size()),
        types_(old.types.size()),
        constants_(0),
        debug_(old.debug.size()) {
    made_.version = version;
    made_.strings.clear();
    made_.types.clear();
    made_.constants.clear();
    made_.attributes.clear();
    made_.debug.assign(1, DebugEntry{});
    for (ir::Function& function : made_.functions) function.location = DebugId{};
    for (ir::Operation& op : made_.ops) op.location = DebugId{};
  }

  ir::Module run(bool debug_info) {
    for (ir::Global& global : made_.globals) {
      global.value = constant(global.value, old_.type(global.type));
      global.name = mapped(global.name);
      global.type = mapped(global.type);
    }
    for (ir::Function& function : made_.functions) run(function);
    for (std::size_t i = 0; i < old_.functions.size() && debug_info; ++i) {
      ir::Function& function = made_.functions[i];
      function.location = mapped(old_.functions[i].location);
      ir::walk(old_, function.body,
               [&](ir::OpId op) { made_.ops[ir::index(op)].location = mapped(old_.op(op).location); });
    }
    if (made_.producer && made_.version < section_info(SectionId::producer).since) made_.producer.reset();
    if (made_.producer) made_.producer = mapped(*made_.producer);
    return std::move(made_);
  }

  // The fields of types and debug entries, called by type_fields and debug_fields.
  void presence(auto&) {}
  void presence_byte(auto&) {}
  void enumerator(auto&, const ir::Enumeration&) {}
  void number(auto&) {}
  void flags(auto&) {}
  void list(auto&, std::size_t) {}
  void list(std::vector<TypeId>& ids) {
    for (TypeId& id : ids) id = mapped(id);
  }
  void type(TypeId& id) { id = mapped(id); }
  void string(StringId& id) { id = mapped(id); }
  void reference(DebugId& id) { id = mapped(id); }

 private:
  StringId mapped(StringId id) {
    std::optional<StringId>& known = strings_.of(id);
    if (!known) {
      known = strings_.intern(old_.string(id), [&] {
        made_.strings.push_back(old_.string(id));
        return StringId{static_cast<std::uint32_t>(made_.strings.size() - 1)};
      });
    }
    return *known;
  }

  TypeId mapped(TypeId id) {
    if (const auto known = types_.of(id)) return *known;
    Type made = old_.type(id);
    type_fields(*this, made, made_.version);
    Key key;
    key.add(static_cast<std::uint64_t>(made.kind));
    type_fields(key, std::as_const(made), kNewestVersion);
    return types_.of(id).emplace(types_.intern(std::move(key.bytes), [&] {
      made_.types.push_back(made);
      return TypeId{static_cast<std::uint32_t>(made_.types.size() - 1)};
    }));
  }

  /// Constants are told apart by their bytes alone; the type, an old one, only says what an element is.
  ConstantId constant(ConstantId id, const Type& type) {
    std::string bytes = shrunk(old_, old_.constants[static_cast<std::size_t>(id)], type);
    return constants_.intern(bytes, [&] {
      made_.constants.push_back(bytes);
      return ConstantId{static_cast<std::uint32_t>(made_.constants.size() - 1)};
    });
  }

  DebugId mapped(DebugId id) {
    std::optional<DebugId>& known = debug_.of(id);
    if (known) return *known;
    known = DebugId{};  // What refers to itself ends here; readers let no such thing pass.
    DebugEntry made = old_.debug_entry(id);
    if (made.kind == DebugEntry::Kind::unknown) return DebugId{};
    debug_fields(*this, made, made_.version);
    Key key;
    key.add(static_cast<std::uint64_t>(made.kind));
    debug_fields(key, std::as_const(made), made_.version);
    return debug_.of(id).emplace(debug_.intern(std::move(key.bytes), [&] {
      made_.debug.push_back(made);
      return DebugId{static_cast<std::uint32_t>(made_.debug.size() - 1)};
    }));
  }

  AttributeId mapped(AttributeId id) {
    Attribute made = old_.attribute(id);
    switch (made.kind) {
      case Attribute::Kind::integer:
      case Attribute::Kind::floating:
      case Attribute::Kind::type_attribute:
        made.type = mapped(made.type);
        break;
      case Attribute::Kind::string:
        made.string = mapped(made.string);
        break;
      case Attribute::Kind::dictionary:
      case Attribute::Kind::optimization_hints:
        sort_keys(made);
        for (std::size_t i = 0; i < made.items.size(); ++i) {
          made.keys[i] = mapped(made.keys[i]);
          made.items[i] = mapped(made.items[i]);
        }
        break;
      default:
        for (AttributeId& item : made.items) item = mapped(item);
        break;
    }
    made_.attributes.push_back(std::move(made));
    return AttributeId{static_cast<std::uint32_t>(made_.attributes.size() - 1)};
  }

  void sort_keys(Attribute& dictionary) {
    std::vector<std::size_t> order(dictionary.keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, {}, [&](std::size_t i) -> const std::string& { return old_.string(dictionary.keys[i]); });
    const Attribute before = dictionary;
    for (std::size_t i = 0; i < order.size(); ++i) {
      dictionary.keys[i] = before.keys[order[i]];
      dictionary.items[i] = before.items[order[i]];
    }
  }

  void run(ir::Function& function) {
    function.name = mapped(function.name);
    function.type = mapped(function.type);
    if (function.hints && old_.attribute(*function.hints).keys.empty()) function.hints.reset();
    if (function.hints) function.hints = mapped(*function.hints);
    if (function.argument_attributes) function.argument_attributes = mapped(*function.argument_attributes);
    run_arguments(function.body);
    ir::walk(made_, function.body, [&](ir::OpId op) { run(op); });
  }

  void run_arguments(ir::BlockId block) {
    const ir::Range arguments = made_.block(block).arguments;
    for (std::uint32_t i = arguments.first; i < arguments.first + arguments.count; ++i)
      made_.values[i].type = mapped(old_.values[i].type);
  }

  void run(ir::OpId id) {
    const ir::Operation& op = made_.op(id);
    const ir::Range results = op.results;
    for (std::uint32_t i = 0; i < results.count; ++i) {
      if (is_written(*op.info, i, made_.version))
        made_.values[results.first + i].type = mapped(old_.values[results.first + i].type);
    }
    for (std::size_t i = 0; i < op.info->attributes.size(); ++i) {
      ir::AttributeSlot& slot = made_.attribute_slots[op.attributes.first + i];
      const ir::AttributeInfo& info = op.info->attributes[i];
      // Left alone where the version has no place for it and it says nothing.
      if (made_.version < info.since && !old_.says_something(slot, info)) slot.present = false;
      if (slot.present) slot.word = word(id, info, old_.attribute_slots[op.attributes.first + i].word);
    }
    for (std::uint32_t r = op.regions.first; r < op.regions.first + op.regions.count; ++r) {
      const ir::Range blocks = made_.regions[r].blocks;
      for (std::uint32_t b = blocks.first; b < blocks.first + blocks.count; ++b)
        run_arguments(ir::BlockId{b});
    }
  }

  std::uint64_t word(ir::OpId op, const ir::AttributeInfo& info, std::uint64_t word) {
    switch (info.encoding) {
      case ir::Encoding::enumeration:
      case ir::Encoding::integer:
      case ir::Encoding::boolean:
        return word;
      case ir::Encoding::string:
        return static_cast<std::uint64_t>(mapped(static_cast<StringId>(word)));
      case ir::Encoding::type:
        return static_cast<std::uint64_t>(mapped(static_cast<TypeId>(word)));
      case ir::Encoding::constant:
        return static_cast<std::uint64_t>(
            constant(static_cast<ConstantId>(word), old_.type_of(old_.result(op, 0))));
      default:
        return ir::index(mapped(static_cast<AttributeId>(word)));
    }
  }

  const ir::Module& old_;
  ir::Module made_;
  Renumbering<StringId> strings_;
  Renumbering<TypeId> types_;
  Renumbering<ConstantId> constants_;
  Renumbering<DebugId> debug_;
};

}  // namespace

ir::Module canonical(const ir::Module& module, ir::Version version, bool debug_info) {
  return Canonical(module, version).run(debug_info);
}

}  // namespace tileport::bytecode
