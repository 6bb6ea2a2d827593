/* partial_sort.c -- sort only the first, or last, records of the output.
 * SPDX-License-Identifier: MIT
 *
 * A room holds a few times the records wanted. Records enter until it is full; then it is sorted,
 * what is wanted of it stays, and the last record of that is a bound: of all that comes later, only
 * records on its better side can still be in the output, so only these enter. The bound gets closer
 * each time. Whatever the order of the input, each sort makes room for about half as many records
 * as it sorts; if that is random, few are needed, since the n-th record enters with probability
 * wanted / n. Of an input that can be read twice, a sample guesses the bound first
 * (partial_guess.c). If that was too close, so that too few records entered, the input is read
 * again without it.
 *
 * The sorts are those of the table of calls, so that this works for each type, order, -u, -s and
 * device. -s is kept since records that stay are in order in front of those that come later. With
 * positions (--argsort), each record has beside it its own.
 */
#include "sort/api/partial.h"
#include "sort/check/trail.h"

#include "common/clock.h"
#include "common/memory/memory.h"
#include "common/formats/record_copy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* The room has so many times the records wanted, and at least so many bytes. */
#define ROOM_TIMES     3
#define ROOM_BYTES_MIN ((uint64_t)8 << 20)
#define ROOM_MIN       ((uint64_t)256)

/* It is full when less than one in so many is left: a piece is sifted into what is left. */
#define ROOM_LEFT 8

/* Records sifted at once by a thread, and bytes for which one more is worth its start. */
#define SIFT_RECORDS 4096
#define THREAD_BYTES ((uint64_t)256 << 10)

/* For forecasts: bytes that a thread sifts in a second. */
#define SIFT_RATE 4e9

static uint64_t room_for(const struct gs_options *options, uint64_t expected)
{
    const uint64_t least = ROOM_BYTES_MIN / gs_record_bytes(options) + ROOM_MIN;
    uint64_t room;
    if (__builtin_mul_overflow(options->wanted.count, (uint64_t)ROOM_TIMES, &room) ||
        room > INT64_MAX)
        room = INT64_MAX;
    room = room > least ? room : least;
    return room < expected ? room : expected;
}

/* Bytes of all buffers for a room. */
static uint64_t room_bytes(const struct gs_options *options, uint64_t room)
{
    const uint64_t each =
        gs_record_bytes(options) + (options->index_bytes != 0 ? sizeof(uint64_t) : 0);
    uint64_t bytes;
    return __builtin_mul_overflow(2 * each, room, &bytes) ? UINT64_MAX : bytes;
}

void gs_partial_forecast(const struct gs_options *options, uint64_t expected,
                         struct gs_forecast *forecast)
{
    const uint64_t room = room_for(options, expected);
    const uint64_t bytes = room_bytes(options, room);
    const double records = expected == UINT64_MAX ? 0 : (double)expected;
    gs_width(options)->forecast(options, room, forecast);
    forecast->seconds += records * gs_record_bytes(options) / (SIFT_RATE * gs_threads(options));
    if (__builtin_add_overflow(forecast->memory_bytes, bytes, &forecast->memory_bytes))
        forecast->memory_bytes = UINT64_MAX;
}

enum gs_status gs_partial_new(struct gs_partial **partial, const struct gs_options *options,
                              uint64_t expected, struct gs_error *err)
{
    const uint64_t room = room_for(options, expected);
    const unsigned bytes = gs_record_bytes(options);
    const uint64_t index_bytes = options->index_bytes != 0 ? room * sizeof(uint64_t) : 0;
    struct gs_partial *made = calloc(1, sizeof *made);
    *partial = made;
    if (made == NULL)
        goto failed;
    *made = (struct gs_partial){.options = options, .room = room};
    made->begin_ns = gs_now_ns();
    made->records = gs_pages_alloc(room * bytes);
    made->sorted = gs_pages_alloc(room * bytes);
    made->bound = malloc(bytes);
    if (made->records == NULL || made->sorted == NULL || made->bound == NULL)
        goto failed;
    if (index_bytes == 0)
        return GS_OK;
    made->positions = gs_pages_alloc(index_bytes);
    made->indices = gs_pages_alloc(index_bytes);
    if (made->positions != NULL && made->indices != NULL)
        return GS_OK;
failed:
    return gs_fail(err, GS_ERR_MEMORY, errno, "not enough memory for %" PRIu64 " records",
                   options->wanted.count);
}

void gs_partial_free(struct gs_partial *partial)
{
    if (partial == NULL)
        return;
    const uint64_t bytes = partial->room * gs_record_bytes(partial->options);
    const uint64_t index_bytes = partial->room * sizeof(uint64_t);
    if (partial->records != NULL)
        gs_pages_free(partial->records, bytes);
    if (partial->sorted != NULL)
        gs_pages_free(partial->sorted, bytes);
    if (partial->positions != NULL)
        gs_pages_free(partial->positions, index_bytes);
    if (partial->indices != NULL)
        gs_pages_free(partial->indices, index_bytes);
    free(partial->bound);
    free(partial);
}

