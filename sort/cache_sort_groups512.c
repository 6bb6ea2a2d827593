/* cache_sort_groups512.c -- sort a bin whose columns would outgrow the first-level cache.
 * SPDX-License-Identifier: MIT
 *
 * cache_sort_columns512.c spreads a bin of 2^18 keys over 6000 columns: hardly a store finds its
 * line in the first-level cache, and of 2^15 keys few do. Here the bin is split into some 300
 * groups first, whose open lines fit there; where keys are less than 74 values apart. A group is
 * less than 2^16 values wide, so that 16 bits tell its keys apart; it has room for 1024 keys, and
 * two groups side by side make a matrix of 64 rows and 32 columns:
 *
 *   lane     0 .. 15     16 .. 31
 *   row 0    group 2 g   group 2 g + 1     unused places hold the largest value
 *   ..63
 *
 * Nothing is spread over the columns by value: all columns are sorted, then columns are merged by
 * twos, fours, eights and sixteens [Batcher: Sorting networks and their applications, 1968], with
 * the same instructions whatever the keys are. Where the keys of a bin are not spread evenly over
 * it, a group gets more keys than it has room for, and columns or others sort the bin.
 */
#include "sort/cache_sort_columns.h"

#if GS_CACHE_SORT_HAS_COLUMNS

#include "sort/cache_sort_columns512.h"

enum {
    KEYS_MIN = 1 << 15,
    LANE_BITS = 4,
    GROUP_LANES = 1 << LANE_BITS,
    GROUP_KEYS = ROWS * GROUP_LANES,
    MEAN_KEYS = 880, /* 4.8 standard deviations below GROUP_KEYS, where keys are random */
    /* An odd number of lines: the open lines of groups are in all sets of the cache. */
    ROOM_KEYS = GROUP_KEYS + LANES,
    GROUPS_MAX = (int)(GS_CACHE_SORT_CAPACITY / MEAN_KEYS) + 2,
    DRAINS = LANE_BITS + 1 /* turns in which a matrix is written, while the next is sorted */
};

static_assert((GROUPS_MAX * (size_t)ROOM_KEYS + BLOCK_KEYS + LANES) / 2 <= GS_CACHE_SORT_SCRATCH,
              "rooms, and a block that goes beyond the last");

/* Group of a key: (key - low) * scale / 2^32, as with columns. */
struct groups {
    gs_key low;
    uint64_t scale;
    uint64_t width; /* 2^64 / scale, rounded down */
    uint32_t count;
    uint16_t *rooms;           /* [count][ROOM_KEYS]: the lower bits of its keys */
    uint32_t next[GROUPS_MAX]; /* where in rooms the next key of each goes */
};

/* The group of each of 16 keys; the last for a key above the bounds that the caller vouched for. */
INLINE_AVX512 void find_groups(const gs_key *keys, const struct groups *groups, uint16_t *group)
{
    const vector scale = _mm512_set1_epi64((long long)groups->scale);
    const vector rest =
        _mm512_sub_epi32(_mm512_load_si512(keys), _mm512_set1_epi32((int)groups->low));
    const vector even = _mm512_srli_epi64(_mm512_mul_epu32(rest, scale), 32);
    const vector odd = _mm512_mul_epu32(_mm512_srli_epi64(rest, 32), scale);
    const vector found = _mm512_mask_blend_epi32(0xaaaa, even, odd);
    const vector last = _mm512_set1_epi32((int)groups->count - 1);
    _mm256_store_si256((__m256i *)(void *)group,
                       _mm512_cvtepi32_epi16(_mm512_min_epu32(found, last)));
}

/* Put a block of keys into their rooms. All groups are found first: else the compiler takes them
 * from the vector one by one. Four places are noted before their stores. */
INLINE_AVX512 void part_block(const gs_key *keys, uint32_t count, struct groups *groups,
                              struct ahead *ahead)
{
    uint16_t group[BLOCK_KEYS] __attribute__((aligned(64)));
    uint32_t *const next = groups->next;
    uint16_t *const rooms = groups->rooms;
    uint32_t i = 0;

    for (uint32_t first = 0; first < count; first += LINE_KEYS) {
        find_groups(keys + first, groups, group + first);
        call_line(ahead);
        if (ahead->keys < BLOCK_KEYS)
            call_line(ahead);
        ahead->keys -= LINE_KEYS;
    }
    for (; i + 4 <= count; i += 4) {
        uint32_t place[4];
        for (uint32_t k = 0; k < 4; k++)
            place[k] = next[group[i + k]]++;
        for (uint32_t k = 0; k < 4; k++)
            rooms[place[k]] = (uint16_t)keys[i + k];
    }
    for (; i < count; i++)
        rooms[next[group[i]]++] = (uint16_t)keys[i];
}

