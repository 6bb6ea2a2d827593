/* record_order.c -- the order of records of any size.
 * SPDX-License-Identifier: MIT
 */
#include "common/record_order.h"

#include <string.h>

#define NUMBER_BYTES 16 /* of the widest key that is a number */

/* Bits of a float's mantissa. */
static unsigned mantissa_bits(const struct gs_key_type *type)
{
    if (type->kind == GS_TYPE_BFLOAT)
        return 7;
    return type->bytes == 2 ? 10 : type->bytes == 4 ? 23 : 52;
}

/* The number in whose order floats are, as numbers of so many bytes: NaNs come last, so the
 * patterns of those with a sign, which would be the least, wrap around to the end. */
static uint64_t fold_float(const struct gs_key_type *type, uint64_t bits)
{
    const unsigned width = 8 * type->bytes;
    const uint64_t sign = (uint64_t)1 << ((width - 1) % 64);
    const uint64_t negative_nans = ((uint64_t)1 << mantissa_bits(type)) - 1;
    const uint64_t folded = (bits & sign) != 0 ? ~bits : bits | sign;
    return (folded - negative_nans) & (sign | (sign - 1));
}

/* Write a key that is a number as big-endian bytes in its order, type.bytes of them. */
static void write_number(const struct gs_key_field *key, const uint8_t *record, uint8_t *to)
{
    const struct gs_key_type *type = &key->type;
    const uint32_t bytes = type->bytes;
    for (uint32_t i = 0; i < bytes; i++)
        to[i] = record[key->offset + (type->big_endian ? i : bytes - 1 - i)];
    if (type->kind == GS_TYPE_SIGNED)
        to[0] ^= 0x80;
    if (type->kind == GS_TYPE_FLOAT || type->kind == GS_TYPE_BFLOAT) {
        uint64_t bits = 0;
        for (uint32_t i = 0; i < bytes; i++)
            bits = bits << 8 | to[i];
        bits = fold_float(type, bits);
        for (uint32_t i = bytes; i-- > 0; bits >>= 8)
            to[i] = (uint8_t)bits;
    }
}

/* Write bytes [from, from + count) of one key as it stands in the string. */
static void write_key(const struct gs_key_field *key, const uint8_t *record, uint32_t from,
                      uint32_t count, uint8_t *to)
{
    if (key->type.kind == GS_TYPE_BYTES) {
        memcpy(to, record + key->offset + from, count);
    } else {
        uint8_t number[NUMBER_BYTES] = {0};
        write_number(key, record, number);
        memcpy(to, number + from, count);
    }
    for (uint32_t i = 0; i < count && key->descending; i++)
        to[i] = (uint8_t)~to[i];
}

/* Is a key, in its order, just its bytes in the record? */
static bool is_bytes(const struct gs_key_field *key)
{
    return !key->descending &&
           (key->type.kind == GS_TYPE_BYTES ||
            (key->type.kind == GS_TYPE_UNSIGNED && (key->type.big_endian || key->type.bytes == 1)));
}

/* What the head of a string is made of. */
static void find_head(struct gs_record_order *order)
{
    const uint32_t last = order->format.record_bytes - (uint32_t)sizeof order->keys;
    const uint32_t behind = order->key_bytes < 16 ? 128 - 8 * order->key_bytes : 0;
    order->head_at = order->bytes_at < last ? order->bytes_at : last;
    order->head_shift = 8 * (order->bytes_at - order->head_at);
    order->keys = gs_record_head_left((struct gs_record_head){UINT64_MAX, UINT64_MAX}, behind);
    order->rest_shift = behind > 0 && !order->format.stable ? 8 * order->key_bytes : 0;
}

void gs_record_order_init(struct gs_record_order *order, const struct gs_format *format)
{
    uint32_t at = 0;
    *order = (struct gs_record_order){
        .format = *format, .bytes = true, .bytes_at = format->keys[0].offset};
    for (uint32_t i = 0; i < format->key_count; i++) {
        const struct gs_key_field *key = &format->keys[i];
        order->key_at[i] = at;
        order->bytes = order->bytes && is_bytes(key) && key->offset == order->bytes_at + at;
        at += key->type.bytes;
    }
    order->key_bytes = at;
    order->number = format->key_count == 1 && format->keys[0].type.kind != GS_TYPE_BYTES && at <= 8;
    order->string_bytes = at + (format->stable ? 0 : format->record_bytes);
    order->quick = order->bytes && format->record_bytes >= sizeof order->keys;
    if (order->quick)
        find_head(order);
}

