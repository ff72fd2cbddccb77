// SPDX-License-Identifier: Apache-2.0
// Runs a plan: arguments into slots, what depends on nothing else once, then the blocks over threads.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <thread>
#include <utility>

#include "cpu/arguments.hpp"
#include "cpu/element.hpp"
#include "cpu/frame.hpp"
#include "cpu/printing.hpp"

namespace tileport::cpu {
namespace {

using Memory = std::unique_ptr<std::byte, void (*)(void*)>;

Memory aligned_memory(std::uint64_t bytes) {
  const std::uint64_t rounded = (std::max<std::uint64_t>(bytes, 64) + 63) / 64 * 64;
  return {static_cast<std::byte*>(std::aligned_alloc(kBufferAlignment, rounded)), &std::free};
}

Diagnostic out_of_memory(const Plan& plan, std::uint64_t needed, std::uint64_t limit) {
  return {.code = "TP-E0010",
          .message = fmt::format("kernel {} needs {} bytes of buffers and guards, and the limit is {}",
                                 plan.kernel, needed, limit),
          .place = {.file = plan.module->file},
          .advice = "raise the limit of bytes, use fewer threads, or run unchecked"};
}

Result<std::uint64_t> block_count(const Plan& plan, std::array<std::int64_t, 3> grid, const Limits& limits) {
  const auto bad = [&](std::string code, std::string message) {
    return fail({.code = std::move(code),
                 .message = fmt::format("kernel {}: grid ({}, {}, {}) {}", plan.kernel, grid[0], grid[1],
                                        grid[2], message),
                 .place = {.file = plan.module->file}});
  };
  std::uint64_t blocks = 1;
  for (const std::int64_t extent : grid) {
    if (extent < 0 || extent > INT32_MAX) return bad("TP-E0005", "has an extent that is no number of blocks");
    if (extent != 0 && blocks > limits.blocks / static_cast<std::uint64_t>(extent)) {
      return bad("TP-E0013", fmt::format("has more blocks than the limit, {}", limits.blocks));
    }
    blocks *= static_cast<std::uint64_t>(extent);
  }
  return blocks;
}

unsigned thread_count(const Plan& plan, std::uint64_t blocks, const LaunchOptions& options) {
  if (plan.has_atomics && !options.any_order) return 1;
  unsigned threads = options.threads;
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::clamp<std::uint64_t>(blocks, 1, threads));
}

/// Memory that alloca and globals stand for.
struct OwnMemory {
  std::vector<Memory> memory;
  std::vector<Storage> storages;

  std::byte* add(std::uint64_t bytes, std::string name, bool writable) {
    memory.push_back(aligned_memory(bytes));
    std::byte* at = memory.back().get();
    if (!at) throw std::bad_alloc();
    storages.push_back({.begin = reinterpret_cast<std::uint64_t>(at),
                        .bytes = std::max<std::uint64_t>(bytes, 1),
                        .writable = writable,
                        .name = std::move(name)});
    return at;
  }
};

class Run {
 public:
  Run(const Program& program, std::array<std::int64_t, 3> grid, const LaunchOptions& options)
      : plan_(program.plan()),
        options_(options),
        launch_{.plan = plan_, .grid = grid, .limits = options.limits} {}

