/* cost.h -- how long a sort will take on each device, to choose between them.
 * SPDX-License-Identifier: MIT
 *
 * Whole processes, from one file to another, both in the page cache.
 */
#ifndef GS_COST_H
#define GS_COST_H

#include <stdbool.h>
#include <stdint.h>

/* Keys that a pipe brings while a GPU starts, about 512 MiB. */
#define GS_GPU_START_KEYS ((uint64_t)128 << 20)

double gs_cost_cpu_seconds(uint64_t count, unsigned threads);

/* started: it need not be waited for, since it has started, or will while a pipe is read. */
double gs_cost_gpu_seconds(uint64_t count, unsigned threads, bool started);

#endif
