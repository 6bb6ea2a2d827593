/* select_samples_cpu.c -- draw the sample from keys in host memory.
 * SPDX-License-Identifier: MIT
 */
#include "sort/select_samples.h"

void gs_select_samples_cpu(const struct gs_tiles *tiles, uint32_t samples, uint64_t seed,
                           unsigned threads, gs_key *sample)
{
    uint64_t n = gs_tiles_keys(tiles);
    /* Each sample is likely the first touch of its page: threads share the page faults. */
#pragma omp parallel for num_threads(threads)
    for (uint64_t i = 0; i < samples; i++)
        sample[i] = gs_tiles_key(tiles, gs_sample_position(i, samples, n, seed));
}
