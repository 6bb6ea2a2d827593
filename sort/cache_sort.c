/* cache_sort.c -- sort one bin while it is in cache: which method, and the portable ones.
 * SPDX-License-Identifier: MIT
 *
 * The splitters bound a bin's keys, so that only some 20 of 32 bits vary in a bin of uniform keys.
 * What sorts it:
 *
 *   columns      (cache_sort_columns.c) where keys are spread evenly and few are equal, and the
 *                processor has AVX2: by far the fastest;
 *   counting     where there are fewer values than keys: count each, write them out;
 *   values       (cache_sort_values.c) where a few values repeat, far apart: the same by hashing;
 *   vqsort       (cache_sort_highway.cc) all other bins, where it was built in and has vectors;
 *   radix        all other bins else: least significant digit first, in as few passes between keys
 *                and scratch as digits of DIGIT_BITS allow; one read counts the digits of all.
 *
 * A bin above GS_CACHE_SORT_CAPACITY is sorted by vqsort or, without it, first split by its top
 * digit, in place [McIlroy, Bostic, McIlroy: Engineering Radix Sort, 1993: American flag sort],
 * until its parts fit.
 */
#include "sort/cache_sort.h"
#include "sort/cache_sort_chunk.h"
#include "sort/cache_sort_impl.h"
#include "sort/clones.h"

#include <assert.h>
#include <string.h>

enum {
    DIGIT_BITS = 11,
    SMALL_DIGIT_BITS = 8, /* for bins so small that clearing 2^11 counters costs more */
    SMALL_DIGIT_KEYS = 4096,
    DIGITS = 1 << DIGIT_BITS,
    PASSES_MAX = GS_KEY_BITS / SMALL_DIGIT_BITS,
    SPLIT_BITS = 8,
    SPLITS = 1 << SPLIT_BITS,
    INSERTION_MAX = 32,

    /* Keys whose repeats tell about equal keys, and slots to find them: among 256 of a bin of 4000
     * values that are alike frequent there are 8, of 1000 values 30, of 192 values 114. */
    SAMPLE = 256,
    SAMPLE_SLOTS_LOG2 = 10,
    /* Columns pay up to 8 keys of a value, and so 2^18 / count repeats; of more, many columns are
     * full, and others empty. */
    COLUMN_REPEATS_KEYS = 1 << 18,
    /* As many are enough to count values by hashing. With more than so many, of 40 values, vqsort
     * is as fast. */
    VALUES_REPEATS = 105,
    VALUES_REPEATS_MAX = 216,
    /* Keys that tell whether columns would be about as full as each other, and cells that they fall
     * into: of even keys 2 meet another in theirs, and next to never 12; of those in clusters, or
     * of values as frequent as Zipf's, 20. */
    EVEN_SAMPLE = 64,
    EVEN_CELLS = 1024,
    EVEN_MEET = 12,
    RUN_SAMPLE = 4, /* of them from a run, or its share */
    /* Values from key to key, up to which a column (cache_sort_columns.h) is 2^16 values wide. */
    NARROW_SPREAD = 4300,
    /* Fewer keys are read once before the sort: their bounds are seldom tight. */
    SCAN_ALWAYS = 2048,
    /* Counting pays from this many keys a value. */
    COUNTING_KEYS = 4,
    /* Up to as many values it is faster to read the bin once for each. */
    SEARCHED_VALUES = 10
};

/* What one read of a bin tells. */
struct scan {
    gs_key low, high; /* the smallest and the largest key */
    unsigned shift;   /* low bits in which all keys agree */
    bool ordered;
};

/* Number of bits that it takes to write value. */
static unsigned bit_width(gs_key value)
{
    unsigned width = 0;
    while (value != 0) {
        width++;
        value >>= 1;
    }
    return width;
}

