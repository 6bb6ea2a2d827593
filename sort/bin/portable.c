/* portable.c -- the methods for a bin that need no vectors: insertion, counting, radix.
 * SPDX-License-Identifier: MIT
 *
 * The radix sort takes only the top bits that vary, a few more than it takes to number the keys: in
 * two passes between keys and scratch, the lower digit first; one read counts both. Then keys are
 * in order but for a few neighbours, which insertion brings in order. Where keys crowd, so that
 * many share these bits, each crowd is sorted in the same way by the bits that vary in it.
 */
#include "sort/bin/portable.h"
#include "sort/keys/key_loops.h"
#include "sort/keys/vectors.h"

#include <string.h>

enum {
    DIGIT_BITS = 11,
    SMALL_DIGIT_BITS = 8, /* for bins so small that clearing 2^11 counters costs more */
    SMALL_DIGIT_KEYS = 4096,
    DIGITS = 1 << DIGIT_BITS,
    PASSES_MAX = 2,
    /* Bits beyond those of the number of keys: of evenly spread keys, about one in 2^SPARE_BITS has
     * the same digits as another. */
    SPARE_BITS = 3,
    /* A test of whether columns or digits would be about equally full: count the sampled keys that
     * fall into an occupied one of EVEN_CELLS cells. Of n evenly spread keys about n^2 / 2048 do so
     * by chance: 2 of 64, and next to never 12; 29 of 256, with a deviation of 5. Of 64 clustered
     * or Zipf-distributed keys 20 do; of 256 k-mers, 60, where 64 of them do not tell. */
    EVEN_LARGE = 1 << 14, /* for fewer keys a larger sample takes too long */
    EVEN_SAMPLE_LARGE = 256,
    EVEN_CELLS = 1024,
    EVEN_CELL_BITS = 32, /* of the distance from the lower bound */
    EVEN_MEET = 9,
    /* Up to this many values, reading the bin once for each is faster. */
    SEARCHED_VALUES = 10
};

