/* search_bins512.c -- the halving steps of the search among splitters, for 16 keys at a time.
 * SPDX-License-Identifier: MIT
 */
#include "sort/search_bins.h"

#if GS_SEARCH_BINS_HAS_512

#include <immintrin.h>

__attribute__((target("avx512f"))) uint64_t gs_search_bins512(const struct gs_splitters *splitters,
                                                              const gs_key *keys, uint64_t count,
                                                              uint16_t *bins)
{
    uint64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m512i key = _mm512_loadu_si512(keys + i);
        __m512i bin = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)(bins + i)));
        for (uint32_t half = 1U << splitters->steps >> 1; half != 0; half >>= 1) {
            const __m512i bound = _mm512_i32gather_epi32(bin, splitters->splitter + half - 1, 4);
            const __mmask16 above = _mm512_cmplt_epu32_mask(bound, key);
            bin = _mm512_mask_add_epi32(bin, above, bin, _mm512_set1_epi32((int)half));
        }
        _mm256_storeu_si256((void *)(bins + i), _mm512_cvtepi32_epi16(bin));
    }
    return i;
}

bool gs_search_bins512_usable(void)
{
    return __builtin_cpu_supports("avx512f");
}

#endif
