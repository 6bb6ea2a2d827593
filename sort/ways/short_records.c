/* short_records.c -- sort records of one or two bytes by counting how often each value occurs.
 * SPDX-License-Identifier: MIT
 *
 * They are counted as they are in files, not as the wider keys that stand for them.
 */
#include "sort/ways/short_records.h"
#include "sort/keys/fingerprint.h"
#include "sort/types/values.h"
#include "sort/ways/copies.h"

#include "common/clock.h"
#include "common/memory/memory.h"

#include <stdlib.h>

/* Bytes that are read before they are counted. */
#define READ_BYTES ((size_t)4 << 20)

/* Count records, which are not needed again. */
static enum gs_status count(struct gs_run *run, uint64_t *counts, const void *records,
                            uint64_t number, struct gs_error *err)
{
    const uint32_t record_bytes = run->options->codec->record_bytes;
    uint64_t start = gs_now_ns();
    enum gs_status st =
        gs_values_count(records, number, record_bytes, (int)run->plan.threads, counts, err);
    gs_run_account(run, GS_STAGE_COUNT_BINS, GS_DEVICE_CPU, gs_now_ns() - start, number,
                   number * record_bytes);
    run->plan.count += number;
    return st;
}

/* Count the records that are still to be read. */
static enum gs_status count_rest(struct gs_run *run, const struct gs_external *source,
                                 uint64_t *counts, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint32_t record_bytes = run->options->codec->record_bytes;
    uint64_t got = 1;
    char *buffer = gs_pages_alloc(READ_BYTES);
    if (buffer == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to read");
    while (got > 0) {
        uint64_t start = gs_now_ns();
        GS_TRY(source->read(source->context, buffer, READ_BYTES / record_bytes, &got, err));
        gs_run_account(run, GS_STAGE_READ, GS_DEVICE_CPU, gs_now_ns() - start, got,
                       got * record_bytes);
        GS_TRY(count(run, counts, buffer, got, err));
        atomic_fetch_add(&run->progress->done, got);
    }
cleanup:
    gs_pages_free(buffer, READ_BYTES);
    return st;
}

/* List the values that there are, by their keys, which have the records' bits in front. */
static uint64_t list_values(struct gs_run *run, const uint64_t *counts, struct gs_copies *list)
{
    const struct gs_codec *codec = run->options->codec;
    const unsigned bits = 8 * codec->record_bytes;
    uint64_t listed = 0;
    for (uint32_t i = 0; i < 1U << bits; i++) {
        const gs_key key = (gs_key)i << (GS_KEY_BITS - bits);
        uint16_t record = 0;
        gs_codec_store(codec, &key, &record, 1);
        if (counts[record] == 0)
            continue;
        list[listed++] = (struct gs_copies){key, counts[record]};
        if (run->options->verify)
            run->fingerprint += counts[record] * gs_fingerprint(&key, 1);
    }
    return listed;
}

/* Write all that was counted. */
static enum gs_status write_all(struct gs_run *run, const uint64_t *counts, struct gs_error *err)
{
    struct gs_copies *list = malloc((GS_VALUES_MAX + 1) * sizeof *list);
    char *buffers = malloc(run->plan.threads * gs_copies_bytes(run));
    if (list == NULL || buffers == NULL) {
        free(list);
        free(buffers);
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory");
    }
    const uint64_t listed = list_values(run, counts, list);
    const uint64_t kept = gs_copies_place(run, list, listed);
    run->stats->bins = run->stats->equality_bins = kept;
    run->stats->equality_keys = run->plan.count;
    gs_run_phase(run, GS_STAGE_WRITE, list[kept].start);
    gs_copies_emit(run, list, kept, buffers);
    free(list);
    free(buffers);
    return gs_emit_result(&run->emitter, err);
}

enum gs_status gs_sort_short_records(struct gs_run *run, const struct gs_external *source,
                                     struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t *counts = calloc(GS_VALUES_MAX, sizeof *counts);
    if (counts == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to count values");
    gs_run_phase(run, GS_STAGE_COUNT_BINS, run->plan.count);
    run->plan.count = 0;
    for (size_t i = 0; i < source->span_count; i++) {
        const struct gs_span *span = &source->spans[i];
        GS_TRY(count(run, counts, span->keys, span->count, err));
        if (source->advise != NULL && span->count > 0)
            source->advise(source->context, GS_USE_DONE, span->keys, span->count);
    }
    if (source->read != NULL)
        GS_TRY(count_rest(run, source, counts, err));
    st = write_all(run, counts, err);
cleanup:
    free(counts);
    return st;
}

enum gs_status gs_sort_short_source(const struct gs_options *options,
                                    const struct gs_external *source, struct gs_sink *sink,
                                    struct gs_progress *progress, struct gs_stats *stats,
                                    struct gs_error *err)
{
    enum gs_status st;
    struct gs_progress own_progress = {.phase = NULL};
    struct gs_run *run = calloc(1, sizeof *run); /* too large for a small stack */
    *stats = (struct gs_stats){.order = "none",
                               .engine = gs_engine_name(GS_ENGINE_SAMPLESORT),
                               .device = GS_DEVICE_CPU,
                               .device_text = "counting",
                               .reason = "records of one or two bytes are counted as they come"};
    if (run == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to count values");
    run->options = options;
    run->progress = progress != NULL ? progress : &own_progress;
    run->stats = stats;
    run->plan.threads = gs_threads(options);
    run->plan.memory_bytes = gs_values_memory(run->plan.threads);
    gs_emit_init(&run->emitter, options, sink);
    GS_TRY(gs_sort_short_records(run, source, err));
    st = gs_emit_prove(&run->emitter, run->fingerprint, err);
cleanup:
    gs_run_describe(run);
    free(run);
    return st;
}
