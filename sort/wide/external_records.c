/* external_records.c -- sort more records than memory may hold, through temporary files.
 * SPDX-License-Identifier: MIT
 *
 *   input --> chunks, each sorted in memory --> temporary files: a run each, and a sample of each
 *                                                  |
 *   output <-- sorted in memory <-- slices: what lies between two samples, of all runs together
 *
 * A slice holds no more records than a chunk, and those of one slice come before those of the next.
 * So all of both phases is the sort in memory, every record is read twice and written twice, in
 * large pieces, and nothing is merged. Only records of which there are too many for a slice, all
 * equal, are copied from run to output as they are.
 *
 * Where the output is indices, records go through temporary files with their numbers (number.h).
 */
#include "sort/wide/record_calls.h"
#include "sort/tags/tag_sort.h"
#include "sort/wide/chunk_sizes.h"
#include "sort/wide/kept_runs.h"
#include "sort/wide/slices.h"
#include "sort/check/trail.h"
#include "sort/check/record_fingerprint.h"
#include "sort/check/check_records.h"

#include "common/memory/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Samples of a run of an input whose end is not known. */
#define SAMPLES_UNKNOWN 512
/* Records that came before memory was full become few runs, rather by fewer threads. */
#define HELD_RUNS      4
#define HELD_RUNS_MOST 64

/* A sort under way. */
struct external {
    const struct gs_options *options; /* the caller's */
    struct gs_options chunk_options;
    struct gs_options slice_options; /* of records as temporary files have them */
    struct gs_numbered numbered;     /* if they have numbers there */
    const struct gs_external *source;
    struct gs_progress *progress;
    struct gs_stats *stats;
    struct gs_sink *target;
    struct gs_trail trail; /* of the target */
    uint64_t record_bytes; /* of the input, */
    uint64_t kept_bytes;   /* and in temporary files */
    uint64_t chunk;        /* the most records that are sorted at once */
    uint64_t count;        /* of the input; 0: not known */
    struct gs_slices slices;
    char *buffer;  /* of a chunk read from a pipe, or of a slice; owned */
    uint64_t room; /* for so many records */
    uint64_t kept; /* records in the output so far */
    uint64_t runs_fingerprint, slices_fingerprint;
};

/* A sink that passes on to another, from a position on, or to a run. */
struct relay {
    struct gs_sink sink; /* the first member */
    struct external *external;
    const struct gs_place *place; /* of a run; NULL: to the target */
    /* Of the run, if that is kept: */
    atomic_uint_fast64_t checksum, fingerprint;
};

static enum gs_status write_records(struct external *external, const void *records, uint64_t count,
                                    uint64_t position, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    GS_TRY(gs_trail_follow(&external->trail, records, count, position, err));
    st = external->target->write(external->target, records, count, position, err);
cleanup:
    return st;
}

/* Of records that have numbers, the fingerprint is that of the input's. */
static void sum_up(struct relay *relay, const char *records, uint64_t count, uint64_t position)
{
    const uint64_t bytes = relay->external->kept_bytes;
    const uint64_t own_bytes = relay->external->record_bytes;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += gs_record_hash(records + (i + 1) * bytes - own_bytes, own_bytes);
    atomic_fetch_add(&relay->fingerprint, sum);
    atomic_fetch_add(&relay->checksum, gs_run_checksum(records, bytes, position, count));
}

static enum gs_status relay_records(struct gs_sink *sink, const void *records, uint64_t count,
                                    uint64_t position, struct gs_error *err)
{
    struct relay *relay = (struct relay *)sink;
    struct external *external = relay->external;
    const uint64_t bytes = external->kept_bytes;
    if (relay->place == NULL)
        return write_records(external, records, count, external->kept + position, err);
    if (external->slices.journal != NULL)
        sum_up(relay, records, count, position);
    return gs_spill_write(&external->slices.spill, relay->place, position * bytes, records,
                          count * bytes, err);
}

/* Make room for so many records; what is in the buffer is lost. */
static enum gs_status make_room(struct external *external, uint64_t count, struct gs_error *err)
{
    if (count <= external->room)
        return GS_OK;
    gs_pages_free(external->buffer, external->room * external->kept_bytes);
    external->buffer = gs_pages_alloc(count * external->kept_bytes);
    external->room = external->buffer != NULL ? count : 0;
    return external->buffer != NULL ? GS_OK
                                    : gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort");
}

