/* sample_keys.h -- arrays of keys for the unit tests, and a plain sort to compare results with.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_SAMPLE_KEYS_H
#define GS_SAMPLE_KEYS_H

#include "common/formats/keys.h"
#include "common/random.h"

#include <stdlib.h>
#include <string.h>

enum sample_kind {
    SAMPLE_UNIFORM,
    SAMPLE_FEW,      /* 7 values */
    SAMPLE_EQUAL,    /* one value */
    SAMPLE_SORTED,   /* ascending, each value three times */
    SAMPLE_REVERSED, /* descending, each value three times */
    SAMPLE_SKEWED,   /* all lengths equally often */
    SAMPLE_ENDS,     /* mostly 0 and the largest key; one in five below 2^24 */
    SAMPLE_KINDS
};

/* A 32-bit key as one of any width, in the same order: its bits again and again. */
static inline gs_key sample_wide(uint32_t key)
{
    return key * (GS_KEY_MAX / UINT32_MAX);
}

/* One of `values` values, spread from 0 to the largest key. */
static inline gs_key sample_value(uint64_t random, uint64_t values)
{
    return values < 2 ? 0 : sample_wide((uint32_t)(random % values * (UINT32_MAX / (values - 1))));
}

/* A key of random bits. */
static inline gs_key sample_random(uint64_t stream, uint64_t i)
{
    gs_key key = 0;
    for (unsigned word = 0; word < GS_KEY_BITS / 32; word++)
        key = key << 16 << 16 | (gs_key)(gs_random(stream + word * UINT64_C(1000), i) >> 32);
    return key;
}

static inline gs_key sample_key(enum sample_kind kind, uint64_t count, uint64_t i)
{
    uint64_t r = gs_random(17, i);
    switch (kind) {
    case SAMPLE_FEW:
        return sample_wide((uint32_t)(r % 7 * 600000001));
    case SAMPLE_EQUAL:
        return sample_wide(3000000000U);
    case SAMPLE_SORTED:
        return (gs_key)(i / 3 * 5);
    case SAMPLE_REVERSED:
        return (gs_key)((count - 1 - i) / 3 * 5);
    case SAMPLE_SKEWED:
        return sample_random(17, i) >> (r % GS_KEY_BITS);
    case SAMPLE_ENDS:
        return r % 5 == 0 ? (gs_key)(r >> 40) : (r & 64) != 0 ? GS_KEY_MAX : 0;
    default:
        return sample_random(17, i);
    }
}

/* Returns an array of count keys, which the caller frees. */
static inline gs_key *sample_make(enum sample_kind kind, uint64_t count)
{
    gs_key *keys = malloc((size_t)count * sizeof *keys + 1);
    if (keys == NULL)
        abort();
    for (uint64_t i = 0; i < count; i++)
        keys[i] = sample_key(kind, count, i);
    return keys;
}

static inline int sample_compare(const void *left, const void *right)
{
    gs_key a = *(const gs_key *)left;
    gs_key b = *(const gs_key *)right;
    return a < b ? -1 : a > b;
}

/* LSD radix sort, a byte or 11 bits at a time, but for digits that all keys share: far faster than
 * qsort. It is not what sanitizers are to watch. */
__attribute__((no_sanitize("address", "undefined"))) static inline void sample_sort(gs_key *keys,
                                                                                    uint64_t count)
{
    enum { FEW = 4096 }; /* up to here, adding up the places of 11 bits takes longer */
    const unsigned bits = count <= FEW ? 8 : 11;
    const gs_key mask = ((gs_key)1 << bits) - 1;
    gs_key *from = keys;
    gs_key *memory = malloc((size_t)count * sizeof *memory + 1), *to = memory;
    if (memory == NULL)
        abort();
    for (unsigned shift = 0; shift < GS_KEY_BITS; shift += bits) {
        uint64_t place[(1 << 11) + 1] = {0};
        for (uint64_t i = 0; i < count; i++)
            place[(from[i] >> shift & mask) + 1]++;
        if (count > 0 && place[(from[0] >> shift & mask) + 1] == count)
            continue;
        for (unsigned digit = 0; digit <= mask; digit++)
            place[digit + 1] += place[digit];
        for (uint64_t i = 0; i < count; i++)
            to[place[from[i] >> shift & mask]++] = from[i];
        gs_key *other = from;
        from = to;
        to = other;
    }
    if (from != keys)
        memcpy(keys, from, (size_t)count * sizeof *keys);
    free(memory);
}

/* Returns a copy of ascending keys, which the caller frees: descending if `reverse`, without
 * duplicates if `unique`. *count becomes the number of keys in it. */
static inline gs_key *sample_ordered(const gs_key *ascending, uint64_t *count, bool reverse,
                                     bool unique)
{
    uint64_t n = *count;
    gs_key *sorted = malloc((size_t)n * sizeof *sorted + 1);
    if (sorted == NULL)
        abort();
    if (n > 0)
        memcpy(sorted, ascending, (size_t)n * sizeof *sorted);
    if (unique && n > 0) {
        uint64_t kept = 1;
        for (uint64_t i = 1; i < n; i++) {
            if (sorted[i] != sorted[kept - 1])
                sorted[kept++] = sorted[i];
        }
        n = kept;
    }
    for (uint64_t i = 0; reverse && i < n / 2; i++) {
        gs_key key = sorted[i];
        sorted[i] = sorted[n - 1 - i];
        sorted[n - 1 - i] = key;
    }
    *count = n;
    return sorted;
}

/* The same of keys in any order. */
static inline gs_key *sample_sorted(const gs_key *keys, uint64_t *count, bool reverse, bool unique)
{
    uint64_t n = *count;
    gs_key *ascending = sample_ordered(keys, &n, false, false);
    sample_sort(ascending, n);
    gs_key *sorted = sample_ordered(ascending, count, reverse, unique);
    free(ascending);
    return sorted;
}

#endif
