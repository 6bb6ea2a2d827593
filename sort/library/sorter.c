/* sorter.c -- sorters: pushed records, finished, are pulled in order, batch by batch.
 * SPDX-License-Identifier: MIT
 *
 * Pushes fill memory as long as all can be sorted there. At the first one for which it has no room,
 * the external sort begins in a thread of its own, and is fed from then on; with several orders,
 * records go to temporary files by a grid of all. What the thread sorts, it hands over where it has
 * it.
 */
#include "sort/library/array_sink.h"
#include "sort/library/job.h"
#include "sort/library/sorter_state.h"
#include "sort/files/memory_limit.h"
#include "sort/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first look at what fits is for so many bytes; to find the most is worth so many looks. */
#define FIRST_BYTES ((uint64_t)64 << 10)
#define LOOKS       8

/* What a call has in hand while it is its turn. A thread that waits in it cannot be cancelled. */
struct turn {
    struct gsort_sorter *sorter;
    int cancelling;
    struct gs_error err;
};

static void begin_turn(struct turn *turn, struct gsort_sorter *sorter)
{
    turn->sorter = sorter;
    turn->err.status = GS_OK;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &turn->cancelling);
    pthread_mutex_lock(&sorter->turn);
}

/* Wrong use harms nothing; after other errors there is nothing to go on with. */
static enum gsort_status end_turn(struct turn *turn, enum gs_status st, struct gsort_error *error)
{
    struct gsort_sorter *sorter = turn->sorter;
    if (st != GS_OK && st != GS_ERR_USAGE && sorter->err.status == GS_OK)
        sorter->err = turn->err;
    pthread_mutex_unlock(&sorter->turn);
    pthread_setcancelstate(turn->cancelling, NULL);
    return gs_tell_error(error, st, &turn->err);
}

/* Has the sorter failed before? */
static enum gs_status check_state(const struct gsort_sorter *sorter, struct gs_error *err)
{
    if (sorter->err.status != GS_OK)
        *err = sorter->err;
    return sorter->err.status;
}

