/* prefix_sum_cpu.c -- exclusive scan of the counts, then of the parts inside each bin.
 * SPDX-License-Identifier: MIT
 */
#include "sort/prefix_sum.h"
#include "sort/stages_cpu.h"

void gs_prefix_sum_scan(const uint64_t *counts, uint64_t *offsets, uint32_t bins, bool reverse)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < bins; i++) {
        uint32_t bin = reverse ? bins - 1 - i : i;
        offsets[bin] = sum;
        sum += counts[bin];
    }
}

enum gs_status gs_prefix_sum_cpu(struct gs_run *run, const struct gs_chunk *chunk,
                                 struct gs_error *err)
{
    (void)chunk;
    (void)err;
    struct gs_cpu *cpu = run->device;
    uint32_t bins = gs_run_bins(run);
    gs_prefix_sum_scan(run->counts, run->offsets, bins, run->options->reverse);
    for (uint32_t bin = 0; bin < bins; bin++) {
        uint64_t start = run->offsets[bin];
        for (uint64_t part = 0; part < cpu->parts; part++) {
            cpu->part_starts[part * bins + bin] = start;
            start += cpu->part_counts[part * bins + bin];
        }
    }
    return GS_OK;
}
