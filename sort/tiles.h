/* tiles.h -- the input cut into tiles, the unit that a thread claims.
 * SPDX-License-Identifier: MIT
 *
 * A tile lies inside one span. Tiles are numbered through all spans in order.
 */
#ifndef GS_TILES_H
#define GS_TILES_H

#include "sort/gsort.h"

struct gs_tiles {
    const struct gs_span *spans; /* the caller's */
    size_t span_count;
    uint64_t *first_tile; /* span_count + 1: number of the first tile of each span; owned */
    uint64_t *first_key;  /* span_count + 1: position of the first key of each span; owned */
    uint64_t count;       /* tiles in all */
};

struct gs_tile {
    const gs_key *keys;
    uint64_t count;
    uint64_t first;             /* position of keys[0] in the concatenated spans */
    const struct gs_span *span; /* where it lies */
};

enum gs_status gs_tiles_make(struct gs_tiles *tiles, const struct gs_span *spans, size_t span_count,
                             struct gs_error *err);
void gs_tiles_free(struct gs_tiles *tiles);

/* All keys of all spans. */
uint64_t gs_tiles_keys(const struct gs_tiles *tiles);

/* The tile with a number below tiles->count. */
struct gs_tile gs_tiles_at(const struct gs_tiles *tiles, uint64_t index);

/* Copy keys[first .. first + count) of the concatenated spans. */
void gs_tiles_copy(const struct gs_tiles *tiles, uint64_t first, uint64_t count, gs_key *to);

/* The part of one span that begins at a position of the concatenated spans: at most count keys. */
struct gs_tile gs_tiles_part(const struct gs_tiles *tiles, uint64_t first, uint64_t count);

/* Fail: somebody writes to keys [first, first + count) of the input. It is named where only one can
 * be meant. count is not 0. */
enum gs_status gs_tiles_fail_changed(const struct gs_tiles *tiles, uint64_t first, uint64_t count,
                                     struct gs_error *err);

/* The key at a position of the concatenated spans. */
gs_key gs_tiles_key(const struct gs_tiles *tiles, uint64_t position);

#endif
