/* sorter_work.c -- a sorter's records are sorted: in memory, or through temporary files.
 * SPDX-License-Identifier: MIT
 *
 * As the command sorts a pipe: what has come is sorted in memory if that has room for it and for
 * the sort; else by the external sort, which reads on from those who push. If there are several
 * orders, that cannot be, since it reads but once: then temporary files keep all records by the
 * cells of a grid, and each order is sorted in memory, as many of its slabs at a time as that has
 * room for. A slab that is too large alone goes through the external sort.
 */
#include "sort/files/memory_limit.h"
#include "sort/library/array_sink.h"
#include "sort/library/sorter_state.h"
#include "sort/sort.h"

#include "common/memory/memory.h"

#include <stdlib.h>
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

/* Can so many records be sorted in memory, where those of several orders stay for the next one? If
 * so with fewer threads alone, options then say so many. */
static bool fits(const struct gsort_sorter *sorter, struct gs_options *options, uint64_t count)
{
    const uint64_t limit = sorter->memory_bytes;
    const uint64_t bytes = count * sorter->record_bytes;
    const uint64_t stay = sorter->order_count > 1 ? bytes : 0;
    struct gs_forecast forecast;
    return stay <= limit && gs_memory_fits(options, limit - stay, bytes - stay, count, &forecast);
}

bool gs_sorter_fits(const struct gsort_sorter *sorter, uint64_t bytes)
{
    for (size_t i = 0; i < sorter->order_count; i++) {
        struct gs_options options = gs_sorter_options(sorter, i, false);
        if (!fits(sorter, &options, bytes / sorter->record_bytes))
            return false;
    }
    return true;
}

/* Those at the start of the store, by options that fit them. */
static enum gs_status sort_in_memory(struct gsort_sorter *sorter, struct gs_options *options,
                                     uint64_t count, struct gs_progress *progress,
                                     struct gs_error *err)
{
    const struct gs_span span = {.keys = sorter->store.bytes, .count = count, .name = "sorter"};
    struct batches to = {.sink = {.write = hand_over,
                                  .forget = sorter->order_count == 1 ? release : NULL,
                                  .stream = true},
                         .sorter = sorter};
    struct gs_stats stats = {.keys_out = 0};
    options->memory_bytes = sorter->memory_bytes;
    options->own.held_bytes = count * sorter->record_bytes;
    return count == 0 ? GS_OK
                      : gs_width(options)->sort(options, &span, 1, &to.sink, progress, &stats, err);
}

