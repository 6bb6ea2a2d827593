/* record_order.h -- the order of records of any size: by key strings, or by comparing two.
 * SPDX-License-Identifier: MIT
 *
 * A record's key string has the record's place in the order, as memcmp sees it: the keys one after
 * the other, each as big-endian bytes in its own order (common/formats/format.h), then, unless the
 * format is stable or keys are all of the record, all bytes of that, as the last resort. All
 * strings of a format have the same length, and two are the same only if the records are, or, where
 * it is stable, their keys.
 *
 * format.reverse is left to the caller: it is the same comparison with the other sign.
 */
#ifndef GS_RECORD_ORDER_H
#define GS_RECORD_ORDER_H

#include "common/formats/format.h"

#include <string.h>

/* 16 bytes as a big-endian number. */
struct gs_record_head {
    uint64_t high, low;
};

/* How up to 8 bytes of a key string are found by a few instructions, as a word's highest ones. */
struct gs_record_word {
    uint32_t at;    /* from here on */
    uint32_t bytes; /* load 8 bytes, or all of the record if it has fewer; */
    bool swap;      /* exchange them, */
    bool is_folded; /* (see below) */
    bool plain;     /* 8 bytes, which may be exchanged and inverted, and nothing else; */
    uint32_t shift; /* shift them to the left, */
    uint64_t mask;  /* keep these bits; if is_folded, give floats and dates the order of numbers: */
    uint64_t negated; /* of negative ones invert these, */
    uint64_t nans;    /* and so many are NaNs with a sign, or NaT; */
    uint64_t flip;    /* invert these */
};

/* A part of the string: a number of at most 8 bytes, bytes of the record in a row, or numbers that
 * are woven (common/formats/zorder.h): then the type is bytes, as many as all have. */
struct gs_record_part {
    struct gs_key_field field;
    uint32_t at;                /* in the string */
    uint32_t key;               /* of woven ones, the first */
    struct gs_record_word word; /* of other numbers */
};

/* Each key is a part, or two halves of 16 bytes; then the record is one. */
#define GS_RECORD_PARTS_MAX (2 * GS_FORMAT_KEYS_MAX + 1)

/* So many words of keys are compared without a call. */
#define GS_RECORD_WORDS 4

struct gs_record_order {
    struct gs_format format;
    uint32_t string_bytes; /* of a key string, */
    uint32_t key_bytes;    /* of which are keys */
    uint32_t part_count;   /* parts of the string, */
    uint32_t key_parts;    /* of which are keys */
    struct gs_record_part parts[GS_RECORD_PARTS_MAX];
    struct gs_record_word woven[GS_FORMAT_KEYS_MAX]; /* of each key that is woven */
    uint32_t bytes_at;                               /* where in the record its first part is */
    uint32_t word_count;
    struct gs_record_word words[GS_RECORD_WORDS]; /* the first of its keys, one after the other: */
    uint32_t words_bytes; /* so many bytes of strings; if none, the first word is 0; */
    bool plain;           /* there are some, and all are plain */
    /* The head of a string, where keys are bytes in a row and records have 16 bytes: */
    bool quick;
    uint32_t head_at, head_shift; /* the record's bytes from here on, shifted by so many bits, */
    struct gs_record_head keys;   /* of which these are keys; */
    uint32_t rest_shift;          /* 0, or where the record follows them */
};

/* The order of a format that is finished (gs_format_finish). */
void gs_record_order_init(struct gs_record_order *order, const struct gs_format *format);

/* Shifted by less than 128 bits; if only `high` is used of it, the compiler leaves out the rest. */
static inline struct gs_record_head gs_record_head_left(struct gs_record_head head, uint32_t bits)
{
    if (bits >= 64)
        return (struct gs_record_head){head.low << (bits & 63), 0};
    if (bits > 0)
        head.high = head.high << bits | head.low >> (64 - bits);
    head.low <<= bits;
    return head;
}

static inline struct gs_record_head gs_record_head_right(struct gs_record_head head, uint32_t bits)
{
    if (bits >= 64)
        return (struct gs_record_head){0, head.high >> (bits & 63)};
    if (bits > 0)
        head.low = head.low >> bits | head.high << (64 - bits);
    head.high >>= bits;
    return head;
}

/* Those of a record from `at` on. */
static inline struct gs_record_head gs_record_words(const void *record, size_t at)
{
    struct gs_record_head words;
    memcpy(&words, (const char *)record + at, sizeof words);
    return (struct gs_record_head){__builtin_bswap64(words.high), __builtin_bswap64(words.low)};
}

/* How many bytes are the same at the beginning of both. */
static inline uint32_t gs_record_head_same(struct gs_record_head a, struct gs_record_head b)
{
    if (a.high != b.high)
        return (uint32_t)__builtin_clzll(a.high ^ b.high) / 8;
    return a.low != b.low ? 8 + (uint32_t)__builtin_clzll(a.low ^ b.low) / 8 : 16;
}

