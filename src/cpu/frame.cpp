// SPDX-License-Identifier: Apache-2.0
#include "cpu/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace tileport::cpu {
namespace {

constexpr std::uint64_t kMostPrinted = std::uint64_t{16} << 20;

}  // namespace

void Scratch::Free::operator()(std::byte* memory) const { std::free(memory); }

std::byte* Scratch::bytes(std::size_t count) {
  if (count > limit) throw std::bad_alloc();
  if (count > size_ || !memory_) {
    const std::size_t rounded = (std::max<std::size_t>(count, 64) + 63) / 64 * 64;
    memory_.reset();
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(64, rounded)));
    if (!memory_) throw std::bad_alloc();
    size_ = rounded;
  }
  return memory_.get();
}

std::int64_t Frame::integer(const Operand& operand, bool is_signed) const {
  switch (operand.size) {
    case 1: {
      if (operand.kind == ir::TypeKind::i1) {
        const auto bit = static_cast<std::int64_t>(scalar<std::uint8_t>(operand) & 1);
        return is_signed ? -bit : bit;
      }
      return is_signed ? scalar<std::int8_t>(operand)
                       : static_cast<std::int64_t>(scalar<std::uint8_t>(operand));
    }
    case 2:
      return is_signed ? scalar<std::int16_t>(operand)
                       : static_cast<std::int64_t>(scalar<std::uint16_t>(operand));
    case 4:
      return is_signed ? scalar<std::int32_t>(operand)
                       : static_cast<std::int64_t>(scalar<std::uint32_t>(operand));
    default:
      return scalar<std::int64_t>(operand);
  }
}

const std::byte* Frame::full(const Operand& operand, std::uint64_t count, std::size_t scratch_number) {
  if (!operand.uniform || count == 1) return at(operand);
  std::byte* to = scratch[scratch_number].bytes(count * operand.size);
  fill(to, at(operand), operand.size, count);
  return to;
}

bool Frame::may_go_on(const Instruction& instruction) {
  const std::uint64_t all_work = launch.work.fetch_add(work, std::memory_order_relaxed) + work;
  work = 0;
  if (launch.stopped.load(std::memory_order_relaxed)) return false;
  if (launch.limits.work != 0 && all_work > launch.limits.work) {
    fail(instruction, "TP-E0014",
         fmt::format("the launch computed more than the {} elements that the limit allows",
                     launch.limits.work),
         "raise the limit of work, or make the grid smaller");
    return false;
  }
  if (launch.limits.steps != 0 && steps > launch.limits.steps) {
    fail(instruction, "TP-E0012",
         fmt::format("block {} took more than the {} instructions that the limit allows", block_name(),
                     launch.limits.steps),
         "raise the limit of steps if the loop ends");
    return false;
  }
  if (launch.limits.seconds > 0 && std::chrono::steady_clock::now() > launch.deadline) {
    fail(instruction, "TP-E0011",
         fmt::format("the launch took more than the {} seconds that the limit allows", launch.limits.seconds),
         "raise the limit of seconds, or make the grid smaller");
    return false;
  }
  return true;
}

Signal Frame::fail(const Instruction& instruction, std::string_view code, std::string message,
                   std::string advice) {
  const std::lock_guard lock(launch.mutex);
  launch.stopped.store(true, std::memory_order_relaxed);
  Place place;
  if (ir::index(instruction.op) != ir::kNone) place = place_of(*launch.plan.module, instruction.op);
  launch.errors.push_back({.code = std::string(code),
                           .message = std::move(message),
                           .place = std::move(place),
                           .advice = std::move(advice)});
  return Signal::failed;
}

std::string Frame::block_name() const { return fmt::format("({}, {}, {})", block[0], block[1], block[2]); }

void Frame::print(std::string text) {
  const std::lock_guard lock(launch.mutex);
  if (launch.printed_bytes > kMostPrinted) return;
  launch.printed_bytes += text.size();
  launch.printed[block_number] += text;
}

void fill(std::byte* to, const std::byte* element, std::size_t size, std::uint64_t count) {
  switch (size) {
    case 1:
      std::memset(to, std::to_integer<int>(*element), count);
      return;
    case 2: {
      std::uint16_t value;
      std::memcpy(&value, element, 2);
      std::fill_n(reinterpret_cast<std::uint16_t*>(to), count, value);
      return;
    }
    case 4: {
      std::uint32_t value;
      std::memcpy(&value, element, 4);
      std::fill_n(reinterpret_cast<std::uint32_t*>(to), count, value);
      return;
    }
    default: {
      std::uint64_t value;
      std::memcpy(&value, element, 8);
      std::fill_n(reinterpret_cast<std::uint64_t*>(to), count, value);
    }
  }
}

}  // namespace tileport::cpu
