/* place_keys.c -- the scatter of few keys: straight to the places of their bins.
 * SPDX-License-Identifier: MIT
 *
 * All chunks have been counted, so each knows where its own keys begin in every bin. Keys are read
 * a second time, but go to the bins found the first time; if somebody has written to the input in
 * between, that is detected when the bin is sorted.
 */
#include "sort/cpu/chunk_scratch.h"
#include "sort/keys/fingerprint.h"
#include "sort/cpu/cpu.h"

#include "common/clock.h"

#include <string.h>

/* Keys read from the input at a time. */
#define BLOCK_KEYS 2048

static_assert(BLOCK_KEYS % GS_CHUNK_TABLES == 0,
              "key i of a chunk is of table i % GS_CHUNK_TABLES");
static_assert(GS_CHUNK_KEYS_MAX <= GS_CACHE_SORT_SCRATCH, "a chunk fits the scratch memory");

/* Turn counts into places, bin after bin and chunk after chunk. */
static void find_places(struct gs_run *run)
{
    const struct gs_cpu *cpu = run->device;
    uint32_t bins = gs_run_bins(run);
    uint32_t sum = 0;
    for (uint32_t bin = 0; bin < bins; bin++) {
        cpu->starts[bin] = sum;
        for (uint64_t chunk = 0; chunk < cpu->chunks; chunk++) {
            uint32_t *tables = gs_cpu_tables(run, chunk);
            tables[GS_CHUNK_TABLES * bins + bin] = sum;
            for (uint32_t t = 0; t < GS_CHUNK_TABLES; t++)
                sum += tables[t * bins + bin];
        }
    }
    cpu->starts[bins] = sum;
}

/* Copy the runs of a chunk, which lie one after the other, to their bins, except equality bins:
 * those are filled at the end. */
static void copy_runs(const struct gs_run *run, const gs_key *from, const uint32_t *ends,
                      const uint32_t *places)
{
    const struct gs_cpu *cpu = run->device;
    uint32_t begin = 0;
    for (uint32_t bin = 0; bin < gs_run_bins(run); bin++) {
        if (!gs_splitters_equal(&run->splitters, bin))
            memcpy(cpu->keys + places[bin], from + begin, (ends[bin] - begin) * sizeof *from);
        begin = ends[bin];
    }
}

/* Move the keys of a chunk to their bins; returns the fingerprint of what was read, if
 * options->verify. */
static uint64_t place_chunk(struct gs_run *run, uint64_t chunk)
{
    const struct gs_cpu *cpu = run->device;
    uint64_t first = chunk * cpu->chunk_keys;
    uint64_t left = run->plan.count - first;
    uint64_t count = left < cpu->chunk_keys ? left : cpu->chunk_keys;
    uint32_t bins = gs_run_bins(run);
    uint32_t *tables = gs_cpu_tables(run, chunk);
    const uint16_t *bins_of = cpu->chunk_bins[chunk];
    gs_key *moved = gs_cpu_scratch(run);
    uint64_t fingerprint = 0;
    gs_key keys[BLOCK_KEYS];
    if (bins_of == NULL)
        return 0;
    gs_start_tables(tables, bins, 0);
    for (uint64_t done = 0; done < count; done += BLOCK_KEYS) {
        uint64_t here = count - done < BLOCK_KEYS ? count - done : BLOCK_KEYS;
        gs_tiles_copy(&run->tiles, first + done, here, keys);
        if (run->options->verify)
            fingerprint += gs_fingerprint(keys, here);
        gs_move_keys(keys, bins_of + done, here, tables, bins, moved);
    }
    copy_runs(run, moved, tables + (GS_CHUNK_TABLES - 1) * bins, tables + GS_CHUNK_TABLES * bins);
    return fingerprint;
}

void gs_place_keys_cpu(struct gs_run *run)
{
    struct gs_cpu *cpu = run->device;
    uint64_t start = gs_now_ns();
    uint64_t fingerprint = 0;
    find_places(run);
    uint64_t summed = gs_now_ns();
#pragma omp parallel for num_threads(run->plan.threads) reduction(+ : fingerprint) schedule(dynamic)
    for (uint64_t chunk = 0; chunk < cpu->chunks; chunk++)
        fingerprint += place_chunk(run, chunk);
    run->fingerprint += fingerprint;
    cpu->chunks = 1;
    cpu->chunk_keys = run->plan.count;
    gs_run_account(run, GS_STAGE_PREFIX_SUM, "cpu", summed - start, 0, 0);
    gs_run_account(run, GS_STAGE_SCATTER, "cpu", gs_now_ns() - summed, 0, 0);
}
