/* external.h -- sort keys that are more than memory may hold.
 * SPDX-License-Identifier: MIT
 *
 * An external sample sort. Chunks as large as memory are sorted by bin and written to temporary
 * files; then bin after bin, in the order of the output, is read back, sorted in memory and handed
 * to the sink. Every key is read twice and written twice, all in large pieces, and nothing is
 * merged. A bin that turns out larger than memory is split again; a bin of one value only is
 * counted, and never written before the output.
 * [Blelloch, Leiserson, Maggs, Plaxton, Smith, Zagha: A comparison of sorting algorithms for the
 * connection machine CM-2, 1991, for the sample sort; Vitter: External memory algorithms and data
 * structures, 2001, for distribution sort on disks.]
 */
#ifndef GS_EXTERNAL_H
#define GS_EXTERNAL_H

#include "sort/gsort.h"

#include <sys/types.h>

/* What will be done with keys of a span. */
enum gs_use {
    GS_USE_RANDOM,   /* a few of them will be looked at, far from each other */
    GS_USE_LATER,    /* not now: their pages may go, their contents must stay */
    GS_USE_IN_ORDER, /* all will be read, in order */
    GS_USE_SOON,     /* they are the next to be read */
    GS_USE_DONE      /* they are not needed again, nor are those before them */
};

/* Where the keys come from, and what may be used. */
struct gs_external {
    const struct gs_span *spans; /* keys that lie in memory: of mapped files, or read already */
    size_t span_count;
    /* Say what will be done with keys of one span. May be NULL. */
    void (*advise)(void *context, enum gs_use use, const gs_key *keys, uint64_t count);
    /* After all spans: up to `room` further keys; *got is 0 at the end only. NULL: there are none.
     */
    enum gs_status (*read)(void *context, gs_key *to, uint64_t room, uint64_t *got,
                           struct gs_error *err);
    void *context;
    uint64_t memory_bytes; /* buffers stay below this, mapped keys in use included */
    uint64_t held_bytes;   /* of the spans, in memory of their own until GS_USE_DONE: these, too */
    const char *const *directories; /* for temporary files, used in turn */
    size_t directory_count;
    dev_t output_device;   /* on this file system */
    uint64_t output_bytes; /* so much is still to be written: not for temporary files */
};

/* What a sort of `count` keys will take. */
struct gs_external_plan {
    uint64_t chunk_keys; /* split at a time */
    uint64_t bin_keys;   /* sorted at a time: a larger bin is split again */
    uint32_t bins;       /* to aim at */
};

/* Plan for `count` keys, 0 where that is not known. */
struct gs_external_plan gs_external_plan(const struct gs_options *options, uint64_t memory_bytes,
                                         uint64_t count);

/* Does sorting `count` keys in memory, beside `held_bytes` that are in use, take more than
 * memory_bytes? */
bool gs_external_needed(const struct gs_options *options, uint64_t memory_bytes,
                        uint64_t held_bytes, uint64_t count);

/* Seconds that this takes more than a sort in memory, as an estimate. */
double gs_external_seconds(uint64_t count);

/* Sort all keys into sink, as gs_sort does. stats->temporary_bytes tells what was written to
 * temporary files. */
enum gs_status gs_sort_external(const struct gs_options *options, const struct gs_external *source,
                                struct gs_sink *sink, struct gs_progress *progress,
                                struct gs_stats *stats, struct gs_error *err);

#endif
