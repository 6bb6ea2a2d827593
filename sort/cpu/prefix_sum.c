/* prefix_sum.c -- exclusive scans: of the runs in each chunk, and finally of the bins.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cpu/prefix_sum.h"
#include "sort/cpu/regions.h"
#include "sort/cpu/cpu.h"

#include "common/clock.h"

/* Bins that a thread totals at once. */
#define BLOCK_BINS 128

enum gs_status gs_prefix_sum_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                                 struct gs_error *err)
{
    (void)err;
    const struct gs_cpu *cpu = run->cpu;
    if (gs_regions_of(run) != NULL)
        return GS_OK; /* done when all chunks are counted */
    uint32_t *starts = cpu->rows.starts + chunk->index * cpu->rows.stride;
    uint32_t sum = 0;
    for (uint32_t bin = 0; bin < gs_run_bins(run); bin++) {
        uint32_t count = starts[bin];
        starts[bin] = sum;
        sum += count;
    }
    starts[gs_run_bins(run)] = sum;
    return GS_OK;
}

void gs_total_bins_cpu(struct gs_run *run)
{
    const struct gs_cpu *cpu = run->cpu;
    uint64_t start = gs_now_ns();
    uint32_t bins = gs_run_bins(run);
#pragma omp parallel for num_threads(run->plan.threads)
    for (uint32_t first = 0; first < bins; first += BLOCK_BINS) {
        uint32_t end = bins - first < BLOCK_BINS ? bins : first + BLOCK_BINS;
        gs_rows_total(&cpu->rows, first, end, run->counts);
    }
    gs_prefix_sum_scan(run->counts, run->offsets, bins, run->options->reverse);
    gs_run_account(run, GS_STAGE_PREFIX_SUM, GS_DEVICE_CPU, gs_now_ns() - start, 0,
                   cpu->starts_bytes + bins * sizeof *run->counts);
}
