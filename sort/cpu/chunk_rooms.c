/* chunk_rooms.c -- put the keys of a chunk into the rooms of their bins, in cache.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cpu/chunk_rooms.h"
#include "sort/keys/vectors.h"

#include "common/memory/memory.h"

#include <string.h>

enum {
    AHEAD = 16,        /* prefetch distance, in keys */
    PASS_MAX = 64,     /* most chunks skipped after many in a row did not fit */
    STAGED_KEYS = 2048 /* keys copied past the caches at once */
};

void gs_rooms_make(struct gs_rooms *rooms, const uint32_t *counts, uint32_t bins, bool lines)
{
    const uint32_t unit = lines ? GS_LINE_KEYS : 1;
    const uint32_t rest = unit - 1; /* of a line of earlier chunks */
    uint32_t sum = 0;
    if (bins > GS_ROOMS_BINS_MAX)
        return;
    for (uint32_t bin = 0; bin < bins; bin++) {
        rooms->first[bin] = sum;
        sum += (counts[bin] + counts[bin] / 4 + GS_ROOMS_SPARE + rest + unit - 1) / unit * unit;
        if (bin % GS_ROOMS_STAGGER == GS_ROOMS_STAGGER - 1)
            sum += GS_LINE_KEYS;
    }
    rooms->first[bins] = sum;
    rooms->known = true;
}

bool gs_rooms_begin(struct gs_rooms *rooms, uint32_t bins)
{
    rooms->placed = false;
    if (!rooms->known)
        return false;
    if (rooms->pass > 0) {
        rooms->pass--;
        return false;
    }
    memcpy(rooms->next, rooms->first, bins * sizeof *rooms->next);
    return true;
}

void gs_rooms_end(struct gs_rooms *rooms, bool fits)
{
    rooms->placed = fits;
    if (fits) {
        rooms->misses = 0;
        return;
    }
    rooms->pass = 1U << rooms->misses; /* includes the current chunk, which is not tried again */
    if (rooms->pass < PASS_MAX)
        rooms->misses++;
}

/* Has any room overflowed? */
GS_CLONES static bool overflows(const uint32_t *next, const uint32_t *ends, uint32_t bins)
{
    uint32_t over = 0;
#pragma omp simd reduction(| : over)
    for (uint32_t bin = 0; bin < bins; bin++)
        over |= next[bin] > ends[bin];
    return over != 0;
}

/* Should each line be prefetched into the first-level cache for writing? On Intel, stores that miss
 * wait for each other: to count and place 2^24 clustered keys in 256 bins takes 28 ms with it, 41
 * without. On AMD (Zen 5) they do not: 256 bins take 22 ms with it, 18.6 without; for 2^28 uniform
 * keys, 1024 bins take 90 and 70 ms, 4096 bins 108 and 86. */
static bool calls_ahead(void)
{
    return !gs_is_amd();
}

bool gs_rooms_put(struct gs_rooms *rooms, gs_key *restrict room, uint32_t count, uint32_t bins)
{
    const gs_key *keys = rooms->keys;
    const uint16_t *bin = rooms->bins;
    uint32_t *next = rooms->next;
    const uint32_t called = calls_ahead() && count > AHEAD ? count - AHEAD : 0;
    uint32_t i = 0;
    for (; i < called; i++) {
        __builtin_prefetch(room + next[bin[i + AHEAD]], 1);
        room[next[bin[i]]++] = keys[i];
    }
    for (; i < count; i++)
        room[next[bin[i]]++] = keys[i];
    return !overflows(next, rooms->first + 1, bins);
}

/* Put keys straight from the input into their rooms. guide and ahead are constants at every call,
 * and so is shift for most even bins. Where lines are prefetched, each bin is looked up twice: to
 * remember it would take a store, and stores are the bottleneck. Four places are computed before
 * their stores, so that the stores leave the core in pairs. */
