// SPDX-License-Identifier: Apache-2.0
// A CUDA driver that has one device and runs nothing.
//
// cuda-tile's native launcher reaches the driver only through cuGetProcAddress_v2, whose address its module
// cuda.tile._load_libcuda hands over. This library offers the same function, so that the launcher runs
// unchanged on a machine without a GPU: it reads the arguments, derives the kernel's signature with its own
// rules, and calls back for the compilation, which is where the capture stops it. No launch ever reaches the
// driver, so only what the launcher asks *before* a launch is answered; every other entry point returns
// CUDA_ERROR_NOT_SUPPORTED, and unknown names are remembered so that a newer launcher's need can be named.
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

using Status = int;  // CUresult
constexpr Status success = 0;
constexpr Status invalid_value = 1;
constexpr Status out_of_memory = 2;
constexpr Status not_supported = 801;

// Handles are opaque to the launcher: any non-null value does.
void* const the_context = reinterpret_cast<void*>(0x1000);
void* const the_event = reinterpret_cast<void*>(0x2000);
constexpr std::uint64_t the_context_id = 1;
constexpr std::uint64_t the_stream_id = 7;

struct DeviceModel {
  int major = 10;
  int minor = 0;
  int multiprocessors = 148;
};
DeviceModel device_model;

constexpr std::size_t unknown_names_size = 1024;
char unknown_names[unknown_names_size];

// CUdevice_attribute values of cuda.h that the launcher reads.
enum Attribute : int {
  max_threads_per_block = 1,
  max_grid_dim_x = 5,
  max_grid_dim_y = 6,
  max_grid_dim_z = 7,
  max_shared_memory_per_block = 8,
  multiprocessor_count = 16,
  l2_cache_size = 38,
  compute_capability_major = 75,
  compute_capability_minor = 76,
  max_shared_memory_per_block_optin = 97,
};

Status succeed() { return success; }
Status refuse() { return not_supported; }

Status driver_version(int* version) {
  *version = 13030;
  return success;
}

Status error_string(Status, const char** text) {
  *text = "not supported by tileport's stub driver";
  return success;
}

Status pointer_attribute(void* data, int, std::uint64_t) {
  *static_cast<void**>(data) = the_context;  // CU_POINTER_ATTRIBUTE_CONTEXT is the only one asked for
  return success;
}

Status current_context(void** context) {
  *context = the_context;
  return success;
}

Status pop_context(void** context) {
  if (context != nullptr) *context = the_context;
  return success;
}

Status context_device(int* device) {
  *device = 0;
  return success;
}

Status context_id(void*, std::uint64_t* id) {
  *id = the_context_id;
  return success;
}

Status device_get(int* device, int ordinal) {
  if (ordinal != 0) return invalid_value;
  *device = 0;
  return success;
}

Status device_count(int* count) {
  *count = 1;
  return success;
}

Status device_attribute(int* value, int attribute, int) {
  switch (attribute) {
    case compute_capability_major:
      *value = device_model.major;
      return success;
    case compute_capability_minor:
      *value = device_model.minor;
      return success;
    case multiprocessor_count:
      *value = device_model.multiprocessors;
      return success;
    case max_threads_per_block:
      *value = 1024;
      return success;
    case max_grid_dim_x:
      *value = 2147483647;
      return success;
    case max_grid_dim_y:
    case max_grid_dim_z:
      *value = 65535;
      return success;
    case max_shared_memory_per_block:
      *value = 49152;
      return success;
    case max_shared_memory_per_block_optin:
      *value = 232448;
      return success;
    case l2_cache_size:
      *value = device_model.major == 9 ? 52428800 : 132644864;
      return success;
    default:
      return invalid_value;
  }
}

Status retain_primary_context(void** context, int) {
  *context = the_context;
  return success;
}

Status stream_context(void*, void** context) {
  *context = the_context;
  return success;
}

Status stream_id(void*, std::uint64_t* id) {
  *id = the_stream_id;
  return success;
}

Status stream_is_capturing(void*, int* capturing) {
  *capturing = 0;
  return success;
}

