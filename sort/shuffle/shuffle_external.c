/* shuffle_external.c -- records in a random order, more than memory may hold.
 * SPDX-License-Identifier: MIT
 *
 *   input --> chunk by chunk, dealt to bins in memory --> temporary files
 *                                                             |
 *      output <-- those of a bin change places <-- load <-- as many bins as fit, of all chunks
 *
 * A bin is a 4096th of the input. Dealing is chunks.c, the rest groups.c.
 */
#include "sort/shuffle/shuffle.h"
#include "sort/shuffle/shuffling.h"

#include "common/clock.h"
#include "common/memory/memory.h"

#include <stdlib.h>

enum gs_status gs_shuffle_no_memory(struct gs_error *err)
{
    return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to shuffle");
}

enum gs_status gs_shuffle_need(char **buffer, uint64_t *room, uint64_t bytes, struct gs_error *err)
{
    if (bytes <= *room)
        return GS_OK;
    gs_pages_free(*buffer, *room);
    *room = 0;
    *buffer = gs_pages_alloc(bytes);
    if (*buffer == NULL)
        return gs_shuffle_no_memory(err);
    *room = bytes;
    return GS_OK;
}

void gs_shuffle_keep(const struct gs_error *error, enum gs_status *st, struct gs_error *err)
{
#pragma omp critical(gs_shuffle_error)
    {
        *st = error->status;
        *err = *error;
    }
}

enum gs_status gs_shuffle_external(const struct gs_options *options,
                                   const struct gs_external *source, struct gs_sink *sink,
                                   struct gs_progress *progress, struct gs_stats *stats,
                                   struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_progress own_progress = {.phase = NULL};
    uint64_t start_ns = gs_now_ns();
    struct gs_shuffling all = {
        .options = options,
        .source = source,
        .sink = sink,
        .progress = progress != NULL ? progress : &own_progress,
        .stats = stats,
        .journal = source->read == NULL && source->held_bytes == 0 ? source->journal : NULL,
        .threads = gs_threads(options),
        .bytes = gs_record_bytes(options),
        .memory = gs_shuffle_for_groups(source->memory_bytes)};
    *stats = (struct gs_stats){.memory_bytes = source->memory_bytes};
    gs_shuffle_describe(options, stats);
    all.deal = gs_dealing_new(all.threads);
    all.head = calloc(1, GS_CHUNK_HEAD_BYTES);
    if (all.deal == NULL || all.head == NULL)
        GS_TRY(gs_shuffle_no_memory(err));
    GS_TRY(gs_trail_open(&all.trail, options, gs_shuffle_look, sink, err));
    GS_TRY(gs_spill_open(&all.spill, source->directories, source->directory_count, source->direct,
                         err));
    gs_progress_enter(all.progress, gs_stage_name(GS_STAGE_SCATTER), 0);
    GS_TRY(gs_shuffle_deal(&all, err));
    gs_shuffle_note(stats, GS_STAGE_SCATTER, &start_ns, all.done, 2 * all.done * all.bytes);
    stats->keys_in = stats->keys_out = all.done;
    GS_TRY(gs_shuffle_emit(&all, err));
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
