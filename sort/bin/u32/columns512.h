/* columns512.h -- what the sorts by columns and by groups with AVX-512 have in common.
 * SPDX-License-Identifier: MIT
 *
 * Input keys are prefetched; columns of 64 rows are sorted by a network, 32 side by side, and
 * turned back into keys; output is written in whole cache lines.
 */
#ifndef GS_COLUMNS512_H
#define GS_COLUMNS512_H

#include "sort/bin/u32/columns.h"
#include "sort/bin/u32/network.h"

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))
#define INLINE_AVX512                                                                              \
    static inline __attribute__((always_inline, target("avx512f,avx512bw,avx512vl")))

enum {
    ROWS = GS_COLUMN_ROWS,
    BLOCK_ROWS = 16,
    LANES = 32,
    BLOCK_KEYS = 2048,  /* keys copied from their runs at a time */
    TABLE_AHEAD = 16,   /* chunks */
    CALLED_AHEAD = 1024 /* keys, where these go to groups */
};

static_assert((int)LANES <= (int)GS_COLUMN_LANES_MAX, "columns of a matrix");

typedef __m512i vector;

/* Per lane, put the smaller value into *a, the larger into *b. */
INLINE_AVX512 void exchange(vector *a, vector *b)
{
    const vector least = _mm512_min_epu16(*a, *b);
    *b = _mm512_ternarylogic_epi32(*a, *b, least, 0x96);
    *a = least;
}

#define EXCHANGE(i, j) exchange(&r[i], &r[j]);
#define LOAD(i)        r[i] = _mm512_load_si512(rows + (i));
#define STORE(i)       _mm512_store_si512(rows + (i), r[i]);

/* Sort 16 rows of a matrix, from number `first` on, to rows. Subtracts base from each lane; unless
 * all columns are full, slots beyond a column's `counts` keys get the largest value. */
INLINE_AVX512 void sort_block(const uint16_t *slots, size_t stride, vector *rows, int first,
                              vector base, vector counts, bool full)
{
    vector r[BLOCK_ROWS];

#define LOAD_BASED(i)                                                                              \
    r[i] = _mm512_sub_epi16(_mm512_load_si512(slots + (size_t)(first + (i)) * stride), base);
#define FILL_UNUSED(i)                                                                             \
    r[i] = _mm512_mask_blend_epi16(                                                                \
        _mm512_cmple_epi16_mask(counts, _mm512_set1_epi16((short)(first + (i)))), r[i],            \
        _mm512_set1_epi16(-1));
    GS_EACH_16(LOAD_BASED)
    if (!full) {
        GS_EACH_16(FILL_UNUSED)
    }
    GS_SORT_16(EXCHANGE)
    rows += first;
    GS_EACH_16(STORE)
}

/* Sort 16 rows whose columns are bitonic. */
INLINE_AVX512 void clean_block(vector *rows)
{
    vector r[BLOCK_ROWS];
    GS_EACH_16(LOAD)
    GS_CLEAN_16(EXCHANGE)
    GS_EACH_16(STORE)
}

/* Sort each column of the first `blocks` * 16 rows of a matrix to rows: 1, 2 or 4 blocks. The first
 * full_blocks of them have a key in each slot. */
INLINE_AVX512 void sort_columns(const uint16_t *slots, size_t stride, vector *rows, vector base,
                                vector counts, int full_blocks, int blocks)
{
    for (int block = 0; block < blocks; block++)
        sort_block(slots, stride, rows, BLOCK_ROWS * block, base, counts, block < full_blocks);
    for (int block = 0; block + 1 < blocks; block += 2) {
        vector *pair = rows + BLOCK_ROWS * block;
        for (int i = 0; i < BLOCK_ROWS; i++)
            exchange(pair + i, pair + 2 * BLOCK_ROWS - 1 - i);
        clean_block(pair);
        clean_block(pair + BLOCK_ROWS);
    }
    if (blocks < 4)
        return;
    /* Two steps at once: 32 rows with 32 rows reversed, then rows 16 apart in each half. */
    for (int i = 0; i < BLOCK_ROWS; i++) {
        vector a = rows[i], b = rows[i + 16], c = rows[47 - i], d = rows[63 - i];
        exchange(&a, &d);
        exchange(&b, &c);
        exchange(&a, &b);
        exchange(&c, &d);
        rows[i] = a;
        rows[i + 16] = b;
        rows[47 - i] = c;
        rows[63 - i] = d;
    }
    for (int block = 0; block < 4; block++)
        clean_block(rows + BLOCK_ROWS * block);
}

