/* read_pipes.c -- read pipes into memory, as long as all input can be sorted there.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/read_pipes.h"

#include "sort/files/ahead.h"
#include "sort/files/memory_limit.h"
#include "common/clock.h"
#include "sort/sort.h"

#include <stdlib.h>

/* How far ahead to look for what keeps to the limit: a quarter of that at most, or as much as has
 * come, and an eighth of what has come at least. */
#define AHEAD_OF_LIMIT 4
#define AHEAD_LEAST    8

void gs_read_limit_bound_dirty(const struct gs_read_limit *limit, uint64_t held, uint64_t bytes,
                               bool spills)
{
    const struct gs_options *options = limit->options;
    const uint64_t rest = limit->bytes > held ? limit->bytes - held : 0;
    const uint64_t needed =
        spills ? rest : gs_memory_buffers(options, bytes / gs_record_bytes(options));
    gs_memory_bound_dirty(options, rest, needed, spills ? 2 * bytes : bytes);
}

/* Would -u keep most of the keys that have come so far? */
static bool most_stay(const struct gs_read_limit *limit)
{
    const struct gs_inputs *inputs = limit->inputs;
    const struct gs_width *calls = gs_width(limit->options);
    struct gs_span *spans = calloc(inputs->count, sizeof *spans);
    if (spans == NULL || calls->keeps_most == NULL) {
        free(spans);
        return false;
    }
    for (size_t i = 0; i < inputs->count; i++) {
        const struct gs_input *input = &inputs->list[i];
        bool reads = input->bytes == NULL;
        spans[i].keys = reads ? (const void *)input->memory.bytes : input->bytes;
        spans[i].count =
            (reads ? input->memory.used : input->size) / gs_record_bytes(limit->options);
    }
    bool most = calls->keeps_most(limit->options, spans, inputs->count);
    free(spans);
    return most;
}

/* What moves keys to their bins meanwhile, or NULL. */
static const struct gs_incoming_calls *incoming_calls(const struct gs_read_limit *limit)
{
    return limit->options->own.incoming != NULL ? gs_width(limit->options)->incoming : NULL;
}

/* Tell how many keys have come, and may be moved to their bins. */
static void tell_incoming(const struct gs_read_limit *limit)
{
    const struct gs_slurp *memory = &limit->inputs->list[0].memory;
    if (incoming_calls(limit) != NULL)
        incoming_calls(limit)->tell(limit->options->own.incoming, memory->bytes,
                                    memory->used / gs_record_bytes(limit->options));
}

static void pause_incoming(void *context)
{
    const struct gs_read_limit *limit = context;
    if (incoming_calls(limit) != NULL)
        incoming_calls(limit)->pause(limit->options->own.incoming);
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

/* Does what was read, with what sorting it takes, go beyond the limit, be it with fewer threads?
 * What keeps to it with more to come need not be forecast again until that has come. */
static bool is_reached(struct gs_read_limit *limit, uint64_t bytes, uint64_t keys)
{
    struct gs_options options = *limit->options;
    struct gs_forecast forecast;
    const unsigned record_bytes = gs_record_bytes(&options);
    if (keys <= limit->fitting)
        return false;
    if (!gs_memory_fits(&options, limit->bytes, bytes, keys, &forecast))
        return true;
    uint64_t more = limit->bytes / AHEAD_OF_LIMIT / record_bytes;
    for (more = more > keys ? more : keys; more > keys / AHEAD_LEAST; more /= 2) {
        options.threads = limit->options->threads;
        if (gs_memory_fits(&options, limit->bytes, bytes + more * record_bytes, keys + more,
                           &forecast)) {
            limit->fitting = keys + more;
            break;
        }
    }
    return false;
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
    if (incoming_calls(limit) != NULL)
        incoming_calls(limit)->end(limit->options->own.incoming);
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
