/* tiles.h -- the input cut into tiles, the unit that a thread claims.
 * SPDX-License-Identifier: MIT
 *
 * A tile lies inside one span. Tiles are numbered consecutively over all spans.
 */
#ifndef GS_TILES_H
#define GS_TILES_H

#include "sort/keys/typed.h"
#include "sort/types/types.h"

/* Makes keys, called tags, of records of any size; first is the position of the first record. Each
 * tag is unique, and the same record at the same position has the same tag. */
struct gs_tagger {
    uint32_t record_bytes;
    bool sums; /* what is read has the fingerprint of the records, not of their tags */
    void (*tag)(const struct gs_tagger *tagger, const void *records, uint64_t first, uint64_t count,
                gs_key *tags);
};

struct gs_tiles {
    const struct gs_span *spans; /* the caller's */
    size_t span_count;
    uint64_t *first_tile; /* span_count + 1: number of the first tile of each span; owned */
    uint64_t *first_key;  /* span_count + 1: position of the first key of each span; owned */
    uint64_t count;       /* tiles in all */
    const struct gs_codec *codec;   /* of the records in the spans; NULL: they are keys, */
    const struct gs_tagger *tagger; /* or, if this is not NULL, records to be tagged */
    uint64_t decoded; /* so many of the first ones, whole tiles of them, are keys already */
};

struct gs_tile {
    const gs_key *keys;  /* NULL if they are records that have to be decoded */
    const void *records; /* where they lie */
    uint64_t count;
    uint64_t first;             /* position of the first in the concatenated spans */
    const struct gs_span *span; /* where it lies */
};

/* Cut the spans into tiles; they must stay valid until gs_tiles_free. On failure there is nothing
 * to free. gs_tiles_decode is the same for spans of records; codec may be NULL. */
enum gs_status gs_tiles_make(struct gs_tiles *tiles, const struct gs_span *spans, size_t span_count,
                             struct gs_error *err);
enum gs_status gs_tiles_decode(struct gs_tiles *tiles, const struct gs_codec *codec,
                               const struct gs_span *spans, size_t span_count,
                               struct gs_error *err);
void gs_tiles_free(struct gs_tiles *tiles);

/* The same for records that are tagged. */
enum gs_status gs_tiles_tag(struct gs_tiles *tiles, const struct gs_tagger *tagger,
                            const struct gs_span *spans, size_t span_count, struct gs_error *err);

/* Are the records keys, to be used where they lie? */
static inline bool gs_tiles_are_keys(const struct gs_tiles *tiles)
{
    return tiles->codec == NULL && tiles->tagger == NULL;
}

/* Bytes of a record in the spans. */
static inline size_t gs_tiles_record_bytes(const struct gs_tiles *tiles)
{
    return tiles->codec != NULL    ? tiles->codec->record_bytes
           : tiles->tagger != NULL ? tiles->tagger->record_bytes
                                   : sizeof(gs_key);
}

/* The number of keys in all spans. */
uint64_t gs_tiles_keys(const struct gs_tiles *tiles);

/* The tile with this number, which is below tiles->count. */
struct gs_tile gs_tiles_at(const struct gs_tiles *tiles, uint64_t index);

/* Copy keys [first, first + count) of the concatenated spans, each read once. */
void gs_tiles_copy(const struct gs_tiles *tiles, uint64_t first, uint64_t count, gs_key *to);

/* At most count keys from position `first` of the concatenated spans on, all of one span. */
struct gs_tile gs_tiles_part(const struct gs_tiles *tiles, uint64_t first, uint64_t count);

/* The load door: keys of a part or tile, `count` of them behind the first `skip`. They are where
 * they lie in the input or, with a codec, decoded in block, which has room for them. */
static inline const gs_key *gs_tile_keys(const struct gs_tiles *tiles, const struct gs_tile *tile,
                                         uint64_t skip, uint64_t count, gs_key *block)
{
    if (tile->keys != NULL)
        return tile->keys + skip;
    const void *records = (const char *)tile->records + skip * gs_tiles_record_bytes(tiles);
    if (tiles->tagger != NULL)
        tiles->tagger->tag(tiles->tagger, records, tile->first + skip, count, block);
    else
        gs_codec_load(tiles->codec, records, block, count);
    return block;
}

/* Fail with GS_ERR_INPUT: keys [first, first + count) of the input changed during the sort. The
 * message names the input if they lie in a single span. count is not 0. */
enum gs_status gs_tiles_fail_changed(const struct gs_tiles *tiles, uint64_t first, uint64_t count,
                                     struct gs_error *err);

/* The key at a position of the concatenated spans. */
gs_key gs_tiles_key(const struct gs_tiles *tiles, uint64_t position);

#endif
