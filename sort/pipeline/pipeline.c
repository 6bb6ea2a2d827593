/* pipeline.c -- the sample sort, written once over a table of stages.
 * SPDX-License-Identifier: MIT
 *
 *   input --> select samples --> sort samples --> splitters
 *     |                                              |
 *     +---- for each chunk: count bins --> prefix sum --> scatter
 *                                                            |
 *                          output <-- in order <-- sort bins
 *
 * Input that is in order already is copied, and a small input is sorted as one bin.
 */
#include "sort/pipeline/pipeline.h"
#include "sort/run/copy_ordered.h"
#include "sort/pipeline/distribute.h"
#include "sort/split/keeps_most.h"
#include "sort/keys/order.h"
#include "sort/ways/ordered_runs.h"
#include "sort/split/select_samples.h"
#include "sort/ways/shares.h"
#include "sort/ways/sort_equal.h"
#include "sort/split/sort_samples.h"
#include "sort/cpu/stages_cpu.h"
#include "sort/ways/value_ranges.h"
#include "sort/cpu/sort_bins.h"

#include "common/clock.h"

#include <stdlib.h>

/* Ways to sort without bins, on the CPU, if the sample allows them. */
struct other_ways {
    struct gs_value_ranges ranges;
    struct gs_shares shares;
};

/* Choose the splitters from the sorted sample; true: it has few values, and each has its own bin.
 * Not if the user set the number of bins: that number must then take effect. */
static bool choose_bins(struct gs_run *run, const struct gs_stages *stages, const gs_key *sample)
{
    struct gs_splitters *splitters = &run->splitters;
    const struct gs_plan *plan = &run->plan;
    if (stages->chunks_side_by_side && run->options->bins == 0 &&
        gs_splitters_choose_values(splitters, sample, plan->samples, plan->values))
        return true;
    gs_splitters_choose(splitters, sample, plan->samples, plan->bins);
    if (stages->chunks_side_by_side)
        gs_splitters_snap(splitters, sample, plan->samples, plan->bins);
    return false;
}

/* Draw and sort the sample, and choose the splitters. */
static void choose_from(struct gs_run *run, const struct gs_stages *stages, gs_key *sample,
                        struct other_ways *ways)
{
    uint32_t samples = run->plan.samples;
    uint64_t start = gs_now_ns();
    gs_select_samples_cpu(&run->tiles, samples, GS_SAMPLE_SEED,
                          run->plan.threads - (run->mapped != NULL), sample);
    uint64_t selected = gs_now_ns();
    uint64_t bytes = (uint64_t)samples * GS_KEY_BYTES;
    gs_run_account(run, GS_STAGE_SELECT_SAMPLES, "cpu", selected - start, samples, bytes);
    gs_sort_samples(sample, samples);
    ways->shares.count = 0;
    if (!choose_bins(run, stages, sample))
        gs_shares_find(&ways->shares, run, sample, samples);
    gs_value_ranges_find(&ways->ranges, sample, samples, run->plan.count);
    uint64_t sorted = gs_now_ns();
    gs_run_account(run, GS_STAGE_SORT_SAMPLES, "cpu", sorted - selected, samples, 2 * bytes);
    run->stats->samples = samples;
}

/* Allocate the sample and choose the splitters. In a direct sort one thread draws the sample while
 * the others wake up, which takes as long. */
