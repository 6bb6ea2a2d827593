/* split512.h -- split keys into four or eight parts by compressing them.
 * SPDX-License-Identifier: MIT
 *
 * Moving keys to their parts one by one takes two stores each, of the key and of where the next one
 * goes, and on a Xeon those take 2.7 cycles whatever is done around them. Here VPCOMPRESSD packs
 * those of 16 keys that belong to a part, and they are stored at once, part by part: 10 cycles for
 * two bits of 16 keys, or of 32 words of 16 bits. This needs AVX-512 VBMI2.
 *
 * Whole vectors are stored to a part: up to a vector behind its last key is overwritten.
 */
#ifndef GS_SPLIT512_H
#define GS_SPLIT512_H

#include "common/formats/keys.h"

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define AVX512_VBMI2 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2")))
#define INLINE_VBMI2                                                                               \
    static inline __attribute__((always_inline, target("avx512f,avx512bw,avx512vl,avx512vbmi2")))

enum {
    SPLIT_KEYS = 16,  /* keys of a vector */
    SPLIT_WORDS = 32, /* words of a vector */
    SPLIT_WORD_BITS = 16,
    SPLIT_PARTS_MAX = 8
};

/* Where the next key or word of each part goes. */
typedef unsigned char *split_places[SPLIT_PARTS_MAX];

/* Copy places to registers, or back. SPLIT_OPAQUE hides them from GCC, which would copy them by
 * vectors and add to several at once, packing and unpacking them each time. */
#define SPLIT_OPAQUE(place) __asm__("" : "+r"(place))

INLINE_VBMI2 void split_copy_places(unsigned char **to, unsigned char *const *from, unsigned parts)
{
#pragma GCC unroll 8
    for (unsigned part = 0; part < parts; part++) {
        unsigned char *place = from[part];
        SPLIT_OPAQUE(place);
        to[part] = place;
    }
}

/* A fresh register to compress into. AMD's Zen 5 waits 5 cycles for its old value, though all of it
 * is overwritten, and GCC used one register for all parts: 20 cycles a step; the stores take 8. */
INLINE_VBMI2 __m512i split_fresh(void)
{
    __m512i fresh = _mm512_setzero_si512();
    __asm__("" : "+v"(fresh));
    return fresh;
}

INLINE_VBMI2 void split_store_keys(__m512i keys, __mmask16 which, unsigned char **to)
{
    _mm512_storeu_si512(*to, _mm512_mask_compress_epi32(split_fresh(), which, keys));
    *to += sizeof(gs_key) * (unsigned)__builtin_popcount(_cvtmask16_u32(which));
    SPLIT_OPAQUE(*to);
}

INLINE_VBMI2 void split_store_words(__m512i words, __mmask32 which, unsigned char **to)
{
    _mm512_storeu_si512(*to, _mm512_mask_compress_epi16(split_fresh(), which, words));
    *to += sizeof(uint16_t) * (unsigned)__builtin_popcount(which);
    SPLIT_OPAQUE(*to);
}

/* Append those of 16 keys that are `there` to four parts, by two bits from `shift` on. */
INLINE_VBMI2 void split_keys_vector(__m512i keys, unsigned shift, __mmask16 there,
                                    unsigned char **to)
{
    const __m512i upper_bit = _mm512_set1_epi32((int)(2U << shift));
    const __m512i lower_bit = _mm512_set1_epi32((int)(1U << shift));
    const __mmask16 upper = _mm512_mask_test_epi32_mask(there, keys, upper_bit);
    const __mmask16 lower = _mm512_mask_test_epi32_mask(there, keys, lower_bit);

    split_store_keys(keys, _kandn_mask16(_kor_mask16(upper, lower), there), to);
    split_store_keys(keys, _kandn_mask16(upper, lower), to + 1);
    split_store_keys(keys, _kandn_mask16(lower, upper), to + 2);
    split_store_keys(keys, _kand_mask16(upper, lower), to + 3);
}

