// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tileport/bytecode/write.hpp>
#include <tuple>
#include <utility>

#include "bytecode/canonical.hpp"
#include "bytecode/codes.hpp"
#include "bytecode/container.hpp"
#include "bytecode/encoder.hpp"
#include "bytecode/output.hpp"
#include "bytecode/sections.hpp"

namespace tileport::bytecode {
namespace {

using Item = Layout::Item;

/// The order in which sections are written unless a layout says otherwise: that of the reference writer.
constexpr SectionId kPlainOrder[] = {SectionId::global, SectionId::function, SectionId::constant,
                                     SectionId::debug,  SectionId::type,     SectionId::producer,
                                     SectionId::string};

Layout::Section plain_section(SectionId id) {
  const std::uint64_t alignment = section_info(id).alignment;
  return {.id = static_cast<std::uint8_t>(id), .aligned = alignment != 1, .alignment = alignment};
}

/// The sections of a file: those of the layout, and what else the module needs.
std::vector<Layout::Section> sections_of(const Encoder& encoder, const Layout& layout) {
  std::vector<Layout::Section> sections = layout.sections;
  const auto is_there = [&](SectionId id) {
    return std::ranges::any_of(sections, [id](const Layout::Section& section) {
      return section.id == static_cast<std::uint8_t>(id) && !section.replaced;
    });
  };
  for (SectionId id : kPlainOrder) {
    if (encoder.needed(id) && !is_there(id)) sections.push_back(plain_section(id));
  }
  // A producer that is gone, or that the version has no place for.
  std::erase_if(sections, [&](const Layout::Section& section) {
    return section.id == static_cast<std::uint8_t>(SectionId::producer) &&
           !encoder.needed(SectionId::producer);
  });
  return sections;
}

void write_header(Output& out, ir::Version version) {
  out.raw(kMagic);
  out.fixed(version.major, 1);
  out.fixed(version.minor, 1);
  out.fixed(0, 2);
}

/// What stands before a section's payload.
void write_section_head(Output& out, std::uint32_t number, const Layout::Section& section,
                        std::uint64_t size) {
  const Output::Scope item(out, Item::section, number);
  out.fixed(section.id | (section.aligned ? kAlignedSection : 0), 1);
  out.varint(size);
  if (!section.aligned) return;
  out.varint(section.alignment);
  out.align(section.alignment);
}

Result<std::string> write(const ir::Module& module, const Layout* layout) {
  Encoder encoder(module, layout);
  Output out(layout);
  write_header(out, module.version);
  const std::vector<Layout::Section> sections = sections_of(encoder, layout ? *layout : Layout{});
  for (std::uint32_t i = 0; i < sections.size(); ++i) {
    Output payload(layout);
    if (sections[i].replaced) {
      payload.raw(*sections[i].replaced);
    } else {
      encoder.section(static_cast<SectionId>(sections[i].id), payload);
    }
    if (encoder.failure()) return fail(*encoder.failure());
    write_section_head(out, i, sections[i], payload.size());
    out.raw(payload.bytes());
  }
  out.fixed(0, 1);
  return out.bytes();
}

/// Walks over the file with an encoder of its module, and keeps what that would have written differently.
Layout record(std::string_view file, const Container& container, const ir::Module& module) {
  Layout layout;
  const auto text = [&](std::size_t i) {
    return file.substr(container.order[i].offset, container.order[i].size);
  };
  std::array<std::size_t, kSectionKinds> last{};
  for (std::size_t i = 0; i < container.order.size(); ++i)
    last[static_cast<std::size_t>(container.order[i].id)] = i;
  const auto is_last = [&](std::size_t i) {
    return last[static_cast<std::size_t>(container.order[i].id)] == i;
  };
  for (std::size_t i = 0; i < container.order.size(); ++i) {
    if (container.order[i].id != SectionId::type || !is_last(i)) continue;
    Layout unused;
    layout.types_in_file = static_cast<std::uint32_t>(Output(text(i), unused).peek_varint());
    layout.types_in_module = static_cast<std::uint32_t>(module.types.size());
  }
  Encoder encoder(module, &layout);
  Output out(file, layout);
  write_header(out, module.version);
  for (std::uint32_t i = 0; i < container.order.size(); ++i) {
    const SectionPlace& place = container.order[i];
    Layout::Section section{
        .id = static_cast<std::uint8_t>(place.id), .aligned = place.aligned, .alignment = place.alignment};
    write_section_head(out, i, section, place.size);
    out.take(place.size);
    if (is_last(i)) {
      Output payload(text(i), layout);
      encoder.section(place.id, payload);
    } else {
      section.replaced = text(i);
    }
    layout.sections.push_back(std::move(section));
  }
  const Layout::Slices plain = Encoder::plain_slices(module);
  const auto parts = [](const Layout::Slices& slices) {
    return std::tie(slices.of_functions, slices.starts, slices.ids);
  };
  if (layout.slices && parts(*layout.slices) == parts(plain)) layout.slices.reset();
  std::ranges::sort(layout.deviations, {}, [](const Layout::Deviation& deviation) {
    return std::tuple(deviation.item, deviation.number, deviation.place);
  });
  return layout;
}

}  // namespace

Result<Document> read_document(std::span<const std::byte> bytes, std::string file) {
  auto container = read_container(bytes);
  auto module = container ? read_sections(*container)
                          : Result<ir::Module>(tl::unexpected<Diagnostics>(container.error()));
  if (!module) {
    for (Diagnostic& diagnostic : module.error()) diagnostic.place.file = file;
    return tl::unexpected<Diagnostics>(module.error());
  }
  module->file = std::move(file);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Layout layout = record(text, *container, *module);
  return Document{.module = std::move(*module), .layout = std::move(layout)};
}

Result<std::string> write_faithful(const ir::Module& module, const Layout& layout) {
  return write(module, &layout);
}

Result<std::string> write_canonical(const ir::Module& module, const CanonicalOptions& options) {
  const ir::Version version = options.version.value_or(module.version);
  if (version < kOldestVersion || version > kNewestVersion) {
    return fail(
        {.code = std::string(code::kVersion),
         .message = fmt::format("bytecode version {}.{} does not exist", version.major, version.minor),
         .advice = fmt::format("versions are {}.{} to {}.{}", kOldestVersion.major, kOldestVersion.minor,
                               kNewestVersion.major, kNewestVersion.minor)});
  }
  return write(canonical(module, version, options.debug_info), nullptr);
}

}  // namespace tileport::bytecode
