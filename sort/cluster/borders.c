/* borders.c -- when all ranks have written: is the output in order across their ranges, and whole?
 * SPDX-License-Identifier: MIT
 */
#include "sort/cluster/borders.h"

#include "sort/sort.h"

#include "common/files/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The records at the borders of all ranges: the first and the last of each rank. */
struct borders {
    size_t room;      /* bytes for one of them */
    char *records;    /* two for each rank, then two of this one; owned */
    uint64_t *counts; /* of records of each rank; owned */
};

/* This rank's, read back. */
static enum gs_status read_borders(const struct gs_borders_range *range, size_t size, size_t ranks,
                                   struct borders *borders, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    borders->room = (size + 15) / 16 * 16; /* where keys are aligned */
    borders->records = aligned_alloc(16, 2 * (ranks + 1) * borders->room);
    borders->counts = calloc(ranks, sizeof *borders->counts);
    if (borders->records == NULL || borders->counts == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "borders");
    char *own = borders->records + 2 * ranks * borders->room;
    memset(own, 0, 2 * borders->room);
    if (range->count == 0)
        return GS_OK;
    GS_TRY(gs_file_pread_full(range->fd, own, size, range->start, range->name, err));
    GS_TRY(gs_file_pread_full(range->fd, own + borders->room, size,
                              range->start + (range->count - 1) * size, range->name, err));
cleanup:
    return st;
}

enum gs_status gs_borders_check(const struct gs_cluster *cluster, const struct gs_options *options,
                                const struct gs_borders_range *range, struct gs_error *err)
{
    const size_t ranks = (size_t)cluster->size;
    struct borders borders = {.records = NULL};
    enum gs_status st = read_borders(range, gs_output_bytes(options), ranks, &borders, err);
    GS_TRY(gs_cluster_agree(cluster, st, err));
    GS_TRY(gs_cluster_gather(borders.records + 2 * ranks * borders.room, 2 * borders.room,
                             borders.records, err));
    GS_TRY(gs_cluster_gather(&range->count, sizeof range->count, borders.counts, err));
    const struct gs_width *width = gs_width(options);
    const char *before = NULL;
    uint64_t sum = 0;
    for (size_t rank = 0; rank < ranks; rank++) {
        const char *first = borders.records + 2 * rank * borders.room;
        sum += borders.counts[rank];
        if (borders.counts[rank] == 0)
            continue;
        if (before != NULL && options->index_bytes == 0 && width->first_disorder != NULL &&
            width->first_disorder(options, first, 1, before) == 0)
            st = gs_fail(err, GS_ERR_VERIFY, 0,
                         "%s: the range of rank %zu does not continue the one before it: the input "
                         "has changed meanwhile",
                         range->name, rank);
        before = first + borders.room;
    }
    if (st == GS_OK && !options->unique && sum != range->total)
        st = gs_fail(err, GS_ERR_VERIFY, 0, "%s: ranks have written a wrong number of records",
                     range->name);
cleanup:
    free(borders.records);
    free(borders.counts);
    return st;
}
