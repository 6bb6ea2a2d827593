/* binned.h -- an input whose keys lie in rows already, each ordered by bin: only bins are sorted.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_BINNED_H
#define GS_BINNED_H

#include "sort/bin/cache_sort.h"
#include "sort/run/run.h"

/* The most keys of a row. */
#define GS_BINNED_ROW_KEYS GS_CACHE_SORT_CAPACITY

/* Bin b of the rows is bin first + b of the splitters. */
struct gs_binned {
    struct gs_rows rows; /* the keys are overwritten; starts, from gs_pages_alloc, are the caller's
                          * unless they are NULL after the sort */
    size_t starts_bytes;
    const struct gs_splitters *splitters; /* bounds of all bins, of which the keys are in */
    uint32_t first;                       /* bins [first, first + bins); an equality bin */
    uint32_t bins;                        /* among these has no keys */
    uint64_t fingerprint;                 /* of the keys (options->verify) */
};

/* Let a planned run on the CPU begin with all its keys in their bins, if it would distribute them,
 * and takes no more memory for it. */
void gs_binned_take(struct gs_binned *binned, struct gs_run *run);

#endif
