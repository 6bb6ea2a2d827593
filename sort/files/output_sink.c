/* output_sink.c -- the library's sink interface on top of an output file.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/output_sink.h"

#include "sort/files/ahead.h"
#include "sort/files/direct.h"
#include "sort/files/offsets.h"
#include "common/clock.h"
#include "common/memory/memory.h"

#include <errno.h>
#include <sys/mman.h>

/* Shorter outputs seldom wait for pages, nor for the disk. */
#define CHOICE_BYTES_MIN ((uint64_t)64 << 20)

/* Write a piece of the output to its place. */
static enum gs_status put_keys(void *context, const void *keys, uint64_t count, uint64_t position,
                               struct gs_error *err)
{
    struct gs_output_sink *to = context;
    const struct gs_sink *sink = &to->sink;
    atomic_store(&to->wrote, true);
    if (sink->memory != NULL) {
        gs_output_made(to->output, position * to->record_bytes, count * to->record_bytes);
        return GS_OK;
    }
    /* A GPU sort no longer needs its input: unmapping it now saves 20 ms a GiB at the exit. */
    if (to->inputs != NULL && !atomic_flag_test_and_set(&to->begun) && gs_holds_device())
        gs_inputs_forget(to->inputs);
    enum gs_status st = GS_OK;
    if (to->options->own.offsets != NULL)
        st = gs_offsets_add(to->options->own.offsets, keys, count, position, err);
    if (st != GS_OK)
        return st;
    const size_t bytes = (size_t)count * to->record_bytes;
    const uint64_t start = gs_now_ns();
    const bool pages = to->output->prefill != NULL; /* made ahead: they are there at once */
    const bool direct =
        to->direct != NULL && !pages && gs_pace_chooses_direct(&to->pace, to->output->direct, 1);
    st = direct ? gs_direct_write(to->direct, keys, bytes, position * to->record_bytes, err)
                : gs_output_write(to->output, keys, bytes, position * to->record_bytes, err);
    gs_pace_book(&to->pace, direct, bytes, gs_now_ns() - start);
    return st;
}

static enum gs_status write_keys(struct gs_sink *sink, const void *keys, uint64_t count,
                                 uint64_t position, struct gs_error *err)
{
    return put_keys(sink, keys, count, position, err);
}

/* The same where only some records are wanted: the library has all of them. With --verify, they
 * come one piece after the other. */
static enum gs_status write_wanted(struct gs_sink *sink, const void *keys, uint64_t count,
                                   uint64_t position, struct gs_error *err)
{
    struct gs_output_sink *to = (struct gs_output_sink *)sink;
    const struct gs_wanted *wanted = &to->options->wanted;
    const uint64_t first =
        wanted->end == GS_WANTED_TAIL && to->total > wanted->count ? to->total - wanted->count : 0;
    const uint64_t before = position > first ? 0 : first - position; /* of these, not wanted */
    const uint64_t from = before < count ? before : count;
    const uint64_t start = position + from - first; /* in the output */
    if (from == count || start >= wanted->count)
        return GS_OK;
    const uint64_t most = wanted->count - start;
    const uint64_t here = count - from < most ? count - from : most;
    const char *records = (const char *)keys + from * to->record_bytes;
    if (to->options->verify) {
        struct gs_look look;
        gs_width(to->options)->look(to->options, records, here, NULL, &look);
        to->fingerprint += look.fingerprint;
    }
    atomic_fetch_add(&to->passed, here);
    return put_keys(to, records, here, start, err);
}

void gs_output_sink_expect(struct gs_output_sink *to, uint64_t total)
{
    to->total = total;
}

