/* key_runs.h -- keys that lie in runs, one in each chunk of the scattered copy.
 * SPDX-License-Identifier: MIT
 */
#ifndef GS_KEY_RUNS_H
#define GS_KEY_RUNS_H

#include "common/keys.h"

#include <stddef.h>
#include <stdint.h>

/* The run in chunk c is [starts[c * stride], starts[c * stride + 1]) of the keys that begin at keys
 * + c * chunk_keys. */
struct gs_key_runs {
    const gs_key *keys;
    const uint32_t *starts;
    uint64_t chunks;
    uint64_t chunk_keys;
    uint32_t stride;
};

/* The run in one chunk, and its length in *count. */
static inline const gs_key *gs_key_run(const struct gs_key_runs *runs, uint64_t chunk,
                                       uint32_t *count)
{
    const uint32_t *starts = runs->starts + chunk * runs->stride;
    *count = starts[1] - starts[0];
    return runs->keys + chunk * runs->chunk_keys + starts[0];
}

/* Copy all keys, one run after the other, to `to`. */
void gs_key_runs_gather(const struct gs_key_runs *runs, gs_key *to);

/* The same in portions, from the reader's position, at first all zero. Copies up to count keys and
 * returns how many; fewer only at the end. */
struct gs_key_reader {
    uint64_t chunk;
    uint32_t done; /* keys of this chunk's run */
};
size_t gs_key_runs_read(const struct gs_key_runs *runs, struct gs_key_reader *reader, gs_key *to,
                        size_t count);

#endif
