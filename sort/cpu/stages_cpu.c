/* stages_cpu.c -- the table of CPU stages: their buffers, and the sink as memory.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cpu/stages_cpu.h"
#include "sort/bin/cache_sort.h"
#include "sort/cpu/regions.h"
#include "sort/cpu/count_bins.h"
#include "sort/cpu/prefix_sum.h"
#include "sort/cpu/scatter.h"
#include "sort/cpu/sort_bins.h"
#include "sort/cpu/cpu.h"

#include "common/clock.h"
#include "common/memory/memory.h"

#include <stdlib.h>

/* Map the scattered copy and the table of its runs; or regions with spare memory, which is larger
 * but hardly touched; or take over the chunks that were ordered while keys came in: all keys lie in
 * chunks there. */
static bool open_chunks(struct gs_run *run, struct gs_cpu *cpu)
{
    uint64_t spare = gs_regions_spare(run);
    const struct gs_plan *plan = &run->plan;
    if (run->arrived.rows.keys != NULL) {
        cpu->rows = run->arrived.rows;
        cpu->starts_bytes = run->arrived.starts_bytes;
        run->arrived.rows.starts = NULL;
        return true;
    }
    cpu->rows.row_keys = plan->chunk_keys;
    cpu->rows.count = (plan->count + plan->chunk_keys - 1) / plan->chunk_keys;
    cpu->rows.stride = gs_run_bins(run) + 1;
    cpu->starts_bytes = cpu->rows.count * cpu->rows.stride * sizeof *cpu->rows.starts;
    cpu->rows.starts = gs_pages_alloc(cpu->starts_bytes);
    if (spare > 0) {
        cpu->copy_bytes = spare * sizeof(gs_key);
        cpu->copy = gs_pages_alloc(cpu->copy_bytes);
    }
    if (cpu->copy != NULL) {
        cpu->regions = gs_regions_open(run, cpu->copy, spare);
    } else {
        cpu->copy_bytes = plan->count * sizeof(gs_key);
        cpu->copy = gs_pages_alloc(cpu->copy_bytes);
    }
    cpu->rows.keys = cpu->copy;
    return cpu->rows.starts != NULL && cpu->copy != NULL;
}

/* Map the sink as memory, if it can be and that pays. */
static enum gs_status map_output(struct gs_run *run, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_sink *sink = run->emitter.sink;
    bool early = run->plan.threads < GS_THREADS_TO_SPARE;
    if (!gs_sink_maps(sink) || !run->keeps_most || run->plan.count <= GS_FEW_KEYS ||
        (early && run->arrived.rows.keys == NULL && !gs_regions_pay(run, gs_run_bins(run))))
        return GS_OK;
    uint64_t start = gs_now_ns();
    sink->memory = sink->map(sink, run->plan.count, early);
    if (sink->memory == NULL)
        return GS_OK;
    run->emitter.begin_ns = start;
    if (early)
        GS_TRY(sink->make(sink, run->plan.count, 0, err));
    gs_run_account(run, GS_STAGE_WRITE, GS_DEVICE_CPU, gs_now_ns() - start, 0, 0);
cleanup:
    return st;
}

enum gs_status gs_open_cpu(struct gs_run *run, uint64_t *chunk_keys, struct gs_error *err)
{
    const struct gs_plan *plan = &run->plan;
    struct gs_cpu *cpu = calloc(1, sizeof *cpu);
    run->cpu = cpu;
    if (cpu == NULL)
        return gs_cpu_fail_memory(run, err);
    *chunk_keys = plan->chunk_keys;
    cpu->scratch_bytes = plan->threads * plan->scratch_keys * sizeof(gs_key);
    cpu->scratch =
        gs_pages_alloc_touched(cpu->scratch_bytes, plan->count * sizeof(gs_key) / plan->threads);
    return cpu->scratch != NULL && open_chunks(run, cpu) ? GS_OK : gs_cpu_fail_memory(run, err);
}

void gs_close_cpu(struct gs_run *run)
{
    struct gs_cpu *cpu = run->cpu;
    if (cpu == NULL)
        return;
    gs_regions_close(cpu->regions);
    gs_pages_free(cpu->copy, cpu->copy_bytes);
    gs_pages_free(cpu->rows.starts, cpu->starts_bytes);
    gs_pages_free(cpu->scratch, cpu->scratch_bytes);
    free(cpu);
    run->cpu = NULL;
}

const struct gs_stages gs_stages_cpu = {
    .device = GS_DEVICE_CPU,
    .scatter_device = GS_DEVICE_CPU,
    .chunks_side_by_side = true,
    .forgets_input = true,
    .has_other_ways = true,
    .map_output = map_output,
    .open = gs_open_cpu,
    .count_bins = gs_count_bins_cpu,
    .prefix_sum = gs_prefix_sum_cpu,
    .scatter = gs_scatter_cpu,
    .sort_bins = gs_sort_bins_cpu,
    .close = gs_close_cpu,
};
