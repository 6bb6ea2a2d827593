/* lanes512.c -- the network, and transposing groups to lanes and back.
 * SPDX-License-Identifier: MIT
 */
#include "sort/bin/u32/lanes512.h"
#include "sort/bin/u32/network.h"
#include "sort/keys/vectors.h"

#include <assert.h>
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))
#define INLINE_AVX512                                                                              \
    static inline __attribute__((always_inline, target("avx512f,avx512bw,avx512vl")))

enum {
    LANES = GS_LANES,
    BLOCK = 16, /* as many as fit the registers */
    BLOCKS_MAX = GS_LANE_ROWS / BLOCK
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

#define EXCHANGE_ROWS(i, j) exchange_rows(&r[i], &r[j]);
#define LOAD_ROW(i)         r[i] = _mm512_load_si512(rows + (i));
#define STORE_ROW(i)        _mm512_store_si512(rows + (i), r[i]);

/* Transpose 8 rows: the 128-bit part q of t[j] gets column 8 q + j. */
INLINE_AVX512 void transpose_8(const vector512 *rows, vector512 *t)
{
    vector512 a[8], b[8];

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
INLINE_AVX512 void transpose_eights(const vector512 *rows, vector512 t[4][8])
{
    for (int i = 0; i < 4; i++)
        transpose_8(rows + 8 * i, t[i]);
}

INLINE_AVX512 void transpose_four(vector512 t[4][8], int j, vector512 *columns)
{
    const vector512 a = _mm512_shuffle_i32x4(t[0][j], t[1][j], 0x44);
    const vector512 b = _mm512_shuffle_i32x4(t[0][j], t[1][j], 0xee);
    const vector512 c = _mm512_shuffle_i32x4(t[2][j], t[3][j], 0x44);
    const vector512 d = _mm512_shuffle_i32x4(t[2][j], t[3][j], 0xee);
    columns[0] = _mm512_shuffle_i32x4(a, c, 0x88);
    columns[1] = _mm512_shuffle_i32x4(a, c, 0xdd);
    columns[2] = _mm512_shuffle_i32x4(b, d, 0x88);
    columns[3] = _mm512_shuffle_i32x4(b, d, 0xdd);
}

/* Transpose 32 rows to 32 columns, each `step` vectors behind the one before. */
INLINE_AVX512 void transpose_32(const vector512 *rows, vector512 *columns, int step)
{
    vector512 t[4][8], four[4];

    transpose_eights(rows, t);
    for (int j = 0; j < 8; j++) {
        transpose_four(t, j, four);
        for (int i = 0; i < 4; i++)
            columns[step * (8 * i + j)] = four[i];
    }
}

INLINE_AVX512 vector512 widen(const uint16_t *words, gs_key base)
{
    return _mm512_add_epi32(
        _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)words)),
        _mm512_set1_epi32((int)base));
}

/* What keys are in the output. */
INLINE_AVX512 vector512 as_stored(const struct gs_lanes *lanes, vector512 keys)
{
    return lanes->stores_records ? gs_codec_line_store(&lanes->codec, keys) : keys;
}

/* Write a full line to the output. */
INLINE_AVX512 void write_line(struct gs_lanes *lanes, vector512 line)
{
    line = as_stored(lanes, line);
    if (lanes->head > 0)
        _mm512_mask_storeu_epi32(lanes->to, (__mmask16)(0xffffU << lanes->head), line);
    else if (lanes->past_cache)
        _mm512_stream_si512((vector512 *)(void *)lanes->to, line);
    else
        _mm512_store_si512(lanes->to, line);
    lanes->head = 0;
    lanes->to += GS_LINE_KEYS;
}

/* Write a sorted group, except for keys at its end that do not fill a line. The first line is
 * assembled in a register: from memory it would be loaded before the stores to it have left the
 * core. */
