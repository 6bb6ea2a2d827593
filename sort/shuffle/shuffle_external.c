/* shuffle_external.c -- records in a random order, more than memory may hold.
 * SPDX-License-Identifier: MIT
 *
 *   input --> chunk by chunk, dealt to bins in memory --> temporary files
 *                                                             |
 *      output <-- those of a bin change places <-- load <-- as many bins as fit, of all chunks
 *
 * A bin is a 4096th of the input. What is loaded stays where it is: numbers of records change
 * places, and these are fetched.
 */
#include "sort/shuffle/shuffle.h"
#include "sort/check/trail.h"
#include "sort/shuffle/shuffle_manifest.h"

#include "common/clock.h"
#include "common/files/spill.h"
#include "common/formats/record_copy.h"
#include "common/memory/memory.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES   ((uint64_t)4096) /* chunks begin with the starts of bins, in whole blocks */
#define WRITTEN_BYTES ((uint64_t)1 << 20)  /* by a thread at once */
#define LEAST_BYTES   ((uint64_t)64 << 10) /* of a chunk */

struct starts {
    uint32_t of[GS_SHUFFLE_BINS + 1];
};

#define HEAD_BYTES ((sizeof(struct starts) + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES)

struct chunk {
    struct gs_place place;
    const uint32_t *starts; /* of the bins that are loaded, and behind them */
    uint64_t loaded;        /* the record of the buffer at which the first of them begins */
};

struct shuffling {
    const struct gs_options *options;
    const struct gs_external *source;
    struct gs_sink *sink;
    struct gs_progress *progress;
    struct gs_stats *stats;
    struct gs_trail trail;
    struct gs_spill spill;
    struct gs_journal *journal; /* of complete chunks, or NULL */
    unsigned threads;
    unsigned bytes; /* of a record */
    uint64_t memory;
    uint64_t done; /* records dealt */
    struct gs_dealing *deal;
    struct starts *head;
    char *from, *to; /* buffers of room_bytes: what is read, and what is dealt or fetched */
    uint64_t from_bytes, to_bytes;
    struct chunk *chunks;
    size_t chunk_count, chunk_room;
    uint64_t totals[GS_SHUFFLE_BINS];
    uint64_t most;           /* of them */
    struct gs_dealing **own; /* [threads]: for bins that are dealt again */
    uint32_t *numbers;       /* [threads][2][most]: of records in the buffer */
};

static enum gs_status no_memory(struct gs_error *err)
{
    return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to shuffle");
}

/* Bytes that a group needs besides its records, with so many threads and records in a bin. */
static uint64_t beside(unsigned threads, uint64_t most)
{
    const uint64_t again = most > GS_SHUFFLE_MIXED ? gs_dealing_bytes(1) : 0;
    return threads * (2 * most * sizeof(uint32_t) + again) + 4 * HEAD_BYTES;
}

/* The rest is for dealing. */
static uint64_t for_groups(uint64_t memory)
{
    return memory / 8 * 7;
}

/* The records of a group that memory has room for, loaded and fetched. */
static uint64_t group_records(uint64_t memory, unsigned threads, uint64_t most, unsigned bytes)
{
    const uint64_t used = beside(threads, most);
    const uint64_t left = memory > used ? (memory - used) / 2 / bytes : 0;
    return left < UINT32_MAX ? left : UINT32_MAX;
}

static enum gs_status refuse(const struct gs_options *options, uint64_t memory, uint64_t count,
                             uint64_t most, struct gs_error *err)
{
    const unsigned bytes = gs_record_bytes(options);
    const uint64_t least = gs_dealing_bytes(1) + HEAD_BYTES + beside(1, most) + 2 * most * bytes;
    return gs_fail(err, GS_ERR_MEMORY, 0,
                   "%" PRIu64 " records of %u bytes take at least %" PRIu64
                   " MiB of memory to shuffle, and only %" PRIu64 " MiB may be used (-S)",
                   count, bytes, (least >> 20) + 1, memory >> 20);
}

