/* stages_cpu.c -- the table of CPU stages: buffers, and how threads share and account work.
 * SPDX-License-Identifier: MIT
 */
#include "sort/stages_cpu.h"
#include "sort/cache_sort.h"
#include "sort/count_bins.h"
#include "sort/prefix_sum.h"
#include "sort/scatter.h"
#include "sort/sort_bins.h"

#include "common/clock.h"
#include "common/memory.h"

#include <omp.h>
#include <stdlib.h>

/* A part's counts are 32 bits wide. */
#define PART_KEYS_MAX ((uint64_t)1 << 31)

unsigned gs_cpu_thread(void)
{
    return (unsigned)omp_get_thread_num();
}

static enum gs_status open_cpu(struct gs_run *run, uint64_t *chunk_keys, struct gs_error *err)
{
    const struct gs_plan *plan = &run->plan;
    struct gs_sink *sink = run->emitter.sink;
    struct gs_cpu *cpu = calloc(1, sizeof *cpu);
    run->device = cpu;
    if (cpu == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory");
    *chunk_keys = plan->count;
    cpu->parts = plan->count / PART_KEYS_MAX + 1;
    if (cpu->parts < (uint64_t)plan->threads * GS_PARTS_PER_THREAD)
        cpu->parts = (uint64_t)plan->threads * GS_PARTS_PER_THREAD;
    if (!plan->one_bin) {
        cpu->part_counts = calloc(cpu->parts * 2 * plan->bins, sizeof *cpu->part_counts);
        cpu->part_starts = calloc(cpu->parts * 2 * plan->bins, sizeof *cpu->part_starts);
        if (cpu->part_counts == NULL || cpu->part_starts == NULL)
            return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins", plan->bins);
    }
    cpu->scratch_bytes = plan->threads * GS_CACHE_SORT_SCRATCH * sizeof(gs_key);
    cpu->scratch = gs_pages_alloc(cpu->scratch_bytes);
    if (sink->memory != NULL && !run->options->unique) {
        cpu->bins = sink->memory; /* bins lie where their sorted keys will */
    } else {
        cpu->bins_bytes = plan->count * sizeof(gs_key);
        cpu->bins = gs_pages_alloc(cpu->bins_bytes);
    }
    if (cpu->scratch == NULL || cpu->bins == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort %.1f GB of keys",
                       (double)plan->count * sizeof(gs_key) / 1e9);
    return GS_OK;
}

static void close_cpu(struct gs_run *run)
{
    struct gs_cpu *cpu = run->device;
    if (cpu == NULL)
        return;
    if (cpu->bins_bytes > 0)
        gs_pages_free(cpu->bins, cpu->bins_bytes);
    gs_pages_free(cpu->scratch, cpu->scratch_bytes);
    free(cpu->part_counts);
    free(cpu->part_starts);
    free(cpu);
    run->device = NULL;
}

enum gs_status gs_work_emit(struct gs_run *run, uint64_t piece, const gs_key *keys, uint64_t count,
                            uint64_t planned, struct gs_work *work)
{
    uint64_t position;
    enum gs_status st = gs_emit_begin(&run->emitter, piece, count, planned, &position);
    if (st != GS_OK)
        return st;
    uint64_t start = gs_now_ns();
    st = gs_emit_write(&run->emitter, keys, count, position);
    work->write_ns += gs_now_ns() - start;
    gs_emit_end(&run->emitter, piece);
    work->keys_out += count;
    return st;
}

void gs_work_account(struct gs_run *run, const struct gs_work *work, unsigned threads)
{
#pragma omp critical(gs_account)
    {
        if (work->keys_in > 0)
            gs_run_account(run, GS_STAGE_SORT_BINS, "cpu", work->sort_ns / threads, work->keys_in,
                           work->keys_in * 2 * GS_KEY_BYTES);
        gs_run_account(run, GS_STAGE_WRITE, "cpu", work->write_ns / threads, work->keys_out,
                       work->keys_out * GS_KEY_BYTES);
    }
}

const struct gs_stages gs_stages_cpu = {
    .device = "cpu",
    .scatter_device = "cpu",
    .open = open_cpu,
    .count_bins = gs_count_bins_cpu,
    .prefix_sum = gs_prefix_sum_cpu,
    .scatter = gs_scatter_cpu,
    .sort_bins = gs_sort_bins_cpu,
    .close = close_cpu,
};
