// SPDX-License-Identifier: Apache-2.0
#include "cpu/checks.hpp"

#include <fmt/format.h>

#include "cpu/frame.hpp"

namespace tileport::cpu {
namespace {

using ir::TypeKind;

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

/// Element `i` of an operand, sign- or zero-extended.
std::int64_t element(const Frame& frame, const Operand& operand, std::uint64_t i, bool is_signed) {
  const std::byte* at = frame.at(operand) + (operand.uniform ? 0 : i * operand.size);
  switch (operand.size) {
    case 1: {
      std::uint8_t byte;
      std::memcpy(&byte, at, 1);
      if (operand.kind == TypeKind::i1) return is_signed ? -(byte & 1) : byte & 1;
      if (operand.kind == TypeKind::i4) return is_signed ? ((byte & 15) ^ 8) - 8 : byte & 15;
      return is_signed ? static_cast<std::int8_t>(byte) : byte;
    }
    case 2: {
      std::uint16_t word;
      std::memcpy(&word, at, 2);
      return is_signed ? static_cast<std::int16_t>(word) : word;
    }
    case 4: {
      std::uint32_t word;
      std::memcpy(&word, at, 4);
      return is_signed ? static_cast<std::int32_t>(word) : static_cast<std::int64_t>(word);
    }
    default: {
      std::int64_t word;
      std::memcpy(&word, at, 8);
      return word;
    }
  }
}

struct IntegerCheck final : Payload {
  IntegerOp op{};
  bool is_signed = false;
  bool no_signed_wrap = false;
  bool no_unsigned_wrap = false;
  unsigned bits = 0;
};

bool divides(IntegerOp op) { return op >= IntegerOp::div_signed && op <= IntegerOp::rem_unsigned; }
bool shifts(IntegerOp op) {
  return op == IntegerOp::shl || op == IntegerOp::shr_signed || op == IntegerOp::shr_unsigned;
}

Signal check_divisors(Frame& frame, const Instruction& instruction) {
  const auto& check = static_cast<const IntegerCheck&>(*instruction.payload);
  const std::uint64_t count = frame.count(instruction);
  const std::int64_t lowest = check.bits == 64 ? INT64_MIN : -(std::int64_t{1} << (check.bits - 1));
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::int64_t divisor = element(frame, instruction.in[1], i, check.is_signed);
    if (divisor == 0) {
      return frame.fail(instruction, "TP-E0026", fmt::format("element {} is divided by zero", i));
    }
    if (check.is_signed && divisor == -1 && element(frame, instruction.in[0], i, true) == lowest) {
      return frame.fail(
          instruction, "TP-E0026",
          fmt::format("element {}: {} divided by -1 does not fit in i{}", i, lowest, check.bits));
    }
  }
  return Signal::next;
}

Signal check_shifts(Frame& frame, const Instruction& instruction) {
  const auto& check = static_cast<const IntegerCheck&>(*instruction.payload);
  const std::uint64_t count = frame.count(instruction);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto by = static_cast<std::uint64_t>(element(frame, instruction.in[1], i, false));
    if (by >= check.bits) {
      return frame.fail(instruction, "TP-E0026",
                        fmt::format("element {} of {} bits is shifted by {}", i, check.bits, by));
    }
  }
  return Signal::next;
}

Wide exact(IntegerOp op, Wide a, Wide b) {
  switch (op) {
    case IntegerOp::add:
      return a + b;
    case IntegerOp::sub:
      return a - b;
    case IntegerOp::mul:
      return a * b;
    case IntegerOp::neg:
      return -a;
    case IntegerOp::shl:
      return b < 63 ? a * (Wide{1} << static_cast<int>(b)) : a;
    default:
      return a;  // trunci: the number itself, which must fit.
  }
}

bool fits(Wide value, unsigned bits, bool is_signed) {
  const Wide one = 1;
  if (is_signed) return value >= -(one << (bits - 1)) && value < one << (bits - 1);
  return value >= 0 && value < one << bits;
}

