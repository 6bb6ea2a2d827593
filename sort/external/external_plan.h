/* external_plan.h -- the sizes of an external sort, and when it is needed.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_PLAN_H
#define GS_EXTERNAL_PLAN_H

#include "sort/types/external_source.h"

/* The sizes of an external sort. */
struct gs_external_plan {
    uint64_t memory_bytes; /* for all buffers, but for: */
    uint64_t kept_keys;    /* of the first chunks, that stay in memory */
    uint64_t chunk_keys;   /* keys split at a time; two chunks have room */
    uint64_t row_keys;     /* keys of a chunk that a thread orders at a time */
    unsigned threads;      /* that do */
    uint64_t bin_keys;     /* keys sorted at a time: a larger bin is split again */
    uint32_t bins;         /* bins to aim at */
};

/* Plan a sort of `count` keys; 0: not known. */
struct gs_external_plan gs_external_plan(const struct gs_options *options, uint64_t memory_bytes,
                                         uint64_t count);

/* The same, but chunks are kept in memory where that has room for many of them: what is not written
 * need not be read. */
struct gs_external_plan gs_external_plan_keeping(const struct gs_options *options,
                                                 uint64_t memory_bytes, uint64_t count);

/* A number of keys for plans that do not depend on it. */
#define GS_MANY_KEYS ((uint64_t)1 << 40)

/* Are so many keys sorted by counting their values as they come? Then nothing else here applies. */
bool gs_external_counts(const struct gs_options *options, uint64_t count);

/* Would sorting `count` keys in memory take more than memory_bytes, together with held_bytes that
 * are in use already? memory_bytes 0: there is no limit. */
bool gs_external_needed(const struct gs_options *options, uint64_t memory_bytes,
                        uint64_t held_bytes, uint64_t count);

/* Estimated seconds that an external sort takes longer than a sort in memory. */
enum gs_status gs_external_forecast(const struct gs_options *options, uint64_t memory_bytes,
                                    uint64_t count, double *seconds, struct gs_error *err);

#endif
