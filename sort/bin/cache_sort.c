/* cache_sort.c -- sort one bin while it is in cache: the choice of the method.
 * SPDX-License-Identifier: MIT
 *
 * The splitters bound a bin's keys, so only some 20 of 32 bits vary in a bin of uniform keys. The
 * methods:
 *
 *   groups       (groups512.c) where keys are spread evenly and densely, few are equal,
 *                and the processor has AVX-512 with VBMI2: by far the fastest; large bins on AMD's
 *                processors in another way (placed512.c);
 *   columns      (columns.c) where they are less dense, or there is only AVX2;
 *   counting     (cache_sort_portable.c) where there are fewer values than keys: count each, write
 *                them out;
 *   vqsort       (cache_sort_highway.cc) all other bins, if built in and vectors are available;
 *   radix        (cache_sort_portable.c) all other bins, without vqsort.
 *
 * A bin above GS_CACHE_SORT_CAPACITY is sorted by groups up to GS_CACHE_SORT_LARGE, else by vqsort;
 * without vqsort it is split first.
 */
#include "sort/bin/cache_sort.h"
#include "sort/bin/cache_sort_impl.h"
#include "sort/bin/cache_sort_portable.h"

enum {
    /* Sampled keys of a bin, whose repeats tell how many keys are equal, and hash slots to find the
     * repeats. Among 256 keys of a bin with 4000 equally frequent values there are 8 repeats, with
     * 1000 values 30, with 192 values 114. */
    SAMPLE = 256,
    SAMPLE_SLOTS_LOG2 = 10,
    /* Columns pay up to 8 keys per value, which is 2^18 / count repeats; with more, many columns
     * are full and others empty. */
    COLUMN_REPEATS_KEYS = 1 << 18,
    /* A test of whether columns would be about equally full: count the sampled keys that fall into
     * an occupied one of EVEN_CELLS cells. Of n evenly spread keys about n^2 / 2048 do so by
     * chance: 2 of 64, and next to never 12; 29 of 256, with a deviation of 5. Of 64 clustered or
     * Zipf-distributed keys 20 do; of 256 k-mers, 60, where 64 of them do not tell. */
    EVEN_SAMPLE = 64, /* for fewer than EVEN_LARGE keys, where a larger sample takes too long */
    EVEN_LARGE = 1 << 14,
    EVEN_CELLS = 1024,
    EVEN_MEET = 9,
    RUN_SAMPLE = 4, /* keys sampled from a run, at least */
    /* Average distance of neighbouring keys up to which a column (columns.h) stays below
     * 2^16 values. */
    NARROW_SPREAD = 4300,
    /* Fewer keys are always scanned before the sort: their bounds are seldom tight. */
    SCAN_ALWAYS = 2048,
    /* Counting pays from this many keys per value. */
    COUNTING_KEYS = 4
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

/* Are the first keys in order? Then the others are worth checking. */
static bool starts_ordered(const gs_key *keys)
{
    size_t i = 1;
    while (i < GS_INSERTION_MAX && keys[i - 1] <= keys[i])
        i++;
    return i == GS_INSERTION_MAX;
}

/* Are keys spread evenly enough over their bounds for columns? */
static bool look_even(const gs_key *keys, size_t count, gs_key low, gs_key high)
{
    const uint64_t scale = ((uint64_t)EVEN_CELLS << 32) / ((uint64_t)(high - low) + 1);
    uint64_t taken[EVEN_CELLS / 64] = {0};
    const size_t drawn = count == SAMPLE || count >= EVEN_LARGE ? SAMPLE : EVEN_SAMPLE;
    unsigned meet = 0;

    for (size_t i = 0; i < drawn; i++) {
        const gs_key above = keys[i * (count / drawn)] - low;
        const uint64_t cell = (above * scale >> 32) % EVEN_CELLS;
        meet += taken[cell / 64] >> cell % 64 & 1;
        taken[cell / 64] |= (uint64_t)1 << cell % 64;
    }
    return meet < EVEN_MEET + drawn * drawn / 1600;
}

#if GS_HAS_AVX2
/* Sort from the runs straight to `to`, which may be the runs' own memory. */
static bool try_columns_of_runs(const struct gs_key_runs *runs, gs_key *to, gs_key *scratch,
                                size_t scratch_keys, size_t count, gs_key low, gs_key high,
                                bool past_cache)
{
    return (gs_cache_sort_placed512_pays() &&
            gs_cache_sort_placed512(runs, to, scratch, scratch_keys, count, low, high,
                                    past_cache)) ||
           (gs_cache_sort_groups512_usable() &&
            gs_cache_sort_groups512(runs, to, scratch, scratch_keys, count, low, high,
                                    past_cache)) ||
           (gs_cache_sort_columns512_usable() && count <= GS_CACHE_SORT_CAPACITY &&
            gs_cache_sort_columns512(runs, to, scratch, count, low, high, past_cache));
}

static bool try_columns(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high)
{
    const uint32_t starts[2] = {0, (uint32_t)count};
    const struct gs_key_runs runs = {.keys = keys, .starts = starts, .chunks = 1};
    if (try_columns_of_runs(&runs, keys, scratch, gs_cache_sort_scratch(count), count, low, high,
                            false))
        return true;
    return gs_cache_sort_columns_usable() && gs_cache_sort_columns(keys, scratch, count, low, high);
}

/* Do the runs' keys, by a sample, differ, lack order and spread evenly? Then columns are worth
 * trying. */
static bool runs_look_even(const struct gs_key_runs *runs, size_t count, gs_key low, gs_key high)
{
    gs_key sample[SAMPLE];
    size_t drawn = 0;
    if (!gs_cache_sort_columns512_usable() || count < SCAN_ALWAYS || count > GS_CACHE_SORT_LARGE)
        return false;
    for (uint64_t chunk = 0; chunk < runs->chunks && drawn < SAMPLE; chunk++) {
        uint32_t run_count;
        const gs_key *run = gs_key_run(runs, chunk, &run_count);
        /* There may be few rows where they are not chunks, so take more keys from each. */
        uint32_t share =
            runs->chunk_keys == 0 ? (uint32_t)((uint64_t)SAMPLE * run_count / count) : RUN_SAMPLE;
        share = share > RUN_SAMPLE ? share : RUN_SAMPLE;
        for (uint32_t i = 0; i < run_count && i < share && drawn < SAMPLE; i++)
            sample[drawn++] = run[(uint64_t)i * run_count / share];
    }
    return drawn >= EVEN_SAMPLE && !starts_ordered(sample) &&
           seldom_repeat(count_repeats(sample, drawn), count) &&
           look_even(sample, drawn, low, high);
}

#else
static bool try_columns(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high)
{
    (void)keys, (void)scratch, (void)count, (void)low, (void)high;
    return false;
}

static bool runs_look_even(const struct gs_key_runs *runs, size_t count, gs_key low, gs_key high)
{
    (void)runs, (void)count, (void)low, (void)high;
    return false;
}

static bool try_columns_of_runs(const struct gs_key_runs *runs, gs_key *to, gs_key *scratch,
                                size_t scratch_keys, size_t count, gs_key low, gs_key high,
                                bool past_cache)
{
    (void)runs, (void)to, (void)scratch, (void)scratch_keys, (void)count, (void)low, (void)high,
        (void)past_cache;
    return false;
}
#endif

#if GS_HIGHWAY
static bool try_highway(gs_key *keys, size_t count)
{
    const bool usable = gs_cache_sort_highway_usable();
    if (usable)
        gs_cache_sort_highway(keys, count);
    return usable;
}
#else
static bool try_highway(gs_key *keys, size_t count)
{
    (void)keys, (void)count;
    return false;
}
#endif

/* Sort keys. `tried`: columns were tried within these bounds and gave up. */
static gs_key *sort_keys(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high,
                         bool tried)
{
    if (count <= GS_INSERTION_MAX) {
        gs_cache_sort_insertion(keys, count);
        return keys;
    }
    if (low == high)
        return keys;

    /* The splitters' bounds are good enough for a first try. */
    const unsigned repeats = count_repeats(keys, count);
    if (!tried && count >= SCAN_ALWAYS && count <= GS_CACHE_SORT_CAPACITY &&
        seldom_repeat(repeats, count) && !starts_ordered(keys) &&
        look_even(keys, count, low, high)) {
        if (try_columns(keys, scratch, count, low, high))
            return keys;
        tried = true;
    }
    const struct gs_bin_scan scan = gs_bin_scan(keys, count);
    if (scan.ordered)
        return keys;
    const gs_key last_value = (scan.high - scan.low) >> scan.shift;
    const size_t counters = count < GS_CACHE_SORT_CAPACITY ? count : GS_CACHE_SORT_CAPACITY;
    if (last_value < counters / COUNTING_KEYS && count <= UINT32_MAX) { /* 32-bit counters */
        gs_cache_sort_counting(keys, scratch, count, scan, last_value + 1);
        return keys;
    }
    const bool large = count > GS_CACHE_SORT_CAPACITY;
    const bool closer = scan.high - scan.low < (high - low) / 2;
    if (seldom_repeat(repeats, count) && !large && (!tried || closer) &&
        (count < EVEN_SAMPLE || look_even(keys, count, scan.low, scan.high)) &&
        try_columns(keys, scratch, count, scan.low, scan.high))
        return keys;
    if (try_highway(keys, count))
        return keys;
    if (!large)
        return gs_cache_sort_radix_scanned(keys, scratch, count, scan);
    gs_cache_sort_large(keys, scratch, count, scan);
    return keys;
}

gs_key *gs_cache_sort(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high)
{
    return sort_keys(keys, scratch, count, low, high, false);
}

bool gs_cache_sort_takes_large(void)
{
#if GS_HAS_AVX2
    return gs_cache_sort_groups512_usable();
#else
    return false;
#endif
}

gs_key *gs_cache_sort_runs(const struct gs_key_runs *runs, gs_key *to, gs_key *scratch,
                           size_t scratch_keys, size_t count, gs_key low, gs_key high,
                           bool past_cache)
{
    bool tried = false;
    /* Skip bins whose columns would hold more values than 16-bit slots distinguish. */
    if (count > 0 && (uint64_t)(high - low) / count < NARROW_SPREAD &&
        runs_look_even(runs, count, low, high)) {
        if (try_columns_of_runs(runs, to, scratch, scratch_keys, count, low, high, past_cache))
            return to;
        tried = true;
    }
    gs_key_runs_gather(runs, to);
    return sort_keys(to, scratch, count, low, high, tried);
}

const char *gs_cache_sort_name(void)
{
#if GS_HIGHWAY
#define OTHERS "vqsort"
#else
#define OTHERS "radix"
#endif
#if GS_HAS_AVX2
    if (gs_cache_sort_groups512_usable())
        return "groups AVX-512, " OTHERS;
    if (gs_cache_sort_columns512_usable())
        return "columns AVX-512, " OTHERS;
    if (gs_cache_sort_columns_usable())
        return "columns AVX2, " OTHERS;
#endif
#if GS_HIGHWAY
    if (!gs_cache_sort_highway_usable())
        return "radix";
#endif
    return OTHERS;
#undef OTHERS
}