void gs_insertion_sort(gs_key *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const gs_key key = keys[i];
        size_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

GS_CLONES struct gs_bin_scan gs_bin_scan(const gs_key *keys, size_t count)
{
    gs_key least = keys[0], most = keys[0], disorder = 0, varying = 0;

    for (size_t i = 1; i < count; i++) {
        least = keys[i] < least ? keys[i] : least;
        most = keys[i] > most ? keys[i] : most;
        disorder |= keys[i - 1] > keys[i];
        varying |= keys[i - 1] ^ keys[i];
    }
    struct gs_bin_scan scan = {least, most, 0, disorder == 0};
    scan.shift = varying == 0 ? 0 : GS_KEY_BITS - 1 - gs_key_clz(varying & (0 - varying));
    return scan;
}

/* Sort fewer than 2^32 keys that are low + value * 2^shift, value < `values`, by counting each
 * value; scratch holds the counters. Many values have four counters each, so that equal keys in a
 * row do not wait for each other; for up to SEARCHED_VALUES, the bin is searched for each value. */
void gs_counting_sort(gs_key *keys, gs_key *scratch, size_t count, struct gs_bin_scan scan,
                      uint32_t values)
{
    const uint32_t sets = values <= SEARCHED_VALUES ? 1 : 4;
    uint32_t *const counts = (uint32_t *)(void *)scratch;
    size_t i = 0;

    memset(counts, 0, sets * sizeof *counts * values);
    if (sets == 1) {
        for (uint32_t value = 0; value < values; value++)
            counts[value] = gs_count_equal(keys, count, scan.low + ((gs_key)value << scan.shift));
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
            keys[k] = scan.low + ((gs_key)value << scan.shift);
        keys += equal;
    }
}

bool gs_bin_looks_even(const gs_key *keys, size_t count, gs_key low, gs_key high)
{
    const unsigned width = gs_bit_width(high - low);
    const unsigned cut = width > EVEN_CELL_BITS ? width - EVEN_CELL_BITS : 0;
    const uint64_t scale = ((uint64_t)EVEN_CELLS << 32) / ((uint64_t)((high - low) >> cut) + 1);
    uint64_t taken[EVEN_CELLS / 64] = {0};
    const size_t drawn =
        count == EVEN_SAMPLE_LARGE || count >= EVEN_LARGE ? EVEN_SAMPLE_LARGE : GS_EVEN_SAMPLE;
    unsigned meet = 0;

    for (size_t i = 0; i < drawn; i++) {
        const uint32_t above = (uint32_t)((keys[i * (count / drawn)] - low) >> cut);
        const uint64_t cell = (above * scale >> 32) % EVEN_CELLS;
        meet += taken[cell / 64] >> cell % 64 & 1;
        taken[cell / 64] |= (uint64_t)1 << cell % 64;
    }
    return meet < EVEN_MEET + drawn * drawn / 1600;
}

/* Digits of keys, of `bits` bits each, above the lowest `cut` bits. */
struct digits {
    gs_key low;
    unsigned cut, bits;
};

/* Sort keys by their digits, the lower one first. Returns keys or scratch. passes is a constant at
 * every call. */
static inline __attribute__((always_inline)) gs_key *sort_digits(gs_key *keys, gs_key *scratch,
                                                                 size_t count,
                                                                 const struct digits *digits,
                                                                 unsigned passes)
{
    const uint32_t end = 1U << digits->bits;
    uint32_t places[PASSES_MAX][DIGITS];

#define DIGIT(key, pass)                                                                           \
    ((uint32_t)(((key)-digits->low) >> (digits->cut + (pass)*digits->bits)) & (end - 1))
    for (unsigned pass = 0; pass < passes; pass++)
        memset(places[pass], 0, end * sizeof places[0][0]);
    for (size_t i = 0; i < count; i++)
        for (unsigned pass = 0; pass < passes; pass++)
            places[pass][DIGIT(keys[i], pass)]++;
    for (unsigned pass = 0; pass < passes; pass++) {
        uint32_t sum = 0;
        for (uint32_t digit = 0; digit < end; digit++) {
            const uint32_t equal = places[pass][digit];
            places[pass][digit] = sum;
            sum += equal;
        }
        for (size_t i = 0; i < count; i++) {
            const gs_key key = keys[i];
            scratch[places[pass][DIGIT(key, pass)]++] = key;
        }
        gs_key *swap = keys;
        keys = scratch;
        scratch = swap;
    }
    return keys;
#undef DIGIT
}

static __attribute__((noinline)) gs_key *sort_one_digit(gs_key *keys, gs_key *scratch, size_t count,
                                                        const struct digits *digits)
{
    return sort_digits(keys, scratch, count, digits, 1);
}

static __attribute__((noinline)) gs_key *sort_two_digits(gs_key *keys, gs_key *scratch,
                                                         size_t count, const struct digits *digits)
{
    return sort_digits(keys, scratch, count, digits, 2);
}

/* Sort keys that are in order but for those with the same digits, which lie side by side: by
 * insertion, or by radix where they are many. */
static void sort_equal_digits(gs_key *keys, gs_key *scratch, size_t count,
                              const struct digits *digits)
{
    for (size_t i = 1; i < count; i++) {
        const gs_key key = keys[i];
        const size_t least = i > GS_INSERTION_MAX ? i - GS_INSERTION_MAX : 0;
        size_t to = i;
        for (; to > least && keys[to - 1] > key; to--)
            keys[to] = keys[to - 1];
        keys[to] = key;
        if (to > least || to == 0 || keys[to - 1] <= key)
            continue;
        const gs_key digit = (key - digits->low) >> digits->cut;
        size_t begin = to, end = i + 1;
        while (begin > 0 && (keys[begin - 1] - digits->low) >> digits->cut == digit)
            begin--;
        while (end < count && (keys[end] - digits->low) >> digits->cut == digit)
            end++;
        const gs_key *sorted = gs_radix_sort(keys + begin, scratch + begin, end - begin);
        if (sorted != keys + begin)
            memcpy(keys + begin, sorted, (end - begin) * sizeof *keys);
        i = end - 1;
    }
}

gs_key *gs_radix_sort_scanned(gs_key *keys, gs_key *scratch, size_t count, struct gs_bin_scan scan)
{
    const unsigned varying = gs_bit_width((scan.high - scan.low) >> scan.shift);
    const unsigned wanted = gs_bit_width((gs_key)count) + SPARE_BITS;
    const unsigned most = wanted < PASSES_MAX * DIGIT_BITS ? wanted : PASSES_MAX * DIGIT_BITS;
    const unsigned bits = varying < most ? varying : most;
    const unsigned digit_max = count < SMALL_DIGIT_KEYS ? SMALL_DIGIT_BITS : DIGIT_BITS;
    struct digits digits = {.low = scan.low, .cut = scan.shift + varying - bits};
    gs_key *sorted;

    if (bits <= digit_max) {
        digits.bits = bits;
        sorted = sort_one_digit(keys, scratch, count, &digits);
    } else {
        digits.bits = (bits + 1) / 2;
        sorted = sort_two_digits(keys, scratch, count, &digits);
    }
    if (digits.cut > scan.shift)
        sort_equal_digits(sorted, sorted == keys ? scratch : keys, count, &digits);
    return sorted;
}

gs_key *gs_radix_sort(gs_key *keys, gs_key *scratch, size_t count)
{
    return count == 0 ? keys
                      : gs_radix_sort_scanned(keys, scratch, count, gs_bin_scan(keys, count));
}
