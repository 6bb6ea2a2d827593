/* cache_sort.c -- sort one bin while it is in cache: the choice of the method.
 * SPDX-License-Identifier: MIT
 *
 * The splitters bound a bin's keys, so only some 20 of 32 bits vary in a bin of uniform keys. The
 * methods:
 *
 *   vectors      (u32/) where keys are spread evenly and few are equal, and the processor can;
 *   counting     (portable.c) where there are fewer values than keys: count each, write them out;
 *   vqsort       (vqsort.cc) all other bins, if built in and vectors are available;
 *   radix        (portable.c) all other bins, without vqsort.
 *
 * A bin above GS_CACHE_SORT_CAPACITY is sorted by vectors if it comes in runs, up to
 * GS_CACHE_SORT_LARGE keys, else by vqsort; without vqsort it is split first.
 */
#include "sort/bin/cache_sort.h"
#include "sort/bin/vqsort.h"
#include "sort/bin/portable.h"
#include "sort/bin/u32/even.h"

#include <assert.h>
#include <string.h>

enum {
    /* Fewer keys are always scanned before the sort: their bounds are seldom tight. */
    SCAN_ALWAYS = 2048,
    /* Counting pays from this many keys per value. */
    COUNTING_KEYS = 4,
    /* Sorted by words: the keys and their words fit scratch. */
    BY_WORDS_MAX = GS_CACHE_SORT_SCRATCH * 2 / 3,
    /* How a bin above the capacity is split. */
    SPLIT_BITS = 8,
    SPLITS = 1 << SPLIT_BITS
};

/* Split a bin above the capacity in place, by up to SPLIT_BITS of the top bits that vary, fewer if
 * parts of a quarter of the capacity result. Then sort the parts. The keys must not be in order.
 * [McIlroy, Bostic, McIlroy: Engineering Radix Sort, 1993: American flag sort] */
static void sort_large(gs_key *keys, gs_key *scratch, size_t count, struct gs_bin_scan scan)
{
    const unsigned bits = gs_bit_width(scan.high - scan.low);
    unsigned split_bits = 1;
    assert(bits >= split_bits); /* the keys are not in order, so some differ */
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
    /* Each key of a part is exchanged with one in the part where it belongs. That brings most keys
     * home; the next round visits only places that got a stranger. No exchange waits for
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

/* Sort keys whose order words have told so far, and which are the same in these. */
static void sort_tied(gs_key *keys, gs_key *scratch, size_t count)
{
    if (count <= GS_INSERTION_MAX) {
        gs_insertion_sort(keys, count);
        return;
    }
    const gs_key *sorted = gs_radix_sort(keys, scratch, count);
    if (sorted != keys)
        memcpy(keys, sorted, count * sizeof *keys);
}

/* Sort keys to scratch by words of half their size: the highest bits that vary, and where the key
 * lies. vqsort takes a third of the time for these. */
static gs_key *sort_by_words(gs_key *keys, gs_key *scratch, size_t count, struct gs_bin_scan scan)
{
    uint64_t *words = (uint64_t *)(void *)(scratch + count);
    const unsigned place_bits = gs_bit_width((gs_key)count);
    const unsigned varying = gs_bit_width(scan.high - scan.low);
    const unsigned cut = varying + place_bits > 64 ? varying + place_bits - 64 : 0;
    for (size_t i = 0; i < count; i++)
        words[i] = (uint64_t)((keys[i] - scan.low) >> cut) << place_bits | i;
    gs_vqsort_words(words, count);
    for (size_t i = 0; i < count; i++)
        scratch[i] = keys[words[i] & (((uint64_t)1 << place_bits) - 1)];
    for (size_t i = 0, end; i < count && cut > 0; i = end) {
        for (end = i + 1; end < count && (words[end] ^ words[i]) >> place_bits == 0; end++)
            continue;
        if (end - i > 1)
            sort_tied(scratch + i, keys + i, end - i);
    }
    return scratch;
}

/* Sort keys that vectors refuse. */
static gs_key *sort_otherwise(gs_key *keys, gs_key *scratch, size_t count, struct gs_bin_scan scan)
{
    if (sizeof(gs_key) <= sizeof(uint64_t) && gs_vqsort_usable()) {
        gs_vqsort(keys, count);
        return keys;
    }
    const bool crowded = gs_vqsort_usable() && !gs_bin_looks_even(keys, count, scan.low, scan.high);
    if (crowded && count <= BY_WORDS_MAX)
        return sort_by_words(keys, scratch, count, scan);
    if (!crowded && count <= GS_CACHE_SORT_CAPACITY)
        return gs_radix_sort_scanned(keys, scratch, count, scan);
    sort_large(keys, scratch, count, scan);
    return keys;
}

/* Sort keys. `tried`: vectors were tried within these bounds and gave up. */
static gs_key *sort_keys(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high,
                         bool tried)
{
    if (count <= GS_INSERTION_MAX) {
        gs_insertion_sort(keys, count);
        return keys;
    }
    if (low == high)
        return keys;

    /* The splitters' bounds are good enough for a first try. */
    const bool bounded = !tried && count >= SCAN_ALWAYS && !gs_bin_starts_ordered(keys);
    if (bounded && gs_even_sort(keys, scratch, count, low, high, &tried))
        return keys;
    if (bounded && gs_even_method() == GS_EVEN_NONE && gs_bin_looks_even(keys, count, low, high))
        return sort_otherwise(keys, scratch, count, (struct gs_bin_scan){.low = low, .high = high});
    const struct gs_bin_scan scan = gs_bin_scan(keys, count);
    if (scan.ordered)
        return keys;
    const gs_key last_value = (scan.high - scan.low) >> scan.shift;
    const size_t counters = count < GS_CACHE_SORT_CAPACITY ? count : GS_CACHE_SORT_CAPACITY;
    if (last_value < counters / COUNTING_KEYS && count <= UINT32_MAX) { /* 32-bit counters */
        gs_counting_sort(keys, scratch, count, scan, (uint32_t)last_value + 1);
        return keys;
    }
    const bool closer = scan.high - scan.low < (high - low) / 2;
    if ((!tried || closer) && gs_even_sort(keys, scratch, count, scan.low, scan.high, &tried))
        return keys;
    return sort_otherwise(keys, scratch, count, scan);
}

gs_key *gs_cache_sort(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high)
{
    return sort_keys(keys, scratch, count, low, high, false);
}

bool gs_cache_sort_takes_large(void)
{
    return gs_even_method() == GS_EVEN_GROUPS;
}

gs_key *gs_cache_sort_runs(const struct gs_rows *rows, const struct gs_bin_output *output,
                           gs_key *scratch, size_t scratch_keys, size_t count, gs_key low,
                           gs_key high)
{
    gs_key *to = output->to;
    bool tried = false;
    if (gs_even_sort_runs(rows, output, scratch, scratch_keys, count, low, high, &tried))
        return to;
    gs_rows_gather(rows, to);
    gs_key *sorted = sort_keys(to, scratch, count, low, high, tried);
    if (output->codec == NULL)
        return sorted;
    gs_codec_store(output->codec, sorted, to, count);
    return to;
}

const char *gs_cache_sort_name(void)
{
    static const char *const names[][2] = {
        {"radix", "vqsort"},
        {"columns AVX2, radix", "columns AVX2, vqsort"},
        {"groups AVX-512, radix", "groups AVX-512, vqsort"},
    };
    return names[gs_even_method()][gs_vqsort_usable()];
}
