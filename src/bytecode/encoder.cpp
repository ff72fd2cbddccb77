// SPDX-License-Identifier: Apache-2.0
#include "bytecode/encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bytecode/codes.hpp"

namespace tileport::bytecode {

using Item = Layout::Item;

/// The fields of types and debug entries, called by type_fields and debug_fields.
class FieldWriter {
 public:
  FieldWriter(Encoder& encoder, Output& out) : encoder_(encoder), out_(out) {}

  void presence(const auto& value) { out_.varint(value ? 1 : 0); }
  void presence_byte(const auto& value) { presence(value); }
  void enumerator(const auto& value, const ir::Enumeration&) {
    out_.varint(static_cast<std::uint64_t>(value));
  }
  void type(ir::TypeId id) { encoder_.write_type_id(out_, id); }
  void list(const std::vector<ir::TypeId>& ids) {
    out_.varint(ids.size());
    for (ir::TypeId id : ids) type(id);
  }
  void list(const auto& numbers, std::size_t width) {
    out_.varint(numbers.size());
    for (auto item : numbers) out_.fixed(static_cast<std::uint64_t>(static_cast<std::int64_t>(item)), width);
  }
  void number(auto number) { out_.varint(static_cast<std::uint64_t>(number)); }
  void flags(std::uint64_t flags) { out_.varint(flags); }
  void string(ir::StringId id) { encoder_.write_string(out_, id); }
  void reference(ir::DebugId id) {
    encoder_.write_index(out_, ir::index(id), encoder_.module_.debug.size(), "debug entry");
  }

 private:
  Encoder& encoder_;
  Output& out_;
};

Encoder::Encoder(const ir::Module& module, const Layout* layout) : module_(module), layout_(layout) {
  numbers_.resize(module.values.size(), ir::kNone);
  slices_ = slices();
}

bool Encoder::needed(SectionId id) const {
  switch (id) {
    case SectionId::end:
      return false;
    case SectionId::string:
    case SectionId::function:
      return true;
    case SectionId::debug:
      return !slices_.starts.empty();
    case SectionId::constant:
      return !module_.constants.empty();
    case SectionId::type:
      return !module_.types.empty();
    case SectionId::global:
      return !module_.globals.empty();
    case SectionId::producer:
      return module_.producer && module_.version >= section_info(id).since;
  }
  return false;
}

void Encoder::section(SectionId id, Output& out) {
  switch (id) {
    case SectionId::end:
      break;
    case SectionId::string:
      table(out, Item::strings, Item::string, kOffsetWidth, module_.strings.size(),
            [this](Output& entry, std::uint32_t i) { entry.raw(module_.strings[i]); });
      break;
    case SectionId::function:
      write_functions(out);
      break;
    case SectionId::debug:
      write_debug(out);
      break;
    case SectionId::constant:
      table(out, Item::constants, Item::constant, kConstantOffsetWidth, module_.constants.size(),
            [this](Output& entry, std::uint32_t i) {
              entry.varint(module_.constants[i].size());
              entry.raw(module_.constants[i]);
            });
      break;
    case SectionId::type: {
      const bool unchanged = layout_ && layout_->types_in_module == module_.types.size();
      table(out, Item::types, Item::type, kOffsetWidth,
            unchanged ? layout_->types_in_file : module_.types.size(),
            [this](Output& entry, std::uint32_t i) { write_type(entry, module_.types[i]); });
      break;
    }
    case SectionId::global:
      write_globals(out);
      break;
    case SectionId::producer: {
      const Output::Scope item(out, Item::producer, 0);
      write_string(out, module_.producer.value_or(ir::StringId{}));
      break;
    }
  }
}

namespace {

/// The entries of an irregular table in its data; nothing if they don't fit where they were.
std::optional<std::string> placed_entries(const Layout::Table& table, const std::vector<std::string>& entries,
                                          bool clamped) {
  if (table.offsets.size() != entries.size()) return std::nullopt;
  std::string data = table.data;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const EntryBounds bounds = entry_bounds(table.offsets, i, data.size());
    if (!bounds.fits && !clamped) continue;  // No reader gets at it.
    const std::uint64_t size = bounds.last - bounds.first;
    if (entries[i] == std::string_view(table.data).substr(bounds.first, size)) continue;
    if (entries[i].size() != size) return std::nullopt;
    data.replace(bounds.first, size, entries[i]);
  }
  return data;
}

/// Whether a table's entries make up its data, one after the other.
bool is_regular(const Layout::Table& table) {
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < table.offsets.size(); ++i) {
    const EntryBounds bounds = entry_bounds(table.offsets, i, table.data.size());
    if (!bounds.fits || table.offsets[i] != end) return false;
    end = bounds.last;
  }
  return end == table.data.size();
}

