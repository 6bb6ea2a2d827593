/* cache_sort_columns512.c -- cache_sort_columns.c with AVX-512: matrices of 32 columns.
 * SPDX-License-Identifier: MIT
 *
 * The same columns, in slots of 16 bits only. Two things differ besides the width. These processors
 * take the minimum or the maximum of one 512-bit vector in a cycle, but two bitwise operations: so
 * the larger of two keys is made as a ^ b ^ min(a, b). And the slots of a bin outgrow the
 * first-level cache, where stores that miss wait for each other: each slot is called into it, to be
 * written, a few keys ahead.
 */
#include "sort/cache_sort_columns.h"
#include "sort/cache_sort_network.h"

#if GS_CACHE_SORT_HAS_COLUMNS

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))
#define INLINE_AVX512                                                                              \
    static inline __attribute__((always_inline, target("avx512f,avx512bw,avx512vl")))

enum {
    ROWS = GS_COLUMN_ROWS,
    BLOCK_ROWS = 16,
    LANES = 32,
    AHEAD = 16 /* keys between a slot's call into cache and its store: one vector */
};

static_assert((int)LANES <= (int)GS_COLUMN_LANES_MAX, "columns of a matrix");
static_assert((ROWS * (GS_CACHE_SORT_CAPACITY / GS_COLUMN_MEAN_ROWS + 4 * (size_t)LANES) / 2 +
               2 * (GS_CACHE_SORT_CAPACITY / GS_COLUMN_SPILL_SHARE) + 16) <= GS_CACHE_SORT_SCRATCH,
              "slots, and what was spilled, twice");

typedef __m512i vector;

/* The smaller of each lane to *a, the larger to *b. */
INLINE_AVX512 void exchange(vector *a, vector *b)
{
    const vector least = _mm512_min_epu16(*a, *b);
    *b = _mm512_ternarylogic_epi32(*a, *b, least, 0x96);
    *a = least;
}

#define EXCHANGE(i, j) exchange(&r[i], &r[j]);
#define LOAD(i)        r[i] = _mm512_load_si512(rows + (i));
#define STORE(i)       _mm512_store_si512(rows + (i), r[i]);

/* 16 rows of a matrix, the one that is number `first` and those behind it, sorted to rows. base is
 * subtracted from each lane, and where a column of `counts` keys has no more, the largest value is
 * put (unless all are full). */
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

/* Sort each column of a matrix to rows; the first full_blocks of 16 rows have a key in each slot.
 */
