/* record_order.c -- the order of records of any size.
 * SPDX-License-Identifier: MIT
 *
 * Numbers are loaded as such, and bytes by words: nothing goes through a buffer.
 */
#include "sort/types/record_order.h"

#include "common/formats/zorder.h"

#include <string.h>

#define WORD 8U
#define HEAD 16

/* ---- setting up ---- */

/* Is a key, in its order, just its bytes in the record? */
static bool is_bytes(const struct gs_key_field *key)
{
    return !key->descending &&
           (key->type.kind == GS_TYPE_BYTES ||
            (key->type.kind == GS_TYPE_UNSIGNED && (key->type.big_endian || key->type.bytes == 1)));
}

/* Bits of a float's mantissa; of a date 1, for NaT is the only one of its kind. */
static unsigned mantissa_bits(const struct gs_key_type *type)
{
    if (gs_key_is_date(type))
        return 1;
    if (type->kind == GS_TYPE_BFLOAT)
        return 7;
    return type->bytes == 2 ? 10 : type->bytes == 4 ? 23 : 52;
}

/* How the first 8 bytes of a number are found, or of bytes in a row. */
static struct gs_record_word word_of(const struct gs_key_field *key, uint32_t record_bytes)
{
    const struct gs_key_type *type = &key->type;
    const uint32_t used = type->bytes < WORD ? type->bytes : WORD;
    const bool little = type->kind != GS_TYPE_BYTES && !type->big_endian;
    const uint32_t from = key->offset + (little ? type->bytes - used : 0);
    const uint32_t last = record_bytes < WORD ? 0 : record_bytes - WORD;
    const uint32_t at = from < last ? from : last;
    const bool dated = gs_key_is_date(type);
    struct gs_record_word word = {
        .at = at,
        .bytes = record_bytes < WORD ? record_bytes : WORD,
        .swap = !little,
        .is_folded = dated || type->kind == GS_TYPE_FLOAT || type->kind == GS_TYPE_BFLOAT,
        .shift = 8 * (little ? WORD - used - (from - at) : from - at),
        .mask = used < WORD ? ~(UINT64_MAX >> 8 * used) : UINT64_MAX,
    };
    word.flip = key->descending ? word.mask : 0;
    if (type->kind == GS_TYPE_SIGNED)
        word.flip ^= (uint64_t)1 << 63;
    word.negated = dated ? (uint64_t)1 << 63 : word.mask;
    if (word.is_folded)
        word.nans = (((uint64_t)1 << mantissa_bits(type)) - 1) * (~word.mask + 1);
    word.plain =
        word.bytes == WORD && word.shift == 0 && word.mask == UINT64_MAX && !word.is_folded;
    return word;
}

/* Append a part, where the string has come to an end so far. */
static void add_part(struct gs_record_order *order, const struct gs_key_field *field)
{
    order->parts[order->part_count++] =
        (struct gs_record_part){.field = *field,
                                .at = order->string_bytes,
                                .word = word_of(field, order->format.record_bytes)};
    order->string_bytes += field->type.bytes;
}

/* Append a key; a number of 16 bytes as two of 8. */
static void add_key(struct gs_record_order *order, const struct gs_key_field *key)
{
    if (key->type.kind == GS_TYPE_BYTES || key->type.bytes <= WORD) {
        add_part(order, key);
        return;
    }
    struct gs_key_field half = *key;
    half.type.bytes = WORD;
    half.offset = key->offset + (key->type.big_endian ? 0 : WORD);
    add_part(order, &half);
    half.offset = key->offset + (key->type.big_endian ? WORD : 0);
    half.type.kind = GS_TYPE_UNSIGNED;
    add_part(order, &half);
}

/* Append keys that are woven. */
static void add_woven(struct gs_record_order *order, uint32_t key)
{
    struct gs_key_field all = order->format.keys[key];
    for (uint32_t i = key; i < key + all.woven; i++)
        order->woven[i] = word_of(&order->format.keys[i], order->format.record_bytes);
    all.type = (struct gs_key_type){.kind = GS_TYPE_BYTES, .bytes = all.woven * all.type.bytes};
    add_part(order, &all);
    order->parts[order->part_count - 1].key = key;
}

/* `bytes` bytes of the record in a row. */
static struct gs_key_field row_of(uint32_t offset, uint32_t bytes)
{
    return (struct gs_key_field){.offset = offset, .type = {.kind = GS_TYPE_BYTES, .bytes = bytes}};
}

/* Are the keys, as they stand in the string, bytes of the record in a row? */
static bool are_row(const struct gs_format *format)
{
    uint32_t at = format->keys[0].offset;
    for (uint32_t i = 0; i < format->key_count; at += format->keys[i++].type.bytes)
        if (!is_bytes(&format->keys[i]) || format->keys[i].offset != at ||
            format->keys[i].woven > 0)
            return false;
    return true;
}

