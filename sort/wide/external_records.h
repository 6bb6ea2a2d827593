/* external_records.h -- records that go through temporary files: what the parts of it share.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_EXTERNAL_RECORDS_H
#define GS_EXTERNAL_RECORDS_H

#include "sort/external/external_level.h"
#include "sort/external/external_sorter.h"
#include "sort/tags/number.h"
#include "sort/tags/part.h"
#include "sort/tags/tags.h"

/* Records that go through temporary files. */
struct gs_record_entries {
    struct gs_entries entries;   /* the first member */
    struct gs_options input;     /* of the input, */
    struct gs_options kept;      /* and of what is in temporary files */
    struct gs_numbered numbered; /* if that has numbers */
    bool sums;                   /* sum up what is read */
    struct gs_tag_part part;     /* a group of bins */
    char *first, *last;          /* records: the outermost of a group, */
    char *written;               /* and the last one before */
    bool any;                    /* is there one before? */
    uint64_t end;                /* of what the group has written; last is in front of it */
};

/* Their sort is one, so that they may change while it runs. */
static inline struct gs_record_entries *gs_record_entries_of(const struct gs_entries *entries)
{
    return (struct gs_record_entries *)entries;
}

static inline const struct gs_tags *gs_level_tags(const struct gs_tagger *tagger)
{
    return (const struct gs_tags *)tagger; /* its first member */
}

/* Of what a level splits. */
static inline const struct gs_options *gs_entries_options(const struct gs_record_entries *records,
                                                          const struct gs_level *level)
{
    return level->of_bin ? &records->kept : &records->input;
}

/* Calls of struct gs_entries: record_splitters.c, */
enum gs_status gs_records_choose(const struct gs_entries *entries, struct gs_level *level,
                                 const struct gs_level_sample *sample, struct gs_error *err);
uint32_t gs_records_shared(const struct gs_entries *entries, const struct gs_level *level,
                           uint32_t bin);

/* and record_groups.c. */
enum gs_status gs_records_sort_group(struct gs_external_sorter *sorter,
                                     const struct gs_level *level, uint32_t low, uint32_t high,
                                     uint64_t count, struct gs_error *err);
enum gs_status gs_records_write_equal(struct gs_external_sorter *sorter,
                                      const struct gs_level *level, uint32_t bin,
                                      struct gs_error *err);

#endif
