// SPDX-License-Identifier: Apache-2.0
// The state of one thread that runs blocks, and what all threads of a launch share.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>

#include "cpu/guards.hpp"
#include "cpu/plan.hpp"

namespace tileport::cpu {

/// Grows, is aligned, and forgets what it held.
class Scratch {
 public:
  /// Throws std::bad_alloc beyond the limit, which becomes a diagnostic where the thread began.
  std::byte* bytes(std::size_t count);
  std::uint64_t limit = ~std::uint64_t{0};

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_ = 0;
};

struct Launch {
  const Plan& plan;
  std::array<std::int64_t, 3> grid;
  Limits limits;
  std::chrono::steady_clock::time_point deadline{};
  Guards* guards = nullptr;  ///< Null if unchecked.
  std::atomic<bool> stopped = false;
  std::atomic<std::uint64_t> work = 0;
  std::mutex mutex;  ///< Of what follows.
  Diagnostics errors;
  std::map<std::uint64_t, std::string> printed;  ///< By block.
  std::uint64_t printed_bytes = 0;
};

class Frame {
 public:
  explicit Frame(Launch& launch) : launch(launch), slots(launch.plan.slots.size()) {
    for (Scratch& each : scratch) each.limit = launch.limits.bytes;
  }

  Launch& launch;
  std::vector<std::byte*> slots;
  std::array<std::int32_t, 3> block{};
  std::uint64_t block_number = 0;
  std::uint64_t lanes = 1;
  std::uint64_t steps = 0;        ///< Of this block.
  std::uint64_t total_steps = 0;  ///< Of the blocks before.
  std::uint64_t work = 0;         ///< Since it was added to the launch's.
  std::array<Scratch, 6>
      scratch;  ///< Of one instruction; reductions, whose bodies run inside, have their own.
  std::vector<std::array<Scratch, 2>> reduction_scratch;
  std::size_t reduction_depth = 0;

  template <class T = std::byte>
  T* at(const Operand& operand) const {
    return reinterpret_cast<T*>(slots[operand.slot]);
  }
  template <class T>
  T scalar(const Operand& operand) const {
    T value;
    std::memcpy(&value, slots[operand.slot], sizeof(T));
    return value;
  }
  /// An integer of any width.
  std::int64_t integer(const Operand& operand, bool is_signed) const;

  std::uint64_t count(const Instruction& instruction) const {
    return instruction.lanes ? lanes : instruction.count;
  }
  /// All elements: a uniform value is written out to scratch memory.
  const std::byte* full(const Operand& operand, std::uint64_t count, std::size_t scratch_number);

  Signal run(const Code& code) {
    for (const Instruction& instruction : code) {
      work += count(instruction);
      if ((++steps & 0x3F) == 0 && !may_go_on(instruction)) return Signal::failed;
      const Signal signal = instruction.execute(*this, instruction);
      if (signal != Signal::next) return signal;
    }
    return Signal::next;
  }
  /// False, with the reason noted, if a limit is reached or another thread failed.
  bool may_go_on(const Instruction& instruction);

  /// Notes why this block can't go on.
  Signal fail(const Instruction& instruction, std::string_view code, std::string message,
              std::string advice = "");
  std::string block_name() const;
  void print(std::string text);
};

/// Fills `count` elements of `size` bytes with one.
void fill(std::byte* to, const std::byte* element, std::size_t size, std::uint64_t count);

Place place_of(const ir::Module& module, ir::OpId op);

}  // namespace tileport::cpu