Signal check_overflow(Frame& frame, const Instruction& instruction) {
  const auto& check = static_cast<const IntegerCheck&>(*instruction.payload);
  const std::uint64_t count = frame.count(instruction);
  const bool two = instruction.in.size() > 1;
  for (const bool is_signed : {true, false}) {
    if (!(is_signed ? check.no_signed_wrap : check.no_unsigned_wrap)) continue;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto extend = [&](std::int64_t value) {
        return is_signed ? Wide{value} : Wide{static_cast<std::uint64_t>(value)};
      };
      const Wide a = extend(element(frame, instruction.in[0], i, is_signed));
      const Wide b = two ? extend(element(frame, instruction.in[1], i, is_signed)) : Wide{0};
      // The only exact result that 127 bits don't hold.
      const bool too_large = !is_signed && check.op == IntegerOp::mul &&
                             static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b) >> 64 != 0;
      if (too_large || !fits(exact(check.op, a, b), check.bits, is_signed)) {
        return frame.fail(
            instruction, "TP-E0026",
            fmt::format("element {} overflows, as {} of {}{}{} in {} bits, and the op promises that "
                        "it does not",
                        i, is_signed ? "signed" : "unsigned", static_cast<std::int64_t>(a), two ? ", " : "",
                        two ? fmt::to_string(static_cast<std::int64_t>(b)) : "", check.bits),
            "the source's promise (no_signed_wrap, no_unsigned_wrap) is wrong for these inputs");
      }
    }
  }
  return Signal::next;
}

void add_check(Op op, const std::shared_ptr<IntegerCheck>& check, Execute execute) {
  Compiler& compiler = op.compiler;
  Instruction& made = compiler.effect(op.id, op.operands(), execute, check);
  const bool uniform = compiler.all_uniform(op.operands());
  made.lanes = compiler.scope().lanes != 0 && !uniform;
  made.count = uniform ? 1 : compiler.count(op.result());
}

struct AssumeCheck final : Payload {
  ir::Attribute predicate{};
  std::vector<std::int64_t> shape{};
  bool is_pointer = false;
};

/// Offsets of the groups that `every` and `along` make of a tile: element i starts one if its place along the
/// dimension is a multiple of `every`.
bool starts_group(const AssumeCheck& check, std::uint64_t i) {
  if (!check.predicate.first || !check.predicate.second) return true;
  const auto along = static_cast<std::size_t>(*check.predicate.second);
  std::uint64_t inner = 1;
  for (std::size_t d = along + 1; d < check.shape.size(); ++d)
    inner *= static_cast<std::uint64_t>(check.shape[d]);
  const std::uint64_t place = i / inner % static_cast<std::uint64_t>(check.shape[along]);
  return place % static_cast<std::uint64_t>(*check.predicate.first) == 0;
}

Signal broken(Frame& frame, const Instruction& instruction, std::uint64_t i, std::int64_t value,
              const std::string& promise) {
  return frame.fail(instruction, "TP-E0023",
                    fmt::format("the program promises that {}, and element {} is {}", promise, i, value),
                    "the arguments don't keep what the kernel was compiled for");
}

Signal check_divisible(Frame& frame, const Instruction& instruction) {
  const auto& check = static_cast<const AssumeCheck&>(*instruction.payload);
  const std::uint64_t divisor = check.predicate.bits;
  if (divisor == 0) return Signal::next;
  for (std::uint64_t i = 0; i < instruction.count; ++i) {
    if (instruction.count != 1 && !starts_group(check, i)) continue;
    const std::int64_t value = element(frame, instruction.in[0], i, true);
    const bool divides = check.is_pointer ? static_cast<std::uint64_t>(value) % divisor == 0
                                          : (value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                                                       : static_cast<std::uint64_t>(value)) %
                                                    divisor ==
                                                0;
    if (!divides) return broken(frame, instruction, i, value, fmt::format("{} divides it", divisor));
  }
  return Signal::next;
}

Signal check_bounded(Frame& frame, const Instruction& instruction) {
  const auto& check = static_cast<const AssumeCheck&>(*instruction.payload);
  for (std::uint64_t i = 0; i < instruction.count; ++i) {
    const std::int64_t value = element(frame, instruction.in[0], i, true);
    if (check.predicate.first && value < *check.predicate.first) {
      return broken(frame, instruction, i, value, fmt::format("it is at least {}", *check.predicate.first));
    }
    if (check.predicate.second && value > *check.predicate.second) {
      return broken(frame, instruction, i, value, fmt::format("it is at most {}", *check.predicate.second));
    }
  }
  return Signal::next;
}

