// SPDX-License-Identifier: Apache-2.0
// Executes kernels of Tile IR modules on the CPU, on memory of the caller, in place.
//
// `compile` makes a program of a kernel once: flat lists of vectorised instructions over buffers that are
// laid out before the run. `launch` runs it for every block of a grid, blocks over threads.
//
// Diagnostics:
//   TP-E0001  an op, or a form of it, that can't be executed on one CPU; the reason
//   TP-E0002  no such kernel, or which one is not clear
//   TP-E0003  wrong number or kind of arguments
//   TP-E0004  an array of another element type than its parameter points to
//   TP-E0005  a grid that is no grid
//   TP-E0006  a processor that the compiled kernels don't run on
//   TP-E0010  limit of memory   TP-E0011  of time   TP-E0012  of steps   TP-E0013  of blocks
//   TP-E0014  of work
// Guards (all but the last two are off by `unchecked`):
//   TP-E0020  an access outside of every storage, or a write to one that is read-only
//   TP-E0021  two blocks touch one address without atomics, and at least one writes
//   TP-E0022  a read of what nobody has written
//   TP-E0023  a broken promise: assume
//   TP-E0024  a broken promise: inbounds
//   TP-E0025  an index outside of a tile
//   TP-E0026  integer division by zero, a shift by the width or more, a broken promise of no overflow
//   TP-E0030  an assert failed   TP-E0031  a loop whose step is not positive
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tileport/core/diagnostic.hpp>
#include <tileport/ir/module.hpp>
#include <variant>
#include <vector>

namespace tileport::cpu {

/// In which order the elements of a reduction are combined. Floating sums depend on it; the IR leaves it
/// open. All three combine the identity last.
enum class ReductionOrder : std::uint8_t {
  halves,      ///< x[i] with x[i + n/2], then the halves of that, and so on. The default.
  neighbours,  ///< x[2i] with x[2i + 1], and so on.
  sequential,  ///< ((x[0], x[1]), x[2]) …
};

struct Limits {
  double seconds = 0;                             ///< Of one launch; 0: none.
  std::uint64_t bytes = std::uint64_t{4} << 30;   ///< Tile buffers and shadow memory of one launch.
  std::uint64_t steps = 0;                        ///< Instructions of one block; 0: none.
  std::uint64_t blocks = std::uint64_t{1} << 32;  ///< Of the grid.
  /// Elements that all instructions of a launch compute together; sixteen multiplications of an mma count as
  /// one. Unlike seconds the same on every machine. 0: none.
  std::uint64_t work = 0;
};

/// What elements are that the program leaves open: of loads that are masked out or reach outside of their
/// tensor and have no padding.
enum class Unspecified : std::uint8_t {
  nan,   ///< NaN (integers: -1), so that whatever uses them shows.
  zero,  ///< What GPUs give for tiles that reach outside of a tensor.
};

struct CompileOptions {
  std::string kernel{};  ///< Its name; may be empty if the module has one.
  bool unchecked = false;
  ReductionOrder reduction_order = ReductionOrder::halves;
  Unspecified unspecified = Unspecified::nan;
};

struct LaunchOptions {
  Limits limits{};
  /// 0: as many as the process may use. Kernels with atomics run their blocks in order on one thread unless
  /// `any_order`, so that sums of floats come out the same each time.
  unsigned threads = 0;
  bool any_order = false;
};

/// Memory that a kernel may access: what the caller's arrays lie in.
struct Storage {
  std::uint64_t begin = 0;  ///< Address.
  std::uint64_t bytes = 0;
  bool writable = true;
  bool undefined = false;  ///< Nobody has written there before the launch.
  std::string name{};      ///< For messages: "argument 2".
};

/// An array argument. Shape and strides are in elements.
struct Array {
  std::uint64_t address = 0;  ///< Of element 0.
  ir::TypeKind element{};
  std::vector<std::int64_t> shape{};
  std::vector<std::int64_t> strides{};
  Storage storage{};
};
using Argument = std::variant<std::int64_t, double, Array>;

struct LaunchResult {
  std::string printed{};  ///< By print_tko, block by block.
  std::uint64_t blocks = 0;
  std::uint64_t instructions = 0;
  std::uint64_t work = 0;  ///< As Limits::work counts it.
  unsigned threads = 0;
  double seconds = 0;
};

struct Plan;

/// A compiled kernel. Copies share it; launches of it may run at the same time.
class Program {
 public:
  explicit Program(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}
  std::string_view kernel() const;
  /// Element type of each parameter; `pointer` for pointers.
  std::vector<ir::TypeKind> parameters() const;
  /// Instructions, and bytes of tile buffers a thread: what the plan costs.
  std::size_t instruction_count() const;
  std::size_t buffer_bytes() const;
  const Plan& plan() const { return *plan_; }

 private:
  std::shared_ptr<const Plan> plan_;
};

/// The module must be valid (`verify`). It is kept: places in the source are looked up in it.
Result<Program> compile(std::shared_ptr<const ir::Module> module, const CompileOptions& options = {});

/// Arguments are one a parameter, an array standing for its address; or, if that is not their number, one a
/// parameter of the source language, where an array stands for its address, extents and strides, as cuTile
/// passes them. `more` is memory that the kernel reaches in other ways, through tables of pointers.
/// Arrays must outlive the call. On an error memory may have been written.
Result<LaunchResult> launch(const Program& program, std::array<std::int64_t, 3> grid,
                            std::span<const Argument> arguments, std::span<const Storage> more = {},
                            const LaunchOptions& options = {});

/// The ops that can't be executed, and why.
struct Refusal {
  std::string_view mnemonic;
  std::string_view reason;
};
std::span<const Refusal> refusals();
/// Whether there is a function that executes an op.
bool executes(std::string_view mnemonic);

}  // namespace tileport::cpu
