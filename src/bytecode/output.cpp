// SPDX-License-Identifier: Apache-2.0
#include "bytecode/output.hpp"

#include <algorithm>
#include <tuple>

#include "bytecode/format.hpp"

namespace tileport::bytecode {

std::string encode_varint(std::uint64_t value, std::size_t length) {
  std::string bytes;
  while (value >= 0x80 || bytes.size() + 1 < length) {
    bytes += static_cast<char>((value & 0x7F) | 0x80);
    value >>= 7;
  }
  bytes += static_cast<char>(value);
  return bytes;
}

void Output::varint(std::uint64_t value) {
  const std::uint32_t place = state_.place++;
  if (recording()) {
    const std::string_view there = take(original_varint_size());
    if (there != encode_varint(value)) note(place, value, there);
  } else {
    number(place, value);
  }
}

void Output::number(std::uint32_t place, std::uint64_t value) {
  if (const Layout::Deviation* other = deviation(place)) {
    bytes_ += other->value == value ? other->bytes : encode_varint(value, other->bytes.size());
    return;
  }
  while (value >= 0x80) {
    bytes_ += static_cast<char>((value & 0x7F) | 0x80);
    value >>= 7;
  }
  bytes_ += static_cast<char>(value);
}

void Output::byte(std::uint8_t value) {
  const std::uint32_t place = state_.place++;
  const std::string_view plain(reinterpret_cast<const char*>(&value), 1);
  if (recording()) {
    const std::string_view there = take(1);
    if (there != plain) note(place, value, there);
    return;
  }
  const Layout::Deviation* other = deviation(place);
  bytes_ += other && other->value == value ? std::string_view(other->bytes) : plain;
}

void Output::fixed(std::uint64_t value, std::size_t width) {
  if (recording()) {
    take(width);
    return;
  }
  for (std::size_t i = 0; i < width; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFF);
}

void Output::raw(std::string_view bytes) {
  if (recording()) {
    take(bytes.size());
  } else {
    bytes_ += bytes;
  }
}

void Output::align(std::uint64_t alignment) {
  const std::uint32_t place = state_.place++;
  const std::uint64_t count = (alignment - size() % alignment) % alignment;
  if (recording()) {
    const std::string_view there = take(count);
    const bool plain =
        there.size() == count && std::ranges::all_of(there, [](char c) { return c == kFiller; });
    if (!plain) note(place, count, there);
    return;
  }
  const Layout::Deviation* other = deviation(place);
  if (other && other->value == count) {
    bytes_ += other->bytes;
  } else {
    bytes_.append(count, kFiller);
  }
}

void Output::tail() {
  if (recording()) {
    if (!rest().empty()) note(Layout::kTail, 0, take(rest().size()));
  } else if (const Layout::Deviation* other = deviation(Layout::kTail)) {
    bytes_ += other->bytes;
  }
}

std::uint64_t Output::peek_varint() const {
  std::uint64_t value = 0;
  const std::string_view there = original_.substr(position_, original_varint_size());
  for (std::size_t i = 0; i < there.size() && 7 * i < 64; ++i)
    value |= static_cast<std::uint64_t>(there[i] & 0x7F) << (7 * i);
  return value;
}

std::uint64_t Output::take_fixed(std::size_t width) {
  std::uint64_t value = 0;
  const std::string_view there = take(width);
  for (std::size_t i = 0; i < there.size(); ++i)
    value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(there[i])) << (8 * i);
  return value;
}

std::size_t Output::original_varint_size() const {
  std::size_t end = position_;
  while (end < original_.size() && (original_[end] & 0x80) != 0) ++end;
  return std::min(end + 1, original_.size()) - position_;
}

void Output::note(std::uint32_t place, std::uint64_t value, std::string_view there) {
  notes_->deviations.push_back({state_.item, state_.number, place, value, std::string(there)});
}

/// Places are asked for in ascending order.
const Layout::Deviation* Output::deviation(std::uint32_t place) {
  while (state_.next != state_.end && state_.next->place < place) ++state_.next;
  return state_.next != state_.end && state_.next->place == place ? state_.next : nullptr;
}

Output::Scope::Scope(Output& out, Layout::Item item, std::uint32_t number) : out_(out), outside_(out.state_) {
  out.state_ = {.item = item, .number = number};
  if (!out.layout_ || out.layout_->deviations.empty()) return;
  const auto& all = out.layout_->deviations;
  const auto before = [](const Layout::Deviation& a, const std::pair<Layout::Item, std::uint32_t>& b) {
    return std::tie(a.item, a.number) < std::tie(b.first, b.second);
  };
  const auto first = std::lower_bound(all.begin(), all.end(), std::pair(item, number), before);
  auto last = first;
  while (last != all.end() && last->item == item && last->number == number) ++last;
  out.state_.next = all.data() + (first - all.begin());
  out.state_.end = all.data() + (last - all.begin());
}

}  // namespace tileport::bytecode
