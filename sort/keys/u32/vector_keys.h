/* vector_keys.h -- loops over vectors of 32-bit keys: drop repeated keys, merge two runs.
 * SPDX-License-Identifier: MIT
 *
 * The door to this wing, the only header that others include; vector_keys_absent.c stands in for
 * wider keys and other processors.
 */
#ifndef GS_VECTOR_KEYS_H
#define GS_VECTOR_KEYS_H

#include "common/formats/keys.h"

#include <stddef.h>
#include <stdint.h>

/* Progress of an in-place removal of duplicates. */
struct gs_closing {
    uint64_t read; /* keys read so far */
    uint64_t kept; /* of them, at the front of the array */
    gs_key last;   /* the last key read, to compare the next with: loading the last key kept would
                    * wait for its store */
};

/* Close up the keys that fill whole vectors; none if the processor has no vectors for that. */
void gs_vector_close_up(gs_key *keys, uint64_t count, struct gs_closing *closing);

/* Keys of padding behind each run, which merging overwrites. */
#define GS_MERGE_GAP 16

/* How two runs are merged: by the instruction sets that processors have, the best last. */
enum gs_merge_method { GS_MERGE_NONE, GS_MERGE_AVX2, GS_MERGE_AVX512 };

/* The best method that this processor supports; GS_MERGE_NONE if none. */
enum gs_merge_method gs_merge_method(void);

/* Merge two ascending runs with GS_MERGE_GAP keys of GS_KEY_MAX behind each. `to` has room for as
 * many behind the merged keys. */
void gs_merge_pair(enum gs_merge_method method, const gs_key *a, size_t a_count, const gs_key *b,
                   size_t b_count, gs_key *to);

#endif
