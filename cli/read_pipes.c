/* read_pipes.c -- read pipes into memory, as long as all input can be sorted there.
 * SPDX-License-Identifier: MIT
 */
#include "cli/read_pipes.h"

#include "cli/ahead.h"
#include "cli/memory_limit.h"
#include "common/clock.h"
#include "sort/gsort.h"

#include <stdlib.h>

void gs_read_limit_bound_dirty(const struct gs_read_limit *limit, uint64_t held, uint64_t bytes,
                               bool spills)
{
    uint64_t rest = limit->bytes > held ? limit->bytes - held : 0;
    if (spills)
        gs_memory_bound_dirty(limit->options, rest, rest, 2 * bytes);
    else
        gs_memory_bound_dirty(limit->options, rest,
                              gs_width(limit->options)
                                  ->memory(limit->options, bytes / gs_record_bytes(limit->options)),
                              bytes);
}

bool gs_read_limit_exceeded(const struct gs_read_limit *limit, uint64_t held, uint64_t keys)
{
    return gs_width(limit->options)
        ->external_needed(limit->options, limit->bytes, gs_memory_held(limit->options, keys, held),
                          keys);
}

/* Would -u keep most of the keys that have come so far? */
static bool most_stay(const struct gs_read_limit *limit)
{
    const struct gs_inputs *inputs = limit->inputs;
    struct gs_span *spans = calloc(inputs->count, sizeof *spans);
    if (spans == NULL)
        return false;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        bool reads = input->bytes == NULL;
        spans[i].keys = reads ? (const void *)input->memory.bytes : input->bytes;
        spans[i].count =
            (reads ? input->memory.used : input->size) / gs_record_bytes(limit->options);
    }
    bool most = gs_width(limit->options)->keeps_most(limit->options, spans, inputs->count);
    free(spans);
    return most;
}

/* Tell how many keys have come, and may be moved to their bins. */
static void tell_incoming(const struct gs_read_limit *limit)
{
    const struct gs_slurp *memory = &limit->inputs->list[0].memory;
    gs_width(limit->options)
        ->incoming_tell(limit->options->incoming, memory->bytes,
                        memory->used / gs_record_bytes(limit->options));
}

static void pause_incoming(void *context)
{
    const struct gs_read_limit *limit = context;
    gs_width(limit->options)->incoming_pause(limit->options->incoming);
}

/* `known` bytes of input have come, `bytes` of them in memory: twice as many as at the last call.
 * Before more pages are made, bound dirty pages for all that may come until the next call, and
 * decide whether the pages are worth making. */
static void ask_again(struct gs_read_limit *limit, uint64_t bytes, uint64_t known)
{
    pause_incoming(limit);
    limit->asked_bytes = known;
    gs_read_limit_bound_dirty(limit, bytes, 2 * known, false);
    limit->pages = limit->output != NULL && (!limit->options->unique || most_stay(limit));
}

/* Does what was read, with what sorting it takes, keep to the limit, be it with fewer threads? */
static bool is_reached(const struct gs_read_limit *limit, uint64_t bytes, uint64_t keys)
{
    struct gs_options options = *limit->options;
    struct gs_read_limit fewer = *limit;
    options.threads = gs_memory_threads(&options, limit->bytes, bytes, keys);
    fewer.options = &options;
    return gs_read_limit_exceeded(&fewer, bytes, keys);
}

/* The gate of gs_inputs_read. */
static enum gs_status check_limit(void *context, uint64_t bytes, struct gs_error *err)
{
    struct gs_read_limit *limit = context;
    uint64_t known = limit->mapped_bytes + bytes;
    uint64_t keys = known / gs_record_bytes(limit->options);
    if (known >= GS_DIRTY_BYTES && known >= 2 * limit->asked_bytes)
        ask_again(limit, bytes, known);
    gs_start_ahead(limit->options, known, limit->pages ? limit->output : NULL,
                   gs_now_ns() - limit->begin_ns + 1);
    atomic_store(&limit->progress->done, bytes / gs_record_bytes(limit->options));
    if (gs_width(limit->options)->check_count(limit->options, keys, err) != GS_OK)
        return err->status;
    limit->reached = is_reached(limit, bytes, keys);
    if (limit->reached)
        return GS_ERR_MEMORY;
    tell_incoming(limit);
    return GS_OK;
}

enum gs_status gs_read_pipes(struct gs_read_limit *limit, uint64_t *read_bytes,
                             struct gs_stage_stats *stage, struct gs_error *err)
{
    struct gs_inputs *inputs = limit->inputs;
    limit->mapped_bytes = gs_inputs_bytes(inputs);
    if (!gs_inputs_pending(inputs))
        return GS_OK;
    limit->begin_ns = gs_now_ns();
    gs_progress_enter(limit->progress, gs_stage_name(GS_STAGE_READ), 0);
    const struct gs_slurp_watch watch = {
        .gate = check_limit, .moves = pause_incoming, .context = limit};
    enum gs_status st = gs_inputs_read(inputs, gs_record_bytes(limit->options), &watch, err);
    tell_incoming(limit); /* the buffer may have moved before the end was seen */
    gs_width(limit->options)->incoming_end(limit->options->incoming);
    if (st == GS_ERR_MEMORY && err->status != GS_OK) { /* less than -S says, but all there is */
        *err = (struct gs_error){.status = GS_OK};
        limit->reached = true;
    }
    if (st != GS_OK && !limit->reached)
        return st;
    *read_bytes = gs_inputs_bytes(inputs) - limit->mapped_bytes;
    *stage =
        gs_stage_since(limit->begin_ns, *read_bytes / gs_record_bytes(limit->options), *read_bytes);
    return GS_OK;
}
