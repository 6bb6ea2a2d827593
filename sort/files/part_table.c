/* part_table.c -- a hash table that makes one part of all records of a key, or of their parts.
 * SPDX-License-Identifier: MIT
 *
 * Open addressing, at most half full, and a quarter while it is small. Records are looked up in
 * blocks, so that their slots, and then their parts, come to the cache while others are hashed.
 */
#include "sort/files/part_table.h"
#include "sort/files/word_counts.h"

#include "common/formats/field_sum.h"
#include "common/formats/record_copy.h"

#include <stdlib.h>
#include <string.h>

/* Records of a block, and slots of a table at first. */
#define BLOCK      32
#define BITS_LEAST 10
#define BITS_MOST  31

/* Up to here, slots that cost no cache misses are four a part: fewer keys then meet. */
#define BITS_SPARSE 17

/* A sum of 8 bytes has room for so many numbers of 4, and so has a number of records. */
#define SUMMANDS_MOST UINT32_MAX

/* So many bytes of parts are in the cache without being asked for. */
#define NEAR_BYTES ((uint64_t)64 << 10)

void gs_part_table_free(struct gs_part_table *table)
{
    free(table->parts);
    free(table->slots);
    table->parts = NULL;
    table->slots = NULL;
}

void gs_part_table_clear(struct gs_part_table *table)
{
    if (table->slots != NULL)
        memset(table->slots, 0, sizeof *table->slots << table->slot_bits);
    else
        memset(table->parts, 0, table->places * table->form->part_bytes);
    table->count = 0;
    table->added = 0;
}

static char *part_at(const struct gs_part_table *table, uint64_t number)
{
    return table->parts + number * table->form->part_bytes;
}

static inline uint64_t slot_of(const struct gs_part_table *table, uint64_t hash)
{
    return hash >> (64 - table->slot_bits);
}

static inline uint64_t next_slot(const struct gs_part_table *table, uint64_t slot)
{
    return (slot + 1) & (((uint64_t)1 << table->slot_bits) - 1);
}

/* The slot for a key that is not there. */
static uint64_t find_empty(const struct gs_part_table *table, uint64_t hash)
{
    uint64_t slot = slot_of(table, hash);
    while (table->slots[slot] != 0)
        slot = next_slot(table, slot);
    return slot;
}

/* Twice as many slots, if the limit allows for more parts then. Where the system has no memory, it
 * stays as it is. */
static bool grow(struct gs_part_table *table)
{
    const struct gs_part_form *form = table->form;
    const unsigned bits = table->slot_bits > 0 ? table->slot_bits + 1 : BITS_LEAST;
    const uint64_t slot_bytes = sizeof *table->slots << bits;
    const uint64_t fit =
        table->limit_bytes > slot_bytes ? (table->limit_bytes - slot_bytes) / form->part_bytes : 0;
    const unsigned spare = bits <= BITS_SPARSE ? 2 : 1;
    const uint64_t full = (uint64_t)1 << (bits - spare);
    const uint64_t room = fit < full ? fit : full;
    if (bits > BITS_MOST || room <= table->room)
        return false;
    char *parts = realloc(table->parts, room * form->part_bytes);
    if (parts == NULL)
        return false;
    table->parts = parts;
    uint32_t *slots = calloc((size_t)1 << bits, sizeof *slots);
    if (slots == NULL)
        return false;
    free(table->slots);
    table->slots = slots;
    table->slot_bits = bits;
    table->room = room;
    for (uint64_t i = 0; i < table->count; i++)
        slots[find_empty(table, gs_keys_hash(&form->rows, form->seed, part_at(table, i)))] =
            (uint32_t)(i + 1);
    return true;
}

__extension__ typedef __int128 wide_sum;

/* A sum in a part has 8 bytes, or 16 for integers of 8. */
static inline void add_to_sum(const struct gs_combined_field *field, const char *record, char *part)
{
    wide_sum wide;
    const uint64_t value = gs_field_word(&field->field, record);
    char *sum = part + field->part.offset;
    if (field->part.type.bytes == sizeof value) {
        const uint64_t narrow = gs_row_word(sum) + value;
        memcpy(sum, &narrow, sizeof narrow);
        return;
    }
    memcpy(&wide, sum, sizeof wide);
    wide += field->field.type.kind == GS_TYPE_SIGNED ? (int64_t)value : (wide_sum)value;
    memcpy(sum, &wide, sizeof wide);
}

/* The first record of its key. */
static inline void begin(const struct gs_part_form *form, const char *record, char *part)
{
    const uint32_t one = 1;
    gs_record_copy(part, record, form->record_bytes);
    if (form->counts)
        memcpy(part + form->record_bytes, &one, sizeof one);
    for (uint32_t i = 0; form->how != NULL && i < form->how->field_count; i++) {
        const struct gs_combined_field *field = &form->how->fields[i];
        if (field->fold == GS_COMBINE_SUM) {
            memset(part + field->part.offset, 0, field->part.type.bytes);
            add_to_sum(field, record, part);
        } else {
            memcpy(part + field->part.offset, record + field->field.offset, field->part.type.bytes);
        }
    }
}