/* Does each byte of the record belong to a key? */
static bool are_all(const struct gs_format *format)
{
    uint32_t end = 0;
    for (uint32_t before = 1; before != end;) {
        before = end;
        for (uint32_t i = 0; i < format->key_count; i++) {
            const struct gs_key_field *key = &format->keys[i];
            if (key->offset <= end && key->offset + key->type.bytes > end)
                end = key->offset + key->type.bytes;
        }
    }
    return end == format->record_bytes;
}

/* What the head of a string is made of, if its keys are bytes in a row. */
static void find_head(struct gs_record_order *order)
{
    const uint32_t last = order->format.record_bytes - HEAD;
    const uint32_t behind = order->key_bytes < HEAD ? 128 - 8 * order->key_bytes : 0;
    order->head_at = order->bytes_at < last ? order->bytes_at : last;
    order->head_shift = 8 * (order->bytes_at - order->head_at);
    order->keys = gs_record_head_left((struct gs_record_head){UINT64_MAX, UINT64_MAX}, behind);
    if (behind > 0 && order->part_count > order->key_parts)
        order->rest_shift = 8 * order->key_bytes;
}

uint32_t gs_record_word_at(const struct gs_record_order *order, uint32_t at,
                           struct gs_record_word *word, uint32_t *begin)
{
    const struct gs_record_part *part = order->parts;
    while (at >= part->at + part->field.type.bytes)
        part++;
    if (part->field.woven > 0)
        return 0;
    const uint32_t before = (at - part->at) / WORD * WORD;
    struct gs_key_field field = part->field; /* of a row, what is left */
    *begin = part->at + before;
    field.offset += before;
    field.type.bytes -= before;
    *word = word_of(&field, order->format.record_bytes);
    return field.type.bytes < WORD ? field.type.bytes : WORD;
}

/* The words that are compared without a call. */
static void find_words(struct gs_record_order *order)
{
    uint32_t begin;
    uint32_t bytes = 1;
    while (bytes > 0 && order->word_count < GS_RECORD_WORDS &&
           order->words_bytes < order->key_bytes) {
        struct gs_record_word *word = &order->words[order->word_count];
        bytes = gs_record_word_at(order, order->words_bytes, word, &begin);
        order->words_bytes += bytes;
        order->word_count += bytes > 0;
    }
    order->plain = order->word_count > 0;
    for (uint32_t i = 0; i < order->word_count; i++)
        order->plain = order->plain && order->words[i].plain;
}

void gs_record_order_init(struct gs_record_order *order, const struct gs_format *format)
{
    *order = (struct gs_record_order){.format = *format, .bytes_at = format->keys[0].offset};
    const bool row = are_row(format);
    for (uint32_t i = 0; i < format->key_count; i++) {
        const struct gs_key_field *key = &format->keys[i];
        if (row) {
            order->key_bytes += key->type.bytes;
        } else if (key->woven > 0) {
            add_woven(order, i);
            i += key->woven - 1;
        } else {
            add_key(order, key);
        }
    }
    const struct gs_key_field keys = row_of(order->bytes_at, order->key_bytes);
    if (row)
        add_part(order, &keys);
    order->key_bytes = order->string_bytes;
    order->key_parts = order->part_count;
    const struct gs_key_field all = row_of(0, format->record_bytes);
    if (!format->stable && !are_all(format))
        add_part(order, &all);
    order->quick = row && format->record_bytes >= HEAD;
    if (order->quick)
        find_head(order);
    find_words(order);
}

/* ---- parts of strings ---- */

/* The numbers of keys that are woven, each in its order. */
static inline void numbers_of(const struct gs_record_order *order, uint32_t key,
                              const uint8_t *record, uint64_t numbers[GS_ZORDER_MAX])
{
    const struct gs_key_field *field = &order->format.keys[key];
    for (uint32_t i = 0; i < field->woven; i++)
        numbers[i] =
            gs_record_word_by(&order->woven[key + i], record) >> (64 - 8 * field->type.bytes);
}

/* The first bytes of keys that are woven, without their first `skip`. */
static struct gs_record_head woven_head(const struct gs_record_order *order, uint32_t key,
                                        const uint8_t *record, uint32_t skip)
{
    const uint32_t count = order->format.keys[key].woven;
    const uint32_t bits = 8 * order->format.keys[key].type.bytes;
    const uint32_t step = bits < GS_ZORDER_STEP ? bits : GS_ZORDER_STEP;
    struct gs_record_head head = {0, 0};
    uint64_t numbers[GS_ZORDER_MAX];
    numbers_of(order, key, record, numbers);
    for (uint32_t at = 0, begin = 8 * skip; at < bits; at += step) {
        const uint32_t first = at * count; /* of the bits that are woven now */
        if (first + step * count <= begin)
            continue;
        if (first >= begin + 8 * HEAD)
            break;
        struct gs_record_head more = {
            gs_zorder_weave(numbers, count, bits - step - at) << (64 - step * count), 0};
        more = first < begin ? gs_record_head_left(more, begin - first)
                             : gs_record_head_right(more, first - begin);
        head = (struct gs_record_head){head.high | more.high, head.low | more.low};
    }
    return head;
}

