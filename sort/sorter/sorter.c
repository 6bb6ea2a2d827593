/* sorter.c -- sort keys: choose engine and device, then run the pipeline.
 * SPDX-License-Identifier: MIT
 */
#include "sort/sorter/sorter.h"
#include "sort/bin/cache_sort.h"
#include "sort/cpu/binned.h"
#include "sort/cpu/stages_cpu.h"
#include "sort/engines/engine.h"
#include "sort/engines/list_engines.h"
#include "sort/gpu/gpu_start.h"
#include "sort/gpu/stages_gpu.h"
#include "sort/pipeline/incoming.h"
#include "sort/pipeline/pipeline.h"
#include "sort/run/cost.h"
#include "sort/sorter/gpu_pieces.h"
#include "sort/split/keeps_most.h"

#include "common/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The width of the keys that the shared-memory engines sort. */
#define ENGINE_KEY_BYTES 4

/* Refuse a value above its limit. */
static enum gs_status check_limit(const char *option, uint64_t value, uint64_t limit,
                                  struct gs_error *err)
{
    if (value <= limit)
        return GS_OK;
    return gs_fail(err, GS_ERR_USAGE, 0, "%s=%" PRIu64 ": the largest is %" PRIu64, option, value,
                   limit);
}

enum gs_status gs_options_check(const struct gs_options *options, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    GS_TRY(check_limit("--bins", options->bins, GS_OPTION_BINS_MAX, err));
    GS_TRY(check_limit("--samples", options->samples, GS_OPTION_SAMPLES_MAX, err));
    GS_TRY(check_limit("--lists", options->lists, GS_OPTION_LISTS_MAX, err));
    GS_TRY(check_limit("--parallel", options->threads, GS_OPTION_THREADS_MAX, err));
    if ((options->lists & (options->lists - 1)) != 0)
        return gs_fail(err, GS_ERR_USAGE, 0, "--lists=%" PRIu64 ": not a power of two",
                       options->lists);
    if (GS_KEY_BYTES != ENGINE_KEY_BYTES && gs_engine_uses_lists(options->engine))
        return gs_fail(err, GS_ERR_USAGE, 0, "--engine=%s sorts keys of 4 bytes, not of %d",
                       gs_engine_name(options->engine), GS_KEY_BYTES);
    if (options->device == GS_DEVICE_GPU && gs_gpu_refusal() != NULL)
        return gs_fail(err, GS_ERR_DEVICE, 0, "--device=gpu: %s", gs_gpu_refusal());
cleanup:
    return st;
}

enum gs_status gs_options_check_count(const struct gs_options *options, uint64_t count,
                                      struct gs_error *err)
{
    return gs_engine_check_count(options->engine, count, GS_ENGINE_CAPACITY, "", err);
}

/* Choose the device for a plan, and say why. gpu_started: the sort need not wait for its start. */
static enum gs_device choose_device(const struct gs_options *options, const struct gs_plan *plan,
                                    bool gpu_started, struct gs_stats *stats)
{
    enum gs_device device = GS_DEVICE_CPU;
    const char *reason = "asked for";
    if (options->device != GS_DEVICE_AUTO)
        device = options->device;
    else if (gs_gpu_refusal() != NULL)
        reason = gs_gpu_refusal();
    else if (!gs_gpu_present())
        reason = "there is no GPU";
    else if (gs_engine_uses_lists(options->engine))
        reason = "so few keys are sorted before a GPU has started";
    else
        reason = NULL;
    if (reason != NULL) {
        snprintf(stats->reason, sizeof stats->reason, "%s", reason);
        return device;
    }
    double cpu = gs_cost_cpu_seconds(plan->count, plan->threads);
    double gpu = gs_cost_gpu_seconds(plan->count, plan->threads, gpu_started);
    snprintf(stats->reason, sizeof stats->reason, "estimates: %.3f s on the CPU, %.3f s on the GPU",
             cpu, gpu);
    return gpu < cpu ? GS_DEVICE_GPU : GS_DEVICE_CPU;
}

/* Refuse a plan that exceeds options->memory_bytes, with held_bytes of the input beside it. */
static enum gs_status check_memory(const struct gs_options *options, const struct gs_plan *plan,
                                   uint64_t held_bytes, struct gs_error *err)
{
    uint64_t needed = plan->memory_bytes + held_bytes;
    if (options->memory_bytes == 0 || needed <= options->memory_bytes)
        return GS_OK;
    return gs_fail(err, GS_ERR_MEMORY, 0,
                   "sorting %" PRIu64 " %ss takes %" PRIu64 " MiB of memory, and only %" PRIu64
                   " MiB may be used (-S)",
                   plan->count, gs_noun(options), (needed + (1 << 20) - 1) >> 20,
                   options->memory_bytes >> 20);
}

