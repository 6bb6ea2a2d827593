/* key_loops.c -- count and fill keys, by loops that compilers vectorize.
 * SPDX-License-Identifier: MIT
 */
#include "sort/keys/key_loops.h"
#include "sort/keys/vectors.h"

#include "common/memory/cache_line.h"

GS_CLONES uint32_t gs_count_equal(const gs_key *keys, size_t count, gs_key key)
{
    uint32_t equal = 0;
    for (size_t i = 0; i < count; i++)
        equal += keys[i] == key;
    return equal;
}

GS_CLONES static void fill_cached(gs_key *keys, gs_key key, size_t count)
{
    for (size_t i = 0; i < count; i++)
        keys[i] = key;
}

void gs_fill(gs_key *keys, gs_key key, size_t count, bool past_cache)
{
    size_t i = 0;
    if (past_cache) {
        _Alignas(GS_LINE_BYTES) gs_key line[GS_LINE_KEYS];
        fill_cached(line, key, GS_LINE_KEYS);
        for (; i < count && (uintptr_t)(keys + i) % sizeof line != 0; i++)
            keys[i] = key;
        for (; i + GS_LINE_KEYS <= count; i += GS_LINE_KEYS)
            gs_line_write(keys + i, line);
        gs_lines_finish();
    }
    fill_cached(keys + i, key, count - i);
}
