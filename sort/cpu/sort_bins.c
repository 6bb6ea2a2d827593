/* sort_bins.c -- sort every bin in cache and hand it out from there.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cpu/sort_bins.h"
#include "sort/cpu/chunk_scratch.h"
#include "sort/bin/cache_sort.h"
#include "sort/cpu/regions.h"
#include "sort/cpu/cpu.h"
#include "sort/cpu/pieces.h"
#include "sort/run/thread_work.h"
#include "sort/cpu/prefix_sum.h"

#include "common/clock.h"
#include "common/memory/memory.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>

/* Sort the keys of a piece; returns where they are. NULL: they are not those that were counted. */
static gs_key *sort_piece(const struct gs_run *run, const struct gs_piece *piece, gs_key *to,
                          gs_key *scratch)
{
    const struct gs_options *options = run->options;
    const struct gs_codec *codec = run->emitter.sorted_as_records ? options->codec : NULL;
    /* Nothing reads the output again, and it is not in cache: use non-temporal stores. */
    bool past_cache = run->emitter.sink->memory != NULL && !options->reverse && !options->unique &&
                      run->emitter.past_cache && options->codec == codec;
    const struct gs_bin_output output = {.to = to, .codec = codec, .past_cache = past_cache};
    return gs_cache_sort_runs(&piece->rows, &output, scratch, run->plan.scratch_keys, piece->count,
                              piece->low, piece->high);
}

enum gs_status gs_finish_piece_cpu(struct gs_run *run, const struct gs_piece *piece,
                                   uint64_t number, gs_key *to, gs_key *scratch,
                                   struct gs_thread_work *work)
{
    if (piece->low == piece->high)
        return gs_work_emit_equal(&run->emitter, number, piece->low, piece->count, piece->offset,
                                  scratch, work);
    uint64_t start = gs_now_ns();
    gs_key *sorted = sort_piece(run, piece, to, scratch);
    if (sorted == NULL)
        return gs_work_fail_changed(run);
    uint64_t kept = gs_emit_shape(&run->emitter, sorted, piece->count);
    work->sort_ns += gs_now_ns() - start;
    work->keys_in += piece->count;
    return gs_work_emit(&run->emitter, number, sorted, kept, piece->offset, work);
}

/* The memory that the output will lie in anyway; NULL if it is not memory. */
static gs_key *output_memory(const struct gs_run *run)
{
    const struct gs_emitter *emitter = &run->emitter;
    return emitter->sink->memory != NULL ? emitter->sink->memory : emitter->staging;
}

/* Do keys become records where they are sorted to their places in the output's memory? */
static bool sorts_as_records(const struct gs_run *run)
{
    const struct gs_options *options = run->options;
    return options->codec != NULL && gs_codec_has_line(options->codec) &&
           gs_cache_sort_takes_large() && output_memory(run) != NULL && !options->unique &&
           !options->reverse;
}

/* How far a thread knows pieces to be sorted, and regions to be safe to overwrite. */
struct turn {
    struct gs_regions_wait wait;
    uint64_t sorted;
};

/* Wait until the keys of regions that a piece will overwrite have been sorted. They belong to
 * earlier pieces, which other threads have begun and which never wait for this one. */
static void await_turn(const struct gs_run *run, const struct gs_pieces *pieces,
                       const struct gs_piece *piece, const atomic_bool *sorted, struct turn *turn)
{
    uint64_t end = gs_regions_wait_end(run, &turn->wait, piece->offset + piece->count);
    for (; turn->sorted < pieces->count; turn->sorted++) {
        if (gs_piece_at(run, pieces, turn->sorted)->offset >= end)
            break;
        while (!atomic_load_explicit(&sorted[turn->sorted], memory_order_acquire))
            sched_yield();
    }
}

/* Sort all pieces. buffers is NULL, and they are sorted at their places in the output's memory, or
 * has room for the largest piece for each thread; sorted[] is NULL or notes, by number in the
 * output, which pieces are sorted. */
static void sort_pieces(struct gs_run *run, const struct gs_pieces *pieces, gs_key *buffers,
                        atomic_bool *sorted)
{
    atomic_uint_fast64_t next = 0;
#pragma omp parallel num_threads(run->plan.threads)
    {
        struct gs_thread_work work = {0};
        gs_key *scratch = gs_cpu_scratch(run);
        struct turn turn = {0};
        for (uint64_t number; (number = atomic_fetch_add(&next, 1)) < pieces->count;) {
            const struct gs_piece *piece = gs_piece_at(run, pieces, number);
            gs_key *to = buffers != NULL ? buffers + gs_cpu_thread() * pieces->largest
                                         : output_memory(run) + piece->offset;
            if (sorted != NULL)
                await_turn(run, pieces, piece, sorted, &turn);
            enum gs_status st = gs_work_tell(run, piece->count, piece->offset, false, &work);
            if (st == GS_OK)
                st = gs_finish_piece_cpu(run, piece, number, to, scratch, &work);
            if (st == GS_OK)
                st = gs_work_tell(run, piece->count, piece->offset, true, &work);
            if (sorted != NULL) /* set even after a failure, so that nobody waits */
                atomic_store_explicit(&sorted[number], true, memory_order_release);
            if (st != GS_OK)
                break;
            atomic_fetch_add_explicit(&run->progress->done, piece->count, memory_order_relaxed);
        }
        gs_work_account(run, &work, run->plan.threads);
    }
}

enum gs_status gs_sort_bins_cpu(struct gs_run *run, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_pieces pieces = {0};
    gs_key *buffers = NULL;
    atomic_bool *sorted = NULL;
    bool regions = gs_regions_of(run) != NULL;
    run->emitter.sorted_as_records = sorts_as_records(run);
    /* Other keys that become records leave a buffer in cache when they do. */
    bool in_place = output_memory(run) != NULL && !run->options->unique &&
                    (run->options->codec == NULL || run->emitter.sorted_as_records);
    if (regions)
        GS_TRY(gs_regions_finish(run, err));
    else
        gs_total_bins_cpu(run);
    GS_TRY(gs_split_bins_cpu(run, &pieces, err));
    if (regions && (sorted = calloc(pieces.count + 1, sizeof *sorted)) == NULL) {
        st = gs_cpu_fail_memory(run, err);
        goto cleanup;
    }
    size_t bytes = run->plan.threads * (size_t)pieces.largest * sizeof *buffers;
    if (!in_place && (buffers = gs_pages_alloc(bytes)) == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort bins of %" PRIu64 " keys",
                     pieces.largest);
        goto cleanup;
    }
    sort_pieces(run, &pieces, buffers, sorted);
    gs_pages_free(buffers, bytes);
    st = gs_emit_result(&run->emitter, err);
cleanup:
    free(sorted);
    gs_pieces_free(&pieces);
    return st;
}
