/* tags.h -- tags: the start of a record's key string, and its index, in 8 or 16 bytes.
 * SPDX-License-Identifier: MIT
 *
 *   tag   | prefix of the key string | index |     from the top bit down
 *
 * A key string (common/record_order.h) has the order of the records, as memcmp sees it. Sorting the
 * tags sorts the records as far as their prefixes differ, and leaves those with the same prefix in
 * input order; ties.h does the rest. All tags are different, so every way to sort keys may be used.
 *
 * Where the strings of a sample all begin alike, with paths say, those bytes are left out, and the
 * prefix begins with one byte that tells records with that beginning from those below and above it.
 */
#ifndef GS_TAGS_H
#define GS_TAGS_H

#include "common/record_order.h"
#include "sort/keys/tiles.h"

#define GS_TAG_SHARED_MAX 255 /* bytes of a beginning that is left out */

struct gs_tags {
    struct gs_tagger tagger; /* the first member: tags are made through it */
    const struct gs_record_order *order;
    bool reverse;          /* prefixes are inverted, so that tags in ascending order are right */
    uint32_t index_bytes;  /* of a tag; */
    uint32_t prefix_bytes; /* the others */
    uint32_t string_bytes; /* of a key string that count for the order: all, or those of the keys */
    uint32_t
        shared_bytes; /* at the beginning of all strings in the sample; 0: nothing is left out */
    uint8_t shared[GS_TAG_SHARED_MAX];
};

/* Tags for records of these spans, in the order that options say. Looks at some of them. */
void gs_tags_init(struct gs_tags *tags, const struct gs_options *options,
                  const struct gs_span *spans, size_t span_count);

/* The number that two words are, or its highest bits. */
static inline gs_key gs_tag_of_words(uint64_t high, uint64_t low)
{
    __extension__ unsigned __int128 number = high;
    return (gs_key)((number << 64 | low) >> (128 - GS_KEY_BITS));
}

static inline gs_key gs_tags_index_mask(const struct gs_tags *tags)
{
    return ((gs_key)1 << (8 * tags->index_bytes)) - 1;
}

/* The index of a tag's record. */
static inline uint64_t gs_tag_index(const struct gs_tags *tags, gs_key tag)
{
    return (uint64_t)(tag & gs_tags_index_mask(tags));
}

/* The lowest bits of tags: records in which all others agree may belong together, since neither
 * their order, nor, under unique, whether one of them goes, is known from their tags. */
unsigned gs_tags_loose_bits(const struct gs_tags *tags, bool unique);

/* Where in the strings of records the part behind a tag's prefix begins. */
uint32_t gs_tag_next(const struct gs_tags *tags, gs_key tag);

/* A tag for the same record whose prefix is its string from byte `from` on. */
gs_key gs_tag_again(const struct gs_tags *tags, const void *record, uint32_t from, gs_key tag);

#endif
