/* part_table.h -- a hash table that makes one part (combine.h) of all records of a key.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PART_TABLE_H
#define GS_PART_TABLE_H

#include "sort/files/part_form.h"

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
