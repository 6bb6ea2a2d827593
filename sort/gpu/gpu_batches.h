/* gpu_batches.h -- sort the bins on the device in batches, each when it is wanted.
 * SPDX-License-Identifier: MIT
 *
 * Each chunk of the input is ordered by bin as soon as it has arrived, while the next one is on the
 * bus, and keeps its place in the input, as on the CPU:
 *
 *   keys     | chunk 0     | chunk 1     | ...      as uploaded
 *   other    |0|1|2|..|k   |0|1|2|..|k   | ...      runs: the keys of one bin in one chunk
 *   keys     | batch 0 | batch 1 | ...              gathered and sorted, in ascending order
 *
 * A batch is a few neighbouring bins. While one batch is downloaded and written, the next one is
 * gathered and sorted, over the uploaded keys, which are no longer needed. So only the first batch
 * is waited for.
 */
#ifndef GS_GPU_BATCHES_H
#define GS_GPU_BATCHES_H

#include "sort/gpu/gpu_buffers.h"
#include "sort/keys/rows.h"

#include <pthread.h>

struct gs_gpu_batches {
    struct gs_run *run;
    struct gs_gpu_buffers *buffers;
    gs_key *room; /* device: second buffer for the sort of a batch; NULL: no batches */
    uint64_t room_keys;
    struct gs_rows rows;         /* the scattered keys, a row for each chunk; starts are pinned */
    cudaEvent_t begun, done;     /* of the most recent batch */
    pthread_mutex_t mutex;       /* for all members below */
    uint32_t next;               /* number of the next batch's first bin, in the output's order */
    atomic_uint_fast64_t sorted; /* number of keys, from the output's beginning */
    struct gs_error failure;     /* the first one; nothing is sorted after it */
    uint64_t begin_ns, end_ns, ns;
};

/* Allocate room for batches, and starts for run's bins in `chunks` chunks. Close it also after a
 * failure. */
enum gs_status gs_gpu_batches_open(struct gs_gpu_batches *batches, struct gs_run *run,
                                   struct gs_gpu_buffers *buffers, uint64_t chunks,
                                   uint64_t chunk_keys, struct gs_error *err);
void gs_gpu_batches_close(struct gs_gpu_batches *batches);

/* Queue a counted chunk's prefix sum (place), then its scatter. */
enum gs_status gs_gpu_batches_place(struct gs_gpu_batches *batches, const struct gs_chunk *chunk,
                                    struct gs_error *err);
enum gs_status gs_gpu_batches_scatter(struct gs_gpu_batches *batches, const struct gs_chunk *chunk,
                                      struct gs_error *err);

/* Once the device has placed all chunks: fill run->counts and ->offsets. Returns false if a bin is
 * too large for a batch; the keys, still as uploaded, must then be sorted at once. */
bool gs_gpu_batches_total(struct gs_gpu_batches *batches);

/* For buffers->await, of a struct gs_gpu_batches: return when keys[first .. first + count) are
 * sorted: sorts batches until they are, and one ahead. Any thread may call this; writers ask for
 * pieces in the output's order. */
enum gs_status gs_gpu_batches_await(void *context, uint64_t first, uint64_t count,
                                    struct gs_error *err);

/* Account for the time that the batches took. */
void gs_gpu_batches_account(struct gs_gpu_batches *batches);

#endif
