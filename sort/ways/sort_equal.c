/* sort_equal.c -- fill the output with one value, and put the few other keys at its ends.
 * SPDX-License-Identifier: MIT
 *
 * Where the other keys lay in the input does not matter, so nothing is copied: the input is
 * compared with the value, block by block in cache, and the output is filled without being read.
 */
#include "sort/ways/sort_equal.h"
#include "sort/keys/typed.h"
#include "sort/keys/key_loops.h"
#include "sort/keys/order.h"
#include "sort/split/sort_samples.h"
#include "sort/keys/fingerprint.h"

#include "common/clock.h"

enum { BLOCK_KEYS = 2048, PIECE_KEYS = GS_TILE_KEYS / 4 /* keys claimed at once */ };

/* The keys of other values. */
struct others {
    atomic_uint count; /* including those beyond GS_OTHERS_MAX, which are not kept */
    gs_key keys[GS_OTHERS_MAX];
};

static void keep_others(struct others *others, const gs_key *keys, uint64_t count, gs_key value)
{
    for (uint64_t i = 0; i < count; i++)
        if (keys[i] != value) {
            unsigned place = atomic_fetch_add(&others->count, 1);
            if (place < GS_OTHERS_MAX)
                others->keys[place] = keys[i];
        }
}

/* Read a piece of the input and fill its place in the output; returns the fingerprint of what was
 * read, if options->verify. */
static uint64_t sort_piece(struct gs_run *run, gs_key value, uint64_t first, uint64_t count,
                           struct others *others)
{
    gs_key copy[BLOCK_KEYS];
    uint64_t fingerprint = 0;
    const gs_key record = gs_emit_record(&run->emitter, value);
    for (uint64_t done = 0; done < count;) {
        uint64_t here = count - done < BLOCK_KEYS ? count - done : BLOCK_KEYS;
        struct gs_tile block = gs_tiles_part(&run->tiles, first + done, here);
        block.keys = gs_tile_keys(&run->tiles, &block, 0, block.count, copy);
        block.keys = gs_keys_held(block.keys, block.count, run->options->verify, copy);
        if (gs_count_equal(block.keys, block.count, value) != block.count)
            keep_others(others, block.keys, block.count, value);
        if (run->options->verify)
            fingerprint += gs_fingerprint(block.keys, block.count);
        gs_fill(gs_sink_keys(run->emitter.sink) + first + done, record, block.count,
                run->emitter.past_cache);
        done += block.count;
    }
    atomic_fetch_add_explicit(&run->progress->done, count, memory_order_relaxed);
    return fingerprint;
}

/* Put the other keys at either end of the output. */
static void place_others(struct gs_run *run, struct others *others, gs_key value)
{
    struct gs_stats *stats = run->stats;
    uint64_t count = others->count;
    uint64_t before = 0;
    gs_key *memory = run->emitter.sink->memory;
    gs_sort_samples(others->keys, count);
    if (run->options->reverse)
        gs_order_reverse(others->keys, count);
    while (before < count && (others->keys[before] < value) != run->options->reverse)
        before++;
    uint64_t behind = count - before;
    for (uint64_t i = 0; i < count; i++)
        others->keys[i] = gs_emit_record(&run->emitter, others->keys[i]);
    memcpy(memory, others->keys, before * sizeof *memory);
    memcpy(memory + run->plan.count - behind, others->keys + before, behind * sizeof *memory);
    stats->bins = (before > 0 ? 2U : 1U) + (behind > 0 ? 1U : 0U);
    stats->largest_bin = before > behind ? before : behind;
    stats->equality_bins = 1;
    stats->equality_keys = run->plan.count - count;
}

enum gs_status gs_sort_equal_cpu(struct gs_run *run, gs_key value, uint64_t *others,
                                 struct gs_error *err)
{
    uint64_t n = run->plan.count;
    uint64_t start = gs_now_ns();
    uint64_t fingerprint = 0;
    uint64_t position;
    struct others found = {.count = 0};
    atomic_uint_fast64_t next = 0;
    gs_run_phase(run, GS_STAGE_WRITE, n);
#pragma omp parallel num_threads(run->plan.threads) reduction(+ : fingerprint)
    for (uint64_t first; (first = atomic_fetch_add(&next, PIECE_KEYS)) < n;) {
        if (atomic_load_explicit(&found.count, memory_order_relaxed) > GS_OTHERS_MAX)
            break;
        uint64_t count = n - first < PIECE_KEYS ? n - first : PIECE_KEYS;
        fingerprint += sort_piece(run, value, first, count, &found);
    }
    *others = found.count;
    if (*others > GS_OTHERS_MAX) { /* as if nothing had been written: another method will sort */
        run->stats->stages[GS_STAGE_WRITE] = (struct gs_stage_stats){0};
        return GS_OK;
    }
    if (*others > 0)
        place_others(run, &found, value);
    run->fingerprint = fingerprint;
    gs_emit_begin(&run->emitter, 0, NULL, &n, 0, &position);
    gs_emit_end(&run->emitter);
    gs_run_account(run, GS_STAGE_READ, "cpu", 0, n, n * GS_KEY_BYTES);
    gs_run_account(run, GS_STAGE_WRITE, "cpu", gs_now_ns() - start, n, n * GS_KEY_BYTES);
    return gs_emit_result(&run->emitter, err);
}