static void sort_insertion(gs_key *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const gs_key key = keys[i];
        size_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

GS_CLONES static struct scan scan_keys(const gs_key *keys, size_t count)
{
    gs_key least = keys[0], most = keys[0], disorder = 0, varying = 0;

    for (size_t i = 1; i < count; i++) {
        least = keys[i] < least ? keys[i] : least;
        most = keys[i] > most ? keys[i] : most;
        disorder |= keys[i - 1] > keys[i];
        varying |= keys[i - 1] ^ keys[i];
    }
    struct scan scan = {least, most, 0, disorder == 0};
    while (varying != 0 && (varying >> scan.shift & 1) == 0)
        scan.shift++;
    return scan;
}

/* How many of SAMPLE keys of the bin were met before. A slot that is free holds a key that does not
 * belong there; few keys share one with another. */
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

/* Are so few of a bin's keys equal that columns will do? */
static bool seldom_repeat(unsigned repeats, size_t count)
{
    return repeats <= 1 + COLUMN_REPEATS_KEYS / count;
}

/* Whether the first keys are in order: reason to look at the others. */
static bool starts_ordered(const gs_key *keys)
{
    size_t i = 1;
    while (i < INSERTION_MAX && keys[i - 1] <= keys[i])
        i++;
    return i == INSERTION_MAX;
}

/* Are keys spread evenly enough over their bounds for columns? */
static bool look_even(const gs_key *keys, size_t count, gs_key low, gs_key high)
{
    const uint64_t scale = ((uint64_t)EVEN_CELLS << 32) / ((uint64_t)(high - low) + 1);
    uint64_t taken[EVEN_CELLS / 64] = {0};
    unsigned meet = 0;

    for (size_t i = 0; i < EVEN_SAMPLE; i++) {
        const gs_key above = keys[i * (count / EVEN_SAMPLE)] - low;
        const uint64_t cell = (above * scale >> 32) % EVEN_CELLS;
        meet += taken[cell / 64] >> cell % 64 & 1;
        taken[cell / 64] |= (uint64_t)1 << cell % 64;
    }
    return meet < EVEN_MEET;
}

/* Sort keys of `values` values, low + value * 2^shift, by counting each; scratch holds the
 * counters. Of many values there are four counters each, so that equal keys in a row do not wait
 * for each other; each of few values is searched for. */
static void sort_counting(gs_key *keys, gs_key *scratch, size_t count, struct scan scan,
                          uint32_t values)
{
    const uint32_t sets = values <= SEARCHED_VALUES && count <= UINT32_MAX ? 1 : 4;
    uint32_t *const counts = scratch;
    size_t i = 0;

    memset(counts, 0, sets * sizeof *counts * values);
    if (sets == 1) {
        for (uint32_t value = 0; value < values; value++)
            counts[value] = gs_count_equal(keys, count, scan.low + (value << scan.shift));
    } else {
        for (; i + 4 <= count; i += 4) {
            counts[(keys[i] - scan.low) >> scan.shift]++;
            counts[values + ((keys[i + 1] - scan.low) >> scan.shift)]++;
            counts[2 * values + ((keys[i + 2] - scan.low) >> scan.shift)]++;
            counts[3 * values + ((keys[i + 3] - scan.low) >> scan.shift)]++;
        }
        for (; i < count; i++)
            counts[(keys[i] - scan.low) >> scan.shift]++;
    }
    for (uint32_t value = 0; value < values; value++) {
        size_t equal = 0;
        for (uint32_t set = 0; set < sets; set++)
            equal += counts[set * values + value];
        for (size_t k = 0; k < equal; k++)
            keys[k] = scan.low + (value << scan.shift);
        keys += equal;
    }
}

/* Radix sort of the bits that vary. Returns keys or scratch. A pass works from both ends: first
 * half of the keys upwards to the front of each digit's place, last half downwards to the back.
 * That is stable, and equal digits in a row wait for each other half as long. */
static gs_key *sort_radix(gs_key *keys, gs_key *scratch, size_t count, struct scan scan)
{
    const unsigned bits = bit_width((scan.high - scan.low) >> scan.shift);
    const unsigned digit_max = count < SMALL_DIGIT_KEYS ? SMALL_DIGIT_BITS : DIGIT_BITS;
    const unsigned passes = (bits + digit_max - 1) / digit_max;
    const unsigned digit_bits = passes == 0 ? 0 : (bits + passes - 1) / passes;
    const gs_key mask = ((gs_key)1 << digit_bits) - 1;
    uint32_t fronts[PASSES_MAX][DIGITS], backs[PASSES_MAX][DIGITS];

    for (unsigned pass = 0; pass < passes; pass++) {
        memset(fronts[pass], 0, sizeof fronts[0][0] << digit_bits);
        memset(backs[pass], 0, sizeof backs[0][0] << digit_bits);
    }
    for (size_t i = 0; i < (count + 1) / 2; i++) { /* a key in the middle counts as front only */
        const gs_key front = (keys[i] - scan.low) >> scan.shift;
        const gs_key back = (keys[count - 1 - i] - scan.low) >> scan.shift;
        const uint32_t both = i != count - 1 - i;
        for (unsigned pass = 0; pass < passes; pass++) {
            fronts[pass][front >> (pass * digit_bits) & mask]++;
            backs[pass][back >> (pass * digit_bits) & mask] += both;
        }
    }
    for (unsigned pass = 0; pass < passes; pass++) {
        const unsigned shift = scan.shift + pass * digit_bits;
        uint32_t *front = fronts[pass], *back = backs[pass], sum = 0;

        for (gs_key digit = 0; digit <= mask; digit++) {
            const uint32_t digit_count = front[digit] + back[digit];
            front[digit] = sum;
            sum += digit_count;
            back[digit] = sum;
        }
        for (size_t i = 0; i < count / 2; i++) {
            const gs_key first = keys[i], last = keys[count - 1 - i];
            scratch[front[(first - scan.low) >> shift & mask]++] = first;
            scratch[--back[(last - scan.low) >> shift & mask]] = last;
        }
        if (count % 2 == 1) {
            const gs_key middle = keys[count / 2];
            scratch[front[(middle - scan.low) >> shift & mask]++] = middle;
        }
        gs_key *swap = keys;
        keys = scratch;
        scratch = swap;
    }
    return keys;
}

gs_key *gs_cache_sort_radix(gs_key *keys, gs_key *scratch, size_t count)
{
    return count == 0 ? keys : sort_radix(keys, scratch, count, scan_keys(keys, count));
}

/* Split a bin above the capacity in place, by the top SPLIT_BITS of the bits that vary or by fewer:
 * parts of a quarter of the capacity are small enough. Then sort the parts. */
static void sort_large(gs_key *keys, gs_key *scratch, size_t count, struct scan scan)
{
    const unsigned bits = bit_width(scan.high - scan.low);
    unsigned split_bits = 1;
    assert(bits >= split_bits); /* keys that are out of order differ */
    while (split_bits < SPLIT_BITS && split_bits < bits &&
           count >> split_bits > GS_CACHE_SORT_CAPACITY / 4)
        split_bits++;
    const unsigned shift = bits - split_bits, splits = 1U << split_bits;
    size_t next[SPLITS], ends[SPLITS] = {0}, begin = 0;

    for (size_t i = 0; i < count; i++)
        ends[(keys[i] - scan.low) >> shift]++;
    for (unsigned split = 0; split < splits; split++) {
        next[split] = begin;
        begin += ends[split];
        ends[split] = begin;
    }
    /* Each key of a part goes to its own part in exchange for one there. That brings most keys
     * home; the next round looks at those places that got a stranger. No exchange waits for
     * another. */
    for (bool strangers = true; strangers;) {
        strangers = false;
        for (unsigned split = 0; split < splits; split++) {
            for (size_t i = next[split]; i < ends[split]; i++) {
                const gs_key key = keys[i];
                const size_t to = next[(key - scan.low) >> shift]++;
                keys[i] = keys[to];
                keys[to] = key;
            }
            strangers |= next[split] < ends[split];
        }
    }
    begin = 0;
    for (unsigned split = 0; split < splits; split++) {
        const size_t part = ends[split] - begin;
        const gs_key low = scan.low + ((gs_key)split << shift);
        const gs_key width = ((gs_key)1 << shift) - 1;
        if (part > 1) {
            const gs_key high = scan.high - low < width ? scan.high : low + width;
            const gs_key *sorted = gs_cache_sort(keys + begin, scratch, part, low, high);
            if (sorted == scratch)
                memcpy(keys + begin, scratch, part * sizeof *keys);
        }
        begin = ends[split];
    }
}

#if GS_CACHE_SORT_HAS_COLUMNS
static bool try_columns(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high)
{
    const uint32_t starts[2] = {0, (uint32_t)count};
    const struct gs_key_runs runs = {.keys = keys, .starts = starts, .chunks = 1};
    if (gs_cache_sort_columns512_usable() &&
        gs_cache_sort_columns512(&runs, keys, scratch, count, low, high, false))
        return true;
    return gs_cache_sort_columns_usable() && gs_cache_sort_columns(keys, scratch, count, low, high);
}

/* Do some keys of the runs differ, are not in order, and spread evenly? Then columns are worth a
 * try. */
static bool runs_look_even(const struct gs_key_runs *runs, size_t count, gs_key low, gs_key high)
{
    gs_key sample[SAMPLE];
    size_t drawn = 0;
    if (!gs_cache_sort_columns512_usable() || count < SCAN_ALWAYS || count > GS_CACHE_SORT_CAPACITY)
        return false;
    for (uint64_t chunk = 0; chunk < runs->chunks && drawn < SAMPLE; chunk++) {
        uint32_t run_count;
        const gs_key *run = gs_key_run(runs, chunk, &run_count);
        /* Rows that are no chunks may be few. */
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

/* From the runs straight to `to`. */
static bool try_columns_of_runs(const struct gs_key_runs *runs, gs_key *to, gs_key *scratch,
                                size_t count, gs_key low, gs_key high, bool past_cache)
{
    return gs_cache_sort_groups512(runs, to, scratch, count, low, high, past_cache) ||
           gs_cache_sort_columns512(runs, to, scratch, count, low, high, past_cache);
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
                                size_t count, gs_key low, gs_key high, bool past_cache)
{
    (void)runs, (void)to, (void)scratch, (void)count, (void)low, (void)high, (void)past_cache;
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

/* Sort keys; `tried`: by columns within these bounds, in vain. */
static gs_key *sort_keys(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high,
                         bool tried)
{
    if (count <= INSERTION_MAX) {
        sort_insertion(keys, count);
        return keys;
    }
    if (low == high)
        return keys;

    /* Bounds that splitters gave are good enough for a first try. */
    const unsigned repeats = count_repeats(keys, count);
    if (!tried && count >= SCAN_ALWAYS && count <= GS_CACHE_SORT_CAPACITY &&
        seldom_repeat(repeats, count) && !starts_ordered(keys) &&
        look_even(keys, count, low, high)) {
        if (try_columns(keys, scratch, count, low, high))
            return keys;
        tried = true;
    }
    const struct scan scan = scan_keys(keys, count);
    if (scan.ordered)
        return keys;
    const gs_key last_value = (scan.high - scan.low) >> scan.shift;
    const size_t counters = count < GS_CACHE_SORT_CAPACITY ? count : GS_CACHE_SORT_CAPACITY;
    if (last_value < counters / COUNTING_KEYS) {
        sort_counting(keys, scratch, count, scan, last_value + 1);
        return keys;
    }
    const bool large = count > GS_CACHE_SORT_CAPACITY;
    const bool closer = scan.high - scan.low < (high - low) / 2;
    if (seldom_repeat(repeats, count) && !large && (!tried || closer) &&
        (count < EVEN_SAMPLE || look_even(keys, count, scan.low, scan.high)) &&
        try_columns(keys, scratch, count, scan.low, scan.high))
        return keys;
    if (repeats >= VALUES_REPEATS && repeats <= VALUES_REPEATS_MAX && !large &&
        gs_cache_sort_values(keys, scratch, count))
        return keys;
    if (try_highway(keys, count))
        return keys;
    if (!large)
        return sort_radix(keys, scratch, count, scan);
    sort_large(keys, scratch, count, scan);
    return keys;
}

gs_key *gs_cache_sort(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high)
{
    return sort_keys(keys, scratch, count, low, high, false);
}

gs_key *gs_cache_sort_runs(const struct gs_key_runs *runs, gs_key *to, gs_key *scratch,
                           size_t count, gs_key low, gs_key high, bool past_cache)
{
    bool tried = false;
    /* Columns of more values than slots of 16 bits tell apart are left to the others. */
    if (count > 0 && (uint64_t)(high - low) / count < NARROW_SPREAD &&
        runs_look_even(runs, count, low, high)) {
        if (try_columns_of_runs(runs, to, scratch, count, low, high, past_cache))
            return to;
        tried = true;
    }
    gs_key_runs_gather(runs, to);
    return sort_keys(to, scratch, count, low, high, tried);
}

const char *gs_cache_sort_name(void)
{
#if GS_CACHE_SORT_HAS_COLUMNS && GS_HIGHWAY
    if (gs_cache_sort_columns512_usable())
        return "columns AVX-512, vqsort";
    if (gs_cache_sort_columns_usable())
        return "columns AVX2, vqsort";
#elif GS_CACHE_SORT_HAS_COLUMNS
    if (gs_cache_sort_columns512_usable())
        return "columns AVX-512, radix";
    if (gs_cache_sort_columns_usable())
        return "columns AVX2, radix";
#endif
#if GS_HIGHWAY
    if (gs_cache_sort_highway_usable())
        return "vqsort";
#endif
    return "radix";
}
