/* sort_cluster.c -- one sort by all ranks: choose ranges, exchange, sort, check.
 * SPDX-License-Identifier: MIT
 *
 * What a rank gets is read into memory and sorted there; if that memory is full before all has
 * come, it is the beginning of an external sort's input, and that reads the rest. So both are sorts
 * as of one process, into the rank's range of the file (rank_output.c).
 */
#include "sort/cluster.h"

#include "sort/cluster/borders.h"
#include "sort/cluster/rank_part.h"
#include "sort/sort.h"

#include "common/clock.h"
#include "common/files/file.h"
#include "common/memory/memory.h"
#include "common/files/spill.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Batches take at most this share of the memory each; a batch of BATCH_BYTES for each thread keeps
 * network and threads busy. */
#define BATCH_SHARE     64
#define BATCH_BYTES     ((uint64_t)1 << 20)
#define BATCH_BYTES_MAX ((uint64_t)16 << 20)

/* The ranges are even within 1 %; a small input's may be less so. */
#define SMALL_BYTES ((uint64_t)8 << 20)

/* -u: records copied at a time. */
#define COPY_BYTES ((uint64_t)4 << 20)

static void advise(void *context, enum gs_use use, const void *records, uint64_t count)
{
    if (use == GS_USE_DONE)
        ((struct gs_sink *)context)->forget(context, records, count);
}

/* Will a rank's share fit in memory? Then room for it, and a little more; else none. */
static enum gs_status make_room(struct gs_rank_part *part, uint64_t total, struct gs_error *err)
{
    const struct gs_options *options = part->sorted;
    const struct gs_width *width = gs_width(options);
    uint64_t share = total / (uint64_t)part->cluster->size;
    uint64_t most = share + share / 50 + SMALL_BYTES / part->wire_bytes;
    most = (most < total ? most : total) + 1; /* when all has come, it is not full */
    struct gs_forecast forecast;
    width->forecast(options, most, &forecast);
    if (!gs_forecast_fits(&forecast, part->source->memory_bytes,
                          gs_forecast_held(&forecast, most * part->wire_bytes)))
        return GS_OK;
    part->memory = gs_pages_alloc(most * part->wire_bytes);
    if (part->memory == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "exchange");
    part->room = most;
    part->on_gpu = width->prepare != NULL && width->prepare(options, share, true) == GS_DEVICE_GPU;
    gs_populate_start(&part->exchange.pages, part->memory, most * part->wire_bytes);
    return GS_OK;
}

/* All has come: now it is known where this rank's range begins. */
static enum gs_status finish_exchange(struct gs_rank_part *part, bool failed, struct gs_error *err)
{
    part->exchanged = true;
    enum gs_status st =
        gs_exchange_finish(&part->exchange, failed, &part->first, &part->total, err);
    gs_exchange_close(&part->exchange); /* the sort needs the memory */
    if (!part->options->unique && part->output.shared)
        part->start += part->first * part->output_bytes;
    gs_rank_output_enter(part);
    return st;
}

static enum gs_status read_more(void *context, void *to, uint64_t room, uint64_t *got,
                                struct gs_error *err)
{
    struct gs_rank_part *part = context;
    *got = 0;
    if (part->exchanged)
        return GS_OK;
    enum gs_status st = gs_exchange_read(&part->exchange, to, room, got, err);
    if (st == GS_OK && *got == 0)
        st = finish_exchange(part, false, err);
    return st;
}

