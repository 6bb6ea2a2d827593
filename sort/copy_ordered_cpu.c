/* copy_ordered_cpu.c -- hand out an input that is in order already, tile by tile.
 * SPDX-License-Identifier: MIT
 */
#include "sort/copy_ordered.h"
#include "sort/cache_sort.h"
#include "sort/order.h"
#include "sort/stages_cpu.h"

#include "common/clock.h"

#include <assert.h>
#include <string.h>

static_assert(GS_TILE_KEYS + 1 <= GS_CACHE_SORT_SCRATCH,
              "a tile and the key before it fit scratch");

/* Copy one tile of ordered input out, in the direction that the output wants. The copy is what is
 * checked and written: the input may change under us. */
static enum gs_status copy_tile(struct gs_run *run, uint64_t index, bool reversed, gs_key *scratch,
                                uint64_t *fingerprint, struct gs_work *work)
{
    const struct gs_tiles *tiles = &run->tiles;
    bool turn = reversed != run->options->reverse;
    struct gs_tile tile = gs_tiles_at(tiles, index);
    gs_key *keys = scratch + 1; /* behind the key before the tile */
    uint64_t start = gs_now_ns();
    memcpy(keys, tile.keys, tile.count * sizeof *keys);
    scratch[0] = tile.first > 0 ? gs_tiles_key(tiles, tile.first - 1) : keys[0];
    if (!(reversed ? gs_order_descending : gs_order_ascending)(scratch, tile.count + 1)) {
        struct gs_error err = {.status = GS_OK};
        gs_fail(&err, GS_ERR_INPUT, 0, "%s: changed while it was being sorted", tile.span->name);
        gs_emit_fail(&run->emitter, &err);
        return err.status;
    }
    uint64_t count = tile.count;
    uint64_t sum = run->options->verify ? gs_fingerprint(keys, count) : 0;
    *fingerprint += sum;
    if (run->options->unique) {
        /* The tile before has kept its last key; without one, the first key has no equal before. */
        bool first = tile.first == 0;
        count = gs_order_unique(scratch, tile.count + 1) - 1 + first;
        keys = scratch + !first;
        if (run->options->verify)
            gs_emit_drop(&run->emitter, sum - gs_fingerprint(keys, count));
    }
    uint64_t piece = turn ? tiles->count - 1 - index : index;
    uint64_t planned = turn ? run->plan.count - tile.first - tile.count : tile.first;
    if (turn)
        gs_order_reverse(keys, count);
    work->sort_ns += gs_now_ns() - start;
    return gs_work_emit(run, piece, keys, count, planned, work);
}

enum gs_status gs_copy_ordered_cpu(struct gs_run *run, bool reversed, struct gs_error *err)
{
    struct gs_cpu *cpu = run->device;
    uint64_t tiles = run->tiles.count;
    bool turn = reversed != run->options->reverse;
    uint64_t fingerprint = 0;
    atomic_uint_fast64_t next = 0;
#pragma omp parallel num_threads(run->plan.threads) reduction(+ : fingerprint)
    {
        struct gs_work work = {0};
        gs_key *scratch = cpu->scratch + (size_t)gs_cpu_thread() * GS_CACHE_SORT_SCRATCH;
        for (uint64_t piece; (piece = atomic_fetch_add(&next, 1)) < tiles;) {
            uint64_t index = turn ? tiles - 1 - piece : piece;
            if (copy_tile(run, index, reversed, scratch, &fingerprint, &work) != GS_OK)
                break;
            atomic_fetch_add_explicit(&run->progress->done, GS_TILE_KEYS, memory_order_relaxed);
        }
        gs_work_account(run, &work, run->plan.threads);
    }
    run->fingerprint = fingerprint;
    return gs_emit_result(&run->emitter, err);
}
