/* combined_plan.c -- does it pay to combine chunks before they are merged, and how large are these?
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/combined_plan.h"
#include "sort/files/combine.h"
#include "sort/files/memory_limit.h"

#include <stdlib.h>
#include <string.h>

/* What a chunk and its sort may take at least, of all memory. */
#define LEAST_SHARE 32

/* Memory that makes another thread worth while. */
#define THREAD_BYTES ((uint64_t)14 << 20)

/* Records of the sample, or a part of a chunk. */
#define SAMPLES      8192
#define SAMPLE_SHARE 4

/* A run that is merged costs more than its records did in the sort: a chunk should have each key so
 * often. */
#define OFTEN 2

/* Do so many records, and the sort of them, keep to so many bytes? */
static bool fits(const struct gs_options *options, uint64_t count, uint64_t bytes)
{
    const uint64_t own = count * gs_record_bytes(options);
    return own + gs_memory_buffers(options, count) <= bytes;
}

uint64_t gs_combined_chunk(const struct gs_options *options, uint64_t memory_bytes,
                           uint64_t held_bytes)
{
    const uint64_t least = memory_bytes / LEAST_SHARE;
    const uint64_t taken = held_bytes + memory_bytes / GS_COMBINED_ROOM_SHARE;
    const uint64_t bytes = memory_bytes > taken + least ? memory_bytes - taken : least;
    uint64_t low = 0;
    for (uint64_t high = bytes / gs_record_bytes(options) + 1; high - low > 1;) {
        const uint64_t middle = low + (high - low) / 2;
        *(fits(options, middle, bytes) ? &low : &high) = middle;
    }
    return low;
}

struct gs_options gs_combined_options(const struct gs_options *options, uint64_t memory_bytes)
{
    const uint64_t threads = memory_bytes / THREAD_BYTES + 1;
    struct gs_options chunk = *options;
    chunk.device = GS_DEVICE_CPU;
    if (threads < gs_threads(options))
        chunk.threads = (unsigned)threads;
    chunk.own = (struct gs_own_options){.combine = NULL};
    return chunk;
}

/* How often keys are in the sample, which comes in order. */
struct counts {
    struct gs_sink sink; /* the first member */
    struct gs_record_order order;
    uint64_t record_bytes;
    char *last;     /* a record */
    uint64_t times; /* that its key has come */
    uint64_t keys;  /* others before, */
    uint64_t once;  /* of which so many came once, */
    uint64_t twice; /* and so many twice */
};

static void count_key(struct counts *counts)
{
    counts->keys += counts->times > 0;
    counts->once += counts->times == 1;
    counts->twice += counts->times == 2;
}

static enum gs_status count_keys(struct gs_sink *sink, const void *records, uint64_t count,
                                 uint64_t position, struct gs_error *err)
{
    struct counts *counts = (struct counts *)sink;
    const char *record = records;
    (void)position, (void)err;
    for (uint64_t i = 0; i < count; i++, record += counts->record_bytes) {
        if (counts->times == 0 || !gs_record_same_keys(&counts->order, counts->last, record)) {
            count_key(counts);
            memcpy(counts->last, record, counts->record_bytes);
            counts->times = 0;
        }
        counts->times++;
    }
    return GS_OK;
}

/* Records from places that are spread over all. */
static void draw_sample(const struct gs_external *source, uint64_t total, uint64_t record_bytes,
                        uint64_t count, char *to)
{
    const struct gs_span *span = source->spans;
    uint64_t before = 0; /* records of the spans before */
    for (uint64_t i = 0; i < count; i++, to += record_bytes) {
        const uint64_t at = (uint64_t)((double)total / (double)count * (double)i);
        for (; at - before >= span->count; span++)
            before += span->count;
        memcpy(to, (const char *)span->keys + (at - before) * record_bytes, record_bytes);
    }
}

/* Estimate the number of keys, from those that come once and twice in a sample (Chao's first
 * estimator). UINT64_MAX: there are many, or it is not known. */
static uint64_t estimate_keys(const struct gs_options *options, const struct gs_external *source,
                              uint64_t total, uint64_t samples)
{
    const uint64_t bytes = gs_record_bytes(options);
    struct counts counts = {.sink = {.write = count_keys, .stream = true}, .record_bytes = bytes};
    struct gs_error error = {.status = GS_OK};
    struct gs_stats stats;
    char *sample = malloc((samples + 1) * bytes);
    const struct gs_span span = {.keys = sample, .count = samples, .name = "sample"};
    uint64_t keys = UINT64_MAX;
    if (sample == NULL)
        return keys;
    counts.last = sample + samples * bytes;
    gs_record_order_init(&counts.order, options->format);
    draw_sample(source, total, bytes, samples, sample);
    if (gs_width(options)->sort(options, &span, 1, &counts.sink, NULL, &stats, &error) == GS_OK) {
        count_key(&counts);
        if (counts.twice > 0 || counts.once == 0)
            keys = counts.keys + counts.once * counts.once / (2 * counts.twice + 1);
    }
    free(sample);
    return keys;
}

bool gs_combined_sort_pays(const struct gs_task *task, const struct gs_external *source)
{
    struct gs_options options = gs_combined_options(&task->sort, source->memory_bytes);
    const struct gs_combine *combine = task->sort.own.combine;
    const uint64_t bytes = combine != NULL ? combine->part_bytes : gs_record_bytes(&options);
    struct gs_forecast forecast;
    uint64_t total = 0;
    if ((combine == NULL && !options.unique) || bytes == 0 || options.index_bytes != 0 ||
        source->journal != NULL)
        return false;
    for (size_t i = 0; i < source->span_count; i++)
        total += source->spans[i].count;
    options.unique = options.verify = false;
    gs_width(&options)->forecast(&options, total, &forecast);
    const uint64_t chunk = gs_combined_chunk(&options, source->memory_bytes, 0);
    const uint64_t part = chunk / SAMPLE_SHARE;
    const uint64_t samples = part < SAMPLES ? part : SAMPLES;
    if (forecast.counted || chunk < GS_COMBINED_CHUNK_MIN || total < samples)
        return false;
    const uint64_t half_room = source->memory_bytes / GS_COMBINED_ROOM_SHARE / 2 / bytes;
    const uint64_t keys = estimate_keys(&options, source, total, samples);
    return keys <= half_room && keys <= chunk / OFTEN;
}
