/* cache_sort_columns.c -- sort a bin by spreading it over columns that a sorting network sorts.
 * SPDX-License-Identifier: MIT
 *
 * Inside a bin that splitters cut from smooth data the keys are spread evenly. So a key's value
 * tells, by one multiplication, which of M columns of about MEAN_ROWS keys it belongs to; there are
 * no counts to be made first, for a column has room for ROWS keys. A matrix holds as many columns
 * as a vector has lanes, row by row: the matrix is sorted with vector minima and maxima, all
 * columns at once, without a branch, by a network. Transposed, it is the next piece of the sorted
 * bin.
 *
 * A column is at most 2^16 values wide in all but small inputs. Then its slots hold the lower 16
 * bits of the keys ("narrow": 16 lanes of 256 bits), else 32 bits ("wide": 8 lanes).
 *
 * Keys that are not spread evenly overflow a column. Nothing is lost then: the slots are scratch
 * memory, and the keys are overwritten only after all columns were found to have room enough.
 */
#include "sort/cache_sort_impl.h"

#if GS_CACHE_SORT_HAS_COLUMNS

#include <assert.h>
#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#define AVX2        __attribute__((target("avx2")))
#define INLINE_AVX2 static inline __attribute__((always_inline, target("avx2")))

enum {
    /* Rows of a matrix, and how many of them should be in use. Rows beyond 16 and beyond 32 are
     * sorted only where a column needs them. */
    ROWS = 64,
    BLOCK_ROWS = 16, /* what fits the registers */
    MEAN_ROWS = 35,
    NARROW_LANES = 16,
    WIDE_LANES = 8,
    MATRIX_BYTES = ROWS * 32,
    COLUMNS_MAX = (int)(GS_CACHE_SORT_CAPACITY / MEAN_ROWS) + 2 * NARROW_LANES,
    CHUNK = 4096 /* keys between two looks for columns that overflow */
};

/* The slots of a full bin of wide columns, one chunk of keys that are all in the last column, and
 * what it takes to align them. */
static_assert(sizeof(gs_key) * GS_CACHE_SORT_SCRATCH >=
                  (COLUMNS_MAX / WIDE_LANES) * (size_t)MATRIX_BYTES + CHUNK * (size_t)32 + 64,
              "the scratch array must hold all slots");

typedef __m256i vector;

/* The smaller of each lane to *a, the larger to *b. */
INLINE_AVX2 void exchange(vector *a, vector *b, bool wide)
{
    const vector least = wide ? _mm256_min_epu32(*a, *b) : _mm256_min_epu16(*a, *b);
    *b = wide ? _mm256_max_epu32(*a, *b) : _mm256_max_epu16(*a, *b);
    *a = least;
}

/* clang-format off */

/* Pairs of rows to exchange. SORT_16: any order to ascending, the 60 exchanges of Green's network
 * [Knuth: The Art of Computer Programming 3, 5.3.4]. CLEAN_16: bitonic to ascending. */
#define SORT_16(X) \
    X(0, 1) X(2, 3) X(4, 5) X(6, 7) X(8, 9) X(10, 11) X(12, 13) X(14, 15) X(0, 2) X(4, 6)         \
    X(8, 10) X(12, 14) X(1, 3) X(5, 7) X(9, 11) X(13, 15) X(0, 4) X(8, 12) X(1, 5) X(9, 13)       \
    X(2, 6) X(10, 14) X(3, 7) X(11, 15) X(0, 8) X(1, 9) X(2, 10) X(3, 11) X(4, 12) X(5, 13)       \
    X(6, 14) X(7, 15) X(5, 10) X(6, 9) X(3, 12) X(13, 14) X(4, 8) X(7, 11) X(1, 2) X(1, 4)        \
    X(7, 13) X(2, 8) X(11, 14) X(2, 4) X(5, 6) X(9, 10) X(11, 13) X(3, 8) X(7, 12) X(6, 8)        \
    X(10, 12) X(3, 5) X(7, 9) X(3, 4) X(5, 6) X(7, 8) X(9, 10) X(11, 12) X(6, 7) X(8, 9)
