/* cache_sort.c -- sort one bin while it is in cache: which method, and the portable ones.
 * SPDX-License-Identifier: MIT
 *
 * The splitters bound a bin's keys, so that only the bits of high - low can vary: around 20 of 32
 * in a bin of 2^16 uniform keys. Where they are spread evenly, cache_sort_columns.c is fastest; a
 * small sample tells. Else it is
 *
 *   counting     few values: count each, write them out;
 *   radix        least significant digit first, in as few passes between keys and scratch as digits
 *                of at most DIGIT_BITS allow; one read counts the digits of all passes.
 *
 * A bin above GS_CACHE_SORT_CAPACITY is first split by its top digit, in place [McIlroy, Bostic,
 * McIlroy: Engineering Radix Sort, 1993: American flag sort], until its parts fit.
 */
#include "sort/cache_sort.h"
#include "sort/cache_sort_impl.h"
#include "sort/clones.h"

#include <string.h>

enum {
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
    PASSES_MAX = (GS_KEY_BITS + DIGIT_BITS - 1) / DIGIT_BITS,
    SPLIT_BITS = 8,
    SPLITS = 1 << SPLIT_BITS,
    INSERTION_MAX = 32,

    STREAMS = 4,
    SCAN_ALWAYS = 2048 /* fewer keys are looked at first: their bounds are seldom tight */
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

/* Narrow *low and *high to the smallest and largest key; whether the keys are in order already. */
GS_CLONES static bool scan_keys(const gs_key *keys, size_t count, gs_key *low, gs_key *high)
{
    gs_key least = keys[0], most = keys[0], disorder = 0;

    for (size_t i = 1; i < count; i++) {
        least = keys[i] < least ? keys[i] : least;
        most = keys[i] > most ? keys[i] : most;
        disorder |= keys[i - 1] > keys[i];
    }
    *low = least;
    *high = most;
    return disorder == 0;
}

/* Sort by counting each value of [low, low + values), values <= DIGITS. */
static void sort_counting(gs_key *keys, size_t count, gs_key low, uint32_t values)
{
    uint32_t counts[2][DIGITS];
    size_t i = 0;

    memset(counts[0], 0, sizeof counts[0][0] * values);
    memset(counts[1], 0, sizeof counts[1][0] * values);
    for (; i + 1 < count; i += 2) { /* two counters each: equal keys do not wait for each other */
        counts[0][keys[i] - low]++;
        counts[1][keys[i + 1] - low]++;
    }
    if (i < count)
        counts[0][keys[i] - low]++;
    for (uint32_t value = 0; value < values; value++) {
        const size_t equal = (size_t)counts[0][value] + counts[1][value];
        for (size_t k = 0; k < equal; k++)
            keys[k] = low + value;
        keys += equal;
    }
}

gs_key *gs_cache_sort_radix(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high)
{
    const unsigned bits = bit_width(high - low);
    const unsigned passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    const unsigned digit_bits = passes == 0 ? 0 : (bits + passes - 1) / passes;
    const gs_key mask = ((gs_key)1 << digit_bits) - 1;
    uint32_t offsets[PASSES_MAX][DIGITS];

    memset(offsets, 0, sizeof offsets[0] * passes);
    for (size_t i = 0; i < count; i++) {
        gs_key rest = keys[i] - low;
        for (unsigned pass = 0; pass < passes; pass++) {
            offsets[pass][rest & mask]++;
            rest >>= digit_bits;
        }
    }
    for (unsigned pass = 0; pass < passes; pass++) {
        uint32_t *offset = offsets[pass], sum = 0;
        for (gs_key digit = 0; digit <= mask; digit++) {
            const uint32_t digit_count = offset[digit];
            offset[digit] = sum;
            sum += digit_count;
        }
        for (size_t i = 0; i < count; i++) {
            const gs_key key = keys[i];
            scratch[offset[((key - low) >> (pass * digit_bits)) & mask]++] = key;
        }
        gs_key *swap = keys;
        keys = scratch;
        scratch = swap;
    }
    return keys;
}

/* How a bin is split: by the digit of split_bits bits above shift. */
struct split {
    gs_key low, high;
    unsigned shift, splits;
};

/* Split [low, high] into about `wanted` parts, 2 to SPLITS. */
static struct split plan_split(gs_key low, gs_key high, size_t wanted)
{
    const unsigned bits = bit_width(high - low);
    unsigned split_bits = 1;

