// SPDX-License-Identifier: Apache-2.0
#include "bytecode/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tileport/ir/type_rules.hpp>

#include "bytecode/codes.hpp"
#include "bytecode/types.hpp"

namespace tileport::bytecode {
namespace {

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Entries may overlap; a table of n bytes can still say n² bytes of them.
constexpr std::uint64_t kMostOverlap = 8;

/// Something uses an entry: passes on why it can't be used, if so.
void refuse(Cursor& in, const Defects& defects, std::uint32_t number) {
  const auto defect = defects.find(number);
  if (defect == defects.end()) return;
  in.fail(defect->second.code, defect->second.message, defect->second.place.offset);
}

}  // namespace

OffsetTable::OffsetTable(Cursor& in, std::size_t width, Entries entries) : width_(width), entries_(entries) {
  if (in.at_end()) return;
  const std::size_t count = in.count("table entries", width);
  if (count == 0 && in.at_end()) return;
  in.align(width);
  if (in.remaining() / width < count) {
    in.fail(code::kCount,
            fmt::format("a table of {} entries needs more than the {} bytes left", count, in.remaining()));
    return;
  }
  table_start_ = in.offset();
  offsets_.resize(count);
  for (std::uint64_t& offset : offsets_) offset = in.fixed(width);
  data_start_ = in.offset();
  data_ = in.take(in.remaining());
  std::uint64_t room = kMostOverlap * data_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const EntryBounds bounds = entry_bounds(offsets_, i, data_.size());
    const bool usable = bounds.fits || entries == Entries::clamped;
    const std::uint64_t size = usable ? bounds.last - bounds.first : 0;
    if (size > room) {
      in.fail(code::kOffsetTable,
              fmt::format("entries of a table overlap to more than {} times its data", kMostOverlap),
              table_start_ + i * width);
      offsets_.clear();
      return;
    }
    room -= size;
  }
}

std::uint64_t OffsetTable::start(std::uint32_t number) const {
  return data_start_ + entry_bounds(offsets_, number, data_.size()).first;
}

Cursor OffsetTable::entry(std::uint32_t number) const {
  const EntryBounds bounds = entry_bounds(offsets_, number, data_.size());
  Cursor entry(data_.subspan(bounds.first, bounds.last - bounds.first), data_start_ + bounds.first);
  if (!bounds.fits && entries_ == Entries::checked) {
    entry.fail(
        code::kOffsetTable,
        fmt::format("entry {} of a table reaches from {} to {} in {} bytes of data", number, offsets_[number],
                    number + 1 < size() ? offsets_[number + 1] : data_.size(), data_.size()),
        table_start_ + number * width_);
  }
  return entry;
}

Tables::Tables(ir::Module& module, const Container& container, Cursor& errors) : module_(module) {
  Cursor in = *container.section(SectionId::string);
  const OffsetTable strings(in, kOffsetWidth, Entries::clamped);
  module_.strings.reserve(strings.size());
  for (std::uint32_t i = 0; i < strings.size(); ++i) {
    Cursor entry = strings.entry(i);
    module_.strings.push_back(text(entry.take(entry.remaining())));
  }
  errors.adopt(in);
  if (errors.ok()) read_types(container, errors);
  if (errors.ok()) read_constants(container, errors);
}

void Tables::read_types(const Container& container, Cursor& errors) {
  if (!container.section(SectionId::type)) return;
  Cursor in = *container.section(SectionId::type);
  const OffsetTable table(in, kOffsetWidth);
  errors.adopt(in);
  module_.types.reserve(table.size() + std::size_t{1});
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    Cursor entry = table.entry(i);
    module_.types.push_back(read_type(entry, container.version, table.size()));
    if (!entry.ok()) {
      bad_types_.emplace(i, entry.failure());
      module_.types.back() = ir::Type{};
    }
  }
  check_types(module_.types, bad_types_, table);
}

void Tables::read_constants(const Container& container, Cursor& errors) {
  if (!container.section(SectionId::constant)) return;
  Cursor in = *container.section(SectionId::constant);
  const OffsetTable table(in, kConstantOffsetWidth);
  errors.adopt(in);
  module_.constants.reserve(table.size());
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    Cursor entry = table.entry(i);
    module_.constants.push_back(text(entry.take(entry.varint())));
    if (!entry.ok()) bad_constants_.emplace(i, entry.failure());
  }
}

ir::TypeId Tables::type(Cursor& in) const {
  const std::uint32_t number = in.table_index("type", module_.types.size());
  if (in.ok() && !bad_types_.empty()) refuse(in, bad_types_, number);
  return ir::TypeId{number};
}

void Tables::check_constant(Cursor& in, ir::ConstantId constant, ir::TypeId type, std::uint64_t at) const {
  if (!in.ok()) return;
  const std::uint32_t number = static_cast<std::uint32_t>(constant);
  refuse(in, bad_constants_, number);
  if (!in.ok()) return;
  const ir::Type& tile = module_.type(type);
  const ir::TypeKind element = tile.kind == ir::TypeKind::tile ? module_.type(tile.element).kind : tile.kind;
  if (tile.kind != ir::TypeKind::tile || !ir::is_element(element)) {
    in.fail(code::kConstant, "a constant's type must be a tile of integers or floats", at);
    return;
  }
  const std::string& bytes = module_.constants[number];
  if (!ir::fills_tile(bytes.size(), element, tile)) {
    in.fail(code::kConstant,
            fmt::format("constant {} has {} bytes, which are neither one element nor all {} elements of {}",
                        number, bytes.size(), ir::element_count(tile), ir::keyword(element)),
            at);
  }
}

}  // namespace tileport::bytecode
