/* cost.h -- estimate the time of a sort on each device, to choose between them.
 * SPDX-License-Identifier: MIT
 *
 * Seconds of a whole process that sorts one file into another, both in the page cache.
 */
#ifndef GS_COST_H
#define GS_COST_H

#include "common/formats/keys.h"

#include <stdbool.h>
#include <stdint.h>

/* Keys that come through a pipe while a GPU starts: about 512 MiB. */
#define GS_GPU_START_KEYS (((uint64_t)512 << 20) / GS_KEY_BYTES)

double gs_cost_cpu_seconds(uint64_t count, unsigned threads);

/* started: no wait for the GPU's start, since it has started or will while a pipe is read. */
double gs_cost_gpu_seconds(uint64_t count, unsigned threads, bool started);

/* Is the GPU faster than so many threads although it has to sort piece by piece? */
bool gs_cost_pieces_pay(unsigned threads);

#endif
