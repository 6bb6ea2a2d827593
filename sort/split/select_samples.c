/* select_samples.c -- draw the sample from keys in host memory.
 * SPDX-License-Identifier: MIT
 */
#include "sort/split/select_samples.h"

/* Keys that are prefetched together: waiting for them one after the other takes 45 ns each. */
#define BLOCK_KEYS 32

/* Draw samples first .. first + count - 1; at most BLOCK_KEYS. */
static void draw_block(const struct gs_tiles *tiles, uint32_t samples, uint64_t seed,
                       uint64_t first, uint64_t count, gs_key *sample)
{
    struct gs_tile parts[BLOCK_KEYS];
    uint64_t n = gs_tiles_keys(tiles);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t position = gs_sample_position(first + i, samples, n, seed);
        parts[i] = gs_tiles_part(tiles, position, 1);
        __builtin_prefetch(parts[i].records);
    }
    for (uint64_t i = 0; i < count; i++)
        sample[first + i] = *gs_tile_keys(tiles, &parts[i], 0, 1, &sample[first + i]);
}

void gs_select_samples_cpu(const struct gs_tiles *tiles, uint32_t samples, uint64_t seed,
                           unsigned threads, gs_key *sample)
{
    /* Each sample is likely the first touch of its page: threads share the page faults. */
#pragma omp parallel for num_threads(threads)
    for (uint64_t first = 0; first < samples; first += BLOCK_KEYS) {
        uint64_t left = samples - first;
        draw_block(tiles, samples, seed, first, left < BLOCK_KEYS ? left : BLOCK_KEYS, sample);
    }
}