INLINE_AVX512 void write_group(struct gs_lanes *lanes, const struct gs_lane_set *set,
                               uint32_t group)
{
    const uint16_t *words = set->rooms + (size_t)group * GS_LANE_ROOM;
    const uint32_t count = set->counts[group], fill = lanes->fill;
    const gs_key base = set->bases[group];
    const vector512 line = _mm512_mask_mov_epi32(
        widen(words - fill, base), (__mmask16)((1U << fill) - 1), _mm512_load_si512(lanes->line));
    uint32_t done = GS_LINE_KEYS - fill;

    if (count < done) {
        _mm512_store_si512(lanes->line, line);
        lanes->fill += count;
        return;
    }
    write_line(lanes, line);
    gs_key *to = lanes->to;
    if (lanes->past_cache)
        for (; done + GS_LINE_KEYS <= count; done += GS_LINE_KEYS, to += GS_LINE_KEYS)
            _mm512_stream_si512((vector512 *)(void *)to,
                                as_stored(lanes, widen(words + done, base)));
    else
        for (; done + GS_LINE_KEYS <= count; done += GS_LINE_KEYS, to += GS_LINE_KEYS)
            _mm512_store_si512(to, as_stored(lanes, widen(words + done, base)));
    lanes->to = to;
    _mm512_store_si512(lanes->line, widen(words + done, base));
    lanes->fill = count - done;
}

/* Write up to `groups` of the sorted groups. */
INLINE_AVX512 void write_some(struct gs_lanes *lanes, uint32_t groups)
{
    const struct gs_lane_set *set = &lanes->sets[1 - lanes->waiting];

    for (; groups > 0 && lanes->written < set->groups; groups--)
        write_group(lanes, set, lanes->written++);
}

/* Up to LANES groups of a set, one per lane. */
struct matrix {
    uint16_t *words[LANES];
    uint32_t counts[LANES];
    uint16_t unused[GS_LANE_ROOM] __attribute__((aligned(64))); /* for empty lanes */
};

/* Assign the groups order[0 .. groups) to lanes; lanes beyond them are empty. */
INLINE_AVX512 void choose_lanes(const struct gs_lane_set *set, const uint8_t *order,
                                uint32_t groups, struct matrix *matrix)
{
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const bool used = lane < groups;
        matrix->words[lane] =
            used ? set->rooms + (size_t)order[lane] * GS_LANE_ROOM : matrix->unused;
        matrix->counts[lane] = used ? set->counts[order[lane]] : 0;
    }
}

/* Transpose groups into the rows of a matrix; a lane's rows behind its last key get the largest
 * value. Returns how many blocks have keys. */
