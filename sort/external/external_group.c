/* external_group.c -- sort bins that fit in memory together, and write them out.
 * SPDX-License-Identifier: MIT
 *
 * Each chunk's part of the group is ordered by bin already, and gs_sort is told so: the CPU only
 * sorts bin by bin, gathering each from the parts. If another device or engine is to sort the keys,
 * or they are few, they are like any other input.
 */
#include "sort/external/external_group.h"
#include "sort/cpu/binned.h"
#include "sort/keys/fingerprint.h"
#include "sort/sorter/sorter.h"

#include "common/memory/memory.h"

#include <stdlib.h>
#include <string.h>

/* The number of rows (binned.h) in a chunk's part of bins low to high. */
static size_t count_rows(const struct gs_level *level, size_t chunk, uint32_t low, uint32_t high)
{
    uint64_t keys = gs_level_piece_keys(level, chunk, low, high);
    return (size_t)((keys + GS_BINNED_ROW_KEYS - 1) / GS_BINNED_ROW_KEYS);
}

static size_t count_all_rows(const struct gs_level *level, uint32_t low, uint32_t high)
{
    size_t rows = 0;
    for (size_t i = 0; i < level->chunk_count; i++)
        rows += count_rows(level, i, low, high);
    return rows;
}

/* Fill in where the bins start in each row of the keys that gs_level_load has read. The table also
 * has the bins next to low and high, as empty ones: their splitters bound the others. */
static void fill_table(const struct gs_level *level, uint32_t low, uint32_t high,
                       struct gs_binned *binned)
{
    uint32_t *row = binned->rows.starts;
    uint32_t place = 0;
    for (size_t i = 0; i < level->chunk_count; i++) {
        const uint32_t *starts = level->chunks[i].starts;
        uint32_t begin = starts[low];
        uint32_t end = starts[high + 1];
        for (uint32_t from = begin; from < end; row += binned->rows.stride) {
            uint32_t to = end - from < GS_BINNED_ROW_KEYS ? end : from + GS_BINNED_ROW_KEYS;
            for (uint32_t b = 0; b <= binned->bins; b++) {
                uint32_t start = starts[binned->first + b];
                start = start < from ? from : start > to ? to : start;
                row[b] = place + (start - begin);
            }
            from = to;
        }
        place += end - begin;
    }
}

/* Describe the loaded bins low to high as rows. */
static enum gs_status make_rows(const struct gs_level *level, uint32_t low, uint32_t high,
                                struct gs_binned *binned, struct gs_error *err)
{
    const uint32_t last = high < level->splitters.count ? high + 1 : high;
    binned->splitters = &level->splitters;
    binned->first = low > 0 ? low - 1 : low;
    binned->bins = last - binned->first + 1;
    binned->rows.stride = binned->bins + 1;
    binned->rows.count = count_all_rows(level, low, high);
    binned->starts_bytes = binned->rows.count * binned->rows.stride * sizeof *binned->rows.starts;
    binned->rows.starts = gs_pages_alloc(binned->starts_bytes);
    if (binned->rows.starts == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins", binned->bins);
    fill_table(level, low, high, binned);
    return GS_OK;
}

enum gs_status gs_external_sort_group(struct gs_external_sorter *sorter,
                                      const struct gs_level *level, uint32_t low, uint32_t high,
                                      uint64_t count, struct gs_error *err)
{
    enum gs_status st;
    struct gs_options options = *sorter->options;
    struct gs_plan plan = sorter->group;
    struct gs_stats stats = {0};
    struct gs_span span = {.count = count, .name = "temporary file"};
    struct gs_binned binned = {.fingerprint = 0};
    span.keys = binned.rows.keys = sorter->load;
    GS_TRY(make_rows(level, low, high, &binned, err));
    binned.fingerprint = options.verify ? gs_fingerprint(sorter->load, count) : 0;
    sorter->expected -= binned.fingerprint;
    options.memory_bytes = 0; /* plan.bin_keys respects the limit already */
    gs_plan_part(&plan, &options, count);
    st = gs_sort_part(&options, &plan, &span, &binned, &sorter->last, &sorter->sink, &stats, err);
    gs_external_add_stats(sorter->stats, &stats);
    sorter->position += stats.keys_out;
    if (options.verify)
        sorter->expected += stats.fingerprint;
    atomic_fetch_add(&sorter->progress->done, count);
cleanup:
    gs_pages_free(binned.rows.starts, binned.starts_bytes);
    return st;
}
