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
#include "sort/ways/short_records.h"
#include "sort/ways/sort_equal.h"
#include "sort/split/sort_samples.h"
#include "sort/cpu/one_bin.h"
#include "sort/ways/value_ranges.h"
#include "sort/cpu/sort_bins.h"

#include "common/clock.h"

#include <stdlib.h>

/* An input on its way through the ways to sort it. */
struct attempt {
    struct gs_run *run;
    const struct gs_stages *stages; /* of the last way, by bins */
    enum gs_order order;            /* of the input, once it is known */
    struct gs_value_ranges ranges;  /* of the sample, once it is drawn */
    struct gs_shares shares;
    bool sorted; /* the output is complete */
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
                        struct attempt *attempt)
{
    uint32_t samples = run->plan.samples;
    uint64_t start = gs_now_ns();
    gs_select_samples_cpu(&run->tiles, samples, GS_SAMPLE_SEED,
                          run->plan.threads - (run->mapped != NULL), sample);
    uint64_t selected = gs_now_ns();
    uint64_t bytes = (uint64_t)samples * GS_KEY_BYTES;
    gs_run_account(run, GS_STAGE_SELECT_SAMPLES, "cpu", selected - start, samples, bytes);
    gs_sort_samples(sample, samples);
    attempt->shares.count = 0;
    if (!choose_bins(run, stages, sample))
        gs_shares_find(&attempt->shares, run, sample, samples);
    gs_value_ranges_find(&attempt->ranges, sample, samples, run->plan.count);
    uint64_t sorted = gs_now_ns();
    gs_run_account(run, GS_STAGE_SORT_SAMPLES, "cpu", sorted - selected, samples, 2 * bytes);
    run->stats->samples = samples;
}

/* Allocate the sample and choose the splitters. For few keys one thread draws the sample while
 * the others wake up, which takes as long. */