/* Note the engine that ran, and the rest of the stats. */
static void describe_run(struct gs_run *run)
{
    bool lists = gs_engine_uses_lists(run->options->engine);
    run->stats->engine = gs_engine_name(lists ? run->options->engine : GS_ENGINE_SAMPLESORT);
    gs_run_describe(run);
}

enum gs_status gs_sort_on(struct gs_run *run, const struct gs_stages *stages, struct gs_sink *sink,
                          bool *partial, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_options *options = run->options;
    for (int i = 0; i < GS_STAGES; i++) /* drop rows of a device that was tried before */
        run->stats->stages[i] = (struct gs_stage_stats){0};
    run->fingerprint = 0;
    run->stats->device_text = gs_cache_sort_name(); /* a GPU sets its name later */
    gs_plan_make(&run->plan, options, gs_tiles_keys(&run->tiles));
    if (stages->plan != NULL)
        stages->plan(&run->plan, options);
    if (stages->forgets_input)
        gs_incoming_take(options->incoming, run);
    if (stages->forgets_input && run->arrived.count == 0)
        gs_binned_take(options->binned, run);
    bool forgets = stages->forgets_input && run->arrived.rows.keys == NULL;
    uint64_t held = forgets ? gs_plan_held(&run->plan, options->held_bytes) : options->held_bytes;
    GS_TRY(check_memory(options, &run->plan, held, err));
    gs_emit_init(&run->emitter, options, sink);
    run->emitter.past_cache = run->plan.count >= GS_PAST_CACHE_KEYS;
    st = gs_pipeline_run(run, stages, err);
    *partial = sink->stream && run->emitter.position > 0;
    describe_run(run);
    run->stats->memory_bytes += held;
cleanup:
    gs_pages_free(run->arrived.rows.starts,
                  run->arrived.starts_bytes); /* if open has not taken them */
    run->arrived = (struct gs_arrived){.count = 0};
    return st;
}

/* Sort on the GPU. If it has no room for all keys: sort in pieces if the user asked for the GPU,
 * else on the CPU, as after any failure of the GPU, from the start. Pieces are slower: 4 GiB on an
 * H200 that may use 2 or 6 GiB take 1.7 to 1.8 times as long as on 16 cores, since the CPU
 * distributes the keys and then still waits for the bus (1.05 to 1.17 times as long as on two
 * cores).
 */
static enum gs_status sort_on_gpu(struct gs_run *run, struct gs_sink *sink, struct gs_error *err)
{
    bool partial = false;
    struct gs_error gpu_error = {.status = GS_OK};
    enum gs_status st = gs_sort_on(run, &gs_stages_gpu, sink, &partial, &gpu_error);
    if (st == GS_ERR_DEVICE_MEMORY && !partial && run->options->device == GS_DEVICE_GPU) {
        gpu_error.status = GS_OK;
        st = gs_sort_on(run, &gs_stages_gpu_pieces, sink, &partial, &gpu_error);
    }
    if (st == GS_OK)
        return st;
    bool device_failed = st == GS_ERR_DEVICE || st == GS_ERR_DEVICE_MEMORY ||
                         st == GS_ERR_MEMORY; /* the CPU needs less: it gives back a pipe's keys */
    if (run->options->device == GS_DEVICE_GPU || !device_failed || partial)
        return gs_fail(err, st, 0, "%s", gpu_error.text);
    snprintf(run->stats->warning, sizeof run->stats->warning, "%.200s: sorting on the CPU",
             gpu_error.text);
    return gs_sort_on(run, &gs_stages_cpu, sink, &partial, err);
}

static enum gs_status sort_by_lists(struct gs_run *run, enum gs_device device, struct gs_sink *sink,
                                    struct gs_error *err)
{
    enum gs_status st = GS_OK;
    run->stats->device_text = "one core"; /* a GPU sets its name later */
    run->plan.threads = 1;
    run->plan.memory_bytes = gs_engine_memory(run->plan.count);
    GS_TRY(check_memory(run->options, &run->plan, run->options->held_bytes, err));
    gs_emit_init(&run->emitter, run->options, sink);
    st = gs_engine_run(run, device, err);
    describe_run(run);
    run->stats->memory_bytes += run->options->held_bytes;
cleanup:
    return st;
}

