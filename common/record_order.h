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

struct gs_record_order {
    struct gs_format format;
    uint32_t string_bytes;               /* of a key string, */
    uint32_t key_bytes;                  /* of which are keys */
    uint32_t key_at[GS_FORMAT_KEYS_MAX]; /* where each begins in the string */
    bool bytes; /* the keys, as they stand in the string, are bytes of the record in a row, */
    uint32_t bytes_at; /* from here on */
    bool number;       /* the only key is a number of at most 8 bytes */
};

/* The order of a format that is finished (gs_format_finish). */
void gs_record_order_init(struct gs_record_order *order, const struct gs_format *format);

/* Write bytes [from, from + count) of a record's key string; zeros behind its end. */
void gs_record_string(const struct gs_record_order *order, const void *record, uint32_t from,
                      uint32_t count, uint8_t *to);

/* The first 16 bytes of a record's key string as a big-endian number: what gs_record_string would
 * write, but faster for the most common keys. */
struct gs_record_head {
    uint64_t high, low;
};
struct gs_record_head gs_record_head(const struct gs_record_order *order, const void *record);

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
