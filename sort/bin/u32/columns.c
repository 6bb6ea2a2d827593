/* columns.c -- sort a bin by spreading it over columns, sorted by a network.
 * SPDX-License-Identifier: MIT
 *
 * In a bin that splitters cut from smooth data the keys are spread evenly. So one multiplication of
 * a key's value tells which of M columns of about MEAN_ROWS keys it belongs to; no counting pass is
 * needed, for each column has room for ROWS keys. The columns are stored row by row, and as many
 * columns as a vector has lanes form a matrix, which a network sorts (matrix.h).
 *
 * A column is at most 2^16 values wide in all but small inputs. Then its slots hold the lower 16
 * bits of the keys ("narrow": 16 lanes in 256 bits), else 32 bits ("wide": 8 lanes).
 *
 * Keys of a full column are spilled to a list, which is sorted separately and merged in. If the
 * list gets long, the keys are not spread evenly, and the sort gives up. Nothing is lost then: all
 * this happens in scratch memory, and the keys are overwritten only at the end.
 */
#include "sort/bin/u32/vector_sorts.h"
#include "sort/bin/portable.h"
#include "sort/bin/sizes.h"
#include "sort/bin/u32/matrix.h"

#include <assert.h>

enum {
    /* How many of a matrix's rows should be used on average. Zen 3, 49152 uniform keys, Mkeys/s: 20
     * rows 480, 28 rows 470, 35 rows 500, 41 to 47 rows 515, 50 rows 470, 54 rows 410. */
    MEAN_ROWS = 43,
    /* The mean where columns would otherwise be wider than 2^16 values: most columns fill two
     * blocks of 16 rows, and the other blocks are not sorted. */
    MEAN_ROWS_HALF = 15,
    COLUMNS_MAX = (int)(GS_CACHE_SORT_CAPACITY / MEAN_ROWS) + 2 * NARROW_LANES,
    WIDE_MAX = (int)(GS_CACHE_SORT_CAPACITY / 2), /* keys: wide slots need twice the room */
    SPILL_SHARE = 8 /* the sort gives up when more than one key in 8 was spilled */
};

/* Room for the slots, a vector of 8 keys for each WIDE_LANES or NARROW_LANES columns in each row,
 * and for the spilled keys, twice. */
#define ROOM(count, lanes)                                                                         \
    (ROWS * ((count) / MEAN_ROWS / (lanes) + 8) * 8 + 2 * ((count) / SPILL_SHARE) + 16)
static_assert(ROOM(GS_CACHE_SORT_CAPACITY, NARROW_LANES) <= GS_CACHE_SORT_SCRATCH, "narrow slots");
static_assert(ROOM(WIDE_MAX, WIDE_LANES) <= GS_CACHE_SORT_SCRATCH, "wide slots");

/* A key goes to column (key - low) * scale / 2^32; a column has one slot in each row. */
struct columns {
    gs_key low;
    uint64_t scale;
    uint64_t width; /* 2^64 / scale, rounded down: key - low >= c * width / 2^32 in column c */
    size_t matrices;
    uint32_t stride;  /* slots in a row, and padding */
    uint64_t one_row; /* 2^40 / stride, rounded up: exact division of positions below 2^20 */
    void *slots;      /* [ROWS][stride], of 16 or 32 bits */
    gs_key *spilled;  /* keys of full columns */
    size_t spilled_count;
    uint32_t positions[COLUMNS_MAX]; /* the next free slot of each column */
};

/* Lay out columns over [low, high] in scratch, `lanes` in a matrix, of mean_rows keys on average,
 * in slots of slot_bytes; false if a column had less than one value, if there were too many
 * columns, or if they need more than gs_cache_sort_scratch(count) keys of room. */
static bool lay_out_columns(struct columns *columns, gs_key *scratch, size_t count, gs_key low,
                            gs_key high, uint32_t lanes, uint32_t mean_rows, size_t slot_bytes)
{
    const uint32_t line_slots = 2 * lanes > 32 ? 32 : 2 * lanes; /* 64 bytes */
    const size_t matrix_keys = (size_t)mean_rows * lanes;
    const size_t matrices = (count + matrix_keys - 1) / matrix_keys;
    const uint32_t used = (uint32_t)(matrices * lanes);
    const uint64_t scale = ((uint64_t)used << 32) / ((uint64_t)(high - low) + 1);

    if (scale >> 32 != 0 || count / mean_rows > GS_CACHE_SORT_CAPACITY / MEAN_ROWS)
        return false;
    /* An odd number of cache lines, so that the slots of a column use all sets of the cache. */
    columns->stride = (used + line_slots - 1) / line_slots * line_slots | line_slots;
    /* Spilled keys lie in front of the slots, and behind them once sorted. */
    const size_t spill_keys = count / SPILL_SHARE;
    const size_t slot_keys = ROWS * columns->stride * slot_bytes / sizeof(gs_key);
    if (slot_keys + 2 * spill_keys + 64 / sizeof(gs_key) > gs_cache_sort_scratch(count))
        return false;
    columns->low = low;
    columns->scale = scale;
    columns->width = UINT64_MAX / scale;
    columns->matrices = matrices;
    columns->one_row = ((uint64_t)1 << 40) / columns->stride + 1;
    columns->spilled = scratch;
    columns->spilled_count = 0;
    const uintptr_t slots = (uintptr_t)(scratch + spill_keys);
    columns->slots = (void *)((slots + 63) & ~(uintptr_t)63);
    for (uint32_t column = 0; column < used; column++)
        columns->positions[column] = column;
    return true;
}

