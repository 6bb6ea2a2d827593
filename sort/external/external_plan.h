/* external_plan.h -- the sizes of an external sort.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_PLAN_H
#define GS_EXTERNAL_PLAN_H

#include "sort/external/external_entries.h"
#include "sort/types/external_source.h"

/* The sizes of an external sort. */
struct gs_external_plan {
    uint64_t memory_bytes; /* for all buffers, but for: */
    uint64_t kept_keys;    /* of the first chunks, that stay in memory */
    uint64_t chunk_keys;   /* keys split at a time; two chunks have room */
    uint64_t row_keys;     /* keys of a chunk that a thread orders at a time */
    unsigned threads;      /* that do */
    unsigned writers;      /* threads that write a chunk, each with a piece in hand */
    uint64_t bin_keys;     /* entries sorted at a time: a larger bin is split again */
    uint32_t bins;         /* bins to aim at */
};

/* Plan a sort of `count` keys; 0: not known. */
struct gs_external_plan gs_external_plan(const struct gs_entries *entries, unsigned threads,
                                         uint64_t memory_bytes, uint64_t count);

/* Do a group, two chunks, and tables for `count` keys fit? */
bool gs_external_plan_fits(const struct gs_external_plan *plan, const struct gs_entries *entries,
                           uint64_t count);

/* The same, but chunks are kept in memory where that has room for many of them: what is not written
 * need not be read. */
struct gs_external_plan gs_external_plan_keeping(const struct gs_entries *entries, unsigned threads,
                                                 uint64_t memory_bytes, uint64_t count);

/* By that plan, bins to aim at for `count` keys, all or those of a bin that was too large. */
uint32_t gs_external_bins(const struct gs_external_plan *plan, const struct gs_entries *entries,
                          uint64_t count);

/* Estimated seconds that an external sort takes longer than a sort in memory. */
double gs_external_seconds(uint64_t count);

#endif