/* Put all keys into rooms, block by block; false if one does not fit. */
static AVX512 bool part_keys(const struct gs_key_runs *runs, struct groups *groups)
{
    struct gs_key_reader reader = {0};
    struct ahead ahead = {.runs = runs};
    gs_key block[BLOCK_KEYS] __attribute__((aligned(64))) = {0};

    for (int line = 0; line < BLOCK_KEYS / LINE_KEYS; line++)
        call_line(&ahead);
    for (size_t here; (here = gs_key_runs_read(runs, &reader, block, BLOCK_KEYS)) > 0;) {
        uint32_t over = 0;
        if (looks_ordered(block, here))
            gs_spread_out512(block);
        part_block(block, (uint32_t)here, groups, &ahead);
        for (uint32_t group = 0; group < groups->count; group++)
            over |= groups->next[group] > group * ROOM_KEYS + GROUP_KEYS;
        if (over != 0)
            return false;
    }
    return true;
}

/* Lanes whose number has a bit set. */
#define LANES_WITH(bit) ((__mmask32)(0xffffffffU / ((1U << (1 << (bit))) + 1) << (1 << (bit))))

/* For each lane the one whose number differs in some bits. */
INLINE_AVX512 vector partners(int bits)
{
    const vector lane = _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17,
                                         16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_xor_si512(lane, _mm512_set1_epi16((short)bits));
}

/* Columns of 2^bit lanes each, sorted: lower and upper one of two are compared from both ends, in
 * rows i (a) and ROWS - 1 - i (b). The smaller keys stay in the lower. */
INLINE_AVX512 void compare_ends(vector *a, vector *b, int bit)
{
    const vector mirrored = partners((2 << bit) - 1);
    const vector other = _mm512_permutexvar_epi16(mirrored, *b);
    const vector least = _mm512_min_epu16(*a, other);
    const vector most = _mm512_ternarylogic_epi32(*a, other, least, 0x96);
    *a = _mm512_mask_blend_epi16(LANES_WITH(bit), least, most);
    *b = _mm512_permutexvar_epi16(mirrored, _mm512_mask_blend_epi16(LANES_WITH(bit), most, least));
}

/* Compare the lanes of each row whose numbers differ in a bit, in two rows at once. */
INLINE_AVX512 void compare_lanes(vector *a, vector *b, int bit)
{
    const vector partner = partners(1 << bit);
    vector low = _mm512_mask_permutexvar_epi16(*a, LANES_WITH(bit), partner, *b);
    vector high = _mm512_mask_permutexvar_epi16(*b, ~LANES_WITH(bit), partner, *a);
    exchange(&low, &high);
    *a = _mm512_mask_permutexvar_epi16(low, LANES_WITH(bit), partner, high);
    *b = _mm512_mask_permutexvar_epi16(high, ~LANES_WITH(bit), partner, low);
}

/* Merge neighbours among columns of 2^bit lanes. Eight rows at a time are all that meet in the
 * first steps: i from either end of each 16. */
INLINE_AVX512 void merge_columns(vector *rows, int bit)
{
    for (int i = 0; i < BLOCK_ROWS / 2; i++) {
        vector r[8];
        for (int k = 0; k < 4; k++) {
            r[2 * k] = rows[BLOCK_ROWS * k + i];
            r[2 * k + 1] = rows[BLOCK_ROWS * k + BLOCK_ROWS - 1 - i];
        }
        for (int k = 0; k < 4; k++)
            compare_ends(&r[k], &r[7 - k], bit);
        for (int lower = bit - 1; lower >= 0; lower--)
            for (int k = 0; k < 4; k++)
                compare_lanes(&r[k], &r[7 - k], lower);
        for (int k = 0; k < 4; k++) /* 32 rows apart */
            exchange(&r[k], &r[4 + k]);
        for (int k = 0; k < 8; k += 4) { /* 16 rows apart */
            exchange(&r[k], &r[k + 2]);
            exchange(&r[k + 1], &r[k + 3]);
        }
        for (int k = 0; k < 4; k++) {
            rows[BLOCK_ROWS * k + i] = r[2 * k];
            rows[BLOCK_ROWS * k + BLOCK_ROWS - 1 - i] = r[2 * k + 1];
        }
    }
    for (int block = 0; block < 4; block++)
        clean_block(rows + BLOCK_ROWS * block);
}

