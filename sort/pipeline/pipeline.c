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
#include "sort/pipeline/distribute.h"
#include "sort/split/keeps_most.h"
#include "sort/ways/few_values.h"
#include "sort/ways/ordered_input.h"
#include "sort/ways/ordered_runs.h"
#include "sort/split/select_samples.h"
#include "sort/ways/shares.h"
#include "sort/ways/short_records.h"
#include "sort/split/sort_samples.h"
#include "sort/cpu/one_bin.h"

#include "common/clock.h"

#include <stdlib.h>

/* An input on its way through the ways to sort it. */
struct attempt {
    struct gs_run *run;
    const struct gs_stages *stages; /* of the last way, by bins */
    enum gs_order order;            /* that the input seems to have */
    gs_key *sample;                 /* sorted, once it is drawn; owned */
    struct gs_few_values few;       /* of the sample, */
    struct gs_shares shares;        /* and of a sample of many values */
    bool chosen;                    /* the splitters are */
    bool sorted;                    /* the output is complete */
};

/* Choose the splitters from the sorted sample. Each is the last key that its bin may hold. */
static void choose_splitters(struct attempt *attempt)
{
    struct gs_run *run = attempt->run;
    const struct gs_plan *plan = &run->plan;
    gs_splitters_choose(&run->splitters, attempt->sample, plan->samples, plan->bins,
                        run->loose_bits);
    if (attempt->stages->chunks_side_by_side)
        gs_splitters_snap(&run->splitters, attempt->sample, plan->samples, plan->bins,
                          run->loose_bits);
    gs_shares_find(&attempt->shares, run, attempt->sample, plan->samples);
    attempt->chosen = true;
}

/* Draw and sort the sample. If it has few values, there is probably no need of splitters. Not if
 * the user set the number of bins: that number must then take effect. */
static void look_at_sample(struct attempt *attempt)
{
    struct gs_run *run = attempt->run;
    const uint32_t samples = run->plan.samples;
    const uint64_t bytes = (uint64_t)samples * GS_KEY_BYTES;
    uint64_t start = gs_now_ns();
    gs_select_samples_cpu(&run->tiles, samples, GS_SAMPLE_SEED, run->plan.threads, attempt->sample);
    uint64_t selected = gs_now_ns();
    gs_run_account(run, GS_STAGE_SELECT_SAMPLES, GS_DEVICE_CPU, selected - start, samples, bytes);
    gs_sort_samples(attempt->sample, samples);
    run->refused = attempt->stages->suits != NULL && !attempt->stages->suits(run, attempt->sample);
    if (attempt->stages->has_other_ways && run->options->bins == 0)
        gs_few_values_find(&attempt->few, attempt->sample, samples, run->plan.count);
    if (attempt->few.values == 0)
        choose_splitters(attempt);
    uint64_t sorted = gs_now_ns();
    gs_run_account(run, GS_STAGE_SORT_SAMPLES, GS_DEVICE_CPU, sorted - selected, samples,
                   2 * bytes);
    run->stats->samples = samples;
}

/* Allocate, draw and sort the sample. For few keys one thread does it while the others wake up,
 * which takes as long. */
static enum gs_status draw_sample(struct attempt *attempt, struct gs_error *err)
{
    struct gs_run *run = attempt->run;
    gs_run_phase(run, GS_STAGE_SELECT_SAMPLES, run->plan.samples);
    attempt->sample = malloc(run->plan.samples * sizeof *attempt->sample + 1);
    if (attempt->sample == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u samples",
                       run->plan.samples);
    if (run->plan.count <= GS_FEW_KEYS) {
#pragma omp parallel num_threads(run->plan.threads)
#pragma omp single nowait
        look_at_sample(attempt);
    } else {
        look_at_sample(attempt);
    }
    return GS_OK;
}

/* The device that the user asked for is not needed after all; its failure is told all the same. */
static enum gs_status check_ready(struct attempt *attempt, struct gs_error *err)
{
    bool asked = attempt->run->options->device != GS_DEVICE_AUTO;
    return asked && attempt->stages->ready != NULL ? attempt->stages->ready(attempt->run, err)
                                                   : GS_OK;
}

/* Is the output written over the input, and are records then to be moved on the way? */
static bool moves_ordered_input(const struct attempt *attempt)
{
    const struct gs_options *options = attempt->run->options;
    return attempt->run->emitter.sink->over_input &&
           (options->unique || (attempt->order == GS_ORDER_REVERSED) != options->reverse);
}

/* Copy an input that is in order. */
static enum gs_status sort_ordered(struct attempt *attempt, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    attempt->order = gs_order_look(&attempt->run->tiles, attempt->run->plan.count);
    if (moves_ordered_input(attempt))
        return GS_OK;
    if (attempt->order != GS_ORDER_SORTED && attempt->order != GS_ORDER_REVERSED)
        return GS_OK;
    GS_TRY(check_ready(attempt, err));
    GS_TRY(gs_sort_ordered_input(attempt->run, attempt->order, &attempt->sorted, err));
    if (attempt->sorted)
        attempt->run->stats->order = attempt->order == GS_ORDER_SORTED ? "sorted" : "reversed";
cleanup:
    return st;
}

/* How the CPU maps the output, unless its length is not known. */
static gs_map_output *map_of(struct attempt *attempt)
{
    attempt->run->keeps_most = !attempt->run->options->unique;
    return attempt->stages->has_other_ways ? attempt->stages->map_output : NULL;
}