/* The first bytes of a part, without its first `skip`, which are fewer than all. */
static struct gs_record_head part_head(const struct gs_record_order *order,
                                       const struct gs_record_part *part, const uint8_t *record,
                                       uint32_t skip)
{
    const struct gs_key_field *field = &part->field;
    const uint32_t left = field->type.bytes - skip;
    if (field->woven > 0)
        return woven_head(order, part->key, record, skip);
    if (field->type.kind != GS_TYPE_BYTES)
        return (struct gs_record_head){gs_record_word_by(&part->word, record) << 8 * skip, 0};
    const uint32_t at = field->offset + skip;
    const uint32_t all = order->format.record_bytes;
    const uint32_t unused = left < HEAD ? 8 * (HEAD - left) : 0;
    struct gs_record_head head;
    if (all >= HEAD) {
        const uint32_t from = at < all - HEAD ? at : all - HEAD;
        head = gs_record_head_left(gs_record_words(record, from), 8 * (at - from));
    } else {
        uint8_t bytes[HEAD] = {0};
        memcpy(bytes, record + at, left);
        head = gs_record_words(bytes, 0);
    }
    if (field->descending)
        head = (struct gs_record_head){~head.high, ~head.low};
    return gs_record_head_left(gs_record_head_right(head, unused), unused);
}

struct gs_record_head gs_record_head_at(const struct gs_record_order *order, const void *record,
                                        uint32_t from)
{
    struct gs_record_head head = {0, 0};
    uint32_t got = 0;
    for (uint32_t i = 0; i < order->part_count && got < HEAD; i++) {
        const struct gs_record_part *part = &order->parts[i];
        const uint32_t end = part->at + part->field.type.bytes;
        if (from + got >= end)
            continue;
        const struct gs_record_head more =
            gs_record_head_right(part_head(order, part, record, from + got - part->at), 8 * got);
        head.high |= more.high;
        head.low |= more.low;
        got = end - from;
    }
    return head;
}

/* ---- comparing ---- */

static int compare_woven(const struct gs_record_order *order, uint32_t key, const uint8_t *a,
                         const uint8_t *b)
{
    uint64_t of_a[GS_ZORDER_MAX] = {0};
    uint64_t of_b[GS_ZORDER_MAX] = {0};
    numbers_of(order, key, a, of_a);
    numbers_of(order, key, b, of_b);
    return gs_zorder_compare(of_a, of_b, order->format.keys[key].woven);
}

/* Compare the first `parts` parts from byte `from` of the strings on. */
static inline int compare_parts(const struct gs_record_order *order, const uint8_t *a,
                                const uint8_t *b, uint32_t parts, uint32_t from)
{
    for (uint32_t i = 0; i < parts; i++) {
        const struct gs_record_part *part = &order->parts[i];
        const struct gs_key_field *field = &part->field;
        if (part->at + field->type.bytes <= from)
            continue;
        if (field->type.kind != GS_TYPE_BYTES) {
            const uint64_t of_a = gs_record_word_by(&part->word, a);
            const uint64_t of_b = gs_record_word_by(&part->word, b);
            if (of_a != of_b)
                return of_a < of_b ? -1 : 1;
        } else if (field->woven > 0) {
            const int sign = compare_woven(order, part->key, a, b);
            if (sign != 0)
                return sign;
        } else {
            const uint32_t skip = from > part->at ? from - part->at : 0;
            const int sign = memcmp(a + field->offset + skip, b + field->offset + skip,
                                    field->type.bytes - skip);
            if (sign != 0)
                return (sign < 0) == field->descending ? 1 : -1;
        }
    }
    return 0;
}

int gs_record_compare_from(const struct gs_record_order *order, const void *a, const void *b,
                           uint32_t from)
{
    return compare_parts(order, a, b, order->part_count, from);
}

int gs_record_compare_keys(const struct gs_record_order *order, const void *a, const void *b)
{
    return compare_parts(order, a, b, order->key_parts, 0);
}

bool gs_record_follows_by_rest(const struct gs_record_order *order, const void *a, const void *b,
                               bool reverse, bool distinct)
{
    int sign = compare_parts(order, a, b, order->key_parts, order->words_bytes);
    if (sign == 0 && distinct)
        return false;
    if (sign == 0)
        sign = gs_record_compare_from(order, a, b, order->key_bytes);
    return reverse ? sign >= 0 : sign <= 0;
}
