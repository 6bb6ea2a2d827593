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

#include "common/memory/memory.h"

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

enum gs_device gs_sort_choose(const struct gs_options *options, uint64_t count, bool gpu_started,
                              char because[GS_REASON_BYTES])
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
        snprintf(because, GS_REASON_BYTES, "%s", reason);
        return device;
    }
    const unsigned threads = gs_plan_threads(options, count);
    double cpu = gs_cost_cpu_seconds(count, threads);
    double gpu = gs_cost_gpu_seconds(count, threads, gpu_started);
    snprintf(because, GS_REASON_BYTES, "estimates: %.3f s on the CPU, %.3f s on the GPU", cpu, gpu);
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

const char *gs_sort_engine(const struct gs_options *options)
{
    bool lists = gs_engine_uses_lists(options->engine);
    return gs_engine_name(lists ? options->engine : GS_ENGINE_SAMPLESORT);
}

/* Note the engine that ran, and the rest of the stats. */
static void describe_run(struct gs_run *run)
{
    run->stats->engine = gs_sort_engine(run->options);
    gs_run_describe(run);
}

/* The output continues that of an earlier part. */
static void open_emitter(struct gs_run *run, struct gs_sink *sink)
{
    gs_emit_init(&run->emitter, run->options, sink);
    run->emitter.progress = run->progress;
    if (run->last != NULL)
        run->emitter.last = run->last;
}

