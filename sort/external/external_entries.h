/* external_entries.h -- what goes through temporary files: keys, or records that keys stand for.
 * SPDX-License-Identifier: MIT
 *
 * All of an external sort deals with keys. Where an input has records that are wider, their keys
 * are tags (sort/tags/tags.h), which split a chunk; but it is the records that are written then, in
 * the order of their tags' bins, and within a bin in that of the input.
 */
#ifndef GS_EXTERNAL_ENTRIES_H
#define GS_EXTERNAL_ENTRIES_H

#include "sort/check/record_fingerprint.h"
#include "sort/keys/tiles.h"
#include "sort/run/plan.h"
#include "sort/types/look.h"

#include "common/random.h"

struct gs_external_plan;
struct gs_external_sorter;
struct gs_level;

/* What splitters are chosen by. */
struct gs_level_sample {
    void *entries; /* [count], of what will be split; for keys, with room for `even` more */
    uint32_t count;
    uint32_t even; /* so many keys, evenly spread over all values, count as well */
    uint32_t bins; /* to aim at */
    uint32_t from; /* the strings of records are the same up to here */
};

/* The records of a chunk, from their split until they are written. */
struct gs_chunk_input {
    struct gs_tiles tiles;
    struct gs_span *spans; /* of the tiles; owned */
    uint64_t first;        /* position of the first record in the input */
    bool given;            /* they are the caller's, and are given back */
    uint64_t sum;          /* with a journal, theirs before they were split, by number */
};

/* All records of a bin are equal. */
#define GS_ALL_EQUAL UINT32_MAX

struct gs_entries {
    uint32_t bytes;       /* of one in temporary files, */
    uint32_t input_bytes; /* and of a record of the input */
    bool tagged;          /* they are records, and keys their tags */
    gs_look_at *look;     /* at records of the output */

    /* The sizes of a sort of so many in memory. */
    void (*plan)(const struct gs_entries *entries, uint64_t count, struct gs_plan *plan);

    /* Only of records: GS_ERR_MEMORY if the plan does not serve so many of them, and more. */
    enum gs_status (*check)(const struct gs_entries *entries, const struct gs_external_plan *plan,
                            uint64_t count, bool more, struct gs_error *err);

    /* Choose the splitters of a level and, for records, its tagger. */
    enum gs_status (*choose)(const struct gs_entries *entries, struct gs_level *level,
                             const struct gs_level_sample *sample, struct gs_error *err);

    /* Only of records: those of some tags, in the order of these, as they are written. */
    void (*fetch)(const struct gs_entries *entries, const struct gs_chunk_input *input,
                  const gs_key *tags, uint64_t count, char *to);

    /* Bins low to high of a level, `count` entries in all, lie at sorter->load: sort them and write
     * them out. */
    enum gs_status (*sort)(struct gs_external_sorter *sorter, const struct gs_level *level,
                           uint32_t low, uint32_t high, uint64_t count, struct gs_error *err);

    /* Only of records: up to where the strings of a bin's records are all the same, or
     * GS_ALL_EQUAL. Such a bin is written out if it is too large to be sorted. */
    uint32_t (*shared)(const struct gs_entries *entries, const struct gs_level *level,
                       uint32_t bin);
    enum gs_status (*write_equal)(struct gs_external_sorter *sorter, const struct gs_level *level,
                                  uint32_t bin, struct gs_error *err);
};

static inline __attribute__((always_inline)) uint64_t
gs_checksum_of(const char *records, uint64_t record_bytes, uint64_t first, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += gs_random(gs_record_hash(records + i * record_bytes, record_bytes), first + i);
    return sum;
}

/* The checksum of records, or of entries, with the numbers [first, first + count): those of parts
 * add up. Of keys, whose size the compiler then knows, it takes a tenth of the time. */
static inline uint64_t gs_entries_checksum(const void *records, uint64_t record_bytes,
                                           uint64_t first, uint64_t count)
{
    return record_bytes == sizeof(gs_key) ? gs_checksum_of(records, sizeof(gs_key), first, count)
                                          : gs_checksum_of(records, record_bytes, first, count);
}

/* Bytes that an entry of a chunk takes while that is split and written. */
static inline uint64_t gs_entry_room(const struct gs_entries *entries)
{
    return entries->tagged ? sizeof(gs_key) + entries->bytes : sizeof(gs_key);
}

#endif