/* The same for slots of 16 bits, with a mean that makes no column wider than 2^16 values; false if
 * there is none. */
static bool lay_out_narrow(struct columns *columns, gs_key *scratch, size_t count, gs_key low,
                           gs_key high, uint32_t lanes)
{
    static const uint32_t means[] = {MEAN_ROWS, MEAN_ROWS_HALF};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
        if (!lay_out_columns(columns, scratch, count, low, high, lanes, means[i], sizeof(uint16_t)))
            return false;
        /* 2 more than 2^32 / scale: width and a column's low end are both rounded down. */
        if ((columns->width >> 32) + 2 < 1 << 16)
            return true;
    }
    return false;
}

/* Do the first keys ascend or descend? */
INLINE_AVX2 bool looks_ordered(const gs_key *keys, size_t count)
{
    bool up = true, down = true;
    for (size_t i = 1; i < 16 && i < count; i++) {
        up &= keys[i - 1] <= keys[i];
        down &= keys[i - 1] >= keys[i];
    }
    return up || down;
}

/* Spread the keys over the columns; false if too many were spilled. A key above the caller's bounds
 * (say, with a flipped bit) goes to the last column: wrong, but harmless. Keys in order would go
 * one after the other to the same column, and each store would wait for the one before; so of
 * ordered keys, 8 that are far apart are taken together. */
INLINE_AVX2 bool spread_keys(const gs_key *keys, size_t count, struct columns *columns, bool wide,
                             bool ordered)
{
    const size_t apart = ordered ? count / 8 : 1;
    const vector places = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                             _mm256_set1_epi32((int)apart));
    const vector low = _mm256_set1_epi32((int)columns->low);
    const vector scale = _mm256_set1_epi64x((long long)columns->scale);
    const uint32_t stride = columns->stride, slots_end = ROWS * stride;
    const uint32_t last = (uint32_t)columns->matrices * (wide ? WIDE_LANES : NARROW_LANES) - 1;
    const vector last_column = _mm256_set1_epi32((int)last);
    uint32_t *const positions = columns->positions;
    void *const slots = columns->slots;
    gs_key *spilled = columns->spilled;
    const gs_key *const spilled_end = spilled + count / SPILL_SHARE;
    uint32_t column[8] __attribute__((aligned(32)));
    size_t i = 0;

#define PUT(c, key)                                                                                \
    do {                                                                                           \
        const uint32_t position = positions[c];                                                    \
        if (__builtin_expect(position >= slots_end, 0)) {                                          \
            if (spilled == spilled_end)                                                            \
                return false;                                                                      \
            *spilled++ = (key);                                                                    \
            break;                                                                                 \
        }                                                                                          \
        if (wide)                                                                                  \
            ((uint32_t *)slots)[position] = (key);                                                 \
        else                                                                                       \
            ((uint16_t *)slots)[position] = (uint16_t)(key);                                       \
        positions[c] = position + stride;                                                          \
    } while (0)

    for (; i + 8 <= count; i += 8) {
        const gs_key *from = keys + (ordered ? i / 8 : i);
        const vector v = ordered
                             ? _mm256_i32gather_epi32((const int *)(const void *)from, places, 4)
                             : _mm256_loadu_si256((const vector *)(const void *)from);
        const vector rest = _mm256_sub_epi32(v, low);
        const vector even = _mm256_srli_epi64(_mm256_mul_epu32(rest, scale), 32);
        const vector odd = _mm256_mul_epu32(_mm256_srli_epi64(rest, 32), scale);
        const vector found = _mm256_blend_epi32(even, odd, 0xaa);
        _mm256_store_si256((vector *)(void *)column, _mm256_min_epu32(found, last_column));
        PUT(column[0], from[0]);
        PUT(column[1], from[apart]);
        PUT(column[2], from[2 * apart]);
        PUT(column[3], from[3 * apart]);
        PUT(column[4], from[4 * apart]);
        PUT(column[5], from[5 * apart]);
        PUT(column[6], from[6 * apart]);
        PUT(column[7], from[7 * apart]);
    }
    for (; i < count; i++) {
        const uint64_t found = (keys[i] - columns->low) * columns->scale >> 32;
        PUT(found < last ? found : last, keys[i]);
    }
    columns->spilled_count = (size_t)(spilled - columns->spilled);
    return true;
}

/* Write a matrix's sorted columns of counts[] keys each to out, merged with their spilled keys,
 * which begin at *spilled and are consumed. Returns the end of what was written. */
