/* tiles.c -- the input cut into tiles.
 * SPDX-License-Identifier: MIT
 */
#include "sort/keys/tiles.h"
#include "sort/keys/params.h"
#include "sort/types/starts.h"

#include <stdlib.h>

enum gs_status gs_tiles_make(struct gs_tiles *tiles, const struct gs_span *spans, size_t span_count,
                             struct gs_error *err)
{
    *tiles = (struct gs_tiles){.spans = spans, .span_count = span_count};
    tiles->first_tile = calloc(span_count + 1, sizeof *tiles->first_tile);
    tiles->first_key = calloc(span_count + 1, sizeof *tiles->first_key);
    if (tiles->first_tile == NULL || tiles->first_key == NULL) {
        gs_tiles_free(tiles);
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu inputs", span_count);
    }
    for (size_t i = 0; i < span_count; i++) {
        uint64_t in_span = (spans[i].count + GS_TILE_KEYS - 1) / GS_TILE_KEYS;
        tiles->first_tile[i + 1] = tiles->first_tile[i] + in_span;
        tiles->first_key[i + 1] = tiles->first_key[i] + spans[i].count;
    }
    tiles->count = tiles->first_tile[span_count];
    return GS_OK;
}

void gs_tiles_free(struct gs_tiles *tiles)
{
    free(tiles->first_tile);
    free(tiles->first_key);
    tiles->first_tile = NULL;
    tiles->first_key = NULL;
}

enum gs_status gs_tiles_decode(struct gs_tiles *tiles, const struct gs_codec *codec,
                               const struct gs_span *spans, size_t span_count, struct gs_error *err)
{
    enum gs_status st = gs_tiles_make(tiles, spans, span_count, err);
    tiles->codec = codec;
    return st;
}

enum gs_status gs_tiles_tag(struct gs_tiles *tiles, const struct gs_tagger *tagger,
                            const struct gs_span *spans, size_t span_count, struct gs_error *err)
{
    enum gs_status st = gs_tiles_make(tiles, spans, span_count, err);
    tiles->tagger = tagger;
    return st;
}

uint64_t gs_tiles_keys(const struct gs_tiles *tiles)
{
    return tiles->first_key[tiles->span_count];
}

/* Records [skip, skip + count) of a span; first is the position of the first one. */
static struct gs_tile make_tile(const struct gs_tiles *tiles, const struct gs_span *span,
                                uint64_t skip, uint64_t count, uint64_t first)
{
    const void *records = (const char *)span->keys + skip * gs_tiles_record_bytes(tiles);
    const bool are_keys = gs_tiles_are_keys(tiles) || first < tiles->decoded;
    return (struct gs_tile){.keys = are_keys ? records : NULL,
                            .records = records,
                            .count = count,
                            .first = first,
                            .span = span};
}

struct gs_tile gs_tiles_at(const struct gs_tiles *tiles, uint64_t index)
{
    size_t i = gs_starts_find(tiles->first_tile, tiles->span_count, index);
    uint64_t skip = (index - tiles->first_tile[i]) * GS_TILE_KEYS;
    uint64_t left = tiles->spans[i].count - skip;
    return make_tile(tiles, &tiles->spans[i], skip, left < GS_TILE_KEYS ? left : GS_TILE_KEYS,
                     tiles->first_key[i] + skip);
}

gs_key gs_tiles_key(const struct gs_tiles *tiles, uint64_t position)
{
    gs_key key = 0;
    gs_tiles_copy(tiles, position, 1, &key);
    return key;
}

struct gs_tile gs_tiles_part(const struct gs_tiles *tiles, uint64_t first, uint64_t count)
{
    size_t i = gs_starts_find(tiles->first_key, tiles->span_count, first);
    uint64_t skip = first - tiles->first_key[i];
    uint64_t left = tiles->spans[i].count - skip;
    if (first < tiles->decoded && left > tiles->decoded - first)
        left = tiles->decoded - first;
    return make_tile(tiles, &tiles->spans[i], skip, left < count ? left : count, first);
}

enum gs_status gs_tiles_fail_changed(const struct gs_tiles *tiles, uint64_t first, uint64_t count,
                                     struct gs_error *err)
{
    struct gs_tile part = gs_tiles_part(tiles, first, count);
    if (part.count < count)
        return gs_fail(err, GS_ERR_INPUT, 0, "an input changed while it was being sorted");
    return gs_fail(err, GS_ERR_INPUT, 0, "%s: changed while it was being sorted", part.span->name);
}

void gs_tiles_copy(const struct gs_tiles *tiles, uint64_t first, uint64_t count, gs_key *to)
{
    for (uint64_t done = 0; done < count;) {
        struct gs_tile part = gs_tiles_part(tiles, first + done, count - done);
        if (part.keys == NULL)
            gs_tile_keys(tiles, &part, 0, part.count, to + done);
        else if (part.keys != to + done)
            gs_copy_once(to + done, part.keys, part.count);
        done += part.count;
    }
}