/* Bytes [from, from + 16) of a record's key string; zeros behind its end. */
struct gs_record_head gs_record_head_at(const struct gs_record_order *order, const void *record,
                                        uint32_t from);

/* The word that has byte `at` of key strings, and where it begins there. Returns how many bytes it
 * has of them; 0 if there is none, in keys that are woven. */
uint32_t gs_record_word_at(const struct gs_record_order *order, uint32_t at,
                           struct gs_record_word *word, uint32_t *begin);

/* gs_record_head_at from 0 on, but faster for the most common keys; only where order->quick. */
static inline struct gs_record_head gs_record_head_quickly(const struct gs_record_order *order,
                                                           const void *record)
{
    struct gs_record_head head =
        gs_record_head_left(gs_record_words(record, order->head_at), order->head_shift);
    head.high &= order->keys.high;
    head.low &= order->keys.low;
    if (order->rest_shift == 0)
        return head;
    const struct gs_record_head rest =
        gs_record_head_right(gs_record_words(record, 0), order->rest_shift);
    return (struct gs_record_head){head.high | rest.high, head.low | rest.low};
}

static inline struct gs_record_head gs_record_head(const struct gs_record_order *order,
                                                   const void *record)
{
    return order->quick ? gs_record_head_quickly(order, record)
                        : gs_record_head_at(order, record, 0);
}

/* A word that is plain. */
static inline uint64_t gs_record_word_plain(const struct gs_record_word *how, const void *record)
{
    uint64_t word;
    memcpy(&word, (const char *)record + how->at, sizeof word);
    return (how->swap ? __builtin_bswap64(word) : word) ^ how->flip;
}

/* The beginning of a record's keys, as a number: of two records whose numbers differ, the one with
 * the lower number comes first. If they are the same, that tells nothing. A loop that writes bytes
 * has a copy of order->words[0], which stays in registers. */
static inline uint64_t gs_record_word_by(const struct gs_record_word *how, const void *record)
{
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t word = 0;
    if (how->plain)
        return gs_record_word_plain(how, record);
    if (how->bytes == sizeof word)
        memcpy(&word, (const char *)record + how->at, sizeof word);
    else
        memcpy(&word, record, how->bytes);
    if (how->swap)
        word = __builtin_bswap64(word);
    word = word << how->shift & how->mask;
    if (how->is_folded) /* NaNs with a sign would be the least: they wrap around to the end */
        word = (word ^ ((word & sign) != 0 ? how->negated : sign)) - how->nans;
    return word ^ how->flip;
}

static inline uint64_t gs_record_word(const struct gs_record_order *order, const void *record)
{
    return gs_record_word_by(&order->words[0], record);
}

/* The order of two records: below, equal to or above 0. from: their key strings are known to be the
 * same up to there. */
int gs_record_compare_from(const struct gs_record_order *order, const void *a, const void *b,
                           uint32_t from);

static inline int gs_record_compare(const struct gs_record_order *order, const void *a,
                                    const void *b)
{
    return gs_record_compare_from(order, a, b, 0);
}

/* The same by keys alone. */
int gs_record_compare_keys(const struct gs_record_order *order, const void *a, const void *b);

/* Are all keys of two records equal? */
static inline bool gs_record_same_keys(const struct gs_record_order *order, const void *a,
                                       const void *b)
{
    return gs_record_compare_keys(order, a, b) == 0;
}

/* May b follow a? distinct: only if their keys differ. Of records whose words are all the same. */
bool gs_record_follows_by_rest(const struct gs_record_order *order, const void *a, const void *b,
                               bool reverse, bool distinct);

/* Of records whose first words are the same: where many are asked about, compare these first. */
static inline bool gs_record_follows_closely(const struct gs_record_order *order, const void *a,
                                             const void *b, bool reverse, bool distinct)
{
    for (uint32_t i = 1; i < order->word_count; i++) {
        const uint64_t of_a = gs_record_word_by(&order->words[i], a);
        const uint64_t of_b = gs_record_word_by(&order->words[i], b);
        if (of_a != of_b)
            return (of_a < of_b) != reverse;
    }
    return gs_record_follows_by_rest(order, a, b, reverse, distinct);
}

/* Of any records. */
static inline bool gs_record_follows(const struct gs_record_order *order, const void *a,
                                     const void *b, bool reverse, bool distinct)
{
    const uint64_t of_a = gs_record_word(order, a);
    const uint64_t of_b = gs_record_word(order, b);
    return of_a != of_b ? (of_a < of_b) != reverse
                        : gs_record_follows_closely(order, a, b, reverse, distinct);
}

#endif