static AVX512 int load_rows(const struct matrix *matrix, vector512 *rows)
{
    uint32_t most = 0, fewest = GS_LANE_ROWS;

    for (uint32_t lane = 0; lane < LANES; lane++) {
        most = matrix->counts[lane] > most ? matrix->counts[lane] : most;
        fewest = matrix->counts[lane] < fewest ? matrix->counts[lane] : fewest;
    }
    for (uint32_t first = 0; first < most; first += LANES) {
        vector512 columns[LANES];
        if (first + LANES <= fewest) {
            for (int lane = 0; lane < LANES; lane++)
                columns[lane] = _mm512_load_si512(matrix->words[lane] + first);
        } else {
            for (int lane = 0; lane < LANES; lane++) {
                const uint32_t count = matrix->counts[lane];
                const uint32_t left = count > first ? count - first : 0;
                columns[lane] = _mm512_mask_loadu_epi16(
                    _mm512_set1_epi16(-1), (__mmask32)(left < LANES ? (1U << left) - 1 : ~0U),
                    matrix->words[lane] + first);
            }
        }
        transpose_32(columns, rows + first, 1);
    }
    return (int)((most + BLOCK - 1) / BLOCK);
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

/* Sort each lane of `blocks` blocks, and meanwhile write about as many groups. */
static AVX512 void sort_rows(struct gs_lanes *lanes, vector512 *all, int blocks)
{
    for (int block = 0; block < blocks; block++) {
        vector512 r[BLOCK], *rows = all + BLOCK * block;
        GS_EACH_16(LOAD_ROW)
        GS_SORT_16(EXCHANGE_ROWS)
        GS_EACH_16(STORE_ROW)
        write_some(lanes, 1);
    }
    merge_neighbours(all, 2, blocks);
    write_some(lanes, 4);
    merge_neighbours(all, 4, blocks);
    write_some(lanes, 4);
    merge_neighbours(all, 8, blocks);
    write_some(lanes, 4);
    merge_neighbours(all, 16, blocks);
    write_some(lanes, 4);
    if (blocks > 16)
        merge_last(all, blocks);
}

/* Transpose sorted rows back into the groups they came from. */
static AVX512 void store_rows(const struct matrix *matrix, const vector512 *rows, int blocks)
{
    for (int first = 0; first < BLOCK * blocks; first += LANES) {
        vector512 t[4][8], four[4];
        transpose_eights(rows + first, t);
        for (int j = 0; j < 8; j++) {
            transpose_four(t, j, four);
            for (int i = 0; i < 4; i++)
                _mm512_store_si512(matrix->words[8 * i + j] + first, four[i]);
        }
    }
}

/* Order groups by how many blocks they have, the largest first. */
static void order_groups(const struct gs_lane_set *set, uint8_t *order)
{
    uint32_t first[BLOCKS_MAX + 2] = {0};

#define PLACE(group) (BLOCKS_MAX - (set->counts[group] + BLOCK - 1) / BLOCK)
    for (uint32_t group = 0; group < set->groups; group++)
        first[PLACE(group) + 1]++;
    for (uint32_t place = 0; place < BLOCKS_MAX; place++)
        first[place + 1] += first[place];
    for (uint32_t group = 0; group < set->groups; group++)
        order[first[PLACE(group)]++] = (uint8_t)group;
#undef PLACE
}

/* Sort the waiting groups, and write those that were sorted before. */
static AVX512 void sort_set(struct gs_lanes *lanes)
{
    struct gs_lane_set *set = &lanes->sets[lanes->waiting];
    uint8_t order[GS_LANE_GROUPS];
    vector512 rows[GS_LANE_ROWS];
    struct matrix matrix;

    order_groups(set, order);
    for (uint32_t first = 0; first < set->groups; first += LANES) {
        choose_lanes(set, order + first, set->groups - first, &matrix);
        const int blocks = load_rows(&matrix, rows);
        sort_rows(lanes, rows, blocks);
        store_rows(&matrix, rows, blocks);
    }
    write_some(lanes, GS_LANE_GROUPS);
    lanes->waiting = 1 - lanes->waiting;
    lanes->sets[lanes->waiting].groups = 0;
    lanes->written = 0;
}

AVX512 void gs_lanes_open512(struct gs_lanes *lanes, uint16_t *const *rooms, uint32_t groups_max,
                             const struct gs_bin_output *output)
{
    gs_key *to = output->to;
    for (uint32_t i = 0; i < 2; i++) {
        lanes->sets[i].rooms = rooms[i];
        lanes->sets[i].groups = 0;
    }
    lanes->waiting = 0;
    lanes->groups_max = groups_max;
    lanes->written = 0;
    lanes->head = (uint32_t)((uintptr_t)to / sizeof *to % GS_LINE_KEYS);
    lanes->fill = lanes->head;
    lanes->to = to - lanes->head;
    lanes->past_cache = output->past_cache;
    lanes->stores_records = output->codec != NULL;
    if (lanes->stores_records)
        gs_codec_line_open(&lanes->codec, output->codec);
    _mm512_store_si512(lanes->line, _mm512_setzero_si512());
}

bool gs_lanes_add512(struct gs_lanes *lanes, uint32_t count, gs_key base)
{
    struct gs_lane_set *set = &lanes->sets[lanes->waiting];

    set->counts[set->groups] = count;
    set->bases[set->groups] = base;
    if (++set->groups < lanes->groups_max)
        return false;
    sort_set(lanes);
    return true;
}

AVX512 gs_key *gs_lanes_flush512(struct gs_lanes *lanes)
{
    sort_set(lanes); /* the second call writes what this one sorts */
    sort_set(lanes);
    const uint32_t rest = ((1U << lanes->fill) - 1) & 0xffffU << lanes->head;
    _mm512_mask_storeu_epi32(lanes->to, (__mmask16)rest,
                             as_stored(lanes, _mm512_load_si512(lanes->line)));
    return lanes->to + lanes->fill;
}
