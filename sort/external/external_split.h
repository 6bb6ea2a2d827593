/* external_split.h -- sort one chunk of keys by bin, in memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_SPLIT_H
#define GS_EXTERNAL_SPLIT_H

#include "sort/keys/tiles.h"
#include "sort/split/splitters.h"

struct gs_split {
    const struct gs_splitters *splitters;
    const struct gs_tiles *tiles; /* keys [first, first + count) of these are split */
    uint64_t first;
    uint32_t count;
    unsigned threads;
    bool verify;
    gs_key *out;      /* [count], aligned to 64 bytes: bins in ascending order, then all equality
                         bins */
    uint32_t *starts; /* [bins + 1] out: where each bin starts; equality bins count as empty here */
    uint64_t *totals; /* [bins] in and out: the keys of each bin, equality bins too, are added */
    uint64_t fingerprint; /* out: of the keys (verify) */
};

/* Split one chunk. GS_ERR_INPUT if keys changed between the two times that they are read. */
enum gs_status gs_split_chunk(struct gs_split *split, struct gs_error *err);

#endif
