// SPDX-License-Identifier: Apache-2.0
// Facts of the format that reader and writer share: container, tags, and the fields of types, globals and
// debug entries in their order. Ops are described by the op table.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tileport/ir/module.hpp>
#include <vector>

namespace tileport::bytecode {

inline constexpr std::string_view kMagic{"\x7FTileIR\0", 8};
inline constexpr ir::Version kOldestVersion{13, 1};
inline constexpr ir::Version kNewestVersion{13, 5};
/// What writers fill gaps with; no reader looks at it.
inline constexpr char kFiller = '\xCB';

enum class SectionId : std::uint8_t { end, string, function, debug, constant, type, global, producer };
inline constexpr std::size_t kSectionKinds = 8;
inline constexpr std::uint8_t kAlignedSection = 0x80;  ///< Of the id byte: an alignment follows the size.

struct SectionInfo {
  std::string_view name;
  std::uint64_t alignment = 1;  ///< A section's own alignment must be a multiple of it.
  ir::Version since{13, 1};
};

/// In the order of SectionId.
inline constexpr SectionInfo kSections[kSectionKinds] = {
    {"end"},         {"string", 4}, {"function", 8}, {"debug", 8},
    {"constant", 8}, {"type", 4},   {"global"},      {"producer", 1, {13, 3}},
};
inline constexpr const SectionInfo& section_info(SectionId id) {
  return kSections[static_cast<std::size_t>(id)];
}

/// Bits of a function's flags.
inline constexpr std::uint8_t kPrivate = 1;
inline constexpr std::uint8_t kKernel = 2;
inline constexpr std::uint8_t kHasHints = 4;  ///< Up to 13.4; from kHintsAlways on every kernel has hints.
/// Every kernel has hints and argument attributes, and kHasHints is unknown.
inline constexpr ir::Version kHintsAlways{13, 5};

inline constexpr ir::Version kGlobalFlags{13, 3};  ///< Globals have a visibility and can be constant.
inline constexpr ir::Version kSubprogramFlags{13, 5};
inline constexpr std::uint64_t kDeclaration = 1;  ///< The only flag of a subprogram.

/// Widths of the offsets in a table's head.
inline constexpr std::size_t kOffsetWidth = 4;
inline constexpr std::size_t kConstantOffsetWidth = 8;

/// Ops that have a row because the dialect has them, but that stand in sections of their own, are not;
/// neither are preview ops.
inline bool is_instruction(const ir::OpInfo& info) {
  constexpr std::uint16_t kFirstPreview = 0x100;
  return info.opcode < kFirstPreview && !info.is("entry") && !info.is("module") && !info.is("global");
}

/// Whether a result of an op is written, and numbered, in a version.
inline bool is_written(const ir::OpInfo& info, std::size_t result, ir::Version version) {
  return !info.results.empty() && version >= info.results[std::min(result, info.results.size() - 1)].since;
}

struct TypeTag {
  std::uint64_t number;
  ir::TypeKind kind;
};

inline constexpr TypeTag kTypeTags[] = {
    {0, ir::TypeKind::i1},
    {1, ir::TypeKind::i8},
    {2, ir::TypeKind::i16},
    {3, ir::TypeKind::i32},
    {4, ir::TypeKind::i64},
    {5, ir::TypeKind::f16},
    {6, ir::TypeKind::bf16},
    {7, ir::TypeKind::f32},
    {8, ir::TypeKind::tf32},
    {9, ir::TypeKind::f64},
    {10, ir::TypeKind::f8E4M3FN},
    {11, ir::TypeKind::f8E5M2},
    {12, ir::TypeKind::pointer},
    {13, ir::TypeKind::tile},
    {14, ir::TypeKind::tensor_view},
    {15, ir::TypeKind::partition_view},
    {16, ir::TypeKind::function},
    {17, ir::TypeKind::token},
    {18, ir::TypeKind::f8E8M0FNU},
    {19, ir::TypeKind::f4E2M1FN},
    {20, ir::TypeKind::gather_scatter_view},
    {21, ir::TypeKind::strided_view},
    {22, ir::TypeKind::i4},
    {130, ir::TypeKind::fnv8E5M3FNU},
};

inline const TypeTag& type_tag(ir::TypeKind kind) {
  return *std::ranges::find(kTypeTags, kind, &TypeTag::kind);
}

/// What follows a type's tag. `Archive` reads or writes each field; AnyType is ir::Type or const ir::Type.
///
///     pointer              [13.4: flags]  pointee  [attribute]
///     tile                 element, i64 list
///     tensor_view          [13.4: flags]  element, i64 list extents, i64 list strides  [attribute]
///     partition_view       [13.3: flags]  i32 list tile, tensor_view, i32 list dim_map
///                          [before 13.3: byte]  [padding]
///     function             id list inputs, id list results
///     gather_scatter_view  flags, i32 list tile, tensor_view, sparse dim  [padding]
///     strided_view         flags, i32 list tile, i32 list traversal strides, tensor_view, i32 list dim_map
///                          [padding]
/// Bit 0 of the flags says whether the bracketed value at the end is there; so does the byte if it is not 0.
template <class Archive, class AnyType>
void type_fields(Archive& archive, AnyType& type, ir::Version version) {
  using ir::TypeKind;
  const bool view = ir::is_view(type.kind);
  const bool flags_first = version >= ir::Version{13, 3};
  if (view) {
    if (flags_first) archive.presence(type.padding);
    archive.list(type.shape, 4);
    if (type.kind == TypeKind::strided_view) archive.list(type.strides, 4);
    archive.type(type.element);
    if (type.kind == TypeKind::gather_scatter_view) {
      archive.number(type.sparse_dim);
    } else {
      archive.list(type.dim_map, 4);
    }
    if (!flags_first) archive.presence_byte(type.padding);
    if (type.padding) archive.enumerator(*type.padding, ir::kPaddingValue);
  } else if (type.kind == TypeKind::function) {
    archive.list(type.inputs);
    archive.list(type.results);
  } else if (type.kind == TypeKind::pointer || type.kind == TypeKind::tensor_view) {
    if (version >= ir::kPointerAttributeSince) archive.presence(type.pointer_attribute);
    archive.type(type.element);
    if (type.kind == TypeKind::tensor_view) {
      archive.list(type.shape, 8);
      archive.list(type.strides, 8);
    }
    if (type.pointer_attribute) archive.enumerator(*type.pointer_attribute, ir::kPointerAttribute);
  } else if (type.kind == TypeKind::tile) {
    archive.type(type.element);
    archive.list(type.shape, 8);
  }
}

/// What follows a debug entry's tag, likewise.
///
///     unknown
///     compile unit    file
///     file            name, directory
///     lexical block   scope, file, line, column
///     location        scope, file name, line, column
///     subprogram      file, line, name, linkage name, compile unit, scope line [13.5: flags]
///     call site       callee, caller
template <class Archive, class AnyEntry>
void debug_fields(Archive& archive, AnyEntry& entry, ir::Version version) {
  using Kind = ir::DebugEntry::Kind;
  switch (entry.kind) {
    case Kind::unknown:
      break;
    case Kind::compile_unit:
      archive.reference(entry.file);
      break;
    case Kind::file:
      archive.string(entry.name);
      archive.string(entry.other_name);
      break;
    case Kind::lexical_block:
      archive.reference(entry.scope);
      archive.reference(entry.file);
      archive.number(entry.line);
      archive.number(entry.column);
      break;
    case Kind::location:
      archive.reference(entry.scope);
      archive.string(entry.name);
      archive.number(entry.line);
      archive.number(entry.column);
      break;
    case Kind::subprogram:
      archive.reference(entry.file);
      archive.number(entry.line);
      archive.string(entry.name);
      archive.string(entry.other_name);
      archive.reference(entry.scope);
      archive.number(entry.scope_line);
      if (version >= kSubprogramFlags) archive.flags(entry.flags);
      break;
    case Kind::call_site:
      archive.reference(entry.scope);
      archive.reference(entry.caller);
      break;
  }
}

/// An offset table: which bytes of the data each entry has.
struct EntryBounds {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool fits = false;  ///< If not, the entry reaches to the end of the data.
};

inline EntryBounds entry_bounds(const std::vector<std::uint64_t>& offsets, std::size_t i,
                                std::uint64_t size) {
  const std::uint64_t next = i + 1 < offsets.size() ? offsets[i + 1] : size;
  const bool fits = offsets[i] <= next && next <= size;
  return {.first = std::min(offsets[i], size), .last = fits ? next : size, .fits = fits};
}

}  // namespace tileport::bytecode
