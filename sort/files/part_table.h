/* part_table.h -- a hash table that makes one part (combine.h) of all records of a key.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PART_TABLE_H
#define GS_PART_TABLE_H

#include "sort/files/combine.h"
#include "sort/files/key_rows.h"

/* What parts are made of, and how. */
struct gs_part_form {
    const struct gs_combine *how; /* which fields are combined; NULL: none */
    const struct gs_record_order *order;
    bool reverse;
    bool alike;    /* records of a key may only differ in combined fields; else: */
    bool chooses;  /* records of a key may differ: a part has the one that is first in the order */
    bool counts;   /* behind the record is how many there were */
    uint64_t seed; /* of hashes, on which nothing depends */
    struct gs_key_rows rows;
    uint32_t record_bytes, part_bytes;
};

/* Parts lie in the order in which their keys came; slots, by hash, are 1 above their numbers. Where
 * words are counted (word_counts.c), there are no slots: parts lie at `places`, some are empty. */
struct gs_part_table {
    const struct gs_part_form *form;
    uint64_t limit_bytes; /* it grows up to here */
    char *parts;
    uint32_t *slots;
    unsigned slot_bits;
    uint64_t count, room, places;
    uint64_t added; /* records, since it was empty */
};

/* Free what it has. All zero but for the first two fields: an empty table. */
void gs_part_table_free(struct gs_part_table *table);

/* It has no parts any more, and its memory still. */
void gs_part_table_clear(struct gs_part_table *table);

/* Make a part of each record. */
void gs_parts_make(const struct gs_part_form *form, const char *records, uint64_t count,
                   char *parts);

/* Make one of parts of the same key, in place: returns how many remain, in the order of the first
 * of each. slots: 3 for each part. */
uint64_t gs_parts_combine(const struct gs_part_form *form, char *parts, uint64_t count,
                          uint32_t *slots);

/* Add records. Returns how many of them it had room for. */
uint64_t gs_part_table_add(struct gs_part_table *table, const char *records, uint64_t count);

/* Let its parts lie one behind the other. After that, none is added until it is cleared. */
void gs_part_table_pack(struct gs_part_table *table);

#endif
