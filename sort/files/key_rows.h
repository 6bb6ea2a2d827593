/* key_rows.h -- the bytes of a record that are its keys: where they are, equal, and hashed.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_KEY_ROWS_H
#define GS_KEY_ROWS_H

#include "common/formats/format.h"

#include <string.h>

/* Bytes of the records in which equal keys are equal: keys that are neighbours are one row. */
struct gs_key_rows {
    uint32_t count;
    struct gs_key_row {
        uint32_t at, bytes;
    } list[GS_FORMAT_KEYS_MAX];
};

static inline struct gs_key_rows gs_key_rows(const struct gs_format *format)
{
    struct gs_key_rows rows = {.count = 0};
    for (uint32_t i = 0; i < format->key_count; i++) {
        const struct gs_key_field *key = &format->keys[i];
        struct gs_key_row *last = rows.count > 0 ? &rows.list[rows.count - 1] : NULL;
        if (last != NULL && last->at + last->bytes == key->offset)
            last->bytes += key->type.bytes;
        else
            rows.list[rows.count++] = (struct gs_key_row){key->offset, key->type.bytes};
    }
    return rows;
}

static inline uint64_t gs_row_word(const char *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

static inline uint32_t gs_row_half(const char *at)
{
    uint32_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

/* memcmp() == 0, for few bytes without a call. */
static inline bool gs_row_same(const char *a, const char *b, size_t bytes)
{
    if (bytes > 24)
        return gs_row_word(a) == gs_row_word(b) && memcmp(a + 8, b + 8, bytes - 8) == 0;
    if (bytes > 16)
        return gs_row_word(a) == gs_row_word(b) && gs_row_word(a + 8) == gs_row_word(b + 8) &&
               gs_row_word(a + bytes - 8) == gs_row_word(b + bytes - 8);
    if (bytes >= 8)
        return gs_row_word(a) == gs_row_word(b) &&
               gs_row_word(a + bytes - 8) == gs_row_word(b + bytes - 8);
    if (bytes >= 4)
        return gs_row_half(a) == gs_row_half(b) &&
               gs_row_half(a + bytes - 4) == gs_row_half(b + bytes - 4);
    return memcmp(a, b, bytes) == 0;
}

static inline bool gs_keys_same(const struct gs_key_rows *rows, const char *a, const char *b)
{
    for (uint32_t i = 0; i < rows->count; i++)
        if (!gs_row_same(a + rows->list[i].at, b + rows->list[i].at, rows->list[i].bytes))
            return false;
    return true;
}

/* How many of the first records, `bytes` bytes apart, have the keys of this one, as the first two
 * do? They are in order: all between two of the same keys have them. So what is known doubles,
 * until that is too much. */
static inline uint64_t gs_keys_long_run(const struct gs_key_rows *rows, const char *one,
                                        const char *records, uint64_t bytes, uint64_t count)
{
    uint64_t known = 2;
    uint64_t end = count;
    while (2 * known <= count) {
        if (!gs_keys_same(rows, one, records + (2 * known - 1) * bytes)) {
            end = 2 * known - 1;
            break;
        }
        known *= 2;
    }
    while (known < end) {
        const uint64_t middle = known + (end - known) / 2;
        if (gs_keys_same(rows, one, records + middle * bytes))
            known = middle + 1;
        else
            end = middle;
    }
    return known;
}

/* How many of any records? Most often none or one. */
static inline uint64_t gs_keys_run(const struct gs_key_rows *rows, const char *one,
                                   const char *records, uint64_t bytes, uint64_t count)
{
    if (count == 0 || !gs_keys_same(rows, one, records))
        return 0;
    if (count == 1 || !gs_keys_same(rows, one, records + bytes))
        return 1;
    return gs_keys_long_run(rows, one, records, bytes, count);
}

/* Both halves of a product of 128 bits, as wyhash mixes words. The seed goes to both factors: who
 * does not know it cannot choose words that make one of them 0. */
static inline uint64_t gs_mix(uint64_t seed, uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)(a ^ seed ^ 0xa0761d6478bd642fU) * (b ^ seed ^ 0xe7037ed1a0b428dbU);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t gs_row_hash(uint64_t hash, const char *row, size_t bytes)
{
    uint32_t few = 0;
    for (; bytes > 16; row += 16, bytes -= 16)
        hash = gs_mix(hash, gs_row_word(row), gs_row_word(row + 8));
    if (bytes >= 8)
        return gs_mix(hash, gs_row_word(row), gs_row_word(row + bytes - 8));
    if (bytes >= 4)
        return gs_mix(hash, (uint64_t)gs_row_half(row) << 32 | gs_row_half(row + bytes - 4), 0);
    memcpy(&few, row, bytes);
    return gs_mix(hash, few, 0);
}

/* A hash of the keys, whose highest bits are the best. */
static inline uint64_t gs_keys_hash(const struct gs_key_rows *rows, uint64_t seed,
                                    const char *record)
{
    uint64_t hash = seed;
    for (uint32_t i = 0; i < rows->count; i++)
        hash = gs_row_hash(hash, record + rows->list[i].at, rows->list[i].bytes);
    return hash;
}

#endif