/* Sort a chunk or a slice in memory, and add to the statistics what that took. */
static enum gs_status sort_part(struct external *external, const struct gs_span *spans,
                                size_t span_count, struct relay *relay, struct gs_stats *part,
                                struct gs_error *err)
{
    struct gs_stats *stats = external->stats;
    const bool is_chunk = relay->place != NULL;
    struct gs_numbers_way numbers = {.use = GS_NUMBERS_NONE, .first = stats->keys_in};
    if (external->options->index_bytes != 0)
        numbers.use = is_chunk ? GS_NUMBERS_ADD : GS_NUMBERS_TAKE;
    enum gs_status st =
        gs_sort_records_part(is_chunk ? &external->chunk_options : &external->slice_options,
                             numbers, spans, span_count, &relay->sink, NULL, part, err);
    for (int i = 0; i < GS_STAGES; i++)
        gs_stage_add(&stats->stages[i], &part->stages[i]);
    stats->device_text = part->device_text;
    stats->samples += part->samples;
    stats->bins += part->bins;
    if (part->largest_bin > stats->largest_bin)
        stats->largest_bin = part->largest_bin;
    return st;
}

/* Note that the run is complete, unless it does not hold what was read at first: then the input
 * changes just now, and nothing is kept from here on. */
static enum gs_status keep_run(struct external *external, struct relay *relay, uint64_t input,
                               uint64_t fingerprint, struct gs_error *err)
{
    if (atomic_load(&relay->fingerprint) != fingerprint) {
        external->slices.journal = NULL;
        return GS_OK;
    }
    return gs_kept_runs_add(&external->slices,
                            (struct gs_kept_run){.done = external->stats->keys_in,
                                                 .fingerprint = external->runs_fingerprint,
                                                 .input = input,
                                                 .checksum = atomic_load(&relay->checksum)},
                            err);
}

/* Sort a chunk, and write it as a run. */
static enum gs_status write_run(struct external *external, const struct gs_span *spans,
                                size_t span_count, uint64_t count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_stats part;
    struct relay relay = {.sink = {.write = relay_records}, .external = external};
    uint64_t input = 0;
    if (external->slices.journal != NULL)
        GS_TRY(gs_kept_runs_sum(spans, span_count, external->record_bytes,
                                external->chunk_options.threads, &input, err));
    GS_TRY(gs_progress_check(external->progress, err));
    GS_TRY(gs_slices_add(&external->slices, count, &relay.place, err));
    GS_TRY(sort_part(external, spans, span_count, &relay, &part, err));
    external->runs_fingerprint += part.fingerprint;
    external->stats->keys_in += count;
    atomic_fetch_add(&external->progress->done, count);
    GS_TRY(gs_slices_sample(&external->slices, part.keys_out, err));
    if (external->slices.journal != NULL)
        st = keep_run(external, &relay, input, part.fingerprint, err);
cleanup:
    return st;
}

static void advise(const struct external *external, enum gs_use use, const struct gs_span *span)
{
    if (external->source->advise != NULL && span->count > 0)
        external->source->advise(external->source->context, use, span->keys, span->count);
}

/* Add the runs that another process has left. */
static enum gs_status take_runs(struct external *external, struct gs_error *err)
{
    struct gs_stats *stats = external->stats;
    struct gs_kept_run last;
    enum gs_status st = gs_kept_runs_take(&external->slices, external->record_bytes, &last, err);
    external->runs_fingerprint = last.fingerprint;
    stats->keys_in = last.done;
    atomic_fetch_add(&external->progress->done, last.done);
    if (external->slices.run_count > 0)
        snprintf(stats->reason, sizeof stats->reason,
                 "through temporary files, %zu chunks of them resumed", external->slices.run_count);
    return st;
}

/* Make runs of what is in memory, or mapped, and not in runs yet. */
static enum gs_status split_spans(struct external *external, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_external *source = external->source;
    struct gs_span *parts = calloc(source->span_count + 1, sizeof *parts);
    size_t next = 0; /* span */
    uint64_t skip = external->stats->keys_in;
    if (parts == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu inputs",
                       source->span_count);
    while (next < source->span_count && skip >= source->spans[next].count)
        skip -= source->spans[next++].count;
    while (next < source->span_count) {
        size_t part_count = 0;
        uint64_t count = 0;
        while (next < source->span_count && count < external->chunk) {
            struct gs_span part = source->spans[next];
            part.keys = (const char *)part.keys + skip * external->record_bytes;
            part.count -= skip;
            skip += external->chunk - count;
            if (part.count > external->chunk - count) {
                part.count = external->chunk - count;
            } else {
                next++;
                skip = 0;
            }
            count += part.count;
            parts[part_count++] = part;
            advise(external, GS_USE_SOON, &part);
        }
        if (count > 0)
            GS_TRY(write_run(external, parts, part_count, count, err));
        for (size_t i = 0; i < part_count; i++)
            advise(external, GS_USE_DONE, &parts[i]);
    }
cleanup:
    free(parts);
    return st;
}

