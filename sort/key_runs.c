/* key_runs.c -- bring runs together.
 * SPDX-License-Identifier: MIT
 */
#include "sort/key_runs.h"

#include <string.h>

void gs_key_runs_gather(const struct gs_key_runs *runs, gs_key *to)
{
    for (uint64_t chunk = 0; chunk < runs->chunks; chunk++) {
        uint32_t count;
        const gs_key *run = gs_key_run(runs, chunk, &count);
        gs_key_runs_prefetch(runs, chunk);
        memcpy(to, run, count * sizeof *to);
        to += count;
    }
}
