/* stages_cpu.c -- the table of CPU stages: their buffers, and how work is accounted.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cpu/stages_cpu.h"
#include "sort/bin/cache_sort.h"
#include "sort/incoming.h"
#include "sort/cpu/regions.h"
#include "sort/cpu/count_bins.h"
#include "sort/cpu/prefix_sum.h"
#include "sort/cpu/scatter.h"
#include "sort/cpu/sort_bins.h"
#include "sort/cpu/cpu.h"

#include "common/clock.h"
#include "common/memory.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>

/* Map the scattered copy and the table of its runs; or regions with spare memory, which is larger
 * but hardly touched. */
static bool open_chunks(struct gs_run *run, struct gs_regions *regions)
{
    struct gs_cpu *cpu = &regions->cpu;
    uint64_t spare = gs_regions_spare(run);
    const struct gs_plan *plan = &run->plan;
    if (run->incoming != NULL)
        return gs_incoming_open(run, cpu);
    cpu->chunk_keys = plan->chunk_keys;
    cpu->chunks = (plan->count + plan->chunk_keys - 1) / plan->chunk_keys;
    cpu->stride = gs_run_bins(run) + 1;
    cpu->starts_bytes = cpu->chunks * cpu->stride * sizeof *cpu->starts;
    cpu->starts = gs_pages_alloc(cpu->starts_bytes);
    if (spare > 0) {
        cpu->keys_bytes = spare * sizeof(gs_key);
        cpu->keys = gs_pages_alloc(cpu->keys_bytes);
    }
    if (cpu->keys != NULL) {
        gs_regions_open(run, regions, spare);
        return cpu->starts != NULL;
    }
    cpu->keys_bytes = plan->count * sizeof(gs_key);
    cpu->keys = gs_pages_alloc(cpu->keys_bytes);
    return cpu->starts != NULL && cpu->keys != NULL;
}

/* Room for all keys, as one bin or as bins one after the other: the output's memory if they may be
 * sorted there. */
static bool open_keys(struct gs_run *run, struct gs_cpu *cpu)
{
    struct gs_sink *sink = run->emitter.sink;
    bool turned = run->options->reverse && !run->plan.one_bin; /* bins are not in output order */
    if (sink->memory != NULL && !run->options->unique && !turned) {
        cpu->keys = sink->memory;
        return true;
    }
    cpu->keys_bytes = run->plan.count * sizeof(gs_key);
    cpu->keys = gs_pages_alloc(cpu->keys_bytes);
    return cpu->keys != NULL;
}

/* Are the tables small enough for malloc(3), which keeps them for the next sort? Touching a page
 * for the first time takes 15 us, and unmapping it 30, since that interrupts the other threads'
 * processors. Not above the size that malloc would map, too. */
static bool tables_are_few(const struct gs_run *run, const struct gs_cpu *cpu)
{
    return run->plan.direct && cpu->starts_bytes <= ((size_t)1 << 16);
}

/* Allocate a direct sort's tables of counts and pointers to bins, and room for its keys. */
static bool open_direct(struct gs_run *run, struct gs_cpu *cpu)
{
    const struct gs_plan *plan = &run->plan;
    uint64_t bins = gs_run_bins(run);
    cpu->chunk_keys = plan->chunk_keys;
    cpu->chunks = (plan->count + plan->chunk_keys - 1) / plan->chunk_keys;
    cpu->stride = (uint32_t)bins + 1;
    cpu->starts_bytes =
        (cpu->stride + cpu->chunks * (GS_CHUNK_TABLES + 1) * bins) * sizeof *cpu->starts;
    cpu->starts =
        tables_are_few(run, cpu) ? calloc(cpu->starts_bytes, 1) : gs_pages_alloc(cpu->starts_bytes);
    cpu->chunk_bins = calloc(cpu->chunks + 1, sizeof *cpu->chunk_bins);
    return cpu->starts != NULL && cpu->chunk_bins != NULL && open_keys(run, cpu);
}

void gs_expect_output_cpu(struct gs_run *run)
{
    struct gs_sink *sink = run->emitter.sink;
    const unsigned threads = run->plan.threads;
    if (threads == 1 || threads >= GS_THREADS_TO_SPARE || !gs_sink_maps(sink) ||
        run->options->unique || !gs_regions_pay(run, run->plan.bins))
        return;
    run->asked_map = true;
    run->mapped = sink->map(sink, run->plan.count, true);
}

