/* external_combine.c -- drop equal keys of a chunk before it is written to temporary files.
 * SPDX-License-Identifier: MIT
 *
 * Only keys that agree in all bits are one, so that it does not matter which of them stays. Bins
 * are sorted one by one, in the memory of the chunk before, of which little is left to write: what
 * is left of them then moves together.
 */
#include "sort/external/external_combine.h"
#include "sort/bin/cache_sort.h"
#include "sort/keys/fingerprint.h"
#include "sort/keys/order.h"

#include "common/clock.h"

#include <omp.h>
#include <string.h>

/* Keys of a chunk that are looked at: no more, and no more of them than 1 / SAMPLE_SHARE. */
#define SAMPLE_KEYS  8192
#define SAMPLE_SHARE 64

bool gs_combine_pays(const struct gs_external_sorter *sorter, const struct gs_level_chunk *chunk)
{
    const struct gs_split *split = sorter->split;
    const uint32_t all = chunk->starts[chunk->rows.stride - 1];
    uint32_t bin = 0;
    if (all == 0 || !sorter->options->unique || sorter->entries->tagged)
        return false;
    while (chunk->starts[bin + 1] <= all / 2)
        bin++;
    uint32_t count = chunk->starts[bin + 1] - chunk->starts[bin];
    const uint32_t most = all / SAMPLE_SHARE < SAMPLE_KEYS ? all / SAMPLE_SHARE + 1 : SAMPLE_KEYS;
    count = count < most ? count : most;
    gs_key *sample = split->cpu.scratch;
    gs_level_gather(&chunk->rows, chunk->starts, chunk->starts[bin], count, sample);
    gs_key *sorted = gs_cache_sort(sample, sample + SAMPLE_KEYS, count,
                                   gs_splitters_low(&split->run.splitters, bin),
                                   gs_splitters_high(&split->run.splitters, bin));
    return gs_order_unique(sorted, count) < count - count / 3;
}

void gs_combine_chunk(struct gs_external_sorter *sorter, struct gs_level_chunk *chunk)
{
    struct gs_split *split = sorter->split;
    gs_key *to = sorter->chunks[1 - sorter->next];
    const bool verify = sorter->options->verify;
    const uint64_t start = gs_now_ns();
    const struct gs_splitters *splitters = &split->run.splitters;
    const uint32_t bins = chunk->rows.stride - 1;
    uint32_t *starts = chunk->starts;
    uint64_t gone = 0;
    uint32_t end = 0;
#pragma omp parallel for num_threads(split->run.plan.threads) schedule(dynamic, 1) \
    reduction(+ : gone)
    for (uint64_t b = 0; b < bins; b++) {
        const uint32_t bin = (uint32_t)b;
        gs_key *keys = to + starts[bin];
        gs_key *scratch =
            split->cpu.scratch + (uint64_t)omp_get_thread_num() * GS_CACHE_SORT_SCRATCH;
        const uint32_t count = starts[bin + 1] - starts[bin];
        if (count == 0)
            continue;
        gs_level_gather(&chunk->rows, starts, starts[bin], count, keys);
        gs_key *sorted = gs_cache_sort(keys, scratch, count, gs_splitters_low(splitters, bin),
                                       gs_splitters_high(splitters, bin));
        gone += verify ? gs_fingerprint(sorted, count) : 0;
        split->totals[bin] = gs_order_unique(sorted, count);
        gone -= verify ? gs_fingerprint(sorted, split->totals[bin]) : 0;
        if (sorted != keys)
            memcpy(keys, sorted, split->totals[bin] * sizeof *keys);
    }
    for (uint32_t bin = 0; bin < bins; bin++) {
        const uint32_t from = starts[bin];
        starts[bin] = end;
        if (starts[bin + 1] == from)
            continue; /* empty, or an equality bin, whose keys are counted only */
        memmove(to + end, to + from, split->totals[bin] * sizeof *to);
        end += (uint32_t)split->totals[bin];
    }
    starts[bins] = end;
    chunk->rows.keys = to;
    chunk->rows.count = 1;
    memcpy(chunk->rows.starts, starts, chunk->rows.stride * sizeof *starts);
    sorter->next = 1 - sorter->next;
    sorter->expected -= gone;
    gs_external_account(sorter, GS_STAGE_SORT_BINS, start, split->run.plan.count, 2 * GS_KEY_BYTES);
}
