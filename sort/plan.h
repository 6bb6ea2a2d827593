/* plan.h -- from n, options and machine to the sizes of one sort: pure arithmetic.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PLAN_H
#define GS_PLAN_H

#include "sort/gsort.h"

struct gs_plan {
    uint64_t count;        /* keys to sort */
    unsigned threads;      /* CPU threads that take part, at least 1 */
    bool one_bin;          /* no distribution pass: the input is sorted as it is */
    bool direct;           /* the CPU counts all keys before it moves one: to its bin's place */
    uint32_t bins;         /* bins to aim at; equality bins come on top */
    uint32_t samples;      /* keys in the sample */
    uint32_t values;       /* at most so many are compared with all keys, on the CPU */
    uint64_t chunk_keys;   /* keys that the CPU scatters at once */
    uint64_t bin_keys_max; /* keys of a bin that a CPU thread sorts whole: a larger one is split */
    uint64_t scratch_keys; /* of each CPU thread, to sort bins */
    uint64_t memory_bytes; /* buffers on the host: the scattered copy, its table, scratch */
};

/* Plan a sort of count keys. */
void gs_plan_make(struct gs_plan *plan, const struct gs_options *options, uint64_t count);

/* Keys of the input that a CPU thread may claim at once where `left` are left: more, the more there
 * are, up to GS_CLAIM_KEYS_MAX; fewer than GS_CLAIM_KEYS is: chunk by chunk. */
uint64_t gs_plan_claim(const struct gs_plan *plan, uint64_t left);

/* Of held_bytes of the input, in memory that can be given back as its keys are copied to their
 * bins: what is there beside the plan's buffers at the most, on the CPU. */
uint64_t gs_plan_held(const struct gs_plan *plan, uint64_t held_bytes);

/* Make it the plan of a sort whose keys lie in chunks that are ordered where they are, in memory of
 * their own, before anybody knows how many there will be. */
void gs_plan_in_place(struct gs_plan *plan, const struct gs_options *options);

/* Make a plan of one bin a plan of two: for a device that sorts whole bins only. */
void gs_plan_force_bins(struct gs_plan *plan);

#endif
