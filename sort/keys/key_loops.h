/* key_loops.h -- count and fill keys: loops for whatever vectors the processor has.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_KEY_LOOPS_H
#define GS_KEY_LOOPS_H

#include "common/formats/keys.h"

#include <stdbool.h>
#include <stddef.h>

/* The keys, for reading more than once. If `held`, in `copy`, so that each reads the same every
 * time, whatever somebody writes to the input: where the result is verified. */
static inline const gs_key *gs_keys_held(const gs_key *keys, size_t count, bool held, gs_key *copy)
{
    if (!held || keys == copy) /* decoded there */
        return keys;
    gs_copy_once(copy, keys, count);
    return copy;
}

/* The number of keys equal to `key`. */
uint32_t gs_count_equal(const gs_key *keys, size_t count, gs_key key);

/* Set all keys to `key`, by non-temporal stores if past_cache. */
void gs_fill(gs_key *keys, gs_key key, size_t count, bool past_cache);

#endif
