/* matrix.h -- sort the columns of a matrix of vectors, all at once, by a network.
 * SPDX-License-Identifier: MIT
 *
 * The columns are the lanes of 256 bits: 16 of 16 bits ("narrow"), or 8 of 32 ("wide"). Minima and
 * maxima of two rows order all columns, without a branch. Transposed, the matrix is a piece of the
 * sorted bin. `wide` is a constant at every call.
 */
#ifndef GS_MATRIX_H
#define GS_MATRIX_H

#include "sort/bin/u32/network.h"

#include "common/formats/keys.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>

#define AVX2        __attribute__((target("avx2")))
#define INLINE_AVX2 static inline __attribute__((always_inline, target("avx2")))

enum {
    ROWS = 64,
    BLOCK_ROWS = 16, /* as many as fit the registers */
    NARROW_LANES = 16,
    WIDE_LANES = 8
};

typedef __m256i vector;

/* Per lane, put the smaller value into *a, the larger into *b. */
INLINE_AVX2 void exchange(vector *a, vector *b, bool wide)
{
    const vector least = wide ? _mm256_min_epu32(*a, *b) : _mm256_min_epu16(*a, *b);
    *b = wide ? _mm256_max_epu32(*a, *b) : _mm256_max_epu16(*a, *b);
    *a = least;
}

#define EXCHANGE(i, j) exchange(&r[i], &r[j], wide);
#define LOAD(i)        r[i] = _mm256_load_si256(rows + (i));
#define STORE(i)       _mm256_store_si256(rows + (i), r[i]);

/* Sort 16 rows of a matrix, from number `first` on, to rows. Subtracts base from each lane; unless
 * all columns are full, slots beyond a column's `counts` keys get the largest value. */
INLINE_AVX2 void sort_block(const vector *slots, size_t row_vectors, vector *rows, int first,
                            vector base, vector counts, bool all_full, bool wide)
{
    vector r[BLOCK_ROWS];

#define LOAD_BASED(i)                                                                              \
    r[i] = _mm256_load_si256(slots + (size_t)(first + (i)) * row_vectors);                         \
    r[i] = wide ? _mm256_sub_epi32(r[i], base) : _mm256_sub_epi16(r[i], base);
#define FILL_UNUSED(i)                                                                             \
    r[i] = _mm256_or_si256(                                                                        \
        r[i], wide ? _mm256_cmpgt_epi32(_mm256_set1_epi32(first + (i) + 1), counts)                \
                   : _mm256_cmpgt_epi16(_mm256_set1_epi16((short)(first + (i) + 1)), counts));
    GS_EACH_16(LOAD_BASED)
    if (!all_full) {
        GS_EACH_16(FILL_UNUSED)
    }
    GS_SORT_16(EXCHANGE)
    rows += first;
    GS_EACH_16(STORE)
}

/* Sort 16 rows whose columns are bitonic. */
INLINE_AVX2 void clean_block(vector *rows, bool wide)
{
    vector r[BLOCK_ROWS];
    GS_EACH_16(LOAD)
    GS_CLEAN_16(EXCHANGE)
    GS_EACH_16(STORE)
}

/* Sort each column of the first `blocks` * 16 rows of a matrix to rows: 1, 2 or 4 blocks. The first
 * full_blocks of them have a key in each slot. */
INLINE_AVX2 void sort_columns(const vector *slots, size_t row_vectors, vector *rows, vector base,
                              vector counts, int full_blocks, int blocks, bool wide)
{
    for (int block = 0; block < blocks; block++)
        sort_block(slots, row_vectors, rows, BLOCK_ROWS * block, base, counts, block < full_blocks,
                   wide);
    for (int block = 0; block + 1 < blocks; block += 2) {
        vector *pair = rows + BLOCK_ROWS * block;
        for (int i = 0; i < BLOCK_ROWS; i++)
            exchange(pair + i, pair + 2 * BLOCK_ROWS - 1 - i, wide);
        clean_block(pair, wide);
        clean_block(pair + BLOCK_ROWS, wide);
    }
    if (blocks < 4)
        return;
    /* Two steps at once: 32 rows with 32 rows reversed, then rows 16 apart in each half. */
    for (int i = 0; i < BLOCK_ROWS; i++) {
        vector a = rows[i], b = rows[i + 16], c = rows[47 - i], d = rows[63 - i];
        exchange(&a, &d, wide);
        exchange(&b, &c, wide);
        exchange(&a, &b, wide);
        exchange(&c, &d, wide);
        rows[i] = a;
        rows[i + 16] = b;
        rows[47 - i] = c;
        rows[63 - i] = d;
    }
    for (int block = 0; block < 4; block++)
        clean_block(rows + BLOCK_ROWS * block, wide);
}

