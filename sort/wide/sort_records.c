/* sort_records.c -- sort records in memory: choose how wide their tags are.
 * SPDX-License-Identifier: MIT
 *
 * Tags of 64 bits are sorted in half the time of those of 128, but have 4 bytes of prefix only.
 * Records with the same prefix are told apart by comparing them, which costs a cache miss or two
 * for each: so these must be few, by a sample. Where tags have room for all of the record, the
 * narrowest of those are taken: nothing is fetched then.
 */
#include "sort/wide/record_calls.h"
#include "sort/keys/params.h"
#include "sort/split/select_samples.h"
#include "sort/split/sort_samples.h"
#include "sort/tags/tag_sort.h"
#include "sort/tags/tags.h"
#include "sort/tags/whole_tags.h"

#include <stdlib.h>

/* The prefix of a tag of 64 bits whose index has 32, and the most records for that: beyond, a
 * sample does not see pairs that are many. */
#define NARROW_BYTES        8
#define NARROW_PREFIX_BYTES 4
#define NARROW_RECORDS_MAX  ((uint64_t)1 << 29)

/* One record in so many may share its narrow prefix with another one. */
#define SHARED_PART 4

/* For forecasts: of a process, and of a thread, for each record and for each of its bytes. */
#define PROCESS_SECONDS 0.002
#define TAG_SECONDS     50e-9
#define COPY_SECONDS    0.5e-9
/* What a record takes longer through temporary files. */
#define EXTERNAL_SECONDS 2e-7

/* How many tags of a sorted sample share the prefix of the one before. */
static uint64_t count_same(const gs_key *sample, uint32_t samples)
{
    const unsigned behind = GS_KEY_BITS - 8 * NARROW_PREFIX_BYTES;
    uint64_t same = 0;
    for (uint32_t i = 1; i < samples; i++)
        same += sample[i] >> behind == sample[i - 1] >> behind;
    return same;
}

/* Do the prefixes of narrow tags tell nearly all records apart? If two of `samples` are the same
 * with probability p, there are p samples^2 / 2 pairs among them, and each of `count` records is
 * like p count others. */
static bool is_narrow_enough(const struct gs_options *options, const struct gs_span *spans,
                             size_t span_count)
{
    struct gs_tags tags;
    struct gs_tiles tiles;
    struct gs_plan plan;
    gs_tags_init(&tags, options, spans, span_count);
    if (gs_tiles_tag(&tiles, &tags.tagger, spans, span_count, NULL) != GS_OK)
        return false;
    const uint64_t count = gs_tiles_keys(&tiles);
    gs_tag_sort_plan(&plan, options, count);
    const uint32_t samples = plan.samples;
    gs_key *sample = malloc(((size_t)samples + 1) * sizeof *sample);
    bool narrow = sample != NULL && count > 0 && count <= NARROW_RECORDS_MAX;
    if (narrow) {
        gs_select_samples_cpu(&tiles, samples, GS_SAMPLE_SEED, plan.threads, sample);
        gs_sort_samples(sample, samples);
        const double same = (double)count_same(sample, samples);
        narrow = 2 * SHARED_PART * same * (double)count <= (double)samples * samples;
    }
    free(sample);
    gs_tiles_free(&tiles);
    return narrow;
}

enum gs_status gs_sort_records_part(const struct gs_options *options, struct gs_numbers_way numbers,
                                    const struct gs_span *spans, size_t span_count,
                                    struct gs_sink *sink, struct gs_progress *progress,
                                    struct gs_stats *stats, struct gs_error *err)
{
    const bool narrow = gs_whole_tags_fit(options, spans, span_count, NARROW_BYTES) ||
                        (!gs_whole_tags_fit(options, spans, span_count, GS_KEY_BYTES) &&
                         is_narrow_enough(options, spans, span_count));
    const struct gs_tag_sort *by = narrow ? &gs_tag_sort_64 : &gs_tag_sort_128;
    return by->sort(options, numbers, spans, span_count, sink, progress, stats, err);
}

enum gs_status gs_sort_records(const struct gs_options *options, const struct gs_span *spans,
                               size_t span_count, struct gs_sink *sink,
                               struct gs_progress *progress, struct gs_stats *stats,
                               struct gs_error *err)
{
    const struct gs_numbers_way none = {.use = GS_NUMBERS_NONE};
    return gs_sort_records_part(options, none, spans, span_count, sink, progress, stats, err);
}

uint64_t gs_sort_records_memory(const struct gs_options *options, uint64_t count)
{
    struct gs_plan plan;
    gs_tag_sort_plan(&plan, options, count);
    return plan.memory_bytes;
}

/* The records are read to the end: nothing of the input is given back before. What is held comes by
 * reading: one read more must leave memory to sort in, at least by parts. */
void gs_sort_records_forecast(const struct gs_options *options, uint64_t count,
                              struct gs_forecast *forecast)
{
    const double thread = TAG_SECONDS + COPY_SECONDS * gs_record_bytes(options);
    struct gs_plan plan;
    gs_tag_sort_plan(&plan, options, count);
    *forecast =
        (struct gs_forecast){.engine = gs_engine_name(GS_ENGINE_SAMPLESORT),
                             .device = GS_DEVICE_CPU,
                             .reason = GS_TAG_SORT_REASON,
                             .seconds = PROCESS_SECONDS + (double)count * thread / plan.threads,
                             .external_seconds = (double)count * EXTERNAL_SECONDS,
                             .memory_bytes = plan.memory_bytes,
                             .held_bytes = UINT64_MAX,
                             .reads_on = true};
}