enum gs_status gs_shuffle_check_external(const struct gs_options *options, uint64_t memory_bytes,
                                         uint64_t count, struct gs_error *err)
{
    const uint64_t most = gs_shuffle_most(count);
    const uint64_t memory = for_groups(memory_bytes);
    return group_records(memory, 1, most, gs_record_bytes(options)) < most
               ? refuse(options, memory, count, most, err)
               : GS_OK;
}

/* Have a buffer of so many bytes, its content is lost. */
static enum gs_status need(char **buffer, uint64_t *room, uint64_t bytes, struct gs_error *err)
{
    if (bytes <= *room)
        return GS_OK;
    gs_pages_free(*buffer, *room);
    *room = 0;
    *buffer = gs_pages_alloc(bytes);
    if (*buffer == NULL)
        return no_memory(err);
    *room = bytes;
    return GS_OK;
}

/* Write bytes of a place, by all threads. */
static enum gs_status write_all(struct shuffling *all, const struct gs_place *place,
                                const char *bytes, uint64_t count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
#pragma omp parallel for num_threads(all->threads) schedule(dynamic)
    for (uint64_t at = 0; at < count; at += WRITTEN_BYTES) {
        struct gs_error error = {.status = GS_OK};
        const uint64_t here = count - at < WRITTEN_BYTES ? count - at : WRITTEN_BYTES;
        if (gs_spill_write(&all->spill, place, HEAD_BYTES + at, bytes + at, here, &error) == GS_OK)
            continue;
#pragma omp critical(gs_shuffle_error)
        {
            st = error.status;
            *err = error;
        }
    }
    return st;
}

/* Add the chunk that was dealt, and whose records are at its place: only its starts are not. */
static enum gs_status add_chunk(struct shuffling *all, const struct gs_shuffle_input *input,
                                const struct gs_place *place, struct gs_error *err)
{
    if (all->chunk_count == all->chunk_room) {
        const size_t room = 2 * all->chunk_room + 16;
        struct chunk *more = reallocarray(all->chunks, room, sizeof *more);
        if (more == NULL)
            return no_memory(err);
        all->chunks = more;
        all->chunk_room = room;
    }
    if (all->options->verify)
        all->stats->fingerprint += gs_shuffle_sum(input, all->deal->count, all->threads);
    for (uint32_t bin = 0; bin < GS_SHUFFLE_BINS; bin++) {
        all->totals[bin] += all->deal->starts[bin + 1] - all->deal->starts[bin];
        all->head->of[bin + 1] = (uint32_t)all->deal->starts[bin + 1];
    }
    all->chunks[all->chunk_count++] = (struct chunk){.place = *place};
    all->done += all->deal->count;
    atomic_store(&all->progress->done, all->done);
    return gs_spill_write(&all->spill, place, 0, all->head, HEAD_BYTES, err);
}

/* Deal the next `count` records, and write them. */
static enum gs_status deal_chunk(struct shuffling *all, const struct gs_shuffle_input *input,
                                 uint64_t count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_place place;
    gs_dealing_count(all->deal, all->options->seed, all->done, count);
    gs_dealing_records(all->deal, input, all->to);
    GS_TRY(gs_spill_place(&all->spill, HEAD_BYTES + count * all->bytes, &place, err));
    GS_TRY(write_all(all, &place, all->to, count * all->bytes, err));
    GS_TRY(add_chunk(all, input, &place, err));
    if (all->journal != NULL)
        GS_TRY(gs_shuffle_kept(all->journal, &all->spill, &place, count, err));
cleanup:
    return st;
}