static enum gs_status write_to_room(struct gs_sink *sink, const void *keys, uint64_t count,
                                    uint64_t position, struct gs_error *err)
{
    const struct gs_room_sink *room = (const struct gs_room_sink *)sink;
    (void)err;
    memcpy(room->to + position * room->bytes, keys, count * room->bytes);
    return GS_OK;
}

struct gs_room_sink gs_room_sink(char *to, unsigned bytes)
{
    return (struct gs_room_sink){.sink = {.write = write_to_room}, .to = to, .bytes = bytes};
}

/* `count` sorted records, from `from` on, come back to the room, with their positions. */
static void take_back(struct gs_partial *partial, uint64_t from, uint64_t count)
{
    const unsigned bytes = gs_record_bytes(partial->options);
    if (partial->positions == NULL) {
        memcpy(partial->records, partial->sorted + from * bytes, count * bytes);
        return;
    }
    uint64_t *indices = partial->indices + from;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(partial->sorted + i * bytes, partial->records + indices[i] * bytes, bytes);
        indices[i] = partial->positions[indices[i]];
    }
    memcpy(partial->positions, indices, count * sizeof *indices);
    memcpy(partial->records, partial->sorted, count * bytes);
}

/* Sort the room and keep what is wanted. */
static enum gs_status sort_room(struct gs_partial *partial, struct gs_error *err)
{
    enum gs_status st;
    struct gs_options options = *partial->options;
    const struct gs_wanted *wanted = &options.wanted;
    const struct gs_span span = {.keys = partial->records, .count = partial->used, .name = "-"};
    struct gs_stats stats;
    if (options.index_bytes != 0)
        options.index_bytes = sizeof *partial->indices;
    char *sorted = options.index_bytes != 0 ? (char *)partial->indices : partial->sorted;
    struct gs_room_sink to = gs_room_sink(sorted, gs_output_bytes(&options));
    to.sink.stream = options.verify;
    options.own.incoming = NULL;
    GS_TRY(gs_width(&options)->sort(&options, &span, 1, &to.sink, NULL, &stats, err));
    for (int i = 0; i < GS_STAGES; i++)
        gs_stage_add(&stats.stages[i], &partial->stats.stages[i]);
    partial->stats = stats;
    const uint64_t count = stats.keys_out < wanted->count ? stats.keys_out : wanted->count;
    take_back(partial, wanted->end == GS_WANTED_TAIL ? stats.keys_out - count : 0, count);
    partial->used = count;
    if (count == wanted->count && count > 0)
        gs_partial_bound(partial, partial->records, wanted->end == GS_WANTED_TAIL ? 0 : count - 1);
cleanup:
    return st;
}

/* Append those of `count` records that may be in the part to record `at` of the room; they are
 * numbered from `first` on. Returns how many. */
static uint64_t sift(const struct gs_partial *partial, const char *records, uint64_t count,
                     uint64_t first, uint64_t at)
{
    const struct gs_options *options = partial->options;
    const unsigned bytes = gs_record_bytes(options);
    const uint64_t begin = at;
    uint32_t kept[SIFT_RECORDS];
    for (uint64_t done = 0, here; done < count; done += here) {
        here = count - done < SIFT_RECORDS ? count - done : SIFT_RECORDS;
        const char *from = records + done * bytes;
        const uint64_t used =
            gs_width(options)->sift(options, options->wanted.end, partial->bound, from, here, kept);
        for (uint64_t i = 0; i < used; i++)
            gs_record_copy(partial->records + (at + i) * bytes, from + kept[i] * (size_t)bytes,
                           bytes);
        for (uint64_t i = 0; i < used && partial->positions != NULL; i++)
            partial->positions[at + i] = first + done + kept[i];
        at += used;
    }
    return at - begin;
}

/* What threads have put into their shares of the room's end becomes one run. */
static void close_up(struct gs_partial *partial, uint64_t share, unsigned threads,
                     const uint64_t *kept)
{
    const unsigned bytes = gs_record_bytes(partial->options);
    uint64_t at = partial->used;
    for (unsigned t = 0; t < threads; t++) {
        const uint64_t from = partial->used + t * share;
        memmove(partial->records + at * bytes, partial->records + from * bytes, kept[t] * bytes);
        if (partial->positions != NULL)
            memmove(partial->positions + at, partial->positions + from,
                    kept[t] * sizeof *partial->positions);
        at += kept[t];
    }
    partial->used = at;
}

