/* gsort.c -- the library's entry: choose engine and device, then run the pipeline.
 * SPDX-License-Identifier: MIT
 */
#include "sort/gsort.h"
#include "sort/cache_sort.h"
#include "sort/pipeline.h"

#include "common/clock.h"

#include <inttypes.h>
#include <stdio.h>

const char *gs_engine_name(enum gs_engine engine)
{
    static const char *const names[] = {"auto", "samplesort", "atomicmin", "reduction", "hybrid"};
    return names[engine];
}

const char *gs_device_name(enum gs_device device)
{
    static const char *const names[] = {"auto", "cpu", "gpu"};
    return names[device];
}

const char *gs_stage_name(enum gs_stage stage)
{
    static const char *const names[GS_STAGES] = {
        "start",      "read",    "select samples", "sort samples", "upload", "count bins",
        "prefix sum", "scatter", "sort bins",      "download",     "write",  "verify"};
    return names[stage];
}

/* Refuse a number outside its limits; 0 stands for "not given". */
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
    if (options->engine != GS_ENGINE_AUTO && options->engine != GS_ENGINE_SAMPLESORT)
        return gs_fail(err, GS_ERR_USAGE, 0,
                       "--engine=%s: this version of gsort has no such engine yet: use samplesort",
                       gs_engine_name(options->engine));
    if (options->device == GS_DEVICE_GPU)
        return gs_fail(err, GS_ERR_DEVICE, 0, "--device=gpu: this gsort was built without CUDA");
cleanup:
    return st;
}

/* Say which engine and device run, and why. */
static void describe_choice(const struct gs_options *options, struct gs_stats *stats)
{
    stats->engine = gs_engine_name(GS_ENGINE_SAMPLESORT);
    stats->device = gs_device_name(GS_DEVICE_CPU);
    stats->device_text = gs_cache_sort_name();
    snprintf(stats->reason, sizeof stats->reason, "%s",
             options->device == GS_DEVICE_CPU ? "asked for" : "this gsort was built without CUDA");
}

/* Refuse what would not fit. */
static enum gs_status check_memory(const struct gs_options *options, const struct gs_plan *plan,
                                   struct gs_error *err)
{
    if (options->memory_bytes == 0 || plan->memory_bytes <= options->memory_bytes)
        return GS_OK;
    return gs_fail(err, GS_ERR_MEMORY, 0,
                   "sorting %" PRIu64 " keys takes %" PRIu64 " MiB of memory, and only %" PRIu64
                   " MiB may be used (-S): sorting through temporary files is not built yet",
                   plan->count, (plan->memory_bytes + (1 << 20) - 1) >> 20,
                   options->memory_bytes >> 20);
}

enum gs_status gs_sort(const struct gs_options *options, const struct gs_span *spans,
                       size_t span_count, struct gs_sink *sink, struct gs_progress *progress,
                       struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t start = gs_now_ns();
    struct gs_stats own_stats = {0};
    struct gs_progress own_progress = {0};
    struct gs_run run = {.options = options};
    run.stats = stats != NULL ? stats : &own_stats;
    run.progress = progress != NULL ? progress : &own_progress;
    GS_TRY(gs_options_check(options, err));
    describe_choice(options, run.stats);
    GS_TRY(gs_tiles_make(&run.tiles, spans, span_count, err));
    gs_plan_make(&run.plan, options, gs_tiles_keys(&run.tiles), gs_plan_processors());
    GS_TRY(check_memory(options, &run.plan, err));
    GS_TRY(gs_emit_init(&run.emitter, options, sink, err));
    st = gs_pipeline_run(&run, &gs_stages_cpu, err);
    run.stats->keys_in = run.plan.count;
    run.stats->keys_out = run.emitter.position;
    run.stats->fingerprint = run.fingerprint - run.emitter.dropped_sum;
    run.stats->threads = run.plan.threads;
    run.stats->memory_bytes = run.plan.memory_bytes;
    gs_emit_free(&run.emitter);
cleanup:
    gs_tiles_free(&run.tiles);
    run.stats->total_ns = gs_now_ns() - start;
    return st;
}