static inline __attribute__((always_inline)) void
put_straight(const struct gs_splitters *restrict splitters, enum gs_guide guide, uint32_t shift,
             bool ahead, gs_key *restrict room, uint32_t *restrict next, const gs_key *keys,
             uint32_t count, const char *follow)
{
    const gs_key *const end = keys + count;
#define BIN(key)                                                                                   \
    (guide == GS_GUIDE_EVEN ? (key) >> shift : gs_splitters_bin(splitters, guide, 0, key))
    for (; end - keys >= 2 * AHEAD; keys += AHEAD, follow += AHEAD * sizeof *keys) {
        __builtin_prefetch(follow);
        for (const gs_key *four = keys; four < keys + AHEAD; four += 4) {
#pragma GCC unroll 4
            for (int i = AHEAD; ahead && i < AHEAD + 4; i++)
                __builtin_prefetch(room + next[BIN(four[i])], 1);
            const gs_key a = gs_read_once(four), b = gs_read_once(four + 1);
            const gs_key c = gs_read_once(four + 2), d = gs_read_once(four + 3);
            const uint32_t place_a = next[BIN(a)]++;
            const uint32_t place_b = next[BIN(b)]++;
            const uint32_t place_c = next[BIN(c)]++;
            const uint32_t place_d = next[BIN(d)]++;
            room[place_a] = a;
            room[place_b] = b;
            room[place_c] = c;
            room[place_d] = d;
        }
    }
    for (; keys < end; keys++) {
        const gs_key key = gs_read_once(keys);
        room[next[BIN(key)]++] = key;
    }
#undef BIN
}

/* Dispatch to put_straight for splitters whose guide leaves no halving steps. */
static inline __attribute__((always_inline)) void put_all(const struct gs_splitters *splitters,
                                                          bool ahead, gs_key *room, uint32_t *next,
                                                          const gs_key *keys, uint32_t count,
                                                          const char *follow)
{
#define PUT(guide, shift)                                                                          \
    put_straight(splitters, guide, shift, ahead, room, next, keys, count, follow)
    if (splitters->guide == GS_GUIDE_TOP)
        PUT(GS_GUIDE_TOP, 0);
    else if (splitters->shift ==
             GS_KEY_BITS - 12) /* 4096 bins: shifting by a constant takes half as long */
        PUT(GS_GUIDE_EVEN, GS_KEY_BITS - 12);
    else if (splitters->shift == GS_KEY_BITS - 11)
        PUT(GS_GUIDE_EVEN, GS_KEY_BITS - 11);
    else if (splitters->shift == GS_KEY_BITS - 10)
        PUT(GS_GUIDE_EVEN, GS_KEY_BITS - 10);
    else if (splitters->shift == GS_KEY_BITS - 9)
        PUT(GS_GUIDE_EVEN, GS_KEY_BITS - 9);
    else
        PUT(GS_GUIDE_EVEN, splitters->shift);
#undef PUT
}

bool gs_rooms_put_straight(struct gs_rooms *rooms, gs_key *room,
                           const struct gs_splitters *splitters, const gs_key *keys, uint32_t count,
                           uint32_t bins, const void *follow)
{
    if (calls_ahead())
        put_all(splitters, true, room, rooms->next, keys, count, follow);
    else
        put_all(splitters, false, room, rooms->next, keys, count, follow);
    return !overflows(rooms->next, rooms->first + 1, bins);
}

void gs_copy_bins(const uint32_t *starts, const uint32_t *ends, uint32_t bins, const gs_key *keys,
                  gs_key *to)
{
    gs_key staged[STAGED_KEYS];
    uint32_t filled = 0;
    for (uint32_t bin = 0; bin < bins; bin++) {
        uint32_t left = starts[bin + 1] - starts[bin];
        const gs_key *from = keys + ends[bin] - left;
        while (left > 0) {
            uint32_t here = left < STAGED_KEYS - filled ? left : STAGED_KEYS - filled;
            memcpy(staged + filled, from, here * sizeof *from);
            filled += here;
            from += here;
            left -= here;
            if (filled == STAGED_KEYS) {
                gs_copy_past_cache(to, staged, sizeof staged);
                to += STAGED_KEYS;
                filled = 0;
            }
        }
    }
    gs_copy_past_cache(to, staged, filled * sizeof *staged);
}