/* Transpose 16 rows of 16 narrow lanes to 16 columns. */
INLINE_AVX2 void transpose_narrow(const vector *rows, vector *columns, int step)
{
    vector a[16], b[16];

    for (int i = 0; i < 16; i += 2) {
        a[i] = _mm256_unpacklo_epi16(rows[i], rows[i + 1]);
        a[i + 1] = _mm256_unpackhi_epi16(rows[i], rows[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        b[i] = _mm256_unpacklo_epi32(a[i], a[i + 2]);
        b[i + 1] = _mm256_unpackhi_epi32(a[i], a[i + 2]);
        b[i + 2] = _mm256_unpacklo_epi32(a[i + 1], a[i + 3]);
        b[i + 3] = _mm256_unpackhi_epi32(a[i + 1], a[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        a[2 * i] = _mm256_unpacklo_epi64(b[i], b[4 + i]);
        a[2 * i + 1] = _mm256_unpackhi_epi64(b[i], b[4 + i]);
        a[8 + 2 * i] = _mm256_unpacklo_epi64(b[8 + i], b[12 + i]);
        a[8 + 2 * i + 1] = _mm256_unpackhi_epi64(b[8 + i], b[12 + i]);
    }
    for (int i = 0; i < 8; i++) {
        columns[step * i] = _mm256_permute2x128_si256(a[i], a[8 + i], 0x20);
        columns[step * (8 + i)] = _mm256_permute2x128_si256(a[i], a[8 + i], 0x31);
    }
}

/* Transpose 8 rows of 8 wide lanes to 8 columns. */
INLINE_AVX2 void transpose_wide(const vector *rows, vector *columns, int step)
{
    vector a[8], b[8];

    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm256_unpacklo_epi32(rows[i], rows[i + 1]);
        a[i + 1] = _mm256_unpackhi_epi32(rows[i], rows[i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        b[2 * i] = _mm256_unpacklo_epi64(a[i], a[2 + i]);
        b[2 * i + 1] = _mm256_unpackhi_epi64(a[i], a[2 + i]);
        b[4 + 2 * i] = _mm256_unpacklo_epi64(a[4 + i], a[6 + i]);
        b[4 + 2 * i + 1] = _mm256_unpackhi_epi64(a[4 + i], a[6 + i]);
    }
    for (int i = 0; i < 4; i++) {
        columns[step * i] = _mm256_permute2x128_si256(b[i], b[4 + i], 0x20);
        columns[step * (4 + i)] = _mm256_permute2x128_si256(b[i], b[4 + i], 0x31);
    }
}

/* Write the sorted columns of one matrix one after the other to out, in whole vectors: the next
 * column overwrites what is behind the last key of the one before, and up to ROWS keys behind the
 * last column are overwritten. */
INLINE_AVX2 void write_columns(const vector *rows, gs_key *out, const uint32_t *counts,
                               const uint32_t *lows, int blocks, bool wide)
{
    const int lanes = wide ? WIDE_LANES : NARROW_LANES;
    const int vectors = wide ? 2 * blocks : blocks; /* vectors of a column */
    vector columns[ROWS];

    for (int i = 0; i < vectors; i++) {
        if (wide)
            transpose_wide(rows + 8 * i, columns + i, ROWS / 8);
        else
            transpose_narrow(rows + 16 * i, columns + i, ROWS / 16);
    }
    for (int lane = 0; lane < lanes; lane++) {
        const vector low = _mm256_set1_epi32((int)lows[lane]);
        for (int i = 0; i < vectors; i++) {
            const vector v = columns[lane * (ROWS / lanes) + i];
            if (wide) {
                _mm256_storeu_si256((vector *)(void *)(out + 8 * i), _mm256_add_epi32(v, low));
                continue;
            }
            const vector front = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(v));
            const vector back = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(v, 1));
            _mm256_storeu_si256((vector *)(void *)(out + 16 * i), _mm256_add_epi32(front, low));
            _mm256_storeu_si256((vector *)(void *)(out + 16 * i + 8), _mm256_add_epi32(back, low));
        }
        out += counts[lane];
    }
}

#endif
