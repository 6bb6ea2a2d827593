/* cache_sort.c -- sort one bin while it is in cache: radix sort of the bits that vary.
 * SPDX-License-Identifier: MIT
 *
 * The splitters bound a bin's keys, so that only the bits of high - low can vary: around 20 of 32
 * in a bin of 2^16 uniform keys. Those are sorted least significant digit first, in as few passes
 * as digits of at most DIGIT_BITS allow, between keys and scratch; one read counts all digits.
 * A bin above GS_CACHE_SORT_CAPACITY is split by its top digit in place [McIlroy, Bostic, McIlroy:
 * Engineering Radix Sort, 1993: American flag sort] until its parts fit.
 */
#include "sort/cache_sort.h"

#include <string.h>

enum {
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
    PASSES_MAX = (GS_KEY_BITS + DIGIT_BITS - 1) / DIGIT_BITS,
    SPLIT_BITS = 8,
    SPLITS = 1 << SPLIT_BITS,
    INSERTION_MAX = 32
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
static int scan_range(const gs_key *keys, size_t count, gs_key *low, gs_key *high)
{
    gs_key least = keys[0], most = keys[0], previous = keys[0];
    unsigned disorder = 0;

    for (size_t i = 1; i < count; i++) {
        const gs_key key = keys[i];
        least = key < least ? key : least;
        most = key > most ? key : most;
        disorder |= previous > key;
        previous = key;
    }
    *low = least;
    *high = most;
    return !disorder;
}

/* Radix sort of count <= GS_CACHE_SORT_CAPACITY keys in [low, low + 2^bits). */
static gs_key *sort_radix(gs_key *keys, gs_key *scratch, size_t count, gs_key low, unsigned bits)
{
    const unsigned passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    const unsigned digit_bits = (bits + passes - 1) / passes;
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

/* Sort a bin above the capacity: split it in place by the top SPLIT_BITS of the bits that vary. */
static void sort_large(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high)
{
    const unsigned bits = bit_width(high - low);
    const unsigned shift = bits > SPLIT_BITS ? bits - SPLIT_BITS : 0;
    size_t next[SPLITS], end[SPLITS] = {0}, begin = 0;

    for (size_t i = 0; i < count; i++)
        end[(keys[i] - low) >> shift]++;
    for (unsigned split = 0; split < SPLITS; split++) {
        next[split] = begin;
        begin += end[split];
        end[split] = begin;
    }
    for (unsigned split = 0; split < SPLITS; split++) {
        while (next[split] < end[split]) {
            gs_key key = keys[next[split]];
            for (unsigned to; (to = (key - low) >> shift) != split;) {
                const gs_key displaced = keys[next[to]];
                keys[next[to]++] = key;
                key = displaced;
            }
            keys[next[split]++] = key;
        }
    }
    if (shift == 0)
        return;
    begin = 0;
    for (unsigned split = 0; split < SPLITS; split++) {
        const size_t part = end[split] - begin;
        const gs_key part_low = low + ((gs_key)split << shift);
        if (part > 1) {
            const gs_key most = ((gs_key)1 << shift) - 1;
            const gs_key part_high = high - part_low < most ? high : part_low + most;
            const gs_key *sorted = gs_cache_sort(keys + begin, scratch, part, part_low, part_high);
            if (sorted == scratch)
                memcpy(keys + begin, scratch, part * sizeof *keys);
        }
        begin = end[split];
    }
}

gs_key *gs_cache_sort(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high)
{
    if (count <= INSERTION_MAX) {
        sort_insertion(keys, count);
        return keys;
    }
    if (low == high || scan_range(keys, count, &low, &high))
        return keys;
    if (count > GS_CACHE_SORT_CAPACITY) {
        sort_large(keys, scratch, count, low, high);
        return keys;
    }
    return sort_radix(keys, scratch, count, low, bit_width(high - low));
}

const char *gs_cache_sort_name(void)
{
    return "radix";
}
