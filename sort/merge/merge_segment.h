/* merge_segment.h -- merge one segment of sorted inputs in cache, and hand it out.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MERGE_SEGMENT_H
#define GS_MERGE_SEGMENT_H

#include "sort/bin/cache_sort.h"
#include "sort/run/thread_work.h"
#include "sort/merge/merge_cut.h"
#include "sort/keys/merge_runs.h"
#include "sort/keys/params.h"

/* Keys of a segment: few enough to stay, with the scratch array, in the second-level cache; enough
 * to make the searches, a few cache misses per input, cheap. */
#define GS_SEGMENT_KEYS GS_KEYS_IN((uint64_t)512)

/* What the threads share. */
struct gs_merge_shared {
    const struct gs_options *options;
    struct gs_options order; /* the order that inputs must be in: equal keys allowed */
    struct gs_cut cut;       /* guarded by the lock */
    pthread_mutex_t lock;
    size_t span_count;
    struct gs_emitter emitter;
    struct gs_progress *progress;
    struct gs_stats *stats;
    unsigned threads;
    enum gs_merge_method method;
};

/* Keys of padding between the runs merged in cache. */
#define GS_SEGMENT_GAPS ((uint64_t)GS_MERGE_RUNS_MAX * GS_MERGE_GAP)

/* What one thread owns. */
struct gs_merger {
    struct gs_segment segment;
    gs_key *keys;    /* [cut.room + GS_SEGMENT_GAPS] */
    gs_key *scratch; /* [GS_CACHE_SORT_SCRATCH] */
    uint64_t fingerprint;
    struct gs_thread_work work;
};

/* Merge the worker's segment and hand it out. Errors go to the emitter: GS_ERR_INPUT, without text,
 * where an input is out of order or has changed since it was cut. */
enum gs_status gs_merge_segment(struct gs_merge_shared *merge, struct gs_merger *worker);

/* Tell the emitter of a failure, without text: that is found when all threads are done. */
void gs_merge_fail(struct gs_merge_shared *merge, enum gs_status status);

#endif
