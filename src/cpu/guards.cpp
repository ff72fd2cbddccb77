// SPDX-License-Identifier: Apache-2.0
#include "cpu/guards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "cpu/element.hpp"

namespace tileport::cpu {
namespace {

constexpr std::uint32_t kFirstBlock = 1;

/// Storages that touch become one: views of one allocation.
std::vector<Storage> merged(std::vector<Storage> storages) {
  std::erase_if(storages, [](const Storage& storage) { return storage.bytes == 0; });
  std::stable_sort(storages.begin(), storages.end(),
                   [](const Storage& a, const Storage& b) { return a.begin < b.begin; });
  std::vector<Storage> result;
  for (Storage& storage : storages) {
    if (result.empty() || storage.begin >= result.back().begin + result.back().bytes) {
      result.push_back(std::move(storage));
      continue;
    }
    Storage& last = result.back();
    last.bytes = std::max(last.bytes, storage.begin + storage.bytes - last.begin);
    last.writable = last.writable && storage.writable;
    last.undefined = last.undefined && storage.undefined;
  }
  return result;
}

/// The element of an array that an address lies in, if one does; extents in the order of falling strides.
std::optional<std::vector<std::int64_t>> element_at(const Array& array, std::uint64_t address) {
  const std::int64_t size = static_cast<std::int64_t>(memory_bytes(array.element));
  std::int64_t rest = static_cast<std::int64_t>(address - array.address);
  if (rest < 0) return std::nullopt;
  rest /= size;
  std::vector<std::size_t> order(array.shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return array.strides[a] > array.strides[b]; });
  std::vector<std::int64_t> index(array.shape.size());
  for (const std::size_t dimension : order) {
    const std::int64_t stride = array.strides[dimension];
    if (stride <= 0) continue;
    index[dimension] = rest / stride;
    rest %= stride;
    if (index[dimension] >= array.shape[dimension]) return std::nullopt;
  }
  if (rest != 0) return std::nullopt;
  return index;
}

}  // namespace

Guards::Guards(std::vector<Storage> storages, std::span<const Argument> arguments, unsigned granule,
               bool has_atomics)
    : granule_(granule), has_atomics_(has_atomics) {
  shift_ = static_cast<unsigned>(std::countr_zero(granule));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const auto* array = std::get_if<Array>(&arguments[i])) arrays_.push_back({i, *array});
  }
  for (Storage& storage : merged(std::move(storages))) {
    auto region = std::make_unique<Region>(std::move(storage));
    const std::uint64_t granules = region->storage.bytes / granule_ + 2;
    auto* memory = static_cast<std::atomic<std::uint32_t>*>(std::calloc(granules, sizeof(std::uint32_t)));
    if (!memory) ready_ = false;
    region->writers = {memory, &std::free};
    shadow_bytes_ += granules * sizeof(std::uint32_t);
    regions_.push_back(std::move(region));
  }
}

Guards::Region* Guards::find(std::uint64_t address, std::uint64_t bytes) {
  auto after =
      std::upper_bound(regions_.begin(), regions_.end(), address,
                       [](std::uint64_t value, const auto& region) { return value < region->storage.begin; });
  if (after == regions_.begin()) return nullptr;
  Region& region = **std::prev(after);
  const std::uint64_t inside = address - region.storage.begin;
  if (inside > region.storage.bytes || bytes > region.storage.bytes - inside) return nullptr;
  return &region;
}

Guards::Fault Guards::note(Region& region, std::uint64_t address, std::uint64_t bytes, Access access,
                           std::uint64_t block) const {
  if (access != Access::read && !region.storage.writable) return Fault::read_only;
  const std::uint64_t inside = address - region.storage.begin;
  const std::uint64_t first = inside >> shift_;
  const std::uint64_t last = (inside + bytes - 1) >> shift_;
  std::atomic<std::uint32_t>* writers = region.writers.get();
  constexpr auto relaxed = std::memory_order_relaxed;
  const auto own = static_cast<std::uint32_t>(block % 0xFFFFFFF0U) + kFirstBlock;
  if (access == Access::write) {
    if (!region.written.load(relaxed)) region.written.store(true, relaxed);
    for (std::uint64_t i = first; i <= last; ++i) {
      const std::uint32_t before = writers[i].load(relaxed);
      if (before >= kFirstBlock && before != own) return Fault::race;
      if (before != own) {
        const std::uint32_t seen = writers[i].exchange(own, relaxed);
        if (seen >= kFirstBlock && seen != own) return Fault::race;
      }
    }
    return Fault::none;
  }
  // Atomics may order what other blocks wrote, so with them in a kernel reads are not judged.
  const bool other_writers_matter = !has_atomics_ && region.written.load(relaxed);
  if (!other_writers_matter && !region.storage.undefined && access == Access::read) return Fault::none;
  for (std::uint64_t i = first; i <= last; ++i) {
    const std::uint32_t writer = writers[i].load(relaxed);
    if (writer == 0 && region.storage.undefined) return Fault::undefined;
    if (other_writers_matter && writer >= kFirstBlock && writer != own) return Fault::race;
  }
  return Fault::none;
}

std::string Guards::describe(std::uint64_t address) const {
  for (const NamedArray& named : arrays_) {
    if (const auto index = element_at(named.array, address)) {
      return fmt::format("element [{}] of argument {}", fmt::join(*index, ", "), named.number);
    }
  }
  const Region* nearest = nullptr;
  std::uint64_t distance = ~std::uint64_t{0};
  std::string where;
  for (const auto& region : regions_) {
    const std::uint64_t begin = region->storage.begin;
    const std::uint64_t end = begin + region->storage.bytes;
    const std::string& name = region->storage.name;
    std::uint64_t away = 0;
    std::string text;
    if (address < begin) {
      away = begin - address;
      text = fmt::format("{} bytes before the start of {}", away, name);
    } else if (address >= end) {
      away = address - end;
      text = fmt::format("{} bytes behind the end of {}", away, name);
    } else {
      text = fmt::format("byte {} of {}", address - begin, name);
    }
    if (!nearest || away < distance) {
      nearest = region.get();
      distance = away;
      where = text;
    }
  }
  if (!nearest || distance > (std::uint64_t{1} << 30)) {
    return address == 0 ? "the null pointer" : fmt::format("address {:#x}, which is in no argument", address);
  }
  return where;
}

}  // namespace tileport::cpu
