/* tags.h -- tags: the start of a record's key string, and its index, in 8 or 16 bytes.
 * SPDX-License-Identifier: MIT
 *
 *   tag   | prefix of the key string | index |     from the top bit down
 *
 * A key string (sort/types/record_order.h) has the order of the records, as memcmp sees it. Sorting
 * the tags sorts the records as far as their prefixes differ, and leaves those with the same prefix
 * in input order; ties.h does the rest. All tags are different, so every way to sort keys may be
 * used. Tags that have room for all of a record put more behind the index: whole_tags.h.
 *
 * Where the strings of a sample are all alike, at their beginning, with paths say, or between other
 * bytes, as the upper bytes of numbers that are small, there is a gap: those bytes are left out of
 * the prefix, but for one that tells records which have them from those below and above.
 *
 *   string  | 0 0 0 0 0 0 0 p | 0 0 0 o o o o o | ...
 *   prefix  | side p side o o o o o ...
 *
 * In tags of 8 bytes there is no room for bits that tell nothing, as the upper ones of floats do:
 * if strings begin with words of 8 bytes, prefixes are steps of these (steps.c).
 *
 *   prefix  | word - least | word - least | (word - least) >> shift
 */
#ifndef GS_TAGS_H
#define GS_TAGS_H

#include "common/formats/codec.h"
#include "sort/types/record_order.h"
#include "sort/keys/tiles.h"

#define GS_TAG_GAPS_MAX   4
#define GS_TAG_STEPS_MAX  3   /* words */
#define GS_TAG_SHARED_MAX 256 /* bytes of a gap at the beginning; */
#define GS_TAG_WINDOW     32  /* bytes behind that, where others may be */
#define GS_TAG_HEADS_MAX  (GS_TAG_SHARED_MAX / 16 + 2 * (GS_TAG_GAPS_MAX - 1))

/* Bytes [from, end) of strings, behind what all share, are left out. */
struct gs_tag_gap {
    uint32_t from, end;
    uint32_t at;    /* the tag's byte for the side, counted from the top */
    uint32_t alike; /* in tags->alike: the first of the heads that most strings have there */
};

/* A word of the string: what of it is alike, and bytes that keep their distances in the tag. */
struct gs_tag_move {
    struct gs_record_word how;
    uint32_t begin;           /* in the string */
    uint32_t turn;            /* by so many bits to the left; then */
    uint64_t high, low;       /* these go to the tag's two words */
    uint64_t known, is_known; /* what is alike of it */
};

/* Steps of a word, counted from the least one that is expected. */
struct gs_tag_steps {
    struct gs_record_word word;
    uint64_t least, range; /* the least that is expected, and how far it is to the greatest */
    unsigned shift;        /* a step has as many words as these bits can have; in the last word */
    unsigned place;        /* in prefixes, above so many bits */
    uint64_t last;         /* the greatest steps of this word and all behind it, in their places */
};

struct gs_tags {
    struct gs_tagger tagger; /* the first member: tags are made through it */
    const struct gs_record_order *order;
    bool reverse;          /* prefixes are inverted, so that tags in ascending order are right */
    uint32_t index_bits;   /* of a tag, */
    uint32_t index_shift;  /* above so many bits; */
    uint32_t prefix_bytes; /* those of the string, as a whole */
    uint32_t string_bytes; /* of a key string that count for the order: all, or those of the keys */
    uint32_t from; /* the strings of all records are the same up to here: prefixes, gaps and the
                    * window begin behind it */
    uint32_t gap_count;
    struct gs_tag_gap gaps[GS_TAG_GAPS_MAX];
    struct gs_record_head alike[GS_TAG_HEADS_MAX];
    /* How to make the tag of a record that has all that is alike, from the words of its window: */
    uint32_t window_at;                      /* in the string behind `from`; */
    bool begins;                             /* the first gap begins in front of these words, */
    struct gs_record_head sides;             /* the tag with nothing but the bytes for sides, */
    uint32_t move_count;                     /* 0: there are no such words */
    struct gs_tag_move moves[GS_TAG_WINDOW]; /* and the others; */
    uint32_t moved;   /* the tag's bytes from here on come from behind the window */
    uint32_t stepped; /* a prefix is none of these, but steps of so many words, */
    struct gs_tag_steps steps[GS_TAG_STEPS_MAX];
    uint32_t steps_tell;   /* the string up to here, where all have words that are expected; */
    bool whole;            /* the tag has all keys, and the record's other bytes, too; */
    struct gs_codec codec; /* that of such records */
};

/* Tags for records of these spans, whose strings are the same up to byte `from`, in the order that
 * options say. Looks at some of them. */
void gs_tags_init(struct gs_tags *tags, const struct gs_options *options, uint32_t from,
                  const struct gs_span *spans, size_t span_count);

/* Bytes of the index in tags of all records of these spans. */
uint32_t gs_tags_index_bytes(const struct gs_span *spans, size_t span_count);

/* The number that two words are, or its highest bits. */
static inline gs_key gs_tag_of_words(uint64_t high, uint64_t low)
{
    __extension__ unsigned __int128 number = high;
    return (gs_key)((number << 64 | low) >> (128 - GS_KEY_BITS));
}

static inline gs_key gs_tags_index_mask(const struct gs_tags *tags)
{
    return ((gs_key)1 << tags->index_bits) - 1;
}

/* The index of a tag's record. */
static inline uint64_t gs_tag_index(const struct gs_tags *tags, gs_key tag)
{
    const gs_key from_index = tags->whole ? tag >> tags->index_shift : tag;
    return (uint64_t)(from_index & gs_tags_index_mask(tags));
}

/* The lowest bits of tags: records in which all others agree may belong together, since neither
 * their order, nor, under unique, whether one of them goes, is known from their tags. */
unsigned gs_tags_loose_bits(const struct gs_tags *tags, bool unique);

/* How many bytes of two records' strings are the same from `from` on; at most `most`. */
uint32_t gs_tags_same_bytes(const struct gs_tags *tags, const void *a, const void *b, uint32_t from,
                            uint32_t most);

/* Where in the strings of records the part behind a tag's prefix begins. */
uint32_t gs_tag_next(const struct gs_tags *tags, gs_key tag);

/* The same for the part behind what all records share whose tags agree with this one but for loose
 * bits. */
uint32_t gs_tag_shared(const struct gs_tags *tags, gs_key tag, unsigned loose_bits);

/* Under unique: have all records whose tags agree with this one above the loose bits the same keys?
 * Not where it lacks what is alike in a gap: then bytes of keys are among the loose bits, too. */
bool gs_tag_tells_keys(const struct gs_tags *tags, gs_key tag);

/* A tag for the same record whose prefix is its string from byte `from` on. */
gs_key gs_tag_again(const struct gs_tags *tags, const void *record, uint32_t from, gs_key tag);

#endif