static enum gs_status choose_splitters(struct gs_run *run, const struct gs_stages *stages,
                                       struct attempt *attempt, struct gs_error *err)
{
    uint32_t samples = run->plan.samples;
    gs_key *sample = malloc(samples * sizeof *sample);
    if (sample == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u samples", samples);
    if (run->plan.count <= GS_FEW_KEYS) {
#pragma omp parallel num_threads(run->plan.threads)
#pragma omp single nowait
        choose_from(run, stages, sample, attempt);
    } else {
        choose_from(run, stages, sample, attempt);
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
    gs_key block[LOOK_KEYS];
    gs_key keys[LOOK_TWICE];
    const gs_key *begin = gs_tile_keys(&run->tiles, &first, 0, first.count, block);
    for (uint64_t i = 0; i < LOOK_TWICE; i++)
        keys[i] = gs_tiles_key(&run->tiles, (run->plan.count - 1) / (LOOK_TWICE - 1) * i);
    keys[LOOK_TWICE - 1] = gs_tiles_key(&run->tiles, run->plan.count - 1);
    *sorted = gs_order_ascending(begin, first.count) && gs_order_ascending(keys, LOOK_TWICE);
    *reversed = gs_order_descending(begin, first.count) && gs_order_descending(keys, LOOK_TWICE);
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

/* The device that the user asked for is not needed after all; its failure is told all the same. */
static enum gs_status check_ready(struct attempt *attempt, struct gs_error *err)
{
    bool asked = attempt->run->options->device != GS_DEVICE_AUTO;
    return asked && attempt->stages->ready != NULL ? attempt->stages->ready(attempt->run, err)
                                                   : GS_OK;
}

/* Copy an input that is in order. */
static enum gs_status sort_ordered(struct attempt *attempt, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_run *run = attempt->run;
    if (run->emitter.sink->memory != NULL && run->plan.count > 0 && !run->options->unique) {
        GS_TRY(copy_while_ordered(run, &attempt->order, &attempt->sorted, err));
        return attempt->sorted ? check_ready(attempt, err) : GS_OK;
    }
    attempt->order = scan_order(run);
    if (attempt->order != GS_ORDER_NONE) {
        GS_TRY(check_ready(attempt, err));
        gs_run_phase(run, GS_STAGE_WRITE, run->plan.count);
        gs_emit_stage(&run->emitter, run->plan.count);
        GS_TRY(gs_copy_ordered_input(run, attempt->order == GS_ORDER_REVERSED, NULL, err));
        attempt->sorted = true;
    }
cleanup:
    return st;
}

static enum gs_status sort_one_bin(struct attempt *attempt, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (!attempt->run->plan.one_bin)
        return GS_OK;
    GS_TRY(check_ready(attempt, err));
    GS_TRY(gs_sort_one_bin(attempt->run, err));
    attempt->sorted = true;
cleanup:
    return st;
}

static enum gs_status sort_short_records(struct attempt *attempt, struct gs_error *err)
{
    return gs_sort_short_records(attempt->run, &attempt->sorted, err);
}

static enum gs_status sort_values(struct attempt *attempt, struct gs_error *err)
{
    return gs_sort_values_cpu(attempt->run, &attempt->ranges, &attempt->sorted, err);
}

static enum gs_status sort_ordered_runs(struct attempt *attempt, struct gs_error *err)
{
    struct gs_run *run = attempt->run;
    struct gs_ordered_runs runs;
    uint64_t start = gs_now_ns();
    if (gs_run_bins(run) < run->plan.bins / 2) /* equality bins beat a merge */
        return GS_OK;
    if (!gs_runs_find(&run->tiles, run->plan.threads, &runs))
        return GS_OK;
    gs_run_account(run, GS_STAGE_READ, "cpu", gs_now_ns() - start, run->plan.count,
                   run->plan.count * GS_KEY_BYTES);
    return gs_runs_merge_cpu(run, &runs, &attempt->sorted, err);
}

static enum gs_status sort_shares(struct attempt *attempt, struct gs_error *err)
{
    return gs_sort_shares_cpu(attempt->run, &attempt->shares, &attempt->sorted, err);
}

/* Will the output be about as long as the input? Only then are its pages created ahead, under
 * options->unique; without that option the length is known beforehand. Where no pages are created
 * ahead, as for a stream, the time for a sample to estimate it is saved. */
static void estimate_length(struct gs_run *run)
{
    run->keeps_most = !run->options->unique || (gs_sink_maps(run->emitter.sink) &&
                                                gs_keeps_most(&run->tiles, run->plan.threads));
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

/* The full sample sort, on a device. */
static enum gs_status sort_by_bins(struct attempt *attempt, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t chunk_keys = 0;
    struct gs_run *run = attempt->run;
    const struct gs_stages *stages = attempt->stages;
    estimate_length(run);
    gs_emit_stage(&run->emitter, run->plan.count);
    if (stages->map_output != NULL)
        GS_TRY(stages->map_output(run, err));
    GS_TRY(open_stages(run, stages, &chunk_keys, err));
    GS_TRY(gs_distribute(run, stages, chunk_keys, err));
    gs_run_phase(run, GS_STAGE_SORT_BINS, run->plan.count);
    GS_TRY(stages->sort_bins(run, err));
    attempt->sorted = true;
cleanup:
    stages->close(run);
    return st;
}

/* All ways to sort an input, tried top-down: each takes the input if it is faster than those below,
 * or leaves it alone. */
static const struct way {
    const char *name;
    bool any_device; /* the CPU does it even where a GPU would sort by bins */
    bool sampled;    /* needs the sample */
    enum gs_status (*sort)(struct attempt *attempt, struct gs_error *err);
} ways[] = {
    {"count records of one or two bytes", true, false, sort_short_records},
    {"copy what is in order, or is equal but for a few keys", true, false, sort_ordered},
    {"as one bin", true, false, sort_one_bin},
    {"count few values", false, true, sort_values},
    {"merge a few ordered runs", false, true, sort_ordered_runs},
    {"a share of the values for each thread", false, true, sort_shares},
    {"by bins", true, true, sort_by_bins},
};

/* Draw the sample, choose the splitters, and make room for the bins' counts. */
static enum gs_status prepare_bins(struct attempt *attempt, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_run *run = attempt->run;
    if (run->arrived.keys == NULL) {
        gs_run_phase(run, GS_STAGE_SELECT_SAMPLES, run->plan.samples);
        if (attempt->stages->expect_output != NULL)
            attempt->stages->expect_output(run);
        GS_TRY(choose_splitters(run, attempt->stages, attempt, err));
    }
    run->counts = calloc(2 * (size_t)gs_run_bins(run), sizeof *run->counts);
    if (run->counts == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins", gs_run_bins(run));
        goto cleanup;
    }
    run->offsets = run->counts + gs_run_bins(run);
    run->stats->device = attempt->stages->device;
cleanup:
    return st;
}

enum gs_status gs_pipeline_run(struct gs_run *run, const struct gs_stages *stages,
                               struct gs_error *err)
{
    static const char *const order_names[] = {"none", "sorted", "reversed"};
    enum gs_status st = GS_OK;
    struct attempt attempt = {.run = run, .stages = stages, .order = GS_ORDER_NONE};
    /* Chunks that arrived are in order of bins by now: they are sorted by them. */
    size_t i = run->arrived.keys != NULL ? sizeof ways / sizeof *ways - 1 : 0;
    run->stats->device = "cpu";
    for (; i < sizeof ways / sizeof *ways && !attempt.sorted; i++) {
        if (!ways[i].any_device && !stages->has_other_ways)
            continue;
        if (ways[i].sampled && run->counts == NULL)
            GS_TRY(prepare_bins(&attempt, err));
        GS_TRY(ways[i].sort(&attempt, err));
        run->stats->order = order_names[attempt.order];
    }
    if (run->counts != NULL)
        describe_bins(run);
    GS_TRY(gs_emit_prove(&run->emitter, run->fingerprint, err));
cleanup:
    free(run->counts);
    run->counts = NULL;
    return st;
}
