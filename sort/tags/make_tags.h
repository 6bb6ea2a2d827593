/* make_tags.h -- the loops that make tags of records, and what they are made of.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_MAKE_TAGS_H
#define GS_MAKE_TAGS_H

#include "sort/tags/tags.h"

#define GS_TAG_HEAD        16 /* bytes of a string that are looked at at once */
#define GS_PLAIN_MOVES_MAX 4

/* Bytes of a record's string from `at` on, counted behind what all strings share. */
static inline struct gs_record_head gs_tags_head(const struct gs_tags *tags, const void *record,
                                                 uint32_t at)
{
    return gs_record_head_at(tags->order, record, tags->from + at);
}

/* A tag of a prefix, given as a number's highest bytes. */
static inline gs_key gs_make_tag(const struct gs_tags *tags, gs_key prefix, uint64_t index)
{
    const gs_key mask = gs_tags_index_mask(tags);
    return ((tags->reverse ? ~prefix : prefix) & ~mask) | index;
}

/* The first `bytes` bytes of a head, all if there are more; zeros behind them. */
static inline struct gs_record_head gs_head_begin(struct gs_record_head head, uint32_t bytes)
{
    const uint32_t unused = bytes < GS_TAG_HEAD ? 8 * (GS_TAG_HEAD - bytes) : 0;
    return gs_record_head_left(gs_record_head_right(head, unused), unused);
}

/* Put a part of a string at byte `at` of a prefix. */
static inline void gs_head_put(struct gs_record_head *prefix, struct gs_record_head part,
                               uint32_t at)
{
    const struct gs_record_head more = gs_record_head_right(part, 8 * at);
    prefix->high |= more.high;
    prefix->low |= more.low;
}

/* Tags of any records. */
void gs_tag_any(const struct gs_tagger *tagger, const void *records, uint64_t first, uint64_t count,
                gs_key *to);

/* Where prefixes are steps. */
void gs_tag_by_steps(const struct gs_tagger *tagger, const void *records, uint64_t first,
                     uint64_t count, gs_key *to);

/* Where up to GS_PLAIN_MOVES_MAX moves are of plain words, and nothing else has a part in tags. */
void gs_tag_plain(const struct gs_tagger *tagger, const void *records, uint64_t first,
                  uint64_t count, gs_key *to);

#endif
