/* pipeline.c -- the sample sort, written once over a table of stages.
 * SPDX-License-Identifier: MIT
 *
 *   input --> select samples --> sort samples --> splitters
 *     |                                              |
 *     +---- for each chunk: count bins --> prefix sum --> scatter
 *                                                            |
 *                          output <-- in order <-- sort bins
 *
 * Nothing is sorted that is in order already, and a small input is one bin.
 */
#include "sort/pipeline.h"
#include "sort/copy_ordered.h"
#include "sort/order.h"
#include "sort/prefix_sum.h"
#include "sort/select_samples.h"
#include "sort/sort_samples.h"
#include "sort/stages_cpu.h"

#include "common/clock.h"

#include <stdlib.h>

void gs_run_account(struct gs_run *run, enum gs_stage stage, const char *device, uint64_t ns,
                    uint64_t keys, uint64_t bytes)
{
    struct gs_stage_stats *row = &run->stats->stages[stage];
    row->device = device;
    row->ns += ns;
    row->keys += keys;
    row->bytes += bytes;
}

void gs_run_phase(struct gs_run *run, enum gs_stage stage, uint64_t total)
{
    atomic_store(&run->progress->done, 0);
    atomic_store(&run->progress->total, total);
    atomic_store(&run->progress->phase, gs_stage_name(stage));
}