/* Read what comes for this rank, and sort it. */
static enum gs_status receive_and_sort(struct gs_rank_part *part, struct gs_progress *progress,
                                       struct gs_stats *stats, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_options options = *part->sorted;
    const struct gs_width *width = gs_width(&options);
    const uint64_t batches = GS_BATCHES * part->exchange.dealer.most * part->wire_bytes;
    const uint64_t memory = part->source->memory_bytes;
    gs_progress_enter(progress, "exchange", 0);
    if (part->room > 0)
        GS_TRY(gs_exchange_read(&part->exchange, part->memory, part->room, &part->count, err));
    gs_populate_stop(&part->exchange.pages);
    if (part->count < part->room)
        GS_TRY(finish_exchange(part, false, err));
    struct gs_span span = {.keys = part->memory, .count = part->count, .name = "exchange"};
    options.own.leave_device = true;
    options.memory_bytes = memory;
    options.own.held_bytes = part->count * part->wire_bytes;
    if (part->exchanged) {
        if (part->on_gpu && !part->options->unique)
            gs_output_prefill(part->output.file, part->count * part->output_bytes,
                              gs_threads(part->options));
        st = width->sort(&options, &span, 1, &part->sink, progress, stats, err);
        goto cleanup;
    }
    struct gs_external source = {.spans = &span,
                                 .span_count = part->count > 0 ? 1 : 0,
                                 .advise = advise,
                                 .read = read_more,
                                 .context = part,
                                 .memory_bytes = memory - batches,
                                 .held_bytes = options.own.held_bytes,
                                 .directories = part->source->directories,
                                 .directory_count = part->source->directory_count};
    st = width->sort_external(&options, &source, &part->sink, progress, stats, err);
cleanup:
    return st;
}

/* -u: how much ranks keep is known only now. Copy this rank's records from its scratch file to
 * where they belong. */
static enum gs_status place_unique(struct gs_rank_part *part, uint64_t keys, struct gs_error *err)
{
    enum gs_status st;
    const uint64_t bytes = keys * part->output_bytes;
    uint64_t first = 0;
    char *buffer = malloc(COPY_BYTES);
    GS_MPI(MPI_Exscan(&keys, &first, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD));
    part->first = part->cluster->rank > 0 ? first : 0;
    if (buffer == NULL)
        GS_TRY(gs_fail(err, GS_ERR_MEMORY, ENOMEM, "exchange"));
    part->start = part->output.start + (part->output.shared ? part->first * part->output_bytes : 0);
    for (uint64_t done = 0; done < bytes && part->fd != part->output.file->fd; done += COPY_BYTES) {
        size_t here = (size_t)(bytes - done < COPY_BYTES ? bytes - done : COPY_BYTES);
        GS_TRY(gs_file_pread_full(part->fd, buffer, here, done, "temporary file", err));
        GS_TRY(gs_file_pwrite_full(part->output.file->fd, buffer, here, part->start + done,
                                   part->output.file->name, err));
    }
cleanup:
    free(buffer);
    return st;
}

/* Everything from the exchange on; what may fail is agreed on by the caller. */
static enum gs_status run(struct gs_rank_part *part, struct gs_progress *progress,
                          struct gs_stats *stats, struct gs_cluster_row *row, struct gs_error *err)
{
    enum gs_status st = receive_and_sort(part, progress, stats, err);
    if (st == GS_OK && part->options->verify && part->sorted != part->options)
        st = gs_rank_output_prove(part, stats, err);
    if (!part->exchanged) {
        enum gs_status end = finish_exchange(part, true, err);
        st = st != GS_OK ? st : end;
    }
    gs_rank_output_leave(part);
    row->exchange_ns = part->exchange.end_ns - part->exchange.begin_ns;
    row->sort_ns = gs_now_ns() - part->exchange.end_ns;
    GS_TRY(gs_cluster_agree(part->cluster, st, err));
    if (part->options->unique)
        GS_TRY(gs_cluster_agree(part->cluster, place_unique(part, stats->keys_out, err), err));
    if (part->options->verify)
        st = gs_verify_file(part->options, part->output.file->fd, part->start, stats,
                            part->output.file->name, err);
    GS_TRY(gs_cluster_agree(part->cluster, st, err));
    const struct gs_borders_range range = {.fd = part->output.file->fd,
                                           .start = part->start,
                                           .count = stats->keys_out,
                                           .total = part->total,
                                           .name = part->output.file->name};
    GS_TRY(gs_borders_check(part->cluster, part->options, &range, err));
    row->keys_in = part->exchange.position;
    row->keys_out = stats->keys_out;
    row->first = part->first;
    row->sent_bytes = part->exchange.sent_bytes;
    row->got_bytes = part->exchange.got_bytes;
    row->wait_ns = part->exchange.wait_ns;
cleanup:
    return st;
}

