/* cache_sort_placed512.c -- sort a bin by putting its keys one by one into groups.
 * SPDX-License-Identifier: MIT
 *
 * The groups are those of cache_sort_groups512.c, and so is the network that sorts them; but a key
 * goes straight from its run to its group, as keys of a chunk go to their rooms (chunk_rooms.h).
 * That takes two stores, however many groups there are: 2.1 cycles on AMD's Zen 5, where to split
 * 2^18 keys step by step takes 2.7, and 2^20 keys more. Intel's stores that miss the first-level
 * cache wait for each other.
 *
 * All groups have their rooms at once. While keys are put nobody looks: a group that gets more than
 * its room spoils the next one, which is found some keys later; then the bin is left to others.
 */
#include "sort/cache_sort_columns.h"

#if GS_HAS_AVX2

#include "sort/cache_sort_lanes512.h"

enum {
    KEYS_MIN = 1 << 16, /* of fewer, steps are as fast: they stay in the first-level cache */
    GROUPS_LOG2_MAX = 13,
    PUT_AT_ONCE = 256,  /* keys, */
    CALLED_AHEAD = 1024 /* while so many are called into cache */
};

struct placing {
    uint16_t *rooms; /* [groups][GS_LANE_ROOM], and as much as is put before somebody looks */
    gs_key low;
    unsigned shift;     /* the lowest of the bits that tell groups apart */
    unsigned bits;      /* so many of them */
    uint32_t groups;    /* up to 2^bits */
    uint32_t unchecked; /* keys put since somebody looked */
    /* [2^bits]: where each one's next key goes. Keys outside of the bin's bounds may have a group
     * that is not there: they go behind the last one. */
    uint32_t next[1 << GROUPS_LOG2_MAX];
};

/* So many keys are put before somebody looks. */
static uint32_t unchecked_max(const struct placing *placing)
{
    return 8U << placing->bits;
}

/* Choose groups, and place their rooms; false if keys are too few or too many for it. */
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
    /* The line before them may be read. */
    gs_key *begin = (gs_key *)(((uintptr_t)scratch + 127) & ~(uintptr_t)63);
    placing->rooms = (uint16_t *)(void *)begin;
    for (uint32_t i = 0; i < 1U << placing->bits; i++)
        placing->next[i] = (i < placing->groups ? i : placing->groups) * GS_LANE_ROOM;
    const size_t words = (size_t)placing->groups * GS_LANE_ROOM + unchecked_max(placing);
    return begin + words / 2 < end;
}

/* Is no group over-full, and no key outside of all? */
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

/* Put some keys into their groups' rooms. A function of its own, and one stream of keys: else GCC
 * runs out of registers, and a store more for four keys takes 5 % longer. Places are noted before
 * stores, which leave the core in pairs so. */
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

/* Put all keys into their groups; false if one has not enough room. */
static AVX512 bool make_groups(const struct gs_key_runs *runs, struct placing *placing)
{
    struct ahead ahead = {.runs = runs};

    call_lines(&ahead, 0, CALLED_AHEAD);
    for (uint64_t chunk = 0; chunk < runs->chunks; chunk++) {
        uint32_t count;
        const gs_key *run = gs_key_run(runs, chunk, &count);
        for (uint32_t done = 0, here; done < count; done += here) {
            here = count - done < PUT_AT_ONCE ? count - done : PUT_AT_ONCE;
            call_lines(&ahead, here, CALLED_AHEAD);
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

bool gs_cache_sort_placed512(const struct gs_key_runs *runs, gs_key *to, gs_key *scratch,
                             size_t scratch_keys, size_t count, gs_key low, gs_key high,
                             bool past_cache)
{
    struct placing placing;
    struct gs_lanes lanes;

    if (count < KEYS_MIN || count > GS_CACHE_SORT_LARGE ||
        !plan_placing(&placing, scratch, scratch_keys, count, low, high) ||
        !make_groups(runs, &placing))
        return false;
    uint16_t *const rooms[2] = {placing.rooms, placing.rooms};
    gs_lanes_open512(&lanes, rooms, gs_lanes_waiting(placing.groups), to, past_cache);
    for (uint32_t i = 0; i < placing.groups; i++) {
        const uint32_t begin = i * GS_LANE_ROOM;
        const gs_key base = low + (i << placing.shift >> 16 << 16);
        if (gs_lanes_add512(&lanes, placing.next[i] - begin, base))
            gs_lanes_move_room(&lanes, placing.rooms + begin + GS_LANE_ROOM);
    }
    gs_lanes_flush512(&lanes);
    _mm_sfence(); /* whoever reads them next must see lines that went past the caches */
    return true;
}

bool gs_cache_sort_placed512_usable(void)
{
    return gs_cache_sort_columns512_usable() && __builtin_cpu_supports("bmi");
}

bool gs_cache_sort_placed512_pays(void)
{
    return gs_cache_sort_placed512_usable() && gs_is_amd();
}

#endif
