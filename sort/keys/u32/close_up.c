/* close_up.c -- drop repeated 32-bit keys by vectors.
 * SPDX-License-Identifier: MIT
 */
#include "sort/keys/u32/vector_keys.h"
#include "sort/keys/vectors.h"

#include <immintrin.h>

__attribute__((target("avx512f,popcnt"))) static void close_up512(gs_key *keys, uint64_t count,
                                                                  struct gs_closing *closing)
{
    __m512i last = _mm512_set1_epi32((int)closing->last);
    for (; count - closing->read >= 16; closing->read += 16) {
        const __m512i here = _mm512_loadu_si512(keys + closing->read);
        const __m512i before = _mm512_alignr_epi32(here, last, 15);
        const __mmask16 fresh = _mm512_cmpneq_epi32_mask(here, before);
        /* A full store is faster than a masked one, and overwrites only keys already read. */
        _mm512_storeu_si512(keys + closing->kept, _mm512_maskz_compress_epi32(fresh, here));
        closing->kept += (unsigned)__builtin_popcount(fresh);
        last = here;
    }
    last = _mm512_alignr_epi32(last, last, 15);
    closing->last = (gs_key)_mm_cvtsi128_si32(_mm512_castsi512_si128(last));
}

void gs_vector_close_up(gs_key *keys, uint64_t count, struct gs_closing *closing)
{
    if (GS_HAS_AVX512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt"))
        close_up512(keys, count, closing);
}
