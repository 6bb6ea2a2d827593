/* codec_line.h -- the store door for 16 elements of 4 bytes while they are in a register.
 * SPDX-License-Identifier: MIT
 *
 * For code compiled for AVX-512; what it does is codec.c's, without floats of two bytes, so that
 * elements need not be put together in another order first.
 */
#ifndef GS_CODEC_LINE_H
#define GS_CODEC_LINE_H

#include "common/formats/codec.h"

#include <immintrin.h>

struct gs_codec_line {
    __m512i flips, lanes, signs, below, to_records;
};

#define GS_CODEC_AVX512 static inline __attribute__((target("avx512f,avx512bw")))

GS_CODEC_AVX512 __m512i gs_codec_line_of(const uint8_t block[GS_CODEC_BLOCK])
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)block));
}

/* Of a codec that gs_codec_has_line(). */
GS_CODEC_AVX512 void gs_codec_line_open(struct gs_codec_line *line, const struct gs_codec *codec)
{
    const struct gs_codec_floats *floats = &codec->floats[1];
    line->flips = gs_codec_line_of(codec->flips);
    line->lanes = gs_codec_line_of(floats->lanes);
    line->signs = gs_codec_line_of(floats->signs);
    line->below = gs_codec_line_of(floats->below);
    line->to_records = gs_codec_line_of(codec->to_records);
}

GS_CODEC_AVX512 __m512i gs_codec_line_store(const struct gs_codec_line *line, __m512i x)
{
    x = _mm512_add_epi32(_mm512_xor_si512(x, line->flips), line->below);
    const __m512i negative = _mm512_andnot_si512(_mm512_srai_epi32(x, 31), line->lanes);
    x = _mm512_xor_si512(x, _mm512_or_si512(negative, line->signs));
    return _mm512_shuffle_epi8(x, line->to_records);
}

#endif
