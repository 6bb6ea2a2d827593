/* even.c -- sort bins of evenly spread 32-bit keys by vectors: is this one, and by which method?
 * SPDX-License-Identifier: MIT
 *
 *   groups     (groups512.c) where keys are dense and the processor has AVX-512 with VBMI2: by far
 *              the fastest; large bins on AMD's processors in another way (placed512.c);
 *   columns    (columns.c) where they are less dense, or there is only AVX2.
 */
#include "sort/bin/u32/even.h"
#include "sort/bin/portable.h"
#include "sort/bin/sizes.h"
#include "sort/bin/u32/vector_sorts.h"

enum {
    /* Sampled keys of a bin, whose repeats tell how many keys are equal, and hash slots to find the
     * repeats. Among 256 keys of a bin with 4000 equally frequent values there are 8 repeats, with
     * 1000 values 30, with 192 values 114. */
    SAMPLE = 256,
    SAMPLE_SLOTS_LOG2 = 10,
    /* Columns pay up to 8 keys per value, which is 2^18 / count repeats; with more, many columns
     * are full and others empty. */
    COLUMN_REPEATS_KEYS = 1 << 18,
    RUN_SAMPLE = 4, /* keys sampled from a run, at least */
    /* Average distance of neighbouring keys up to which a column stays below
     * 2^16 values. */
    NARROW_SPREAD = 4300,
    /* Fewer keys are gathered first. */
    RUNS_KEYS_MIN = 2048
};

/* How many of SAMPLE keys of the bin occurred before. A free slot holds a key that does not hash
 * there; few keys collide. */
static unsigned count_repeats(const gs_key *keys, size_t count)
{
    const size_t drawn = count < SAMPLE ? count : SAMPLE;
    gs_key slots[1 << SAMPLE_SLOTS_LOG2] = {1};
    unsigned repeats = 0;

    for (size_t i = 0; i < drawn; i++) {
        const gs_key key = keys[i * (count / drawn)];
        gs_key *const slot =
            &slots[key * UINT32_C(2654435769) >> (GS_KEY_BITS - SAMPLE_SLOTS_LOG2)];
        repeats += *slot == key;
        *slot = key;
    }
    return repeats;
}

/* Do so few keys repeat that columns will do? */
static bool seldom_repeat(unsigned repeats, size_t count)
{
    return repeats <= 1 + COLUMN_REPEATS_KEYS / count;
}

/* Do the runs' keys, by a sample, differ, lack order and spread evenly? Then groups are worth
 * trying. */
static bool runs_look_even(const struct gs_rows *rows, size_t count, gs_key low, gs_key high)
{
    gs_key sample[SAMPLE];
    size_t drawn = 0;
    if (count < RUNS_KEYS_MIN || count > GS_CACHE_SORT_LARGE)
        return false;
    for (uint64_t row = 0; row < rows->count && drawn < SAMPLE; row++) {
        uint32_t run_count;
        const gs_key *run = gs_rows_run(rows, row, &run_count);
        /* There may be few rows where they are not chunks, so take more keys from each. */
        uint32_t share =
            rows->row_keys == 0 ? (uint32_t)((uint64_t)SAMPLE * run_count / count) : RUN_SAMPLE;
        share = share > RUN_SAMPLE ? share : RUN_SAMPLE;
        for (uint32_t i = 0; i < run_count && i < share && drawn < SAMPLE; i++)
            sample[drawn++] = run[(uint64_t)i * run_count / share];
    }
    return drawn >= GS_EVEN_SAMPLE && !gs_bin_starts_ordered(sample) &&
           seldom_repeat(count_repeats(sample, drawn), count) &&
           gs_bin_looks_even(sample, drawn, low, high);
}

/* Sort from the runs straight to the output, which may be the runs' own memory. */
static bool try_groups(const struct gs_rows *rows, const struct gs_bin_output *output,
                       gs_key *scratch, size_t scratch_keys, size_t count, gs_key low, gs_key high)
{
    return (gs_placed512_pays() &&
            gs_placed512_sort(rows, output, scratch, scratch_keys, count, low, high)) ||
           gs_groups512_sort(rows, output, scratch, scratch_keys, count, low, high);
}

enum gs_even_method gs_even_method(void)
{
    return gs_groups512_usable() ? GS_EVEN_GROUPS
           : gs_columns_usable() ? GS_EVEN_COLUMNS
                                 : GS_EVEN_NONE;
}

bool gs_even_sort_runs(const struct gs_rows *rows, const struct gs_bin_output *output,
                       gs_key *scratch, size_t scratch_keys, size_t count, gs_key low, gs_key high,
                       bool *tried)
{
    /* Skip bins whose columns would hold more values than 16-bit slots distinguish. */
    if (!gs_groups512_usable() || count == 0 || (uint64_t)(high - low) / count >= NARROW_SPREAD ||
        !runs_look_even(rows, count, low, high))
        return false;
    *tried = true;
    return try_groups(rows, output, scratch, scratch_keys, count, low, high);
}

bool gs_even_sort(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high, bool *tried)
{
    if (count > GS_CACHE_SORT_CAPACITY || !seldom_repeat(count_repeats(keys, count), count) ||
        (count >= GS_EVEN_SAMPLE && !gs_bin_looks_even(keys, count, low, high)))
        return false;
    *tried = true;
    uint32_t starts[2] = {0, (uint32_t)count};
    const struct gs_rows row = {.keys = keys, .starts = starts, .count = 1};
    const struct gs_bin_output output = {.to = keys};
    if (gs_groups512_usable() &&
        try_groups(&row, &output, scratch, gs_cache_sort_scratch(count), count, low, high))
        return true;
    return gs_columns_usable() && gs_columns_sort(keys, scratch, count, low, high);
}
