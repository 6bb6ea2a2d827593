/* chunk_rooms.c -- put the keys of a chunk into the rooms of their bins while it is in cache.
 * SPDX-License-Identifier: MIT
 */
#include "sort/chunk_rooms.h"
#include "sort/vectors.h"

#include "common/memory.h"

#include <string.h>

enum {
    AHEAD = 16,        /* keys between a line's call into cache and its store */
    PASS_MAX = 64,     /* chunks that are not tried, where many in a row did not fit */
    STAGED_KEYS = 2048 /* copied past the caches at a time */
};

/* Rooms for a quarter more keys than counted and a few, and for `rest` more, of whole `unit`s. */
static void make_rooms(struct gs_rooms *rooms, const uint32_t *counts, uint32_t bins, uint32_t rest,
                       uint32_t unit)
{
    uint32_t sum = 0;
    for (uint32_t bin = 0; bin < bins; bin++) {
        rooms->first[bin] = sum;
        sum += (counts[bin] + counts[bin] / 4 + GS_ROOMS_SPARE + rest + unit - 1) / unit * unit;
        if (bin % GS_ROOMS_STAGGER == GS_ROOMS_STAGGER - 1)
            sum += GS_LINE_KEYS;
    }
    rooms->first[bins] = sum;
    rooms->known = true;
}

void gs_rooms_make(struct gs_rooms *rooms, const uint32_t *counts, uint32_t bins)
{
    make_rooms(rooms, counts, bins, 0, 1);
}

void gs_rooms_make_lines(struct gs_rooms *rooms, const uint32_t *counts, uint32_t bins)
{
    make_rooms(rooms, counts, bins, GS_LINE_KEYS - 1, GS_LINE_KEYS);
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
    rooms->pass = 1U << rooms->misses; /* the one at hand is not tried again, either */
    if (rooms->pass < PASS_MAX)
        rooms->misses++;
}

/* Is any room over-full? */
GS_CLONES static bool overflows(const uint32_t *next, const uint32_t *ends, uint32_t bins)
{
    uint32_t over = 0;
    for (uint32_t bin = 0; bin < bins; bin++)
        over |= next[bin] > ends[bin];
    return over != 0;
}

/* Is each line to be called into the first-level cache some keys ahead, to be written? Intel's
 * stores that miss wait for each other: 2^24 clustered keys, 256 bins, to count and place 28 ms so,
 * 41 without. AMD's (Zen 5) do not: 256 bins 22 ms so, 18.6 without; 1024 bins of 2^28 uniform keys
 * 90 and 70 ms, 4096 bins 108 and 86. */
static bool calls_ahead(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    return !__builtin_cpu_is("amd");
#else
    return true;
#endif
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

/* guide is a constant at every call, and so are shift, that of even bins, and ahead. The bins are
 * looked up twice, once to call their lines ahead: to note them for later takes a store, and stores
 * are what binds. Four places are noted before their stores, which leave the core in pairs so. */
static inline __attribute__((always_inline)) void
put_straight(const struct gs_splitters *restrict splitters, enum gs_guide guide, uint32_t shift,
             bool ahead, gs_key *restrict room, uint32_t *restrict next, const gs_key *keys,
             uint32_t count)
{
    const gs_key *const end = keys + count;
#define BIN(key)                                                                                   \
    (guide == GS_GUIDE_EVEN ? (key) >> shift : gs_splitters_bin(splitters, guide, 0, key))
    for (; end - keys >= 2 * AHEAD; keys += AHEAD) {
        __builtin_prefetch(keys + GS_ROOMS_BLOCK);
        for (const gs_key *four = keys; four < keys + AHEAD; four += 4) {
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

/* The same for splitters whose guide leaves no steps. */
static inline __attribute__((always_inline)) void put_all(const struct gs_splitters *splitters,
                                                          bool ahead, gs_key *room, uint32_t *next,
                                                          const gs_key *keys, uint32_t count)
{
#define PUT(guide, shift) put_straight(splitters, guide, shift, ahead, room, next, keys, count)
    if (splitters->guide == GS_GUIDE_TOP)
        PUT(GS_GUIDE_TOP, 0);
    else if (splitters->shift == 20) /* 4096 bins: a shift takes half as long by a constant */
        PUT(GS_GUIDE_EVEN, 20);
    else if (splitters->shift == 21)
        PUT(GS_GUIDE_EVEN, 21);
    else if (splitters->shift == 22)
        PUT(GS_GUIDE_EVEN, 22);
    else if (splitters->shift == 23)
        PUT(GS_GUIDE_EVEN, 23);
    else
        PUT(GS_GUIDE_EVEN, splitters->shift);
#undef PUT
}

bool gs_rooms_put_straight(struct gs_rooms *rooms, gs_key *room,
                           const struct gs_splitters *splitters, const gs_key *keys, uint32_t count,
                           uint32_t bins)
{
    if (calls_ahead())
        put_all(splitters, true, room, rooms->next, keys, count);
    else
        put_all(splitters, false, room, rooms->next, keys, count);
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
