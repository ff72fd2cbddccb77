/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel library (libcutile_kernels.so) exports, for C99 and C++.
 *
 * A library has one launch function per kernel, called cutile_OP if the operator has one kernel and
 * cutile_OP__KERNEL otherwise, and each of tp_abi, tp_last_error and tp_launch_count once. Compare
 * tp_abi() with the constants below before calling anything else.
 */
#ifndef TILEPORT_NATIVE_ABI_H
#define TILEPORT_NATIVE_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of everything in this file. It changes when any layout or meaning does. */
#define TP_ABI_VERSION 1u

/* Highest rank a descriptor can hold. */
#define TP_MAXIMUM_RANK 8

/* Bits of tp_tensor.flags; the others must be 0. */
#define TP_FLAG_OUTPUT 1u    /* the launch writes to the tensor (informative) */
#define TP_FLAG_MAY_ALIAS 2u /* different indices may reach the same element */

/* A tensor in device memory that the caller owns; nothing is copied or kept. */
typedef struct tp_tensor {
  uint32_t abi_version; /* TP_ABI_VERSION */
  uint32_t struct_size; /* sizeof(tp_tensor) */
  uint64_t data;        /* device address of the element with all indices 0; 0 only if there is none */
  int32_t ndim;         /* 0 to TP_MAXIMUM_RANK */
  uint8_t dtype_code;   /* DLPack type code */
  uint8_t dtype_bits;   /* bits of one lane */
  uint16_t dtype_lanes; /* 1 */
  int32_t device_id;    /* ordinal as the CUDA driver counts in this process */
  uint32_t flags;       /* TP_FLAG_... */
  int64_t shape[TP_MAXIMUM_RANK];   /* those from ndim on are ignored */
  int64_t strides[TP_MAXIMUM_RANK]; /* in elements */
  uint64_t reachable_bytes;         /* from data to the end of the last element reached (informative) */
} tp_tensor;

/* A number passed by value. */
typedef struct tp_scalar {
  uint32_t kind; /* TP_SCALAR_... */
  uint32_t bits; /* the bits of the value */
} tp_scalar;

#define TP_SCALAR_INT32 0u
#define TP_SCALAR_FLOAT32 1u

typedef struct tp_abi_info {
  uint32_t abi_version;
  uint32_t struct_size; /* sizeof(tp_abi_info) */
  uint32_t tensor_bytes;
  uint32_t scalar_bytes;
  uint32_t maximum_rank;
} tp_abi_info;

/* Results of a launch function; -1 is not used. tp_last_error has the text. */
enum {
  TP_OK = 0,
  TP_UNSUPPORTED_DTYPE = -2, /* an element type that the entry was not made for */
  TP_LAUNCH_FAILED = -3,     /* compiling, loading or launching failed */
  TP_NO_DEVICE = -4,         /* no driver, or no such device */
  TP_NULL_POINTER = -5,      /* a pointer that must not be null is */
  TP_INVALID_ARGUMENT = -6,  /* an argument that does not fit the entry */
  TP_ABI_MISMATCH = -7,      /* a descriptor of another version or size */
  TP_PANIC = -8,             /* a bug of the library */
  TP_STREAM_CAPTURE = -9,    /* the first launch of an entry compiles it, which a stream cannot capture */
  TP_DEVICE_MISMATCH = -10   /* a tensor lies on another device than the launch */
};

/* Launches the entry called `entry` on `raw_stream` (a CUstream of device `device_id`; 0 is the default
 * stream) over `grid` blocks and returns without waiting. Tensors and scalars are the kernel's parameters
 * in order, without constants. Arguments that break what the entry was compiled to rely on (alignment,
 * divisibility, layout) are refused. A grid with a 0 launches nothing and succeeds. The memory of the
 * tensors must stay valid until the stream has run the launch. The first launch of an entry on a device
 * compiles it; a failure then is not kept. Any thread may call; the thread's current CUDA context is left as
 * it was. */
typedef int32_t (*tp_launch_function)(const char* entry, const tp_tensor* tensors, uint32_t tensor_count,
                                      const tp_scalar* scalars, uint32_t scalar_count, const uint32_t grid[3],
                                      int32_t device_id, uint64_t raw_stream);

/* The layouts and the version that the library was built with. */
typedef const tp_abi_info* (*tp_abi_function)(void);

/* Copies the text of the calling thread's last failure, cut to `length` bytes with its terminating zero, and
 * gives the length of the whole text. A null buffer asks for the length only. */
typedef int32_t (*tp_last_error_function)(char* buffer, uint64_t length);

/* Launches of `entry` that the driver accepted in this process. */
typedef uint64_t (*tp_launch_count_function)(const char* entry);

#ifdef __cplusplus
}
#endif

#endif
