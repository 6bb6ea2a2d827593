/* columns512.c -- columns.c with AVX-512: matrices of 32 columns.
 * SPDX-License-Identifier: MIT
 *
 * The same columns, in 16-bit slots only. Two things differ besides the width. These processors do
 * one 512-bit vector minimum or maximum in a cycle, but two bitwise operations: so the larger of
 * two keys is computed as a ^ b ^ min(a, b). And the slots of a bin outgrow the first-level cache,
 * where stores that miss wait for each other: so each slot is prefetched for writing a few keys
 * ahead.
 */
#include "sort/bin/u32/columns.h"

#if GS_HAS_AVX2

#include "sort/bin/u32/columns512.h"

#include <string.h>

enum { AHEAD = 16 /* prefetch distance of a slot, in keys: one vector */ };

static_assert((ROWS * (GS_CACHE_SORT_CAPACITY / GS_COLUMN_MEAN_ROWS + 4 * (size_t)LANES) / 2 +
               2 * (GS_CACHE_SORT_CAPACITY / GS_COLUMN_SPILL_SHARE) + 16) <= GS_CACHE_SORT_SCRATCH,
              "slots, and what was spilled, twice");

/* Find the column of each of 16 keys; the last column for a key above the caller's bounds. */
INLINE_AVX512 void find_columns(const gs_key *keys, const struct gs_columns *columns,
                                uint32_t *column)
{
    const vector scale = _mm512_set1_epi64((long long)columns->scale);
    const vector rest =
        _mm512_sub_epi32(_mm512_loadu_si512(keys), _mm512_set1_epi32((int)columns->low));
    const vector even = _mm512_srli_epi64(_mm512_mul_epu32(rest, scale), 32);
    const vector odd = _mm512_mul_epu32(_mm512_srli_epi64(rest, 32), scale);
    const vector found = _mm512_mask_blend_epi32(0xaaaa, even, odd);
    const vector last = _mm512_set1_epi32((int)columns->matrices * LANES - 1);
    _mm512_store_si512(column, _mm512_min_epu32(found, last));
}

/* Where the next spilled key goes, and the end of the room for them. */
struct spill {
    gs_key *next;
    const gs_key *end;
};

/* Put a key into its column, or spill it if that is full; false if there is no more room for
 * spilled keys. */
INLINE_AVX512 bool put_key(gs_key key, uint32_t column, struct gs_columns *columns,
                           uint32_t slots_end, struct spill *spill)
{
    const uint32_t position = columns->positions[column];
    if (__builtin_expect(position >= slots_end, 0)) {
        if (spill->next == spill->end)
            return false;
        *spill->next++ = key;
        return true;
    }
    ((uint16_t *)columns->slots)[position] = (uint16_t)key;
    columns->positions[column] = position + columns->stride;
    return true;
}

AVX512 void gs_spread_out512(gs_key *block)
{
    gs_key apart[BLOCK_KEYS] __attribute__((aligned(64)));
    const vector each =
        _mm512_mullo_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                           _mm512_set1_epi32(BLOCK_KEYS / GS_LINE_KEYS));
    for (int i = 0; i < BLOCK_KEYS / GS_LINE_KEYS; i++)
        _mm512_store_si512(apart + GS_LINE_KEYS * i, _mm512_i32gather_epi32(each, block + i, 4));
    memcpy(block, apart, sizeof apart);
}

/* Spread a block of keys over the columns; false if too many were spilled. */
INLINE_AVX512 bool spread_block(const gs_key *keys, size_t count, struct gs_columns *columns,
                                struct spill *spill, struct ahead *ahead)
{
    const uint32_t slots_end = ROWS * columns->stride;
    const uint16_t *const slots = columns->slots;
    uint32_t column[2][AHEAD] __attribute__((aligned(64)));
    size_t i = 0;

    if (count >= AHEAD)
        find_columns(keys, columns, column[0]);
    for (unsigned turn = 0; i + 2 * AHEAD <= count; i += AHEAD, turn ^= 1) {
        find_columns(keys + i + AHEAD, columns, column[turn ^ 1]);
        call_line(ahead);
        if (ahead->keys < BLOCK_KEYS)
            call_line(ahead);
        ahead->keys -= AHEAD;
        for (int k = 0; k < AHEAD; k++) {
            __builtin_prefetch(slots + columns->positions[column[turn ^ 1][k]], 1);
            if (!put_key(keys[i + (size_t)k], column[turn][k], columns, slots_end, spill))
                return false;
        }
    }
    for (; i < count; i++) {
        const uint64_t found = (keys[i] - columns->low) * columns->scale >> 32;
        const uint64_t last = columns->matrices * LANES - 1;
        if (!put_key(keys[i], (uint32_t)(found < last ? found : last), columns, slots_end, spill))
            return false;
    }
    return true;
}

/* Spread all keys, block by block. Each block is copied from its runs first: the copy overlaps many
 * cache misses. */
