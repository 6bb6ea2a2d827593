/* cache_sort_lanes512.c -- the network, and the two turns of a matrix: groups to lanes, and back.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cache_sort_columns.h"

#if GS_CACHE_SORT_HAS_COLUMNS

#include "sort/cache_sort_lanes512.h"

/* Blocks that are merged in registers; and those behind them, at most. */
enum { STEP_BLOCKS_MAX = 16, LAST_BLOCKS_MAX = 8 };

static_assert(GS_LANE_ROWS == (STEP_BLOCKS_MAX + LAST_BLOCKS_MAX) * BLOCK_ROWS, "all are merged");

INLINE_AVX512 vector widen(const uint16_t *words, gs_key base)
{
    return _mm512_add_epi32(
        _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)words)),
        _mm512_set1_epi32((int)base));
}

/* Write the line that is full. */
INLINE_AVX512 void write_line(struct gs_lanes *lanes, vector line)
{
    if (lanes->head > 0)
        _mm512_mask_storeu_epi32(lanes->to, (__mmask16)(0xffffU << lanes->head), line);
    else if (lanes->past_cache)
        _mm512_stream_si512((vector *)(void *)lanes->to, line);
    else
        _mm512_store_si512(lanes->to, line);
    lanes->head = 0;
    lanes->to += LINE_KEYS;
}

/* Write a sorted group, but for what does not fill a line. */
INLINE_AVX512 void write_group(struct gs_lanes *lanes, uint32_t lane)
{
    const uint16_t *words = lanes->sorted[lane];
    const uint32_t count = lanes->sorted_counts[lane];
    const gs_key base = lanes->sorted_bases[lane];
    uint32_t done = LINE_KEYS - lanes->fill;

    _mm512_storeu_si512(lanes->line + lanes->fill, widen(words, base));
    if (count < done) {
        lanes->fill += count;
        return;
    }
    write_line(lanes, _mm512_load_si512(lanes->line));
    gs_key *to = lanes->to;
    if (lanes->past_cache)
        for (; done + LINE_KEYS <= count; done += LINE_KEYS, to += LINE_KEYS)
            _mm512_stream_si512((vector *)(void *)to, widen(words + done, base));
    else
        for (; done + LINE_KEYS <= count; done += LINE_KEYS, to += LINE_KEYS)
            _mm512_store_si512(to, widen(words + done, base));
    lanes->to = to;
    _mm512_store_si512(lanes->line, widen(words + done, base));
    lanes->fill = count - done;
}

/* Write up to so many of the groups that wait for it. */
INLINE_AVX512 void write_some(struct gs_lanes *lanes, uint32_t groups)
{
    for (; groups > 0 && lanes->written < LANES; groups--)
        write_group(lanes, lanes->written++);
}

/* Turn 32 groups into the rows of a matrix; a lane's rows behind its last key get the largest
 * value. Returns how many blocks have keys. */
static AVX512 int load_rows(const struct gs_lanes *lanes, vector *rows)
{
    uint32_t most = 0, fewest = GS_LANE_ROWS;

    for (uint32_t lane = 0; lane < LANES; lane++) {
        most = lanes->counts[lane] > most ? lanes->counts[lane] : most;
        fewest = lanes->counts[lane] < fewest ? lanes->counts[lane] : fewest;
    }
    for (uint32_t first = 0; first < most; first += LANES) {
        vector columns[LANES];
        if (first + LANES <= fewest) {
            for (int lane = 0; lane < LANES; lane++)
                columns[lane] = _mm512_loadu_si512(lanes->words[lane] + first);
        } else {
            for (int lane = 0; lane < LANES; lane++) {
                const uint32_t count = lanes->counts[lane];
                const uint32_t left = count > first ? count - first : 0;
                columns[lane] = _mm512_mask_loadu_epi16(
                    _mm512_set1_epi16(-1), (__mmask32)(left < LANES ? (1U << left) - 1 : ~0U),
                    lanes->words[lane] + first);
            }
        }
        transpose_32(columns, rows + first, 1);
    }
    return (int)((most + BLOCK_ROWS - 1) / BLOCK_ROWS);
}

/* Exchange rows of n blocks (a constant) of which the first `here` are there: in the first step
 * those n / 2 blocks apart or, if mirrored, as far from either end, then n / 4, n / 8, ... apart.
 * One row of each block is in a register; of those in the upper half, the mirrored one. */
INLINE_AVX512 void merge_blocks(vector *rows, int n, int here, bool mirrored)
{
    for (int i = 0; i < BLOCK_ROWS; i++) {
        vector r[STEP_BLOCKS_MAX];
        const int upper = mirrored ? BLOCK_ROWS - 1 - i : i;
#pragma GCC unroll 16
        for (int k = 0; k < n; k++)
            r[k] =
                k < here ? rows[BLOCK_ROWS * k + (k < n / 2 ? i : upper)] : _mm512_set1_epi16(-1);
#pragma GCC unroll 16
        for (int k = 0; k < n / 2; k++)
            exchange(&r[k], &r[mirrored ? n - 1 - k : k + n / 2]);
#pragma GCC unroll 16
        for (int apart = n / 4; apart > 0; apart /= 2)
#pragma GCC unroll 16
            for (int k = 0; k < n; k++)
                if ((k & apart) == 0)
                    exchange(&r[k], &r[k + apart]);
#pragma GCC unroll 16
        for (int k = 0; k < n; k++)
            if (k < here)
                rows[BLOCK_ROWS * k + (k < n / 2 ? i : upper)] = r[k];
    }
}

