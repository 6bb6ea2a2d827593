/* combined_plan.c -- does it pay to combine chunks before they are merged, and how large are these?
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/combined_plan.h"
#include "sort/files/combine.h"
#include "sort/files/memory_limit.h"

/* What a chunk and its sort may take at least, of all memory. */
#define LEAST_SHARE 32

/* Memory that makes another thread worth while. */
#define THREAD_BYTES ((uint64_t)14 << 20)

/* The sample: 1 / SAMPLE_SHARE of a chunk, from so many places. It pays if 1 / SAMPLE_GONE of that
 * is equal to others: of as many values as a chunk has records, all as frequent, an eighth would
 * be. */
#define SAMPLE_SHARE  4
#define SAMPLE_PLACES 32
#define SAMPLE_GONE   5

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

static enum gs_status write_nothing(struct gs_sink *sink, const void *keys, uint64_t count,
                                    uint64_t position, struct gs_error *err)
{
    (void)sink, (void)keys, (void)count, (void)position, (void)err;
    return GS_OK;
}

/* `count` records in a row from each of SAMPLE_PLACES places in all `total`, or fewer. */
static void choose_sample(const struct gs_external *source, uint64_t record_bytes, uint64_t total,
                          uint64_t count, struct gs_span *places)
{
    const struct gs_span *span = source->spans;
    uint64_t before = 0; /* records of the spans before */
    for (uint64_t i = 0; i < SAMPLE_PLACES; i++) {
        const uint64_t from = total / SAMPLE_PLACES * i;
        for (; from - before >= span->count; span++)
            before += span->count;
        places[i] = *span;
        places[i].keys = (const char *)span->keys + (from - before) * record_bytes;
        places[i].count = span->count - (from - before);
        places[i].count = places[i].count < count ? places[i].count : count;
    }
}

bool gs_combined_sort_pays(const struct gs_task *task, const struct gs_external *source)
{
    struct gs_span places[SAMPLE_PLACES];
    struct gs_options options = gs_combined_options(&task->sort, source->memory_bytes);
    const struct gs_combine *combine = task->sort.own.combine;
    const uint64_t bytes = combine != NULL ? combine->part_bytes : gs_record_bytes(&options);
    struct gs_sink sink = {.write = write_nothing, .stream = true};
    struct gs_error error = {.status = GS_OK};
    struct gs_forecast forecast;
    struct gs_stats stats;
    uint64_t total = 0;
    if ((combine == NULL && !options.unique) || bytes == 0 || options.index_bytes != 0 ||
        source->journal != NULL)
        return false;
    for (size_t i = 0; i < source->span_count; i++)
        total += source->spans[i].count;
    gs_width(&options)->forecast(&options, total, &forecast);
    const uint64_t chunk = gs_combined_chunk(&options, source->memory_bytes, 0);
    if (forecast.counted || chunk < GS_COMBINED_CHUNK_MIN || total < chunk / SAMPLE_SHARE)
        return false;
    choose_sample(source, gs_record_bytes(&options), total, chunk / SAMPLE_SHARE / SAMPLE_PLACES,
                  places);
    options.unique = true;
    options.verify = false;
    if (gs_width(&options)->sort(&options, places, SAMPLE_PLACES, &sink, NULL, &stats, &error) !=
        GS_OK)
        return false;
    /* If there were no more values than half a room holds, so many at least would be equal. */
    const uint64_t equal =
        stats.keys_in * stats.keys_in / (source->memory_bytes / GS_COMBINED_ROOM_SHARE / bytes);
    const uint64_t gone = stats.keys_in - stats.keys_out;
    return gone >= stats.keys_in / SAMPLE_GONE || gone > equal;
}