#define CLEAN_16(X) \
    X(0, 8) X(1, 9) X(2, 10) X(3, 11) X(4, 12) X(5, 13) X(6, 14) X(7, 15) X(0, 4) X(1, 5)         \
    X(2, 6) X(3, 7) X(8, 12) X(9, 13) X(10, 14) X(11, 15) X(0, 2) X(1, 3) X(4, 6) X(5, 7)         \
    X(8, 10) X(9, 11) X(12, 14) X(13, 15) X(0, 1) X(2, 3) X(4, 5) X(6, 7) X(8, 9) X(10, 11)       \
    X(12, 13) X(14, 15)
#define EACH_16(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

/* clang-format on */

#define EXCHANGE(i, j) exchange(&r[i], &r[j], wide);
#define LOAD_ROW(i)    r[i] = _mm256_load_si256(rows + (i));
#define STORE_ROW(i)   _mm256_store_si256(rows + (i), r[i]);

/* Sort 16 rows from the one that is number `first`: subtract base from each lane, and put the
 * largest value where a column of `counts` keys has no more (always, unless all_full). */
INLINE_AVX2 void sort_block(vector *rows, int first, vector base, vector counts, bool all_full,
                            bool wide)
{
    vector r[BLOCK_ROWS];

#define LOAD_BASED(i)                                                                              \
    r[i] = _mm256_load_si256(rows + (i));                                                          \
    r[i] = wide ? _mm256_sub_epi32(r[i], base) : _mm256_sub_epi16(r[i], base);
#define FILL_UNUSED(i)                                                                             \
    r[i] = _mm256_or_si256(                                                                        \
        r[i], wide ? _mm256_cmpgt_epi32(_mm256_set1_epi32(first + (i) + 1), counts)                \
                   : _mm256_cmpgt_epi16(_mm256_set1_epi16((short)(first + (i) + 1)), counts));
    EACH_16(LOAD_BASED)
    if (!all_full) {
        EACH_16(FILL_UNUSED)
    }
    SORT_16(EXCHANGE)
    EACH_16(STORE_ROW)
}

INLINE_AVX2 void clean_block(vector *rows, bool wide)
{
    vector r[BLOCK_ROWS];
    EACH_16(LOAD_ROW)
    CLEAN_16(EXCHANGE)
    EACH_16(STORE_ROW)
}