enum gs_status gs_sort_on(struct gs_run *run, const struct gs_plan *plan,
                          const struct gs_stages *stages, struct gs_sink *sink, bool *partial,
                          struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_options *options = run->options;
    for (int i = 0; i < GS_STAGES; i++) /* drop rows of a device that was tried before */
        run->stats->stages[i] = (struct gs_stage_stats){0};
    run->fingerprint = 0;
    run->stats->device_text = gs_cache_sort_name(); /* a GPU sets its name later */
    run->plan = *plan;
    if (stages->plan != NULL)
        stages->plan(&run->plan, options);
    if (stages->forgets_input)
        gs_incoming_take(options->own.incoming, run);
    if (stages->forgets_input && run->binned != NULL)
        gs_binned_take(run->binned, run);
    bool forgets = stages->forgets_input && run->arrived.rows.keys == NULL;
    uint64_t held =
        forgets ? gs_plan_held(&run->plan, options->own.held_bytes) : options->own.held_bytes;
    GS_TRY(check_memory(options, &run->plan, held, err));
    open_emitter(run, sink);
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

/* Sort on the GPU. If it has no room for all keys: sort in pieces if that pays or the user asked
 * for the GPU; else on the CPU, as after any failure of the GPU, from the start. */
static enum gs_status sort_on_gpu(struct gs_run *run, struct gs_sink *sink, struct gs_error *err)
{
    bool partial = false;
    const struct gs_plan plan = run->plan;
    struct gs_error gpu_error = {.status = GS_OK};
    enum gs_status st = gs_sort_on(run, &plan, &gs_stages_gpu, sink, &partial, &gpu_error);
    if (st == GS_ERR_DEVICE_MEMORY && !partial &&
        (run->options->device == GS_DEVICE_GPU || gs_cost_pieces_pay(plan.threads))) {
        gpu_error.status = GS_OK;
        st = gs_sort_on(run, &plan, &gs_stages_gpu_pieces, sink, &partial, &gpu_error);
    }
    if (st == GS_OK)
        return st;
    bool device_failed = st == GS_ERR_DEVICE || st == GS_ERR_DEVICE_MEMORY ||
                         st == GS_ERR_MEMORY; /* the CPU needs less: it gives back a pipe's keys */
    if (run->options->device == GS_DEVICE_GPU || !device_failed || partial)
        return gs_fail(err, st, 0, "%s", gpu_error.text);
    snprintf(run->stats->warning, sizeof run->stats->warning, "%.200s: sorting on the CPU",
             gpu_error.text);
    return gs_sort_on(run, &plan, &gs_stages_cpu, sink, &partial, err);
}

static enum gs_status sort_by_lists(struct gs_run *run, enum gs_device device, struct gs_sink *sink,
                                    struct gs_error *err)
{
    enum gs_status st = GS_OK;
    run->stats->device_text = "one core"; /* a GPU sets its name later */
    run->plan.threads = 1;
    run->plan.memory_bytes = gs_engine_memory(run->plan.count);
    GS_TRY(check_memory(run->options, &run->plan, run->options->own.held_bytes, err));
    open_emitter(run, sink);
    st = gs_engine_run(run, device, err);
    describe_run(run);
    run->stats->memory_bytes += run->options->own.held_bytes;
cleanup:
    return st;
}

enum gs_device gs_prepare(const struct gs_options *options, uint64_t count, bool more)
{
    char reason[GS_REASON_BYTES];
    if (gs_options_check(options, NULL) != GS_OK)
        return GS_DEVICE_CPU;
    /* If the input ended here, the sort would still wait for a GPU that starts now: as long as it
     * takes to read this many keys. So they do not count for the GPU. */
    uint64_t less = !more ? 0 : count < GS_GPU_START_KEYS ? count : GS_GPU_START_KEYS;
    enum gs_device device = gs_sort_choose(options, count - less, more || gs_gpu_started(), reason);
    if (device == GS_DEVICE_GPU)
        gs_gpu_start();
    return device;
}

bool gs_sort_keeps_most(const struct gs_options *options, const struct gs_span *spans,
                        size_t span_count)
{
    struct gs_tiles tiles;
    if (gs_tiles_decode(&tiles, options->codec, spans, span_count, NULL) != GS_OK)
        return false;
    gs_incoming_mark(options->own.incoming, &tiles);
    bool most = gs_keeps_most(&tiles, gs_threads(options));
    gs_tiles_free(&tiles);
    return most;
}

/* A run that has neither input nor plan yet, or NULL, with *err filled. */
static struct gs_run *open_run(const struct gs_options *options, struct gs_stats *stats,
                               struct gs_progress *progress, struct gs_error *err)
{
    struct gs_run *run = calloc(1, sizeof *run); /* too large for a small stack */
    *stats = (struct gs_stats){0};
    if (run == NULL) {
        (void)gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort");
        return NULL;
    }
    run->options = options;
    run->stats = stats;
    run->progress = progress;
    return run;
}

static void close_run(struct gs_run *run)
{
    gs_tiles_free(&run->tiles);
    free(run);
}

/* Sort by run->plan. */
static enum gs_status sort_run(struct gs_run *run, struct gs_sink *sink, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    bool partial = false;
    const struct gs_options *options = run->options;
    GS_TRY(gs_options_check_count(options, run->plan.count, err));
    enum gs_device chosen =
        gs_sort_choose(options, run->plan.count, gs_gpu_started(), run->stats->reason);
    if (gs_engine_uses_lists(options->engine)) {
        st = sort_by_lists(run, chosen, sink, err);
    } else if (chosen == GS_DEVICE_GPU) {
        struct gs_gpu_device device;
        gs_gpu_start();
        st = sort_on_gpu(run, sink, err);
        if (!options->own.leave_device) /* a process that calls exit() while CUDA starts crashes */
            (void)gs_gpu_wait(&device, NULL);
    } else {
        const struct gs_plan plan = run->plan;
        st = gs_sort_on(run, &plan, &gs_stages_cpu, sink, &partial, err);
    }
cleanup:
    return st;
}

enum gs_status gs_sort(const struct gs_options *options, const struct gs_span *spans,
                       size_t span_count, struct gs_sink *sink, struct gs_progress *progress,
                       struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st;
    struct gs_stats own_stats;
    struct gs_progress own_progress = {.phase = NULL};
    struct gs_run *run = open_run(options, stats != NULL ? stats : &own_stats,
                                  progress != NULL ? progress : &own_progress, err);
    if (run == NULL)
        return GS_ERR_MEMORY;
    GS_TRY(gs_options_check(options, err));
    GS_TRY(gs_tiles_decode(&run->tiles, options->codec, spans, span_count, err));
    gs_incoming_mark(options->own.incoming, &run->tiles);
    gs_plan_make(&run->plan, options, gs_tiles_keys(&run->tiles));
    st = sort_run(run, sink, err);
cleanup:
    close_run(run);
    return st;
}

enum gs_status gs_sort_part(const struct gs_options *options, const struct gs_plan *plan,
                            const struct gs_span *span, struct gs_binned *binned,
                            struct gs_last_key *last, struct gs_sink *sink, struct gs_stats *stats,
                            struct gs_error *err)
{
    enum gs_status st;
    struct gs_progress progress = {.phase = NULL};
    struct gs_run *run = open_run(options, stats, &progress, err);
    if (run == NULL)
        return GS_ERR_MEMORY;
    GS_TRY(gs_tiles_make(&run->tiles, span, 1, err));
    run->binned = binned;
    run->last = last;
    run->plan = *plan;
    st = sort_run(run, sink, err);
cleanup:
    close_run(run);
    return st;
}