void write_offsets(Output& out, const std::vector<std::uint64_t>& offsets, std::size_t width) {
  for (std::uint64_t offset : offsets) out.fixed(offset, width);
}

}  // namespace

template <class Write>
void Encoder::table(Output& out, Item head, Item entry, std::size_t width, std::size_t count, Write&& write) {
  const bool clamped = head == Item::strings;
  {
    const Output::Scope item(out, head, 0);
    out.varint(count);
    out.align(width);
  }
  const auto encode = [&](Output& to, std::uint32_t i) {
    const Output::Scope item(to, entry, i);
    write(to, i);
    to.tail();
  };
  Layout::Table parts;
  if (out.recording()) {
    for (std::size_t i = 0; i < count; ++i) {
      parts.offsets.push_back(out.take_fixed(width));
    }
    const std::string_view data = out.take(out.rest().size());
    parts.data = data;
    for (std::uint32_t i = 0; i < count; ++i) {
      const EntryBounds bounds = entry_bounds(parts.offsets, i, data.size());
      if (!bounds.fits && !clamped) continue;
      Output part(data.substr(bounds.first, bounds.last - bounds.first), out.notes());
      encode(part, i);
    }
    if (!is_regular(parts)) out.notes().tables.emplace(head, std::move(parts));
    return;
  }
  if (layout_ && layout_->tables.contains(head)) {
    const Layout::Table& irregular = layout_->tables.at(head);
    std::vector<std::string> entries;
    for (std::uint32_t i = 0; i < count; ++i) {
      Output part(layout_);
      encode(part, i);
      entries.push_back(part.bytes());
    }
    if (const auto data = placed_entries(irregular, entries, clamped)) {
      write_offsets(out, irregular.offsets, width);
      out.raw(*data);
      return;
    }
  }
  Output entries(layout_);
  for (std::uint32_t i = 0; i < count; ++i) {
    parts.offsets.push_back(entries.size());
    encode(entries, i);
  }
  write_offsets(out, parts.offsets, width);
  out.raw(entries.bytes());
}

void Encoder::write_type(Output& out, const ir::Type& type) {
  const TypeTag& tag = type_tag(type.kind);
  if (module_.version < ir::since(type.kind)) {
    lacks(fmt::format("type {}", ir::keyword(type.kind)), ir::since(type.kind));
  }
  if (type.pointer_attribute && module_.version < ir::kPointerAttributeSince) {
    lacks(fmt::format("the attribute of a {}", ir::keyword(type.kind)), ir::kPointerAttributeSince);
  }
  out.varint(tag.number);
  FieldWriter fields(*this, out);
  type_fields(fields, type, module_.version);
}

Layout::Slices Encoder::plain_slices(const ir::Module& module) {
  Layout::Slices slices;
  for (const ir::Function& function : module.functions) {
    std::vector<std::uint64_t> ids{ir::index(function.location)};
    ir::walk(module, function.body, [&](ir::OpId op) { ids.push_back(ir::index(module.op(op).location)); });
    const bool located = std::ranges::any_of(ids, [](std::uint64_t id) { return id != 0; });
    slices.of_functions.push_back(located ? slices.starts.size() + 1 : 0);
    if (!located) continue;
    slices.starts.push_back(slices.ids.size());
    slices.ids.insert(slices.ids.end(), ids.begin(), ids.end());
  }
  return slices;
}

/// The layout's slices with the module's locations, if these still fit there.
Layout::Slices Encoder::slices() const {
  Layout::Slices plain = plain_slices(module_);
  if (!layout_ || !layout_->slices) return plain;
  Layout::Slices slices = *layout_->slices;
  if (slices.of_functions.size() != module_.functions.size()) return plain;
  for (std::size_t i = 0; i < module_.functions.size(); ++i) {
    const std::uint64_t number = slices.of_functions[i];
    const std::uint64_t plain_number = plain.of_functions[i];
    if (number == 0 && plain_number == 0) continue;
    if (number == 0) return plain;
    std::uint64_t at = slices.starts[number - 1];
    const std::uint64_t end = number < slices.starts.size() ? slices.starts[number] : slices.ids.size();
    bool fits = at < end;
    const auto place = [&](ir::DebugId id) {
      fits = fits && at < end;
      if (fits) slices.ids[at++] = ir::index(id);
    };
    place(module_.functions[i].location);
    ir::walk(module_, module_.functions[i].body, [&](ir::OpId op) { place(module_.op(op).location); });
    if (!fits) return plain;
  }
  return slices;
}