/* Two groups: what a matrix is made of, and how it is written. */
struct pair {
    uint16_t base[LANES] __attribute__((aligned(64)));
    const uint16_t *room[2];
    uint32_t sum;
    uint32_t counts[LANES], lows[LANES];
};

INLINE_AVX512 void describe_pair(struct pair *pair, const struct groups *groups, uint32_t first)
{
    pair->sum = 0;
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t begin = (first + k) * ROOM_KEYS;
        const uint32_t count = groups->next[first + k] - begin;
        const gs_key low = groups->low + (gs_key)((first + k) * groups->width >> 32);
        const vector most = _mm512_set1_epi16((short)((uint16_t)low - 1)); /* less low */
        pair->room[k] = groups->rooms + begin;
        for (uint32_t i = count; i < GROUP_KEYS; i += LANES)
            _mm512_storeu_si512(groups->rooms + begin + i, most);
        for (uint32_t i = 0; i < GROUP_LANES; i++) {
            const uint32_t lane = k * GROUP_LANES + i;
            const uint32_t left = count > i * ROWS ? count - i * ROWS : 0;
            pair->counts[lane] = left < ROWS ? left : ROWS;
            pair->lows[lane] = low;
            pair->base[lane] = (uint16_t)low;
        }
        pair->sum += count;
    }
}

/* Rows of half one, half the other group. */
INLINE_AVX512 void load_pair(const struct pair *pair, vector *rows)
{
    const vector base = _mm512_load_si512(pair->base);
    for (int i = 0; i < ROWS; i += 2) {
        const vector a = _mm512_load_si512(pair->room[0] + GROUP_LANES * i);
        const vector b = _mm512_load_si512(pair->room[1] + GROUP_LANES * i);
        rows[i] = _mm512_sub_epi16(_mm512_shuffle_i64x2(a, b, 0x44), base);
        rows[i + 1] = _mm512_sub_epi16(_mm512_shuffle_i64x2(a, b, 0xee), base);
    }
}

/* Sort all groups to `to`. Stores past the caches wait for memory: each matrix is written part by
 * part between the steps of the next. */
static AVX512 void sort_groups(const struct groups *groups, gs_key *to, bool past_cache)
{
    struct writer writer;
    struct pair pair;
    vector rows[ROWS];

    writer.past_cache = past_cache;
    open_writer(&writer, to);
    for (uint32_t first = 0; first < groups->count; first += 2) {
        const uint32_t lines = writer.fill / LINE_KEYS / DRAINS;
        describe_pair(&pair, groups, first);
        load_pair(&pair, rows);
        drain_writer(&writer, lines);
        sort_columns((const uint16_t *)(const void *)rows, LANES, rows, _mm512_setzero_si512(),
                     _mm512_set1_epi16(ROWS), 4, 4);
        drain_writer(&writer, lines);
        merge_columns(rows, 0);
        drain_writer(&writer, lines);
        merge_columns(rows, 1);
        drain_writer(&writer, lines);
        merge_columns(rows, 2);
        drain_writer(&writer, lines);
        merge_columns(rows, 3);
        flush_writer(&writer, false);
        write_columns(rows, writer.line + writer.fill, pair.counts, pair.lows, 4);
        writer.fill += pair.sum;
    }
    flush_writer(&writer, true);
    _mm_sfence(); /* whoever reads them next must see lines that went past the caches */
}

bool gs_cache_sort_groups512(const struct gs_key_runs *runs, gs_key *to, gs_key *scratch,
                             size_t count, gs_key low, gs_key high, bool past_cache)
{
    struct groups groups;

    if (count < KEYS_MIN || count > GS_CACHE_SORT_CAPACITY)
        return false;
    groups.low = low;
    groups.count = (uint32_t)((count + MEAN_KEYS - 1) / MEAN_KEYS);
    groups.scale = ((uint64_t)groups.count << 32) / ((uint64_t)(high - low) + 1);
    if (groups.scale >> 32 != 0)
        return false;
    groups.width = UINT64_MAX / groups.scale;
    /* Two values more than 2^32 / scale: width and a group's low end are rounded down. */
    if ((groups.width >> 32) + 2 >= 1 << 16)
        return false;
    groups.rooms = (uint16_t *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    for (uint32_t group = 0; group <= groups.count; group++) /* and an empty one, if they are odd */
        groups.next[group] = group * ROOM_KEYS;
    if (!part_keys(runs, &groups))
        return false;
    sort_groups(&groups, to, past_cache);
    return true;
}

#endif
