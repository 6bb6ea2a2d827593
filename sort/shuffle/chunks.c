/* chunks.c -- deal records to the bins of chunks, which go to temporary files.
 * SPDX-License-Identifier: MIT
 */
#include "sort/shuffle/shuffle_manifest.h"
#include "sort/shuffle/shuffling.h"

#include <stdlib.h>

#define WRITTEN_BYTES ((uint64_t)1 << 20)  /* by a thread at once */
#define LEAST_BYTES   ((uint64_t)64 << 10) /* of a chunk */

/* Write bytes of a place, by all threads. */
static enum gs_status write_all(struct gs_shuffling *all, const struct gs_place *place,
                                const char *bytes, uint64_t count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
#pragma omp parallel for num_threads(all->threads) schedule(dynamic)
    for (uint64_t at = 0; at < count; at += WRITTEN_BYTES) {
        struct gs_error error = {.status = GS_OK};
        const uint64_t here = count - at < WRITTEN_BYTES ? count - at : WRITTEN_BYTES;
        if (gs_spill_write(&all->spill, place, GS_CHUNK_HEAD_BYTES + at, bytes + at, here,
                           &error) != GS_OK)
            gs_shuffle_keep(&error, &st, err);
    }
    return st;
}

/* Add the chunk that was dealt, and whose records are at its place: only its starts are not. */
static enum gs_status add_chunk(struct gs_shuffling *all, const struct gs_shuffle_input *input,
                                const struct gs_place *place, struct gs_error *err)
{
    if (all->chunk_count == all->chunk_room) {
        const size_t room = 2 * all->chunk_room + 16;
        struct gs_dealt_chunk *more = reallocarray(all->chunks, room, sizeof *more);
        if (more == NULL)
            return gs_shuffle_no_memory(err);
        all->chunks = more;
        all->chunk_room = room;
    }
    if (all->options->verify)
        all->stats->fingerprint += gs_shuffle_sum(input, all->deal->count, all->threads);
    for (uint32_t bin = 0; bin < GS_SHUFFLE_BINS; bin++) {
        all->totals[bin] += all->deal->starts[bin + 1] - all->deal->starts[bin];
        all->head->of[bin + 1] = (uint32_t)all->deal->starts[bin + 1];
    }
    all->chunks[all->chunk_count++] = (struct gs_dealt_chunk){.place = *place};
    all->done += all->deal->count;
    atomic_store(&all->progress->done, all->done);
    return gs_spill_write(&all->spill, place, 0, all->head, GS_CHUNK_HEAD_BYTES, err);
}

/* Deal the next `count` records, and write them. */
static enum gs_status deal_chunk(struct gs_shuffling *all, const struct gs_shuffle_input *input,
                                 uint64_t count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_place place;
    gs_dealing_count(all->deal, all->options->seed, all->done, count);
    gs_dealing_records(all->deal, input, all->to);
    GS_TRY(gs_spill_place(&all->spill, GS_CHUNK_HEAD_BYTES + count * all->bytes, &place, err));
    GS_TRY(write_all(all, &place, all->to, count * all->bytes, err));
    GS_TRY(add_chunk(all, input, &place, err));
    if (all->journal != NULL)
        GS_TRY(gs_shuffle_kept(all->journal, &all->spill, &place, count, err));
cleanup:
    return st;
}

/* The records of the next chunk, of which there are as many at most, beside what is held. */
static uint64_t chunk_records(const struct gs_shuffling *all, uint64_t held, uint64_t most)
{
    const uint64_t fixed = held + gs_dealing_bytes(all->threads) + GS_CHUNK_HEAD_BYTES;
    uint64_t bytes = all->memory > fixed ? (all->memory - fixed) / 2 : 0;
    bytes = bytes > LEAST_BYTES ? bytes : LEAST_BYTES;
    uint64_t count = bytes / all->bytes + (bytes < all->bytes);
    count = count < UINT32_MAX ? count : UINT32_MAX;
    return count < most ? count : most;
}