void Encoder::write_debug(Output& out) {
  const Output::Scope item(out, Item::debug, 0);
  if (out.recording()) {
    Layout::Slices& slices = out.notes().slices.emplace(out.notes().slices.value_or(Layout::Slices{}));
    const auto numbers = [&out](std::vector<std::uint64_t>& list, std::size_t width) {
      list.resize(out.peek_varint());
      out.varint(list.size());
      out.align(width);
      for (std::uint64_t& number : list) number = out.take_fixed(width);
    };
    numbers(slices.starts, 4);
    numbers(slices.ids, 8);
  } else {
    out.varint(slices_.starts.size());
    out.align(4);
    write_offsets(out, slices_.starts, 4);
    out.varint(slices_.ids.size());
    out.align(8);
    write_offsets(out, slices_.ids, 8);
  }
  table(out, Item::debug_entries, Item::debug_entry, kOffsetWidth, module_.debug.size() - 1,
        [this](Output& entry, std::uint32_t i) {
          const ir::DebugEntry& content = module_.debug[i + 1];
          entry.varint(static_cast<std::uint64_t>(content.kind));
          FieldWriter fields(*this, entry);
          debug_fields(fields, content, module_.version);
        });
}

void Encoder::write_functions(Output& out) {
  const Output::Scope item(out, Item::functions, 0);
  out.varint(module_.functions.size());
  for (std::uint32_t i = 0; i < module_.functions.size() && !failure_; ++i) write_function(out, i);
  out.tail();
}

void Encoder::write_function(Output& out, std::uint32_t number) {
  const Output::Scope item(out, Item::function, number);
  const ir::Function& function = module_.functions[number];
  const bool always = module_.version >= kHintsAlways;
  write_string(out, function.name);
  write_type_id(out, function.type);
  out.byte((function.is_private ? kPrivate : 0) | (function.is_kernel ? kKernel : 0) |
           (function.hints && !always ? kHasHints : 0));
  if (out.recording()) {
    Layout& notes = out.notes();
    if (!notes.slices) notes.slices.emplace();
    notes.slices->of_functions.push_back(out.peek_varint());
    out.varint(out.peek_varint());
  } else {
    out.varint(slices_.of_functions[number]);
  }
  const auto content = [&](const std::optional<ir::AttributeId>& id, ir::Attribute::Kind kind) {
    if (id) {
      write_tagged(out, *id);
    } else {
      out.varint(static_cast<std::uint64_t>(kind));
      out.varint(0);
    }
  };
  if (function.hints || always) content(function.hints, ir::Attribute::Kind::optimization_hints);
  if (always) {
    content(function.argument_attributes, ir::Attribute::Kind::array);
  } else if (function.argument_attributes && says_something(*function.argument_attributes)) {
    lacks(fmt::format("attributes of the arguments of '{}'", module_.string(function.name)), kHintsAlways);
  }
  out.sized([&] {
    scope_.clear();
    enter_block(function.body);
    write_block_ops(out, function.body);
    current_op_.reset();
  });
  for (ir::ValueId value : scope_) numbers_[ir::index(value)] = ir::kNone;
}

bool Encoder::says_something(ir::AttributeId array) const {
  return std::ranges::any_of(module_.attribute(array).items, [&](ir::AttributeId id) {
    const ir::Attribute& item = module_.attribute(id);
    return item.kind != ir::Attribute::Kind::dictionary || !item.keys.empty();
  });
}

void Encoder::write_globals(Output& out) {
  const Output::Scope item(out, Item::globals, 0);
  out.varint(module_.globals.size());
  for (std::uint32_t i = 0; i < module_.globals.size() && !failure_; ++i) {
    const Output::Scope entry(out, Item::global, i);
    const ir::Global& global = module_.globals[i];
    write_string(out, global.name);
    write_type_id(out, global.type);
    write_constant(out, global.value);
    out.varint(global.alignment);
    if (module_.version >= kGlobalFlags) {
      out.varint(global.is_private ? 1 : 0);
      out.varint(global.is_constant ? 1 : 0);
    } else if (global.is_private || global.is_constant) {
      lacks(fmt::format("global '{}', which is {},", module_.string(global.name),
                        global.is_private ? "private" : "constant"),
            kGlobalFlags);
    }
  }
  out.tail();
}

void Encoder::fail(std::string_view code, std::string message, std::string advice) {
  if (failure_) return;
  failure_.emplace();
  failure_->code = code;
  failure_->message = std::move(message);
  failure_->place.file = module_.file;
  if (current_op_) failure_->place.path = module_.access_path(*current_op_);
  failure_->advice = std::move(advice);
}

void Encoder::lacks(std::string_view what, ir::Version since) {
  fail(code::kVersionLacks,
       fmt::format("{} can't be written in bytecode {}.{}", what, module_.version.major,
                   module_.version.minor),
       fmt::format("write bytecode {}.{} or newer", since.major, since.minor));
}

void Encoder::contradiction(std::string message) { fail(code::kContradiction, std::move(message)); }

}  // namespace tileport::bytecode
