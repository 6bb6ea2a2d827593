/* tag_sort.c -- sort records in memory by tags: these are sorted, then the records gathered.
 * SPDX-License-Identifier: MIT
 *
 * The tags are a run of keys like any other, which goes through the pipeline: by bins, with the
 * stages of records (stages_records.c).
 */
#include "sort/tags/tag_sort.h"
#include "sort/bin/cache_sort.h"
#include "sort/check/check_records.h"
#include "sort/sorter/sorter.h"
#include "sort/tags/stages_records.h"
#include "sort/tags/whole_tags.h"

#include <stdio.h>
#include <stdlib.h>

/* Bytes of records that make another thread, or another bin, worth while. */
#define THREAD_BYTES ((uint64_t)256 << 10)
#define BIN_BYTES    ((uint64_t)1 << 20)
/* Bins for each thread where there are few but long records. */
#define BINS_PER_THREAD 16

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

void gs_tag_sort_describe(struct gs_stats *stats)
{
    stats->device = GS_DEVICE_CPU;
    stats->device_text = gs_cache_sort_name();
    stats->engine = gs_engine_name(GS_ENGINE_SAMPLESORT);
    stats->order = "none";
    snprintf(stats->reason, sizeof stats->reason, "%s", GS_TAG_SORT_REASON);
}

/* The sizes for a part of so many records. */
static void plan_part(struct gs_plan *plan, struct gs_tag_part *part,
                      const struct gs_options *options, uint64_t count)
{
    struct gs_plan *most = &part->plans[GS_KEY_BITS > 64];
    if (most->count == 0)
        gs_tag_sort_plan(most, options, part->most);
    *plan = *most;
    plan->count = count;
    plan->one_bin = plan->one_bin || count < 2;
    if (plan->samples > count)
        plan->samples = (uint32_t)count;
}

/* Let the run begin with records in their bins: there is nothing to distribute. Nobody
 * asks where splitters are then, but none of the bins has one value only. */
static void take_bins(struct gs_run *run, struct gs_tag_bins *bins, const struct gs_span *span)
{
    run->splitters.count = bins->count - 1;
    for (uint32_t i = 0; i < run->splitters.count; i++)
        run->splitters.splitter[i] = 2 * i + 1;
    run->arrived = (struct gs_arrived){
        .rows = bins->rows, .starts_bytes = bins->starts_bytes, .count = span->count};
    bins->rows.starts = NULL;
}

static enum gs_status sort_spans(struct gs_wide *wide, const struct gs_span *spans,
                                 size_t span_count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    bool partial;
    struct gs_plan plan;
    struct gs_run *run = &wide->run;
    const struct gs_options *options = wide->options;
    struct gs_tag_bins *bins = gs_wide_bins(wide);
    const uint32_t index_bytes = gs_tags_index_bytes(spans, span_count);
    if (gs_whole_tags_fit(options, index_bytes, GS_KEY_BYTES))
        gs_whole_tags_init(&wide->tags, options, index_bytes);
    else
        gs_tags_init(&wide->tags, options, bins != NULL ? bins->from : 0, spans, span_count);
    wide->tags.tagger.sums = options->verify;
    run->loose_bits = gs_tags_loose_bits(&wide->tags, options->unique);
    wide->records = span_count == 1 ? spans[0].keys : NULL;
    gs_tag_sort_describe(run->stats);
    GS_TRY(gs_trail_open(&wide->trail, options, gs_records_look, wide->sink, err));
    GS_TRY(gs_tiles_tag(&run->tiles, &wide->tags.tagger, spans, span_count, err));
    if (wide->part != NULL)
        plan_part(&plan, wide->part, run->options, gs_tiles_keys(&run->tiles));
    else
        gs_tag_sort_plan(&plan, run->options, gs_tiles_keys(&run->tiles));
    if (bins != NULL)
        take_bins(run, bins, spans);
    GS_TRY(gs_sort_on(run, &plan, &gs_stages_records, &wide->tag_sink, &partial, err));
    if (!run->refused)
        GS_TRY(gs_trail_prove(&wide->trail, run->stats->fingerprint, run->stats, err));
cleanup:
    gs_trail_close(&wide->trail);
    gs_tiles_free(&run->tiles);
    return st;
}

static enum gs_status sort_records(const struct gs_options *options, struct gs_tag_part *part,
                                   const struct gs_span *spans, size_t span_count,
                                   struct gs_sink *sink, struct gs_progress *progress,
                                   struct gs_stats *stats, bool *refused, struct gs_error *err)
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
    wide->part = part;
    wide->output_bytes = gs_output_bytes(options);
    wide->sink = sink;
    wide->tag_options = *options;
    wide->tag_options.reverse = wide->tag_options.verify = false;
    wide->tag_sink.stream = sink->stream;
    wide->run.options = &wide->tag_options;
    wide->run.progress = progress != NULL ? progress : &own_progress;
    wide->run.stats = stats;
    enum gs_status st = sort_spans(wide, spans, span_count, err);
    *refused = wide->run.refused;
    free(wide);
    return st;
}

#define NAME_OF(bits) gs_tag_sort_##bits
#define NAME(bits)    NAME_OF(bits)

const struct gs_tag_sort NAME(GS_BITS) = {.sort = sort_records};
