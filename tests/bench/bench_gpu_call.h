/* bench_gpu_call.h -- the library's call for one width of keys, for C++, which knows no _Atomic.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_BENCH_GPU_CALL_H
#define GS_BENCH_GPU_CALL_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* gsort_device_sort of a type of this width, on the NULL stream. temp NULL: only set *temp_bytes.
 */
enum gs_status bench_gpu_call(const char *type, const void *in, void *out, uint64_t n, void *temp,
                              size_t *temp_bytes, bool no_wait, struct gs_error *err);

#endif