/* Sort each column of the first `blocks` * 16 rows: 1, 2 or 4 blocks. */
INLINE_AVX2 void sort_columns(vector *rows, vector base, vector counts, int full_blocks, int blocks,
                              bool wide)
{
    for (int block = 0; block < blocks; block++)
        sort_block(rows + BLOCK_ROWS * block, BLOCK_ROWS * block, base, counts, block < full_blocks,
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
    /* Two steps at once: 32 rows with 32 rows reversed, then each half at distance 16. */
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

/* 16 rows of 16 narrow lanes to 16 columns. */
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

/* 8 rows of 8 wide lanes to 8 columns. */
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

/* Where the keys go: column = (key - low) * scale / 2^32. */
struct mapping {
    gs_key low;
    uint64_t scale;
    uint64_t width; /* 2^64 / scale, rounded down: column * width / 2^32 is at or below its keys */
};

/* The columns of 8 keys. */
INLINE_AVX2 vector find_columns(const gs_key *keys, struct mapping mapping)
{
    const vector scale = _mm256_set1_epi64x((long long)mapping.scale);
    const vector rest = _mm256_sub_epi32(_mm256_loadu_si256((const vector *)(const void *)keys),
                                         _mm256_set1_epi32((int)mapping.low));
    const vector even = _mm256_srli_epi64(_mm256_mul_epu32(rest, scale), 32);
    const vector odd = _mm256_mul_epu32(_mm256_srli_epi64(rest, 32), scale);
    return _mm256_blend_epi32(even, odd, 0xaa);
}

/* Put each key into the next free slot of its column; positions[column] runs past the matrix if the
 * column overflows, by at most count slots. */
INLINE_AVX2 void spread_keys(const gs_key *keys, size_t count, void *slots, uint32_t *positions,
                             struct mapping mapping, bool wide)
{
    uint32_t columns[8] __attribute__((aligned(32)));
    size_t i = 0;

#define PUT(column, key)                                                                           \
    do {                                                                                           \
        const size_t c = (column);                                                                 \
        const uint32_t position = positions[c];                                                    \
        if (wide)                                                                                  \
            ((uint32_t *)slots)[position] = (key);                                                 \
        else                                                                                       \
            ((uint16_t *)slots)[position] = (uint16_t)(key);                                       \
        positions[c] = position + (wide ? WIDE_LANES : NARROW_LANES);                              \
    } while (0)

    for (; i + 8 <= count; i += 8) {
        _mm256_store_si256((vector *)(void *)columns, find_columns(keys + i, mapping));
        PUT(columns[0], keys[i]);
        PUT(columns[1], keys[i + 1]);
        PUT(columns[2], keys[i + 2]);
        PUT(columns[3], keys[i + 3]);
        PUT(columns[4], keys[i + 4]);
        PUT(columns[5], keys[i + 5]);
        PUT(columns[6], keys[i + 6]);
        PUT(columns[7], keys[i + 7]);
    }
    for (; i < count; i++)
        PUT((keys[i] - mapping.low) * mapping.scale >> 32, keys[i]);
}

/* Write the sorted columns of one matrix behind each other to out, in whole vectors: what is behind
 * a column's last key is overwritten by the next one, and up to ROWS keys behind the last are lost.
 */
INLINE_AVX2 void write_columns(const vector *rows, gs_key *out, const uint32_t *counts,
                               const uint32_t *lows, int blocks, bool wide)
{
    const int lanes = wide ? WIDE_LANES : NARROW_LANES;
    const int vectors = wide ? 2 * blocks : blocks; /* in a column */
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

/* Sort the matrices one after the other into keys. */
INLINE_AVX2 void sort_matrices(gs_key *keys, size_t count, vector *slots, size_t matrices,
                               const uint32_t *positions, struct mapping mapping, bool wide)
{
    const uint32_t lanes = wide ? WIDE_LANES : NARROW_LANES;
    gs_key *const end = keys + count;

    for (size_t matrix = 0; matrix < matrices; matrix++) {
        uint32_t counts[NARROW_LANES], lows[NARROW_LANES], fewest = ROWS, most = 0, sum = 0;
        union {
            vector v;
            uint16_t narrow[NARROW_LANES];
            uint32_t wide[WIDE_LANES];
        } lane_counts, lane_base;

        for (uint32_t lane = 0; lane < lanes; lane++) {
            const uint64_t column = matrix * lanes + lane;
            const gs_key base = mapping.low + (gs_key)(column * mapping.width >> 32);
            const uint32_t used =
                (positions[column] - (uint32_t)(matrix * ROWS * lanes + lane)) / lanes;
            counts[lane] = used;
            fewest = used < fewest ? used : fewest;
            most = used > most ? used : most;
            sum += used;
            if (wide) {
                lane_counts.wide[lane] = used;
                lane_base.wide[lane] = 0;
                lows[lane] = 0;
            } else {
                lane_counts.narrow[lane] = (uint16_t)used;
                lane_base.narrow[lane] = (uint16_t)base;
                lows[lane] = base;
            }
        }
        vector *rows = slots + matrix * ROWS;
        const int full_blocks = (int)fewest / BLOCK_ROWS;
        const int blocks = (int)(most + BLOCK_ROWS - 1) / BLOCK_ROWS;
        if (blocks > 2)
            sort_columns(rows, lane_base.v, lane_counts.v, full_blocks, 4, wide);
        else if (blocks == 2)
            sort_columns(rows, lane_base.v, lane_counts.v, full_blocks, 2, wide);
        else
            sort_columns(rows, lane_base.v, lane_counts.v, full_blocks, 1, wide);

        if ((size_t)(end - keys) >= sum + ROWS) {
            write_columns(rows, keys, counts, lows, blocks, wide);
        } else {
            gs_key tail[ROWS * NARROW_LANES + ROWS];
            write_columns(rows, tail, counts, lows, blocks, wide);
            memcpy(keys, tail, sum * sizeof *keys);
        }
        keys += sum;
    }
}

/* Whether no column has more than ROWS keys. */
INLINE_AVX2 bool columns_fit(const uint32_t *positions, size_t matrices, uint32_t lanes)
{
    uint32_t over = 0;

    for (size_t matrix = 0; matrix < matrices; matrix++)
        for (uint32_t lane = 0; lane < lanes; lane++)
            over |= positions[matrix * lanes + lane] > (uint32_t)(matrix + 1) * ROWS * lanes + lane;
    return over == 0;
}

/* The whole sort, for one kind of columns. */
INLINE_AVX2 bool sort_by_columns(gs_key *keys, vector *slots, size_t count, struct mapping mapping,
                                 size_t matrices, bool wide)
{
    const uint32_t lanes = wide ? WIDE_LANES : NARROW_LANES;
    const uint32_t matrix_slots = ROWS * lanes;
    uint32_t positions[COLUMNS_MAX];

    for (size_t matrix = 0; matrix < matrices; matrix++)
        for (uint32_t lane = 0; lane < lanes; lane++)
            positions[matrix * lanes + lane] = (uint32_t)matrix * matrix_slots + lane;
    for (size_t begin = 0; begin < count; begin += CHUNK) {
        const size_t left = count - begin;
        spread_keys(keys + begin, left < CHUNK ? left : CHUNK, slots, positions, mapping, wide);
        if (!columns_fit(positions, matrices, lanes))
            return false;
    }
    sort_matrices(keys, count, slots, matrices, positions, mapping, wide);
    return true;
}

static AVX2 bool sort_narrow(gs_key *keys, vector *slots, size_t count, struct mapping mapping,
                             size_t matrices)
{
    return sort_by_columns(keys, slots, count, mapping, matrices, false);
}

static AVX2 bool sort_wide(gs_key *keys, vector *slots, size_t count, struct mapping mapping,
                           size_t matrices)
{
    return sort_by_columns(keys, slots, count, mapping, matrices, true);
}

/* The mapping of `columns` columns to [low, high]. */
static struct mapping make_mapping(gs_key low, gs_key high, size_t columns)
{
    const uint64_t scale = ((uint64_t)columns << 32) / ((uint64_t)(high - low) + 1);
    return (struct mapping){low, scale, UINT64_MAX / scale};
}

bool gs_cache_sort_columns(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high)
{
    const uintptr_t aligned = ((uintptr_t)scratch + 63) & ~(uintptr_t)63;
    vector *slots = (vector *)aligned;

    if (high - low < count)
        return false;
    /* Two more values than 2^32 / scale: width and the column's low end are rounded down. */
    size_t matrices = (count + MEAN_ROWS * NARROW_LANES - 1) / (MEAN_ROWS * NARROW_LANES);
    struct mapping mapping = make_mapping(low, high, matrices * NARROW_LANES);
    if ((mapping.width >> 32) + 2 < 1 << 16)
        return sort_narrow(keys, slots, count, mapping, matrices);
    matrices = (count + MEAN_ROWS * WIDE_LANES - 1) / (MEAN_ROWS * WIDE_LANES);
    mapping = make_mapping(low, high, matrices * WIDE_LANES);
    return sort_wide(keys, slots, count, mapping, matrices);
}

bool gs_cache_sort_columns_usable(void)
{
    return __builtin_cpu_supports("avx2");
}

#endif
