/* key_loops.h -- count, bound and fill keys: loops for whatever vectors the processor has.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_KEY_LOOPS_H
#define GS_KEY_LOOPS_H

#include "common/keys.h"

#include <stdbool.h>
#include <stddef.h>

/* How many of the keys equal one. */
uint32_t gs_count_equal(const gs_key *keys, size_t count, gs_key key);

/* Are all keys in [low, high]? */
bool gs_keys_within(const gs_key *keys, size_t count, gs_key low, gs_key high);

/* Make all keys one, past the caches if that is said. */
void gs_fill(gs_key *keys, gs_key key, size_t count, bool past_cache);

#endif
