/* merge_segment.h -- merge one segment of sorted inputs in cache, and hand it out.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MERGE_SEGMENT_H
#define GS_MERGE_SEGMENT_H

#include "sort/bin/cache_sort.h"
#include "sort/merge/merge_drive.h"
#include "sort/keys/merge_runs.h"
#include "sort/keys/params.h"

/* Keys of a segment: few enough to stay, with the scratch array, in the second-level cache; enough
 * to make the searches, a few cache misses per input, cheap. */
#define GS_SEGMENT_KEYS GS_KEYS_IN((uint64_t)512)

/* What the threads share. */
struct gs_merge_shared {
    struct gs_merge_drive drive;  /* the first member */
    const struct gs_codec *codec; /* of the inputs; NULL: they are keys */
    struct gs_options order;      /* the order that they must be in: equal keys allowed */
    enum gs_merge_method method;
    char *memory; /* [drive.threads][bytes_each] */
    uint64_t bytes_each;
};

/* Keys of padding between the runs merged in cache. */
#define GS_SEGMENT_GAPS ((uint64_t)GS_MERGE_RUNS_MAX * GS_MERGE_GAP)

/* What one thread owns. */
struct gs_merger {
    struct gs_merge_worker worker; /* the first member */
    gs_key bounds[2];              /* memory for those of the segment */
    gs_key *keys;                  /* [cut.room + GS_SEGMENT_GAPS] */
    gs_key *scratch;               /* [GS_CACHE_SORT_SCRATCH] */
};

/* As merge of struct gs_merge_drive. */
enum gs_status gs_merge_segment(struct gs_merge_drive *drive, struct gs_merge_worker *worker);

#endif
