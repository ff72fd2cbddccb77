// SPDX-License-Identifier: Apache-2.0
// Places of buffers. A value lives from the instruction that defines it to the last one in the same list that
// uses it, itself or in a body below. Bodies are visited while the values around them live.
#include <algorithm>
#include <map>

#include "cpu/plan.hpp"

namespace tileport::cpu {
namespace {

class Placement {
 public:
  explicit Placement(Plan& plan) : plan_(plan), lives_(plan.slots.size()) {}

  void run() {
    for (const Parameter& parameter : plan_.parameters) mark_shared(parameter.slot);
    for (const GlobalUse& global : plan_.globals) mark_shared(global.slot);
    for (const Instruction& instruction : plan_.once) {
      for (const Operand& made : instruction.out) mark_shared(made.slot);
    }
    scan(plan_.body);
    for (std::size_t slot = 0; slot < plan_.slots.size(); ++slot) {
      SlotPlace& place = plan_.slots[slot];
      if (!place.shared) continue;
      place.offset = plan_.shared_bytes;
      plan_.shared_bytes += rounded(place.bytes);
    }
    place(plan_.body);
    plan_.thread_bytes = end_;
  }

 private:
  struct Life {
    const Code* home = nullptr;
    std::size_t first = 0;
    std::size_t last = 0;
  };
  struct Level {
    const Code* code;
    std::size_t position;
  };

  static std::uint64_t rounded(std::uint64_t bytes) {
    return (std::max<std::uint64_t>(bytes, 1) + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  }

  void mark_shared(Slot slot) {
    if (slot != kNoSlot) plan_.slots[slot].shared = true;
  }

  void scan(const Code& code) {
    levels_.push_back({&code, 0});
    for (std::size_t i = 0; i < code.size(); ++i) {
      levels_.back().position = i;
      for (const Operand& made : code[i].out) define(made.slot);
      for (const Operand& used : code[i].in) use(used.slot);
      if (!code[i].payload) continue;
      for (const Code* body : code[i].payload->bodies()) scan(*body);
    }
    levels_.pop_back();
  }

  void define(Slot slot) {
    if (slot == kNoSlot || plan_.slots[slot].shared) return;
    Life& life = lives_[slot];
    if (!life.home) life = {levels_.back().code, levels_.back().position, levels_.back().position};
    use(slot);
  }

  void use(Slot slot) {
    if (slot == kNoSlot || plan_.slots[slot].shared) return;
    Life& life = lives_[slot];
    for (const Level& level : levels_) {
      if (level.code == life.home) life.last = std::max(life.last, level.position);
    }
  }

  void place(const Code& code) {
    std::multimap<std::size_t, Slot> ends;
    for (std::size_t i = 0; i < code.size(); ++i) {
      for (const Operand& made : code[i].out) {
        if (made.slot == kNoSlot || plan_.slots[made.slot].shared) continue;
        const Life& life = lives_[made.slot];
        if (life.home != &code || life.first != i || placed_[made.slot]) continue;
        placed_[made.slot] = true;
        take(plan_.slots[made.slot]);
        if (!plan_.slots[made.slot].exclusive) ends.emplace(life.last, made.slot);
      }
      if (code[i].payload) {
        for (const Code* body : code[i].payload->bodies()) place(*body);
      }
      const auto [begin, end] = ends.equal_range(i);
      for (auto it = begin; it != end; ++it) give(plan_.slots[it->second]);
      ends.erase(begin, end);
    }
    for (const auto& [position, slot] : ends) give(plan_.slots[slot]);
  }

  void take(SlotPlace& place) {
    const std::uint64_t bytes = rounded(place.bytes);
    const auto found = place.exclusive ? free_.end() : free_.lower_bound(bytes);
    if (found != free_.end() && found->first <= 2 * bytes) {
      place.offset = found->second;
      if (found->first > bytes) free_.emplace(found->first - bytes, found->second + bytes);
      free_.erase(found);
      return;
    }
    place.offset = end_;
    end_ += bytes;
  }
  void give(const SlotPlace& place) { free_.emplace(rounded(place.bytes), place.offset); }

  Plan& plan_;
  std::vector<Life> lives_;
  std::map<Slot, bool> placed_;
  std::vector<Level> levels_;
  std::multimap<std::uint64_t, std::uint64_t> free_;  ///< Bytes → offset.
  std::uint64_t end_ = 0;
};

}  // namespace

void place_slots(Plan& plan) { Placement(plan).run(); }

}  // namespace tileport::cpu
