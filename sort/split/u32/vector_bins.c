/* vector_bins.c -- the search among splitters with AVX2, for 8 keys at a time.
 * SPDX-License-Identifier: MIT
 *
 * The guide, then halving steps, each a gather of 8 words from the cache. 4 vectors go side by
 * side, since each step waits for the one before.
 */
#include "sort/split/u32/vector_bins.h"
#include "sort/keys/params.h"

#include <immintrin.h>

#define AVX2        __attribute__((target("avx2")))
#define INLINE_AVX2 static inline __attribute__((always_inline, target("avx2")))

enum { LANES = 8, VECTORS = 4, GROUP_KEYS = VECTORS * LANES, AHEAD = GS_ROOMS_BLOCK };

/* The octaves of 8 distances: their exponents as floating-point numbers. Bits that might round one
 * up are cleared first; a distance of 32 bits turns negative, which the subtraction saturates. */
INLINE_AVX2 __m256i find_octaves(__m256i distance)
{
    const __m256i least = _mm256_set1_epi32(1 << GS_GUIDE_LOG_FRACTION);
    const __m256i value = _mm256_or_si256(distance, least);
    const __m256i cut = _mm256_andnot_si256(_mm256_srli_epi32(value, 8), value);
    const __m256i exponent = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(cut)), 23);
    const __m256i zeros = _mm256_subs_epu16(_mm256_set1_epi32(127 + 31), exponent);
    return _mm256_sub_epi32(_mm256_set1_epi32(31 - GS_GUIDE_LOG_FRACTION), zeros);
}

/* gs_splitters_cell() of 8 keys. */
INLINE_AVX2 __m256i find_cells(const struct gs_splitters *splitters, enum gs_guide guide,
                               __m256i keys)
{
    if (guide == GS_GUIDE_TOP)
        return _mm256_srli_epi32(keys, GS_KEY_BITS - GS_GUIDE_LOG2);
    if (guide == GS_GUIDE_EVEN)
        return _mm256_srl_epi32(keys, _mm_cvtsi32_si128((int)splitters->shift));
    const __m256i base = _mm256_set1_epi32((int)splitters->base);
    const __m256i distance = _mm256_sub_epi32(_mm256_max_epu32(keys, base), base);
    if (guide == GS_GUIDE_LINEAR)
        return _mm256_min_epu32(
            _mm256_srl_epi32(distance, _mm_cvtsi32_si128((int)splitters->shift)),
            _mm256_set1_epi32(GS_GUIDE_CELLS - 1));
    const __m256i octave = find_octaves(distance);
    return _mm256_add_epi32(_mm256_slli_epi32(octave, GS_GUIDE_LOG_FRACTION),
                            _mm256_srlv_epi32(distance, octave));
}

/* The first candidate bins of 8 keys. The upper half of what is gathered is the cell; in front of
 * the first cell lie the splitters, so the load stays inside the struct. */
INLINE_AVX2 __m256i first_bins(const struct gs_splitters *splitters, enum gs_guide guide,
                               __m256i keys)
{
    const char *const cells = (const char *)splitters->first - sizeof splitters->first[0];
    const __m256i cell = find_cells(splitters, guide, keys);
    if (guide == GS_GUIDE_EVEN)
        return cell;
    return _mm256_srli_epi32(_mm256_i32gather_epi32((const int *)(const void *)cells, cell, 2), 16);
}

static_assert(offsetof(struct gs_splitters, first) >= sizeof(uint16_t), "splitters come first");

/* One halving step of 8 keys. */
INLINE_AVX2 __m256i halve(const gs_key *splitter, __m256i keys, __m256i bins, uint32_t half)
{
    const __m256i bound =
        _mm256_i32gather_epi32((const int *)(const void *)(splitter + half - 1), bins, 4);
    const __m256i stay = _mm256_cmpeq_epi32(_mm256_min_epu32(keys, bound), keys);
    return _mm256_add_epi32(bins, _mm256_andnot_si256(stay, _mm256_set1_epi32((int)half)));
}

/* guide is a constant at every call. */
INLINE_AVX2 uint64_t find_bins(const struct gs_splitters *splitters, enum gs_guide guide,
                               const gs_key *keys, uint64_t count, gs_key *copy, uint16_t *bins)
{
    const uint32_t halves = 1U << splitters->steps >> 1;
    uint64_t i = 0;
    for (; i + GROUP_KEYS <= count; i += GROUP_KEYS) {
        __m256i key[VECTORS], bin[VECTORS];
        for (int v = 0; v < VECTORS; v++) {
            key[v] = _mm256_loadu_si256((const void *)(keys + i + LANES * v));
            /* GCC must not load the key again for the copy: somebody may write to it in between. */
            __asm__("" : "+x"(key[v]));
            bin[v] = first_bins(splitters, guide, key[v]);
            _mm256_storeu_si256((void *)(copy + i + LANES * v), key[v]);
        }
        /* Prefetch the next block. */
        for (int line = 0; line < GROUP_KEYS; line += GS_LINE_KEYS)
            __builtin_prefetch(keys + i + AHEAD + line);
        for (uint32_t half = halves; half != 0; half >>= 1)
            for (int v = 0; v < VECTORS; v++)
                bin[v] = halve(splitters->splitter, key[v], bin[v], half);
        for (int v = 0; v < VECTORS; v += 2) {
            const __m256i both = _mm256_packus_epi32(bin[v], bin[v + 1]);
            _mm256_storeu_si256((void *)(bins + i + LANES * v),
                                _mm256_permute4x64_epi64(both, 0xd8));
        }
    }
    return i;
}

static AVX2 uint64_t find_all(const struct gs_splitters *splitters, const gs_key *keys,
                              uint64_t count, gs_key *copy, uint16_t *bins)
{
    if (splitters->guide == GS_GUIDE_TOP)
        return find_bins(splitters, GS_GUIDE_TOP, keys, count, copy, bins);
    if (splitters->guide == GS_GUIDE_LINEAR)
        return find_bins(splitters, GS_GUIDE_LINEAR, keys, count, copy, bins);
    if (splitters->guide == GS_GUIDE_EVEN)
        return find_bins(splitters, GS_GUIDE_EVEN, keys, count, copy, bins);
    return find_bins(splitters, GS_GUIDE_LOG, keys, count, copy, bins);
}

uint64_t gs_vector_bins(const struct gs_splitters *splitters, const gs_key *keys, uint64_t count,
                        gs_key *copy, uint16_t *bins)
{
    return __builtin_cpu_supports("avx2") ? find_all(splitters, keys, count, copy, bins) : 0;
}
