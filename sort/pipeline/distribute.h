/* distribute.h -- count bins, prefix sum and scatter, chunk by chunk.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_DISTRIBUTE_H
#define GS_DISTRIBUTE_H

#include "sort/run/stages.h"

/* Times of the stages for some chunks, by one thread or summed over several. */
struct gs_chunk_times {
    uint64_t keys, chunks;
    uint64_t count_ns, sum_ns, scatter_ns;
};

static inline void gs_chunk_times_add(struct gs_chunk_times *times,
                                      const struct gs_chunk_times *more)
{
    times->keys += more->keys;
    times->chunks += more->chunks;
    times->count_ns += more->count_ns;
    times->sum_ns += more->sum_ns;
    times->scatter_ns += more->scatter_ns;
}

/* Count, prefix sum and scatter of one chunk; adds their times to *times. */
enum gs_status gs_distribute_chunk(struct gs_run *run, const struct gs_stages *stages,
                                   const struct gs_chunk *chunk, struct gs_chunk_times *times,
                                   struct gs_error *err);

/* Book the times of one or all of `threads` threads that worked in parallel. */
void gs_distribute_account(struct gs_run *run, const struct gs_stages *stages,
                           const struct gs_chunk_times *times, unsigned threads);

/* Distribute all keys of run to their bins by a device's stages, except those that were distributed
 * while they were read (incoming.h). chunk_keys is the chunk size that open returned; chunks go in
 * parallel or one after the other, as the stages want it. The sink is told of keys that will not be
 * read again (forget). The splitters must be known. */
enum gs_status gs_distribute(struct gs_run *run, const struct gs_stages *stages,
                             uint64_t chunk_keys, struct gs_error *err);

#endif
