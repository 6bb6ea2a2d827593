/* binned.h -- run the CPU's last stage alone, on keys in rows that are each ordered by bin.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_BINNED_H
#define GS_BINNED_H

#include "sort/bin/cache_sort.h"
#include "sort/keys/rows.h"
#include "sort/run/emit.h"
#include "sort/run/plan.h"
#include "sort/types/types.h"
#include "sort/split/splitters.h"

/* The most keys of a row. */
#define GS_BINNED_ROW_KEYS GS_CACHE_SORT_CAPACITY

/* Bin b of the rows is bin first + b. The caller owns all arrays. */
struct gs_binned {
    struct gs_rows rows;                  /* the keys are overwritten */
    uint64_t count;                       /* all keys */
    const struct gs_splitters *splitters; /* bounds of all bins, of which the keys are in */
    uint32_t first;                       /* bins [first, first + bins); an equality bin */
    uint32_t bins;                        /* among these has no keys */
};

/* Would the CPU's sample sort, by this plan, distribute keys to bins, and does gs_sort_binned, with
 * this many rows, take no more memory for them? */
bool gs_binned_fits(const struct gs_options *options, const struct gs_plan *plan, size_t rows);

/* Sort the keys, planned as those of a sort, into sink. fingerprint: theirs (options->verify).
 * last: of the output that this continues. */
enum gs_status gs_sort_binned(const struct gs_options *options, const struct gs_plan *plan,
                              const struct gs_binned *binned, uint64_t fingerprint,
                              struct gs_last_key *last, struct gs_sink *sink,
                              struct gs_stats *stats, struct gs_error *err);

#endif
