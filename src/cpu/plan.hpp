// SPDX-License-Identifier: Apache-2.0
// What a kernel is compiled to: flat lists of instructions over buffers.
//
// Every value that needs memory has a slot: a number of the table of pointers that each thread has. A
// *uniform* value is a tile whose elements are known to be equal; its buffer holds one. Instructions that
// depend on constants, arguments and the grid only are in `once`, which runs once a launch; their slots are
// shared. Bodies of reductions are compiled for *lanes*: the body's scalars are vectors there, of as many
// lanes as there are pairs to combine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tileport/cpu/launch.hpp>
#include <tileport/ir/module.hpp>
#include <vector>

namespace tileport::cpu {

class Frame;
struct Instruction;
using Code = std::vector<Instruction>;
using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = 0xFFFFFFFF;

/// How an instruction ends: what runs next.
enum class Signal : std::uint8_t { next, loop_continue, loop_break, leave, failed };

struct Operand {
  Slot slot = kNoSlot;
  bool uniform = false;
  std::uint8_t size = 0;  ///< Bytes of one element.
  ir::TypeKind kind{};    ///< Of an element; of views and tokens their own.
};

/// What an instruction knows besides its operands.
struct Payload {
  Payload() = default;
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;
  virtual ~Payload() = default;
  /// The bodies of a region op.
  virtual std::vector<Code*> bodies() { return {}; }
};

using Execute = Signal (*)(Frame& frame, const Instruction& instruction);

struct Instruction {
  Execute execute = nullptr;
  ir::OpId op{};
  bool lanes = false;       ///< `count` is the frame's number of lanes.
  std::uint64_t count = 1;  ///< Elements to compute; 1 if the result is uniform.
  std::vector<Operand> in{};
  std::vector<Operand> out{};
  std::shared_ptr<Payload> payload{};
};

struct SlotPlace {
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;
  bool shared = false;
  /// Its buffer is nobody else's: the carried values of a loop change pointers with what they become.
  bool exclusive = false;
};

struct Parameter {
  Slot slot = kNoSlot;
  ir::TypeKind kind{};     ///< An element kind or pointer.
  ir::TypeKind pointee{};  ///< Of a pointer.
};

struct Alloca {
  Slot slot = kNoSlot;
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;
};

struct GlobalUse {
  Slot slot = kNoSlot;
  std::uint32_t global = 0;  ///< In Module::globals.
};

struct Plan {
  std::shared_ptr<const ir::Module> module;
  std::string kernel;
  CompileOptions options;
  std::vector<Parameter> parameters;
  Code once;
  Code body;
  std::vector<SlotPlace> slots;
  std::uint64_t shared_bytes = 0;
  std::uint64_t thread_bytes = 0;
  std::vector<Alloca> allocas;
  std::vector<GlobalUse> globals;
  bool has_atomics = false;
  unsigned granule = 8;  ///< Bytes of the narrowest element that goes to memory: what guards tell apart.
};

/// The most dimensions that a view can have here.
inline constexpr std::size_t kMostDimensions = 8;

/// What a slot of a tensor_view holds, and of the views of tiles on it.
struct TensorView {
  std::uint64_t base = 0;
  std::int64_t shape[kMostDimensions] = {};
  std::int64_t strides[kMostDimensions] = {};
};

inline constexpr std::uint64_t kBufferAlignment = 64;

/// Gives every slot its place; slots whose values don't live at the same time share bytes.
void place_slots(Plan& plan);

}  // namespace tileport::cpu
