/* groups512.c -- sort a bin by splitting it into groups that a network sorts.
 * SPDX-License-Identifier: MIT
 *
 * All keys of a bin are split by compressing (split512.h), two bits of key - low at a
 * time. After about five such steps a group of evenly spread keys has 130 to 260 keys, and is at
 * most 2^16 values wide. 32 groups are sorted side by side (lanes512.h).
 *
 *   block    1024 keys in four parts, each of which is at once split again, into
 *   areas    up to 16, which together hold the bin. They are split one after the other, part by
 *            part, so that the current part stays in cache:
 *   keys     parts of whole keys, as long as their upper 16 bits differ
 *   words    parts of the keys' lower 16 bits
 *   groups   which wait until enough of them are there
 *
 * A part has room for twice its share. Nothing checks that while keys are stored: a part that gets
 * more overwrites those behind it, and then whatever was being split is sorted in another way.
 */
#include "sort/bin/u32/vector_sorts.h"
#include "sort/bin/portable.h"
#include "sort/bin/sizes.h"
#include "sort/bin/u32/ahead.h"
#include "sort/bin/u32/lanes512.h"
#include "sort/bin/u32/split512.h"
#include "sort/keys/vectors.h"

#include <assert.h>
#include <string.h>

enum {
    KEYS_MIN = 1 << 13,
    PARTS = 4,
    AREAS = PARTS * PARTS,
    AREA_BITS = 2, /* bits of the second of the two steps that make areas */
    STEPS_MAX = 6, /* steps behind those two */
    BLOCK_KEYS_READ = 1024,
    BLOCK_ROOM = BLOCK_KEYS_READ + SPLIT_KEYS,
    CALLED_AT_ONCE = 128 /* keys, before the next are prefetched */
};

static_assert(GS_LANE_ROOM - SPLIT_WORDS == GS_LANE_ROWS, "a part that is a group fits its lane");

/* How keys or words are split. */
struct step {
    enum { KEYS, KEYS_TO_WORDS, WORDS } kind;
    unsigned bits;  /* 2^bits parts */
    unsigned shift; /* the lowest of the bits that select a part */
    size_t room;    /* room of a part, in keys or words, with a vector that may be overwritten */
    unsigned char *parts; /* rooms, and behind them as much room as what is split has; the last step
                             uses group_rooms */
};

struct split {
    gs_key low;
    struct step steps[STEPS_MAX]; /* steps that split areas; the last one first */
    unsigned count;
    unsigned area_shift;      /* the lowest of the bits that select an area */
    size_t area_count;        /* up to AREAS */
    size_t area_room;         /* keys, with a vector that may be overwritten */
    gs_key *areas;            /* [area_count][area_room], and a block behind them */
    gs_key *block_parts;      /* [PARTS][BLOCK_ROOM] */
    gs_key *large_scratch;    /* [area_room] */
    uint16_t *group_rooms[2]; /* [groups_waiting][GS_LANE_ROOM] each, and behind them as much room
                                 as what the last step splits has */
    uint32_t groups_waiting;
    bool written;                /* some keys were written to the output */
    struct gs_bin_output output; /* the rest of it */
    struct gs_lanes lanes;
};

static AVX512_VBMI2 void split_to_keys(const gs_key *keys, size_t count, gs_key low, unsigned shift,
                                       unsigned char **next)
{
    split_keys(keys, count, low, shift, next);
}

/* Do a step. The loops for 4 and 8 parts are compiled separately, and so is the most frequent case,
 * in which the split is by the lowest two of the upper 16 bits. */
static AVX512_VBMI2 void do_step(const struct step *step, const void *from, size_t count,
                                 unsigned char **next)
{
    if (step->kind == KEYS)
        split_to_keys(from, count, 0, step->shift, next);
    else if (step->kind == WORDS && step->bits == 2)
        split_words(from, count, 4, step->shift, next);
    else if (step->kind == WORDS)
        split_words(from, count, 8, step->shift, next);
    else if (step->bits == 2 && step->shift == SPLIT_WORD_BITS)
        split_keys_to_words(from, count, 4, SPLIT_WORD_BITS, next);
    else if (step->bits == 2)
        split_keys_to_words(from, count, 4, step->shift, next);
    else
        split_keys_to_words(from, count, 8, step->shift, next);
}

/* Where an area begins. Keys outside the bin's bounds may belong to an area that does not exist:
 * they go behind the last one. */
static gs_key *area_begin(const struct split *split, size_t area)
{
    return split->areas + (area < split->area_count ? area : split->area_count) * split->area_room;
}

/* How far an area's keys may reach; none may go behind the last area. */
static const gs_key *area_end(const struct split *split, size_t area)
{
    return area < split->area_count ? area_begin(split, area + 1) - SPLIT_KEYS
                                    : area_begin(split, area);
}

static void empty_block(const struct split *split, unsigned char **parts)
{
    for (size_t part = 0; part < PARTS; part++)
        parts[part] = (unsigned char *)(split->block_parts + part * BLOCK_ROOM);
}

