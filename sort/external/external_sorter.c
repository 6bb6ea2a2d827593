/* external_sorter.c -- buffers, bookkeeping and output of one external sort.
 * SPDX-License-Identifier: MIT
 */
#include "sort/external/external_sorter.h"

#include "common/clock.h"
#include "common/memory/memory.h"

#include <stddef.h>
#include <stdio.h>

/* A chunk has at least 1 / HELD_SHARE of plan.chunk_keys, however much memory the input holds. */
#define HELD_SHARE 32

void gs_external_account(struct gs_external_sorter *sorter, enum gs_stage stage, uint64_t start,
                         uint64_t keys, uint64_t bytes_per_key)
{
    const struct gs_stage_stats row = gs_stage_since(start, keys, keys * bytes_per_key);
    gs_stage_add(&sorter->stats->stages[stage], &row);
}

enum gs_status gs_external_need(gs_key **pages, uint64_t bytes, struct gs_error *err)
{
    if (*pages == NULL)
        *pages = gs_pages_alloc(bytes);
    if (*pages == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %.1f MB of keys",
                       (double)bytes / 1e6);
    return GS_OK;
}

void gs_external_drop(gs_key **pages, uint64_t bytes)
{
    gs_pages_free(*pages, bytes);
    *pages = NULL;
}

void gs_external_advise_spans(const struct gs_external_sorter *sorter, enum gs_use use,
                              const struct gs_span *spans, size_t span_count)
{
    const struct gs_external *source = sorter->source;
    for (size_t i = 0; i < span_count && source->advise != NULL; i++)
        if (spans[i].count > 0)
            source->advise(source->context, use, spans[i].keys, spans[i].count);
}

void gs_external_advise_keys(const struct gs_external_sorter *sorter, const struct gs_tiles *tiles,
                             uint64_t held, enum gs_use use, uint64_t first, uint64_t count)
{
    uint64_t end = first + count < held ? first + count : held;
    while (sorter->source->advise != NULL && first < end) {
        struct gs_tile part = gs_tiles_part(tiles, first, end - first);
        sorter->source->advise(sorter->source->context, use, part.records, part.count);
        first += part.count;
    }
}

enum gs_status gs_external_load(struct gs_external_sorter *sorter, const struct gs_level *level,
                                uint32_t low, uint32_t high, uint64_t count, struct gs_error *err)
{
    enum gs_status st;
    const uint64_t start = gs_now_ns();
    GS_TRY(gs_external_need(&sorter->load, gs_external_load_bytes(sorter), err));
    GS_TRY(gs_level_load(level, &sorter->spill, low, high, sorter->load, sorter->threads, err));
    gs_external_account(sorter, GS_STAGE_READ, start, count, sorter->entries->bytes);
cleanup:
    return st;
}

uint64_t gs_external_next_chunk(const struct gs_external_sorter *sorter, uint64_t rest)
{
    const struct gs_external *source = sorter->source;
    const uint64_t writing = sorter->entries->tagged ? sorter->pending : 0;
    uint64_t held = (rest + writing) * sorter->entries->input_bytes;
    held = held < source->held_bytes ? held : source->held_bytes;
    uint64_t memory = sorter->plan.memory_bytes;
    uint64_t left = memory > held ? memory - held : 0;
    uint64_t keys = left / GS_KEY_BYTES / 2;
    uint64_t least = sorter->plan.chunk_keys / HELD_SHARE + 1;
    keys = keys > least ? keys : least;
    keys = keys < sorter->plan.chunk_keys ? keys : sorter->plan.chunk_keys;
    return keys < rest ? keys : rest;
}

void gs_external_add_stats(struct gs_stats *sum, const struct gs_stats *group)
{
    for (int i = 0; i < GS_STAGES; i++)
        gs_stage_add(&sum->stages[i], &group->stages[i]);
    sum->samples += group->samples;
    sum->bins += group->bins;
    sum->equality_bins += group->equality_bins;
    sum->equality_keys += group->equality_keys;
    if (group->largest_bin > sum->largest_bin)
        sum->largest_bin = group->largest_bin;
    sum->threads = group->threads > sum->threads ? group->threads : sum->threads;
    sum->engine = group->engine;
    sum->device = group->device;
    sum->device_text = group->device_text;
    snprintf(sum->reason, sizeof sum->reason, "%.200s; through temporary files", group->reason);
    if (group->warning[0] != '\0')
        snprintf(sum->warning, sizeof sum->warning, "%s", group->warning);
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
