/* distribute.h -- count bins, prefix sum and scatter, chunk by chunk.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_DISTRIBUTE_H
#define GS_DISTRIBUTE_H

#include "sort/stages.h"

/* What the stages of some chunks took, of one thread or of several. */
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

/* Count, prefix sum and scatter of one chunk; *times grows by what they took. */
enum gs_status gs_distribute_chunk(struct gs_run *run, const struct gs_stages *stages,
                                   const struct gs_chunk *chunk, struct gs_chunk_times *times,
                                   struct gs_error *err);

/* Book what a thread did, or all, of threads that worked side by side. */
void gs_distribute_account(struct gs_run *run, const struct gs_stages *stages,
                           const struct gs_chunk_times *times, unsigned threads);

/* Take all keys of run to their bins by a device's stages, chunk_keys of them at a time, which open
 * has said; chunks side by side, or one after the other, as the stages want it; but for those that
 * were taken there while they came in (incoming.h). What nobody reads again the sink is told
 * (forget). The splitters must be known. */
enum gs_status gs_distribute(struct gs_run *run, const struct gs_stages *stages,
                             uint64_t chunk_keys, struct gs_error *err);

#endif
