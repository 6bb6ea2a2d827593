/* rows512.h -- merge sorted blocks of rows, all columns at once, by odd-even merges.
 * SPDX-License-Identifier: MIT
 *
 * A part of lanes512.c, which includes lanes512.h before it.
 */
#ifndef GS_ROWS512_H
#define GS_ROWS512_H

#include <assert.h>
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))
#define INLINE_AVX512                                                                              \
    static inline __attribute__((always_inline, target("avx512f,avx512bw,avx512vl")))

enum {
    BLOCK = 16, /* as many as fit the registers */
    BLOCKS_MAX = 24
};

static_assert(BLOCKS_MAX <= 28, "a row of each is in a register");

typedef __m512i vector512;

/* Per lane, put the smaller value into *a, the larger, a ^ b ^ min(a, b), into *b: Intel's
 * processors do one vector minimum or maximum in a cycle, but two bitwise operations. */
INLINE_AVX512 void exchange_rows(vector512 *a, vector512 *b)
{
    const vector512 least = _mm512_min_epu16(*a, *b);
    *b = _mm512_ternarylogic_epi32(*a, *b, least, 0x96);
    *a = least;
}

/* The steps of an odd-even merge that exchange rows of different blocks, the farthest apart first.
 * Of n blocks (a constant) the first `here` exist; the first `half`, a power of two, are sorted,
 * and so are the others. One row of each block is in a register. */
INLINE_AVX512 void merge_blocks(vector512 *rows, int n, int half, int here)
{
    const int behind = n - half;

    for (int i = 0; i < BLOCK; i++) {
        vector512 r[BLOCKS_MAX];
#pragma GCC unroll 24
        for (int k = 0; k < n; k++)
            r[k] = k < here ? rows[BLOCK * k + i] : _mm512_set1_epi16(-1);
#pragma GCC unroll 16
        for (int k = 0; k < behind; k++)
            exchange_rows(&r[k], &r[k + half]);
#pragma GCC unroll 8
        for (int apart = half / 2; apart > 0; apart /= 2)
#pragma GCC unroll 24
            for (int k = 0; k < n - apart; k++)
                if ((k & apart) != 0)
                    exchange_rows(&r[k], &r[k + apart]);
#pragma GCC unroll 24
        for (int k = 0; k < n; k++)
            if (k < here)
                rows[BLOCK * k + i] = r[k];
    }
}

/* The remaining steps, 8, 4, 2 and 1 rows apart, for one block and the upper half of the next, if
 * there is one. r holds the upper half of this block on entry, that of the next on return. */
INLINE_AVX512 void merge_rows_of(vector512 *rows, vector512 *r, bool last)
{
    enum { HALF = BLOCK / 2 };
    const int end = last ? BLOCK : BLOCK + HALF;

#pragma GCC unroll 16
    for (int i = HALF; i < end; i++)
        r[i] = rows[i];
#pragma GCC unroll 4
    for (int apart = HALF; apart > 0; apart /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < BLOCK; i++)
            if ((i & apart) != 0 && i + apart < end)
                exchange_rows(&r[i], &r[i + apart]);
#pragma GCC unroll 16
    for (int i = 0; i < BLOCK; i++)
        rows[i] = r[i];
    if (last)
        return;
#pragma GCC unroll 8
    for (int i = 0; i < HALF; i++)
        r[i] = r[BLOCK + i];
}

/* Not inlined, since there are nine callers and this is long. */
static __attribute__((noinline)) AVX512 void merge_rows(vector512 *rows, int blocks)
{
    vector512 r[BLOCK + BLOCK / 2];

#pragma GCC unroll 8
    for (int i = 0; i < BLOCK / 2; i++)
        r[i] = rows[i];
    for (int block = 0; block + 1 < blocks; block++, rows += BLOCK)
        merge_rows_of(rows, r, false);
    merge_rows_of(rows, r, true);
}

/* Merge sorted neighbours of n / 2 blocks each, up to the last block. */
INLINE_AVX512 void merge_neighbours(vector512 *rows, int n, int blocks)
{
    int first = 0;

    for (; first + n <= blocks; first += n) {
        merge_blocks(rows + BLOCK * first, n, n / 2, n);
        merge_rows(rows + BLOCK * first, n);
    }
    if (first + n / 2 < blocks) { /* otherwise the rest is already sorted */
        merge_blocks(rows + BLOCK * first, n, n / 2, blocks - first);
        merge_rows(rows + BLOCK * first, blocks - first);
    }
}

/* Merge 16 sorted blocks with the sorted blocks behind them, which are mostly few. */
INLINE_AVX512 void merge_last(vector512 *rows, int blocks)
{
    if (blocks <= 18)
        merge_blocks(rows, 18, 16, blocks);
    else if (blocks <= 20)
        merge_blocks(rows, 20, 16, blocks);
    else
        merge_blocks(rows, BLOCKS_MAX, 16, blocks);
    merge_rows(rows, blocks);
}

#endif
