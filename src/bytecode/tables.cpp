// SPDX-License-Identifier: Apache-2.0
#include "bytecode/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bytecode/codes.hpp"
#include "bytecode/types.hpp"

namespace tileport::bytecode {
namespace {

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Something uses an entry: passes on why it can't be used.
void refuse(Cursor& in, const std::optional<Diagnostic>& defect) {
  if (defect) in.fail(defect->code, defect->message, defect->place.offset);
}

}  // namespace

std::vector<Cursor> read_offset_table(Cursor& in, std::size_t width, Entries entries) {
  std::vector<Cursor> items;
  if (in.at_end()) return items;
  const std::size_t count = in.count("table entries", width);
  if (count == 0 && in.at_end()) return items;
  in.align(width);
  if (in.remaining() / width < count) {
    in.fail(code::kCount,
            fmt::format("a table of {} entries needs more than the {} bytes left", count, in.remaining()));
    return items;
  }
  std::vector<std::uint64_t> offsets(count);
  const std::uint64_t table = in.offset();
  for (std::uint64_t& offset : offsets) offset = in.fixed(width);
  offsets.push_back(in.remaining());
  const std::uint64_t first = in.offset();
  const auto data = in.take(in.remaining());
  items.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const bool fits = offsets[i] <= offsets[i + 1] && offsets[i + 1] <= data.size();
    const std::uint64_t start = std::min<std::uint64_t>(offsets[i], data.size());
    const std::uint64_t size = fits ? offsets[i + 1] - start : data.size() - start;
    items.emplace_back(data.subspan(start, size), first + start);
    if (fits || entries == Entries::clamped) continue;
    items.back().fail(code::kOffsetTable,
                      fmt::format("entry {} of a table reaches from {} to {} in {} bytes of data", i,
                                  offsets[i], offsets[i + 1], data.size()),
                      table + i * width);
  }
  return items;
}

Tables::Tables(ir::Module& module, const Container& container, Cursor& errors) : module_(module) {
  Cursor in = *container.section(SectionId::string);
  for (Cursor& item : read_offset_table(in, 4, Entries::clamped)) {
    module_.strings.push_back(text(item.take(item.remaining())));
  }
  errors.adopt(in);
  if (errors.ok()) read_types(container, errors);
  if (errors.ok()) read_constants(container, errors);
}

void Tables::read_types(const Container& container, Cursor& errors) {
  if (!container.section(SectionId::type)) return;
  Cursor in = *container.section(SectionId::type);
  std::vector<Cursor> items = read_offset_table(in, 4);
  errors.adopt(in);
  bad_types_.resize(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    module_.types.push_back(read_type(items[i], container.version, items.size()));
    if (!items[i].ok()) {
      bad_types_[i] = items[i].failure();
      module_.types.back() = ir::Type{};
    }
  }
  check_types(module_.types, bad_types_, items);
}

void Tables::read_constants(const Container& container, Cursor& errors) {
  if (!container.section(SectionId::constant)) return;
  Cursor in = *container.section(SectionId::constant);
  std::vector<Cursor> items = read_offset_table(in, 8);
  errors.adopt(in);
  bad_constants_.resize(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    module_.constants.push_back(text(items[i].take(items[i].varint())));
    if (!items[i].ok()) bad_constants_[i] = items[i].failure();
  }
}

ir::TypeId Tables::type(Cursor& in) const {
  const std::uint32_t number = in.table_index("type", module_.types.size());
  if (in.ok()) refuse(in, bad_types_[number]);
  return ir::TypeId{number};
}

void Tables::check_constant(Cursor& in, ir::ConstantId constant, ir::TypeId type, std::uint64_t at) const {
  if (!in.ok()) return;
  const std::uint32_t number = static_cast<std::uint32_t>(constant);
  refuse(in, bad_constants_[number]);
  if (!in.ok()) return;
  const ir::Type& tile = module_.type(type);
  const ir::TypeKind element = tile.kind == ir::TypeKind::tile ? module_.type(tile.element).kind : tile.kind;
  if (tile.kind != ir::TypeKind::tile || !ir::is_element(element)) {
    in.fail(code::kConstant, "a constant's type must be a tile of integers or floats", at);
    return;
  }
  const std::string& bytes = module_.constants[number];
  const std::uint64_t count = ir::element_count(tile);
  bool fits = false;
  if (element == ir::TypeKind::i1) {
    fits = bytes.size() == 1 || bytes.size() == count / 8 + (count % 8 != 0 ? 1 : 0);
  } else {
    const std::size_t size = (ir::bit_width(element) + 7) / 8;
    fits = bytes.size() == size || (bytes.size() % size == 0 && bytes.size() / size == count);
  }
  if (!fits) {
    in.fail(code::kConstant,
            fmt::format("constant {} has {} bytes, which are neither one element nor all {} elements of {}",
                        number, bytes.size(), count, ir::keyword(element)),
            at);
  }
}

}  // namespace tileport::bytecode
