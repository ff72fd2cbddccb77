// SPDX-License-Identifier: Apache-2.0
// Pointers, loads and stores through them, and tokens.
//
// Tokens order memory ops; a block runs its ops in the order of the program, which every order of tokens
// contains. So they are no values here.
#include <fmt/format.h>

#include "cpu/access.hpp"
#include "cpu/elementwise.hpp"

namespace tileport::cpu {
namespace {

using ir::TypeKind;

TypeKind pointee(Op op, ir::ValueId pointers) {
  const ir::Type& tile = op.compiler.type(pointers);
  return op.module().type(op.module().type(tile.element).element).kind;
}

Result<void> check_pointee(Op op, TypeKind kind) {
  if (!is_packed_in_memory(kind)) return {};
  return op.compiler.refuse(op.id,
                            "elements of less than a byte are not executed in memory; use i8 and unpack");
}

Result<void> offset(Op op) {
  const TypeKind kind = pointee(op, op.result());
  if (auto packed = check_pointee(op, kind); !packed) return packed;
  auto made = std::make_shared<ElementwiseOp>();
  made->kernel = offset_kernel(memory_bytes(kind));
  made->input_bytes[0] = made->input_bytes[1] = made->result_bytes = 8;
  const TypeKind by = op.compiler.element(op.operand(1));
  if (tile_bytes(by) != 8) {
    made->prepare[1] = integer_resize(tile_bytes(by), 8, true);
    if (by == TypeKind::i1) return op.compiler.refuse(op.id, "an offset of one bit is not executed");
  }
  op.compiler.elementwise(op.id, op.result(), op.operands(), run_elementwise, std::move(made));
  return {};
}

struct PointerAccess final : Payload {
  bool has_mask = false;
  bool has_padding = false;
  TypeKind element{};
  std::size_t size = 0;
};

/// Addresses and masks of an instruction whose first operands they are.
struct Pointers {
  const std::uint64_t* addresses;
  const std::byte* mask;
  std::size_t address_stride;
  std::size_t mask_stride;

  Pointers(const Frame& frame, const Instruction& instruction, std::size_t mask_operand, bool has_mask)
      : addresses(frame.at<std::uint64_t>(instruction.in[0])),
        mask(has_mask ? frame.at(instruction.in[mask_operand]) : nullptr),
        address_stride(instruction.in[0].uniform ? 0 : 1),
        mask_stride(has_mask && !instruction.in[mask_operand].uniform ? 1 : 0) {}

