/* columns_layout.c -- what the sorts by columns share: laying out columns, and merging.
 * SPDX-License-Identifier: MIT
 */
#include "sort/bin/u32/columns.h"

bool gs_columns_make(struct gs_columns *columns, gs_key *scratch, size_t count, gs_key low,
                     gs_key high, uint32_t lanes, uint32_t mean_rows, size_t slot_bytes)
{
    const uint32_t line_slots = 2 * lanes > 32 ? 32 : 2 * lanes; /* 64 bytes */
    const size_t matrix_keys = (size_t)mean_rows * lanes;
    const size_t matrices = (count + matrix_keys - 1) / matrix_keys;
    const uint32_t used = (uint32_t)(matrices * lanes);
    const uint64_t scale = ((uint64_t)used << 32) / ((uint64_t)(high - low) + 1);

    if (scale >> 32 != 0 || count / mean_rows > GS_CACHE_SORT_CAPACITY / GS_COLUMN_MEAN_ROWS)
        return false;
    /* An odd number of cache lines, so that the slots of a column use all sets of the cache. */
    columns->stride = (used + line_slots - 1) / line_slots * line_slots | line_slots;
    /* Spilled keys lie in front of the slots, and behind them once sorted. */
    const size_t spill_keys = count / GS_COLUMN_SPILL_SHARE;
    const size_t slot_keys = GS_COLUMN_ROWS * columns->stride * slot_bytes / sizeof(gs_key);
    if (slot_keys + 2 * spill_keys + 64 / sizeof(gs_key) > gs_cache_sort_scratch(count))
        return false;
    columns->low = low;
    columns->scale = scale;
    columns->width = UINT64_MAX / scale;
    columns->matrices = matrices;
    columns->one_row = ((uint64_t)1 << 40) / columns->stride + 1;
    columns->spilled = scratch;
    columns->spilled_count = 0;
    const uintptr_t slots = (uintptr_t)(scratch + spill_keys);
    columns->slots = (void *)((slots + 63) & ~(uintptr_t)63);
    for (uint32_t column = 0; column < used; column++)
        columns->positions[column] = column;
    return true;
}

bool gs_columns_make_narrow(struct gs_columns *columns, gs_key *scratch, size_t count, gs_key low,
                            gs_key high, uint32_t lanes)
{
    static const uint32_t means[] = {GS_COLUMN_MEAN_ROWS, GS_COLUMN_MEAN_HALF};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
        if (!gs_columns_make(columns, scratch, count, low, high, lanes, means[i], sizeof(uint16_t)))
            return false;
        /* 2 more than 2^32 / scale: width and a column's low end are both rounded down. */
        if ((columns->width >> 32) + 2 < 1 << 16)
            return true;
    }
    return false;
}

void gs_columns_sort_spilled(struct gs_columns *columns, gs_key *scratch)
{
    columns->spilled = gs_cache_sort_radix(columns->spilled, scratch, columns->spilled_count);
}

gs_key *gs_columns_merge(const gs_key *sorted, gs_key *out, const uint32_t *counts,
                         const struct gs_columns *columns, size_t matrix, uint32_t lanes,
                         const gs_key **spilled)
{
    const gs_key *const spilled_end = columns->spilled + columns->spilled_count;

    for (uint32_t lane = 0; lane < lanes; lane++) {
        const gs_key *const end = sorted + counts[lane];
        while (*spilled < spilled_end &&
               (**spilled - columns->low) * columns->scale >> 32 == matrix * lanes + lane) {
            while (sorted < end && *sorted <= **spilled)
                *out++ = *sorted++;
            *out++ = *(*spilled)++;
        }
        while (sorted < end)
            *out++ = *sorted++;
    }
    return out;
}