enum gs_status gs_map_output_cpu(struct gs_run *run, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_sink *sink = run->emitter.sink;
    bool early = run->plan.threads < GS_THREADS_TO_SPARE;
    if (!gs_sink_maps(sink) || !run->keeps_most || run->plan.one_bin || run->plan.direct ||
        (early && run->incoming == NULL && !gs_regions_pay(run, gs_run_bins(run))))
        return GS_OK;
    uint64_t start = gs_now_ns();
    sink->memory = run->asked_map ? run->mapped : sink->map(sink, run->plan.count, early);
    if (sink->memory == NULL)
        return GS_OK;
    run->emitter.begin_ns = start;
    if (early)
        GS_TRY(sink->make(sink, run->plan.count, 0, err));
    gs_run_account(run, GS_STAGE_WRITE, "cpu", gs_now_ns() - start, 0, 0);
cleanup:
    return st;
}

/* Open the scratch memory of all threads. For few keys it comes from malloc, where the next sort
 * finds it again: fresh pages would take longer than the sort itself. A direct sort has room for
 * the bins of its keys behind it, and count bins maps it all with the first chunk that needs it. */
static enum gs_status open_scratch(struct gs_run *run, struct gs_error *err)
{
    struct gs_cpu *cpu = run->device;
    const struct gs_plan *plan = &run->plan;
    if (plan->one_bin && plan->count <= GS_ONE_BIN_KEYS) {
        cpu->scratch = malloc(gs_cache_sort_scratch(plan->count) * sizeof(gs_key));
        return cpu->scratch != NULL ? GS_OK : gs_cpu_fail_memory(run, err);
    }
    cpu->scratch_bytes = plan->threads * plan->scratch_keys * sizeof(gs_key);
    if (!plan->direct)
        return gs_map_scratch_cpu(run, err);
    cpu->scratch_bytes += plan->count * sizeof *cpu->bins;
    return GS_OK;
}

static enum gs_status open_cpu(struct gs_run *run, uint64_t *chunk_keys, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_plan *plan = &run->plan;
    struct gs_regions *regions = calloc(1, sizeof *regions);
    run->device = regions;
    if (regions == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory");
    *chunk_keys = plan->one_bin ? plan->count : plan->chunk_keys;
    GS_TRY(open_scratch(run, err));
    bool opened = plan->one_bin  ? open_keys(run, &regions->cpu)
                  : plan->direct ? open_direct(run, &regions->cpu)
                                 : open_chunks(run, regions);
    st = opened ? GS_OK : gs_cpu_fail_memory(run, err);
cleanup:
    return st;
}

static enum gs_status sort_bins(struct gs_run *run, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (gs_regions_of(run) != NULL)
        GS_TRY(gs_regions_finish(run, err));
    st = gs_sort_bins_cpu(run, err);
cleanup:
    return st;
}

static void close_cpu(struct gs_run *run)
{
    struct gs_regions *regions = run->device;
    if (regions == NULL)
        return;
    struct gs_cpu *cpu = &regions->cpu;
    if (cpu->keys_bytes > 0)
        gs_pages_free(regions->copy != NULL ? regions->copy : cpu->keys, cpu->keys_bytes);
    gs_regions_close(regions);
    if (tables_are_few(run, cpu))
        free(cpu->starts);
    else
        gs_pages_free(cpu->starts, cpu->starts_bytes);
    free(cpu->chunk_bins);
    if (cpu->scratch_bytes > 0)
        gs_pages_free(cpu->scratch, cpu->scratch_bytes);
    else
        free(cpu->scratch);
    free(regions);
    run->device = NULL;
}

const struct gs_stages gs_stages_cpu = {
    .device = "cpu",
    .scatter_device = "cpu",
    .chunks_side_by_side = true,
    .open = open_cpu,
    .count_bins = gs_count_bins_cpu,
    .prefix_sum = gs_prefix_sum_cpu,
    .scatter = gs_scatter_cpu,
    .sort_bins = sort_bins,
    .close = close_cpu,
};