enum gs_status gs_sorter_sort_held(void *context, struct gs_progress *progress,
                                   struct gs_error *err)
{
    struct gsort_sorter *sorter = context;
    const uint64_t bytes = sorter->store.used;
    const uint64_t count = bytes / sorter->record_bytes;
    struct gs_options options = gs_sorter_options(sorter, sorter->order, bytes <= GS_SMALL_BYTES);
    (void)fits(sorter, &options, count);
    return sort_in_memory(sorter, &options, count, progress, err);
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

/* gs_external.read */
static enum gs_status read_fed(void *context, void *to, uint64_t room, uint64_t *got,
                               struct gs_error *err)
{
    struct gsort_sorter *sorter = context;
    uint64_t read = 0;
    const enum gs_status st =
        gs_handover_read(&sorter->handover, to, room * sorter->record_bytes, &read, err);
    *got = read / sorter->record_bytes;
    return st;
}

static enum gs_status read_spilled(void *context, void *to, uint64_t room, uint64_t *got,
                                   struct gs_error *err)
{
    return gs_grid_store_read(&((struct gsort_sorter *)context)->grid, to, room, got, err);
}

/* What `source` says of its spans, and what it reads, is set. */
static enum gs_status sort_external(struct gsort_sorter *sorter, struct gs_external *source,
                                    struct gs_progress *progress, struct gs_error *err)
{
    enum gs_status st;
    const struct gs_options options = gs_sorter_options(sorter, sorter->order, false);
    struct batches to = {.sink = {.write = hand_over, .stream = true}, .sorter = sorter};
    struct gs_stats stats = {.keys_out = 0};
    source->context = sorter;
    source->memory_bytes = sorter->memory_bytes;
    source->directories = sorter->directories;
    source->directory_count = sorter->directory_count;
    GS_TRY(gs_memory_check_external(&options, sorter->memory_bytes,
                                    source->span_count > 0 ? source->spans->count : 0, err));
    st = gs_width(&options)->sort_external(&options, source, &to.sink, progress, &stats, err);
cleanup:
    return st;
}

enum gs_status gs_sorter_sort_fed(void *context, struct gs_progress *progress, struct gs_error *err)
{
    struct gsort_sorter *sorter = context;
    const struct gs_record_store *store = &sorter->store;
    const struct gs_span held = {
        .keys = store->bytes, .count = store->used / sorter->record_bytes, .name = "sorter"};
    struct gs_external source = {.spans = &held,
                                 .span_count = held.count > 0 ? 1 : 0,
                                 .advise = let_go,
                                 .read = read_fed,
                                 .held_bytes = store->used};
    return sort_external(sorter, &source, progress, err);
}

enum gs_status gs_sorter_spill(struct gsort_sorter *sorter, const void *records, uint64_t count,
                               struct gs_error *err)
{
    enum gs_status st;
    const struct gs_record_store *store = &sorter->store;
    struct gs_options *orders = calloc(sorter->order_count, sizeof *orders);
    if (orders == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu orders",
                       sorter->order_count);
    for (size_t i = 0; i < sorter->order_count; i++)
        orders[i] = gs_sorter_options(sorter, i, false);
    const uint64_t held = store->used / sorter->record_bytes;
    GS_TRY(gs_grid_store_open(&sorter->grid, orders, sorter->order_count, sorter->memory_bytes,
                              sorter->directories, sorter->directory_count,
                              held >= count ? store->bytes : records, held >= count ? held : count,
                              err));
    sorter->spilled = true;
cleanup:
    free(orders);
    return st;
}

enum gs_status gs_sorter_write(void *context, struct gs_progress *progress, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gsort_sorter *sorter = context;
    struct gs_record_store *store = &sorter->store;
    const uint64_t count = store->used / sorter->record_bytes;
    for (uint64_t done = 0, here; done < count && st == GS_OK; done += here) {
        const uint64_t most = sorter->grid.chunk_records;
        here = count - done < most ? count - done : most;
        st = gs_grid_store_write(&sorter->grid, store->bytes + done * sorter->record_bytes, here,
                                 progress, err);
    }
    store->used = 0;
    return st;
}

/* The slabs of the order from the next one of its output on that are sorted together: where they
 * end, and how many records they have. */
static size_t find_group(const struct gsort_sorter *sorter, struct gs_options options, size_t next,
                         uint64_t *count)
{
    const size_t slabs = sorter->grid.grid.axes[sorter->order].slabs;
    size_t end = next;
    for (*count = 0; end < slabs; end++) {
        const size_t slab = options.reverse ? slabs - 1 - end : end;
        const uint64_t more = *count + gs_grid_store_count(&sorter->grid, sorter->order, slab);
        if (end > next && !fits(sorter, &options, more))
            break;
        *count = more;
    }
    return end;
}

/* In memory: in store->bytes, which stays for the next group. */
static enum gs_status sort_group(struct gsort_sorter *sorter, struct gs_options *options,
                                 uint64_t count, struct gs_progress *progress, struct gs_error *err)
{
    enum gs_status st;
    uint64_t got;
    GS_TRY(gs_record_store_make_room(&sorter->store, count * sorter->record_bytes, err));
    GS_TRY(gs_grid_store_read(&sorter->grid, sorter->store.bytes, count, &got, err));
    st = sort_in_memory(sorter, options, got, progress, err);
cleanup:
    return st;
}

enum gs_status gs_sorter_sort_spilled(void *context, struct gs_progress *progress,
                                      struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gsort_sorter *sorter = context;
    const struct gs_options options = gs_sorter_options(sorter, sorter->order, false);
    const size_t slabs = sorter->grid.grid.axes[sorter->order].slabs;
    for (size_t next = 0, end; next < slabs; next = end) {
        uint64_t count;
        struct gs_external source = {.read = read_spilled};
        struct gs_options own = options;
        end = find_group(sorter, options, next, &count);
        gs_grid_store_seek(&sorter->grid, sorter->order, options.reverse ? slabs - end : next,
                           options.reverse ? slabs - next : end);
        if (fits(sorter, &own, count))
            GS_TRY(sort_group(sorter, &own, count, progress, err));
        else {
            gs_record_store_drop(&sorter->store);
            GS_TRY(sort_external(sorter, &source, progress, err));
        }
    }
cleanup:
    gs_record_store_drop(&sorter->store);
    return st;
}
