/* cub_sorts.h -- CUB's sorts of keys in device memory, and thrust's: for comparison.
 * SPDX-License-Identifier: MIT
 *
 * Compiled by itself, as CUB compiles slowly.
 */
#ifndef GS_CUB_SORTS_H
#define GS_CUB_SORTS_H

#include "common/formats/keys.h"

#include <cuda_runtime_api.h>

/* Allocate what sorts of up to `capacity` keys take; once in a process. */
cudaError_t cub_open(uint64_t capacity);

/* Queue a sort of `keys`, with `spare` as the second buffer; *sorted is the one of the result. */
cudaError_t cub_sort(gs_key *keys, gs_key *spare, uint64_t n, gs_key **sorted);

#if GS_BITS == 128
/* Of keys with values, both of 8 bytes: 2 n words each, of which the first n are sorted. */
cudaError_t cub_sort_pairs(uint64_t *keys, uint64_t *values, uint64_t n);
#endif

/* Of keys of 4 bytes; wider ones are left as they are. */
void thrust_sort(gs_key *keys, uint64_t n);

/* Its version, as "3.0.1". */
extern const char cub_version[];

#endif