/* Make runs of what is still to be read. */
static enum gs_status split_rest(struct external *external, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_external *source = external->source;
    for (uint64_t got = 1; got > 0;) {
        uint64_t count = 0;
        for (got = 1; got > 0 && count < external->chunk; count += got)
            GS_TRY(source->read(source->context, external->buffer + count * external->record_bytes,
                                external->chunk - count, &got, err));
        const struct gs_span span = {.keys = external->buffer, .count = count, .name = "input"};
        const uint64_t all = external->stats->keys_in + count;
        if (gs_chunk_serves(&external->slice_options, external->chunk) < all)
            st = gs_chunk_refuse(&external->slice_options, all, " and more",
                                 gs_chunk_mebibytes(&external->slice_options, 2 * all),
                                 external->source->memory_bytes, err);
        GS_TRY(st);
        if (count > 0)
            GS_TRY(write_run(external, &span, 1, count, err));
    }
cleanup:
    return st;
}

/* Load a slice, sort it, and pass it on. */
static enum gs_status sort_slice(struct external *external, const struct gs_slice *slice,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_stats part;
    struct relay relay = {.sink = {.write = relay_records, .stream = external->target->stream},
                          .external = external};
    struct gs_span span = {.count = slice->count, .name = "temporary file"};
    GS_TRY(gs_progress_check(external->progress, err));
    GS_TRY(make_room(external, slice->count, err));
    span.keys = external->buffer;
    GS_TRY(gs_slices_load(&external->slices, slice, external->buffer, err));
    GS_TRY(sort_part(external, &span, 1, &relay, &part, err));
    external->slices_fingerprint += part.fingerprint;
    external->kept += part.keys_out;
    atomic_fetch_add(&external->progress->done, slice->count);
cleanup:
    return st;
}

/* Pass on a slice of equal records, in the order of the runs. */
static enum gs_status copy_slice(struct external *external, const struct gs_slice *slice,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t bytes = external->kept_bytes;
    for (uint64_t done = 0, here; done < slice->count; done += here) {
        struct gs_slice part;
        here = slice->count - done < external->chunk ? slice->count - done : external->chunk;
        GS_TRY(gs_slices_part(&external->slices, slice, done, here, &part, err));
        st = gs_slices_load(&external->slices, &part, external->buffer, err);
        gs_slice_free(&part);
        GS_TRY(st);
        if (external->options->verify)
            external->slices_fingerprint += gs_records_fingerprint(external->buffer, bytes, here);
        GS_TRY(write_records(external, external->buffer, here, external->kept + done, err));
    }
    external->kept += slice->count;
    atomic_fetch_add(&external->progress->done, slice->count);
cleanup:
    return st;
}

static enum gs_status write_slices(struct external *external, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_slice slice = {0};
    const bool copies = !external->options->unique && external->options->index_bytes == 0;
    gs_progress_enter(external->progress, gs_stage_name(GS_STAGE_SORT_BINS),
                      external->stats->keys_in);
    GS_TRY(gs_slices_begin(&external->slices, external->chunk, err));
    for (;;) {
        GS_TRY(gs_slices_next(&external->slices, &slice, err));
        if (slice.count == 0)
            break;
        st = slice.equal && copies ? copy_slice(external, &slice, err)
                                   : sort_slice(external, &slice, err);
        GS_TRY(st);
    }
cleanup:
    gs_slice_free(&slice);
    return st;
}

/* Make runs of what a pipe has brought so far, which is nearly all that memory holds: it is sorted
 * where it is, and given back then. */
static enum gs_status split_held(struct external *external, struct gs_error *err)
{
    const uint64_t chunk = external->chunk;
    struct gs_options *one = &external->chunk_options;
    const unsigned threads = one->threads;
    const uint64_t memory = external->source->memory_bytes;
    const uint64_t held = external->source->held_bytes;
    const uint64_t room = memory > held ? memory - held : 0;
    const uint64_t least = external->count / HELD_RUNS_MOST + GS_CHUNK_LEAST;
    uint64_t fits = gs_chunk_fit(one, room, false);
    while (one->threads > 1 && fits < external->count / HELD_RUNS) {
        one->threads--;
        fits = gs_chunk_fit(one, room, false);
    }
    if (fits < least)
        return gs_chunk_refuse(one, external->count, " in memory",
                               ((held + gs_sort_records_memory(one, least)) >> 20) + 1, memory,
                               err);
    external->chunk = fits;
    enum gs_status st = split_spans(external, err);
    external->chunk = chunk;
    one->threads = threads;
    return st;
}