/* Sift a piece for which the room suffices, whatever is kept of it. */
static void add_sifted(struct gs_partial *partial, const char *records, uint64_t count)
{
    const unsigned bytes = gs_record_bytes(partial->options);
    const unsigned most = gs_threads(partial->options);
    const uint64_t worth = count * bytes / THREAD_BYTES + 1;
    const unsigned threads = worth < most ? (unsigned)worth : most;
    const uint64_t share = (count + threads - 1) / threads;
    uint64_t kept[GS_OPTION_THREADS_MAX];
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (unsigned t = 0; t < threads; t++) {
        const uint64_t from = t * share < count ? t * share : count;
        const uint64_t here = count - from < share ? count - from : share;
        kept[t] = sift(partial, records + from * bytes, here, partial->seen + from,
                       partial->used + t * share);
    }
    close_up(partial, share, threads, kept);
}

/* The same without a bound yet. */
static void add_all(struct gs_partial *partial, const char *records, uint64_t count)
{
    const unsigned bytes = gs_record_bytes(partial->options);
    memcpy(partial->records + partial->used * bytes, records, count * bytes);
    for (uint64_t i = 0; i < count && partial->positions != NULL; i++)
        partial->positions[partial->used + i] = partial->seen + i;
    partial->used += count;
}

enum gs_status gs_partial_add(struct gs_partial *partial, const void *records, uint64_t count,
                              struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t begin = gs_now_ns();
    const unsigned bytes = gs_record_bytes(partial->options);
    const char *next = records;
    uint64_t sort_ns = 0;
    for (uint64_t here; count > 0; count -= here) {
        if (partial->options->wanted.count == 0) {
            partial->seen += count;
            break;
        }
        if (partial->room - partial->used < partial->room / ROOM_LEFT + 1 &&
            partial->room - partial->used < count) {
            const uint64_t start = gs_now_ns();
            GS_TRY(sort_room(partial, err));
            sort_ns += gs_now_ns() - start;
        }
        const uint64_t left = partial->room - partial->used;
        here = count < left ? count : left;
        if (partial->bounded)
            add_sifted(partial, next, here);
        else
            add_all(partial, next, here);
        partial->seen += here;
        next += here * bytes;
    }
    partial->sift_ns += gs_now_ns() - begin - sort_ns;
cleanup:
    return st;
}

enum gs_status gs_partial_finish(struct gs_partial *partial, uint64_t *count, bool *again,
                                 struct gs_error *err)
{
    enum gs_status st = sort_room(partial, err);
    const struct gs_options *options = partial->options;
    *count = partial->used;
    *again = st == GS_OK && partial->guessed && partial->used < options->wanted.count;
    if (*again) {
        partial->used = partial->seen = 0;
        partial->guessed = partial->bounded = false;
    } else if (st == GS_OK && options->verify && options->index_bytes == 0) {
        gs_width(options)->look(options, partial->records, partial->used, NULL, &partial->look);
        if (partial->look.bad != partial->used)
            st = gs_fail(err, GS_ERR_VERIFY, 0, "verify: output %s %" PRIu64 " is out of order",
                         gs_noun(options), partial->look.bad);
    }
    return st;
}

/* Positions in the form that the output has, in place. */
static void narrow(uint64_t *positions, uint64_t count)
{
    char *to = (char *)positions;
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t position = (uint32_t)positions[i];
        memcpy(to + i * sizeof position, &position, sizeof position);
    }
}

enum gs_status gs_partial_write(struct gs_partial *partial, struct gs_sink *sink,
                                struct gs_stats *stats, struct gs_error *err)
{
    const struct gs_options *options = partial->options;
    const unsigned bytes = gs_record_bytes(options);
    const uint64_t begin = gs_now_ns();
    struct gs_stage_stats row =
        gs_stage_since(partial->begin_ns, partial->seen, partial->seen * bytes);
    const void *from = partial->positions != NULL ? (void *)partial->positions : partial->records;
    row.ns = partial->sift_ns;
    *stats = partial->stats;
    gs_stage_add(&stats->stages[GS_STAGE_READ], &row);
    stats->keys_in = partial->seen;
    stats->keys_out = partial->used;
    stats->fingerprint = partial->look.fingerprint;
    stats->memory_bytes += room_bytes(options, partial->room);
    if (options->records != NULL && options->verify && partial->used > 0) {
        stats->summary.duplicates = partial->look.duplicates;
        gs_record_text(options, partial->records, stats->summary.first);
        gs_record_text(options, partial->records + (partial->used - 1) * bytes,
                       stats->summary.last);
    }
    if (partial->positions != NULL && options->index_bytes == sizeof(uint32_t))
        narrow(partial->positions, partial->used);
    if (partial->used > 0 && sink->write(sink, from, partial->used, 0, err) != GS_OK)
        return err->status;
    row = gs_stage_since(begin, partial->used, partial->used * gs_output_bytes(options));
    gs_stage_add(&stats->stages[GS_STAGE_WRITE], &row);
    return GS_OK;
}
