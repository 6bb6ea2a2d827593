/* shuffle.c -- records in a random order: the table of calls, and the shuffle in memory.
 * SPDX-License-Identifier: MIT
 *
 *   input --> block by block, records or positions dealt to bins in cache --> blocks in memory
 *                                                                                   |
 *                 output <-- written <-- those in it change places <-- bin after bin, of all blocks
 *
 * Records of 1, 2, 4, 8 or 16 bytes change places themselves. Of others their numbers do, and they
 * are fetched; of long ones the positions are dealt, too, so that they are copied once only.
 */
#include "sort/shuffle/shuffle.h"
#include "sort/check/record_fingerprint.h"
#include "sort/check/trail.h"
#include "sort/keys/params.h"
#include "sort/shuffle/blocks.h"

#include "common/clock.h"
#include "common/formats/record_copy.h"
#include "common/memory/memory.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define PIECE_BYTES   ((uint64_t)1 << 20)
#define THREAD_BYTES  ((uint64_t)256 << 10)
#define LONG_BYTES    64 /* of records whose positions are dealt, or more */
#define FETCHED_AHEAD 24 /* records that are under way */

/* For forecasts: of a process, and of a thread, for each record and for each of its bytes. */
#define PROCESS_SECONDS  0.002
#define RECORD_SECONDS   5e-9
#define COPY_SECONDS     0.3e-9
#define EXTERNAL_SECONDS 0.5e-9

struct shuffling {
    const struct gs_options *options;
    struct gs_shuffle_input input;
    struct gs_sink *sink;
    struct gs_trail trail; /* of the sink */
    struct gs_progress *progress;
    unsigned threads;
    struct gs_blocks blocks;
    pthread_mutex_t mutex; /* for: */
    pthread_cond_t turned;
    uint32_t next, turn; /* the bin that is next to be taken; to be written to a stream */
    atomic_bool failed;  /* then err says how */
    struct gs_error *err;
};

static bool are_long(unsigned record_bytes)
{
    return record_bytes >= LONG_BYTES;
}

static unsigned element_bytes(unsigned record_bytes, uint64_t count)
{
    return are_long(record_bytes) ? gs_position_bytes(count) : record_bytes;
}

/* That are written at once, unless one bin has more. */
static uint64_t piece_bytes(uint64_t count, unsigned record_bytes)
{
    const uint64_t part = count * record_bytes / 16;
    return part < PIECE_BYTES && !are_long(record_bytes) ? part : PIECE_BYTES;
}

static unsigned threads_for(const struct gs_options *options, uint64_t count)
{
    const uint64_t worth = count * gs_record_bytes(options) / THREAD_BYTES + 1;
    const unsigned threads = gs_threads(options);
    return worth < threads ? (unsigned)worth : threads;
}

/* What a thread has for a group of bins, where the largest has `most` records. */
struct buffers {
    uint64_t again_bytes, number_bytes, gathered_bytes, to_bytes, all_bytes;
};

static struct buffers plan_buffers(unsigned record_bytes, unsigned element, uint64_t count,
                                   uint64_t most)
{
    struct buffers plan = {0};
    const uint64_t bin_bytes = most * record_bytes;
    const uint64_t piece = piece_bytes(count, record_bytes);
    const bool swaps = gs_shuffle_swaps(record_bytes);
    plan.to_bytes = ((bin_bytes > piece ? bin_bytes : piece) + 15) / 16 * 16;
    plan.gathered_bytes = swaps ? 0 : (most * element + 15) / 16 * 16;
    if (!swaps && !are_long(record_bytes)) {
        plan.number_bytes = (most + 3) / 4 * 4 * sizeof(uint32_t);
        element = sizeof(uint32_t);
    }
    plan.again_bytes = most > GS_SHUFFLE_MIXED ? (most * element + 15) / 16 * 16 : 0;
    plan.all_bytes = plan.again_bytes + plan.number_bytes + plan.gathered_bytes + plan.to_bytes;
    return plan;
}

void gs_shuffle_describe(const struct gs_options *options, struct gs_stats *stats)
{
    stats->engine = "shuffle";
    stats->device = GS_DEVICE_CPU;
    stats->order = "none";
    stats->threads = gs_threads(options);
    snprintf(stats->reason, sizeof stats->reason, "records are shuffled on the CPU");
}

