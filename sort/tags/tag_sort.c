/* tag_sort.c -- sort records in memory by tags: these are sorted, then the records gathered.
 * SPDX-License-Identifier: MIT
 *
 * The tags go through the CPU's stages up to the scatter. Splitters are such that records whose
 * tags don't tell their order lie in the same bin. So each bin is finished by one thread: sorted in
 * cache, ties resolved, duplicates dropped, and its records fetched to their place in the output.
 */
#include "sort/tags/tag_sort.h"
#include "sort/bin/cache_sort.h"
#include "sort/cpu/stages_cpu.h"
#include "sort/pipeline/distribute.h"
#include "sort/split/select_samples.h"
#include "sort/split/sort_samples.h"
#include "sort/tags/finish_bins.h"
#include "sort/tags/whole_tags.h"
#include "sort/check/record_fingerprint.h"

#include "sort/check/check_records.h"

#include "common/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes of records that make another thread, or another bin, worth while. */
#define THREAD_BYTES ((uint64_t)256 << 10)
#define BIN_BYTES    ((uint64_t)1 << 20)
/* Bins for each thread where there are few but long records. */
#define BINS_PER_THREAD 16
/* Records that a thread fingerprints at once. */
#define BLOCK_RECORDS 4096

/* The sizes of the tags' sort. Few records may be many bytes: those are worth more threads and bins
 * than so few keys. */
void gs_tag_sort_plan(struct gs_plan *plan, const struct gs_options *options, uint64_t count)
{
    struct gs_options tag_options = {.key_bytes = GS_KEY_BYTES,
                                     .threads = options->threads,
                                     .samples = options->samples,
                                     .bins = options->bins};
    const uint64_t bytes = count * gs_record_bytes(options);
    const unsigned threads = gs_threads(options);
    gs_plan_make(plan, &tag_options, count);
    if (plan->one_bin && count > 1) {
        uint64_t bins = bytes / BIN_BYTES + 2;
        const uint64_t most = (uint64_t)threads * BINS_PER_THREAD;
        bins = bins < most || most < 2 ? bins : most;
        tag_options.bins = bins < count ? bins : count;
        gs_plan_make(plan, &tag_options, count);
    }
    plan->threads = bytes / THREAD_BYTES < threads ? (unsigned)(bytes / THREAD_BYTES) + 1 : threads;
}

