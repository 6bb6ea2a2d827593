/* field_sum.h -- the sum of a number in several records.
 * SPDX-License-Identifier: MIT
 *
 * Integers are summed exactly. Floating-point numbers are added as f64, one after the other, and
 * the sum is rounded once, to the nearest of its type, ties to even; a sum that is a NaN is the
 * positive quiet one.
 */
#ifndef GS_FIELD_SUM_H
#define GS_FIELD_SUM_H

#include "common/formats/format.h"

#include <string.h>

/* An integer of at most 8 bytes, a negative one with its sign above. */
static inline uint64_t gs_field_word(const struct gs_key_field *field, const void *record)
{
    const char *at = (const char *)record + field->offset;
    const unsigned above = 64 - 8 * field->type.bytes;
    uint64_t word = 0;
    switch (field->type.bytes) { /* without a call */
    case 4:
        memcpy(&word, at, 4);
        break;
    case 8:
        memcpy(&word, at, 8);
        break;
    default:
        memcpy(&word, at, field->type.bytes);
    }
    word = field->type.big_endian ? __builtin_bswap64(word) : word << above;
    return field->type.kind == GS_TYPE_SIGNED ? (uint64_t)((int64_t)word >> above) : word >> above;
}

struct gs_field_sum {
    __extension__ unsigned __int128 integer; /* modulo 2^128, */
    int64_t wraps;                           /* and how often that was left, upwards */
    double real;
    bool infinite; /* a summand was, or was a NaN */
};

/* Begin with the value in a record, and add that in others, `bytes` bytes apart. */
void gs_field_sum_begin(struct gs_field_sum *sum, const struct gs_key_field *field,
                        const void *record);
void gs_field_sum_add(struct gs_field_sum *sum, const struct gs_key_field *field,
                      const void *records, uint64_t count, uint64_t bytes);

/* Put the sum into a record. False if it has no room there: an integer out of range, or a sum of
 * finite numbers that is none. */
bool gs_field_sum_store(const struct gs_field_sum *sum, const struct gs_key_field *field,
                        void *record);

/* Put a number into a field of `type` at `to`; false if it has no room. */
bool gs_field_put(const struct gs_key_type *type, uint64_t number, void *to);

#endif
