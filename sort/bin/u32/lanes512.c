/* lanes512.c -- sort groups, transposed to lanes and back, and write those sorted before.
 * SPDX-License-Identifier: MIT
 */
#include "sort/bin/u32/lanes512.h"
#include "sort/bin/u32/network.h"
#include "sort/bin/u32/rows512.h"
#include "sort/keys/vectors.h"

enum { LANES = GS_LANES };

static_assert(BLOCK * BLOCKS_MAX == GS_LANE_ROWS, "a group fills its blocks");

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
