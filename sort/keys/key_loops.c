/* key_loops.c -- count, bound and fill keys, by loops that compilers vectorize.
 * SPDX-License-Identifier: MIT
 */
#include "sort/keys/key_loops.h"
#include "sort/keys/vectors.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

GS_CLONES uint32_t gs_count_equal(const gs_key *keys, size_t count, gs_key key)
{
    uint32_t equal = 0;
    for (size_t i = 0; i < count; i++)
        equal += keys[i] == key;
    return equal;
}

GS_CLONES bool gs_keys_within(const gs_key *keys, size_t count, gs_key low, gs_key high)
{
    uint32_t outside = 0;
    for (size_t i = 0; i < count; i++)
        outside |= keys[i] - low > high - low; /* wraps around below low */
    return outside == 0;
}

GS_CLONES static void fill_cached(gs_key *keys, gs_key key, size_t count)
{
    for (size_t i = 0; i < count; i++)
        keys[i] = key;
}

void gs_fill(gs_key *keys, gs_key key, size_t count, bool past_cache)
{
    size_t i = 0;
#if defined(__SSE2__)
    if (past_cache) {
        enum { KEYS = sizeof(__m128i) / sizeof(gs_key) };
        gs_key copies[KEYS];
        for (size_t k = 0; k < KEYS; k++)
            copies[k] = key;
        const __m128i vector = _mm_loadu_si128((const __m128i *)(const void *)copies);
        for (; i < count && (uintptr_t)(keys + i) % sizeof vector != 0; i++)
            keys[i] = key;
        for (; i + KEYS <= count; i += KEYS)
            _mm_stream_si128((__m128i *)(void *)(keys + i), vector);
        _mm_sfence();
    }
#else
    (void)past_cache;
#endif
    fill_cached(keys + i, key, count - i);
}