static enum gs_status choose_splitters(struct gs_run *run, const struct gs_stages *stages,
                                       struct other_ways *ways, struct gs_error *err)
{
    uint32_t samples = run->plan.samples;
    gs_key *sample = malloc(samples * sizeof *sample);
    if (sample == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u samples", samples);
    if (run->plan.direct) {
#pragma omp parallel num_threads(run->plan.threads)
#pragma omp single nowait
        choose_from(run, stages, sample, ways);
    } else {
        choose_from(run, stages, sample, ways);
    }
    free(sample);
    return GS_OK;
}

/* Note number and sizes of the bins, once all are counted. */
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

/* Allocate a device's buffers. */
static enum gs_status open_stages(struct gs_run *run, const struct gs_stages *stages,
                                  uint64_t *chunk_keys, struct gs_error *err)
{
    uint64_t start = gs_now_ns();
    enum gs_status st = stages->open(run, chunk_keys, err);
    if (!stages->accounts)
        gs_run_account(run, GS_STAGE_START, stages->scatter_device, gs_now_ns() - start, 0, 0);
    return st;
}

/* Sort input of few distinct values, of a few ordered runs, or of few keys without a distribution
 * to bins; *sorted: whether it was one of these. */
static enum gs_status sort_otherwise(struct gs_run *run, const struct other_ways *ways,
                                     bool *sorted, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_ordered_runs runs;
    uint64_t bytes = run->plan.count * GS_KEY_BYTES;
    GS_TRY(gs_sort_values_cpu(run, &ways->ranges, sorted, err));
    uint64_t start = gs_now_ns();
    bool many_equal = gs_run_bins(run) < run->plan.bins / 2; /* equality bins beat a merge */
    if (!*sorted && !many_equal && gs_runs_find(&run->tiles, run->plan.threads, &runs)) {
        gs_run_account(run, GS_STAGE_READ, "cpu", gs_now_ns() - start, run->plan.count, bytes);
        GS_TRY(gs_runs_merge_cpu(run, &runs, sorted, err));
    }
    if (!*sorted)
        GS_TRY(gs_sort_shares_cpu(run, &ways->shares, sorted, err));
cleanup:
    return st;
}

/* Would the sink create pages ahead of the keys? If not, as for a stream, the length of the output
 * does not matter, and the time for a sample to estimate it is saved. */
static bool makes_pages(const struct gs_sink *sink, const struct gs_stages *stages)
{
    if (stages != &gs_stages_cpu)
        return sink->expect != NULL;
    return gs_sink_maps(sink);
}

/* Will the output be about as long as the input? Only then are its pages created ahead, under
 * options->unique; without that option the length is known beforehand. */
static void estimate_length(struct gs_run *run, const struct gs_stages *stages)
{
    struct gs_sink *sink = run->emitter.sink;
    bool unique = run->options->unique;
    run->keeps_most =
        !unique || (makes_pages(sink, stages) && gs_keeps_most(&run->tiles, run->plan.threads));
    if (unique && run->keeps_most && stages != &gs_stages_cpu)
        sink->expect(sink, run->plan.count);
}

/* The full sample sort. */
static enum gs_status sort_by_bins(struct gs_run *run, const struct gs_stages *stages,
                                   struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t chunk_keys = 0;
    bool sorted = false;
    struct other_ways ways;
    if (run->incoming == NULL) {
        gs_run_phase(run, GS_STAGE_SELECT_SAMPLES, run->plan.samples);
        if (stages == &gs_stages_cpu)
            gs_expect_output_cpu(run);
        GS_TRY(choose_splitters(run, stages, &ways, err));
    }
    run->counts = calloc(2 * (size_t)gs_run_bins(run), sizeof *run->counts);
    if (run->counts == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins", gs_run_bins(run));
        goto cleanup;
    }
    run->offsets = run->counts + gs_run_bins(run);
    if (stages == &gs_stages_cpu && run->incoming == NULL)
        GS_TRY(sort_otherwise(run, &ways, &sorted, err));
    if (!sorted) {
        estimate_length(run, stages);
        gs_emit_stage(&run->emitter, run->plan.count);
        if (stages == &gs_stages_cpu) /* only the CPU writes in place */
            GS_TRY(gs_map_output_cpu(run, err));
        GS_TRY(open_stages(run, stages, &chunk_keys, err));
        GS_TRY(gs_distribute(run, stages, chunk_keys, err));
        gs_run_phase(run, GS_STAGE_SORT_BINS, run->plan.count);
        GS_TRY(stages->sort_bins(run, err));
    }
    describe_bins(run);
cleanup:
    stages->close(run);
    free(run->counts);
    run->counts = NULL;
    return st;
}

/* Input that is in order, or a single bin: the CPU handles it, whatever the device. */
static enum gs_status sort_without_bins(struct gs_run *run, enum gs_order order,
                                        struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t chunk_keys;
    if (order != GS_ORDER_NONE) {
        gs_run_phase(run, GS_STAGE_WRITE, run->plan.count);
        gs_emit_stage(&run->emitter, run->plan.count);
        return gs_copy_ordered_input(run, order == GS_ORDER_REVERSED, NULL, err);
    }
    GS_TRY(open_stages(run, &gs_stages_cpu, &chunk_keys, err));
    gs_run_phase(run, GS_STAGE_SORT_BINS, run->plan.count);
    GS_TRY(gs_sort_one_bin_cpu(run, err));
    run->stats->bins = 1;
    run->stats->largest_bin = run->plan.count;
cleanup:
    gs_stages_cpu.close(run);
    return st;
}

/* Is the whole input in order? Booked as reading. */
static enum gs_order scan_order(struct gs_run *run)
{
    uint64_t start = gs_now_ns();
    gs_run_phase(run, GS_STAGE_READ, run->plan.count);
    enum gs_order order = gs_order_scan(&run->tiles, run->plan.threads);
    uint64_t keys = order == GS_ORDER_NONE ? 0 : run->plan.count;
    gs_run_account(run, GS_STAGE_READ, "cpu", gs_now_ns() - start, keys, keys * GS_KEY_BYTES);
    return order;
}

/* Keys at the start of the input, and keys spread evenly over it, that look_ordered checks. */
#define LOOK_KEYS  4096
#define LOOK_TWICE 64

/* Does a quick look say that the input may be sorted, or reversed? */
static void look_ordered(const struct gs_run *run, bool *sorted, bool *reversed)
{
    struct gs_tile first = gs_tiles_part(&run->tiles, 0, LOOK_KEYS);
    gs_key keys[LOOK_TWICE];
    for (uint64_t i = 0; i < LOOK_TWICE; i++)
        keys[i] = gs_tiles_key(&run->tiles, (run->plan.count - 1) / (LOOK_TWICE - 1) * i);
    keys[LOOK_TWICE - 1] = gs_tiles_key(&run->tiles, run->plan.count - 1);
    *sorted = gs_order_ascending(first.keys, first.count) && gs_order_ascending(keys, LOOK_TWICE);
    *reversed =
        gs_order_descending(first.keys, first.count) && gs_order_descending(keys, LOOK_TWICE);
}

/* All keys that were looked at are equal: try to sort them as equal keys with a few exceptions.
 * *copied: whether that worked. */
static enum gs_status copy_equal(struct gs_run *run, enum gs_order *order, bool *copied,
                                 struct gs_error *err)
{
    uint64_t others;
    enum gs_status st = gs_sort_equal_cpu(run, gs_tiles_key(&run->tiles, 0), &others, err);
    *copied = others <= GS_OTHERS_MAX;
    if (st == GS_OK && !*copied)
        *order = scan_order(run); /* equal keys at the start tell nothing of the order */
    else
        *order = others == 0 ? GS_ORDER_SORTED : GS_ORDER_NONE;
    return st;
}

/* Copy input that looks ordered to the sink's memory for as long as it is in order: one read, where
 * a scan and a copy are two. *order is the order found; *copied is whether the output is complete,
 * because the input was in order or because it was equal keys with few exceptions. */
static enum gs_status copy_while_ordered(struct gs_run *run, enum gs_order *order, bool *copied,
                                         struct gs_error *err)
{
    bool sorted;
    bool reversed;
    bool disordered = true;
    look_ordered(run, &sorted, &reversed);
    enum gs_status st = GS_OK;
    if (sorted && reversed)
        return copy_equal(run, order, copied, err);
    if (sorted || reversed) {
        gs_run_phase(run, GS_STAGE_WRITE, run->plan.count);
        st = gs_copy_ordered_input(run, !sorted, &disordered, err);
    }
    *copied = !disordered;
    *order = disordered ? GS_ORDER_NONE : sorted ? GS_ORDER_SORTED : GS_ORDER_REVERSED;
    return st;
}

enum gs_status gs_pipeline_run(struct gs_run *run, const struct gs_stages *stages,
                               struct gs_error *err)
{
    static const char *const order_names[] = {"none", "sorted", "reversed"};
    enum gs_status st = GS_OK;
    enum gs_order order = GS_ORDER_NONE;
    bool copied = false;
    if (run->incoming != NULL)
        order = GS_ORDER_NONE; /* a look said so before, and chunks are in order of bins by now */
    else if (run->emitter.sink->memory != NULL && run->plan.count > 0 && !run->options->unique)
        GS_TRY(copy_while_ordered(run, &order, &copied, err));
    else
        order = scan_order(run);
    run->stats->order = order_names[order];
    if (copied || order != GS_ORDER_NONE || run->plan.one_bin) {
        if (run->options->device != GS_DEVICE_AUTO && stages->ready != NULL)
            GS_TRY(stages->ready(run, err));
        run->stats->device = gs_stages_cpu.device;
        if (!copied)
            GS_TRY(sort_without_bins(run, order, err));
    } else {
        run->stats->device = stages->device;
        GS_TRY(sort_by_bins(run, stages, err));
    }
    GS_TRY(gs_emit_prove(&run->emitter, run->fingerprint, err));
cleanup:
    return st;
}
