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
    AHEAD = 16,        /* keys between a slot's call into cache and its store: one vector */
    BLOCK_KEYS = 2048, /* copied from their runs at a time */
    LINE_KEYS = 16,
    TABLE_AHEAD = 16 /* chunks */
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

/* The column of each of 16 keys; the last for a key above the bounds that the caller vouched for.
 */
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

/* What was spilled so far. */
struct spill {
    gs_key *next;
    const gs_key *end;
};

/* Put a key into its column; false if that is full and too many were spilled already. */
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

/* What is called into cache while the block before it is spread. */
struct ahead {
    const struct gs_key_runs *runs;
    uint64_t chunk; /* the next one */
    const gs_key *at, *end;
    int64_t keys; /* called, less what is spread */
};

/* Call the next line of the runs into the second-level cache. */
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
        const uint32_t skew = (uint32_t)((uintptr_t)run / sizeof *run % LINE_KEYS);
        ahead->at = run - skew;
        ahead->end = run + count;
        ahead->keys -= skew; /* a run begins and ends inside a line */
        ahead->keys -= (uint32_t) - (skew + count) % LINE_KEYS;
    }
    __builtin_prefetch(ahead->at, 0, 2);
    ahead->at += LINE_KEYS;
    ahead->keys += LINE_KEYS;
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

/* Spread all keys, block by block: keys that come from far away are copied first, which waits for
 * many of them at once. */
static AVX512 bool spread_keys(const struct gs_key_runs *runs, size_t count,
                               struct gs_columns *columns)
{
    struct spill spill = {columns->spilled, columns->spilled + count / GS_COLUMN_SPILL_SHARE};
    struct gs_key_reader reader = {0};
    struct ahead ahead = {.runs = runs};
    gs_key block[BLOCK_KEYS] __attribute__((aligned(64)));

    for (int line = 0; line < BLOCK_KEYS / LINE_KEYS; line++)
        call_line(&ahead);
    for (size_t here; (here = gs_key_runs_read(runs, &reader, block, BLOCK_KEYS)) > 0;)
        if (!spread_block(block, here, columns, &spill, &ahead))
            return false;
    columns->spilled_count = (size_t)(spill.next - columns->spilled);
    return true;
}

/* Sorted keys on their way out, in whole cache lines: line[0] will lie at `to`, which is aligned.
 */
struct writer {
    gs_key *to;
    uint32_t head; /* keys of the first line that belong to others */
    uint32_t fill; /* head + keys in line[] */
    bool past_cache;
    gs_key line[LINE_KEYS + ROWS * LANES + ROWS] __attribute__((aligned(64)));
};

static AVX512 void open_writer(struct writer *writer, gs_key *to)
{
    writer->head = (uint32_t)((uintptr_t)to / sizeof *to % LINE_KEYS);
    writer->fill = writer->head;
    writer->to = to - writer->head;
}

/* Write what is there: all whole lines; the last part of one, too, if this is the end. */
INLINE_AVX512 void flush_writer(struct writer *writer, bool end)
{
    const uint32_t whole = writer->fill / LINE_KEYS * LINE_KEYS, rest = writer->fill - whole;
    uint32_t i = 0;

    if (writer->head > 0 && whole > 0) {
        _mm512_mask_storeu_epi32(writer->to, (__mmask16)(0xffffU << writer->head),
                                 _mm512_load_si512(writer->line));
        writer->head = 0;
        i = LINE_KEYS;
    }
    if (writer->past_cache)
        for (; i < whole; i += LINE_KEYS)
            _mm512_stream_si512((vector *)(void *)(writer->to + i),
                                _mm512_load_si512(writer->line + i));
    else
        for (; i < whole; i += LINE_KEYS)
            _mm512_store_si512(writer->to + i, _mm512_load_si512(writer->line + i));
    writer->to += whole;
    const vector last = _mm512_load_si512(writer->line + whole);
    if (end)
        _mm512_mask_storeu_epi32(writer->to,
                                 (__mmask16)(((1U << rest) - 1) & 0xffffU << writer->head), last);
    _mm512_store_si512(writer->line, last);
    writer->fill = rest;
}

/* One matrix, as its columns say. */
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
        /* gs_columns_make() set as many positions as there are lanes of matrices */
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
        sort_columns((const uint16_t *)columns->slots + number * LANES, columns->stride, rows,
                     _mm512_load_si512(matrix.lane_base), _mm512_load_si512(matrix.lane_counts),
                     (int)matrix.fewest / BLOCK_ROWS);
        if (matrix.most < ROWS || columns->spilled_count == 0) {
            write_columns(rows, writer.line + writer.fill, matrix.counts, matrix.lows);
            writer.fill += matrix.sum;
            flush_writer(&writer, false);
            continue;
        }
        gs_key sorted[ROWS * LANES + ROWS];
        write_columns(rows, sorted, matrix.counts, matrix.lows);
        gs_key *end = writer.to + writer.fill;
        flush_writer(&writer, true);
        end = gs_columns_merge(sorted, end, matrix.counts, columns, number, LANES, &spilled);
        open_writer(&writer, end);
    }
    flush_writer(&writer, true);
    _mm_sfence(); /* whoever reads them next must see lines that went past the caches */
}

bool gs_cache_sort_columns512(const struct gs_key_runs *runs, gs_key *to, gs_key *scratch,
                              size_t count, gs_key low, gs_key high, bool past_cache)
{
    struct gs_columns columns;

    /* Two values more than 2^32 / scale: width and a column's low end are rounded down. */
    if (!gs_columns_make(&columns, scratch, count, low, high, LANES) ||
        (columns.width >> 32) + 2 >= 1 << 16 || !spread_keys(runs, count, &columns))
        return false;
    if (columns.spilled_count > 0)
        gs_columns_sort_spilled(&columns, (gs_key *)columns.slots + ROWS * columns.stride / 2);
    sort_matrices(to, &columns, past_cache);
    return true;
}

bool gs_cache_sort_columns512_usable(void)
{
    return GS_CACHE_SORT_HAS_512 && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

#endif