  bool wants(std::uint64_t i) const { return !mask || mask[i * mask_stride] != std::byte{0}; }
  std::uint64_t address(std::uint64_t i) const { return addresses[i * address_stride]; }
  /// How many elements from `i` on are wanted and lie behind each other.
  std::uint64_t run(std::uint64_t i, std::uint64_t count, std::size_t size) const {
    std::uint64_t last = i + 1;
    while (last < count && wants(last) && address(last) == address(last - 1) + size) ++last;
    return last - i;
  }
};

Signal run_load(Frame& frame, const Instruction& instruction) {
  const auto& access = static_cast<const PointerAccess&>(*instruction.payload);
  const Pointers pointers(frame, instruction, 1, access.has_mask);
  const std::uint64_t count = instruction.count;
  const std::size_t size = access.size;
  std::byte* to = frame.at(instruction.out[0]);
  if (access.has_padding) {
    const Operand& padding = instruction.in.back();
    if (padding.uniform) {
      fill(to, frame.at(padding), size, count);
    } else {
      std::memcpy(to, frame.at(padding), count * size);
    }
  } else if (access.has_mask) {
    const std::uint64_t bits = unspecified_bits(frame);
    fill(to, reinterpret_cast<const std::byte*>(&bits), size, count);
  }
  for (std::uint64_t i = 0; i < count;) {
    if (!pointers.wants(i)) {
      ++i;
      continue;
    }
    const std::uint64_t run = pointers.run(i, count, size);
    const std::uint64_t address = pointers.address(i);
    if (!may_access(frame, instruction, address, run * size, Access::read)) return Signal::failed;
    std::memcpy(to + i * size, reinterpret_cast<const void*>(address), run * size);
    i += run;
  }
  if (access.element == TypeKind::i1) normalize_bits(to, count);
  return Signal::next;
}

Result<std::shared_ptr<PointerAccess>> pointer_access(Op op, ir::ValueId pointers) {
  auto access = std::make_shared<PointerAccess>();
  access->element = pointee(op, pointers);
  access->size = memory_bytes(access->element);
  access->has_mask = op.optional("mask").has_value();
  if (auto packed = check_pointee(op, access->element); !packed) {
    return tl::unexpected<Diagnostics>(packed.error());
  }
  return access;
}

Result<void> load_pointers(Op op) {
  Compiler& compiler = op.compiler;
  const ir::ValueId source = op.group("source")[0];
  auto access = pointer_access(op, source);
  if (!access) return tl::unexpected<Diagnostics>(access.error());
  std::vector<Operand> in{compiler.use(source)};
  if (const auto mask = op.optional("mask")) in.push_back(compiler.use(*mask));
  if (const auto padding = op.optional("paddingValue")) {
    in.push_back(compiler.use(*padding));
    (*access)->has_padding = true;
  }
  // Equal addresses, masks and paddings give equal elements.
  bool uniform = true;
  for (const Operand& operand : in) uniform = uniform && operand.uniform;
  const Operand out = compiler.define(op.result(0), uniform, compiler.scope());
  Instruction& made = compiler.append(compiler.scope(), op.id, std::move(in), {out}, run_load, *access);
  made.count = out.uniform ? 1 : compiler.count(op.result(0));
  compiler.define_token(op.result(1), compiler.scope());
  return {};
}

Signal run_store(Frame& frame, const Instruction& instruction) {
  const auto& access = static_cast<const PointerAccess&>(*instruction.payload);
  const Pointers pointers(frame, instruction, 2, access.has_mask);
  const std::uint64_t count = instruction.count;
  const std::size_t size = access.size;
  const std::byte* from = frame.full(instruction.in[1], count, 0);
  for (std::uint64_t i = 0; i < count;) {
    if (!pointers.wants(i)) {
      ++i;
      continue;
    }
    const std::uint64_t run = pointers.run(i, count, size);
    const std::uint64_t address = pointers.address(i);
    if (!may_access(frame, instruction, address, run * size, Access::write)) return Signal::failed;
    std::memcpy(reinterpret_cast<void*>(address), from + i * size, run * size);
    i += run;
  }
  return Signal::next;
}

Result<void> store_pointers(Op op) {
  Compiler& compiler = op.compiler;
  const ir::ValueId destination = op.group("destination")[0];
  const ir::ValueId value = op.group("value")[0];
  auto access = pointer_access(op, destination);
  if (!access) return tl::unexpected<Diagnostics>(access.error());
  std::vector<Operand> in{compiler.use(destination), compiler.use(value)};
  if (const auto mask = op.optional("mask")) in.push_back(compiler.use(*mask));
  Instruction& made = compiler.append(compiler.scope(), op.id, std::move(in), {}, run_store, *access);
  made.count = compiler.count(value);
  compiler.define_token(op.result(0), compiler.scope());
  return {};
}

/// Its memory is given to a thread before it runs; blocks find what the one before left there.
Signal keep(Frame&, const Instruction&) { return Signal::next; }

Result<void> allocate(Op op) {
  Compiler& compiler = op.compiler;
  const TypeKind kind = pointee(op, op.result());
  if (auto packed = check_pointee(op, kind); !packed) return packed;
  const std::uint64_t elements = op.word("num_elem");
  if (elements > (std::uint64_t{1} << 32))
    return compiler.refuse(op.id, "it asks for more than 2^32 elements");
  if (op.word("alignment") > (1U << 20))
    return compiler.refuse(op.id, "it asks for an alignment of over 2^20");
  const Operand out = compiler.define(op.result(), true, compiler.scope());
  compiler.append(compiler.scope(), op.id, {}, {out}, keep);
  compiler.plan.slots[out.slot].exclusive = true;
  compiler.plan.allocas.push_back({out.slot, elements * memory_bytes(kind), op.word("alignment")});
  return {};
}

Result<void> global_address(Op op) {
  Compiler& compiler = op.compiler;
  const ir::Module& module = op.module();
  const std::string& name = module.string(static_cast<ir::StringId>(op.word("name")));
  for (std::uint32_t i = 0; i < module.globals.size(); ++i) {
    if (module.string(module.globals[i].name) != name) continue;
    const Operand out = compiler.define(op.result(), true, compiler.once());
    compiler.plan.globals.push_back({out.slot, i});
    return {};
  }
  return compiler.refuse(op.id, fmt::format("the module has no global {}", name));
}

Result<void> token(Op op) {
  op.compiler.define_token(op.result(), op.compiler.scope());
  return {};
}

constexpr Handler kHandlers[] = {
    {"offset", offset},     {"load_ptr_tko", load_pointers},   {"store_ptr_tko", store_pointers},
    {"alloca", allocate},   {"get_global", global_address},    {"make_token", token},
    {"join_tokens", token}, {"memory_fence_alias_tko", token},
};

}  // namespace

std::span<const Handler> memory_handlers() { return kHandlers; }

}  // namespace tileport::cpu