/* To be combined first. */
static enum gs_status combine_keys(struct gs_sink *sink, const void *keys, uint64_t count,
                                   uint64_t position, struct gs_error *err)
{
    struct gs_output_sink *to = (struct gs_output_sink *)sink;
    (void)position;
    if (to->combiner == NULL)
        to->combiner = gs_combiner_new(to->options, to->output->name, to->parts, put_keys, to);
    if (to->combiner == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%s", to->output->name);
    atomic_store(&to->wrote, true);
    return gs_combiner_add(to->combiner, keys, count, err);
}

/* Not if address space is limited: sorting in the mapped output takes more of it than of memory. */
static void *map_keys(struct gs_sink *sink, uint64_t count, bool early)
{
    struct gs_output_sink *to = (struct gs_output_sink *)sink;
    if (gs_buffer_space_left() != UINT64_MAX)
        return NULL;
    return gs_output_map(to->output, count * to->record_bytes, early, to->threads);
}

static enum gs_status make_keys(struct gs_sink *sink, uint64_t count, uint64_t position,
                                struct gs_error *err)
{
    struct gs_output_sink *to = (struct gs_output_sink *)sink;
    return gs_output_make(to->output, position * to->record_bytes, count * to->record_bytes, err);
}

/* The output will be about `count` keys long, and a GPU has yet to sort them: pages can be made. */
static void expect_keys(struct gs_sink *sink, uint64_t count)
{
    struct gs_output_sink *to = (struct gs_output_sink *)sink;
    gs_output_prefill(to->output, count * to->record_bytes, to->idle_threads);
}

/* Unmap input that is no longer needed. Otherwise the input, its copy and the output would all be
 * resident at once, and the exit would have to unmap them all. */
static void forget_keys(struct gs_sink *sink, const void *keys, uint64_t count)
{
    struct gs_output_sink *to = (struct gs_output_sink *)sink;
    atomic_store(&to->forgot, true);
    gs_pages_advise(keys, count * gs_record_bytes(to->options), MADV_DONTNEED);
}

struct gs_output_sink gs_output_sink(struct gs_output *output, const struct gs_options *options,
                                     const struct gs_inputs *inputs)
{
    /* Only a temporary file can be read back; the library verifies a stream as it is written. */
    const bool all = options->wanted.end == GS_WANTED_ALL;
    bool stream = output->kind == GS_OUTPUT_STREAM ||
                  (options->verify && (!all || output->kind != GS_OUTPUT_TEMPORARY));
    struct gs_sink sink = {.write = all ? write_keys : write_wanted, .stream = stream};
    const bool follows = options->own.combine != NULL || options->own.offsets != NULL;
    if (options->own.combine != NULL)
        sink.write = combine_keys;
    if (follows)
        sink.stream = stream = true;
    if (inputs != NULL)
        sink.forget = forget_keys;
    bool alike = options->records != NULL || (gs_record_bytes(options) == options->key_bytes &&
                                              output->head_bytes % options->key_bytes == 0);
    bool paged = output->direct != GS_DIRECT_ALWAYS;
    if (all && !follows && paged && alike && (!stream || output->kind == GS_OUTPUT_STREAM))
        sink.map = map_keys;
    if (all && paged && !stream) {
        sink.make = make_keys;
        sink.expect = expect_keys;
    }
    return (struct gs_output_sink){.sink = sink,
                                   .output = output,
                                   .record_bytes = gs_written_bytes(options),
                                   .options = options,
                                   .inputs = inputs,
                                   .begun = ATOMIC_FLAG_INIT,
                                   .direct = paged ? NULL : gs_direct_open(output),
                                   .threads = gs_threads_for_pages(options, false),
                                   .idle_threads = gs_threads_for_pages(options, true)};
}

void gs_output_sink_choose(struct gs_output_sink *to, uint64_t bytes)
{
    if (to->output->direct == GS_DIRECT_AUTO && bytes >= CHOICE_BYTES_MIN)
        to->direct = gs_direct_open(to->output);
}

enum gs_status gs_output_sink_close(struct gs_output_sink *to, enum gs_status st,
                                    struct gs_stats *stats, struct gs_error *err)
{
    struct gs_error late = {.status = GS_OK};
    if (st == GS_OK && to->combiner != NULL)
        st = gs_combiner_end(to->combiner, &stats->keys_out, err);
    gs_combiner_free(to->combiner);
    to->combiner = NULL;
    if (st == GS_OK && to->sink.write == write_wanted) {
        stats->keys_out = atomic_load(&to->passed);
        stats->fingerprint = to->fingerprint;
        stats->summary.known = false; /* of more than was written */
    }
    struct gs_direct_writer *direct = to->direct;
    to->direct = NULL;
    if (gs_direct_close(direct, &late) == GS_OK || st != GS_OK)
        return st;
    *err = late;
    return late.status;
}
