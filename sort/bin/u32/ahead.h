/* ahead.h -- prefetch the keys of runs while those before them are put to groups.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_AHEAD_H
#define GS_AHEAD_H

#include "sort/keys/rows.h"

enum {
    GS_AHEAD_KEYS = 1024,
    GS_AHEAD_TABLE = 16 /* rows whose starts are prefetched */
};

/* The input that is prefetched while the block before it is spread. */
struct gs_ahead {
    const struct gs_rows *rows;
    uint64_t row; /* the next one to prefetch */
    const gs_key *at, *end;
    int64_t keys; /* prefetched but not yet spread */
};

/* Prefetch the next line of the runs. */
static inline __attribute__((always_inline)) void gs_ahead_call_line(struct gs_ahead *ahead)
{
    if (ahead->at >= ahead->end) {
        uint32_t count;
        if (ahead->row >= ahead->rows->count)
            return;
        if (ahead->row + GS_AHEAD_TABLE < ahead->rows->count)
            __builtin_prefetch(ahead->rows->starts +
                               (ahead->row + GS_AHEAD_TABLE) * ahead->rows->stride);
        const gs_key *run = gs_rows_run(ahead->rows, ahead->row++, &count);
        const uint32_t skew = (uint32_t)((uintptr_t)run / sizeof *run % GS_LINE_KEYS);
        ahead->at = run - skew;
        ahead->end = run + count;
        ahead->keys -= skew; /* lines hold keys before and behind the run */
        ahead->keys -= (0 - skew - count) % GS_LINE_KEYS;
    }
    __builtin_prefetch(ahead->at);
    ahead->at += GS_LINE_KEYS;
    ahead->keys += GS_LINE_KEYS;
}

/* `keys` keys are about to be read: prefetch as many of those that follow. */
static inline __attribute__((always_inline)) void gs_ahead_call(struct gs_ahead *ahead, size_t keys)
{
    ahead->keys -= (int64_t)keys;
    for (int64_t before = INT64_MIN; ahead->keys < GS_AHEAD_KEYS && ahead->keys != before;) {
        before = ahead->keys;
        gs_ahead_call_line(ahead);
    }
}

#endif