/* The least or the greatest of two. */
static inline void keep_outermost(const struct gs_combined_field *field, const char *other,
                                  char *best)
{
    const uint32_t at = field->field.offset;
    const int sign = gs_record_compare_keys(&field->order, other - at, best - at);
    if (field->fold == GS_COMBINE_MIN ? sign < 0 : sign > 0)
        memcpy(best, other, field->part.type.bytes);
}

/* The record that is first in the order, if records of a key may differ. */
static inline void keep_first(const struct gs_part_form *form, const char *record, char *part)
{
    if (!form->chooses || memcmp(record, part, form->record_bytes) == 0)
        return;
    const int sign = gs_record_compare(form->order, record, part);
    if (form->reverse ? sign > 0 : sign < 0)
        memcpy(part, record, form->record_bytes);
}

static inline void fold_field(const struct gs_combined_field *field, const char *record, char *part)
{
    if (field->fold == GS_COMBINE_SUM) {
        add_to_sum(field, record, part);
        return;
    }
    keep_outermost(field, record + field->field.offset, part + field->part.offset);
}

/* Another record of a key. */
static inline void fold(const struct gs_part_form *form, const char *record, char *part)
{
    if (form->counts) {
        const uint32_t times = gs_row_half(part + form->record_bytes) + 1;
        memcpy(part + form->record_bytes, &times, sizeof times);
    }
    for (uint32_t i = 0; form->how != NULL && i < form->how->field_count; i++)
        fold_field(&form->how->fields[i], record, part);
    keep_first(form, record, part);
}

/* The only row of the keys has `row` bytes, which the compiler knows; 0: any. */
static inline __attribute__((always_inline)) bool same(const struct gs_part_form *form,
                                                       const char *a, const char *b, size_t row)
{
    const uint32_t at = form->rows.list[0].at;
    return row > 0 ? gs_row_same(a + at, b + at, row) : gs_keys_same(&form->rows, a, b);
}

static inline __attribute__((always_inline)) uint64_t hash_of(const struct gs_part_form *form,
                                                              const char *record, size_t row)
{
    return row > 0 ? gs_row_hash(form->seed, record + form->rows.list[0].at, row)
                   : gs_keys_hash(&form->rows, form->seed, record);
}

/* False if it has no room. */
static inline __attribute__((always_inline)) bool
add_one(struct gs_part_table *table, const char *record, uint64_t hash, size_t row)
{
    const struct gs_part_form *form = table->form;
    uint64_t slot = slot_of(table, hash);
    for (; table->slots[slot] != 0; slot = next_slot(table, slot)) {
        char *part = part_at(table, table->slots[slot] - 1);
        if (same(form, part, record, row)) {
            fold(form, record, part);
            return true;
        }
    }
    if (table->count == table->room) {
        if (!grow(table))
            return false;
        slot = find_empty(table, hash);
    }
    begin(form, record, part_at(table, table->count));
    table->slots[slot] = (uint32_t)++table->count;
    return true;
}

/* Returns how many there was room for. */
static inline __attribute__((always_inline)) uint64_t
add_all(struct gs_part_table *table, const char *records, uint64_t count, size_t row)
{
    const struct gs_part_form *form = table->form;
    const uint64_t bytes = form->record_bytes;
    const bool far = table->count * form->part_bytes > NEAR_BYTES;
    uint64_t hashes[BLOCK];
    for (uint64_t done = 0, here; done < count; done += here, records += here * bytes) {
        here = count - done < BLOCK ? count - done : BLOCK;
        for (uint64_t i = 0; i < here; i++) {
            hashes[i] = hash_of(form, records + i * bytes, row);
            __builtin_prefetch(&table->slots[slot_of(table, hashes[i])]);
        }
        for (uint64_t i = 0; far && i < here; i++) {
            const uint32_t number = table->slots[slot_of(table, hashes[i])];
            __builtin_prefetch(part_at(table, number > 0 ? number - 1 : 0));
        }
        for (uint64_t i = 0; i < here; i++)
            if (!add_one(table, records + i * bytes, hashes[i], row))
                return done + i;
    }
    return count;
}