void gs_record_string(const struct gs_record_order *order, const void *record, uint32_t from,
                      uint32_t count, uint8_t *to)
{
    const uint32_t end = from + count;
    for (uint32_t i = 0; i < order->format.key_count && from < end; i++) {
        const struct gs_key_field *key = &order->format.keys[i];
        const uint32_t skip = from - order->key_at[i];
        if (skip >= key->type.bytes)
            continue;
        const uint32_t left = key->type.bytes - skip;
        const uint32_t here = left < end - from ? left : end - from;
        write_key(key, record, skip, here, to);
        to += here;
        from += here;
    }
    if (from < end && from < order->string_bytes) {
        const uint32_t left = order->string_bytes - from;
        const uint32_t here = left < end - from ? left : end - from;
        memcpy(to, (const uint8_t *)record + (from - order->key_bytes), here);
        to += here;
        from += here;
    }
    memset(to, 0, end - from);
}

/* A key that is a number of at most 8 bytes, in its order. */
static inline uint64_t number_of(const struct gs_key_field *key, const uint8_t *record)
{
    const struct gs_key_type *type = &key->type;
    const unsigned unused = 64 - 8 * type->bytes;
    uint64_t bits = 0;
    memcpy(&bits, record + key->offset, type->bytes);
    if (type->big_endian)
        bits = __builtin_bswap64(bits) >> unused;
    if (type->kind == GS_TYPE_SIGNED)
        bits ^= (uint64_t)1 << (63 - unused);
    if (type->kind == GS_TYPE_FLOAT || type->kind == GS_TYPE_BFLOAT)
        bits = fold_float(type, bits);
    return key->descending ? ~bits & UINT64_MAX >> unused : bits;
}

struct gs_record_head gs_record_head_slowly(const struct gs_record_order *order, const void *record)
{
    const struct gs_key_field *key = &order->format.keys[0];
    uint8_t bytes[16];
    if (!order->number || order->format.record_bytes < sizeof bytes) {
        gs_record_string(order, record, 0, sizeof bytes, bytes);
        return gs_record_words(bytes, 0);
    }
    const unsigned bits = 8 * key->type.bytes;
    struct gs_record_head head = {number_of(key, record) << (64 - bits), 0};
    if (!order->format.stable) {
        const struct gs_record_head rest = gs_record_head_right(gs_record_words(record, 0), bits);
        head.high |= rest.high;
        head.low |= rest.low;
    }
    return head;
}

/* Compare the keys from byte `from` of the strings on. */
static int compare_keys(const struct gs_record_order *order, const uint8_t *a, const uint8_t *b,
                        uint32_t from)
{
    if (order->bytes)
        return memcmp(a + order->bytes_at + from, b + order->bytes_at + from,
                      order->key_bytes - from);
    for (uint32_t i = 0; i < order->format.key_count; i++) {
        const struct gs_key_field *key = &order->format.keys[i];
        if (order->key_at[i] + key->type.bytes <= from)
            continue;
        int sign;
        if (key->type.kind == GS_TYPE_BYTES) {
            sign = memcmp(a + key->offset, b + key->offset, key->type.bytes);
        } else {
            uint8_t of_a[NUMBER_BYTES] = {0};
            uint8_t of_b[NUMBER_BYTES] = {0};
            write_number(key, a, of_a);
            write_number(key, b, of_b);
            sign = memcmp(of_a, of_b, key->type.bytes);
        }
        if (sign != 0)
            return (sign < 0) == key->descending ? 1 : -1;
    }
    return 0;
}

int gs_record_compare_from(const struct gs_record_order *order, const void *a, const void *b,
                           uint32_t from)
{
    int sign = from < order->key_bytes ? compare_keys(order, a, b, from) : 0;
    if (sign != 0 || order->format.stable)
        return sign;
    const uint32_t skip = from > order->key_bytes ? from - order->key_bytes : 0;
    return memcmp((const uint8_t *)a + skip, (const uint8_t *)b + skip,
                  order->format.record_bytes - skip);
}

bool gs_record_same_keys(const struct gs_record_order *order, const void *a, const void *b)
{
    return compare_keys(order, a, b, 0) == 0;
}
