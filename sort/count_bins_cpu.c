/* count_bins_cpu.c -- count the keys of each bin, part by part.
 * SPDX-License-Identifier: MIT
 *
 * Even and odd keys count in tables of their own: a run of equal keys would else wait for its own
 * last store at every key.
 */
#include "sort/count_bins.h"
#include "sort/stages_cpu.h"

#include <stdlib.h>
#include <string.h>

#define TABLES 2

/* Count one tile. guide and steps are constants at every call: this is inlined for each pair. */
static inline __attribute__((always_inline)) void count_keys(const struct gs_splitters *splitters,
                                                             enum gs_guide guide, uint32_t steps,
                                                             const struct gs_tile *tile,
                                                             uint32_t *even, uint32_t *odd)
{
    uint64_t i = 0;
    for (; i + TABLES <= tile->count; i += TABLES) {
        even[gs_splitters_bin(splitters, guide, steps, tile->keys[i])]++;
        odd[gs_splitters_bin(splitters, guide, steps, tile->keys[i + 1])]++;
    }
    if (i < tile->count)
        even[gs_splitters_bin(splitters, guide, steps, tile->keys[i])]++;
}

static void count_tile(const struct gs_splitters *splitters, const struct gs_tile *tile,
                       uint32_t *even, uint32_t *odd)
{
#define COUNT(guide, steps) count_keys(splitters, guide, steps, tile, even, odd);
    GS_SPLITTERS_SEARCH(splitters, COUNT)
#undef COUNT
}

/* Count one part into its row of part_counts. Returns the part's fingerprint, 0 if not wanted. */
static uint64_t count_part(struct gs_run *run, uint64_t part, uint32_t *tables)
{
    struct gs_cpu *cpu = run->device;
    uint32_t bins = gs_run_bins(run);
    uint32_t *even = tables;
    uint32_t *odd = tables + bins;
    uint64_t fingerprint = 0;
    memset(tables, 0, TABLES * bins * sizeof *tables);
    for (uint64_t i = gs_cpu_part_tile(run, part); i < gs_cpu_part_tile(run, part + 1); i++) {
        struct gs_tile tile = gs_tiles_at(&run->tiles, i);
        count_tile(&run->splitters, &tile, even, odd);
        if (run->options->verify)
            fingerprint += gs_fingerprint(tile.keys, tile.count);
        atomic_fetch_add_explicit(&run->progress->done, tile.count, memory_order_relaxed);
    }
    uint32_t *counts = cpu->part_counts + part * bins;
    for (uint32_t bin = 0; bin < bins; bin++)
        counts[bin] = even[bin] + odd[bin];
    return fingerprint;
}

enum gs_status gs_count_bins_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                                 struct gs_error *err)
{
    (void)chunk; /* all of the input, see struct gs_chunk */
    struct gs_cpu *cpu = run->device;
    uint32_t bins = gs_run_bins(run);
    uint32_t *tables = calloc((size_t)run->plan.threads * TABLES * bins, sizeof *tables);
    if (tables == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to count %u bins", bins);
    atomic_uint_fast64_t next = 0;
    uint64_t fingerprint = 0;
#pragma omp parallel num_threads(run->plan.threads) reduction(+ : fingerprint)
    {
        uint32_t *mine = tables + (size_t)gs_cpu_thread() * TABLES * bins;
        for (uint64_t part; (part = atomic_fetch_add(&next, 1)) < cpu->parts;)
            fingerprint += count_part(run, part, mine);
    }
    free(tables);
    run->fingerprint = fingerprint;
    for (uint32_t bin = 0; bin < bins; bin++) {
        run->counts[bin] = 0;
        for (uint64_t part = 0; part < cpu->parts; part++)
            run->counts[bin] += cpu->part_counts[part * bins + bin];
    }
    return GS_OK;
}
