/* sorter_work.c -- a sorter's records are sorted: in memory, or through temporary files.
 * SPDX-License-Identifier: MIT
 *
 * As the command sorts a pipe: what has come is sorted in memory if that has room for it and for
 * the sort; else by the external sort, which reads on from those who push. If there are several
 * orders, that cannot be, since it reads but once: then temporary files keep all records as they
 * came, and each order is an external sort of these.
 */
#include "sort/files/memory_limit.h"
#include "sort/library/array_sink.h"
#include "sort/library/sorter.h"
#include "sort/sort.h"

#include "common/memory/memory.h"

#include <sys/mman.h>

/* What the sort writes to. */
struct batches {
    struct gs_sink sink;
    struct gsort_sorter *sorter;
};

static enum gs_status hand_over(struct gs_sink *sink, const void *keys, uint64_t count,
                                uint64_t position, struct gs_error *err)
{
    (void)position;
    return gs_handover_write(&((struct batches *)sink)->sorter->handover, keys, count, err);
}

static void release(struct gs_sink *sink, const void *keys, uint64_t count)
{
    const struct gsort_sorter *sorter = ((struct batches *)sink)->sorter;
    gs_pages_advise(keys, count * sorter->record_bytes, MADV_DONTNEED);
}

struct gs_options gs_sorter_options(const struct gsort_sorter *sorter, size_t order, bool small)
{
    struct gs_options options = sorter->kinds[order]->options;
    gs_array_options(&options, &sorter->given, small);
    options.memory_bytes = 0;
    return options;
}

bool gs_sorter_fits(const struct gsort_sorter *sorter, uint64_t bytes)
{
    const uint64_t limit = sorter->memory_bytes;
    struct gs_forecast forecast;
    if (sorter->order_count == 1) {
        struct gs_options options = gs_sorter_options(sorter, 0, false);
        return gs_memory_fits(&options, limit, bytes, bytes / sorter->record_bytes, &forecast);
    }
    for (size_t i = 0; i < sorter->order_count; i++) { /* the records stay for the next one */
        const struct gs_options options = gs_sorter_options(sorter, i, false);
        const uint64_t buffers = gs_memory_buffers(&options, bytes / sorter->record_bytes);
        if (bytes > limit || buffers > limit - bytes)
            return false;
    }
    return true;
}

enum gs_status gs_sorter_sort_held(void *context, struct gs_progress *progress,
                                   struct gs_error *err)
{
    enum gs_status st;
    struct gsort_sorter *sorter = context;
    const struct gs_record_store *store = &sorter->store;
    struct gs_options options =
        gs_sorter_options(sorter, sorter->order, store->used <= GS_SMALL_BYTES);
    const struct gs_width *width = gs_width(&options);
    const struct gs_span span = {
        .keys = store->bytes, .count = store->used / sorter->record_bytes, .name = "sorter"};
    struct batches to = {.sink = {.write = hand_over, .stream = true}, .sorter = sorter};
    struct gs_stats stats = {.keys_out = 0};
    struct gs_forecast forecast;
    GS_TRY(width->check_options(&options, err));
    GS_TRY(width->check_count(&options, span.count, err));
    if (sorter->order_count == 1) {
        to.sink.forget = release;
        (void)gs_memory_fits(&options, sorter->memory_bytes, store->used, span.count, &forecast);
    }
    options.memory_bytes = sorter->memory_bytes;
    options.own.held_bytes = store->used;
    st = width->sort(&options, &span, 1, &to.sink, progress, &stats, err);
cleanup:
    return st;
}

static void let_go(void *context, enum gs_use use, const void *keys, uint64_t count)
{
    struct gsort_sorter *sorter = context;
    const char *const end = (const char *)keys + count * sorter->record_bytes;
    if (use != GS_USE_DONE)
        return;
    if (end == sorter->store.bytes + sorter->store.used)
        gs_record_store_drop(&sorter->store);
    else
        gs_pages_advise(keys, count * sorter->record_bytes, MADV_DONTNEED);
}

/* Read what is pushed from now on, or what temporary files have. */
static enum gs_status read_on(void *context, void *to, uint64_t room, uint64_t *got,
                              struct gs_error *err)
{
    struct gsort_sorter *sorter = context;
    const uint64_t bytes = room * sorter->record_bytes;
    uint64_t read = 0;
    const enum gs_status st = sorter->store.spilled
                                  ? gs_record_store_read(&sorter->store, to, bytes, &read, err)
                                  : gs_handover_read(&sorter->handover, to, bytes, &read, err);
    *got = read / sorter->record_bytes;
    return st;
}

enum gs_status gs_sorter_sort_external(void *context, struct gs_progress *progress,
                                       struct gs_error *err)
{
    enum gs_status st;
    struct gsort_sorter *sorter = context;
    const struct gs_record_store *store = &sorter->store;
    const struct gs_options options = gs_sorter_options(sorter, sorter->order, false);
    const struct gs_width *width = gs_width(&options);
    const struct gs_span held = {
        .keys = store->bytes, .count = store->used / sorter->record_bytes, .name = "sorter"};
    const struct gs_external source = {.spans = &held,
                                       .span_count = held.count > 0 ? 1 : 0,
                                       .advise = let_go,
                                       .read = read_on,
                                       .context = sorter,
                                       .memory_bytes = sorter->memory_bytes,
                                       .held_bytes = store->used,
                                       .directories = sorter->directories,
                                       .directory_count = sorter->directory_count};
    struct batches to = {.sink = {.write = hand_over, .stream = true}, .sorter = sorter};
    struct gs_stats stats = {.keys_out = 0};
    GS_TRY(width->check_options(&options, err));
    if (width->check_external != NULL)
        GS_TRY(width->check_external(&options, sorter->memory_bytes, held.count, err));
    st = width->sort_external(&options, &source, &to.sink, progress, &stats, err);
cleanup:
    return st;
}
