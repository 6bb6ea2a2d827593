/* copy_ordered.c -- emit keys that are in order, piece by piece.
 * SPDX-License-Identifier: MIT
 *
 * A piece is fetched together with the key before it, which the previous piece fetches too, maybe
 * at another time. If somebody changes the input in between, each piece may be in order by itself
 * and still not fit its neighbour. So the later of two neighbours compares the key that both have
 * fetched before it writes.
 */
#include "sort/run/copy_ordered.h"
#include "sort/keys/order.h"
#include "sort/keys/fingerprint.h"
#include "sort/run/thread_work.h"

#include "common/clock.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The last key of a piece, as that piece and the next one have fetched it. */
struct gs_seam {
    gs_key last;
    gs_key before;
    atomic_uint arrived; /* how many of the two keys are set */
};

/* What one thread did. */
struct copying {
    struct gs_thread_work work;
    uint64_t fetch_ns;
    uint64_t fingerprint;
};

/* Set one side of a seam. False: the other side is set already, and to another key. */
static bool join_seam(struct gs_seam *seam, gs_key *side, gs_key key)
{
    *side = key;
    return atomic_fetch_add(&seam->arrived, 1) == 0 || seam->last == seam->before;
}

/* Are the keys of a piece in order, with the key before them, and do its seams match? */
static bool fits(struct gs_ordered *ordered, gs_key before, const gs_key *keys, uint64_t count,
                 uint64_t index, uint64_t pieces)
{
    struct gs_seam *seam = &ordered->seams[index]; /* with the next piece */
    if (!(ordered->reversed ? gs_order_descending : gs_order_ascending)(keys, count))
        return false;
    if (index > 0 && (ordered->reversed ? before < keys[0] : before > keys[0]))
        return false;
    if (index > 0 && !join_seam(seam - 1, &(seam - 1)->before, before))
        return false;
    return index + 1 == pieces || join_seam(seam, &seam->last, keys[count - 1]);
}

/* Fetch a piece and the key before it to scratch, or, if ->straight, the piece to its place in the
 * output and only the key before it to scratch. *keys is where the piece is. */
static enum gs_status fetch_piece(struct gs_run *run, struct gs_ordered *ordered, uint64_t first,
                                  uint64_t count, uint64_t position, gs_key *scratch, gs_key **keys,
                                  struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t before = first > 0 ? 1 : 0;
    unsigned thread = gs_cpu_thread();
    *keys = scratch + before;
    if (!ordered->straight)
        return ordered->fetch(ordered->context, thread, first - before, count + before, scratch,
                              err);
    *keys = gs_sink_keys(run->emitter.sink) + position;
    if (before > 0)
        GS_TRY(ordered->fetch(ordered->context, thread, first - 1, 1, scratch, err));
    GS_TRY(ordered->fetch(ordered->context, thread, first, count, *keys, err));
cleanup:
    return st;
}

/* Fetch one piece and the key before it, check, shape and write it. */
static enum gs_status copy_piece(struct gs_run *run, struct gs_ordered *ordered, uint64_t index,
                                 uint64_t pieces, gs_key *scratch, struct copying *copying,
                                 struct gs_error *err)
{
    bool turn = ordered->reversed != run->options->reverse;
    uint64_t first = index * ordered->piece_keys;
    uint64_t left = ordered->count - first;
    uint64_t count = left < ordered->piece_keys ? left : ordered->piece_keys;
    uint64_t before = first > 0 ? 1 : 0;
    uint64_t position = turn ? ordered->count - first - count : first;
    gs_key *keys;
    uint64_t start = gs_now_ns();
    enum gs_status st = fetch_piece(run, ordered, first, count, position, scratch, &keys, err);
    uint64_t fetched = gs_now_ns();
    copying->fetch_ns += fetched - start;
    if (st != GS_OK)
        return st;
    if (!fits(ordered, scratch[0], keys, count, index, pieces)) {
        atomic_store(&ordered->disordered, true);
        return ordered->disorder == NULL
                   ? GS_ERR_INPUT
                   : gs_fail(err, ordered->disorder->status, 0, "%s", ordered->disorder->text);
    }
    if (ordered->scan) {
        copying->fetch_ns += gs_now_ns() - fetched;
        return GS_OK;
    }
    uint64_t kept = count;
    const unsigned payload = gs_payload_bits(run->options);
    uint64_t sum = run->options->verify ? gs_fingerprint(keys, count) : 0;
    copying->fingerprint += sum;
    if (run->options->unique) {
        /* The key before belongs to the previous piece: drop keys that equal it. Where keys have a
         * payload, the emitter does, as it knows which of them comes first in the output. */
        if (payload == 0)
            kept = gs_order_unique(scratch, count + before) - before;
        else
            kept = gs_order_firsts(keys, count, payload, turn);
        if (run->options->verify)
            gs_emit_drop(&run->emitter, sum - gs_fingerprint(keys, kept));
    }
    if (turn && !(run->options->unique && payload > 0))
        gs_order_reverse(keys, kept);
    copying->work.write_ns += gs_now_ns() - fetched;
    uint64_t piece = turn ? pieces - 1 - index : index;
    return gs_work_emit(&run->emitter, piece, keys, kept, position, &copying->work);
}

enum gs_status gs_copy_ordered(struct gs_run *run, struct gs_ordered *ordered, struct gs_error *err)
{
    uint64_t pieces = (ordered->count + ordered->piece_keys - 1) / ordered->piece_keys;
    bool turn = ordered->reversed != run->options->reverse;
    uint64_t fingerprint = 0;
    atomic_uint_fast64_t next = 0;
    ordered->seams = calloc(pieces + 1, sizeof *ordered->seams);
    if (ordered->seams == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %" PRIu64 " pieces", pieces);
    gs_run_begin(run, ordered->stage);
#pragma omp parallel num_threads(ordered->threads) reduction(+ : fingerprint)
    {
        struct copying copying = {.fingerprint = 0};
        struct gs_error own = {.status = GS_OK};
        gs_key *scratch =
            ordered->scratch + gs_cpu_thread() * ordered->scratch_keys + GS_ORDERED_LEAD - 1;
        for (uint64_t piece; (piece = atomic_fetch_add(&next, 1)) < pieces;) {
            if (atomic_load(&ordered->disordered))
                break;
            uint64_t index = turn ? pieces - 1 - piece : piece;
            if (copy_piece(run, ordered, index, pieces, scratch, &copying, &own) != GS_OK)
                break;
            atomic_fetch_add_explicit(&run->progress->done, ordered->piece_keys,
                                      memory_order_relaxed);
        }
        if (own.status != GS_OK)
            gs_emit_fail(&run->emitter, &own);
        fingerprint += copying.fingerprint;
        gs_work_account(run, &copying.work, ordered->threads);
        uint64_t fetch_ns = ordered->books_fetch ? copying.fetch_ns / ordered->threads : 0;
#pragma omp critical(gs_account)
        gs_run_account(run, ordered->stage, ordered->device, fetch_ns, 0, 0);
    }
    free(ordered->seams);
    ordered->seams = NULL;
    ordered->fingerprint = fingerprint;
    gs_run_account(run, ordered->stage, ordered->device, 0, ordered->count,
                   ordered->count * GS_KEY_BYTES);
    return gs_emit_result(&run->emitter, err);
}