/* Move the parts of a block to their areas; false if an area has overflowed. */
static AVX512_VBMI2 bool move_block(const struct split *split, unsigned char *const *parts,
                                    unsigned char **next)
{
    bool over = false;

    for (size_t part = 0; part < PARTS; part++) {
        const gs_key *begin = split->block_parts + part * BLOCK_ROOM;
        const gs_key *end = (const gs_key *)(const void *)parts[part];
        split_to_keys(begin, (size_t)(end - begin), 0, split->area_shift, next + PARTS * part);
    }
    for (size_t area = 0; area < AREAS; area++)
        over |= (const gs_key *)(const void *)next[area] > area_end(split, area);
    return !over;
}

/* Put all keys, less low, into their areas; false if an area has overflowed. */
static AVX512_VBMI2 bool make_areas(const struct gs_rows *rows, const struct split *split,
                                    uint32_t *counts)
{
    struct gs_ahead ahead = {.rows = rows};
    unsigned char *parts[PARTS], *next[AREAS];
    size_t block = 0;

    for (size_t area = 0; area < AREAS; area++)
        next[area] = (unsigned char *)area_begin(split, area);
    empty_block(split, parts);
    gs_ahead_call(&ahead, 0);
    for (uint64_t row = 0; row < rows->count; row++) {
        uint32_t count;
        const gs_key *run = gs_rows_run(rows, row, &count);
        for (size_t done = 0, here; done < count; done += here) {
            const size_t left = count - done, fits = BLOCK_KEYS_READ - block;
            here = left < fits ? left : fits;
            here = here < CALLED_AT_ONCE ? here : CALLED_AT_ONCE;
            gs_ahead_call(&ahead, here);
            split_to_keys(run + done, here, split->low, split->area_shift + AREA_BITS, parts);
            block += here;
            if (block < BLOCK_KEYS_READ)
                continue;
            if (!move_block(split, parts, next))
                return false;
            empty_block(split, parts);
            block = 0;
        }
    }
    if (!move_block(split, parts, next))
        return false;
    for (size_t area = 0; area < split->area_count; area++)
        counts[area] =
            (uint32_t)((const gs_key *)(const void *)next[area] - area_begin(split, area));
    return true;
}

/* The part that the keys of a group share: low and the upper bits of base. */
static gs_key word_base(const struct split *split, gs_key base)
{
    return split->low + (base >> SPLIT_WORD_BITS << SPLIT_WORD_BITS);
}

static void open_lanes(struct split *split, gs_key *to)
{
    struct gs_bin_output output = split->output;
    output.to = to;
    gs_lanes_open512(&split->lanes, split->group_rooms, split->groups_waiting, &output);
}

/* Sort keys or words by radix, since a step would overflow one of their parts. */
static AVX512_VBMI2 void sort_in_steps(struct split *split, const struct step *step,
                                       const void *from, uint32_t count, gs_key base)
{
    gs_key *to = gs_lanes_flush512(&split->lanes);

    if (step->kind == WORDS)
        for (uint32_t i = 0; i < count; i++)
            to[i] = word_base(split, base) + ((const uint16_t *)from)[i];
    else
        for (uint32_t i = 0; i < count; i++)
            to[i] = split->low + ((const gs_key *)from)[i];
    const gs_key *sorted = gs_radix_sort(to, split->large_scratch, count);
    if (split->output.codec != NULL)
        gs_codec_store(split->output.codec, sorted, to, count);
    else if (sorted != to)
        memcpy(to, sorted, count * sizeof *to);
    open_lanes(split, to + count);
}

/* Do step `number` and those below it, down to groups. base is what the keys, less low, have in
 * common. false if a part overflows before anything was written. */
static AVX512_VBMI2 bool split_further(struct split *split, unsigned number, const void *from,
                                       uint32_t count, gs_key base)
{
    const struct step *step = &split->steps[number];
    const size_t size = step->kind == KEYS ? sizeof(gs_key) : sizeof(uint16_t);
    const size_t room = step->room * size;
    const uint32_t parts = 1U << step->bits;
    unsigned char *begin = number > 0 ? step->parts : (unsigned char *)gs_lanes_room(&split->lanes);
    split_places next;
    uint32_t counts[SPLIT_PARTS_MAX];
    bool over = false;

    if (count == 0)
        return true;
    for (uint32_t part = 0; part < parts; part++)
        next[part] = begin + part * room;
    do_step(step, from, count, next);
    for (uint32_t part = 0; part < parts; part++) {
        counts[part] = (uint32_t)((size_t)(next[part] - (begin + part * room)) / size);
        over |= counts[part] > step->room - SPLIT_WORDS;
    }
    if (over && !split->written)
        return false;
    if (over) {
        sort_in_steps(split, step, from, count, base);
        return true;
    }
    for (uint32_t part = 0; part < parts; part++) {
        const gs_key its_base = base + (part << step->shift);
        if (number == 0)
            split->written |=
                gs_lanes_add512(&split->lanes, counts[part], word_base(split, its_base));
        else if (!split_further(split, number - 1, begin + part * room, counts[part], its_base))
            return false;
    }
    return true;
}

/* Choose the steps for `bits` bits above `shift`, stored last step first. Words can take 16 - shift
 * of the bits; if that covers all, the first step makes words. Steps take 2 or 3 bits, so one bit
 * must not be left alone. */