/* Append those of 32 words that are `there` to parts, by the words `bits` from bit `shift` on. */
INLINE_VBMI2 void split_words_vector(__m512i words, __m512i bits, unsigned parts, unsigned shift,
                                     __mmask32 there, unsigned char **to)
{
    if (parts == 4) {
        const __m512i upper_bit = _mm512_set1_epi16((short)(2U << shift));
        const __m512i lower_bit = _mm512_set1_epi16((short)(1U << shift));
        const __mmask32 upper = _mm512_mask_test_epi16_mask(there, bits, upper_bit);
        const __mmask32 lower = _mm512_mask_test_epi16_mask(there, bits, lower_bit);
        split_store_words(words, _kandn_mask32(_kor_mask32(upper, lower), there), to);
        split_store_words(words, _kandn_mask32(upper, lower), to + 1);
        split_store_words(words, _kandn_mask32(lower, upper), to + 2);
        split_store_words(words, _kand_mask32(upper, lower), to + 3);
        return;
    }
    const __m512i field = _mm512_and_si512(bits, _mm512_set1_epi16((short)((parts - 1) << shift)));
#pragma GCC unroll 8
    for (unsigned part = 0; part < parts; part++) {
        const __m512i its_bits = _mm512_set1_epi16((short)(part << shift));
        split_store_words(words, _mm512_mask_cmpeq_epi16_mask(there, field, its_bits), to + part);
    }
}

/* Split keys, less `low`, into four parts by two bits of the difference. */
INLINE_VBMI2 void split_keys(const gs_key *keys, size_t count, gs_key low, unsigned shift,
                             unsigned char **next)
{
    const __m512i lows = _mm512_set1_epi32((int)low);
    split_places to;
    size_t i = 0;

    split_copy_places(to, next, 4);
    for (; i + SPLIT_KEYS <= count; i += SPLIT_KEYS)
        split_keys_vector(_mm512_sub_epi32(_mm512_loadu_si512(keys + i), lows), shift, 0xffff, to);
    if (i < count) { /* what lies behind may be unmapped */
        const __mmask16 there = (__mmask16)((1U << (count - i)) - 1);
        const __m512i last = _mm512_maskz_loadu_epi32(there, keys + i);
        split_keys_vector(_mm512_sub_epi32(last, lows), shift, there, to);
    }
    split_copy_places(next, to, 4);
}

/* Pack the lower words of 32 keys, and, at the same positions, the words `shift` bits above: the
 * first 16 keys' words are at even positions. */
INLINE_VBMI2 void split_pack(const gs_key *keys, unsigned shift, __m512i *words, __m512i *bits)
{
    const __m512i lower = _mm512_set1_epi32(0xffff), shifts = _mm512_set1_epi32((int)shift);
    const __m512i a = _mm512_loadu_si512(keys), b = _mm512_loadu_si512(keys + SPLIT_KEYS);
    const __m512i a_bits = _mm512_srlv_epi32(a, shifts);
    const __m512i b_bits = shift == SPLIT_WORD_BITS /* a compile-time constant */
                               ? b
                               : _mm512_slli_epi32(_mm512_srlv_epi32(b, shifts), SPLIT_WORD_BITS);
    /* 0xd8: bits of the second where the third has 1, else of the first */
    *words = _mm512_ternarylogic_epi32(_mm512_slli_epi32(b, SPLIT_WORD_BITS), a, lower, 0xd8);
    *bits = _mm512_ternarylogic_epi32(b_bits, a_bits, lower, 0xd8);
}

/* Split keys into parts of their lower words, by bits from `shift` on. Up to 31 keys behind the
 * last are read. */
INLINE_VBMI2 void split_keys_to_words(const gs_key *keys, size_t count, unsigned parts,
                                      unsigned shift, unsigned char **next)
{
    const __m512i order =
        _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                         21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    split_places to;
    __m512i words, bits;
    size_t i = 0;

    split_copy_places(to, next, parts);
    for (; i + SPLIT_WORDS <= count; i += SPLIT_WORDS) {
        split_pack(keys + i, shift, &words, &bits);
        split_words_vector(words, bits, parts, 0, ~0U, to);
    }
    if (i < count) {
        split_pack(keys + i, shift, &words, &bits);
        split_words_vector(words, bits, parts, 0,
                           _mm512_cmplt_epu16_mask(order, _mm512_set1_epi16((short)(count - i))),
                           to);
    }
    split_copy_places(next, to, parts);
}

/* Split words by bits from `shift` on. Up to 31 words behind the last are read. */
INLINE_VBMI2 void split_words(const uint16_t *words, size_t count, unsigned parts, unsigned shift,
                              unsigned char **next)
{
    split_places to;
    size_t i = 0;

    split_copy_places(to, next, parts);
    for (; i + SPLIT_WORDS <= count; i += SPLIT_WORDS) {
        const __m512i here = _mm512_loadu_si512(words + i);
        split_words_vector(here, here, parts, shift, ~0U, to);
    }
    if (i < count) {
        const __m512i here = _mm512_loadu_si512(words + i);
        split_words_vector(here, here, parts, shift, (1U << (count - i)) - 1, to);
    }
    split_copy_places(next, to, parts);
}

#endif
