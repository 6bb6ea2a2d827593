/* vector_keys_absent.c -- no vectors of keys of this width, or for this processor.
 * SPDX-License-Identifier: MIT
 */
#include "sort/keys/u32/vector_keys.h"

#include <assert.h>
#include <stdbool.h>

void gs_vector_close_up(gs_key *keys, uint64_t count, struct gs_closing *closing)
{
    (void)keys, (void)count, (void)closing;
}

enum gs_merge_method gs_merge_method(void)
{
    return GS_MERGE_NONE;
}

void gs_merge_pair(enum gs_merge_method method, const gs_key *a, size_t a_count, const gs_key *b,
                   size_t b_count, gs_key *to)
{
    (void)method, (void)a, (void)a_count, (void)b, (void)b_count, (void)to;
    assert(false); /* not reached: gs_merge_method() is GS_MERGE_NONE */
}