INLINE_AVX512 void sort_columns(const uint16_t *slots, size_t stride, vector *rows, vector base,
                                vector counts, int full_blocks)
{
    for (int block = 0; block < 4; block++)
        sort_block(slots, stride, rows, BLOCK_ROWS * block, base, counts, block < full_blocks);
    for (int block = 0; block < 4; block += 2) {
        vector *pair = rows + BLOCK_ROWS * block;
        for (int i = 0; i < BLOCK_ROWS; i++)
            exchange(pair + i, pair + 2 * BLOCK_ROWS - 1 - i);
        clean_block(pair);
        clean_block(pair + BLOCK_ROWS);
    }
    /* Two steps at once: 32 rows with 32 rows reversed, then each half at distance 16. */
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

/* 8 rows: t[j] gets, in its 128-bit part q, column 8 q + j. */
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

/* 32 rows to 32 columns, of which each is `step` vectors behind the one before. */
INLINE_AVX512 void transpose_32(const vector *rows, vector *columns, int step)
{
    vector t[4][8];

    for (int i = 0; i < 4; i++)
        transpose_8(rows + 8 * i, t[i]);
    for (int j = 0; j < 8; j++) {
        const vector a = _mm512_shuffle_i32x4(t[0][j], t[1][j], 0x44);
        const vector b = _mm512_shuffle_i32x4(t[0][j], t[1][j], 0xee);
        const vector c = _mm512_shuffle_i32x4(t[2][j], t[3][j], 0x44);
        const vector d = _mm512_shuffle_i32x4(t[2][j], t[3][j], 0xee);
        columns[step * j] = _mm512_shuffle_i32x4(a, c, 0x88);
        columns[step * (8 + j)] = _mm512_shuffle_i32x4(a, c, 0xdd);
        columns[step * (16 + j)] = _mm512_shuffle_i32x4(b, d, 0x88);
        columns[step * (24 + j)] = _mm512_shuffle_i32x4(b, d, 0xdd);
    }
}

/* Write the sorted columns of one matrix behind each other to out, in whole vectors: what is behind
 * a column's last key is overwritten by the next one, and up to ROWS keys behind the last are lost.
 */
INLINE_AVX512 void write_columns(const vector *rows, gs_key *out, const uint32_t *counts,
                                 const uint32_t *lows)
{
    vector columns[2 * LANES];

    transpose_32(rows, columns, 2);
    transpose_32(rows + 32, columns + 1, 2);
    for (int lane = 0; lane < LANES; lane++) {
        const vector low = _mm512_set1_epi32((int)lows[lane]);
        const __m256i *halves = (const __m256i *)(const void *)(columns + 2 * lane);
        for (int i = 0; i < 4; i++)
            _mm512_storeu_si512(out + 16 * i,
                                _mm512_add_epi32(_mm512_cvtepu16_epi32(halves[i]), low));
        out += counts[lane];
    }
}

/* The column of each of 16 keys. */
INLINE_AVX512 void find_columns(const gs_key *keys, const struct gs_columns *columns,
                                uint32_t *column)
{
    const vector scale = _mm512_set1_epi64((long long)columns->scale);
    const vector rest =
        _mm512_sub_epi32(_mm512_loadu_si512(keys), _mm512_set1_epi32((int)columns->low));
    const vector even = _mm512_srli_epi64(_mm512_mul_epu32(rest, scale), 32);
    const vector odd = _mm512_mul_epu32(_mm512_srli_epi64(rest, 32), scale);
    _mm512_store_si512(column, _mm512_mask_blend_epi32(0xaaaa, even, odd));
}

/* Put a key into its column; false if that is full and too many were spilled already. */
INLINE_AVX512 bool put_key(gs_key key, uint32_t column, struct gs_columns *columns,
                           uint32_t slots_end, gs_key **spilled, const gs_key *spilled_end)
{
    const uint32_t position = columns->positions[column];
    if (__builtin_expect(position >= slots_end, 0)) {
        if (*spilled == spilled_end)
            return false;
        *(*spilled)++ = key;
        return true;
    }
    ((uint16_t *)columns->slots)[position] = (uint16_t)key;
    columns->positions[column] = position + columns->stride;
    return true;
}

/* Spread the keys over the columns; false if too many were spilled. */
static AVX512 bool spread_keys(const gs_key *keys, size_t count, struct gs_columns *columns)
{
    const uint32_t slots_end = ROWS * columns->stride;
    gs_key *spilled = columns->spilled;
    const gs_key *const spilled_end = spilled + count / GS_COLUMN_SPILL_SHARE;
    uint32_t column[2][AHEAD] __attribute__((aligned(64)));
    const uint16_t *const slots = columns->slots;
    size_t i = 0;

    if (count >= AHEAD)
        find_columns(keys, columns, column[0]);
    for (unsigned turn = 0; i + 2 * AHEAD <= count; i += AHEAD, turn ^= 1) {
        find_columns(keys + i + AHEAD, columns, column[turn ^ 1]);
        for (int k = 0; k < AHEAD; k++) {
            __builtin_prefetch(slots + columns->positions[column[turn ^ 1][k]], 1);
            if (!put_key(keys[i + (size_t)k], column[turn][k], columns, slots_end, &spilled,
                         spilled_end))
                return false;
        }
    }
    for (; i < count; i++) {
        const uint32_t last = (uint32_t)((keys[i] - columns->low) * columns->scale >> 32);
        if (!put_key(keys[i], last, columns, slots_end, &spilled, spilled_end))
            return false;
    }
    columns->spilled_count = (size_t)(spilled - columns->spilled);
    return true;
}

/* Sort the matrices one after the other into keys. */
static AVX512 void sort_matrices(gs_key *keys, size_t count, const struct gs_columns *columns)
{
    const gs_key *const end = keys + count, *spilled = columns->spilled;

    for (size_t matrix = 0; matrix < columns->matrices; matrix++) {
        uint32_t counts[LANES], lows[LANES], fewest = ROWS, most = 0, sum = 0;
        uint16_t lane_counts[LANES] __attribute__((aligned(64)));
        uint16_t lane_base[LANES] __attribute__((aligned(64)));

        for (uint32_t lane = 0; lane < LANES; lane++) {
            const size_t column = matrix * LANES + lane;
            /* gs_columns_make() set as many positions as there are lanes of matrices */
            /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
            const uint32_t used = (uint32_t)(columns->positions[column] * columns->one_row >> 40);
            const gs_key base = columns->low + (gs_key)(column * columns->width >> 32);
            counts[lane] = used;
            fewest = used < fewest ? used : fewest;
            most = used > most ? used : most;
            sum += used;
            lows[lane] = base;
            lane_counts[lane] = (uint16_t)used;
            lane_base[lane] = (uint16_t)base;
        }
        vector rows[ROWS];
        sort_columns((const uint16_t *)columns->slots + matrix * LANES, columns->stride, rows,
                     _mm512_load_si512(lane_base), _mm512_load_si512(lane_counts),
                     (int)fewest / BLOCK_ROWS);
        if ((most < ROWS || columns->spilled_count == 0) && (size_t)(end - keys) >= sum + ROWS) {
            write_columns(rows, keys, counts, lows);
            keys += sum;
            continue;
        }
        gs_key sorted[ROWS * LANES + ROWS];
        write_columns(rows, sorted, counts, lows);
        keys = gs_columns_merge(sorted, keys, counts, columns, matrix, LANES, &spilled);
    }
}

bool gs_cache_sort_columns512(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high)
{
    struct gs_columns columns;

    /* Two values more than 2^32 / scale: width and a column's low end are rounded down. */
    if (!gs_columns_make(&columns, scratch, count, low, high, LANES) ||
        (columns.width >> 32) + 2 >= 1 << 16 || !spread_keys(keys, count, &columns))
        return false;
    if (columns.spilled_count > 0)
        gs_columns_sort_spilled(&columns, (gs_key *)columns.slots + ROWS * columns.stride / 2);
    sort_matrices(keys, count, &columns);
    return true;
}

bool gs_cache_sort_columns512_usable(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}

#endif
