/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel library for tests without a GPU: it has the C ABI of include/tileport/native/abi.h, launches
 * nothing, and keeps the arguments of the last call as text, as the structures of abi.h show them. exports.h
 * holds one EXPORT(symbol) a launch function. Entries whose name contains "refuse" are refused. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tileport/native/abi.h>

static char last[16384];
static char error[256];
static uint64_t launches;
static char launched[256];

static int32_t keep(const char *symbol, const char *entry, const tp_tensor *tensors, uint32_t tensor_count,
                    const tp_scalar *scalars, uint32_t scalar_count, const uint32_t grid[3], int32_t device_id,
                    uint64_t raw_stream) {
  size_t at = 0;
  if (strstr(entry, "refuse") != NULL) {
    snprintf(error, sizeof error, "the stand-in refuses %s", entry);
    return TP_INVALID_ARGUMENT;
  }
#define ADD(...) at += (size_t)snprintf(last + at, sizeof last - at, __VA_ARGS__)
  ADD("{\"symbol\": \"%s\", \"entry\": \"%s\", \"grid\": [%u, %u, %u], \"device\": %d, \"stream\": %" PRIu64, symbol,
      entry, grid[0], grid[1], grid[2], device_id, raw_stream);
  ADD(", \"scalars\": [");
  for (uint32_t i = 0; i < scalar_count; i++)
    ADD("%s[%u, %u]", i ? ", " : "", scalars[i].kind, scalars[i].bits);
  ADD("], \"tensors\": [");
  for (uint32_t i = 0; i < tensor_count; i++) {
    const tp_tensor *t = &tensors[i];
    ADD("%s{\"version\": %u, \"size\": %u, \"data\": %" PRIu64 ", \"ndim\": %d, \"dtype\": [%u, %u, %u]",
        i ? ", " : "", t->abi_version, t->struct_size, t->data, t->ndim, t->dtype_code, t->dtype_bits,
        t->dtype_lanes);
    ADD(", \"device\": %d, \"flags\": %u, \"reachable\": %" PRIu64 ", \"shape\": [", t->device_id, t->flags,
        t->reachable_bytes);
    for (int d = 0; d < t->ndim; d++)
      ADD("%s%" PRId64, d ? ", " : "", t->shape[d]);
    ADD("], \"strides\": [");
    for (int d = 0; d < t->ndim; d++)
      ADD("%s%" PRId64, d ? ", " : "", t->strides[d]);
    ADD("]}");
  }
  ADD("]}");
  launches += strcmp(launched, entry) == 0 ? 1 : 0;
  if (strcmp(launched, entry) != 0) {
    launches = 1;
    snprintf(launched, sizeof launched, "%s", entry);
  }
  return TP_OK;
}

#define EXPORT(symbol)                                                                                          \
  int32_t symbol(const char *entry, const tp_tensor *tensors, uint32_t tensor_count, const tp_scalar *scalars,  \
                 uint32_t scalar_count, const uint32_t grid[3], int32_t device_id, uint64_t raw_stream) {       \
    return keep(#symbol, entry, tensors, tensor_count, scalars, scalar_count, grid, device_id, raw_stream);     \
  }
#include "exports.h"

const tp_abi_info *tp_abi(void) {
  static const tp_abi_info info = {TP_ABI_VERSION, sizeof(tp_abi_info), sizeof(tp_tensor), sizeof(tp_scalar),
                                   TP_MAXIMUM_RANK};
  return &info;
}

int32_t tp_last_error(char *buffer, uint64_t length) {
  if (buffer != NULL && length > 0)
    snprintf(buffer, length, "%s", error);
  return (int32_t)strlen(error);
}

uint64_t tp_launch_count(const char *entry) { return strcmp(entry, launched) == 0 ? launches : 0; }

const char *stand_in_last_call(void) { return last; }
