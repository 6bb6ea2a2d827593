/* plan.h -- compute the sizes of one sort from n, options and machine: pure arithmetic.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PLAN_H
#define GS_PLAN_H

#include "sort/types/types.h"

struct gs_plan {
    uint64_t count;        /* keys to sort */
    unsigned threads;      /* CPU threads that take part, at least 1 */
    bool one_bin;          /* no distribution pass: the whole input is sorted as one bin */
    bool counted;          /* records of one or two bytes: their values are counted */
    uint32_t bins;         /* bins to aim at; equality bins come on top */
    uint32_t samples;      /* keys in the sample */
    uint64_t chunk_keys;   /* keys that a CPU thread scatters at once */
    uint64_t bin_keys_max; /* keys of a bin that a CPU thread sorts whole: a larger one is split */
    uint64_t scratch_keys; /* scratch memory of each CPU thread, to sort bins */
    uint64_t memory_bytes; /* buffers on the host: the scattered copy, its table, scratch */
};

/* The CPU threads that take part in a sort of count keys. */
unsigned gs_plan_threads(const struct gs_options *options, uint64_t count);

/* Does that count the values of records of one or two bytes, if there are many? */
bool gs_plan_counts(const struct gs_options *options);

/* Plan a sort of count keys. */
void gs_plan_make(struct gs_plan *plan, const struct gs_options *options, uint64_t count);

/* Keys that a CPU thread may claim at once when `left` keys of the input are unclaimed: a share of
 * them, up to GS_CLAIM_KEYS_MAX. gs_distribute claims whole chunks or, if the first share has
 * at least GS_CLAIM_KEYS, multiples of that: never less than one of them. */
uint64_t gs_plan_claim(const struct gs_plan *plan, uint64_t left);

/* The input occupies held_bytes, given back as its keys are copied to their bins: the most of it,
 * in bytes, that is in memory on top of the plan's full buffers, on the CPU. */
uint64_t gs_plan_held(const struct gs_plan *plan, uint64_t held_bytes);

/* Turn a plan into one whose chunks are ordered by bin within the input's own memory, while keys
 * still come in: its bins do not depend on the number of keys, which is not known yet. */
void gs_plan_in_place(struct gs_plan *plan, const struct gs_options *options);

/* Turn a plan into that of a part, of fewer keys, with buffers of the same size at most. */
void gs_plan_part(struct gs_plan *plan, const struct gs_options *options, uint64_t count);

/* Turn a plan of one bin into one of two, for a device that always distributes keys to bins. */
void gs_plan_force_bins(struct gs_plan *plan);

#endif
