// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tileport/cpu/launch.hpp>
#include <utility>
#include <vector>

#include "diagnostics.hpp"

namespace py = pybind11;
namespace cpu = tileport::cpu;
namespace ir = tileport::ir;

namespace {

// The layout of a DLPack tensor (dlpack.h 1.x); a versioned capsule has more before it.
struct DLTensor {
  void* data;
  std::int32_t device_type;
  std::int32_t device_id;
  std::int32_t ndim;
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct VersionedHead {
  std::uint32_t major;
  std::uint32_t minor;
  void* manager;
  void (*deleter)(void*);
  std::uint64_t flags;
};
constexpr std::uint64_t kReadOnly = 1;

ir::TypeKind kind_of(const std::string& name) {
  for (unsigned kind = 0; kind < static_cast<unsigned>(ir::TypeKind::tile); ++kind) {
    if (ir::keyword(static_cast<ir::TypeKind>(kind)) == name) return static_cast<ir::TypeKind>(kind);
  }
  throw py::value_error("no element type of Tile IR: " + name);
}

cpu::Array make_array(std::uint64_t address, const std::string& element, std::vector<std::int64_t> shape,
                      std::vector<std::int64_t> strides, std::uint64_t begin, std::uint64_t bytes,
                      bool writable, bool undefined, std::string name) {
  return {.address = address,
          .element = kind_of(element),
          .shape = std::move(shape),
          .strides = std::move(strides),
          .storage = {begin, bytes, writable, undefined, std::move(name)}};
}

/// What a capsule says: address, type code, bits, lanes, shape, strides in elements, device type, read-only.
py::tuple read_dlpack(const py::capsule& capsule) {
  const std::string name = capsule.name() ? capsule.name() : "";
  const auto* bytes = capsule.get_pointer<const std::byte>();
  const bool versioned = name == "dltensor_versioned";
  if (!versioned && name != "dltensor") throw py::value_error("no DLPack capsule");
  std::uint64_t flags = 0;
  if (versioned) flags = reinterpret_cast<const VersionedHead*>(bytes)->flags;
  const auto& tensor = *reinterpret_cast<const DLTensor*>(bytes + (versioned ? sizeof(VersionedHead) : 0));
  std::vector<std::int64_t> shape(tensor.shape, tensor.shape + tensor.ndim);
  std::vector<std::int64_t> strides(shape.size(), 1);
  if (tensor.strides) {
    strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  } else {
    for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  }
  return py::make_tuple(reinterpret_cast<std::uint64_t>(tensor.data) + tensor.byte_offset, tensor.code,
                        tensor.bits, tensor.lanes, shape, strides, tensor.device_type,
                        (flags & kReadOnly) != 0);
}

cpu::ReductionOrder order_of(const std::string& name) {
  if (name == "halves") return cpu::ReductionOrder::halves;
  if (name == "neighbours") return cpu::ReductionOrder::neighbours;
  if (name == "sequential") return cpu::ReductionOrder::sequential;
  throw py::value_error("reduction_order is one of halves, neighbours, sequential");
}

cpu::Unspecified unspecified_of(const std::string& name) {
  if (name == "nan") return cpu::Unspecified::nan;
  if (name == "zero") return cpu::Unspecified::zero;
  throw py::value_error("unspecified is one of nan, zero");
}

py::object compile(const std::shared_ptr<ir::Module>& module, const std::string& kernel, bool unchecked,
                   const std::string& reduction_order, const std::string& unspecified) {
  // A copy: handles on the module can change it.
  auto kept = std::make_shared<const ir::Module>(*module);
  auto program = cpu::compile(kept, {.kernel = kernel,
                                     .unchecked = unchecked,
                                     .reduction_order = order_of(reduction_order),
                                     .unspecified = unspecified_of(unspecified)});
  if (!program) return diagnostics_to_python(program.error());
  return py::cast(std::move(*program));
}

py::object launch(const cpu::Program& program, std::array<std::int64_t, 3> grid,
                  const std::vector<cpu::Argument>& arguments, const std::vector<cpu::Array>& more,
                  double seconds, std::uint64_t bytes, std::uint64_t steps, std::uint64_t blocks,
                  std::uint64_t work, unsigned threads, bool any_order) {
  std::vector<cpu::Storage> storages;
  for (const cpu::Array& array : more) storages.push_back(array.storage);
  const cpu::LaunchOptions options{
      .limits = {seconds, bytes, steps, blocks, work}, .threads = threads, .any_order = any_order};
  tileport::Result<cpu::LaunchResult> result;
  {
    const py::gil_scoped_release release;
    result = cpu::launch(program, grid, arguments, storages, options);
  }
  if (!result) return diagnostics_to_python(result.error());
  return py::make_tuple(message_to_python(result->printed), result->blocks, result->instructions,
                        result->work, result->threads, result->seconds);
}

}  // namespace

void bind_cpu(py::module_& core) {
  py::module_ module = core.def_submodule("cpu", "Executes Tile IR on the CPU.");
  py::class_<cpu::Array>(module, "Array").def(py::init(&make_array));
  py::class_<cpu::Program>(module, "Program")
      .def_property_readonly("kernel",
                             [](const cpu::Program& program) { return std::string(program.kernel()); })
      .def_property_readonly("parameters",
                             [](const cpu::Program& program) {
                               std::vector<std::string> names;
                               for (const ir::TypeKind kind : program.parameters()) {
                                 names.emplace_back(ir::keyword(kind));
                               }
                               return names;
                             })
      .def_property_readonly("instruction_count", &cpu::Program::instruction_count)
      .def_property_readonly("buffer_bytes", &cpu::Program::buffer_bytes);
  module.def("read_dlpack", &read_dlpack);
  module.def("compile", &compile, py::arg("module"), py::arg("kernel"), py::arg("unchecked"),
             py::arg("reduction_order"), py::arg("unspecified"));
  module.def("launch", &launch, py::arg("program"), py::arg("grid"), py::arg("arguments"), py::arg("more"),
             py::arg("seconds"), py::arg("bytes"), py::arg("steps"), py::arg("blocks"), py::arg("work"),
             py::arg("threads"), py::arg("any_order"));
  module.def("refusals", [] {
    py::dict reasons;
    for (const cpu::Refusal& refusal : cpu::refusals()) {
      reasons[py::str(std::string(refusal.mnemonic))] = std::string(refusal.reason);
    }
    return reasons;
  });
  module.def("executes", [](const std::string& mnemonic) { return cpu::executes(mnemonic); });
}