/* All keys that were looked at are equal: count them, and a few others. */
static enum gs_status sort_equal(struct attempt *attempt, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_run *run = attempt->run;
    struct gs_few_values one;
    if (attempt->order != GS_ORDER_EQUAL)
        return GS_OK;
    GS_TRY(check_ready(attempt, err));
    gs_few_values_one(&one, gs_tiles_key(&run->tiles, 0));
    GS_TRY(gs_sort_few_values(run, &one, map_of(attempt), &attempt->sorted, err));
    if (attempt->sorted && run->stats->bins == 1)
        run->stats->order = "sorted";
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
    const struct gs_tiles *tiles = &attempt->run->tiles;
    const struct gs_external source = {.spans = tiles->spans, .span_count = tiles->span_count};
    attempt->sorted = attempt->run->plan.counted;
    return attempt->sorted ? gs_sort_short_records(attempt->run, &source, err) : GS_OK;
}

static enum gs_status sort_few_values(struct attempt *attempt, struct gs_error *err)
{
    if (attempt->few.values == 0)
        return GS_OK;
    return gs_sort_few_values(attempt->run, &attempt->few, map_of(attempt), &attempt->sorted, err);
}

static enum gs_status sort_ordered_runs(struct attempt *attempt, struct gs_error *err)
{
    struct gs_run *run = attempt->run;
    struct gs_ordered_runs runs;
    uint64_t start = gs_now_ns();
    if (!attempt->chosen || gs_run_bins(run) < run->plan.bins / 2) /* equality bins beat a merge */
        return GS_OK;
    if (run->tiles.codec != NULL && run->tiles.decoded > 0) /* neither keys nor records */
        return GS_OK;
    if (!gs_ordered_runs_find(&run->tiles, run->plan.threads, &runs))
        return GS_OK;
    gs_run_account(run, GS_STAGE_READ, GS_DEVICE_CPU, gs_now_ns() - start, run->plan.count,
                   run->plan.count * GS_KEY_BYTES);
    attempt->sorted = true;
    return gs_ordered_runs_merge(run, &runs, err);
}

static enum gs_status sort_shares(struct attempt *attempt, struct gs_error *err)
{
    return gs_sort_shares(attempt->run, &attempt->shares, &attempt->sorted, err);
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
    if (attempt->sample != NULL)
        gs_splitters_count(&run->splitters, attempt->sample, run->plan.samples, run->counts);
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

/* What has to be known of an input before a way is tried. */
enum needs { NOTHING, SAMPLE, BINS };

/* All ways to sort an input, tried top-down: each takes the input if it is faster than those below,
 * or leaves it alone. */
static const struct way {
    const char *name;
    bool any_device; /* the CPU does it even where a GPU would sort by bins */
    bool rereads;    /* it reads the input while it writes the output */
    enum needs needs;
    enum gs_status (*sort)(struct attempt *attempt, struct gs_error *err);
} ways[] = {
    {"count records of one or two bytes", true, false, NOTHING, sort_short_records},
    {"copy what is in order", true, false, NOTHING, sort_ordered},
    {"count what is equal but for a few keys", true, false, NOTHING, sort_equal},
    {"as one bin", true, false, NOTHING, sort_one_bin},
    {"count few values", false, false, SAMPLE, sort_few_values},
    {"merge a few ordered runs", false, true, SAMPLE, sort_ordered_runs},
    {"a share of the values for each thread", false, true, BINS, sort_shares},
    {"by bins", true, false, BINS, sort_by_bins},
};

/* Choose the splitters, and make room for the bins' counts. */
static enum gs_status prepare_bins(struct attempt *attempt, struct gs_error *err)
{
    struct gs_run *run = attempt->run;
    if (attempt->sample != NULL && !attempt->chosen)
        choose_splitters(attempt);
    run->counts = calloc(2 * (size_t)gs_run_bins(run), sizeof *run->counts);
    if (run->counts == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins", gs_run_bins(run));
    run->offsets = run->counts + gs_run_bins(run);
    return GS_OK;
}

/* Find out what a way needs to know. */
static enum gs_status prepare(struct attempt *attempt, enum needs needs, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_run *run = attempt->run;
    if (needs == NOTHING)
        return GS_OK;
    run->stats->device = attempt->stages->device;
    if (attempt->sample == NULL && run->arrived.rows.keys == NULL)
        GS_TRY(draw_sample(attempt, err));
    if (needs == BINS && run->counts == NULL)
        GS_TRY(prepare_bins(attempt, err));
cleanup:
    return st;
}

enum gs_status gs_pipeline_run(struct gs_run *run, const struct gs_stages *stages,
                               struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct attempt attempt = {.run = run, .stages = stages};
    /* Chunks that arrived are in order of bins by now: they are sorted by them. */
    const bool bins_only = stages->bins_only || run->arrived.rows.keys != NULL;
    size_t i = bins_only ? sizeof ways / sizeof *ways - 1 : 0;
    attempt.sorted = bins_only && run->plan.count == 0;
    run->stats->device = GS_DEVICE_CPU;
    run->stats->order = "none";
    for (; i < sizeof ways / sizeof *ways && !attempt.sorted; i++) {
        if ((!ways[i].any_device && !stages->has_other_ways) ||
            (ways[i].rereads && run->emitter.sink->over_input))
            continue;
        GS_TRY(prepare(&attempt, ways[i].needs, err));
        if (run->refused)
            break;
        GS_TRY(ways[i].sort(&attempt, err));
    }
    if (run->counts != NULL)
        gs_run_describe_bins(run);
    GS_TRY(gs_emit_prove(&run->emitter, run->fingerprint, err));
cleanup:
    free(attempt.sample);
    free(run->counts);
    run->counts = NULL;
    return st;
}
