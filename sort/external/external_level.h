/* external_level.h -- one distribution of keys to bins on disk: of the input, or of a large bin.
 * SPDX-License-Identifier: MIT
 *
 * The keys, or the records that they stand for, came in chunks. Each is ordered by bin row by row
 * in memory, and either stays there or goes to one piece of the spill, ordered by bin as a whole,
 * so that one read gets neighbouring bins of a chunk. Equality bins are only counted.
 */
#ifndef GS_EXTERNAL_LEVEL_H
#define GS_EXTERNAL_LEVEL_H

#include "sort/external/external_entries.h"
#include "sort/keys/rows.h"
#include "sort/split/splitters.h"

#include "common/files/spill.h"
#include "common/status.h"

struct gs_level_chunk {
    struct gs_place place;
    struct gs_rows rows; /* the chunk, if it stays in memory, or NULL keys; starts are owned, */
    uint64_t kept_keys;  /* and so are the keys, with room for so many */
    uint32_t *starts;    /* [bins + 1]: where each bin starts in the piece, in entries; owned */
};

struct gs_level {
    struct gs_splitters splitters;
    uint64_t *totals; /* [bins]: keys of each */
    struct gs_level_chunk *chunks;
    size_t chunk_count;
    size_t chunk_room;
    const struct gs_entries *entries;
    struct gs_tagger *tagger; /* of records, or NULL; owned */
    unsigned loose_bits;      /* of its tags: those that agree above them share a bin */
    double alike;             /* how likely it is that those of two begin with the same 4 bytes */
    bool of_bin;              /* that was too large, and not of the input */
    unsigned idle;            /* levels before that came no further with that bin, and this one */
};

static inline uint32_t gs_level_bins(const struct gs_level *level)
{
    return level->splitters.count + 1;
}

/* A new level, with bins by a sample, of which keys are sorted in place. The caller frees it. NULL,
 * with *err filled, if there is no memory. */
struct gs_level *gs_level_make(const struct gs_entries *entries,
                               const struct gs_level_sample *sample, bool of_bin,
                               struct gs_error *err);
void gs_level_free(struct gs_level *level);

/* Cut spans into tiles of what the level splits; keys are records of a codec, or if NULL keys. */
enum gs_status gs_level_tiles(const struct gs_level *level, const struct gs_codec *codec,
                              struct gs_tiles *tiles, const struct gs_span *spans,
                              size_t span_count, struct gs_error *err);

/* Add a chunk; the caller adds its keys to the totals. If that succeeds, the level owns what the
 * chunk does. */
enum gs_status gs_level_add(struct gs_level *level, const struct gs_level_chunk *chunk,
                            struct gs_error *err);

/* Free what a chunk owns. */
void gs_level_chunk_free(struct gs_level_chunk *chunk);

/* The number of keys that a chunk has in bins low to high. */
uint32_t gs_level_piece_keys(const struct gs_level *level, size_t chunk, uint32_t low,
                             uint32_t high);

/* Copy keys [from, from + count) of a chunk as it is ordered by bin, from its rows; starts are
 * those of the chunk. */
void gs_level_gather(const struct gs_rows *rows, const uint32_t *starts, uint64_t from,
                     uint64_t count, gs_key *to);

/* Read entries [skip, skip + count) of those that a chunk has in bins from low on. */
enum gs_status gs_level_read(const struct gs_level *level, const struct gs_spill *spill,
                             size_t chunk, uint32_t low, uint32_t skip, uint32_t count, void *to,
                             struct gs_error *err);

/* Read all entries of bins low to high, chunk after chunk; none of them may be an equality bin with
 * keys, since these are not on disk. */
enum gs_status gs_level_load(const struct gs_level *level, const struct gs_spill *spill,
                             uint32_t low, uint32_t high, void *to, unsigned threads,
                             struct gs_error *err);

/* Announce that bins low to high are loaded next, for read-ahead. */
void gs_level_announce(const struct gs_level *level, const struct gs_spill *spill, uint32_t low,
                       uint32_t high);

/* Draw `samples` entries at positions spread over one bin. */
enum gs_status gs_level_sample(const struct gs_level *level, const struct gs_spill *spill,
                               uint32_t bin, uint32_t samples, void *sample, struct gs_error *err);

#endif
