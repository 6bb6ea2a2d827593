/* set_match.h -- which records, that come in order, does the file of --minus or --common have?
 * SPDX-License-Identifier: MIT
 *
 * Whether it has the next one nobody can foresee, nor how many of its own come in between. So words
 * of both are walked along without a branch, and only records whose word it has are compared.
 */
#ifndef GS_SET_MATCH_H
#define GS_SET_MATCH_H

#include "sort/files/key_rows.h"
#include "sort/types/record_order.h"

#define GS_SET_BLOCK  256  /* records that are looked up at once, */
#define GS_SET_WINDOW 1024 /* and those of the set whose words are at hand */

struct gs_set_match {
    const void *records; /* of the set, in order; */
    uint64_t count;      /* so many */
    uint32_t record_bytes;
    const struct gs_record_order *order;
    const struct gs_key_rows *rows;
    bool reverse;
    bool once;         /* what it has once is paired with all that have these keys */
    uint64_t next;     /* of the set's records: the first with keys that have not come yet */
    uint64_t matches;  /* those of the last key that it has, less those that came; */
    const char *match; /* one of them, or NULL: there was none so far */
    uint64_t from, to; /* of the set: the records that have these words; */
    uint64_t words[GS_SET_WINDOW];
};

/* paired[i]: has the set record i of the next ones, `bytes` bytes apart? Returns for how many of
 * them that is known: at least one, at most GS_SET_BLOCK. */
uint32_t gs_set_match(struct gs_set_match *set, const char *records, uint64_t bytes, uint64_t count,
                      bool *paired);

#endif