/* The records of the next chunk, of which there are as many at most, beside what is held. */
static uint64_t chunk_records(const struct shuffling *all, uint64_t held, uint64_t most)
{
    const uint64_t fixed = held + gs_dealing_bytes(all->threads) + HEAD_BYTES;
    uint64_t bytes = all->memory > fixed ? (all->memory - fixed) / 2 : 0;
    bytes = bytes > LEAST_BYTES ? bytes : LEAST_BYTES;
    uint64_t count = bytes / all->bytes + (bytes < all->bytes);
    count = count < UINT32_MAX ? count : UINT32_MAX;
    return count < most ? count : most;
}

static void advise(const struct shuffling *all, enum gs_use use,
                   const struct gs_shuffle_input *input, uint64_t from, uint64_t end)
{
    for (uint64_t at = from, here; all->source->advise != NULL && at < end; at += here) {
        const char *records = gs_shuffle_record(input, at, &here);
        here = here < end - at ? here : end - at;
        all->source->advise(all->source->context, use, records, here);
    }
}

/* Take over the chunks that an earlier run has left complete. */
static enum gs_status take_chunks(struct shuffling *all, struct gs_shuffle_input *input,
                                  struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_place place;
    all->journal->taken = 0;
    all->journal->next = all->journal->begin;
    GS_TRY(gs_spill_reopen(&all->spill, all->source->homes, err));
    while (gs_shuffle_take(all->journal, &all->spill, HEAD_BYTES, all->options->seed, input,
                           all->deal, &place)) {
        GS_TRY(add_chunk(all, input, &place, err));
        advise(all, GS_USE_DONE, input, input->from, all->done);
        input->from = all->done;
    }
    gs_spill_trim(&all->spill);
cleanup:
    return st;
}

/* Deal what is in memory, or mapped. */
static enum gs_status deal_spans(struct shuffling *all, struct gs_error *err)
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
        GS_TRY(need(&all->to, &all->to_bytes, here * all->bytes, err));
        GS_TRY(deal_chunk(all, &input, here, err));
        advise(all, GS_USE_DONE, &input, input.from, input.from + here);
        input.from += here;
    }
cleanup:
    gs_shuffle_input_close(&input);
    return st;
}