void gs_shuffle_look(const struct gs_options *options, const void *records, uint64_t count,
                     const void *previous, struct gs_look *look)
{
    (void)previous;
    *look = (struct gs_look){.bad = count,
                             .fingerprint =
                                 gs_records_fingerprint(records, gs_record_bytes(options), count)};
}

/* Map the output as memory, if it can be. */
static enum gs_status map_output(struct shuffling *all, uint64_t count)
{
    struct gs_sink *sink = all->sink;
    const bool early = all->threads < GS_THREADS_TO_SPARE;
    if (sink->memory != NULL || sink->map == NULL || sink->stream || count == 0)
        return GS_OK;
    sink->memory = sink->map(sink, count, early);
    return early && sink->memory != NULL ? sink->make(sink, count, 0, all->err) : GS_OK;
}

/* Record i of some, by their numbers: of what is dealt or, of long ones, positions in the input. */
static inline const char *numbered(const struct shuffling *all, const char *dealt,
                                   const char *numbers, uint64_t i)
{
    uint64_t count;
    if (dealt != NULL)
        return dealt + gs_position_at(numbers, sizeof(uint32_t), i) * all->input.record_bytes;
    const uint64_t position = gs_position_at(numbers, all->blocks.bytes, i);
    return all->input.span_count == 1
               ? (const char *)all->input.spans[0].keys + position * all->input.record_bytes
               : gs_shuffle_record(&all->input, position, &count);
}

static void fetch(const struct shuffling *all, const char *dealt, const char *numbers,
                  uint64_t count, char *to)
{
    const uint32_t bytes = all->input.record_bytes;
    for (uint64_t i = 0; i < count; i++, to += bytes) {
        if (dealt == NULL && i + FETCHED_AHEAD < count)
            gs_record_prefetch(numbered(all, dealt, numbers, i + FETCHED_AHEAD), bytes);
        gs_record_copy(to, numbered(all, dealt, numbers, i), bytes);
    }
}

