/* keeps_most.c -- estimate whether most keys stay if duplicates are left out.
 * SPDX-License-Identifier: MIT
 */
#include "sort/split/keeps_most.h"
#include "sort/bin/cache_sort.h"
#include "sort/keys/params.h"
#include "sort/keys/sample_position.h"

#include <stdlib.h>

/* Places that are sampled, and neighbouring keys taken at each: a cache line. For 2^30 random keys,
 * two pairs of the sample are equal; eight pairs would mean that half of the keys may go. */
#define PLACES     8192
#define PLACE_KEYS 16
#define SAMPLES    (PLACES * PLACE_KEYS)

/* With fewer keys the places would be too close together, and there is nothing to gain. */
#define KEYS_MIN ((uint64_t)GS_FEW_KEYS)

/* *rare: sample keys whose value occurs once or twice in the sample; *pairs: values that occur
 * twice. */
static void count_pairs(const gs_key *sample, uint64_t count, uint64_t *rare, uint64_t *pairs)
{
    *rare = 0;
    *pairs = 0;
    for (uint64_t i = 0, end; i < count; i = end) {
        end = i + 1;
        while (end < count && sample[end] == sample[i])
            end++;
        *rare += end - i <= 2 ? end - i : 0;
        *pairs += end - i == 2;
    }
}

bool gs_keeps_most(const struct gs_tiles *tiles, unsigned threads)
{
    const uint64_t n = gs_tiles_keys(tiles);
    const double m = SAMPLES;
    uint64_t rare;
    uint64_t pairs;
    if (n < KEYS_MIN)
        return false;
    gs_key *sample = malloc((SAMPLES + GS_CACHE_SORT_SCRATCH) * sizeof *sample);
    if (sample == NULL)
        return false;
#pragma omp parallel for num_threads(threads)
    for (uint64_t i = 0; i < PLACES; i++) {
        uint64_t at = gs_sample_position(i, PLACES, n, GS_SAMPLE_SEED + 2);
        at = at < n - PLACE_KEYS ? at : n - PLACE_KEYS;
        gs_tiles_copy(tiles, at, PLACE_KEYS, sample + i * PLACE_KEYS);
    }
    const gs_key *sorted = gs_cache_sort(sample, sample + SAMPLES, SAMPLES, 0, GS_KEY_MAX);
    count_pairs(sorted, SAMPLES, &rare, &pairs);
    free(sample);
    /* One pair more than found, to be on the safe side: few pairs tell little. */
    return (double)rare / m - (double)n * (double)(pairs + 1) / (m * m) >= 0.5;
}
