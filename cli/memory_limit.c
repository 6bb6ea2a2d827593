/* memory_limit.c -- how much memory a run may use, from -S or from what there is.
 * SPDX-License-Identifier: MIT
 */
#include "cli/memory_limit.h"

#include "common/memory.h"

/* No -S is too small for so many keys. */
#define GS_SMALL_KEYS 65536

/* What is not the sort's to take of the memory there is: stacks of threads, whose address space
 * ulimit -v counts in full, 8 MiB each, and libraries' own. */
#define GS_BESIDE (UINT64_C(32) << 20)

uint64_t gs_memory_limit(const struct gs_command *command)
{
    uint64_t limit = command->memory_limit;
    if (limit == 0) {
        uint64_t available = gs_memory_available();
        uint64_t total = gs_memory_total();
        limit = available < total ? available : total;
        limit = (limit > 2 * GS_BESIDE ? limit - GS_BESIDE : limit / 2) / 4 * 3;
    }
    uint64_t least =
        gs_sort_memory(&command->sort, GS_SMALL_KEYS) + (uint64_t)GS_SMALL_KEYS * GS_KEY_BYTES;
    return limit > least ? limit : least;
}
