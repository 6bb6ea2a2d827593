/* part_form.h -- what parts (combine.h) are made of, and the table that has them.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_PART_FORM_H
#define GS_PART_FORM_H

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

#endif