/// All elements of a group, numbers[d] long in each dimension, are equal to its first.
Signal check_same(Frame& frame, const Instruction& instruction) {
  const auto& check = static_cast<const AssumeCheck&>(*instruction.payload);
  const auto& groups = check.predicate.numbers;
  for (std::uint64_t i = 0; i < instruction.count; ++i) {
    std::uint64_t first = 0;
    std::uint64_t rest = i;
    std::uint64_t inner = 1;
    for (std::size_t d = check.shape.size(); d-- > 0;) {
      const auto extent = static_cast<std::uint64_t>(check.shape[d]);
      const std::uint64_t place = rest % extent;
      rest /= extent;
      const std::uint64_t group =
          d < groups.size() && groups[d] > 0 ? static_cast<std::uint64_t>(groups[d]) : 1;
      first += (place - place % group) * inner;
      inner *= extent;
    }
    const std::int64_t value = element(frame, instruction.in[0], i, true);
    const std::int64_t expected = element(frame, instruction.in[0], first, true);
    if (value != expected) {
      return broken(frame, instruction, i, value,
                    fmt::format("it equals element {}, which is {}", first, expected));
    }
  }
  return Signal::next;
}

}  // namespace

void check_integers(Op op, IntegerOp kernel) {
  if (!op.compiler.checked()) return;
  auto check = std::make_shared<IntegerCheck>();
  check->op = kernel;
  check->is_signed = kernel == IntegerOp::div_signed || kernel == IntegerOp::div_floor ||
                     kernel == IntegerOp::div_ceil_signed || kernel == IntegerOp::rem_signed;
  check->bits = ir::bit_width(op.compiler.element(op.result()));
  if (divides(kernel)) add_check(op, check, check_divisors);
  if (shifts(kernel)) add_check(op, check, check_shifts);
  const std::string_view overflow = op.enumerator("overflow");
  check->no_signed_wrap = overflow == "no_signed_wrap" || overflow == "no_wrap";
  check->no_unsigned_wrap = overflow == "no_unsigned_wrap" || overflow == "no_wrap";
  if (check->no_signed_wrap || check->no_unsigned_wrap) add_check(op, check, check_overflow);
}

namespace {

/// Whether a value is a constant, perhaps with promises of its own about it.
bool is_constant(const ir::Module& module, ir::ValueId value) {
  for (auto producer = module.producer_of(value); producer; producer = module.producer_of(value)) {
    if (module.op(*producer).info->is("constant")) return true;
    if (!module.op(*producer).info->is("assume")) return false;
    value = module.operand(*producer, 0);
  }
  return false;
}

}  // namespace

void check_assume(Op op) {
  if (!op.compiler.checked()) return;
  // What a front end says of its own constants is nothing that a launch could break. cuda-tile 1.7.0 promises
  // of the stride 1 of a dimension of extent 1, which nothing is ever multiplied with, that 16 bytes divide
  // it.
  if (is_constant(op.module(), op.operand(0))) return;
  const ir::Attribute* predicate = op.tagged("predicate");
  const ir::ValueId value = op.operand(0);
  if (!predicate || op.compiler.type(value).kind != TypeKind::tile) return;
  auto check = std::make_shared<AssumeCheck>();
  check->predicate = *predicate;
  check->shape = op.compiler.shape(value);
  check->is_pointer = op.compiler.element(value) == TypeKind::pointer;
  Execute execute = nullptr;
  switch (predicate->kind) {
    case ir::Attribute::Kind::div_by:
      execute = check_divisible;
      break;
    case ir::Attribute::Kind::bounded:
      execute = check_bounded;
      break;
    case ir::Attribute::Kind::same_elements:
      execute = check_same;
      break;
    default:
      return;
  }
  Instruction& made = op.compiler.effect(op.id, op.operands(), execute, check);
  made.count = op.compiler.use(value).uniform ? 1 : op.compiler.count(value);
}

}  // namespace tileport::cpu
