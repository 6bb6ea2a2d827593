/* places.c -- where records go in the random order, for who has some of them only.
 * SPDX-License-Identifier: MIT
 *
 * The positions of all records are dealt and change places as records would, as many bins at a time
 * as there is memory for; of each that is asked for it is noted where it is then. So the work is
 * that of the whole order, and memory what the caller gives.
 */
#include "sort/shuffle/places.h"
#include "sort/shuffle/dealing.h"

#include "common/memory/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>

struct places {
    uint64_t first, count; /* of the records that are asked for, */
    uint64_t *places;      /* and where they go */
    uint64_t seed;
    unsigned threads;
    unsigned bytes;          /* of a position */
    struct gs_dealing *deal; /* of all positions */
    char *dealt;             /* those of some bins, */
    uint64_t room;           /* at most so many */
    char *other;             /* [threads][most]: for bins that are dealt again, */
    uint64_t most;           /* positions of the largest bin, */
    struct gs_dealing **own; /* [threads] */
};

static enum gs_status make_room(struct places *all, uint64_t total, uint64_t memory_bytes,
                                struct gs_error *err)
{
    const uint64_t most = memory_bytes / all->bytes < total ? memory_bytes / all->bytes : total;
    all->most = gs_dealing_largest(all->deal);
    all->room = all->most > most ? all->most : most;
    all->dealt = gs_pages_alloc(all->room * all->bytes);
    all->own = gs_dealings_new(all->threads, all->most);
    bool whole = all->dealt != NULL && all->own != NULL;
    if (whole && all->most > GS_SHUFFLE_MIXED) {
        all->other = gs_pages_alloc(all->threads * all->most * all->bytes);
        whole = all->other != NULL;
    }
    return whole ? GS_OK : gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to shuffle");
}

/* Note where a bin's records go; positions are at `from`, in their order. */
static void note_bin(const struct places *all, uint32_t bin, char *from)
{
    const int thread = omp_get_thread_num();
    const uint64_t start = all->deal->starts[bin];
    const uint64_t count = all->deal->starts[bin + 1] - start;
    char *other = all->other != NULL ? all->other + (size_t)thread * all->most * all->bytes : NULL;
    const char *mixed = gs_shuffle_mix(gs_shuffle_node(all->seed, bin), from, count, all->bytes,
                                       other, all->own[thread]);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t position = gs_position_at(mixed, all->bytes, i);
        if (position - all->first < all->count)
            all->places[position - all->first] = start + i;
    }
}

static void note_all(const struct places *all)
{
    const uint64_t *starts = all->deal->starts;
    for (uint32_t bin = 0, end; bin < GS_SHUFFLE_BINS; bin = end) {
        for (end = bin + 1; end < GS_SHUFFLE_BINS && starts[end + 1] - starts[bin] <= all->room;)
            end++;
        gs_dealing_positions(all->deal, bin, end, all->bytes, all->dealt);
#pragma omp parallel for num_threads(all->threads) schedule(dynamic)
        for (uint64_t i = bin; i < end; i++)
            note_bin(all, (uint32_t)i, all->dealt + (starts[i] - starts[bin]) * all->bytes);
    }
}

static enum gs_status note_places(struct places *all, uint64_t total, uint64_t memory_bytes,
                                  struct gs_error *err)
{
    enum gs_status st = GS_OK;
    if (all->deal == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to shuffle");
    gs_dealing_count(all->deal, all->seed, 0, total);
    GS_TRY(make_room(all, total, memory_bytes, err));
    note_all(all);
cleanup:
    gs_dealings_free(all->own, all->threads);
    gs_pages_free(all->other, all->threads * all->most * all->bytes);
    gs_pages_free(all->dealt, all->room * all->bytes);
    free(all->deal);
    return st;
}

enum gs_status gs_places_find(struct gs_places *places, const struct gs_options *options,
                              uint64_t total, uint64_t first, uint64_t count,
                              uint64_t *memory_bytes, struct gs_error *err)
{
    const unsigned threads = gs_threads(options);
    *places = (struct gs_places){.bytes = (count + 1) * sizeof *places->list, .total = total};
    if (places->bytes >= *memory_bytes / 4 * 3)
        return gs_fail(err, GS_ERR_MEMORY, 0,
                       "ranks hold 8 bytes for each record of a shuffle, and only %" PRIu64
                       " MiB may be used (-S)",
                       *memory_bytes >> 20);
    *memory_bytes -= places->bytes;
    places->list = gs_pages_alloc(places->bytes);
    if (places->list == NULL)
        return gs_fail(err, GS_ERR_MEMORY, errno, "not enough memory to shuffle");
    struct places all = {.first = first,
                         .count = count,
                         .places = places->list,
                         .seed = options->seed,
                         .threads = threads,
                         .bytes = gs_position_bytes(total),
                         .deal = gs_dealing_new(threads)};
    return note_places(&all, total, *memory_bytes / 2, err);
}

void gs_places_free(struct gs_places *places)
{
    gs_pages_free(places->list, places->bytes);
    *places = (struct gs_places){.list = NULL};
}