/* How many records this rank brings, how many lower ones, and how many all. */
static enum gs_status count_records(const struct gs_cluster *cluster,
                                    const struct gs_cluster_source *source, uint64_t *own,
                                    uint64_t *before, uint64_t *total, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    *own = *before = 0;
    for (size_t i = 0; i < source->span_count; i++)
        *own += source->spans[i].count;
    GS_MPI(MPI_Exscan(own, before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD));
    if (cluster->rank == 0)
        *before = 0; /* which MPI leaves undefined */
    GS_MPI(MPI_Allreduce(own, total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD));
cleanup:
    return st;
}

static uint64_t choose_batch(const struct gs_options *options, uint64_t memory_bytes)
{
    uint64_t least = GS_RANGES_BLOCK * 16;
    uint64_t bytes = BATCH_BYTES * gs_threads(options);
    uint64_t most = memory_bytes / BATCH_SHARE;
    least = least > gs_wire_bytes(options) ? least : gs_wire_bytes(options);
    most = most < BATCH_BYTES_MAX ? most : BATCH_BYTES_MAX;
    bytes = bytes < most ? bytes : most;
    return bytes > least ? bytes : least;
}

enum gs_status gs_cluster_sort(const struct gs_cluster *cluster, const struct gs_options *options,
                               const struct gs_cluster_source *source,
                               const struct gs_cluster_output *output, struct gs_progress *progress,
                               struct gs_stats *stats, struct gs_cluster_row *row,
                               struct gs_error *err)
{
    enum gs_status st;
    struct gs_ranges ranges;
    struct gs_cluster_source left = *source;
    uint64_t own, number, total;
    struct gs_rank_part part = {.cluster = cluster,
                                .options = options,
                                .source = &left,
                                .output = *output,
                                .wire_bytes = gs_wire_bytes(options),
                                .output_bytes = gs_output_bytes(options),
                                .fd = output->file->fd,
                                .start = output->start,
                                .head_bytes = output->file->head_bytes};
    *row = (struct gs_cluster_row){.keys_in = 0};
    gs_rank_output_open(&part);
    st = gs_ranges_open(&ranges, options, (unsigned)cluster->size, err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    GS_TRY(count_records(cluster, source, &own, &number, &total, err));
    GS_TRY(gs_width(options)->check_count(options, total, err));
    st = options->shuffled
             ? gs_places_find(&ranges.places, options, total, number, own, &left.memory_bytes, err)
             : gs_ranges_choose(&ranges, cluster, source->spans, own, total, err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    st = gs_exchange_open(&part.exchange, cluster, &ranges, source->spans, source->span_count,
                          number, choose_batch(options, left.memory_bytes), err);
    if (st == GS_OK)
        st = make_room(&part, total, err);
    if (st == GS_OK && options->unique && output->shared) {
        part.start = 0;
        part.fd = gs_spill_create(source->directories[0]);
        if (part.fd < 0)
            st = gs_fail(err, GS_ERR_OUTPUT, errno, "%s: cannot create a temporary file",
                         source->directories[0]);
    }
    GS_TRY(gs_cluster_agree(cluster, st, err));
    st = run(&part, progress, stats, row, err);
cleanup:
    if (part.fd >= 0 && part.fd != output->file->fd)
        close(part.fd);
    gs_populate_stop(&part.exchange.pages);
    gs_pages_free(part.memory, part.room * part.wire_bytes);
    gs_exchange_close(&part.exchange);
    gs_ranges_close(&ranges);
    return st;
}
