/* external_values.c -- sort records of one or two bytes, of unknown number, in little memory.
 * SPDX-License-Identifier: MIT
 */
#include "sort/external/external_values.h"
#include "sort/run/run.h"
#include "sort/ways/short_records.h"

#include "common/clock.h"
#include "common/memory/memory.h"
#include "sort/types/values.h"

#include <stdlib.h>

/* Bytes that are read before they are counted. */
#define READ_BYTES ((size_t)4 << 20)

/* Count the records of a span, which are not needed again. */
static enum gs_status count_span(struct gs_run *run, const struct gs_external *source,
                                 struct gs_tally *tally, const struct gs_span *span,
                                 struct gs_error *err)
{
    enum gs_status st = gs_tally_count(run, tally, span->keys, span->count, err);
    if (st == GS_OK && source->advise != NULL && span->count > 0)
        source->advise(source->context, GS_USE_DONE, span->keys, span->count);
    run->plan.count += span->count;
    return st;
}

/* Count the records that are still to be read. */
static enum gs_status count_rest(struct gs_run *run, const struct gs_external *source,
                                 struct gs_tally *tally, struct gs_error *err)
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
        GS_TRY(gs_tally_count(run, tally, buffer, got, err));
        run->plan.count += got;
        atomic_fetch_add(&run->progress->done, got);
    }
cleanup:
    gs_pages_free(buffer, READ_BYTES);
    return st;
}

static enum gs_status sort_run(struct gs_run *run, const struct gs_external *source,
                               struct gs_tally *tally, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    gs_run_phase(run, GS_STAGE_COUNT_BINS, 0);
    for (size_t i = 0; i < source->span_count; i++)
        GS_TRY(count_span(run, source, tally, &source->spans[i], err));
    if (source->read != NULL)
        GS_TRY(count_rest(run, source, tally, err));
    GS_TRY(gs_tally_write(run, tally, err));
    GS_TRY(gs_emit_prove(&run->emitter, run->fingerprint, err));
cleanup:
    gs_run_describe(run);
    return st;
}

enum gs_status gs_external_values(const struct gs_options *options,
                                  const struct gs_external *source, struct gs_sink *sink,
                                  struct gs_progress *progress, struct gs_stats *stats,
                                  struct gs_error *err)
{
    struct gs_progress own_progress = {.phase = NULL};
    struct gs_run *run = calloc(1, sizeof *run); /* too large for a small stack */
    struct gs_tally *tally = gs_tally_new();
    *stats = (struct gs_stats){.order = "none",
                               .engine = gs_engine_name(GS_ENGINE_SAMPLESORT),
                               .device = GS_DEVICE_CPU,
                               .device_text = "counting",
                               .reason = "records of one or two bytes are counted as they come"};
    enum gs_status st = GS_ERR_MEMORY;
    if (run != NULL && tally != NULL) {
        run->options = options;
        run->progress = progress != NULL ? progress : &own_progress;
        run->stats = stats;
        run->plan.threads = gs_threads(options);
        run->plan.memory_bytes = gs_values_memory(run->plan.threads);
        gs_emit_init(&run->emitter, options, sink);
        st = sort_run(run, source, tally, err);
    } else {
        gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to count values");
    }
    gs_tally_free(tally);
    free(run);
    return st;
}
