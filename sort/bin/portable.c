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
    /* The keys are spread unevenly if 1 / UNEVEN_SHARE of them have the same upper digit. */
    UNEVEN_SHARE = 4,
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
    scan.shift = varying == 0 ? 0 : gs_bit_width(varying & (0 - varying)) - 1;
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

/* Digits of the keys: `bits` each, in `passes` passes, above the lowest `cut` bits. */
struct digits {
    gs_key low;
    unsigned cut, bits, passes;
};

/* A digit of a key, of all that are above the cut. */
static inline uint32_t digit_of(const struct digits *digits, gs_key key, unsigned pass)
{
    return (uint32_t)((key - digits->low) >> (digits->cut + pass * digits->bits)) &
           ((1U << digits->bits) - 1);
}

/* Sort keys by their digits, the lowest first. Returns keys or scratch. A pass works from both
 * ends: it takes the first half of the keys upwards and fills each digit's place from the front,
 * the last half downwards and fills from the back. That is stable, and halves the time that equal
 * digits in a row wait for each other.
 *
 * If many keys have the same upper digit, only that digit is sorted by, and digits->cut is raised:
 * what is below differs from one to the next. */
static __attribute__((noinline)) gs_key *sort_digits(gs_key *keys, gs_key *scratch, size_t count,
                                                     struct digits *digits)
{
    uint32_t fronts[PASSES_MAX][DIGITS], backs[PASSES_MAX][DIGITS];
    const struct digits of = *digits;
    const uint32_t end = 1U << of.bits;
    uint32_t most = 0;
    unsigned pass = 0;

    for (pass = 0; pass < of.passes; pass++) {
        memset(fronts[pass], 0, sizeof fronts[0][0] << of.bits);
        memset(backs[pass], 0, sizeof backs[0][0] << of.bits);
    }
    for (size_t i = 0; i < (count + 1) / 2; i++) { /* a middle key counts as front only */
        const uint32_t both = i != count - 1 - i;
        for (pass = 0; pass < of.passes; pass++) {
            fronts[pass][digit_of(&of, keys[i], pass)]++;
            backs[pass][digit_of(&of, keys[count - 1 - i], pass)] += both;
        }
    }
    for (uint32_t digit = 0; digit < end && of.passes > 1; digit++) {
        const uint32_t equal = fronts[1][digit] + backs[1][digit];
        most = equal > most ? equal : most;
    }
    pass = of.passes > 1 && of.cut > 0 && most > count / UNEVEN_SHARE ? 1 : 0;
    digits->cut += pass * of.bits;
    for (; pass < of.passes; pass++) {
        uint32_t *front = fronts[pass], *back = backs[pass], sum = 0;

        for (uint32_t digit = 0; digit < end; digit++) {
            const uint32_t equal = front[digit] + back[digit];
            front[digit] = sum;
            sum += equal;
            back[digit] = sum;
        }
        for (size_t i = 0; i < count / 2; i++) {
            const gs_key first = keys[i], last = keys[count - 1 - i];
            scratch[front[digit_of(&of, first, pass)]++] = first;
            scratch[--back[digit_of(&of, last, pass)]] = last;
        }
        if (count % 2 == 1) {
            const gs_key middle = keys[count / 2];
            scratch[front[digit_of(&of, middle, pass)]++] = middle;
        }
        gs_key *swap = keys;
        keys = scratch;
        scratch = swap;
    }
    return keys;
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
        const struct gs_bin_scan scan = gs_bin_scan(keys + begin, end - begin);
        const gs_key *sorted =
            gs_radix_sort_scanned(keys + begin, scratch + begin, end - begin, scan);
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
    struct digits digits = {scan.low, scan.shift + varying - bits, 0, 0};

    if (bits == 0)
        return keys;
    digits.passes = (bits + digit_max - 1) / digit_max;
    digits.bits = (bits + digits.passes - 1) / digits.passes;
    gs_key *sorted = sort_digits(keys, scratch, count, &digits);
    if (digits.cut > scan.shift)
        sort_equal_digits(sorted, sorted == keys ? scratch : keys, count, &digits);
    return sorted;
}

gs_key *gs_radix_sort(gs_key *keys, gs_key *scratch, size_t count)
{
    return count == 0 ? keys
                      : gs_radix_sort_scanned(keys, scratch, count, gs_bin_scan(keys, count));
}
