/* cost.h -- how long a sort will take on each device, to choose between them.
 * SPDX-License-Identifier: MIT
 *
 * Whole processes, from one file to another, both in the page cache.
 */
#ifndef GS_COST_H
#define GS_COST_H

#include <stdbool.h>
#include <stdint.h>

double gs_cost_cpu_seconds(uint64_t count, unsigned threads);

/* started: it need not be waited for, since it has started, or will while a pipe is read. */
double gs_cost_gpu_seconds(uint64_t count, bool started);

#endif
