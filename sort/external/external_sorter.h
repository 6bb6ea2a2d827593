/* external_sorter.h -- state shared by the parts of one external sort.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_SORTER_H
#define GS_EXTERNAL_SORTER_H

#include "sort/external/external_plan.h"
#include "sort/external/external_split.h"
#include "sort/external/external_writer.h"
#include "sort/run/emit.h"

/* One external sort. */
struct gs_external_sorter {
    const struct gs_options *options;
    const struct gs_external *source;
    const struct gs_entries *entries;
    struct gs_external_plan plan;
    struct gs_plan group; /* of the sort of plan.bin_keys keys */
    struct gs_spill spill;
    struct gs_progress *progress;
    struct gs_stats *stats;
    unsigned threads;
    struct gs_journal *journal; /* of complete chunks, or NULL */
    uint64_t chunk_fingerprint; /* of the chunk before */
    bool on_disk;               /* the input is, at least in part */
    struct gs_split *split;     /* while chunks are split, or NULL */
    gs_key *chunks[2];          /* [plan.chunk_keys] keys each while chunks are split, or NULL;
                                 * behind tags, records have room */
    unsigned next;              /* which of them the next chunk is read and split to */
    struct gs_external_writer writer; /* of the chunk before */
    uint64_t pending;                 /* keys of that chunk; 0: it is complete */
    uint64_t compact_at;              /* bytes of temporary files before they are combined */
    uint64_t kept;                    /* keys of chunks that stay in memory */
    gs_key *load;                     /* [plan.bin_keys] entries while bins are sorted, or NULL */
    struct gs_sink sink;              /* passed to gs_sort for the current group of bins */
    struct gs_sink *target;           /* the caller's sink */
    uint64_t position;                /* keys of the output before the current group */
    uint64_t expected;                /* fingerprint that the output must have (options->verify) */
    struct gs_trail trail;            /* if the output is a stream */
    struct gs_last_key last;          /* that was written */
};

/* write() of the sink that gs_sort gets for a group of bins: passes keys on to the caller's sink,
 * at their position in the whole output. */
enum gs_status gs_external_write(struct gs_sink *sink, const void *data, uint64_t count,
                                 uint64_t position, struct gs_error *err);

/* Book work of a stage that began at `start` and ends now. */
void gs_external_account(struct gs_external_sorter *sorter, enum gs_stage stage, uint64_t start,
                         uint64_t keys, uint64_t bytes_per_key);

/* Add the stats of the sort of a group of bins. */
void gs_external_add_stats(struct gs_stats *sum, const struct gs_stats *group);

/* Enter a phase, for progress. total 0: not known. */
void gs_external_phase(struct gs_external_sorter *sorter, enum gs_stage stage, uint64_t total);

/* Allocate so many bytes if *pages is NULL; free them, and set *pages to NULL. */
enum gs_status gs_external_need(gs_key **pages, uint64_t bytes, struct gs_error *err);
void gs_external_drop(gs_key **pages, uint64_t bytes);

/* Bytes of a chunk, and of what is loaded at a time. */
static inline uint64_t gs_external_chunk_bytes(const struct gs_external_sorter *sorter)
{
    return sorter->plan.chunk_keys * gs_entry_room(sorter->entries);
}

static inline uint64_t gs_external_load_bytes(const struct gs_external_sorter *sorter)
{
    return sorter->plan.bin_keys * sorter->entries->bytes;
}

/* Where entries of a chunk are read to: where keys will be split, and records behind their tags. */
static inline char *gs_external_read_place(const struct gs_external_sorter *sorter, unsigned chunk)
{
    const uint64_t tags = sorter->entries->tagged ? sorter->plan.chunk_keys : 0;
    return (char *)(sorter->chunks[chunk] + tags);
}

/* Keys of the next chunk, with `rest` keys left in memory: its copy by bin, and that of the chunk
 * before, which is no larger, have to fit beside the memory that they hold, and beside records that
 * are still being written. */
uint64_t gs_external_next_chunk(const struct gs_external_sorter *sorter, uint64_t rest);

/* Tell the caller how the keys of some of its spans will be used. */
void gs_external_advise_spans(const struct gs_external_sorter *sorter, enum gs_use use,
                              const struct gs_span *spans, size_t span_count);

/* The same for keys [first, first + count) of the tiles. The first `held` keys are the caller's. */
void gs_external_advise_keys(const struct gs_external_sorter *sorter, const struct gs_tiles *tiles,
                             uint64_t held, enum gs_use use, uint64_t first, uint64_t count);

/* Read all entries of bins low to high to sorter->load. */
enum gs_status gs_external_load(struct gs_external_sorter *sorter, const struct gs_level *level,
                                uint32_t low, uint32_t high, uint64_t count, struct gs_error *err);

#endif