static void advise(const struct gs_shuffling *all, enum gs_use use,
                   const struct gs_shuffle_input *input, uint64_t from, uint64_t end)
{
    for (uint64_t at = from, here; all->source->advise != NULL && at < end; at += here) {
        const char *records = gs_shuffle_record(input, at, &here);
        here = here < end - at ? here : end - at;
        all->source->advise(all->source->context, use, records, here);
    }
}

/* Take over the chunks that an earlier run has left complete. */
static enum gs_status take_chunks(struct gs_shuffling *all, struct gs_shuffle_input *input,
                                  struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_place place;
    all->journal->taken = 0;
    all->journal->next = all->journal->begin;
    GS_TRY(gs_spill_reopen(&all->spill, all->source->homes, err));
    while (gs_shuffle_take(all->journal, &all->spill, GS_CHUNK_HEAD_BYTES, all->options->seed,
                           input, all->deal, &place)) {
        GS_TRY(add_chunk(all, input, &place, err));
        advise(all, GS_USE_DONE, input, input->from, all->done);
        input->from = all->done;
    }
    gs_spill_trim(&all->spill);
cleanup:
    return st;
}

/* Deal what is in memory, or mapped. */
static enum gs_status deal_spans(struct gs_shuffling *all, struct gs_error *err)
{
    struct gs_shuffle_input input;
    const struct gs_external *source = all->source;
    enum gs_status st =
        gs_shuffle_input_open(&input, all->options, source->spans, source->span_count, err);
    if (st != GS_OK)
        return st;
    const uint64_t count = gs_shuffle_count(&input);
    advise(all, GS_USE_IN_ORDER, &input, 0, count);
    if (all->journal != NULL)
        GS_TRY(take_chunks(all, &input, err));
    GS_TRY(gs_spill_check(&all->spill, (count - input.from) * all->bytes, source->output_device,
                          source->output_bytes, err));
    while (input.from < count) {
        const uint64_t given = input.from * all->bytes;
        const uint64_t held = source->held_bytes > given ? source->held_bytes - given : 0;
        const uint64_t here = chunk_records(all, held, count - input.from);
        GS_TRY(gs_shuffle_need(&all->to, &all->to_bytes, here * all->bytes, err));
        GS_TRY(deal_chunk(all, &input, here, err));
        advise(all, GS_USE_DONE, &input, input.from, input.from + here);
        input.from += here;
    }
cleanup:
    gs_shuffle_input_close(&input);
    return st;
}

/* Deal what is read. */
static enum gs_status deal_pipes(struct gs_shuffling *all, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t most = chunk_records(all, 0, UINT64_MAX);
    uint64_t more = 1;
    if (all->source->read == NULL)
        return GS_OK;
    GS_TRY(gs_shuffle_need(&all->from, &all->from_bytes, most * all->bytes, err));
    GS_TRY(gs_shuffle_need(&all->to, &all->to_bytes, most * all->bytes, err));
    while (more > 0) {
        uint64_t got = 0;
        /* a read that has no room for a whole packet would lose the rest of it */
        while (more > 0 && most - got > most / 4) {
            GS_TRY(all->source->read(all->source->context, all->from + got * all->bytes, most - got,
                                     &more, err));
            got += more;
        }
        const struct gs_span span = {.keys = all->from, .count = got};
        uint64_t firsts[2] = {0, got};
        const struct gs_shuffle_input input = {
            .spans = &span, .span_count = 1, .firsts = firsts, .record_bytes = all->bytes};
        if (got > 0)
            GS_TRY(deal_chunk(all, &input, got, err));
    }
cleanup:
    return st;
}

enum gs_status gs_shuffle_deal(struct gs_shuffling *all, struct gs_error *err)
{
    const enum gs_status st = deal_spans(all, err);
    return st == GS_OK ? deal_pipes(all, err) : st;
}