uint64_t gs_part_table_add(struct gs_part_table *table, const char *records, uint64_t count)
{
    const struct gs_key_rows *rows = &table->form->rows;
    const struct gs_part_form *form = table->form;
    const bool adds = form->counts || (form->how != NULL && form->how->field_count > 0);
    const uint64_t most = adds ? SUMMANDS_MOST - table->added : count;
    uint64_t done;
    count = count < most ? count : most;
    if (gs_counts_words(form)) {
        done = gs_word_counts_add(table, records, count);
        table->added += done;
        return done;
    }
    if (table->slots == NULL && !grow(table))
        return 0;
    switch (rows->count == 1 ? rows->list[0].bytes : 0) {
    case 4:
        done = add_all(table, records, count, 4);
        break;
    case 8:
        done = add_all(table, records, count, 8);
        break;
    case 12:
        done = add_all(table, records, count, 12);
        break;
    default:
        done = add_all(table, records, count, 0);
    }
    table->added += done;
    return done;
}

void gs_part_table_pack(struct gs_part_table *table)
{
    if (table->places > 0)
        gs_word_counts_pack(table);
}

void gs_parts_make(const struct gs_part_form *form, const char *records, uint64_t count,
                   char *parts)
{
    for (uint64_t i = 0; i < count; i++, records += form->record_bytes, parts += form->part_bytes)
        begin(form, records, parts);
}

/* Add one sum to another, or look whether it has room there: it has in 16 bytes. */
static bool join_sums(const struct gs_combined_field *field, const char *other, char *part,
                      bool adds)
{
    const bool is_signed = field->field.type.kind == GS_TYPE_SIGNED;
    wide_sum a, b;
    uint64_t sum;
    int64_t signed_sum;
    if (field->part.type.bytes == sizeof sum) {
        const uint64_t x = gs_row_word(part);
        const uint64_t y = gs_row_word(other);
        const bool fits = is_signed ? !__builtin_add_overflow((int64_t)x, (int64_t)y, &signed_sum)
                                    : !__builtin_add_overflow(x, y, &sum);
        sum = x + y;
        if (adds)
            memcpy(part, &sum, sizeof sum);
        return fits;
    }
    memcpy(&a, part, sizeof a);
    memcpy(&b, other, sizeof b);
    a += b;
    if (adds)
        memcpy(part, &a, sizeof a);
    return true;
}

/* Another part of a key: false, and nothing is done, if a sum or the number has no room. */
static inline bool join(const struct gs_part_form *form, const char *other, char *part)
{
    const uint32_t fields = form->how != NULL ? form->how->field_count : 0;
    uint32_t times = 0;
    if (form->counts && __builtin_add_overflow(gs_row_half(part + form->record_bytes),
                                               gs_row_half(other + form->record_bytes), &times))
        return false;
    for (uint32_t i = 0; i < fields; i++) {
        const struct gs_combined_field *field = &form->how->fields[i];
        const uint32_t at = field->part.offset;
        if (field->fold == GS_COMBINE_SUM && !join_sums(field, other + at, part + at, false))
            return false;
    }
    for (uint32_t i = 0; i < fields; i++) {
        const struct gs_combined_field *field = &form->how->fields[i];
        const uint32_t at = field->part.offset;
        if (field->fold == GS_COMBINE_SUM)
            (void)join_sums(field, other + at, part + at, true);
        else
            keep_outermost(field, other + at, part + at);
    }
    if (form->counts)
        memcpy(part + form->record_bytes, &times, sizeof times);
    keep_first(form, other, part);
    return true;
}

static inline __attribute__((always_inline)) uint64_t combine_all(const struct gs_part_form *form,
                                                                  char *parts, uint64_t count,
                                                                  uint32_t *slots, size_t row)
{
    const uint64_t bytes = form->part_bytes;
    unsigned bits = 1;
    uint64_t kept = 0;
    while ((uint64_t)1 << bits < count + count / 2)
        bits++;
    memset(slots, 0, sizeof *slots << bits);
    const uint64_t last = ((uint64_t)1 << bits) - 1;
    const char *part = parts;
    for (uint64_t i = 0; i < count; i++, part += bytes) {
        uint64_t slot = hash_of(form, part, row) >> (64 - bits);
        while (slots[slot] != 0 && !same(form, parts + (slots[slot] - 1) * bytes, part, row))
            slot = (slot + 1) & last;
        if (slots[slot] != 0 && join(form, part, parts + (slots[slot] - 1) * bytes))
            continue;
        if (kept < i)
            gs_record_copy(parts + kept * bytes, part, form->part_bytes);
        kept++;
        slots[slot] = (uint32_t)kept; /* of parts that have no room in each other, the last */
    }
    return kept;
}

uint64_t gs_parts_combine(const struct gs_part_form *form, char *parts, uint64_t count,
                          uint32_t *slots)
{
    switch (form->rows.count == 1 ? form->rows.list[0].bytes : 0) {
    case 4:
        return combine_all(form, parts, count, slots, 4);
    case 8:
        return combine_all(form, parts, count, slots, 8);
    default:
        return combine_all(form, parts, count, slots, 0);
    }
}
