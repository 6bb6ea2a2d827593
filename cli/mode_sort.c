/* mode_sort.c -- sort all inputs into the output.
 * SPDX-License-Identifier: MIT
 */
#include "cli/modes.h"
#include "cli/ahead.h"
#include "cli/memory_limit.h"
#include "cli/output_sink.h"
#include "cli/spilled_sort.h"
#include "cli/work.h"
#include "common/clock.h"
#include "common/input.h"
#include "common/output.h"
#include "sort/external.h"
#include "sort/incoming.h"

#include <stdlib.h>

/* Fewer bytes do not fill a control group while they wait for the disk. */
#define GS_DIRTY_BYTES (UINT64_C(8) << 20)

/* Of pipes whose end is not seen yet: more than there is room for. */
#define UNKNOWN_BYTES (UINT64_MAX / 2)

/* What bounds the reading of pipes. */
struct read_limit {
    const struct gs_options *options; /* ->incoming: the only input is a pipe, and its keys are
                                       * taken to their bins while it is read */
    struct gs_progress *progress;
    uint64_t mapped_bytes; /* input that costs no memory of ours, but sorting it does */
    uint64_t limit_bytes;
    struct gs_output *output; /* whose pages are to be made meanwhile, or NULL */
    uint64_t begin_ns;        /* of reading */
    bool reached;             /* there is more than sorting it in memory allows */
    uint64_t ask_bytes;       /* when so many have come, see what may wait for the disk, */
    bool pages;               /* and whether the output will be as long, more or less */
    const struct gs_inputs *inputs;
};

/* So many bytes will be written, or twice as many if they go through temporary files; `held` are in
 * memory now. */
static void bound_dirty(const struct read_limit *limit, uint64_t held, uint64_t bytes, bool spills)
{
    uint64_t rest = limit->limit_bytes > held ? limit->limit_bytes - held : 0;
    if (spills)
        gs_memory_bound_dirty(limit->options, rest, rest, 2 * bytes);
    else
        gs_memory_bound_dirty(limit->options, rest,
                              gs_sort_memory(limit->options, bytes / GS_KEY_BYTES), bytes);
}

/* Are `held` bytes of so many keys in memory too much to sort all in memory? */
static bool exceeds(const struct read_limit *limit, uint64_t held, uint64_t keys)
{
    return gs_external_needed(limit->options, limit->limit_bytes,
                              gs_memory_held(limit->options, keys, held), keys);
}

/* Would most of the keys that have come stay under -u? */
static bool most_stay(const struct read_limit *limit)
{
    const struct gs_inputs *inputs = limit->inputs;
    struct gs_span *spans = calloc(inputs->count, sizeof *spans);
    if (spans == NULL)
        return false;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        bool reads = input->bytes == NULL;
        spans[i].keys = reads ? (const gs_key *)(void *)input->memory.bytes : input->bytes;
        spans[i].count = (reads ? input->memory.used : input->size) / GS_KEY_BYTES;
    }
    bool most = gs_sort_keeps_most(limit->options, spans, inputs->count);
    free(spans);
    return most;
}

/* So much has come, and may be taken to its bins. */
static void tell_incoming(const struct read_limit *limit)
{
    const struct gs_slurp *memory = &limit->inputs->list[0].memory;
    gs_incoming_tell(limit->options->incoming, (gs_key *)(void *)memory->bytes,
                     memory->used / GS_KEY_BYTES);
}

static void pause_incoming(void *context)
{
    const struct read_limit *limit = context;
    gs_incoming_pause(limit->options->incoming);
}

/* The gate of gs_inputs_read: are what was read and what sorting it takes still in the limit? */
static enum gs_status check_limit(void *context, uint64_t bytes, struct gs_error *err)
{
    struct read_limit *limit = context;
    uint64_t known = limit->mapped_bytes + bytes;
    uint64_t keys = known / GS_KEY_BYTES;
    if (known >= limit->ask_bytes) { /* before pages are made, for all until it is asked again */
        pause_incoming(limit);
        limit->ask_bytes = 2 * known;
        bound_dirty(limit, bytes, 2 * known, false);
        limit->pages = limit->output != NULL && (!limit->options->unique || most_stay(limit));
    }
    gs_start_ahead(limit->options, known, limit->pages ? limit->output : NULL,
                   gs_now_ns() - limit->begin_ns + 1);
    atomic_store(&limit->progress->done, bytes / GS_KEY_BYTES);
    if (gs_options_check_count(limit->options, keys, err) != GS_OK)
        return err->status;
    limit->reached = exceeds(limit, bytes, keys);
    if (limit->reached)
        return GS_ERR_MEMORY;
    tell_incoming(limit);
    return GS_OK;
}

/* Read what is not mapped, until the limit is reached; its time and size go into *stage. */
static enum gs_status read_pipes(struct gs_inputs *inputs, struct read_limit *limit,
                                 uint64_t *read_bytes, struct gs_stage_stats *stage,
                                 struct gs_error *err)
{
    limit->mapped_bytes = gs_inputs_bytes(inputs);
    if (!gs_inputs_pending(inputs))
        return GS_OK;
    limit->begin_ns = gs_now_ns();
    gs_progress_enter(limit->progress, gs_stage_name(GS_STAGE_READ), 0);
    const struct gs_slurp_watch watch = {
        .gate = check_limit, .moves = pause_incoming, .context = limit};
    enum gs_status st = gs_inputs_read(inputs, GS_KEY_BYTES, &watch, err);
    tell_incoming(limit); /* they may have moved before the end was seen */
    gs_incoming_end(limit->options->incoming);
    if (st != GS_OK && !limit->reached)
        return st;
    *read_bytes = gs_inputs_bytes(inputs) - limit->mapped_bytes;
    *stage = gs_stage_since(limit->begin_ns, *read_bytes / GS_KEY_BYTES, *read_bytes);
    return GS_OK;
}