/* Merge sorted neighbours of n / 2 blocks each, up to the last block. */
INLINE_AVX512 void merge_neighbours(vector *rows, int n, int blocks)
{
    int first = 0;

    for (; first + n <= blocks; first += n)
        merge_blocks(rows + BLOCK_ROWS * first, n, n, true);
    if (first + n / 2 < blocks)
        merge_blocks(rows + BLOCK_ROWS * first, n, blocks - first, true);
    else /* these are sorted as they are */
        blocks = first;
    for (int block = 0; block < blocks; block++)
        clean_block(rows + BLOCK_ROWS * block);
}

/* Merge 16 sorted blocks with those behind. */
INLINE_AVX512 void merge_last(vector *rows, int blocks)
{
    for (int block = STEP_BLOCKS_MAX; block < blocks; block++)
        for (int i = 0; i < BLOCK_ROWS; i++)
            exchange(rows + BLOCK_ROWS * (2 * STEP_BLOCKS_MAX - 1 - block) + i,
                     rows + BLOCK_ROWS * block + BLOCK_ROWS - 1 - i);
    merge_blocks(rows, STEP_BLOCKS_MAX, STEP_BLOCKS_MAX, false);
    merge_blocks(rows + BLOCK_ROWS * STEP_BLOCKS_MAX, LAST_BLOCKS_MAX, blocks - STEP_BLOCKS_MAX,
                 false);
    for (int block = 0; block < blocks; block++)
        clean_block(rows + BLOCK_ROWS * block);
}

/* Sort each lane of so many blocks. */
static AVX512 void sort_rows(struct gs_lanes *lanes, vector *all, int blocks)
{
    for (int block = 0; block < blocks; block++) {
        vector r[BLOCK_ROWS], *rows = all + BLOCK_ROWS * block;
        GS_EACH_16(LOAD)
        GS_SORT_16(EXCHANGE)
        GS_EACH_16(STORE)
        write_some(lanes, 1);
    }
    merge_neighbours(all, 2, blocks);
    write_some(lanes, 4);
    merge_neighbours(all, 4, blocks);
    write_some(lanes, 4);
    merge_neighbours(all, 8, blocks);
    write_some(lanes, 4);
    merge_neighbours(all, 16, blocks);
    write_some(lanes, LANES);
    if (blocks > STEP_BLOCKS_MAX)
        merge_last(all, blocks);
}

/* Turn sorted rows into groups that wait to be written. */
static AVX512 void store_rows(struct gs_lanes *lanes, const vector *rows, int blocks)
{
    for (int first = 0; first < BLOCK_ROWS * blocks; first += LANES)
        transpose_32(rows + first, (vector *)(void *)(lanes->sorted[0] + first),
                     GS_LANE_ROOM / LANES);
    for (int lane = 0; lane < LANES; lane++) {
        lanes->sorted_counts[lane] = lanes->counts[lane];
        lanes->sorted_bases[lane] = lanes->bases[lane];
    }
    lanes->written = 0;
}

AVX512 void gs_lanes_open512(struct gs_lanes *lanes, gs_key *to, bool past_cache)
{
    lanes->groups = 0;
    lanes->written = LANES;
    lanes->head = (uint32_t)((uintptr_t)to / sizeof *to % LINE_KEYS);
    lanes->fill = lanes->head;
    lanes->to = to - lanes->head;
    lanes->past_cache = past_cache;
    _mm512_store_si512(lanes->line, _mm512_setzero_si512());
}

AVX512 void gs_lanes_sort512(struct gs_lanes *lanes)
{
    vector rows[GS_LANE_ROWS];

    for (uint32_t lane = lanes->groups; lane < LANES; lane++) {
        lanes->counts[lane] = 0;
        lanes->words[lane] = lanes->words[0];
    }
    const int blocks = load_rows(lanes, rows);
    sort_rows(lanes, rows, blocks);
    store_rows(lanes, rows, blocks);
    lanes->groups = 0;
}

AVX512 gs_key *gs_lanes_flush512(struct gs_lanes *lanes)
{
    if (lanes->groups > 0)
        gs_lanes_sort512(lanes);
    write_some(lanes, LANES);
    const uint32_t rest = ((1U << lanes->fill) - 1) & 0xffffU << lanes->head;
    _mm512_mask_storeu_epi32(lanes->to, (__mmask16)rest, _mm512_load_si512(lanes->line));
    return lanes->to + lanes->fill;
}

#endif
