/* external_sorter.c -- buffers, bookkeeping and output of one external sort.
 * SPDX-License-Identifier: MIT
 */
#include "sort/external/external_sorter.h"

#include "common/memory/memory.h"

#include <stddef.h>

void gs_external_account(struct gs_external_sorter *sorter, enum gs_stage stage, uint64_t start,
                         uint64_t keys, uint64_t bytes_per_key)
{
    const struct gs_stage_stats row = gs_stage_since(start, keys, keys * bytes_per_key);
    gs_stage_add(&sorter->stats->stages[stage], &row);
}

enum gs_status gs_external_need(gs_key **pages, uint64_t keys, struct gs_error *err)
{
    if (*pages == NULL)
        *pages = gs_pages_alloc(keys * GS_KEY_BYTES);
    if (*pages == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %.1f MB of keys",
                       (double)keys * GS_KEY_BYTES / 1e6);
    return GS_OK;
}

void gs_external_drop(gs_key **pages, uint64_t keys)
{
    gs_pages_free(*pages, keys * GS_KEY_BYTES);
    *pages = NULL;
}

void gs_external_phase(struct gs_external_sorter *sorter, enum gs_stage stage, uint64_t total)
{
    gs_progress_enter(sorter->progress, gs_stage_name(stage), total);
}

enum gs_status gs_external_write(struct gs_sink *sink, const void *data, uint64_t count,
                                 uint64_t position, struct gs_error *err)
{
    struct gs_external_sorter *sorter =
        (struct gs_external_sorter *)(void *)((char *)sink -
                                              offsetof(struct gs_external_sorter, sink));
    position += sorter->position;
    enum gs_status st = gs_trail_follow(&sorter->trail, data, count, position, err);
    return st == GS_OK ? sorter->target->write(sorter->target, data, count, position, err) : st;
}