// Lists of arrays are passed through a table that the launcher fills before it compiles.
Status allocate(void** pointer, std::size_t size) {
  *pointer = std::calloc(1, size == 0 ? 1 : size);
  return *pointer == nullptr ? out_of_memory : success;
}

Status release(void* pointer) {
  std::free(pointer);
  return success;
}

Status create_event(void** event, unsigned) {
  *event = the_event;
  return success;
}

struct Entry {
  const char* name;
  void* function;
};

template <typename Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

void* find(const char* name) {
  static const Entry entries[] = {
      {"cuInit", address(succeed)},
      {"cuDriverGetVersion", address(driver_version)},
      {"cuGetErrorString", address(error_string)},
      {"cuPointerGetAttribute", address(pointer_attribute)},
      {"cuCtxGetCurrent", address(current_context)},
      {"cuCtxPushCurrent", address(succeed)},
      {"cuCtxPopCurrent", address(pop_context)},
      {"cuCtxSetCurrent", address(succeed)},
      {"cuCtxSynchronize", address(succeed)},
      {"cuCtxGetDevice", address(context_device)},  // CUDA 13 passes one more argument, which nobody reads
      {"cuCtxGetId", address(context_id)},
      {"cuDeviceGet", address(device_get)},
      {"cuDeviceGetCount", address(device_count)},
      {"cuDeviceGetAttribute", address(device_attribute)},
      {"cuDevicePrimaryCtxRetain", address(retain_primary_context)},
      {"cuStreamGetCtx", address(stream_context)},
      {"cuStreamGetId", address(stream_id)},
      {"cuStreamIsCapturing", address(stream_is_capturing)},
      {"cuStreamSynchronize", address(succeed)},
      {"cuStreamWaitEvent", address(succeed)},
      {"cuStreamCreate", address(create_event)},
      {"cuStreamDestroy", address(succeed)},
      {"cuMemAlloc", address(allocate)},
      {"cuMemAllocHost", address(allocate)},
      {"cuMemFree", address(release)},
      {"cuMemFreeHost", address(release)},
      {"cuMemcpyHtoDAsync", address(succeed)},
      {"cuEventCreate", address(create_event)},
      {"cuEventDestroy", address(succeed)},
      {"cuEventQuery", address(succeed)},
      {"cuEventRecord", address(succeed)},
  };
  for (const Entry& entry : entries)
    if (std::strcmp(entry.name, name) == 0) return entry.function;
  return nullptr;
}

void remember_unknown(const char* name) {
  const std::size_t used = std::strlen(unknown_names), wanted = std::strlen(name) + 1;
  if (used + wanted >= unknown_names_size) return;
  std::memcpy(unknown_names + used, name, wanted - 1);
  unknown_names[used + wanted - 1] = ' ';
}

// cuGetProcAddress_v2: (symbol, address out, version, flags, query result out).
Status get_proc_address(const char* name, void** function, int, std::uint64_t, int* query_result) {
  if (query_result != nullptr) *query_result = 0;
  *function = find(name);
  if (*function == nullptr) {
    remember_unknown(name);
    *function = address(refuse);
  }
  return success;
}

using GetProcAddress = decltype(&get_proc_address);
GetProcAddress get_proc_address_pointer = get_proc_address;

}  // namespace

#define TILEPORT_EXPORT extern "C" __attribute__((visibility("default")))

// What the one device claims to be. Call it before cuda.tile is imported: the launcher caches the answers.
TILEPORT_EXPORT void tileport_stub_driver_set_device(int major, int minor, int multiprocessors);
TILEPORT_EXPORT void tileport_stub_driver_set_device(int major, int minor, int multiprocessors) {
  device_model = {major, minor, multiprocessors};
}

// The value of cuda.tile._load_libcuda.cuGetProcAddress_v2_ptrptr: the address of a pointer to the function.
TILEPORT_EXPORT void* tileport_stub_driver_entry();
TILEPORT_EXPORT void* tileport_stub_driver_entry() { return &get_proc_address_pointer; }

// Space-separated names of driver functions that were asked for and are refused when called.
TILEPORT_EXPORT const char* tileport_stub_driver_refused();
TILEPORT_EXPORT const char* tileport_stub_driver_refused() { return unknown_names; }
