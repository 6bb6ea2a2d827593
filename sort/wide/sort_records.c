/* sort_records.c -- sort records in memory: choose how wide their tags are.
 * SPDX-License-Identifier: MIT
 *
 * Tags of 64 bits are sorted in half the time of those of 128, but prefixes have only the bits that
 * an index leaves: 37 where there are 2^26 records. Those with the same prefix are told apart by
 * comparing them, which costs a cache miss or two for each: so these must be few, by the sample of
 * that sort, or it refuses. Where tags have room for all of the record, the narrowest of those are
 * taken: nothing is fetched then.
 */
#include "sort/wide/record_calls.h"
#include "sort/tags/tag_sort.h"
#include "sort/tags/whole_tags.h"

#define NARROW_BYTES 8 /* of a tag of 64 bits */

/* For forecasts: of a process, and of a thread, for each record and for each of its bytes. */
#define PROCESS_SECONDS 0.002
#define TAG_SECONDS     25e-9
#define COPY_SECONDS    0.5e-9
/* What each of its bytes takes longer through temporary files. */
#define EXTERNAL_SECONDS 0.75e-9

enum gs_status gs_sort_records_part(const struct gs_options *options, struct gs_tag_part *part,
                                    const struct gs_span *spans, size_t span_count,
                                    struct gs_sink *sink, struct gs_progress *progress,
                                    struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint32_t index_bytes = gs_tags_index_bytes(spans, span_count);
    bool refused = !gs_whole_tags_fit(options, index_bytes, NARROW_BYTES) &&
                   gs_whole_tags_fit(options, index_bytes, GS_KEY_BYTES);
    if (part != NULL && part->bins != NULL)
        refused = refused || !part->bins->narrow;
    if (!refused)
        st = gs_tag_sort_64.sort(options, part, spans, span_count, sink, progress, stats, &refused,
                                 err);
    if (refused)
        st = gs_tag_sort_128.sort(options, part, spans, span_count, sink, progress, stats, &refused,
                                  err);
    return st;
}

enum gs_status gs_sort_records(const struct gs_options *options, const struct gs_span *spans,
                               size_t span_count, struct gs_sink *sink,
                               struct gs_progress *progress, struct gs_stats *stats,
                               struct gs_error *err)
{
    return gs_sort_records_part(options, NULL, spans, span_count, sink, progress, stats, err);
}

/* The records are read to the end: nothing of the input is given back before. What is held comes by
 * reading: one read more must leave memory to sort in, at least by parts. */
void gs_sort_records_forecast(const struct gs_options *options, uint64_t count,
                              struct gs_forecast *forecast)
{
    const double thread = TAG_SECONDS + COPY_SECONDS * gs_record_bytes(options);
    struct gs_plan plan;
    gs_tag_sort_plan(&plan, options, count);
    *forecast = (struct gs_forecast){
        .engine = gs_engine_name(GS_ENGINE_SAMPLESORT),
        .device = GS_DEVICE_CPU,
        .reason = GS_TAG_SORT_REASON,
        .seconds = PROCESS_SECONDS + (double)count * thread / plan.threads,
        .external_seconds = (double)count * gs_record_bytes(options) * EXTERNAL_SECONDS,
        .memory_bytes = plan.memory_bytes,
        .held_bytes = UINT64_MAX,
        .reads_on = true};
}
