/* order.c -- order checks, duplicates and reversal of keys in memory.
 * SPDX-License-Identifier: MIT
 *
 * The loops are written so that the compiler vectorizes them, for each of some instruction sets
 * (GS_CLONES): no exit inside a block, one comparison a key.
 */
#include "sort/keys/order.h"
#include "sort/keys/u32/vector_keys.h"
#include "sort/keys/vectors.h"
#include "sort/keys/params.h"

#include <stdatomic.h>

/* Keys compared before the result is tested. */
#define BLOCK_KEYS 4096

/* Tiles to compare per thread: waking a thread takes as long as comparing so many. A pipe's pieces
 * stay below that: one thread compares them faster than they come. */
#define TILES_PER_THREAD 8

/* Does any key of the block follow a greater one? keys[0] is compared with keys[1] first. */
GS_CLONES static bool block_descends(const gs_key *keys, uint64_t pairs)
{
    unsigned bad = 0;
    for (uint64_t i = 0; i < pairs; i++)
        bad |= keys[i] > keys[i + 1];
    return bad != 0;
}

/* Does any key of the block follow a smaller one? */
GS_CLONES static bool block_ascends(const gs_key *keys, uint64_t pairs)
{
    unsigned bad = 0;
    for (uint64_t i = 0; i < pairs; i++)
        bad |= keys[i] < keys[i + 1];
    return bad != 0;
}

/* Does any key of the block equal the one before it? */
GS_CLONES static bool block_repeats(const gs_key *keys, uint64_t pairs)
{
    unsigned bad = 0;
    for (uint64_t i = 0; i < pairs; i++)
        bad |= keys[i] == keys[i + 1];
    return bad != 0;
}

typedef bool block_test(const gs_key *keys, uint64_t pairs);

/* Does the test fail for all pairs of neighbours? */
static bool none_of(block_test *test, const gs_key *keys, uint64_t count)
{
    for (uint64_t i = 0; i + 1 < count; i += BLOCK_KEYS) {
        uint64_t pairs = count - 1 - i;
        if (test(keys + i, pairs < BLOCK_KEYS ? pairs : BLOCK_KEYS))
            return false;
    }
    return true;
}

bool gs_order_ascending(const gs_key *keys, uint64_t count)
{
    return none_of(block_descends, keys, count);
}

bool gs_order_descending(const gs_key *keys, uint64_t count)
{
    return none_of(block_ascends, keys, count);
}

static void close_up(gs_key *keys, uint64_t count, struct gs_closing *closing)
{
    for (; closing->read < count; closing->read++) {
        gs_key key = keys[closing->read];
        keys[closing->kept] = key; /* always stored: nothing to mispredict */
        closing->kept += key != closing->last;
        closing->last = key;
    }
}

uint64_t gs_order_unique(gs_key *keys, uint64_t count)
{
    if (count < 2)
        return count;
    /* No key moves before the first duplicate, and often there is none. */
    uint64_t i = 0;
    while (i + 1 < count) {
        uint64_t pairs = count - 1 - i < BLOCK_KEYS ? count - 1 - i : BLOCK_KEYS;
        if (block_repeats(keys + i, pairs))
            break;
        i += pairs;
    }
    struct gs_closing closing = {.read = i + 1, .kept = i + 1, .last = keys[i]};
    gs_vector_close_up(keys, count, &closing);
    close_up(keys, count, &closing);
    return closing.kept;
}

uint64_t gs_order_firsts(gs_key *keys, uint64_t count, unsigned payload_bits, bool turn)
{
    uint64_t kept = 0;
    if (turn)
        gs_order_reverse(keys, count);
    for (uint64_t i = 0; i < count; i++)
        if (kept == 0 || (keys[i] ^ keys[kept - 1]) >> payload_bits != 0)
            keys[kept++] = keys[i];
    return kept;
}

GS_CLONES void gs_order_reverse(gs_key *keys, uint64_t count)
{
    gs_key *low = keys;
    gs_key *high = keys + count;
    for (uint64_t i = 0; i < count / 2; i++) {
        gs_key key = low[i];
        low[i] = *(high - 1 - i);
        *(high - 1 - i) = key;
    }
}

/* Is the pair out of the wanted order? */
static bool is_disorder(const struct gs_options *options, gs_key before, gs_key after)
{
    if (options->unique && (before ^ after) >> gs_payload_bits(options) == 0)
        return true;
    return options->reverse ? before < after : before > after;
}

/* The index of the first disorder inside one array, or count; tests block by block. */
static uint64_t find_disorder(const struct gs_options *options, const gs_key *keys, uint64_t count)
{
    for (uint64_t i = 0; i + 1 < count; i += BLOCK_KEYS) {
        uint64_t pairs = count - 1 - i < BLOCK_KEYS ? count - 1 - i : BLOCK_KEYS;
        bool bad =
            options->reverse ? block_ascends(keys + i, pairs) : block_descends(keys + i, pairs);
        if (!bad && options->unique)
            bad = gs_payload_bits(options) > 0 || block_repeats(keys + i, pairs);
        for (uint64_t k = i; bad && k < i + pairs; k++)
            if (is_disorder(options, keys[k], keys[k + 1]))
                return k + 1;
    }
    return count;
}

/* Threads that look for disorder in this many tiles. */
static unsigned threads_for(const struct gs_options *options, uint64_t tiles)
{
    uint64_t most = tiles / TILES_PER_THREAD + 1;
    unsigned threads = gs_threads(options);
    return threads < most ? threads : (unsigned)most;
}

/* The first disorder of records, or of keys if codec is NULL. */
static uint64_t search(const struct gs_options *options, const struct gs_codec *codec,
                       const void *records, uint64_t count, const void *previous)
{
    const struct gs_span span = {.keys = records, .count = count};
    const struct gs_span before = {.keys = previous, .count = 1};
    if (count > 0 && previous != NULL &&
        is_disorder(options, gs_span_key(&before, codec, 0), gs_span_key(&span, codec, 0)))
        return 0;
    if (codec == NULL && count <= GS_TILE_KEYS)
        return find_disorder(options, records, count);
    const uint64_t claim = codec == NULL ? GS_TILE_KEYS : BLOCK_KEYS;
    atomic_uint_fast64_t next = 0;
    atomic_uint_fast64_t found = count;
#pragma omp parallel num_threads(threads_for(options, count / GS_TILE_KEYS))
    for (;;) {
        gs_key block[BLOCK_KEYS + 1];
        uint64_t first = atomic_fetch_add(&next, claim);
        /* Keys are claimed in ascending order, so those behind a disorder do not matter. */
        if (first >= atomic_load(&found))
            break;
        /* One key of the next claim too: a disorder may lie between claims. */
        uint64_t left = count - first;
        uint64_t here = left <= claim ? left : claim + 1;
        const gs_key *keys = codec == NULL ? gs_span_keys(&span) + first : block;
        if (codec != NULL)
            gs_codec_load(codec, gs_span_at(&span, codec, first), block, here);
        uint64_t bad = find_disorder(options, keys, here);
        uint_fast64_t best = atomic_load(&found);
        while (bad < here && first + bad < best &&
               !atomic_compare_exchange_weak(&found, &best, first + bad))
            continue;
    }
    return atomic_load(&found);
}

uint64_t gs_first_disorder(const struct gs_options *options, const gs_key *keys, uint64_t count,
                           const gs_key *previous)
{
    return search(options, NULL, keys, count, previous);
}

uint64_t gs_first_record_disorder(const struct gs_options *options, const void *records,
                                  uint64_t count, const void *previous)
{
    return search(options, options->codec, records, count, previous);
}
