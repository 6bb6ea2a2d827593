/* external_plan.h -- what an external sort may use, and the sizes that follow from that.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_PLAN_H
#define GS_EXTERNAL_PLAN_H

#include "sort/types/types.h"

#include <sys/types.h>

/* How the sort will use keys of a span next. */
enum gs_use {
    GS_USE_RANDOM,   /* read a few of them, far from each other */
    GS_USE_LATER,    /* not soon: their pages may be dropped, their contents must stay */
    GS_USE_IN_ORDER, /* read all of them, in order */
    GS_USE_SOON,     /* read them next */
    GS_USE_DONE      /* never again: neither these nor the keys before them are needed */
};

/* The input, and the resources that the sort may use. */
struct gs_external {
    const struct gs_span *spans; /* keys in memory: of mapped files, or read already */
    size_t span_count;
    /* Called to say how keys of one span will be used. May be NULL. */
    void (*advise)(void *context, enum gs_use use, const void *keys, uint64_t count);
    /* Read up to `room` keys that follow all spans; *got is 0 at the end only. NULL: none. */
    enum gs_status (*read)(void *context, void *to, uint64_t room, uint64_t *got,
                           struct gs_error *err);
    void *context;
    uint64_t memory_bytes;          /* buffers stay below this, mapped keys in use included */
    uint64_t held_bytes;            /* anonymous memory that the spans occupy: counts against
                                     * memory_bytes until GS_USE_DONE */
    const char *const *directories; /* for temporary files, used in turn */
    size_t directory_count;
    dev_t output_device;   /* the output's file system, */
    uint64_t output_bytes; /* and what is still to be written there: not for temporary files */
};

/* The sizes of an external sort. */
struct gs_external_plan {
    uint64_t chunk_keys; /* keys split at a time */
    uint64_t bin_keys;   /* keys sorted at a time: a larger bin is split again */
    uint32_t bins;       /* bins to aim at */
};

/* Plan a sort of `count` keys; 0: not known. */
struct gs_external_plan gs_external_plan(const struct gs_options *options, uint64_t memory_bytes,
                                         uint64_t count);

/* Would sorting `count` keys in memory take more than memory_bytes, together with held_bytes that
 * are in use already? memory_bytes 0: there is no limit. */
bool gs_external_needed(const struct gs_options *options, uint64_t memory_bytes,
                        uint64_t held_bytes, uint64_t count);

/* Estimated seconds that an external sort takes longer than a sort in memory. */
double gs_external_seconds(uint64_t count);

#endif