static enum gs_status take_orders(struct gsort_sorter *sorter,
                                  const struct gsort_format *const *orders, size_t order_count,
                                  struct gs_error *err)
{
    if (order_count == 0)
        return gs_fail(err, GS_ERR_USAGE, 0, "a sorter needs an order at least");
    sorter->kinds = calloc(order_count, sizeof *sorter->kinds);
    sorter->begun = calloc(order_count, sizeof *sorter->begun);
    if (sorter->kinds == NULL || sorter->begun == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu orders", order_count);
    sorter->order_count = order_count;
    sorter->record_bytes = orders[0]->records.format.record_bytes;
    for (size_t i = 0; i < order_count; i++) {
        const struct gs_kind *kind = sorter->kinds[i] = &orders[i]->records;
        if (kind->format.record_bytes != sorter->record_bytes)
            return gs_fail(err, GS_ERR_USAGE, 0,
                           "orders of the same records: those of order %zu have %u bytes, not %zu",
                           i, (unsigned)kind->format.record_bytes, sorter->record_bytes);
    }
    return GS_OK;
}

static enum gs_status take_directories(struct gsort_sorter *sorter, const char *const *directories,
                                       size_t directory_count, struct gs_error *err)
{
    sorter->directories = directories;
    sorter->directory_count = directory_count;
    if (directory_count > 0)
        return GS_OK;
    sorter->own_directory = strdup(gs_usual_directory());
    sorter->directories = (const char *const *)&sorter->own_directory;
    sorter->directory_count = 1;
    return sorter->own_directory != NULL
               ? GS_OK
               : gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for a sorter");
}

/* As much memory as the command takes, the most that any of the orders needs at least. */
static enum gs_status take_limit(struct gsort_sorter *sorter, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    for (size_t i = 0; i < sorter->order_count && st == GS_OK; i++) {
        const struct gs_task task = {.sort = gs_sorter_options(sorter, i, false),
                                     .output = "/dev/null", /* none */
                                     .memory_limit = sorter->given.memory_bytes};
        const uint64_t limit = gs_memory_limit(&task, 0, true);
        sorter->memory_bytes = limit > sorter->memory_bytes ? limit : sorter->memory_bytes;
        st = gs_width(&task.sort)->check_options(&task.sort, err);
    }
    return st;
}

static void free_sorter(struct gsort_sorter *sorter)
{
    gs_record_store_drop(&sorter->store);
    gs_grid_store_close(&sorter->grid);
    pthread_mutex_destroy(&sorter->turn);
    free(sorter->kinds);
    free(sorter->begun);
    free(sorter->own_directory);
    free(sorter);
}

struct gsort_sorter *gsort_sorter_open(const struct gsort_format *const *orders, size_t order_count,
                                       const char *const *directories, size_t directory_count,
                                       const struct gsort_options *options,
                                       struct gsort_error *error)
{
    enum gs_status st;
    struct gs_error err = {.status = GS_OK};
    struct gsort_sorter *sorter = calloc(1, sizeof *sorter);
    if (sorter == NULL) {
        st = gs_fail(&err, GS_ERR_MEMORY, 0, "not enough memory for a sorter");
        goto cleanup;
    }
    pthread_mutex_init(&sorter->turn, NULL);
    sorter->process = getpid();
    sorter->order = GS_NO_ORDER;
    GS_TRY(gs_take_options(options, &sorter->given, &err));
    GS_TRY(take_orders(sorter, orders, order_count, &err));
    GS_TRY(take_directories(sorter, directories, directory_count, &err));
    st = take_limit(sorter, &err);
cleanup:
    if (st != GS_OK && sorter != NULL) {
        free_sorter(sorter);
        sorter = NULL;
    }
    gs_tell_error(error, st, &err);
    return sorter;
}

/* Is there memory for so many bytes, and more to come? */
static bool fits(struct gsort_sorter *sorter, uint64_t bytes)
{
    if (bytes <= sorter->fitting)
        return true;
    bytes = bytes > FIRST_BYTES ? bytes : FIRST_BYTES;
    if (!gs_sorter_fits(sorter, bytes))
        return false;
    uint64_t least = bytes;
    uint64_t most = 2 * bytes;
    for (int i = 0; i < LOOKS && least < most; i++) {
        const uint64_t guess = i == 0 ? most : least + (most - least) / 2;
        if (gs_sorter_fits(sorter, guess))
            least = guess;
        else
            most = guess;
    }
    sorter->fitting = least;
    return true;
}

static enum gs_status begin_order(struct gsort_sorter *sorter, size_t order, gs_job_work *work,
                                  struct gs_error *err)
{
    enum gs_status st;
    sorter->order = order;
    gs_handover_init(&sorter->handover, &sorter->given, work, sorter);
    GS_TRY(gs_handover_start(&sorter->handover, err));
    sorter->begun[order] = true;
    gs_handover_tell(&sorter->handover);
    return GS_OK;
cleanup:
    sorter->order = GS_NO_ORDER;
    return st;
}

/* Write what is in memory to temporary files. */
static enum gs_status write_held(struct gsort_sorter *sorter, struct gs_error *err)
{
    return sorter->store.used > 0 ? gs_job_run(&sorter->given, false, gs_sorter_write, sorter, err)
                                  : GS_OK;
}

/* There is no room in memory for what is pushed now. */
static enum gs_status leave_memory(struct gsort_sorter *sorter, const void *records, uint64_t count,
                                   struct gs_error *err)
{
    enum gs_status st;
    if (sorter->order_count > 1) {
        GS_TRY(gs_sorter_spill(sorter, records, count, err));
        GS_TRY(write_held(sorter, err));
        return GS_OK;
    }
    GS_TRY(begin_order(sorter, 0, gs_sorter_sort_fed, err));
    sorter->streams = true;
cleanup:
    return st;
}

/* Add to what will be written in one chunk. */
static enum gs_status push_to_chunks(struct gsort_sorter *sorter, const char *records,
                                     uint64_t bytes, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t chunk = sorter->grid.chunk_records * sorter->record_bytes;
    for (uint64_t added = 0, here; added < bytes; added += here) {
        const uint64_t room = chunk - sorter->store.used;
        here = bytes - added < room ? bytes - added : room;
        GS_TRY(gs_record_store_add(&sorter->store, records + added, here, err));
        if (here == room)
            GS_TRY(write_held(sorter, err));
    }
cleanup:
    return st;
}

static enum gs_status push(struct gsort_sorter *sorter, const void *records, uint64_t count,
                           struct gs_error *err)
{
    enum gs_status st;
    const uint64_t bytes = count * sorter->record_bytes;
    GS_TRY(check_state(sorter, err));
    GS_TRY(gs_array_check(records, count, sorter->record_bytes, err));
    if (sorter->finished)
        return gs_fail(err, GS_ERR_USAGE, 0, "the sorter is finished: nothing can be pushed");
    if (!sorter->streams && !sorter->spilled && !fits(sorter, sorter->store.used + bytes))
        GS_TRY(leave_memory(sorter, records, count, err));
    if (sorter->streams)
        st = gs_handover_feed(&sorter->handover, records, bytes, err);
    else if (sorter->spilled)
        st = push_to_chunks(sorter, records, bytes, err);
    else
        st = gs_record_store_add(&sorter->store, records, bytes, err);
cleanup:
    return st;
}

enum gsort_status gsort_sorter_push(struct gsort_sorter *sorter, const void *records,
                                    uint64_t count, struct gsort_error *error)
{
    struct turn turn;
    begin_turn(&turn, sorter);
    return end_turn(&turn, push(sorter, records, count, &turn.err), error);
}

static enum gs_status finish(struct gsort_sorter *sorter, struct gs_error *err)
{
    enum gs_status st;
    GS_TRY(check_state(sorter, err));
    if (sorter->finished)
        return gs_fail(err, GS_ERR_USAGE, 0, "the sorter is finished already");
    if (sorter->streams)
        gs_handover_end(&sorter->handover);
    else if (sorter->order_count == 1)
        GS_TRY(begin_order(sorter, 0, gs_sorter_sort_held, err));
    else if (sorter->spilled) {
        GS_TRY(write_held(sorter, err));
        gs_record_store_drop(&sorter->store);
        gs_grid_store_end(&sorter->grid);
    }
    sorter->finished = true;
cleanup:
    return st;
}

enum gsort_status gsort_sorter_finish(struct gsort_sorter *sorter, struct gsort_error *error)
{
    struct turn turn;
    begin_turn(&turn, sorter);
    return end_turn(&turn, finish(sorter, &turn.err), error);
}

/* The other one is given up. */
static enum gs_status change_order(struct gsort_sorter *sorter, size_t order, struct gs_error *err)
{
    if (order >= sorter->order_count)
        return gs_fail(err, GS_ERR_USAGE, 0, "order %zu: the sorter has %zu, counted from 0", order,
                       sorter->order_count);
    if (sorter->begun[order])
        return gs_fail(err, GS_ERR_USAGE, 0, "order %zu has been pulled before: once is all",
                       order);
    if (sorter->order != GS_NO_ORDER)
        gs_handover_close(&sorter->handover);
    sorter->order = GS_NO_ORDER;
    return begin_order(sorter, order,
                       sorter->spilled ? gs_sorter_sort_spilled : gs_sorter_sort_held, err);
}

static enum gs_status pull(struct gsort_sorter *sorter, size_t order, const void **records,
                           uint64_t *count, struct gs_error *err)
{
    enum gs_status st;
    *records = NULL;
    *count = 0;
    GS_TRY(check_state(sorter, err));
    if (!sorter->finished)
        return gs_fail(err, GS_ERR_USAGE, 0, "the sorter is not finished: nothing can be pulled");
    if (order != sorter->order)
        GS_TRY(change_order(sorter, order, err));
    st = gs_handover_take(&sorter->handover, records, count, err);
cleanup:
    return st;
}

enum gsort_status gsort_sorter_pull(struct gsort_sorter *sorter, size_t order, const void **records,
                                    uint64_t *count, struct gsort_error *error)
{
    struct turn turn;
    begin_turn(&turn, sorter);
    return end_turn(&turn, pull(sorter, order, records, count, &turn.err), error);
}

enum gsort_status gsort_sorter_each(struct gsort_sorter *sorter, size_t order,
                                    gsort_batch_callback *callback, void *context,
                                    struct gsort_error *error)
{
    struct gs_error err = {.status = GS_OK};
    const void *records;
    uint64_t count;
    for (;;) {
        const enum gsort_status status = gsort_sorter_pull(sorter, order, &records, &count, error);
        if (status != GSORT_OK || count == 0)
            return status;
        if (callback(context, records, count) != 0)
            return gs_tell_error(error, gs_fail(&err, GS_ERR_CANCELLED, 0, "cancelled"), &err);
    }
}

void gsort_sorter_free(struct gsort_sorter *sorter)
{
    int cancelling;
    if (sorter == NULL)
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
    /* A forked child has no such thread. */
    if (sorter->order != GS_NO_ORDER && sorter->process == getpid())
        gs_handover_close(&sorter->handover);
    free_sorter(sorter);
    pthread_setcancelstate(cancelling, NULL);
}