static AVX512 bool spread_keys(const struct gs_key_runs *runs, size_t count,
                               struct gs_columns *columns)
{
    struct spill spill = {columns->spilled, columns->spilled + count / GS_COLUMN_SPILL_SHARE};
    struct gs_key_reader reader = {0};
    struct ahead ahead = {.runs = runs};
    gs_key block[BLOCK_KEYS] __attribute__((aligned(64)));

    for (int line = 0; line < BLOCK_KEYS / GS_LINE_KEYS; line++)
        call_line(&ahead);
    for (size_t here; (here = gs_key_runs_read(runs, &reader, block, BLOCK_KEYS)) > 0;) {
        if (looks_ordered(block, here))
            gs_spread_out512(block);
        if (!spread_block(block, here, columns, &spill, &ahead))
            return false;
    }
    columns->spilled_count = (size_t)(spill.next - columns->spilled);
    return true;
}

/* The columns of one matrix: their keys, low ends, and fewest, most and all keys. */
struct matrix {
    uint32_t counts[LANES], lows[LANES];
    uint16_t lane_counts[LANES] __attribute__((aligned(64)));
    uint16_t lane_base[LANES] __attribute__((aligned(64)));
    uint32_t fewest, most, sum;
};

INLINE_AVX512 void describe_matrix(struct matrix *matrix, const struct gs_columns *columns,
                                   size_t number)
{
    matrix->fewest = ROWS;
    matrix->most = matrix->sum = 0;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const size_t column = number * LANES + lane;
        /* gs_columns_make() has set a position for every lane of every matrix */
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
        const uint32_t used = (uint32_t)(columns->positions[column] * columns->one_row >> 40);
        const gs_key base = columns->low + (gs_key)(column * columns->width >> 32);
        matrix->counts[lane] = used;
        matrix->fewest = used < matrix->fewest ? used : matrix->fewest;
        matrix->most = used > matrix->most ? used : matrix->most;
        matrix->sum += used;
        matrix->lows[lane] = base;
        matrix->lane_counts[lane] = (uint16_t)used;
        matrix->lane_base[lane] = (uint16_t)base;
    }
}

/* Sort as many blocks of a matrix as its keys fill, 1, 2 or 4, to rows; returns how many. */
INLINE_AVX512 int sort_matrix(const struct gs_columns *columns, size_t number,
                              const struct matrix *matrix, vector *rows)
{
    const uint16_t *slots = (const uint16_t *)columns->slots + number * LANES;
    const vector base = _mm512_load_si512(matrix->lane_base);
    const vector counts = _mm512_load_si512(matrix->lane_counts);
    const int full = (int)matrix->fewest / BLOCK_ROWS;

    if (matrix->most <= BLOCK_ROWS) {
        sort_columns(slots, columns->stride, rows, base, counts, full, 1);
        return 1;
    }
    if (matrix->most <= 2 * BLOCK_ROWS) {
        sort_columns(slots, columns->stride, rows, base, counts, full, 2);
        return 2;
    }
    sort_columns(slots, columns->stride, rows, base, counts, full, 4);
    return 4;
}

/* Sort the matrices one after the other to `to`. */
static AVX512 void sort_matrices(gs_key *to, const struct gs_columns *columns, bool past_cache)
{
    const gs_key *spilled = columns->spilled;
    struct writer writer;
    struct matrix matrix;
    vector rows[ROWS];

    writer.past_cache = past_cache;
    open_writer(&writer, to);
    for (size_t number = 0; number < columns->matrices; number++) {
        describe_matrix(&matrix, columns, number);
        const int blocks = sort_matrix(columns, number, &matrix, rows);
        if (matrix.most < ROWS || columns->spilled_count == 0) {
            write_columns(rows, writer.line + writer.fill, matrix.counts, matrix.lows, blocks);
            writer.fill += matrix.sum;
            flush_writer(&writer, false);
            continue;
        }
        gs_key sorted[ROWS * LANES + ROWS];
        write_columns(rows, sorted, matrix.counts, matrix.lows, blocks);
        gs_key *end = writer.to + writer.fill;
        flush_writer(&writer, true);
        end = gs_columns_merge(sorted, end, matrix.counts, columns, number, LANES, &spilled);
        open_writer(&writer, end);
    }
    flush_writer(&writer, true);
    _mm_sfence(); /* the next reader, on any thread, must see the non-temporal stores */
}

bool gs_cache_sort_columns512(const struct gs_key_runs *runs, gs_key *to, gs_key *scratch,
                              size_t count, gs_key low, gs_key high, bool past_cache)
{
    struct gs_columns columns;

    if (!gs_columns_make_narrow(&columns, scratch, count, low, high, LANES) ||
        !spread_keys(runs, count, &columns))
        return false;
    if (columns.spilled_count > 0)
        gs_columns_sort_spilled(&columns, (gs_key *)columns.slots + ROWS * columns.stride / 2);
    sort_matrices(to, &columns, past_cache);
    return true;
}

bool gs_cache_sort_columns512_usable(void)
{
    return GS_HAS_AVX512 && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

#endif
