// SPDX-License-Identifier: Apache-2.0
// What is watched while a kernel runs: which memory it may touch, and which block wrote what.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tileport/cpu/launch.hpp>
#include <vector>

namespace tileport::cpu {

class Guards {
 public:
  /// `granule`: bytes that are told apart; a power of two.
  Guards(std::vector<Storage> storages, std::span<const Argument> arguments, unsigned granule,
         bool has_atomics);

  struct Region {
    Storage storage;
    /// A number a granule: 0 if nobody wrote it but by atomics, or the block that did, from 1 on. Zero pages
    /// until touched.
    std::unique_ptr<std::atomic<std::uint32_t>[], void (*)(void*)> writers { nullptr, nullptr };
    std::atomic<bool> written = false;

    explicit Region(Storage held) : storage(std::move(held)) {}
  };

  enum class Access : std::uint8_t { read, write, atomic };
  enum class Fault : std::uint8_t { none, outside, read_only, race, undefined };

  /// The region that holds [address, address + bytes), or null.
  Region* find(std::uint64_t address, std::uint64_t bytes);
  /// Notes an access to bytes inside of a region by a block, and says what is wrong with it.
  Fault note(Region& region, std::uint64_t address, std::uint64_t bytes, Access access,
             std::uint64_t block) const;

  std::uint64_t shadow_bytes() const { return shadow_bytes_; }
  /// False if there was not enough memory for the shadow.
  bool ready() const { return ready_; }

  /// "element [3, 5] of argument 2", "8 bytes behind the end of argument 0", "address 0x0, in no argument".
  std::string describe(std::uint64_t address) const;

 private:
  struct NamedArray {
    std::size_t number;
    Array array;
  };
  std::vector<std::unique_ptr<Region>> regions_;  ///< By address; they don't overlap.
  std::vector<NamedArray> arrays_;
  unsigned granule_;
  unsigned shift_ = 0;
  bool has_atomics_;
  std::uint64_t shadow_bytes_ = 0;
  bool ready_ = true;
};

}  // namespace tileport::cpu