/* Deal what is read. */
static enum gs_status deal_pipes(struct shuffling *all, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t most = chunk_records(all, 0, UINT64_MAX);
    uint64_t more = 1;
    if (all->source->read == NULL)
        return GS_OK;
    GS_TRY(need(&all->from, &all->from_bytes, most * all->bytes, err));
    GS_TRY(need(&all->to, &all->to_bytes, most * all->bytes, err));
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

/* Where the bins from `bin` to `end` begin in all chunks. */
static enum gs_status load_starts(struct shuffling *all, uint32_t bin, uint32_t end,
                                  uint32_t *starts, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t loaded = 0;
    const size_t count = end - bin + 1;
    for (size_t i = 0; i < all->chunk_count; i++, starts += count) {
        struct chunk *chunk = &all->chunks[i];
        GS_TRY(gs_spill_read(&all->spill, &chunk->place, bin * sizeof *starts, starts,
                             count * sizeof *starts, err));
        for (size_t j = 1; j < count; j++)
            if (starts[j] < starts[j - 1] || starts[j] - starts[j - 1] > all->totals[bin + j - 1])
                GS_TRY(gs_fail(err, GS_ERR_OUTPUT, 0, "a temporary file has changed"));
        chunk->starts = starts;
        chunk->loaded = loaded;
        loaded += starts[count - 1] - starts[0];
    }
cleanup:
    return st;
}

/* Load the records of `count` bins, one chunk after the other. */
static enum gs_status load(struct shuffling *all, uint32_t count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
#pragma omp parallel for num_threads(all->threads) schedule(dynamic)
    for (size_t i = 0; i < all->chunk_count; i++) {
        struct gs_error error = {.status = GS_OK};
        const struct chunk *chunk = &all->chunks[i];
        const uint64_t first = chunk->starts[0];
        if (gs_spill_read(&all->spill, &chunk->place, HEAD_BYTES + first * all->bytes,
                          all->from + chunk->loaded * all->bytes,
                          (chunk->starts[count] - first) * all->bytes, &error) == GS_OK)
            continue;
#pragma omp critical(gs_shuffle_error)
        {
            st = error.status;
            *err = error;
        }
    }
    return st;
}

/* Fetch the records of the i-th bin from the first that is loaded, in their order. */
static void fetch_bin(struct shuffling *all, uint32_t first, uint32_t i, char *to)
{
    const int thread = omp_get_thread_num();
    uint32_t *numbers = all->numbers + (size_t)thread * 2 * all->most;
    uint32_t *end = numbers;
    for (size_t c = 0; c < all->chunk_count; c++) {
        const struct chunk *chunk = &all->chunks[c];
        uint64_t number = chunk->loaded + chunk->starts[i] - chunk->starts[0];
        for (uint32_t j = chunk->starts[i]; j < chunk->starts[i + 1]; j++)
            *end++ = (uint32_t)number++;
    }
    const char *mixed = gs_shuffle_mix(gs_shuffle_node(all->options->seed, first + i),
                                       (char *)numbers, (uint64_t)(end - numbers), sizeof *numbers,
                                       (char *)(numbers + all->most), all->own[thread]);
    for (const uint32_t *number = (const uint32_t *)(const void *)mixed,
                        *last = number + (end - numbers);
         number < last; number++, to += all->bytes)
        gs_record_copy(to, all->from + (uint64_t)*number * all->bytes, all->bytes);
}

/* Hand `count` records to the sink. */
static enum gs_status put(struct shuffling *all, uint64_t count, uint64_t position,
                          struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const bool stream = all->sink->stream;
    const uint64_t piece = stream ? count : WRITTEN_BYTES / all->bytes + 1;
    GS_TRY(gs_trail_follow(&all->trail, all->to, count, position, err));
#pragma omp parallel for num_threads(stream ? 1 : all->threads) schedule(dynamic)
    for (uint64_t at = 0; at < count; at += piece) {
        struct gs_error error = {.status = GS_OK};
        const uint64_t here = count - at < piece ? count - at : piece;
        if (all->sink->write(all->sink, all->to + at * all->bytes, here, position + at, &error) ==
            GS_OK)
            continue;
#pragma omp critical(gs_shuffle_error)
        {
            st = error.status;
            *err = error;
        }
    }
    atomic_fetch_add(&all->progress->done, count);
cleanup:
    return st;
}

/* Bins [bin, end), of `count` records that follow `position` others. */
static enum gs_status emit_group(struct shuffling *all, uint32_t bin, uint32_t end, uint64_t count,
                                 uint64_t position, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t offsets[GS_SHUFFLE_BINS + 1] = {0};
    uint32_t *starts = reallocarray(NULL, all->chunk_count * (end - bin + 1), sizeof *starts);
    if (starts == NULL)
        return no_memory(err);
    for (uint32_t i = 0; i < end - bin; i++)
        offsets[i + 1] = offsets[i] + all->totals[bin + i];
    GS_TRY(load_starts(all, bin, end, starts, err));
    GS_TRY(load(all, end - bin, err));
#pragma omp parallel for num_threads(all->threads) schedule(dynamic)
    for (uint64_t i = 0; i < end - bin; i++)
        fetch_bin(all, bin, (uint32_t)i, all->to + offsets[i] * all->bytes);
    st = put(all, count, position, err);
cleanup:
    free(starts);
    return st;
}

/* Room for what emit_group needs, with as many threads as memory allows; *most: records of a group.
 */
static enum gs_status plan_groups(struct shuffling *all, uint64_t *most, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    for (uint32_t bin = 0; bin < GS_SHUFFLE_BINS; bin++)
        all->most = all->totals[bin] > all->most ? all->totals[bin] : all->most;
    free(all->deal);
    all->deal = NULL;
    while ((*most = group_records(all->memory, all->threads, all->most, all->bytes)) < all->most &&
           all->threads > 1)
        all->threads--;
    if (*most < all->most)
        return refuse(all->options, all->memory, all->done, all->most, err);
    *most = *most < all->done ? *most : all->done;
    GS_TRY(need(&all->from, &all->from_bytes, *most * all->bytes, err));
    GS_TRY(need(&all->to, &all->to_bytes, *most * all->bytes, err));
    all->numbers = reallocarray(NULL, all->threads * 2 * all->most + 1, sizeof *all->numbers);
    all->own = gs_dealings_new(all->threads, all->most);
    if (all->numbers == NULL || all->own == NULL)
        st = no_memory(err);
cleanup:
    return st;
}

static enum gs_status emit(struct shuffling *all, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t most = 0;
    uint64_t position = 0;
    GS_TRY(plan_groups(all, &most, err));
    gs_progress_enter(all->progress, gs_stage_name(GS_STAGE_SORT_BINS), all->done);
    for (uint32_t bin = 0, end; bin < GS_SHUFFLE_BINS; bin = end) {
        uint64_t count = all->totals[bin];
        for (end = bin + 1; end < GS_SHUFFLE_BINS && count + all->totals[end] <= most; end++)
            count += all->totals[end];
        if (count > 0)
            GS_TRY(emit_group(all, bin, end, count, position, err));
        position += count;
    }
cleanup:
    return st;
}

enum gs_status gs_shuffle_external(const struct gs_options *options,
                                   const struct gs_external *source, struct gs_sink *sink,
                                   struct gs_progress *progress, struct gs_stats *stats,
                                   struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_progress own_progress = {.phase = NULL};
    uint64_t start_ns = gs_now_ns();
    struct shuffling all = {
        .options = options,
        .source = source,
        .sink = sink,
        .progress = progress != NULL ? progress : &own_progress,
        .stats = stats,
        .journal = source->read == NULL && source->held_bytes == 0 ? source->journal : NULL,
        .threads = gs_threads(options),
        .bytes = gs_record_bytes(options),
        .memory = for_groups(source->memory_bytes)};
    *stats = (struct gs_stats){.memory_bytes = source->memory_bytes};
    gs_shuffle_describe(options, stats);
    all.deal = gs_dealing_new(all.threads);
    all.head = calloc(1, HEAD_BYTES);
    if (all.deal == NULL || all.head == NULL)
        GS_TRY(no_memory(err));
    GS_TRY(gs_trail_open(&all.trail, options, gs_shuffle_look, sink, err));
    GS_TRY(gs_spill_open(&all.spill, source->directories, source->directory_count, source->direct,
                         err));
    gs_progress_enter(all.progress, gs_stage_name(GS_STAGE_SCATTER), 0);
    GS_TRY(deal_spans(&all, err));
    GS_TRY(deal_pipes(&all, err));
    gs_shuffle_note(stats, GS_STAGE_SCATTER, &start_ns, all.done, 2 * all.done * all.bytes);
    stats->keys_in = stats->keys_out = all.done;
    GS_TRY(emit(&all, err));
    gs_shuffle_note(stats, GS_STAGE_SORT_BINS, &start_ns, all.done, 2 * all.done * all.bytes);
    st = gs_trail_prove(&all.trail, stats->fingerprint, stats, err);
cleanup:
    stats->temporary_bytes = all.spill.used;
    stats->direct_bytes = atomic_load(&all.spill.direct_bytes);
    gs_dealings_free(all.own, all.threads);
    free(all.numbers);
    free(all.chunks);
    free(all.deal);
    free(all.head);
    gs_pages_free(all.from, all.from_bytes);
    gs_pages_free(all.to, all.to_bytes);
    gs_spill_close(&all.spill);
    gs_trail_close(&all.trail);
    return st;
}
