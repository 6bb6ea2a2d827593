/* mode_sort.c -- sort all inputs into the output.
 * SPDX-License-Identifier: MIT
 *
 * The order of the steps is the promise of the man page: every input and the output are opened, and
 * refused, before any work; the output appears after the last thing that can fail.
 */
#include "cli/modes.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/stats.h"
#include "common/clock.h"
#include "common/input.h"
#include "common/memory.h"
#include "common/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* The library's sink on top of an output file. */
struct output_sink {
    struct gs_sink sink; /* first: the library hands back a pointer to it */
    struct gs_output *output;
};

static enum gs_status write_keys(struct gs_sink *sink, const gs_key *keys, uint64_t count,
                                 uint64_t position, struct gs_error *err)
{
    struct output_sink *to = (struct output_sink *)sink;
    return gs_output_write(to->output, keys, (size_t)count * GS_KEY_BYTES, position * GS_KEY_BYTES,
                           err);
}

/* A limit below what this many keys take counts as that much, as sort(1) has its least buffer too:
 * no -S is too small for a small input. */
#define GS_SMALL_KEYS 65536

static uint64_t choose_limit(const struct gs_command *command)
{
    uint64_t limit = command->memory_limit > 0 ? command->memory_limit : gs_memory_available();
    uint64_t least =
        gs_sort_memory(&command->sort, GS_SMALL_KEYS) + (uint64_t)GS_SMALL_KEYS * GS_KEY_BYTES;
    return limit == 0 || limit > least ? limit : least;
}

/* What bounds the reading of pipes. */
struct read_limit {
    const struct gs_options *options;
    struct gs_progress *progress;
    uint64_t mapped_bytes; /* input that costs no memory of ours, but sorting it does */
    uint64_t limit_bytes;  /* 0: none */
};

/* The gate of gs_inputs_read: what was read and what sorting it takes must stay in the limit. */
static enum gs_status check_limit(void *context, const char *name, uint64_t bytes,
                                  struct gs_error *err)
{
    const struct read_limit *limit = context;
    uint64_t keys = (limit->mapped_bytes + bytes) / GS_KEY_BYTES;
    atomic_store(&limit->progress->done, bytes / GS_KEY_BYTES);
    if (limit->limit_bytes == 0 ||
        bytes + gs_sort_memory(limit->options, keys) <= limit->limit_bytes)
        return GS_OK;
    return gs_fail(err, GS_ERR_MEMORY, 0,
                   "%s: %" PRIu64 " MiB of input and more, and only %" PRIu64
                   " MiB of memory may be used (-S)",
                   name, bytes >> 20, limit->limit_bytes >> 20);
}

/* Read what is not mapped; its time and size go into *stage. */
static enum gs_status read_pipes(struct gs_inputs *inputs, struct read_limit *limit,
                                 uint64_t *read_bytes, struct gs_stage_stats *stage,
                                 struct gs_error *err)
{
    bool pending = false;
    for (size_t i = 0; i < inputs->count; i++) {
        pending = pending || inputs->list[i].pending;
        limit->mapped_bytes += inputs->list[i].size;
    }
    if (!pending)
        return GS_OK;
    uint64_t start = gs_now_ns();
    uint64_t mapped = limit->mapped_bytes;
    gs_progress_enter(limit->progress, gs_stage_name(GS_STAGE_READ), 0);
    enum gs_status st = gs_inputs_read(inputs, GS_KEY_BYTES, check_limit, limit, err);
    if (st != GS_OK)
        return st;
    *read_bytes = 0;
    for (size_t i = 0; i < inputs->count; i++)
        *read_bytes += inputs->list[i].size;
    *read_bytes -= mapped;
    *stage = (struct gs_stage_stats){.ns = gs_now_ns() - start,
                                     .bytes = *read_bytes,
                                     .keys = *read_bytes / GS_KEY_BYTES,
                                     .device = "cpu"};
    return GS_OK;
}