/* Files that are not in the page cache come there, in order. */
static void fetch(const struct gs_inputs *inputs, struct gs_progress *progress,
                  struct gs_stage_stats *stage)
{
    gs_progress_enter(progress, gs_stage_name(GS_STAGE_READ), 0);
    uint64_t start = gs_now_ns();
    uint64_t bytes = gs_fetch_inputs(inputs);
    *stage = gs_stage_since(start, bytes / GS_KEY_BYTES, bytes);
}

/* Sort inputs that are all in memory or mapped; own_bytes are in memory. */
static enum gs_status sort_in_memory(const struct read_limit *limit, uint64_t own_bytes,
                                     const struct gs_inputs *inputs, struct gs_output *output,
                                     struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st;
    struct gs_progress *progress = limit->progress;
    struct gs_options options = *limit->options;
    struct gs_span *spans = NULL;
    uint64_t keys;
    struct gs_stage_stats fetching;
    struct gs_output_sink to = gs_output_sink(output, &options, inputs);
    options.leave_device = true; /* main ends that way */
    GS_TRY(gs_make_spans(inputs, &spans, &keys, err));
    if (!options.unique)
        GS_TRY(gs_output_reserve(output, keys * GS_KEY_BYTES, err));
    gs_start_ahead(&options, keys * GS_KEY_BYTES, options.unique ? NULL : output, 0);
    fetch(inputs, progress, &fetching);
    options.memory_bytes = limit->limit_bytes;
    options.held_bytes = own_bytes;
    GS_TRY(gs_sort(&options, spans, inputs->count, &to.sink, progress, stats, err));
    if (fetching.bytes > 0)
        gs_stage_add(&stats->stages[GS_STAGE_READ], &fetching);
cleanup:
    gs_output_sink_close(&to);
    free(spans);
    return st;
}

static enum gs_status write_sorted(const struct gs_command *command, struct gs_progress *progress,
                                   struct gs_inputs *inputs, struct gs_output *output,
                                   struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st;
    struct gs_stage_stats reading = {0};
    uint64_t own_bytes = 0; /* input that is held in memory */
    bool makes_pages = !output->direct && output->kind != GS_OUTPUT_STREAM &&
                       !(output->kind == GS_OUTPUT_POSITIONED &&
                         gs_inputs_await(inputs, output->device, output->inode));
    struct gs_options options = command->sort;
    struct read_limit limit = {.options = &options,
                               .progress = progress,
                               .limit_bytes =
                                   gs_memory_limit(command, gs_inputs_bytes(inputs) / GS_KEY_BYTES,
                                                   gs_inputs_pending(inputs)),
                               .output = makes_pages ? output : NULL,
                               .ask_bytes = GS_DIRTY_BYTES,
                               .inputs = inputs};
    if (inputs->count == 1 && gs_inputs_pending(inputs))
        options.incoming = gs_incoming_new(&command->sort);
    GS_TRY(read_pipes(inputs, &limit, &own_bytes, &reading, err));
    gs_output_begin(output); /* it may share its position with what was read */
    /* What is written over must be copied: that takes memory too. (The external sort has read
     * everything before it writes.) */
    uint64_t copied = output->kind == GS_OUTPUT_POSITIONED
                          ? gs_inputs_same(inputs, output->device, output->inode, output->start)
                          : 0;
    uint64_t keys = (limit.mapped_bytes + own_bytes) / GS_KEY_BYTES;
    GS_TRY(gs_options_check_count(&command->sort, keys, err));
    bool spills = limit.reached || exceeds(&limit, own_bytes + copied, keys);
    if (spills)
        gs_output_end_prefill(output); /* its pages count as memory, and are not needed for long */
    else if (copied > 0)
        GS_TRY(gs_inputs_detach(inputs, output->device, output->inode, output->start, &own_bytes,
                                err));
    if (limit.reached || keys >= GS_DIRTY_BYTES / GS_KEY_BYTES)
        bound_dirty(&limit, own_bytes,
                    gs_inputs_pending(inputs) ? UNKNOWN_BYTES : keys * GS_KEY_BYTES, spills);
    if (spills)
        GS_TRY(gs_spilled_sort(command, limit.limit_bytes, own_bytes, inputs, output, progress,
                               stats, err));
    else
        GS_TRY(sort_in_memory(&limit, own_bytes, inputs, output, stats, err));
    gs_stage_add(&stats->stages[GS_STAGE_READ], &reading);

cleanup:
    gs_incoming_free(options.incoming);
    return st;
}

/* A GPU starts while the output is opened. */
static void prepare(const struct gs_command *command, struct gs_inputs *inputs)
{
    uint64_t keys = gs_inputs_bytes(inputs) / GS_KEY_BYTES;
    gs_inputs_make_room(inputs, gs_address_space_wanted(command, keys, gs_inputs_pending(inputs)));
    inputs->populates = gs_reads_with_help(&command->sort);
    gs_start_ahead(&command->sort, gs_inputs_bytes(inputs), NULL, 0);
}

enum gs_status gs_mode_sort(const struct gs_command *command, struct gs_progress *progress,
                            uint64_t start_ns, struct gs_error *err)
{
    static const struct gs_work work = {
        .verb = "sorted", .prepare = prepare, .write = write_sorted};
    return gs_work_run(&work, command, progress, start_ns, err);
}
