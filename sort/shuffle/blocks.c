/* blocks.c -- records, or their positions, dealt to bins in memory, block by block.
 * SPDX-License-Identifier: MIT
 */
#include "sort/shuffle/blocks.h"

#include "common/memory/memory.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES  ((uint64_t)512 << 10) /* the second-level cache has more */
#define PIECES_AHEAD 8                     /* that are under way while a bin is gathered, */
#define PIECE_LINES  2                     /* of about so many cache lines */
#define LINE_BYTES   64

static uint64_t block_elements(unsigned bytes)
{
    return BLOCK_BYTES / bytes;
}

static uint64_t blocks_of(uint64_t count, unsigned bytes)
{
    return (count + block_elements(bytes) - 1) / block_elements(bytes);
}

/* Of a thread, for the block that it deals: a single one stays where it is dealt. */
static uint64_t cache_bytes(uint64_t count, unsigned bytes)
{
    return blocks_of(count, bytes) > 1 ? BLOCK_BYTES : 0;
}

uint64_t gs_blocks_bytes(uint64_t count, unsigned bytes, unsigned threads)
{
    return count * bytes + blocks_of(count, bytes) * sizeof *((struct gs_blocks *)NULL)->starts_in +
           threads * (cache_bytes(count, bytes) + gs_dealing_bytes(1));
}

/* Deal a block in cache, then copy it to memory. */
static void deal_block(struct gs_blocks *blocks, uint64_t node,
                       const struct gs_shuffle_input *records, bool positions, uint64_t block,
                       struct gs_dealing *deal, char *cache)
{
    struct gs_shuffle_input input = *records;
    const uint64_t step = block_elements(blocks->bytes);
    const uint64_t left = blocks->count - block * step;
    char *to = blocks->dealt + block * step * blocks->bytes;
    input.from = block * step;
    cache = cache != NULL ? cache : to;
    gs_dealing_count(deal, node, input.from, left < step ? left : step);
    for (uint32_t bin = 0; bin <= GS_SHUFFLE_BINS; bin++)
        blocks->starts_in[block][bin] = (uint32_t)deal->starts[bin];
    if (positions)
        gs_dealing_positions(deal, 0, GS_SHUFFLE_BINS, blocks->bytes, cache);
    else
        gs_dealing_records(deal, &input, cache);
    if (cache != to)
        gs_copy_past_cache(to, cache, deal->count * blocks->bytes);
}

/* Where bins begin, and what the largest has. */
static void add_up(struct gs_blocks *blocks)
{
    for (uint64_t block = 0; block < blocks_of(blocks->count, blocks->bytes); block++)
        for (uint32_t bin = 0; bin <= GS_SHUFFLE_BINS; bin++)
            blocks->starts[bin] += blocks->starts_in[block][bin];
    for (uint32_t bin = 0; bin < GS_SHUFFLE_BINS; bin++)
        if (blocks->starts[bin + 1] - blocks->starts[bin] > blocks->most)
            blocks->most = blocks->starts[bin + 1] - blocks->starts[bin];
}

enum gs_status gs_blocks_deal(struct gs_blocks *blocks, uint64_t node,
                              const struct gs_shuffle_input *input, unsigned bytes, bool positions,
                              unsigned threads, struct gs_error *err)
{
    *blocks = (struct gs_blocks){.count = gs_shuffle_count(input), .bytes = bytes};
    const uint64_t room = cache_bytes(blocks->count, bytes);
    const uint64_t all = blocks_of(blocks->count, bytes);
    struct gs_dealing **deals = gs_dealings_new(threads, UINT64_MAX);
    char *caches = gs_pages_alloc(threads * room);
    blocks->starts_in = reallocarray(NULL, all + 1, sizeof *blocks->starts_in);
    blocks->dealt = gs_pages_alloc(blocks->count * bytes);
    const bool whole =
        deals != NULL && caches != NULL && blocks->starts_in != NULL && blocks->dealt != NULL;
    if (whole) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (uint64_t block = 0; block < all; block++) {
            const size_t thread = (size_t)omp_get_thread_num();
            deal_block(blocks, node, input, positions, block, deals[thread],
                       room > 0 ? caches + thread * room : NULL);
        }
        add_up(blocks);
    }
    gs_dealings_free(deals, threads);
    gs_pages_free(caches, threads * room);
    return whole ? GS_OK : gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to shuffle");
}

void gs_blocks_free(struct gs_blocks *blocks)
{
    free(blocks->starts_in);
    gs_pages_free(blocks->dealt, blocks->count * blocks->bytes);
}

void gs_blocks_gather(const struct gs_blocks *blocks, uint32_t bin, char *to)
{
    const uint64_t bytes = blocks->bytes;
    const uint64_t all = blocks_of(blocks->count, blocks->bytes);
    const uint64_t step = block_elements(blocks->bytes) * bytes;
    for (uint64_t i = 0; i < all; i++) {
        const uint64_t first = blocks->starts_in[i][bin] * bytes;
        const uint64_t here = blocks->starts_in[i][bin + 1] * bytes - first;
        const uint64_t later = i + PIECES_AHEAD < all ? i + PIECES_AHEAD : i;
        const char *ahead = blocks->dealt + later * step + blocks->starts_in[later][bin] * bytes;
        for (uint32_t line = 0; line < PIECE_LINES; line++)
            __builtin_prefetch(ahead + (size_t)line * LINE_BYTES);
        memcpy(to, blocks->dealt + i * step + first, here);
        to += here;
    }
}