  Result<LaunchResult> operator()(std::span<const Argument> arguments, std::span<const Storage> more) {
    const auto began = std::chrono::steady_clock::now();
    launch_.deadline = began + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                   std::chrono::duration<double>(options_.limits.seconds));
    const auto blocks = block_count(plan_, launch_.grid, options_.limits);
    if (!blocks) return tl::unexpected<Diagnostics>(blocks.error());
    const auto words = argument_words(plan_, arguments);
    if (!words) return tl::unexpected<Diagnostics>(words.error());
    threads_ = thread_count(plan_, *blocks, options_);
    std::uint64_t bytes = plan_.shared_bytes + threads_ * plan_.thread_bytes;
    for (const Alloca& alloca : plan_.allocas) bytes += threads_ * (alloca.bytes + alloca.alignment);
    if (!plan_.options.unchecked) bytes += shadow_estimate(arguments, more);
    if (bytes > options_.limits.bytes) return fail(out_of_memory(plan_, bytes, options_.limits.bytes));
    LaunchResult result{.blocks = *blocks, .threads = threads_};
    if (*blocks > 0) {
      prepare(*words, arguments, more);
      run_blocks(*blocks);
    }
    if (!launch_.errors.empty()) return tl::unexpected<Diagnostics>(std::move(launch_.errors));
    for (auto& [block, text] : launch_.printed) result.printed += text;
    result.instructions = instructions_.load();
    result.work = launch_.work.load();
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return result;
  }

 private:
  std::uint64_t shadow_estimate(std::span<const Argument> arguments, std::span<const Storage> more) const {
    std::uint64_t bytes = 0;
    const auto add = [&](const Storage& storage) { bytes += storage.bytes / plan_.granule * 4; };
    for (const Argument& argument : arguments) {
      if (const auto* array = std::get_if<Array>(&argument)) add(array->storage);
    }
    for (const Storage& storage : more) add(storage);
    return bytes;
  }

  void prepare(std::span<const std::uint64_t> words, std::span<const Argument> arguments,
               std::span<const Storage> more) {
    shared_ = aligned_memory(plan_.shared_bytes);
    if (!shared_) throw std::bad_alloc();
    frames_.push_back(std::make_unique<Frame>(launch_));
    Frame& first = *frames_.front();
    for (std::size_t slot = 0; slot < plan_.slots.size(); ++slot) {
      if (plan_.slots[slot].shared) first.slots[slot] = shared_.get() + plan_.slots[slot].offset;
    }
    for (std::size_t i = 0; i < plan_.parameters.size(); ++i) {
      const Parameter& parameter = plan_.parameters[i];
      std::memcpy(first.slots[parameter.slot], &words[i], tile_bytes(parameter.kind));
    }
    place_globals(first);
    for (unsigned thread = 0; thread < threads_; ++thread) place_thread(thread);
    std::vector<Storage> storages = own_.storages;
    for (const Argument& argument : arguments) {
      if (const auto* array = std::get_if<Array>(&argument)) storages.push_back(array->storage);
    }
    storages.insert(storages.end(), more.begin(), more.end());
    if (!plan_.options.unchecked) {
      guards_ = std::make_unique<Guards>(std::move(storages), arguments, plan_.granule, plan_.has_atomics);
      if (!guards_->ready()) throw std::bad_alloc();
      launch_.guards = guards_.get();
    }
    if (first.run(plan_.once) == Signal::failed) launch_.stopped = true;
    launch_.work.fetch_add(std::exchange(first.work, 0));
  }

  void place_globals(Frame& frame) {
    std::vector<std::uint64_t> addresses(plan_.module->globals.size());
    for (const GlobalUse& use : plan_.globals) {
      std::uint64_t& address = addresses[use.global];
      if (address == 0) {
        const ir::Global& global = plan_.module->globals[use.global];
        const ir::Type& type = plan_.module->type(global.type);
        const std::string bytes =
            tile_elements(plan_.module->constants[static_cast<std::size_t>(global.value)],
                          plan_.module->type(type.element).kind, ir::element_count(type));
        std::byte* memory =
            own_.add(bytes.size(), "global " + plan_.module->string(global.name), !global.is_constant);
        std::memcpy(memory, bytes.data(), bytes.size());
        address = reinterpret_cast<std::uint64_t>(memory);
      }
      std::memcpy(frame.slots[use.slot], &address, sizeof(address));
    }
  }