    while (split_bits < SPLIT_BITS && (size_t)1 << split_bits < wanted)
        split_bits++;
    if (split_bits > bits)
        split_bits = bits;
    return (struct split){low, high, bits - split_bits, 1U << split_bits};
}

/* Sort the parts; ends[part] is where each ends. */
static void sort_parts(gs_key *keys, gs_key *scratch, const size_t *ends, struct split split)
{
    size_t begin = 0;

    if (split.shift == 0)
        return;
    for (unsigned part = 0; part < split.splits; part++) {
        const size_t count = ends[part] - begin;
        const gs_key low = split.low + ((gs_key)part << split.shift);
        const gs_key most = ((gs_key)1 << split.shift) - 1;
        const gs_key high = split.high - low < most ? split.high : low + most;
        if (count > 1) {
            const gs_key *sorted = gs_cache_sort(keys + begin, scratch, count, low, high);
            if (sorted == scratch)
                memcpy(keys + begin, scratch, count * sizeof *keys);
        }
        begin = ends[part];
    }
}

/* Split by way of scratch. Streams with counters of their own, so that equal keys in a row do not
 * wait for each other's position. */
static void sort_uneven(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high)
{
    const struct split split = plan_split(low, high, count / 64);
    const size_t quarter = count / STREAMS;
    uint32_t next[STREAMS][SPLITS] = {{0}};
    size_t ends[SPLITS];

    for (size_t i = 0; i < quarter; i++)
        for (size_t stream = 0; stream < STREAMS; stream++)
            next[stream][(keys[stream * quarter + i] - low) >> split.shift]++;
    for (size_t i = STREAMS * quarter; i < count; i++)
        next[0][(keys[i] - low) >> split.shift]++;
    uint32_t begin = 0;
    for (unsigned part = 0; part < split.splits; part++) {
        for (size_t stream = 0; stream < STREAMS; stream++) {
            const uint32_t part_count = next[stream][part];
            next[stream][part] = begin;
            begin += part_count;
        }
        ends[part] = begin;
    }
    for (size_t i = 0; i < quarter; i++)
        for (size_t stream = 0; stream < STREAMS; stream++) {
            const gs_key key = keys[stream * quarter + i];
            scratch[next[stream][(key - low) >> split.shift]++] = key;
        }
    for (size_t i = STREAMS * quarter; i < count; i++)
        scratch[next[0][(keys[i] - low) >> split.shift]++] = keys[i];
    memcpy(keys, scratch, count * sizeof *keys);
    sort_parts(keys, scratch, ends, split);
}

/* Split a bin above the capacity in place, into parts of about a quarter of the capacity. */
static void sort_large(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high)
{
    const struct split split = plan_split(low, high, count / (GS_CACHE_SORT_CAPACITY / 4));
    size_t next[SPLITS], ends[SPLITS] = {0}, begin = 0;

    for (size_t i = 0; i < count; i++)
        ends[(keys[i] - low) >> split.shift]++;
    for (unsigned part = 0; part < split.splits; part++) {
        next[part] = begin;
        begin += ends[part];
        ends[part] = begin;
    }
    for (unsigned part = 0; part < split.splits; part++) {
        while (next[part] < ends[part]) {
            gs_key key = keys[next[part]];
            for (unsigned to; (to = (key - low) >> split.shift) != part;) {
                const gs_key displaced = keys[next[to]];
                keys[next[to]++] = key;
                key = displaced;
            }
            keys[next[part]++] = key;
        }
    }
    sort_parts(keys, scratch, ends, split);
}

/* Whether the first keys are in order: reason to look at the others. */
static bool starts_ordered(const gs_key *keys)
{
    size_t i = 1;
    while (i < INSERTION_MAX && keys[i - 1] <= keys[i])
        i++;
    return i == INSERTION_MAX;
}

gs_key *gs_cache_sort(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high)
{
    if (count <= INSERTION_MAX) {
        sort_insertion(keys, count);
        return keys;
    }
    if (low == high)
        return keys;
#if GS_CACHE_SORT_HAS_COLUMNS
    /* Bounds that splitters gave are good enough for a first try. */
    const bool columns = gs_cache_sort_columns_usable();
    if (columns && count >= SCAN_ALWAYS && count <= GS_CACHE_SORT_CAPACITY &&
        !starts_ordered(keys) && gs_cache_sort_columns(keys, scratch, count, low, high))
        return keys;
#endif
    if (scan_keys(keys, count, &low, &high))
        return keys;
    if (count > GS_CACHE_SORT_CAPACITY) {
        sort_large(keys, scratch, count, low, high);
        return keys;
    }
    if (high - low < DIGITS && high - low < count / 4) {
        sort_counting(keys, count, low, high - low + 1);
        return keys;
    }
#if GS_CACHE_SORT_HAS_COLUMNS
    if (columns) {
        if (!gs_cache_sort_columns(keys, scratch, count, low, high))
            sort_uneven(keys, scratch, count, low, high);
        return keys;
    }
#endif
    return gs_cache_sort_radix(keys, scratch, count, low, high);
}

const char *gs_cache_sort_name(void)
{
#if GS_CACHE_SORT_HAS_COLUMNS
    if (gs_cache_sort_columns_usable())
        return "columns AVX2";
#endif
    return "radix";
}