/* Transpose 8 rows: the 128-bit part q of t[j] gets column 8 q + j. */
INLINE_AVX512 void transpose_8(const vector *rows, vector *t)
{
    vector a[8], b[8];

    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm512_unpacklo_epi16(rows[i], rows[i + 1]);
        a[i + 1] = _mm512_unpackhi_epi16(rows[i], rows[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        b[i] = _mm512_unpacklo_epi32(a[i], a[i + 2]);
        b[i + 1] = _mm512_unpackhi_epi32(a[i], a[i + 2]);
        b[i + 2] = _mm512_unpacklo_epi32(a[i + 1], a[i + 3]);
        b[i + 3] = _mm512_unpackhi_epi32(a[i + 1], a[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        t[2 * i] = _mm512_unpacklo_epi64(b[i], b[4 + i]);
        t[2 * i + 1] = _mm512_unpackhi_epi64(b[i], b[4 + i]);
    }
}

/* Transpose 32 rows eight at a time; transpose_four then assembles columns j, 8 + j, 16 + j and 24
 * + j. */
INLINE_AVX512 void transpose_eights(const vector *rows, vector t[4][8])
{
    for (int i = 0; i < 4; i++)
        transpose_8(rows + 8 * i, t[i]);
}

INLINE_AVX512 void transpose_four(vector t[4][8], int j, vector *columns)
{
    const vector a = _mm512_shuffle_i32x4(t[0][j], t[1][j], 0x44);
    const vector b = _mm512_shuffle_i32x4(t[0][j], t[1][j], 0xee);
    const vector c = _mm512_shuffle_i32x4(t[2][j], t[3][j], 0x44);
    const vector d = _mm512_shuffle_i32x4(t[2][j], t[3][j], 0xee);
    columns[0] = _mm512_shuffle_i32x4(a, c, 0x88);
    columns[1] = _mm512_shuffle_i32x4(a, c, 0xdd);
    columns[2] = _mm512_shuffle_i32x4(b, d, 0x88);
    columns[3] = _mm512_shuffle_i32x4(b, d, 0xdd);
}

/* Transpose 32 rows to 32 columns, each `step` vectors behind the one before. */
INLINE_AVX512 void transpose_32(const vector *rows, vector *columns, int step)
{
    vector t[4][8], four[4];

    transpose_eights(rows, t);
    for (int j = 0; j < 8; j++) {
        transpose_four(t, j, four);
        for (int i = 0; i < 4; i++)
            columns[step * (8 * i + j)] = four[i];
    }
}

/* Write the sorted columns of one matrix, of 1, 2 or 4 blocks, one after the other to out, in whole
 * vectors: the next column overwrites what is behind the last key of the one before, and up to ROWS
 * keys behind the last column are overwritten. */
INLINE_AVX512 void write_columns(const vector *rows, gs_key *out, const uint32_t *counts,
                                 const uint32_t *lows, int blocks)
{
    vector columns[2 * LANES];

    transpose_32(rows, columns, 2);
    if (blocks > 2)
        transpose_32(rows + 32, columns + 1, 2);
    for (int lane = 0; lane < LANES; lane++) {
        const vector low = _mm512_set1_epi32((int)lows[lane]);
        const __m256i *halves = (const __m256i *)(const void *)(columns + 2 * lane);
        for (int i = 0; i < blocks; i++)
            _mm512_storeu_si512(out + 16 * i,
                                _mm512_add_epi32(_mm512_cvtepu16_epi32(halves[i]), low));
        out += counts[lane];
    }
}

/* Do the first 17 keys of a full block ascend, or do they strictly descend? */
INLINE_AVX512 bool looks_ordered(const gs_key *keys, size_t count)
{
    if (count < BLOCK_KEYS)
        return false;
    const __mmask16 up =
        _mm512_cmple_epu32_mask(_mm512_load_si512(keys), _mm512_loadu_si512(keys + 1));
    return up == 0xffff || up == 0;
}

/* Interleave the 16 sixteenths of a block: keys in order would go one after the other to the same
 * column or group, and each store would wait for the one before. */
void gs_spread_out512(gs_key *block);

/* The input that is prefetched while the block before it is spread. */
struct ahead {
    const struct gs_key_runs *runs;
    uint64_t chunk; /* the next chunk to prefetch */
    const gs_key *at, *end;
    int64_t keys; /* prefetched but not yet spread */
};

/* Prefetch the next line of the runs. */
INLINE_AVX512 void call_line(struct ahead *ahead)
{
    if (ahead->at >= ahead->end) {
        uint32_t count;
        if (ahead->chunk >= ahead->runs->chunks)
            return;
        if (ahead->chunk + TABLE_AHEAD < ahead->runs->chunks)
            __builtin_prefetch(ahead->runs->starts +
                               (ahead->chunk + TABLE_AHEAD) * ahead->runs->stride);
        const gs_key *run = gs_key_run(ahead->runs, ahead->chunk++, &count);
        const uint32_t skew = (uint32_t)((uintptr_t)run / sizeof *run % GS_LINE_KEYS);
        ahead->at = run - skew;
        ahead->end = run + count;
        ahead->keys -= skew; /* lines hold keys before and behind the run */
        ahead->keys -= (0 - skew - count) % GS_LINE_KEYS;
    }
    __builtin_prefetch(ahead->at);
    ahead->at += GS_LINE_KEYS;
    ahead->keys += GS_LINE_KEYS;
}

/* `keys` keys are about to be read: prefetch as many of those that follow. */
INLINE_AVX512 void call_lines(struct ahead *ahead, size_t keys)
{
    ahead->keys -= (int64_t)keys;
    for (int64_t before = INT64_MIN; ahead->keys < CALLED_AHEAD && ahead->keys != before;) {
        before = ahead->keys;
        call_line(ahead);
    }
}

/* Collects sorted keys into whole cache lines: line[0] will lie at `to`, which is line-aligned. */
struct writer {
    gs_key *to;
    uint32_t head; /* keys at the start of the first line that are not ours */
    uint32_t fill; /* head + keys in line[] */
    bool past_cache;
    gs_key line[GS_LINE_KEYS + ROWS * LANES + ROWS] __attribute__((aligned(64)));
};

INLINE_AVX512 void open_writer(struct writer *writer, gs_key *to)
{
    writer->head = (uint32_t)((uintptr_t)to / sizeof *to % GS_LINE_KEYS);
    writer->fill = writer->head;
    writer->to = to - writer->head;
    _mm512_store_si512(writer->line, _mm512_setzero_si512());
}

/* Write all whole lines; if `end`, also the last partial line. */
INLINE_AVX512 void flush_writer(struct writer *writer, bool end)
{
    const uint32_t whole = writer->fill / GS_LINE_KEYS * GS_LINE_KEYS, rest = writer->fill - whole;
    uint32_t i = 0;

    if (writer->head > 0 && whole > 0) {
        _mm512_mask_storeu_epi32(writer->to, (__mmask16)(0xffffU << writer->head),
                                 _mm512_load_si512(writer->line));
        writer->head = 0;
        i = GS_LINE_KEYS;
    }
    if (writer->past_cache)
        for (; i < whole; i += GS_LINE_KEYS)
            _mm512_stream_si512((vector *)(void *)(writer->to + i),
                                _mm512_load_si512(writer->line + i));
    else
        for (; i < whole; i += GS_LINE_KEYS)
            _mm512_store_si512(writer->to + i, _mm512_load_si512(writer->line + i));
    writer->to += whole;
    const vector last = _mm512_load_si512(writer->line + whole);
    if (end)
        _mm512_mask_storeu_epi32(writer->to,
                                 (__mmask16)(((1U << rest) - 1) & 0xffffU << writer->head), last);
    _mm512_store_si512(writer->line, last);
    writer->fill = rest;
}

#endif
