// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tileport/ir/type_rules.hpp>

#include "cpu/compiler.hpp"
#include "cpu/frame.hpp"

namespace tileport::cpu {
namespace {

// Ops without a meaning on one device, and what has no semantics to execute.
constexpr Refusal kRefusals[] = {
    {"multimem_load_reduce_view_tko",
     "multimem addresses reach the memory of several devices, and there is one"},
    {"multimem_reduce_view_tko", "multimem addresses reach the memory of several devices, and there is one"},
    {"multimem_store_view_tko", "multimem addresses reach the memory of several devices, and there is one"},
    {"gdc_launch_dependents_tko", "programmatic launches order kernels of a GPU, and one kernel is run here"},
    {"gdc_wait_tko", "programmatic launches order kernels of a GPU, and one kernel is run here"},
    {"preview$call", "what it calls is not in the module"},
};

std::string_view reason_against(std::string_view mnemonic) {
  for (const Refusal& refusal : kRefusals) {
    if (refusal.mnemonic == mnemonic) return refusal.reason;
  }
  return "tileport's executor has no function for it";
}

Result<const ir::Function*> find_kernel(const ir::Module& module, const std::string& name) {
  const ir::Function* found = nullptr;
  std::vector<std::string> names;
  for (const ir::Function& function : module.functions) {
    if (!function.is_kernel) continue;
    names.push_back(module.string(function.name));
    if (name.empty() || names.back() == name) found = &function;
  }
  if (found && (!name.empty() || names.size() == 1)) return found;
  Diagnostic problem{.code = "TP-E0002", .place = {.file = module.file}};
  if (names.empty()) {
    problem.message = "the module has no kernel";
  } else if (name.empty()) {
    problem.message = fmt::format("the module has {} kernels", names.size());
    problem.advice = fmt::format("name one of: {}", fmt::join(names, ", "));
  } else {
    problem.message = fmt::format("the module has no kernel {}", name);
    problem.advice = fmt::format("it has: {}", fmt::join(names, ", "));
  }
  return fail(std::move(problem));
}

Diagnostic no_parameter(const ir::Module& module, std::size_t number) {
  return {.code = "TP-E0001",
          .message = fmt::format("parameter {} is no scalar and no pointer", number),
          .place = {.file = module.file},
          .advice = "verify the module: entries take tiles of rank 0"};
}

/// The narrowest element that memory ops of the kernel access.
unsigned narrowest_access(const ir::Module& module) {
  unsigned narrowest = 8;
  for (const ir::Type& type : module.types) {
    if (type.kind != ir::TypeKind::tensor_view && type.kind != ir::TypeKind::pointer) continue;
    const ir::TypeKind kind = module.type(type.element).kind;
    if (ir::is_element(kind)) narrowest = std::min<unsigned>(narrowest, memory_bytes(kind));
  }
  return narrowest;
}

}  // namespace

std::span<const Refusal> refusals() { return kRefusals; }
bool executes(std::string_view mnemonic) { return find_handler(mnemonic) != nullptr; }

const Handler* find_handler(std::string_view mnemonic) {
  static const std::vector<Handler> all = [] {
    std::vector<Handler> handlers;
    for (const auto family :
         {arith_handlers(), math_handlers(), convert_handlers(), shape_handlers(), memory_handlers(),
          atomic_handlers(), control_handlers(), view_handlers(), misc_handlers()}) {
      handlers.insert(handlers.end(), family.begin(), family.end());
    }
    std::sort(handlers.begin(), handlers.end(),
              [](const Handler& a, const Handler& b) { return a.mnemonic < b.mnemonic; });
    return handlers;
  }();
  const auto found =
      std::lower_bound(all.begin(), all.end(), mnemonic,
                       [](const Handler& handler, auto name) { return handler.mnemonic < name; });
  return found != all.end() && found->mnemonic == mnemonic ? &*found : nullptr;
}

Place place_of(const ir::Module& module, ir::OpId op) {
  return {.file = module.file,
          .path = module.access_path(op),
          .source = module.source_text(module.op(op).location)};
}

tl::unexpected<Diagnostics> Compiler::refuse(ir::OpId op, std::string reason) const {
  return fail({.code = "TP-E0001",
               .message = fmt::format("{} can't be executed: {}", module.op(op).info->mnemonic, reason),
               .place = place_of(module, op)});
}

ir::TypeKind Compiler::element(ir::ValueId value) const {
  const ir::Type& type = module.type_of(value);
  if (type.kind == ir::TypeKind::tile || type.kind == ir::TypeKind::tensor_view) {
    return module.type(type.element).kind;
  }
  return ir::is_view(type.kind) ? module.type(module.type(type.element).element).kind : type.kind;
}

std::uint64_t Compiler::count(ir::ValueId value) const {
  return type(value).kind == ir::TypeKind::tile ? ir::element_count(type(value)) : 1;
}

std::vector<Operand> Compiler::use(std::span<const ir::ValueId> values) const {
  std::vector<Operand> operands;
  for (const ir::ValueId value : values) operands.push_back(use(value));
  return operands;
}

Scope& Compiler::innermost(std::span<const ir::ValueId> values) const {
  Scope* scope = const_cast<Scope*>(&once_);
  for (const ir::ValueId value : values) {
    Scope* home = values_[ir::index(value)].scope;
    if (home->depth > scope->depth) scope = home;
  }
  return *scope;
}

bool Compiler::all_uniform(std::span<const ir::ValueId> operands) const {
  return std::all_of(operands.begin(), operands.end(), [&](ir::ValueId value) { return use(value).uniform; });
}

Slot Compiler::new_slot(std::uint64_t bytes) {
  plan.slots.push_back({.bytes = bytes});
  return static_cast<Slot>(plan.slots.size() - 1);
}

Operand Compiler::define(ir::ValueId value, bool uniform, Scope& scope) {
  Operand operand{.uniform = uniform, .kind = element(value)};
  std::uint64_t bytes = sizeof(TensorView);
  if (type(value).kind == ir::TypeKind::tile) {
    operand.size = tile_bytes(operand.kind);
    // In the body of a reduction a scalar is a vector of lanes; outside of one it is trivially uniform.
    const std::uint64_t elements = scope.lanes != 0 ? scope.lanes * count(value) : count(value);
    if (elements == 1) operand.uniform = true;
    bytes = (operand.uniform ? 1 : elements) * operand.size;
  } else {
    operand.uniform = true;
  }
  operand.slot = new_slot(bytes);
  set(value, operand, scope);
  return operand;
}

void Compiler::alias(ir::ValueId value, ir::ValueId source) {
  Operand operand = use(source);
  if (type(value).kind == ir::TypeKind::tile) operand.kind = element(value);
  set(value, operand, home(source));
}

void Compiler::set(ir::ValueId value, const Operand& operand, Scope& scope) {
  values_[ir::index(value)] = {operand, &scope};
}

Instruction& Compiler::append(Scope& scope, ir::OpId op, std::vector<Operand> in, std::vector<Operand> out,
                              Execute execute, std::shared_ptr<Payload> payload) {
  Instruction instruction{.execute = execute, .op = op, .in = std::move(in), .out = std::move(out)};
  instruction.payload = std::move(payload);
  scope.code->push_back(std::move(instruction));
  return scope.code->back();
}

Instruction& Compiler::pure(ir::OpId op, ir::ValueId result, std::span<const ir::ValueId> operands,
                            bool uniform, Execute execute, std::shared_ptr<Payload> payload) {
  Scope& where = innermost(operands);
  const Operand out = define(result, uniform, where);
  Instruction& made = append(where, op, use(operands), {out}, execute, std::move(payload));
  made.count = out.uniform ? 1 : count(result);
  made.lanes = where.lanes != 0 && !out.uniform;
  return made;
}

Instruction& Compiler::elementwise(ir::OpId op, ir::ValueId result, std::span<const ir::ValueId> operands,
                                   Execute execute, std::shared_ptr<Payload> payload) {
  return pure(op, result, operands, all_uniform(operands), execute, std::move(payload));
}

Instruction& Compiler::effect(ir::OpId op, std::span<const ir::ValueId> operands, Execute execute,
                              std::shared_ptr<Payload> payload) {
  return append(*scope_, op, use(operands), {}, execute, std::move(payload));
}

Result<void> Compiler::block(ir::BlockId block, Scope& scope) {
  Scope* outer = scope_;
  scope_ = &scope;
  for (const ir::OpId op : module.block(block).ops) {
    const std::string_view mnemonic = module.op(op).info->mnemonic;
    const Handler* handler = find_handler(mnemonic);
    if (!handler) return refuse(op, std::string(reason_against(mnemonic)));
    if (auto lowered = handler->lower({*this, op}); !lowered) return lowered;
  }
  scope_ = outer;
  return {};
}

Result<Program> compile(std::shared_ptr<const ir::Module> module, const CompileOptions& options) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    return fail({.code = "TP-E0006",
                 .message = "this processor has no AVX2 and FMA",
                 .advice = "run on one that has; x86-64 processors have had them since about 2015"});
  }
