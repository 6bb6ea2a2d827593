/* external_split.c -- order one chunk of keys by bin, in memory.
 * SPDX-License-Identifier: MIT
 *
 * The first stages of a sort in memory do it: a row of keys that fits the second-level cache is
 * read once, ordered there and written once. The rows stay as they are until the chunk is written
 * to a temporary file, bin by bin (gs_level_gather).
 */
#include "sort/external/external_split.h"
#include "sort/bin/sizes.h"
#include "sort/cpu/stages_cpu.h"
#include "sort/pipeline/distribute.h"

#include "common/memory/memory.h"

#include <stdlib.h>

struct gs_split *gs_split_open(const struct gs_options *options, bool verify,
                               const struct gs_splitters *splitters, uint64_t row_keys,
                               unsigned threads, struct gs_stats *stats, struct gs_error *err)
{
    struct gs_split *split = calloc(1, sizeof *split);
    if (split != NULL) {
        split->options = *options;
        split->options.verify = verify;
        split->cpu.scratch_bytes = threads * GS_CACHE_SORT_SCRATCH * GS_KEY_BYTES;
        /* Of short rows, little of it is touched. */
        split->cpu.scratch =
            gs_pages_alloc_touched(split->cpu.scratch_bytes, row_keys * GS_KEY_BYTES);
        split->totals = calloc(splitters->count + 1, sizeof *split->totals);
    }
    if (split == NULL || split->cpu.scratch == NULL || split->totals == NULL) {
        gs_split_close(split);
        (void)gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u threads to split keys",
                      threads);
        return NULL;
    }
    split->run.options = &split->options;
    split->run.stats = stats;
    split->run.progress = &split->progress;
    split->run.emitter.sink = &split->sink;
    split->run.splitters = *splitters;
    split->run.cpu = &split->cpu;
    split->run.plan.threads = threads;
    split->run.plan.scratch_keys = GS_CACHE_SORT_SCRATCH;
    split->cpu.rows.row_keys = row_keys;
    split->cpu.rows.stride = splitters->count + 2;
    return split;
}

void gs_split_close(struct gs_split *split)
{
    if (split == NULL)
        return;
    gs_pages_free(split->cpu.scratch, split->cpu.scratch_bytes);
    free(split->totals);
    free(split);
}

/* Total the bins of a chunk, and find where they start in the order of all rows: equality bins are
 * empty there. */
static void find_starts(const struct gs_split *split, struct gs_level_chunk *chunk)
{
    const struct gs_rows *rows = &chunk->rows;
    const uint32_t bins = rows->stride - 1;
    uint32_t sum = 0;
    gs_rows_total(rows, 0, bins, split->totals);
    for (uint32_t bin = 0; bin < bins; bin++) {
        chunk->starts[bin] = sum;
        if (!gs_splitters_equal(&split->run.splitters, bin))
            sum += (uint32_t)split->totals[bin];
    }
    chunk->starts[bins] = sum;
}

enum gs_status gs_split_chunk(struct gs_split *split, const struct gs_tiles *tiles, gs_key *to,
                              struct gs_level_chunk *chunk, struct gs_error *err)
{
    struct gs_run *run = &split->run;
    struct gs_rows *rows = &split->cpu.rows;
    run->tiles = *tiles;
    run->plan.count = gs_tiles_keys(tiles);
    run->fingerprint = 0;
    rows->keys = to;
    rows->count = (run->plan.count + rows->row_keys - 1) / rows->row_keys;
    rows->starts = reallocarray(NULL, rows->count * rows->stride + 1, sizeof *rows->starts);
    *chunk = (struct gs_level_chunk){
        .rows = *rows, .starts = reallocarray(NULL, rows->stride, sizeof *chunk->starts)};
    if (rows->starts == NULL || chunk->starts == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins", rows->stride - 1);
    enum gs_status st = gs_distribute(run, &gs_stages_cpu, rows->row_keys, err);
    if (st == GS_OK)
        find_starts(split, chunk);
    return st;
}
