// SPDX-License-Identifier: Apache-2.0
// Atomics on one device: every order and scope is the strongest one. Results of masked-out elements are open.
#include <atomic>
#include <bit>

#include "cpu/access.hpp"
#include "cpu/kernels/codecs.hpp"

namespace tileport::cpu {
namespace {

using ir::TypeKind;

/// Numbers are the dialect's AtomicRMWMode.
enum class Mode : std::uint8_t { and_, or_, xor_, add, addf, max, min, umax, umin, xchg };

template <class U>
U changed_integer(Mode mode, U old, U by) {
  using S = std::make_signed_t<U>;
  switch (mode) {
    case Mode::and_:
      return old & by;
    case Mode::or_:
      return old | by;
    case Mode::xor_:
      return old ^ by;
    case Mode::add:
      return static_cast<U>(old + by);
    case Mode::max:
      return static_cast<S>(old) > static_cast<S>(by) ? old : by;
    case Mode::min:
      return static_cast<S>(old) < static_cast<S>(by) ? old : by;
    case Mode::umax:
      return old > by ? old : by;
    case Mode::umin:
      return old < by ? old : by;
    case Mode::addf:
    case Mode::xchg:
      break;
  }
  return by;
}

/// The bits of a sum of two floats of a narrow kind, or of f32.
template <class U>
U float_sum(TypeKind kind, U old, U by) {
  float a, b;
  if (const Decode decode = decoder(kind)) {
    decode(&old, &a, 1);
    decode(&by, &b, 1);
  } else {
    std::memcpy(&a, &old, sizeof(U) < 4 ? sizeof(U) : 4);
    std::memcpy(&b, &by, sizeof(U) < 4 ? sizeof(U) : 4);
  }
  const float sum = a + b;
  U result{};
  if (const Encode encode = encoder(kind, Rounding::nearest_even)) {
    encode(&sum, &result, 1);
  } else {
    std::memcpy(&result, &sum, sizeof(U) < 4 ? sizeof(U) : 4);
  }
  return result;
}

template <class U>
U changed(Mode mode, TypeKind kind, U old, U by) {
  if (mode != Mode::addf) return changed_integer<U>(mode, old, by);
  if constexpr (sizeof(U) == 8) {
    return std::bit_cast<U>(std::bit_cast<double>(old) + std::bit_cast<double>(by));
  } else {
    return float_sum<U>(kind, old, by);
  }
}

/// Changes one element and gives the old one.
template <class U>
U change(std::uint64_t address, Mode mode, TypeKind kind, U by) {
  std::atomic_ref<U> element(*reinterpret_cast<U*>(address));
  U old = element.load();
  while (!element.compare_exchange_weak(old, changed<U>(mode, kind, old, by))) {
  }
  return old;
}

void change_element(std::uint64_t address, Mode mode, TypeKind kind, const std::byte* by, std::byte* old,
                    std::size_t size) {
  const auto run = [&]<class U>(U) {
    U value;
    std::memcpy(&value, by, sizeof(U));
    const U before = change<U>(address, mode, kind, value);
    if (old) std::memcpy(old, &before, sizeof(U));
  };
  switch (size) {
    case 1:
      return run(std::uint8_t{});
    case 2:
      return run(std::uint16_t{});
    case 4:
      return run(std::uint32_t{});
    default:
      return run(std::uint64_t{});
  }
}

template <class U>
void exchange_if_equal(std::uint64_t address, const std::byte* expected, const std::byte* value,
                       std::byte* old) {
  U compare, by;
  std::memcpy(&compare, expected, sizeof(U));
  std::memcpy(&by, value, sizeof(U));
  std::atomic_ref<U> element(*reinterpret_cast<U*>(address));
  element.compare_exchange_strong(compare, by);
  std::memcpy(old, &compare, sizeof(U));
}

struct AtomicAccess final : Payload {
  Mode mode{};
  TypeKind element{};
  std::size_t size = 0;
  bool has_mask = false;
};

bool is_wanted(const Frame& frame, const Operand& mask, std::uint64_t i) {
  return frame.at(mask)[mask.uniform ? 0 : i] != std::byte{0};
}

/// The checks of one element; a misaligned one can't be changed atomically.
bool may_change(Frame& frame, const Instruction& instruction, std::uint64_t address, std::size_t size) {
  if (address % size != 0) {
    frame.fail(instruction, "TP-E0020", "an atomic access is not aligned to its element");
    return false;
  }
  return may_access(frame, instruction, address, size, Access::atomic);
}

Signal run_change(Frame& frame, const Instruction& instruction) {
  const auto& access = static_cast<const AtomicAccess&>(*instruction.payload);
  const std::size_t size = access.size;
  const Operand& pointers = instruction.in[0];
  const Operand& values = instruction.in[1];
  std::byte* old = frame.at(instruction.out[0]);
  for (std::uint64_t i = 0; i < instruction.count; ++i) {
    if (access.has_mask && !is_wanted(frame, instruction.in[2], i)) {
      std::memset(old + i * size, 0, size);
      continue;
    }
    const std::uint64_t address = frame.at<std::uint64_t>(pointers)[pointers.uniform ? 0 : i];
    if (!may_change(frame, instruction, address, size)) return Signal::failed;
    change_element(address, access.mode, access.element, frame.at(values) + (values.uniform ? 0 : i * size),
                   old + i * size, size);
  }
  return Signal::next;
}

Signal run_exchange(Frame& frame, const Instruction& instruction) {
  const auto& access = static_cast<const AtomicAccess&>(*instruction.payload);
  const std::size_t size = access.size;
  const auto at = [&](std::size_t operand, std::uint64_t i) {
    return frame.at(instruction.in[operand]) + (instruction.in[operand].uniform ? 0 : i * size);
  };
  std::byte* old = frame.at(instruction.out[0]);
  for (std::uint64_t i = 0; i < instruction.count; ++i) {
    if (access.has_mask && !is_wanted(frame, instruction.in[3], i)) {
      std::memset(old + i * size, 0, size);
      continue;
    }
    const std::uint64_t address =
        frame.at<std::uint64_t>(instruction.in[0])[instruction.in[0].uniform ? 0 : i];
    if (!may_change(frame, instruction, address, size)) return Signal::failed;
    if (size == 8) {
      exchange_if_equal<std::uint64_t>(address, at(1, i), at(2, i), old + i * size);
    } else if (size == 4) {
      exchange_if_equal<std::uint32_t>(address, at(1, i), at(2, i), old + i * size);
    } else if (size == 2) {
      exchange_if_equal<std::uint16_t>(address, at(1, i), at(2, i), old + i * size);
    } else {
      exchange_if_equal<std::uint8_t>(address, at(1, i), at(2, i), old + i * size);
    }
  }
  return Signal::next;
}

Result<void> through_pointers(Op op, Execute execute, std::vector<Operand> in) {
  Compiler& compiler = op.compiler;
  auto access = std::make_shared<AtomicAccess>();
  access->mode = static_cast<Mode>(op.word("mode"));
  access->element = compiler.element(op.result(0));
  if (is_packed_in_memory(access->element)) return compiler.refuse(op.id, "elements of less than a byte");
  access->size = memory_bytes(access->element);
  if (const auto mask = op.optional("mask")) {
    access->has_mask = true;
    in.push_back(compiler.use(*mask));
  }
  const Operand out = compiler.define(op.result(0), false, compiler.scope());
  Instruction& made =
      compiler.append(compiler.scope(), op.id, std::move(in), {out}, execute, std::move(access));
  made.count = compiler.count(op.result(0));
  compiler.define_token(op.result(1), compiler.scope());
  compiler.plan.has_atomics = true;
  return {};
}

Result<void> read_modify_write(Op op) {
  return through_pointers(op, run_change,
                          {op.compiler.use(op.group("pointers")[0]), op.compiler.use(op.group("arg")[0])});
}

Result<void> compare_and_swap(Op op) {
  return through_pointers(op, run_exchange,
                          {op.compiler.use(op.group("pointers")[0]), op.compiler.use(op.group("cmp")[0]),
                           op.compiler.use(op.group("val")[0])});
}

/// Changes the elements of a box, from the outermost dimension on.
bool change_box(Frame& frame, const Instruction& instruction, const ViewAccess& view, const Box& box,
                std::size_t dimension, std::uint64_t address, const std::byte* from) {
  if (dimension == box.rank) {
    if (address % view.size != 0) return may_change(frame, instruction, address, view.size);
    change_element(address, static_cast<Mode>(view.mode), view.element, from, nullptr, view.size);
    return true;
  }
  const CopyDimension& here = box.dimensions[dimension];
  for (std::int64_t i = 0; i < here.extent; ++i) {
    if (!change_box(frame, instruction, view, box, dimension + 1,
                    address + static_cast<std::uint64_t>(i * here.from_stride) * view.size,
                    from + i * here.to_stride * static_cast<std::int64_t>(view.size))) {
      return false;
    }
  }
  return true;
}

Signal run_view_change(Frame& frame, const Instruction& instruction) {
  const auto& view = static_cast<const ViewAccess&>(*instruction.payload);
  const auto found = find_boxes(frame, instruction, view);
  if (!found) return Signal::failed;
  const std::byte* tile = frame.full(instruction.in.back(), view.tile_count, 0);
  for (const Box& box : found->boxes) {
    const std::byte* from = tile + box.tile_offset * static_cast<std::int64_t>(view.size);
    if (!change_box(frame, instruction, view, box, 0, box.address, from)) return Signal::failed;
  }
  return Signal::next;
}

Result<void> reduce_into_view(Op op) {
  Compiler& compiler = op.compiler;
  auto access = view_access(op, op.group("view")[0], Access::atomic);
  if (!access) return tl::unexpected<Diagnostics>(access.error());
  (*access)->mode = static_cast<std::uint8_t>(op.word("mode"));
  std::vector<Operand> in{compiler.use(op.group("view")[0])};
  for (const ir::ValueId index : op.group("index")) in.push_back(compiler.use(index));
  in.push_back(compiler.use(op.group("value")[0]));
  compiler.append(compiler.scope(), op.id, std::move(in), {}, run_view_change, *access);
  compiler.define_token(op.result(0), compiler.scope());
  compiler.plan.has_atomics = true;
  return {};
}

constexpr Handler kHandlers[] = {
    {"atomic_rmw_tko", read_modify_write},
    {"atomic_cas_tko", compare_and_swap},
    {"atomic_red_view_tko", reduce_into_view},
};

}  // namespace

std::span<const Handler> atomic_handlers() { return kHandlers; }

}  // namespace tileport::cpu