#endif
  const auto kernel = find_kernel(*module, options.kernel);
  if (!kernel) return tl::unexpected<Diagnostics>(kernel.error());
  const ir::Function& function = **kernel;
  auto plan = std::make_shared<Plan>();
  plan->module = module;
  plan->kernel = module->string(function.name);
  plan->options = options;
  plan->granule = narrowest_access(*module);
  Compiler compiler(*module, *plan);
  const ir::Range arguments = module->block(function.body).arguments;
  for (std::uint32_t i = 0; i < arguments.count; ++i) {
    const ir::ValueId value = module->argument(function.body, i);
    const ir::Type& type = module->type_of(value);
    if (type.kind != ir::TypeKind::tile || !type.shape.empty()) return fail(no_parameter(*module, i));
    Parameter parameter{.slot = compiler.define(value, true, compiler.once()).slot,
                        .kind = module->type(type.element).kind};
    if (parameter.kind == ir::TypeKind::pointer) {
      parameter.pointee = module->type(module->type(type.element).element).kind;
    }
    plan->parameters.push_back(parameter);
  }
  if (auto lowered = compiler.block(function.body, compiler.body()); !lowered) {
    return tl::unexpected<Diagnostics>(lowered.error());
  }
  place_slots(*plan);
  return Program(std::move(plan));
}

std::string_view Program::kernel() const { return plan_->kernel; }

std::vector<ir::TypeKind> Program::parameters() const {
  std::vector<ir::TypeKind> kinds;
  for (const Parameter& parameter : plan_->parameters) kinds.push_back(parameter.kind);
  return kinds;
}

namespace {
std::size_t count_instructions(const Code& code) {
  std::size_t count = code.size();
  for (const Instruction& instruction : code) {
    if (!instruction.payload) continue;
    for (const Code* body : instruction.payload->bodies()) count += count_instructions(*body);
  }
  return count;
}
}  // namespace

std::size_t Program::instruction_count() const {
  return count_instructions(plan_->once) + count_instructions(plan_->body);
}
std::size_t Program::buffer_bytes() const { return plan_->thread_bytes; }

}  // namespace tileport::cpu
