/* select_samples.c -- draw the sample from keys in host memory.
 * SPDX-License-Identifier: MIT
 *
 * Of a file on the disk, each sample takes a read. One page fault after the other, with what the
 * kernel reads around each, took 4 s for the 32768 samples of 4 GiB, as long as reading all of it;
 * asked for in advance, so that the disk has many reads in flight, they take 0.6 s.
 */
#include "sort/split/select_samples.h"

#include "common/memory/memory.h"

#include <sys/resource.h>

/* Keys that are prefetched together: waiting for them one after the other takes 45 ns each. */
#define BLOCK_KEYS 32

/* Keys whose pages a thread asks for before it reads the first: 16 MiB. 1024 took a fifth longer,
 * since the disk is idle when the last of them are read. */
#define FETCH_KEYS 4096

/* Samples that are touched to see whether the input is in memory. */
#define PLACES 16

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

bool gs_samples_on_disk(const struct gs_tiles *tiles, uint32_t samples, uint64_t seed)
{
    struct rusage before, after;
    uint64_t n = gs_tiles_keys(tiles);
    if (getrusage(RUSAGE_THREAD, &before) != 0)
        return false;
    for (uint64_t i = 0; i < PLACES && i < samples; i++) {
        const uint64_t at = gs_sample_position(i * (samples / PLACES), samples, n, seed);
        (void)*(const volatile char *)gs_tiles_part(tiles, at, 1).records;
    }
    return getrusage(RUSAGE_THREAD, &after) == 0 && after.ru_majflt > before.ru_majflt;
}

void gs_fetch_samples(const struct gs_tiles *tiles, uint32_t samples, uint64_t seed, uint64_t first,
                      uint64_t count)
{
    uint64_t n = gs_tiles_keys(tiles);
    for (uint64_t i = first; i < first + count; i++) {
        struct gs_tile part = gs_tiles_part(tiles, gs_sample_position(i, samples, n, seed), 1);
        gs_page_fetch(part.records);
    }
}

void gs_select_samples_cpu(const struct gs_tiles *tiles, uint32_t samples, uint64_t seed,
                           unsigned threads, gs_key *sample)
{
    const bool fetch = gs_samples_on_disk(tiles, samples, seed);
    const uint64_t step = fetch ? FETCH_KEYS : BLOCK_KEYS;
    /* Each sample is likely the first touch of its page: threads share the page faults. */
#pragma omp parallel for num_threads(threads)
    for (uint64_t from = 0; from < samples; from += step) {
        uint64_t to = samples - from < step ? samples : from + step;
        if (fetch)
            gs_fetch_samples(tiles, samples, seed, from, to - from);
        for (uint64_t first = from; first < to; first += BLOCK_KEYS)
            draw_block(tiles, samples, seed, first,
                       to - first < BLOCK_KEYS ? to - first : BLOCK_KEYS, sample);
    }
}
