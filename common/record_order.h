/* record_order.h -- the order of records of any size: by key strings, or by comparing two.
 * SPDX-License-Identifier: MIT
 *
 * A record's key string has the record's place in the order, as memcmp sees it: the keys one after
 * the other, each as big-endian bytes in its own order (common/format.h), then, unless the format
 * is stable, all bytes of the record, as the last resort. All strings of a format have the same
 * length, and two are the same only if the records are, or, where it is stable, their keys.
 *
 * format.reverse is left to the caller: it is the same comparison with the other sign.
 */
#ifndef GS_RECORD_ORDER_H
#define GS_RECORD_ORDER_H

#include "common/format.h"

#include <string.h>

/* 16 bytes as a big-endian number. */
struct gs_record_head {
    uint64_t high, low;
};

struct gs_record_order {
    struct gs_format format;
    uint32_t string_bytes;               /* of a key string, */
    uint32_t key_bytes;                  /* of which are keys */
    uint32_t key_at[GS_FORMAT_KEYS_MAX]; /* where each begins in the string */
    bool bytes; /* the keys, as they stand in the string, are bytes of the record in a row, */
    uint32_t bytes_at; /* from here on */
    bool number;       /* the only key is a number of at most 8 bytes */
    /* The head of a string, where keys are such bytes and records have 16 bytes: */
    bool quick;
    uint32_t head_at, head_shift; /* the record's bytes from here on, shifted by so many bits, */
    struct gs_record_head keys;   /* of which these are keys; */
    uint32_t rest_shift;          /* 0, or where the record follows them */
};

/* The order of a format that is finished (gs_format_finish). */
void gs_record_order_init(struct gs_record_order *order, const struct gs_format *format);

/* Write bytes [from, from + count) of a record's key string; zeros behind its end. */
void gs_record_string(const struct gs_record_order *order, const void *record, uint32_t from,
                      uint32_t count, uint8_t *to);

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

/* The first 16 bytes of a record's key string: what gs_record_string would write, but faster for
 * the most common keys. _quickly: where order->quick, and only there; _slowly: anywhere. */
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

struct gs_record_head gs_record_head_slowly(const struct gs_record_order *order,
                                            const void *record);

static inline struct gs_record_head gs_record_head(const struct gs_record_order *order,
                                                   const void *record)
{
    return order->quick ? gs_record_head_quickly(order, record)
                        : gs_record_head_slowly(order, record);
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

/* Are all keys of two records equal? */
bool gs_record_same_keys(const struct gs_record_order *order, const void *a, const void *b);

#endif