static gs_key *merge_spilled(const gs_key *sorted, gs_key *out, const uint32_t *counts,
                             const struct columns *columns, size_t matrix, uint32_t lanes,
                             const gs_key **spilled)
{
    const gs_key *const spilled_end = columns->spilled + columns->spilled_count;

    for (uint32_t lane = 0; lane < lanes; lane++) {
        const gs_key *const end = sorted + counts[lane];
        while (*spilled < spilled_end &&
               (**spilled - columns->low) * columns->scale >> 32 == matrix * lanes + lane) {
            while (sorted < end && *sorted <= **spilled)
                *out++ = *sorted++;
            *out++ = *(*spilled)++;
        }
        while (sorted < end)
            *out++ = *sorted++;
    }
    return out;
}

/* Sort the matrices one after the other to keys. */
INLINE_AVX2 void sort_matrices(gs_key *keys, size_t count, const struct columns *columns, bool wide)
{
    const uint32_t lanes = wide ? WIDE_LANES : NARROW_LANES;
    const size_t row_vectors = columns->stride / lanes;
    const gs_key *const end = keys + count, *spilled = columns->spilled;

    for (size_t matrix = 0; matrix < columns->matrices; matrix++) {
        uint32_t counts[NARROW_LANES], lows[NARROW_LANES], fewest = ROWS, most = 0, sum = 0;
        union {
            vector v;
            uint16_t narrow[NARROW_LANES];
            uint32_t wide[WIDE_LANES];
        } lane_counts, lane_base;

        for (uint32_t lane = 0; lane < lanes; lane++) {
            const size_t column = matrix * lanes + lane;
            /* lay_out_columns() has set a position for every lane of every matrix */
            /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
            const uint32_t used = (uint32_t)(columns->positions[column] * columns->one_row >> 40);
            const gs_key base = columns->low + (gs_key)(column * columns->width >> 32);
            counts[lane] = used;
            fewest = used < fewest ? used : fewest;
            most = used > most ? used : most;
            sum += used;
            lows[lane] = wide ? 0 : base;
            if (wide) {
                lane_counts.wide[lane] = used;
                lane_base.wide[lane] = 0;
            } else {
                lane_counts.narrow[lane] = (uint16_t)used;
                lane_base.narrow[lane] = (uint16_t)base;
            }
        }
        vector rows[ROWS];
        const vector *slots = (const vector *)columns->slots + matrix;
        const int full_blocks = (int)fewest / BLOCK_ROWS;
        const int blocks = (int)(most + BLOCK_ROWS - 1) / BLOCK_ROWS;
        if (blocks > 2)
            sort_columns(slots, row_vectors, rows, lane_base.v, lane_counts.v, full_blocks, 4,
                         wide);
        else if (blocks == 2)
            sort_columns(slots, row_vectors, rows, lane_base.v, lane_counts.v, full_blocks, 2,
                         wide);
        else
            sort_columns(slots, row_vectors, rows, lane_base.v, lane_counts.v, full_blocks, 1,
                         wide);

        gs_key sorted[ROWS * NARROW_LANES + ROWS];
        const bool direct =
            (most < ROWS || columns->spilled_count == 0) && (size_t)(end - keys) >= sum + ROWS;
        write_columns(rows, direct ? keys : sorted, counts, lows, blocks, wide);
        if (direct) {
            keys += sum;
            continue;
        }
        keys = merge_spilled(sorted, keys, counts, columns, matrix, lanes, &spilled);
    }
}

INLINE_AVX2 bool sort_by_columns(gs_key *keys, size_t count, struct columns *columns, bool wide)
{
    if (!(looks_ordered(keys, count) ? spread_keys(keys, count, columns, wide, true)
                                     : spread_keys(keys, count, columns, wide, false)))
        return false;
    if (columns->spilled_count > 0) {
        gs_key *scratch = (gs_key *)columns->slots + ROWS * columns->stride / (wide ? 1 : 2);
        columns->spilled = gs_radix_sort(columns->spilled, scratch, columns->spilled_count);
    }
    sort_matrices(keys, count, columns, wide);
    return true;
}

static AVX2 bool sort_narrow(gs_key *keys, size_t count, struct columns *columns)
{
    return sort_by_columns(keys, count, columns, false);
}

static AVX2 bool sort_wide(gs_key *keys, size_t count, struct columns *columns)
{
    return sort_by_columns(keys, count, columns, true);
}

bool gs_columns_sort(gs_key *keys, gs_key *scratch, size_t count, gs_key low, gs_key high)
{
    struct columns columns;

    if (lay_out_narrow(&columns, scratch, count, low, high, NARROW_LANES))
        return sort_narrow(keys, count, &columns);
    return count <= WIDE_MAX &&
           lay_out_columns(&columns, scratch, count, low, high, WIDE_LANES, MEAN_ROWS,
                           sizeof(uint32_t)) &&
           sort_wide(keys, count, &columns);
}

bool gs_columns_usable(void)
{
    return __builtin_cpu_supports("avx2");
}