/* The inputs as the library wants them. */
static enum gs_status make_spans(const struct gs_inputs *inputs, struct gs_span **spans,
                                 uint64_t *keys, struct gs_error *err)
{
    *keys = 0;
    *spans = calloc(inputs->count, sizeof **spans);
    if (*spans == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "%zu inputs", inputs->count);
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        (*spans)[i] = (struct gs_span){
            .keys = input->bytes, .count = input->size / GS_KEY_BYTES, .name = input->name};
        *keys += input->size / GS_KEY_BYTES;
    }
    return GS_OK;
}

static void add_stage(struct gs_stage_stats *to, const struct gs_stage_stats *more)
{
    to->ns += more->ns;
    to->bytes += more->bytes;
    to->keys += more->keys;
    if (to->device == NULL)
        to->device = more->device;
}

/* Everything after the inputs and the output are open. */
static enum gs_status sort_opened(const struct gs_command *command, struct gs_progress *progress,
                                  struct gs_inputs *inputs, struct gs_output *output,
                                  struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st;
    struct gs_options options = command->sort;
    struct gs_stage_stats reading = {0};
    struct gs_stage_stats publishing = {.device = "cpu"};
    struct gs_span *spans = NULL;
    uint64_t own_bytes = 0; /* copies of input that we hold */
    uint64_t read_bytes = 0;
    uint64_t keys, bytes, start;
    struct output_sink to = {.sink = {.write = write_keys}, .output = output};
    struct read_limit limit = {
        .options = &options, .progress = progress, .limit_bytes = choose_limit(command)};

    if (output->kind == GS_OUTPUT_POSITIONED)
        GS_TRY(gs_inputs_detach(inputs, output->device, output->inode, &own_bytes, err));
    GS_TRY(read_pipes(inputs, &limit, &read_bytes, &reading, err));
    own_bytes += read_bytes;
    GS_TRY(make_spans(inputs, &spans, &keys, err));
    if (!options.unique)
        GS_TRY(gs_output_reserve(output, keys * GS_KEY_BYTES, err));

    if (limit.limit_bytes > 0)
        options.memory_bytes = limit.limit_bytes > own_bytes ? limit.limit_bytes - own_bytes : 1;
    /* Only a temporary can be read back; the library proves a stream while it is written. */
    to.sink.stream =
        output->kind == GS_OUTPUT_STREAM || (options.verify && output->kind != GS_OUTPUT_TEMPORARY);
    GS_TRY(gs_sort(&options, spans, inputs->count, &to.sink, progress, stats, err));
    if (options.verify && output->kind == GS_OUTPUT_TEMPORARY)
        GS_TRY(gs_verify_file(&options, output->fd, 0, stats, output->name, err));

    bytes = stats->keys_out * GS_KEY_BYTES;
    start = gs_now_ns();
    GS_TRY(gs_output_publish(output, bytes, err));
    publishing.ns = gs_now_ns() - start;
    add_stage(&stats->stages[GS_STAGE_WRITE], &publishing);
    add_stage(&stats->stages[GS_STAGE_READ], &reading);
    stats->memory_bytes += own_bytes;

cleanup:
    free(spans);
    return st;
}

enum gs_status gs_mode_sort(const struct gs_command *command, struct gs_progress *progress,
                            uint64_t start_ns, struct gs_error *err)
{
    struct gs_inputs inputs;
    struct gs_output output;
    struct gs_stats stats = {0};
    enum gs_status st =
        gs_inputs_open(&inputs, command->files, command->file_count, GS_KEY_BYTES, err);
    if (st != GS_OK)
        return st;
    st = gs_output_open(&output, command->output, err);
    if (st == GS_OK) {
        gs_report_watch(&inputs, "sorted");
        st = sort_opened(command, progress, &inputs, &output, &stats, err);
        gs_report_watch(NULL, NULL);
        gs_output_discard(&output);
    }
    uint64_t wall_ns = gs_now_ns() - start_ns;
    gs_progress_stop();
    if (stats.warning[0] != '\0')
        gs_report_line("warning: %s", stats.warning);
    if (st == GS_OK && command->stats != GS_STATS_NONE)
        st = gs_stats_print(&stats, command, wall_ns, err);
    gs_inputs_close(&inputs);
    return st;
}