static bool plan_steps(struct split *split, unsigned shift, unsigned bits)
{
    unsigned words = SPLIT_WORD_BITS - shift, done = 0, steps = 0;

    if (bits <= words)
        words = bits - (bits % 2 == 1 ? 3 : 2);
    else if (bits - words == 1)
        words--;
    if (words == 1)
        words = 0;
    for (; done < bits && steps < STEPS_MAX; steps++) {
        struct step *step = &split->steps[steps];
        const unsigned left = (done < words ? words : bits) - done;
        step->kind = done < words ? WORDS : done == words ? KEYS_TO_WORDS : KEYS;
        step->bits = left % 2 == 1 ? 3 : 2;
        step->shift = shift + done;
        done += step->bits;
    }
    split->count = steps;
    return done == bits;
}

/* Place the rooms of all steps in *scratch; density is keys per 2^32 values. Returns how many keys
 * an area should have room for. */
static size_t place_parts(struct split *split, gs_key **scratch, uint64_t density)
{
    size_t room = GS_LANE_ROOM;

    for (unsigned i = 0; i < split->count; i++) {
        struct step *step = &split->steps[i];
        const size_t parts = i == 0 ? split->groups_waiting : (size_t)1 << step->bits;
        const uint64_t share = density << (step->shift + step->bits) >> GS_KEY_BITS;
        step->room = room;
        /* Room of what this step splits: an odd number of cache lines, so that parts use all sets
         * of a cache. */
        room = (size_t)(2 * share + 256) / (2 * SPLIT_WORDS) * (2 * SPLIT_WORDS) + SPLIT_WORDS;
        const size_t all = parts * step->room + room + SPLIT_WORDS;
        const size_t keys =
            (step->kind == KEYS ? all : all / 2) / SPLIT_KEYS * SPLIT_KEYS + SPLIT_KEYS;
        if (i == 0)
            for (int set = 0; set < 2; set++, *scratch += keys)
                split->group_rooms[set] = (uint16_t *)(void *)*scratch;
        else {
            step->parts = (unsigned char *)*scratch;
            *scratch += keys;
        }
    }
    return room;
}

/* Choose groups of 2^shift values, and place all buffers; false if keys are too sparse or too
 * dense, or scratch is too small. */
static bool plan_split(struct split *split, gs_key *scratch, size_t scratch_keys, size_t count,
                       gs_key low, gs_key high)
{
    const gs_key *const end = scratch + scratch_keys;
    const uint64_t range = (uint64_t)(high - low) + 1;
    const uint64_t density = ((uint64_t)count << GS_KEY_BITS) / range;
    const unsigned shift = gs_group_shift(count, range);
    unsigned bits = 2;

    const uint64_t last_group = (range - 1) >> shift;
    while (last_group >> (bits + AREA_BITS) >= PARTS)
        bits++;
    if (!gs_group_mean_fits(count, range, shift) || !plan_steps(split, shift, bits))
        return false;
    split->low = low;
    split->written = false;
    split->area_shift = shift + bits;
    split->area_count = (size_t)(last_group >> bits) + 1;
    split->groups_waiting = gs_lanes_waiting((size_t)last_group + 1);
    split->block_parts = (gs_key *)(((uintptr_t)scratch + 63) & ~(uintptr_t)63);
    scratch = split->block_parts + PARTS * BLOCK_ROOM;
    const size_t room = place_parts(split, &scratch, density);
    if (scratch + BLOCK_ROOM >= end)
        return false;
    const size_t most = (size_t)(end - scratch - BLOCK_ROOM) / (split->area_count + 1);
    const size_t share = (size_t)(density << split->area_shift >> GS_KEY_BITS);
    split->area_room = room < most ? room : most / SPLIT_KEYS * SPLIT_KEYS;
    split->large_scratch = scratch;
    split->areas = scratch + split->area_room;
    return most > share + share / 16 + 256;
}

static AVX512_VBMI2 bool sort_bin(const struct gs_rows *rows, struct split *split,
                                  const struct gs_bin_output *output)
{
    uint32_t counts[AREAS];

    if (!make_areas(rows, split, counts))
        return false;
    split->output = *output;
    open_lanes(split, output->to);
    for (uint32_t area = 0; area < split->area_count; area++)
        if (!split_further(split, split->count - 1, area_begin(split, area), counts[area],
                           area << split->area_shift))
            return false;
    gs_lanes_flush512(&split->lanes);
    _mm_sfence(); /* the next reader, on any thread, must see the non-temporal stores */
    return true;
}

bool gs_groups512_sort(const struct gs_rows *rows, const struct gs_bin_output *output,
                       gs_key *scratch, size_t scratch_keys, size_t count, gs_key low, gs_key high)
{
    struct split split;

    return count >= KEYS_MIN && count <= GS_CACHE_SORT_LARGE &&
           plan_split(&split, scratch, scratch_keys, count, low, high) &&
           sort_bin(rows, &split, output);
}

bool gs_groups512_usable(void)
{
    return GS_HAS_AVX512 && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi2");
}
