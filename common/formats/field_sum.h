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

/* Is it an integer of at most 8 bytes? */
static inline bool gs_field_is_word(const struct gs_key_type *type)
{
    return type->kind <= GS_TYPE_SIGNED && type->bytes <= 8;
}

/* Such an integer, a negative one with its sign above. */
static inline uint64_t gs_field_word(const struct gs_key_field *field, const void *record)
{
    const char *at = (const char *)record + field->offset;
    const unsigned above = 64 - 8 * field->type.bytes;
    uint64_t word, few = 0;
    uint32_t half;
    switch (field->type.bytes) { /* without a call, nor a load of what was just stored in parts */
    case 4:
        memcpy(&half, at, sizeof half);
        word = half;
        break;
    case 8:
        memcpy(&word, at, sizeof word);
        break;
    default:
        memcpy(&few, at, field->type.bytes);
        word = few;
    }
    word = field->type.big_endian ? __builtin_bswap64(word) : word << above;
    return field->type.kind == GS_TYPE_SIGNED ? (uint64_t)((int64_t)word >> above) : word >> above;
}

__extension__ typedef unsigned __int128 gs_wide;

/* The same with 16 bytes. */
static inline gs_wide gs_field_wide(const struct gs_key_field *field, const void *record)
{
    const uint64_t word = gs_field_word(field, record);
    return field->type.kind == GS_TYPE_SIGNED ? (gs_wide)(int64_t)word : word;
}

struct gs_field_sum {
    gs_wide integer; /* modulo 2^128, */
    int64_t wraps;   /* and how often that was left, upwards */
    double real;
    bool infinite; /* a summand was, or was a NaN */
};

/* gs_field_sum_add of floating-point numbers, and of those of 16 bytes. */
void gs_field_sum_add_others(struct gs_field_sum *sum, const struct gs_key_field *field,
                             const void *records, uint64_t count, uint64_t bytes);

/* Add the values in `count` records, `bytes` bytes apart. */
static inline void gs_field_sum_add(struct gs_field_sum *sum, const struct gs_key_field *field,
                                    const void *records, uint64_t count, uint64_t bytes)
{
    const char *record = records;
    if (!gs_field_is_word(&field->type)) {
        gs_field_sum_add_others(sum, field, records, count, bytes);
        return;
    }
    /* There is room for 2^64 of them. In place: a copy would be loaded whole, and wait for its
     * halves, which were just stored. */
    for (; count > 0; count--, record += bytes)
        sum->integer += gs_field_wide(field, record);
}

/* Begin with the value in a record. */
static inline void gs_field_sum_begin(struct gs_field_sum *sum, const struct gs_key_field *field,
                                      const void *record)
{
    *sum = (struct gs_field_sum){.real = -0.0};
    gs_field_sum_add(sum, field, record, 1, 0);
}

/* Put the sum into a record. False if it has no room there: an integer out of range, or a sum of
 * finite numbers that is none. */
bool gs_field_sum_store(const struct gs_field_sum *sum, const struct gs_key_field *field,
                        void *record);

/* Put a number into a field of `type` at `to`; false if it has no room. */
bool gs_field_put(const struct gs_key_type *type, uint64_t number, void *to);

#endif
