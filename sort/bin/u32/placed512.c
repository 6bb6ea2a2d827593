/* placed512.c -- sort a bin by putting its keys one by one into groups.
 * SPDX-License-Identifier: MIT
 *
 * Groups and the network that sorts them are those of groups512.c, but each key goes
 * straight from its run to its group, as the keys of a chunk go to their rooms (chunk_rooms.h).
 * That costs two stores a key for any number of groups: 2.1 cycles on AMD's Zen 5, where splitting
 * step by step costs 2.7 for 2^18 keys and more for 2^20. Intel's stores that miss the first-level
 * cache wait for each other, so it is not used there.
 *
 * The rooms of all groups exist at once. The loop that stores keys checks nothing: a group with
 * more keys than its room overwrites the next one. A check every 2^11 to 2^16 keys, depending on
 * the number of groups, finds that, and the bin is then sorted in another way.
 */
#include "sort/bin/u32/vector_sorts.h"
#include "sort/bin/sizes.h"
#include "sort/bin/u32/ahead.h"
#include "sort/bin/u32/lanes512.h"
#include "sort/keys/vectors.h"

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

enum {
    PLACED_MIN = 1 << 16, /* fewer are split as fast: the steps stay in the first-level cache */
    GROUPS_LOG2_MAX = 13,
    PUT_AT_ONCE = 256 /* keys, before the next are prefetched */
};

struct placing {
    uint16_t *rooms; /* [groups][GS_LANE_ROOM], and room for unchecked_max keys behind them */
    gs_key low;
    unsigned shift;     /* the lowest of the bits that tell groups apart */
    unsigned bits;      /* the number of these bits */
    uint32_t groups;    /* up to 2^bits */
    uint32_t unchecked; /* keys stored since the last check */
    /* [2^bits]: the place of each group's next key. A key outside the bin's bounds may belong to a
     * group that does not exist: it goes behind the last one. */
    uint32_t next[1 << GROUPS_LOG2_MAX];
};

/* Keys that may be stored between two checks. */
static uint32_t unchecked_max(const struct placing *placing)
{
    return 8U << placing->bits;
}

/* Choose the groups and place their rooms; false if the keys are too sparse or too dense, if there
 * would be more than 2^GROUPS_LOG2_MAX groups, or if scratch is too small. */
static bool plan_placing(struct placing *placing, gs_key *scratch, size_t scratch_keys,
                         size_t count, gs_key low, gs_key high)
{
    const gs_key *const end = scratch + scratch_keys;
    const uint64_t range = (uint64_t)(high - low) + 1;
    const unsigned shift = gs_group_shift(count, range);
    const uint64_t last = (range - 1) >> shift;

    if (!gs_group_mean_fits(count, range, shift) || last >> GROUPS_LOG2_MAX > 0)
        return false;
    placing->low = low;
    placing->shift = shift;
    placing->bits = 8;
    while (last >> placing->bits > 0)
        placing->bits++;
    placing->groups = (uint32_t)last + 1;
    placing->unchecked = 0;
    /* The cache line before the rooms may be read. */
    gs_key *begin = (gs_key *)(((uintptr_t)scratch + 127) & ~(uintptr_t)63);
    placing->rooms = (uint16_t *)(void *)begin;
    for (uint32_t i = 0; i < 1U << placing->bits; i++)
        placing->next[i] = (i < placing->groups ? i : placing->groups) * GS_LANE_ROOM;
    const size_t words = (size_t)placing->groups * GS_LANE_ROOM + unchecked_max(placing);
    return begin + words / 2 < end;
}

/* Has no group overflowed, and no key fallen outside all groups? */
static AVX512 bool all_fit(const struct placing *placing)
{
    const uint32_t behind = placing->groups * GS_LANE_ROOM;
    uint32_t over = 0;

    for (uint32_t i = 0; i < placing->groups; i++)
        over |= placing->next[i] > i * GS_LANE_ROOM + GS_LANE_ROWS;
    for (uint32_t i = placing->groups; i < 1U << placing->bits; i++)
        over |= placing->next[i] > behind;
    return over == 0;
}

