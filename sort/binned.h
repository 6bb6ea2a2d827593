/* binned.h -- sort keys that lie in rows, each ordered by bin: the CPU's last stage alone.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_BINNED_H
#define GS_BINNED_H

#include "sort/cache_sort.h"
#include "sort/gsort.h"
#include "sort/splitters.h"

/* Keys of a row, at the most. */
#define GS_BINNED_ROW_KEYS GS_CACHE_SORT_CAPACITY

/* Bin first + b of row r is [starts[r * (bins + 1) + b], starts[r * (bins + 1) + b + 1]) of keys.
 */
struct gs_binned {
    gs_key *keys; /* [count], overwritten */
    uint64_t count;
    uint32_t *starts;
    size_t rows;
    const struct gs_splitters *splitters; /* the bounds of all bins: */
    uint32_t first;                       /* the keys are of this one and those behind it, */
    uint32_t bins;                        /* so many; none is an equality bin with keys */
};

/* May these keys be sorted so, with no more memory than gs_sort takes for as many? What it would
 * choose goes into *stats. */
bool gs_binned_fits(const struct gs_options *options, uint64_t count, size_t rows,
                    struct gs_stats *stats);

/* Sort them into sink. fingerprint: that of the keys (options->verify). */
enum gs_status gs_sort_binned(const struct gs_options *options, const struct gs_binned *binned,
                              uint64_t fingerprint, struct gs_sink *sink, struct gs_stats *stats,
                              struct gs_error *err);

#endif