enum gs_device gs_prepare(const struct gs_options *options, uint64_t count, bool more)
{
    struct gs_stats ignored = {0};
    struct gs_plan plan;
    if (gs_options_check(options, NULL) != GS_OK)
        return GS_DEVICE_CPU;
    /* If the input ended here, the sort would still wait for a GPU that starts now: as long as it
     * takes to read this many keys. So they do not count for the GPU. */
    uint64_t less = !more ? 0 : count < GS_GPU_START_KEYS ? count : GS_GPU_START_KEYS;
    gs_plan_make(&plan, options, count - less);
    enum gs_device device = choose_device(options, &plan, more || gs_gpu_started(), &ignored);
    if (device == GS_DEVICE_GPU)
        gs_gpu_start();
    return device;
}

bool gs_sort_keeps_most(const struct gs_options *options, const struct gs_span *spans,
                        size_t span_count)
{
    struct gs_tiles tiles;
    if (gs_tiles_decode(&tiles, gs_input_codec(options), spans, span_count, NULL) != GS_OK)
        return false;
    gs_incoming_mark(options->incoming, &tiles);
    bool most = gs_keeps_most(&tiles, gs_threads(options));
    gs_tiles_free(&tiles);
    return most;
}

/* Sort with a run that is all zero except for options, stats and progress. */
static enum gs_status sort_by_run(struct gs_run *run, const struct gs_span *spans,
                                  size_t span_count, struct gs_sink *sink, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    bool partial = false;
    const struct gs_options *options = run->options;
    GS_TRY(gs_options_check(options, err));
    GS_TRY(gs_tiles_decode(&run->tiles, gs_input_codec(options), spans, span_count, err));
    gs_incoming_mark(options->incoming, &run->tiles);
    gs_plan_make(&run->plan, options, gs_tiles_keys(&run->tiles));
    GS_TRY(gs_options_check_count(options, run->plan.count, err));
    enum gs_device chosen = choose_device(options, &run->plan, gs_gpu_started(), run->stats);
    if (gs_engine_uses_lists(options->engine)) {
        st = sort_by_lists(run, chosen, sink, err);
    } else if (chosen == GS_DEVICE_GPU) {
        struct gs_gpu_device device;
        gs_gpu_start();
        st = sort_on_gpu(run, sink, err);
        if (!options->leave_device) /* a process that calls exit() while CUDA starts crashes */
            (void)gs_gpu_wait(&device, NULL);
    } else {
        st = gs_sort_on(run, &gs_stages_cpu, sink, &partial, err);
    }
cleanup:
    gs_tiles_free(&run->tiles);
    return st;
}

enum gs_status gs_sort(const struct gs_options *options, const struct gs_span *spans,
                       size_t span_count, struct gs_sink *sink, struct gs_progress *progress,
                       struct gs_stats *stats, struct gs_error *err)
{
    struct gs_stats own_stats;
    struct gs_progress own_progress = {.phase = NULL};
    struct gs_run *run = calloc(1, sizeof *run); /* too large for a small stack */
    if (stats == NULL)
        stats = &own_stats;
    *stats = (struct gs_stats){0};
    if (run == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort");
    run->options = options;
    run->stats = stats;
    run->progress = progress != NULL ? progress : &own_progress;
    enum gs_status st = sort_by_run(run, spans, span_count, sink, err);
    free(run);
    return st;
}

enum gs_device gs_sort_choose(const struct gs_options *options, const struct gs_plan *plan,
                              struct gs_stats *stats)
{
    enum gs_device device = choose_device(options, plan, false, stats);
    bool lists = gs_engine_uses_lists(options->engine);
    stats->engine = gs_engine_name(lists ? options->engine : GS_ENGINE_SAMPLESORT);
    stats->device = gs_device_name(device);
    return device;
}

void gs_sort_forecast(const struct gs_options *options, uint64_t count, struct gs_stats *stats,
                      double *seconds)
{
    struct gs_plan plan;
    gs_plan_make(&plan, options, count);
    enum gs_device device = gs_sort_choose(options, &plan, stats);
    *seconds = device == GS_DEVICE_GPU ? gs_cost_gpu_seconds(count, plan.threads, false)
                                       : gs_cost_cpu_seconds(count, plan.threads);
}
