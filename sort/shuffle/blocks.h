/* blocks.h -- records, or their positions, dealt to bins in memory, block by block.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_BLOCKS_H
#define GS_BLOCKS_H

#include "sort/shuffle/dealing.h"

/* An element is a record or a position. A block is dealt in cache, so that bins are filled there;
 * whoever wants a bin gathers what each block has of it. */
struct gs_blocks {
    char *dealt;                                /* all blocks, in each the elements by bin */
    uint64_t count;                             /* of elements */
    unsigned bytes;                             /* of an element */
    uint32_t (*starts_in)[GS_SHUFFLE_BINS + 1]; /* for each block: of its bins, in elements */
    uint64_t starts[GS_SHUFFLE_BINS + 1];       /* of the bins, of all blocks */
    uint64_t most;                              /* elements of the largest bin */
};

/* Bytes that so many elements take, while threads deal them. */
uint64_t gs_blocks_bytes(uint64_t count, unsigned bytes, unsigned threads);

/* Deal all records of the input, as elements of so many bytes. To be freed even after a failure. */
enum gs_status gs_blocks_deal(struct gs_blocks *blocks, uint64_t node,
                              const struct gs_shuffle_input *input, unsigned bytes, bool positions,
                              unsigned threads, struct gs_error *err);
void gs_blocks_free(struct gs_blocks *blocks);

/* Copy the elements of a bin, in the order of the input. */
void gs_blocks_gather(const struct gs_blocks *blocks, uint32_t bin, char *to);

#endif
