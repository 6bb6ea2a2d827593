/* external_split.h -- order one chunk of keys by bin, in memory: the CPU's distribution alone.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_SPLIT_H
#define GS_EXTERNAL_SPLIT_H

#include "sort/cpu/cpu.h"
#include "sort/external/external_level.h"

/* What it takes to split chunk after chunk to the same bins. Freed by gs_split_close. */
struct gs_split {
    struct gs_run run; /* of the current chunk */
    struct gs_cpu cpu;
    struct gs_progress progress; /* not shown to anybody */
    struct gs_options options;
    struct gs_sink sink; /* gets nothing */
    uint64_t *totals;    /* [bins]: the chunk's keys of each, equality bins too */
};

/* verify: make fingerprints. stats: gets the stages' rows, and must stay. NULL, with *err filled,
 * if there is no memory. */
struct gs_split *gs_split_open(const struct gs_options *options, bool verify,
                               const struct gs_splitters *splitters, uint64_t row_keys,
                               unsigned threads, struct gs_stats *stats, struct gs_error *err);
void gs_split_close(struct gs_split *split);

/* Split all keys of the tiles, which are below 2^32: to rows at `to`, each ordered by bin,
 * described in *chunk, which the caller frees. Each row of keys is read before it is written: `to`
 * may be where they lie. Sets split->totals and, if wanted, split->run.fingerprint. */
enum gs_status gs_split_chunk(struct gs_split *split, const struct gs_tiles *tiles, gs_key *to,
                              struct gs_level_chunk *chunk, struct gs_error *err);

#endif
