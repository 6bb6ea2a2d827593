/* ordered_input.c -- look for order in the input, check it, and copy what is in order.
 * SPDX-License-Identifier: MIT
 */
#include "sort/ways/ordered_input.h"
#include "sort/keys/order.h"
#include "sort/run/copy_ordered.h"

#include "common/clock.h"
#include "common/memory/memory.h"

/* Keys at the start of the input, and keys spread evenly over it, that gs_order_look checks. */
#define LOOK_KEYS  4096
#define LOOK_TWICE 64

static enum gs_order order_of(const gs_key *keys, uint64_t count)
{
    bool sorted = gs_order_ascending(keys, count);
    bool reversed = gs_order_descending(keys, count);
    return sorted && reversed ? GS_ORDER_EQUAL
           : sorted           ? GS_ORDER_SORTED
           : reversed         ? GS_ORDER_REVERSED
                              : GS_ORDER_NONE;
}

enum gs_order gs_order_look(const struct gs_tiles *tiles, uint64_t count)
{
    gs_key block[LOOK_KEYS];
    gs_key keys[LOOK_TWICE];
    if (count == 0)
        return GS_ORDER_SORTED;
    struct gs_tile first = gs_tiles_part(tiles, 0, LOOK_KEYS);
    enum gs_order begin = order_of(gs_tile_keys(tiles, &first, 0, first.count, block), first.count);
    if (begin == GS_ORDER_NONE)
        return GS_ORDER_NONE;
    for (uint64_t i = 0; i < LOOK_TWICE; i++)
        keys[i] = gs_tiles_key(tiles, (count - 1) / (LOOK_TWICE - 1) * i);
    keys[LOOK_TWICE - 1] = gs_tiles_key(tiles, count - 1);
    enum gs_order spread = order_of(keys, LOOK_TWICE);
    if (begin == GS_ORDER_EQUAL)
        return spread;
    return spread == begin || spread == GS_ORDER_EQUAL ? begin : GS_ORDER_NONE;
}

/* gs_ordered.fetch for the input. */
static enum gs_status fetch_input(void *context, unsigned thread, uint64_t first, uint64_t count,
                                  gs_key *to, struct gs_error *err)
{
    (void)thread;
    (void)err;
    gs_tiles_copy(context, first, count, to);
    return GS_OK;
}

/* Reset emitter and stats as if nothing had been copied: disorder was found after that long. */
static void forget_copy(struct gs_run *run, uint64_t ns)
{
    run->emitter.position = 0;
    run->emitter.begin_ns = 0;
    run->fingerprint = 0;
    run->stats->stages[GS_STAGE_READ] = run->stats->stages[GS_STAGE_WRITE] =
        (struct gs_stage_stats){0};
    gs_run_account(run, GS_STAGE_READ, GS_DEVICE_CPU, ns, 0, 0);
}

/* Check all keys for order, and copy them on the way unless `scan`. *sorted: they are in order;
 * NULL: they were, so if they are not, the input has changed. */
static enum gs_status copy_input(struct gs_run *run, bool reversed, bool scan, bool *sorted,
                                 struct gs_error *err)
{
    /* For memory, small pieces: first touch of more scratch costs more than more pieces do. Files
     * want long writes. */
    const bool memory = run->emitter.sink->memory != NULL;
    const uint64_t piece_keys = memory ? GS_TILE_KEYS / 4 : GS_TILE_KEYS;
    const uint64_t scratch_keys = piece_keys + GS_ORDERED_LEAD;
    const size_t scratch_bytes = run->plan.threads * scratch_keys * sizeof(gs_key);
    const uint64_t start = gs_now_ns();
    struct gs_error changed = {.status = GS_OK};
    struct gs_ordered ordered = {.reversed = reversed,
                                 .scan = scan,
                                 .count = run->plan.count,
                                 .fetch = fetch_input,
                                 .context = &run->tiles,
                                 .disorder = sorted == NULL ? &changed : NULL,
                                 .stage = GS_STAGE_READ,
                                 .device = GS_DEVICE_CPU,
                                 .piece_keys = piece_keys,
                                 .scratch_keys = scratch_keys,
                                 .threads = run->plan.threads,
                                 .books_fetch = true};
    ordered.straight = memory && !scan && !run->options->unique &&
                       (!run->emitter.past_cache || run->options->codec != NULL);
    ordered.scratch = gs_pages_alloc(scratch_bytes);
    if (ordered.scratch == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to copy keys");
    gs_run_phase(run, scan ? GS_STAGE_READ : GS_STAGE_WRITE, run->plan.count);
    gs_tiles_fail_changed(&run->tiles, 0, run->plan.count, &changed);
    enum gs_status st = gs_copy_ordered(run, &ordered, err);
    gs_pages_free(ordered.scratch, scratch_bytes);
    run->fingerprint = ordered.fingerprint;
    if (sorted != NULL && !(*sorted = !ordered.disordered))
        forget_copy(run, gs_now_ns() - start);
    return st;
}

enum gs_status gs_sort_ordered_input(struct gs_run *run, enum gs_order order, bool *sorted,
                                     struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const bool reversed = order == GS_ORDER_REVERSED;
    *sorted = true;
    if (run->plan.count == 0)
        return GS_OK;
    /* What has been copied to memory can be overwritten if the order ends. Under ->unique its
     * length would be unknown then, and a file or a stream has it for good. */
    const bool over_input = run->emitter.sink->over_input;
    if (run->emitter.sink->memory != NULL && !run->options->unique && !over_input)
        return copy_input(run, reversed, false, sorted, err);
    GS_TRY(copy_input(run, reversed, true, sorted, err));
    if (*sorted && over_input) {
        run->emitter.position = run->plan.count; /* it is there already */
    } else if (*sorted) {
        gs_emit_stage(&run->emitter, run->plan.count);
        GS_TRY(copy_input(run, reversed, false, NULL, err));
    }
cleanup:
    return st;
}