static enum gs_status sort_external(struct external *external, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_external *source = external->source;
    const uint64_t runs = external->count / external->chunk + 2;
    GS_TRY(gs_slices_open(&external->slices, &external->slice_options, source,
                          source->read == NULL ? 2 * runs : SAMPLES_UNKNOWN, err));
    if (external->slices.journal != NULL) {
        external->chunk_options.verify = true; /* what is kept has to be what was read */
        GS_TRY(take_runs(external, err));
    }
    if (source->read == NULL && external->slices.run_count == 0)
        GS_TRY(gs_slices_check(&external->slices, external->count, err));
    gs_progress_enter(external->progress, gs_stage_name(GS_STAGE_SCATTER), external->count);
    if (source->held_bytes > 0)
        GS_TRY(split_held(external, err));
    GS_TRY(make_room(external, external->chunk, err));
    if (source->held_bytes == 0)
        GS_TRY(split_spans(external, err));
    if (source->read != NULL)
        GS_TRY(split_rest(external, err));
    GS_TRY(write_slices(external, err));
    if (external->options->verify && !external->options->unique &&
        external->runs_fingerprint != external->slices_fingerprint)
        st = gs_fail(err, GS_ERR_VERIFY, 0, "verify: temporary files did not keep the records");
cleanup:
    external->stats->temporary_bytes = external->slices.spill.used;
    external->stats->direct_bytes = atomic_load(&external->slices.spill.direct_bytes);
    gs_pages_free(external->buffer, external->room * external->kept_bytes);
    gs_slices_close(&external->slices);
    return st;
}

/* The options for chunks and slices: in memory, these are planned to fit. */
static void set_options(struct external *external)
{
    const struct gs_options *options = external->options;
    struct gs_options *chunk = &external->chunk_options;
    *chunk = *options;
    chunk->memory_bytes = 0;
    chunk->held_bytes = 0;
    chunk->index_bytes = 0;
    external->slice_options = *chunk;
    if (options->index_bytes != 0) {
        gs_numbered_init(&external->numbered, chunk);
        external->slice_options = external->numbered.options;
        external->slice_options.index_bytes = options->index_bytes;
    }
    external->record_bytes = gs_record_bytes(chunk);
    external->kept_bytes = gs_record_bytes(&external->slice_options);
}

enum gs_status gs_sort_records_external(const struct gs_options *options,
                                        const struct gs_external *source, struct gs_sink *sink,
                                        struct gs_progress *progress, struct gs_stats *stats,
                                        struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_progress own_progress = {.phase = NULL};
    struct external external = {.options = options,
                                .source = source,
                                .progress = progress != NULL ? progress : &own_progress,
                                .stats = stats,
                                .target = sink};
    for (size_t i = 0; i < source->span_count; i++)
        external.count += source->spans[i].count;
    set_options(&external);
    *stats = (struct gs_stats){0};
    gs_tag_sort_describe(stats);
    snprintf(stats->reason, sizeof stats->reason, "through temporary files");
    GS_TRY(gs_chunk_plan(&external.slice_options, source->memory_bytes, external.count,
                         &external.chunk, err));
    external.chunk_options.threads = external.slice_options.threads;
    GS_TRY(gs_trail_open(&external.trail, options, gs_records_look, sink, err));
    st = sort_external(&external, err);
    stats->threads = external.chunk_options.threads;
    stats->keys_out = external.kept;
    stats->fingerprint = external.slices_fingerprint;
    stats->memory_bytes = source->memory_bytes;
    if (st == GS_OK)
        st = gs_trail_prove(&external.trail, stats->fingerprint, stats, err);
cleanup:
    gs_trail_close(&external.trail);
    return st;
}

/* It is planned as it will be, so that it is refused as it would be. */
enum gs_status gs_sort_records_check_external(const struct gs_options *options,
                                              uint64_t memory_bytes, uint64_t count,
                                              struct gs_error *err)
{
    struct external external = {.options = options};
    set_options(&external);
    return gs_chunk_plan(&external.slice_options, memory_bytes, count, &external.chunk, err);
}