/* Store keys in their groups' rooms. Not inlined, and one stream of keys: otherwise GCC runs out of
 * registers, and one spill for four keys costs 5 %. All four places are looked up before the first
 * store, so that stores leave the core in pairs. */
__attribute__((noinline, target("bmi"))) static void put_keys(struct placing *placing,
                                                              const gs_key *keys, uint32_t count)
{
    uint16_t *restrict rooms = placing->rooms;
    uint32_t *restrict next = placing->next;
    const gs_key low = placing->low;
    const uint32_t field = placing->shift | placing->bits << 8;
    const gs_key *const end = keys + count, *const fours = keys + count / 4 * 4;

#define NEXT(key) next[__builtin_ia32_bextr_u32(key, field)]
    for (; keys < fours; keys += 4) {
        const gs_key a = keys[0] - low;
        const uint32_t place_a = NEXT(a)++;
        const gs_key b = keys[1] - low;
        const uint32_t place_b = NEXT(b)++;
        const gs_key c = keys[2] - low;
        const uint32_t place_c = NEXT(c)++;
        const gs_key d = keys[3] - low;
        const uint32_t place_d = NEXT(d)++;
        rooms[place_a] = (uint16_t)a;
        rooms[place_b] = (uint16_t)b;
        rooms[place_c] = (uint16_t)c;
        rooms[place_d] = (uint16_t)d;
    }
    for (; keys < end; keys++) {
        const gs_key key = *keys - low;
        rooms[NEXT(key)++] = (uint16_t)key;
    }
#undef NEXT
}

/* Store all keys in their groups; false if a group has overflowed. */
static AVX512 bool make_groups(const struct gs_rows *rows, struct placing *placing)
{
    struct gs_ahead ahead = {.rows = rows};

    gs_ahead_call(&ahead, 0);
    for (uint64_t row = 0; row < rows->count; row++) {
        uint32_t count;
        const gs_key *run = gs_rows_run(rows, row, &count);
        for (uint32_t done = 0, here; done < count; done += here) {
            here = count - done < PUT_AT_ONCE ? count - done : PUT_AT_ONCE;
            gs_ahead_call(&ahead, here);
            placing->unchecked += here;
            if (placing->unchecked > unchecked_max(placing)) {
                if (!all_fit(placing))
                    return false;
                placing->unchecked = here;
            }
            put_keys(placing, run + done, here);
        }
    }
    return all_fit(placing);
}

bool gs_placed512_sort(const struct gs_rows *rows, const struct gs_bin_output *output,
                       gs_key *scratch, size_t scratch_keys, size_t count, gs_key low, gs_key high)
{
    struct placing placing;
    struct gs_lanes lanes;

    if (count < PLACED_MIN || count > GS_CACHE_SORT_LARGE ||
        !plan_placing(&placing, scratch, scratch_keys, count, low, high) ||
        !make_groups(rows, &placing))
        return false;
    uint16_t *const rooms[2] = {placing.rooms, placing.rooms};
    gs_lanes_open512(&lanes, rooms, gs_lanes_waiting(placing.groups), output);
    for (uint32_t i = 0; i < placing.groups; i++) {
        const uint32_t begin = i * GS_LANE_ROOM;
        const gs_key base = low + (i << placing.shift >> 16 << 16);
        if (gs_lanes_add512(&lanes, placing.next[i] - begin, base))
            gs_lanes_move_room(&lanes, placing.rooms + begin + GS_LANE_ROOM);
    }
    gs_lanes_flush512(&lanes);
    _mm_sfence(); /* the next reader must see the lines that went past the caches */
    return true;
}

bool gs_placed512_usable(void)
{
    return gs_groups512_usable() && __builtin_cpu_supports("bmi");
}

bool gs_placed512_pays(void)
{
    return gs_placed512_usable() && gs_is_amd();
}
