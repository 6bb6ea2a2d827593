/* lists.h -- interleaved lists in one array, and how one of them is sorted: for both devices.
 * SPDX-License-Identifier: MIT
 *
 * Key i of the input is key i / L of list i mod L, and lies in word i: so the input is the lists as
 * it stands, whatever n is. Behind the last row comes a scratch list for each list, interleaved
 * likewise. Thread t of a GPU block touches the words t, t + L, t + 2 L, ... alone: L being a power
 * of two, these are in bank t mod 32, or, of fewer lists than banks, in banks that no other thread
 * of its row meets. No two lanes of a warp ever want different words of one bank, however far apart
 * their lists have come. ncu counted it on an H200, 38,656 keys, 32 lists: no bank conflict in
 * 97,895 to 213,863 loads and 59,237 to 136,551 stores of each engine (metrics
 * l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum and ..._st.sum). With 256 lists the
 * merges, not the lists, have some: 0.02 of them for a load in atomicmin.
 *
 * A list is sorted by one bit after the other, from the lowest. A pass walks through the list; keys
 * with one value of the bit stay and close ranks in place, those with the other go to the scratch
 * list, which then is put behind them. The rarer value is the one that goes: walking down from the
 * end where that is the zeros makes this stable all the same, and half a list of scratch is enough
 * for any keys. How often a value comes is known from the pass before, which counts the next bit.
 */
#ifndef GS_LISTS_H
#define GS_LISTS_H

#include "common/keys.h"
#include "common/random.h" /* GS_HOST_DEVICE */
#include "sort/limits.h"

#include <stdbool.h>

/* How a merge step finds the least head: what the engines of engine.h differ in. */
enum gs_lists_merge { GS_MERGE_ATOMICMIN, GS_MERGE_REDUCTION, GS_MERGE_HYBRID };

/* Words behind the lists that a merge may use for what its threads share: the scratch lists are not
 * needed then. */
#define GS_LISTS_STATE_WORDS 512

/* Rows: keys of the longest list. */
GS_HOST_DEVICE static inline uint32_t gs_lists_rows(uint32_t n, uint32_t lists)
{
    return (n + lists - 1) / lists;
}

/* Keys of one list; none where there are fewer keys than lists. */
GS_HOST_DEVICE static inline uint32_t gs_lists_length(uint32_t n, uint32_t lists, uint32_t list)
{
    return list < n ? (n - list - 1) / lists + 1 : 0;
}

/* The word where the scratch lists begin: as they are multiples of L and of four, their banks are
 * those of the lists, and two words may be read as one. */
GS_HOST_DEVICE static inline uint32_t gs_lists_scratch(uint32_t n, uint32_t lists)
{
    return (gs_lists_rows(n, lists) * lists + 3) / 4 * 4;
}

/* Words in all. */
GS_HOST_DEVICE static inline uint32_t gs_lists_words(uint32_t n, uint32_t lists)
{
    uint32_t scratch = gs_lists_rows(n, lists) / 2 * lists;
    return gs_lists_scratch(n, lists) +
           (scratch > GS_LISTS_STATE_WORDS ? scratch : GS_LISTS_STATE_WORDS);
}

/* Keys that fit so many bytes with their scratch lists, for any number of lists: six bytes a key,
 * whole rows of the most lists. */
#define GS_LISTS_CAPACITY(bytes)                                                                   \
    ((uint32_t)((bytes) / (GS_KEY_BYTES + GS_KEY_BYTES / 2) / GS_OPTION_LISTS_MAX *                \
                GS_OPTION_LISTS_MAX))

/* One list among its words. */
struct gs_list {
    gs_key *words;    /* of all lists */
    uint32_t first;   /* word of its first key */
    uint32_t scratch; /* word of its first scratch key */
    uint32_t length;  /* keys */
    uint32_t lists;   /* words from one key to the next */
};

GS_HOST_DEVICE static inline struct gs_list gs_lists_at(gs_key *words, uint32_t n, uint32_t lists,
                                                        uint32_t list)
{
    struct gs_list at = {words, list, gs_lists_scratch(n, lists) + list,
                         gs_lists_length(n, lists, list), lists};
    return at;
}

