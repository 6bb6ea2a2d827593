/* portable.c -- the methods for a bin that need no vectors: insertion, counting, radix.
 * SPDX-License-Identifier: MIT
 *
 * The radix sort takes the least significant digit first, in as few passes between keys and scratch
 * as digits of DIGIT_BITS allow; one read counts the digits of all passes.
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
    PASSES_MAX = GS_KEY_BITS / SMALL_DIGIT_BITS,
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
    while (varying != 0 && (varying >> scan.shift & 1) == 0)
        scan.shift++;
    return scan;
}

/* Sort fewer than 2^32 keys that are low + value * 2^shift, value < `values`, by counting each
 * value; scratch holds the counters. Many values have four counters each, so that equal keys in a
 * row do not wait for each other; for up to SEARCHED_VALUES, the bin is searched for each value. */
void gs_counting_sort(gs_key *keys, gs_key *scratch, size_t count, struct gs_bin_scan scan,
                      uint32_t values)
{
    const uint32_t sets = values <= SEARCHED_VALUES ? 1 : 4;
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

/* Radix sort of the bits that vary. Returns keys or scratch. A pass works from both ends: it takes
 * the first half of the keys upwards and fills each digit's place from the front, the last half
 * downwards and fills from the back. That is stable, and halves the time that equal digits in a row
 * wait for each other. */
gs_key *gs_radix_sort_scanned(gs_key *keys, gs_key *scratch, size_t count, struct gs_bin_scan scan)
{
    const unsigned bits = gs_bit_width((scan.high - scan.low) >> scan.shift);
    const unsigned digit_max = count < SMALL_DIGIT_KEYS ? SMALL_DIGIT_BITS : DIGIT_BITS;
    const unsigned passes = (bits + digit_max - 1) / digit_max;
    const unsigned digit_bits = passes == 0 ? 0 : (bits + passes - 1) / passes;
    const gs_key mask = ((gs_key)1 << digit_bits) - 1;
    uint32_t fronts[PASSES_MAX][DIGITS], backs[PASSES_MAX][DIGITS];

    for (unsigned pass = 0; pass < passes; pass++) {
        memset(fronts[pass], 0, sizeof fronts[0][0] << digit_bits);
        memset(backs[pass], 0, sizeof backs[0][0] << digit_bits);
    }
    for (size_t i = 0; i < (count + 1) / 2; i++) { /* a middle key counts as front only */
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

gs_key *gs_radix_sort(gs_key *keys, gs_key *scratch, size_t count)
{
    return count == 0 ? keys
                      : gs_radix_sort_scanned(keys, scratch, count, gs_bin_scan(keys, count));
}