  void place_thread(unsigned thread) {
    if (thread > 0) {
      frames_.push_back(std::make_unique<Frame>(launch_));
      frames_.back()->slots = frames_.front()->slots;
    }
    Frame& frame = *frames_[thread];
    arenas_.push_back(aligned_memory(plan_.thread_bytes));
    if (!arenas_.back()) throw std::bad_alloc();
    for (std::size_t slot = 0; slot < plan_.slots.size(); ++slot) {
      if (!plan_.slots[slot].shared) frame.slots[slot] = arenas_.back().get() + plan_.slots[slot].offset;
    }
    for (const Alloca& alloca : plan_.allocas) {
      const std::uint64_t alignment = std::max<std::uint64_t>(alloca.alignment, 1);
      std::byte* memory = own_.add(alloca.bytes + alignment, "an alloca", true);
      std::uint64_t address = reinterpret_cast<std::uint64_t>(memory);
      address = (address + alignment - 1) / alignment * alignment;
      std::memcpy(frame.slots[alloca.slot], &address, sizeof(address));
    }
  }

  void run_blocks(std::uint64_t blocks) {
    if (threads_ == 1) {
      run_thread(*frames_.front(), blocks);
      return;
    }
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < threads_; ++i) {
      threads.emplace_back([this, i, blocks] { run_thread(*frames_[i], blocks); });
    }
    run_thread(*frames_.front(), blocks);
    for (std::thread& thread : threads) thread.join();
  }

  /// Takes blocks, several at a time while there are many, until there are none.
  void run_thread(Frame& frame, std::uint64_t blocks) {
    const std::uint64_t chunk = std::clamp<std::uint64_t>(blocks / (8 * threads_), 1, 64);
    try {
      while (!launch_.stopped.load(std::memory_order_relaxed)) {
        const std::uint64_t first = next_.fetch_add(chunk);
        if (first >= blocks) break;
        for (std::uint64_t block = first; block < std::min(first + chunk, blocks); ++block) {
          if (!run_block(frame, block)) return;
        }
      }
    } catch (const std::bad_alloc&) {
      const std::lock_guard lock(launch_.mutex);
      launch_.stopped = true;
      launch_.errors.push_back(out_of_memory(plan_, plan_.thread_bytes, options_.limits.bytes));
    }
    instructions_.fetch_add(frame.total_steps);
    launch_.work.fetch_add(frame.work);
  }

  bool run_block(Frame& frame, std::uint64_t number) {
    const auto x = static_cast<std::uint64_t>(launch_.grid[0]);
    const auto y = static_cast<std::uint64_t>(launch_.grid[1]);
    frame.block = {static_cast<std::int32_t>(number % x), static_cast<std::int32_t>(number / x % y),
                   static_cast<std::int32_t>(number / (x * y))};
    frame.block_number = number;
    frame.steps = 0;
    const Signal signal = frame.run(plan_.body);
    frame.total_steps += frame.steps;
    if (signal == Signal::failed) return false;
    // Blocks of a few instructions never look at the limits themselves.
    return plan_.body.empty() || frame.may_go_on(plan_.body.front());
  }

  const Plan& plan_;
  const LaunchOptions& options_;
  Launch launch_;
  unsigned threads_ = 1;
  Memory shared_{nullptr, &std::free};
  std::vector<Memory> arenas_;
  std::vector<std::unique_ptr<Frame>> frames_;
  OwnMemory own_;
  std::unique_ptr<Guards> guards_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<std::uint64_t> instructions_ = 0;
};

}  // namespace

Result<LaunchResult> launch(const Program& program, std::array<std::int64_t, 3> grid,
                            std::span<const Argument> arguments, std::span<const Storage> more,
                            const LaunchOptions& options) {
  try {
    return Run(program, grid, options)(arguments, more);
  } catch (const std::bad_alloc&) {
    return fail(out_of_memory(program.plan(), program.plan().thread_bytes, options.limits.bytes));
  }
}

}  // namespace tileport::cpu