/* Keys of the list that have the bit of a mask set. */
GS_HOST_DEVICE static inline uint32_t gs_list_count(const struct gs_list *list, gs_key mask)
{
    uint32_t ones = 0;
    for (uint32_t i = 0; i < list->length; i++)
        ones += (list->words[list->first + i * list->lists] & mask) != 0;
    return ones;
}

/* Where a pass reads and writes: words, in steps that may lead down. */
struct gs_list_walk {
    uint32_t from; /* the next key to read */
    uint32_t stay; /* where the next one that stays goes */
    uint32_t move; /* and the next one that leaves */
    uint32_t step;
    bool keeps_ones;
    uint32_t next_ones;
};

/* Give one key its place, without a branch. */
GS_HOST_DEVICE static inline void gs_list_place(const struct gs_list *list,
                                                struct gs_list_walk *walk, gs_key key, gs_key mask,
                                                gs_key next_mask)
{
    uint32_t stays = 0U - (uint32_t)(((key & mask) != 0) == walk->keeps_ones);
    list->words[walk->move ^ ((walk->stay ^ walk->move) & stays)] = key;
    walk->stay += walk->step & stays;
    walk->move += list->lists & ~stays;
    walk->next_ones += (key & next_mask) != 0;
}

/* Keys read before the first of them is written: no load waits for a store. */
enum { GS_LIST_AHEAD = 4 };

/* Put the keys that have left the list behind those that stayed. */
GS_HOST_DEVICE static inline void gs_list_return(const struct gs_list *list,
                                                 struct gs_list_walk *walk)
{
    const uint32_t ahead = GS_LIST_AHEAD * list->lists;
    uint32_t back = list->scratch;
    for (; walk->move - back >= ahead; back += ahead) {
        gs_key key[GS_LIST_AHEAD];
        for (uint32_t j = 0; j < GS_LIST_AHEAD; j++)
            key[j] = list->words[back + j * list->lists];
        for (uint32_t j = 0; j < GS_LIST_AHEAD; j++)
            list->words[walk->stay + j * walk->step] = key[j];
        walk->stay += GS_LIST_AHEAD * walk->step;
    }
    for (; back != walk->move; back += list->lists) {
        list->words[walk->stay] = list->words[back];
        walk->stay += walk->step;
    }
}

/* One pass: zeros of mask's bit before ones, `ones` being their number. Returns the ones of
 * next_mask's bit. */
GS_HOST_DEVICE static inline uint32_t gs_list_split(const struct gs_list *list, gs_key mask,
                                                    uint32_t ones, gs_key next_mask)
{
    const uint32_t last = list->first + (list->length - 1) * list->lists;
    struct gs_list_walk walk;
    walk.keeps_ones = ones > list->length - ones;
    walk.from = walk.keeps_ones ? last : list->first;
    walk.step = walk.keeps_ones ? 0U - list->lists : list->lists;
    walk.stay = walk.from;
    walk.move = list->scratch;
    walk.next_ones = 0;
    uint32_t i = 0;
    for (; i + GS_LIST_AHEAD <= list->length; i += GS_LIST_AHEAD) {
        gs_key key[GS_LIST_AHEAD];
        for (uint32_t j = 0; j < GS_LIST_AHEAD; j++)
            key[j] = list->words[walk.from + j * walk.step];
        for (uint32_t j = 0; j < GS_LIST_AHEAD; j++)
            gs_list_place(list, &walk, key[j], mask, next_mask);
        walk.from += GS_LIST_AHEAD * walk.step;
    }
    for (; i < list->length; i++) {
        gs_list_place(list, &walk, list->words[walk.from], mask, next_mask);
        walk.from += walk.step;
    }
    gs_list_return(list, &walk);
    return walk.next_ones;
}

/* Sort one list by the bits of `varying`; all its keys agree in the others. Uses the list's own
 * words and scratch words, and no others. */
GS_HOST_DEVICE static inline void gs_list_sort(const struct gs_list *list, gs_key varying)
{
    if (list->length < 2)
        return;
    gs_key mask = varying & (0U - varying);
    uint32_t ones = gs_list_count(list, mask);
    while (mask != 0) {
        varying ^= mask;
        gs_key next_mask = varying & (0U - varying);
        ones = gs_list_split(list, mask, ones, next_mask);
        mask = next_mask;
    }
}

#endif