/* Put a bin into its order, at `to`. */
static void mix_bin(const struct shuffling *all, const struct buffers *plan, uint32_t bin,
                    char *buffer, struct gs_dealing *own, char *to)
{
    const uint64_t node = gs_shuffle_node(all->options->seed, bin);
    const unsigned bytes = all->blocks.bytes;
    const uint64_t count = all->blocks.starts[bin + 1] - all->blocks.starts[bin];
    char *numbers = buffer + plan->again_bytes;
    char *gathered = numbers + plan->number_bytes;
    char *records = plan->gathered_bytes > 0 ? gathered : to;
    gs_blocks_gather(&all->blocks, bin, records);
    if (plan->number_bytes == 0) {
        const char *mixed = gs_shuffle_mix(node, records, count, bytes, buffer, own);
        if (plan->gathered_bytes > 0)
            fetch(all, NULL, mixed, count, to);
        else if (mixed != to)
            memcpy(to, mixed, count * bytes);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        memcpy(numbers + i * sizeof i, &i, sizeof i);
    fetch(all, gathered, gs_shuffle_mix(node, numbers, count, sizeof(uint32_t), buffer, own), count,
          to);
}

/* To a stream, groups are written one after the other. */
static void await_turn(struct shuffling *all, uint32_t bin)
{
    pthread_mutex_lock(&all->mutex);
    while (all->sink->stream && all->turn != bin)
        pthread_cond_wait(&all->turned, &all->mutex);
    pthread_mutex_unlock(&all->mutex);
}

/* Put bins [bin, end) into their order, and write them when it is their turn. */
static void emit_bins(struct shuffling *all, uint32_t bin, uint32_t end, char *buffer,
                      struct gs_dealing *own, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_sink *sink = all->sink;
    const struct buffers plan = plan_buffers(all->input.record_bytes, all->blocks.bytes,
                                             gs_shuffle_count(&all->input), all->blocks.most);
    const uint64_t first = all->blocks.starts[bin];
    const uint64_t count = all->blocks.starts[end] - first;
    char *to = sink->memory != NULL ? (char *)sink->memory + first * all->input.record_bytes
                                    : buffer + plan.all_bytes - plan.to_bytes;
    if (count > 0 && sink->memory != NULL && sink->make != NULL)
        st = sink->make(sink, count, first, err);
    for (uint32_t i = bin; i < end && st == GS_OK; i++)
        mix_bin(all, &plan, i, buffer, own,
                to + (all->blocks.starts[i] - first) * all->input.record_bytes);
    await_turn(all, bin);
    if (count == 0 || st != GS_OK || atomic_load(&all->failed))
        return;
    GS_TRY(gs_trail_follow(&all->trail, to, count, first, err));
    if (sink->memory == NULL || sink->make != NULL)
        GS_TRY(sink->write(sink, to, count, first, err));
cleanup:
    atomic_fetch_add(&all->progress->done, count);
}

/* As many bins from this one on as are written at once. */
static uint32_t group_end(const struct shuffling *all, uint32_t bin)
{
    const uint64_t *starts = all->blocks.starts;
    const unsigned bytes = all->input.record_bytes;
    const uint64_t most = piece_bytes(starts[GS_SHUFFLE_BINS], bytes) / bytes;
    uint32_t end = bin + 1;
    while (end < GS_SHUFFLE_BINS && starts[end + 1] - starts[bin] <= most)
        end++;
    return end;
}

/* The next bins that no thread has taken; false: there are none. */
static bool take_group(struct shuffling *all, uint32_t *bin, uint32_t *end)
{
    pthread_mutex_lock(&all->mutex);
    *bin = all->next;
    if (*bin < GS_SHUFFLE_BINS)
        all->next = group_end(all, *bin);
    *end = all->next;
    pthread_mutex_unlock(&all->mutex);
    return *bin < GS_SHUFFLE_BINS;
}

/* A group is written, or could not be: then nothing else is. */
static void end_turn(struct shuffling *all, uint32_t end, const struct gs_error *error)
{
    pthread_mutex_lock(&all->mutex);
    if (error->status != GS_OK && all->err->status == GS_OK)
        *all->err = *error;
    atomic_store(&all->failed, all->err->status != GS_OK);
    all->turn = end;
    pthread_cond_broadcast(&all->turned);
    pthread_mutex_unlock(&all->mutex);
}

/* Groups of bins, by all threads. */
static void emit(struct shuffling *all, char *buffers, uint64_t room,
                 struct gs_dealing *const *deals)
{
#pragma omp parallel num_threads(all->threads)
    {
        const int thread = omp_get_thread_num();
        char *buffer = buffers + (size_t)thread * room;
        uint32_t bin, end;
        while (take_group(all, &bin, &end)) {
            struct gs_error error = {.status = GS_OK};
            emit_bins(all, bin, end, buffer, deals[thread], &error);
            end_turn(all, end, &error);
        }
    }
}

/* Write what is dealt. */
static enum gs_status emit_all(struct shuffling *all)
{
    enum gs_status st = GS_OK;
    const struct buffers plan = plan_buffers(all->input.record_bytes, all->blocks.bytes,
                                             gs_shuffle_count(&all->input), all->blocks.most);
    struct gs_error *err = all->err;
    char *buffers = gs_pages_alloc(all->threads * plan.all_bytes);
    struct gs_dealing **deals = gs_dealings_new(all->threads, all->blocks.most);
    if (buffers != NULL && deals != NULL) {
        emit(all, buffers, plan.all_bytes, deals);
        st = err->status;
    } else {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to shuffle");
    }
    gs_dealings_free(deals, all->threads);
    gs_pages_free(buffers, all->threads * plan.all_bytes);
    return st;
}

void gs_shuffle_note(struct gs_stats *stats, enum gs_stage stage, uint64_t *start_ns, uint64_t keys,
                     uint64_t bytes)
{
    const struct gs_stage_stats row = gs_stage_since(*start_ns, keys, bytes);
    gs_stage_add(&stats->stages[stage], &row);
    *start_ns = gs_now_ns();
}

static enum gs_status shuffle_input(struct shuffling *all, struct gs_stats *stats)
{
    enum gs_status st = GS_OK;
    const uint64_t count = gs_shuffle_count(&all->input);
    const unsigned bytes = all->input.record_bytes;
    struct gs_error *err = all->err;
    uint64_t start_ns = gs_now_ns();
    all->threads = threads_for(all->options, count);
    if (all->options->verify)
        stats->fingerprint = gs_shuffle_sum(&all->input, count, all->threads);
    gs_progress_enter(all->progress, gs_stage_name(GS_STAGE_SCATTER), count);
    GS_TRY(gs_blocks_deal(&all->blocks, all->options->seed, &all->input,
                          element_bytes(bytes, count), are_long(bytes), all->threads, err));
    GS_TRY(map_output(all, count));
    gs_shuffle_note(stats, GS_STAGE_SCATTER, &start_ns, count, 2 * count * all->blocks.bytes);
    gs_progress_enter(all->progress, gs_stage_name(GS_STAGE_SORT_BINS), count);
    GS_TRY(emit_all(all));
    gs_shuffle_note(stats, GS_STAGE_SORT_BINS, &start_ns, count, 2 * count * bytes);
    st = gs_trail_prove(&all->trail, stats->fingerprint, stats, err);
cleanup:
    gs_blocks_free(&all->blocks);
    return st;
}

static void forecast(const struct gs_options *options, uint64_t count, struct gs_forecast *forecast)
{
    const unsigned bytes = gs_record_bytes(options);
    const unsigned element = element_bytes(bytes, count);
    const unsigned threads = threads_for(options, count);
    const struct buffers plan = plan_buffers(bytes, element, count, gs_shuffle_most(count));
    const double thread = RECORD_SECONDS + COPY_SECONDS * bytes;
    *forecast =
        (struct gs_forecast){.engine = "shuffle",
                             .device = GS_DEVICE_CPU,
                             .seconds = PROCESS_SECONDS + (double)count * thread / threads,
                             .external_seconds = (double)count * bytes * EXTERNAL_SECONDS,
                             .memory_bytes = gs_blocks_bytes(count, element, threads) +
                                             threads * (plan.all_bytes + gs_dealing_bytes(1)),
                             .held_bytes = UINT64_MAX,
                             .reads_on = true};
    struct gs_stats stats;
    gs_shuffle_describe(options, &stats);
    snprintf(forecast->reason, sizeof forecast->reason, "%s", stats.reason);
}

static enum gs_status shuffle(const struct gs_options *options, const struct gs_span *spans,
                              size_t span_count, struct gs_sink *sink, struct gs_progress *progress,
                              struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st;
    struct gs_stats own_stats = {0};
    struct gs_progress own_progress = {.phase = NULL};
    struct gs_forecast told;
    struct shuffling all = {.options = options,
                            .sink = sink,
                            .progress = progress != NULL ? progress : &own_progress,
                            .mutex = PTHREAD_MUTEX_INITIALIZER,
                            .turned = PTHREAD_COND_INITIALIZER,
                            .err = err};
    stats = stats != NULL ? stats : &own_stats;
    *stats = (struct gs_stats){0};
    gs_shuffle_describe(options, stats);
    GS_TRY(gs_trail_open(&all.trail, options, gs_shuffle_look, sink, err));
    GS_TRY(gs_shuffle_input_open(&all.input, options, spans, span_count, err));
    stats->keys_in = stats->keys_out = gs_shuffle_count(&all.input);
    forecast(options, stats->keys_in, &told);
    stats->memory_bytes = told.memory_bytes;
    st = shuffle_input(&all, stats);
    stats->threads = all.threads;
cleanup:
    gs_shuffle_input_close(&all.input);
    gs_trail_close(&all.trail);
    return st;
}

static enum gs_status check_options(const struct gs_options *options, struct gs_error *err)
{
    if (options->device == GS_DEVICE_GPU)
        return gs_fail(err, GS_ERR_DEVICE, 0, "--device=gpu: --shuffle needs the CPU");
    if (options->engine > GS_ENGINE_SAMPLESORT)
        return gs_fail(err, GS_ERR_USAGE, 0, "--engine=%s sorts, and --shuffle does not",
                       gs_engine_name(options->engine));
    return GS_OK;
}

static enum gs_status check_count(const struct gs_options *options, uint64_t count,
                                  struct gs_error *err)
{
    (void)options;
    (void)count;
    (void)err;
    return GS_OK;
}

const struct gs_width gs_width_shuffle = {
    .check_options = check_options,
    .check_count = check_count,
    .sort = shuffle,
    .forecast = forecast,
    .look = gs_shuffle_look,
    .sort_external = gs_shuffle_external,
    .check_external = gs_shuffle_check_external,
};
