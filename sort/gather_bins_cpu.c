/* gather_bins_cpu.c -- bring the runs of a piece together.
 * SPDX-License-Identifier: MIT
 */
#include "sort/stages_cpu.h"

#include <string.h>

/* Runs whose places are called into cache ahead: where they are takes a look into the table. */
#define TABLE_AHEAD 16
#define RUNS_AHEAD  6

#define LINE_KEYS 16

/* Call the first lines of a run into cache; the processor sees by itself how it goes on. */
static inline void prefetch_run(const struct gs_cpu *cpu, const struct gs_piece *piece,
                                uint64_t chunk)
{
    const uint32_t *starts = piece->starts + chunk * piece->stride;
    const gs_key *keys = gs_cpu_chunk(cpu, chunk);
    for (uint32_t i = starts[0], lines = 0; i < starts[1] && lines < 4; i += LINE_KEYS, lines++)
        __builtin_prefetch(keys + i);
}

void gs_gather_piece_cpu(const struct gs_run *run, const struct gs_piece *piece, gs_key *to)
{
    const struct gs_cpu *cpu = run->device;
    for (uint64_t chunk = 0; chunk < cpu->chunks; chunk++) {
        const uint32_t *starts = piece->starts + chunk * piece->stride;
        uint32_t count = starts[1] - starts[0];
        if (chunk + TABLE_AHEAD < cpu->chunks)
            __builtin_prefetch(starts + TABLE_AHEAD * piece->stride);
        if (chunk + RUNS_AHEAD < cpu->chunks)
            prefetch_run(cpu, piece, chunk + RUNS_AHEAD);
        memcpy(to, gs_cpu_chunk(cpu, chunk) + starts[0], count * sizeof *to);
        to += count;
    }
}