/* Draw and sort the sample, and choose the splitters. */
static enum gs_status choose_splitters(struct gs_run *run, struct gs_error *err)
{
    uint32_t samples = run->plan.samples;
    gs_key *sample = malloc(samples * sizeof *sample);
    if (sample == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u samples", samples);
    uint64_t start = gs_now_ns();
    gs_select_samples_cpu(&run->tiles, samples, GS_SAMPLE_SEED, run->plan.threads, sample);
    uint64_t selected = gs_now_ns();
    gs_sort_samples(sample, samples);
    gs_splitters_choose(&run->splitters, sample, samples, run->plan.bins);
    uint64_t sorted = gs_now_ns();
    free(sample);
    uint64_t bytes = (uint64_t)samples * GS_KEY_BYTES;
    gs_run_account(run, GS_STAGE_SELECT_SAMPLES, "cpu", selected - start, samples, bytes);
    gs_run_account(run, GS_STAGE_SORT_SAMPLES, "cpu", sorted - selected, samples, 2 * bytes);
    run->stats->samples = samples;
    return GS_OK;
}

/* Note what the bins are like, once all are counted. */
static void describe_bins(struct gs_run *run)
{
    struct gs_stats *stats = run->stats;
    for (uint32_t bin = 0; bin < gs_run_bins(run); bin++) {
        uint64_t count = run->counts[bin];
        if (count == 0)
            continue;
        stats->bins++;
        if (gs_splitters_equal(&run->splitters, bin)) {
            stats->equality_bins++;
            stats->equality_keys += count;
        } else if (count > stats->largest_bin) {
            stats->largest_bin = count;
        }
    }
}

/* Run one stage on a chunk and account for its time. */
static enum gs_status run_stage(struct gs_run *run, const struct gs_stages *stages,
                                enum gs_stage stage, const struct gs_chunk *chunk,
                                uint64_t bytes_per_key, struct gs_error *err)
{
    uint64_t start = gs_now_ns();
    enum gs_status st;
    if (stage == GS_STAGE_COUNT_BINS)
        st = stages->count_bins(run, chunk, err);
    else if (stage == GS_STAGE_PREFIX_SUM)
        st = stages->prefix_sum(run, chunk, err);
    else
        st = stages->scatter(run, chunk, err);
    bool per_bin = stage == GS_STAGE_PREFIX_SUM;
    uint64_t keys = per_bin ? 0 : chunk->count;
    uint64_t bytes = per_bin ? gs_run_bins(run) * 2 * sizeof *run->counts : keys * bytes_per_key;
    if (!stages->accounts)
        gs_run_account(run, stage, stages->scatter_device, gs_now_ns() - start, keys, bytes);
    return st;
}

/* Count, prefix sum and scatter, chunk by chunk. */
static enum gs_status distribute(struct gs_run *run, const struct gs_stages *stages,
                                 uint64_t chunk_keys, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_chunk chunk = {0};
    for (; chunk.first < run->plan.count; chunk.first += chunk.count, chunk.index++) {
        uint64_t left = run->plan.count - chunk.first;
        chunk.count = left < chunk_keys ? left : chunk_keys;
        gs_run_phase(run, GS_STAGE_COUNT_BINS, chunk.count);
        GS_TRY(run_stage(run, stages, GS_STAGE_COUNT_BINS, &chunk, GS_KEY_BYTES, err));
        GS_TRY(run_stage(run, stages, GS_STAGE_PREFIX_SUM, &chunk, 0, err));
        gs_run_phase(run, GS_STAGE_SCATTER, chunk.count);
        GS_TRY(run_stage(run, stages, GS_STAGE_SCATTER, &chunk, 2 * GS_KEY_BYTES, err));
    }
cleanup:
    return st;
}

/* Get a device's buffers. */
static enum gs_status open_stages(struct gs_run *run, const struct gs_stages *stages,
                                  uint64_t *chunk_keys, struct gs_error *err)
{
    uint64_t start = gs_now_ns();
    enum gs_status st = stages->open(run, chunk_keys, err);
    if (!stages->accounts)
        gs_run_account(run, GS_STAGE_START, stages->scatter_device, gs_now_ns() - start, 0, 0);
    return st;
}

/* The full sample sort. */
static enum gs_status sort_by_bins(struct gs_run *run, const struct gs_stages *stages,
                                   struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t chunk_keys = 0;
    gs_run_phase(run, GS_STAGE_SELECT_SAMPLES, run->plan.samples);
    GS_TRY(choose_splitters(run, err));
    run->counts = calloc(2 * (size_t)gs_run_bins(run) + 1, sizeof *run->counts);
    if (run->counts == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins", gs_run_bins(run));
        goto cleanup;
    }
    run->offsets = run->counts + gs_run_bins(run);
    GS_TRY(open_stages(run, stages, &chunk_keys, err));
    GS_TRY(distribute(run, stages, chunk_keys, err));
    gs_run_phase(run, GS_STAGE_SORT_BINS, run->plan.count);
    GS_TRY(stages->sort_bins(run, err));
    describe_bins(run);
cleanup:
    stages->close(run);
    free(run->counts);
    run->counts = NULL;
    return st;
}

/* What needs no bins is the CPU's on every device: input in order already, or a single bin. */
static enum gs_status sort_without_bins(struct gs_run *run, enum gs_order order,
                                        struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t chunk_keys;
    GS_TRY(open_stages(run, &gs_stages_cpu, &chunk_keys, err));
    if (order != GS_ORDER_NONE) {
        gs_run_phase(run, GS_STAGE_WRITE, run->plan.count);
        GS_TRY(gs_copy_ordered_input(run, order == GS_ORDER_REVERSED, err));
    } else {
        gs_run_phase(run, GS_STAGE_SORT_BINS, run->plan.count);
        GS_TRY(gs_sort_one_bin_cpu(run, err));
        run->stats->bins = 1;
        run->stats->largest_bin = run->plan.count;
    }
cleanup:
    gs_stages_cpu.close(run);
    return st;
}

/* Is the whole input in order? Books the scan as reading. */
static enum gs_order scan_order(struct gs_run *run)
{
    uint64_t start = gs_now_ns();
    gs_run_phase(run, GS_STAGE_READ, run->plan.count);
    enum gs_order order = gs_order_scan(&run->tiles, run->plan.threads);
    uint64_t keys = order == GS_ORDER_NONE ? 0 : run->plan.count;
    gs_run_account(run, GS_STAGE_READ, "cpu", gs_now_ns() - start, keys, keys * GS_KEY_BYTES);
    return order;
}

enum gs_status gs_pipeline_run(struct gs_run *run, const struct gs_stages *stages,
                               struct gs_error *err)
{
    static const char *const order_names[] = {"none", "sorted", "reversed"};
    enum gs_status st = GS_OK;
    enum gs_order order = scan_order(run);
    run->stats->order = order_names[order];
    if (order != GS_ORDER_NONE || run->plan.one_bin) {
        if (run->options->device != GS_DEVICE_AUTO && stages->ready != NULL)
            GS_TRY(stages->ready(run, err));
        run->stats->device = gs_stages_cpu.device;
        GS_TRY(sort_without_bins(run, order, err));
    } else {
        run->stats->device = stages->device;
        GS_TRY(sort_by_bins(run, stages, err));
    }
    GS_TRY(gs_emit_prove(&run->emitter, run->fingerprint, err));
cleanup:
    return st;
}