/* Draw the sample, and choose splitters between prefixes. */
static enum gs_status choose_splitters(struct gs_wide *wide, struct gs_error *err)
{
    struct gs_run *run = &wide->run;
    const uint32_t samples = run->plan.samples;
    const unsigned loose = gs_tags_loose_bits(&wide->tags, wide->options->unique);
    const uint64_t start = gs_now_ns();
    gs_run_phase(run, GS_STAGE_SELECT_SAMPLES, samples);
    gs_key *sample = malloc((samples + 1) * sizeof *sample);
    if (sample == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u samples", samples);
    gs_select_samples_cpu(&run->tiles, samples, GS_SAMPLE_SEED, run->plan.threads, sample);
    const uint64_t selected = gs_now_ns();
    const uint64_t bytes = (uint64_t)samples * gs_record_bytes(wide->options);
    gs_run_account(run, GS_STAGE_SELECT_SAMPLES, "cpu", selected - start, samples, bytes);
    for (uint32_t i = 0; i < samples; i++) /* a splitter is the last that its bin may hold */
        sample[i] |= ((gs_key)1 << loose) - 1;
    gs_sort_samples(sample, samples);
    gs_splitters_choose(&run->splitters, sample, samples, run->plan.bins);
    gs_run_account(run, GS_STAGE_SORT_SAMPLES, "cpu", gs_now_ns() - selected, samples,
                   2 * (uint64_t)samples * sizeof *sample);
    run->stats->samples = samples;
    free(sample);
    run->counts = calloc(2 * (size_t)gs_run_bins(run), sizeof *run->counts);
    if (run->counts == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins", gs_run_bins(run));
    run->offsets = run->counts + gs_run_bins(run);
    return GS_OK;
}

/* Map the output as memory where enough threads can make its pages beside the others: with
 * fewer, nothing is faster than to write it. */
static void map_output(struct gs_wide *wide)
{
    struct gs_sink *sink = wide->sink;
    const struct gs_plan *plan = &wide->run.plan;
    if (gs_sink_maps(sink) && !wide->options->unique && plan->threads >= GS_THREADS_TO_SPARE)
        sink->memory = sink->map(sink, plan->count, false);
}

/* Sort the tags as far as bins, then finish those. */
static enum gs_status sort_by_tags(struct gs_wide *wide, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t chunk_keys;
    struct gs_run *run = &wide->run;
    GS_TRY(choose_splitters(wide, err));
    map_output(wide);
    const uint64_t start = gs_now_ns();
    GS_TRY(gs_stages_cpu.open(run, &chunk_keys, err));
    gs_run_account(run, GS_STAGE_START, "cpu", gs_now_ns() - start, 0, 0);
    GS_TRY(gs_distribute(run, &gs_stages_cpu, chunk_keys, err));
    st = gs_finish_bins(wide, err);
cleanup:
    gs_stages_cpu.close(run);
    free(run->counts);
    run->counts = NULL;
    return st;
}

static enum gs_status check_memory(const struct gs_options *options, const struct gs_plan *plan,
                                   struct gs_error *err)
{
    uint64_t needed = plan->memory_bytes + options->held_bytes;
    if (options->memory_bytes == 0 || needed <= options->memory_bytes)
        return GS_OK;
    return gs_fail(err, GS_ERR_MEMORY, 0,
                   "sorting %" PRIu64 " records takes %" PRIu64 " MiB of memory, and only %" PRIu64
                   " MiB may be used (-S)",
                   plan->count, (needed + (1 << 20) - 1) >> 20, options->memory_bytes >> 20);
}

/* The fingerprint of all input records. */
static uint64_t fingerprint_input(const struct gs_wide *wide)
{
    const struct gs_tiles *tiles = &wide->run.tiles;
    const uint64_t count = gs_tiles_keys(tiles);
    uint64_t sum = 0;
#pragma omp parallel for num_threads(wide->run.plan.threads) reduction(+ : sum)
    for (uint64_t first = 0; first < count; first += BLOCK_RECORDS) {
        const uint64_t end = count - first < BLOCK_RECORDS ? count : first + BLOCK_RECORDS;
        for (uint64_t at = first; at < end;) {
            struct gs_tile part = gs_tiles_part(tiles, at, end - at);
            sum += gs_records_fingerprint(part.records, tiles->tagger->record_bytes, part.count);
            at += part.count;
        }
    }
    return sum;
}

void gs_tag_sort_describe(struct gs_stats *stats)
{
    stats->device = gs_device_name(GS_DEVICE_CPU);
    stats->device_text = gs_cache_sort_name();
    stats->engine = gs_engine_name(GS_ENGINE_SAMPLESORT);
    stats->order = "none";
    snprintf(stats->reason, sizeof stats->reason, "%s", GS_TAG_SORT_REASON);
}

static enum gs_status sort_spans(struct gs_wide *wide, const struct gs_span *spans,
                                 size_t span_count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_run *run = &wide->run;
    const struct gs_options *options = wide->options;
    if (gs_whole_tags_fit(options, spans, span_count, GS_KEY_BYTES))
        gs_whole_tags_init(&wide->tags, options, spans, span_count);
    else
        gs_tags_init(&wide->tags, options, spans, span_count);
    GS_TRY(gs_tiles_tag(&run->tiles, &wide->tags.tagger, spans, span_count, err));
    wide->records = span_count == 1 ? spans[0].keys : NULL;
    gs_tag_sort_plan(&run->plan, options, gs_tiles_keys(&run->tiles));
    GS_TRY(check_memory(options, &run->plan, err));
    GS_TRY(gs_trail_open(&wide->trail, options, gs_records_look, wide->sink, err));
    if (options->verify)
        run->fingerprint = fingerprint_input(wide);
    wide->tag_options.threads = run->plan.threads;
    gs_emit_init(&run->emitter, &wide->tag_options, &wide->tag_sink);
    gs_tag_sort_describe(run->stats);
    if (run->plan.count > 0)
        GS_TRY(sort_by_tags(wide, err));
    run->emitter.dropped_sum = wide->dropped_sum;
    gs_run_describe(run);
    run->stats->memory_bytes += options->held_bytes;
    GS_TRY(gs_trail_prove(&wide->trail, run->stats->fingerprint, run->stats, err));
cleanup:
    gs_trail_close(&wide->trail);
    gs_tiles_free(&run->tiles);
    return st;
}

static enum gs_status sort_records(const struct gs_options *options, struct gs_numbers_way numbers,
                                   const struct gs_span *spans, size_t span_count,
                                   struct gs_sink *sink, struct gs_progress *progress,
                                   struct gs_stats *stats, struct gs_error *err)
{
    struct gs_stats own_stats;
    struct gs_progress own_progress = {.phase = NULL};
    struct gs_wide *wide = calloc(1, sizeof *wide); /* too large for a small stack */
    if (stats == NULL)
        stats = &own_stats;
    *stats = (struct gs_stats){0};
    if (wide == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort");
    wide->options = options;
    wide->numbers = numbers;
    wide->output_bytes =
        gs_output_bytes(options) + (numbers.use == GS_NUMBERS_ADD ? GS_NUMBER_BYTES : 0);
    wide->sink = sink;
    wide->tag_options = (struct gs_options){.unique = options->unique, .key_bytes = GS_KEY_BYTES};
    wide->tag_sink.stream = sink->stream;
    wide->run.options = &wide->tag_options;
    wide->run.progress = progress != NULL ? progress : &own_progress;
    wide->run.stats = stats;
    enum gs_status st = sort_spans(wide, spans, span_count, err);
    free(wide);
    return st;
}

#define NAME_OF(bits) gs_tag_sort_##bits
#define NAME(bits)    NAME_OF(bits)

const struct gs_tag_sort NAME(GS_BITS) = {.sort = sort_records};
