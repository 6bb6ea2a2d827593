/* interleaved_lists.h -- lists interleaved in one array, and the sort of one, for both devices.
 * SPDX-License-Identifier: MIT
 *
 * With L lists, key i of the input is key i / L of list i mod L, and lies in word i: for any n, the
 * input as it stands already is the interleaved lists. A scratch list for each list follows the
 * last row, interleaved likewise. Thread t of a GPU block touches only the words t, t + L, t + 2 L,
 * ...: since L is a power of two, these are all in bank t mod 32, or, if there are fewer lists than
 * banks, in banks that no other thread of its row uses. So two lanes of a warp never need different
 * words of the same bank, however far their positions in their lists have drifted apart. ncu
 * measured that on an H200 with 38,656 keys and 32 lists: no bank conflict in 97,895 to 213,863
 * loads and 59,237 to 136,551 stores of each engine (metrics
 * l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum and ..._st.sum). With 256 lists the
 * merges have some, 0.02 per load in atomicmin; the sorting of lists has none.
 *
 * A list is sorted by an LSD radix sort of one bit per pass. A pass walks through the list: keys
 * with the more frequent value of the bit stay and close up in place; the others move to the
 * scratch list, which is then copied back behind them. Half a list of scratch is therefore always
 * enough. If the zeros are the ones that move, the pass walks down from the end, so that it is
 * stable in both cases. The frequencies come from the pass before, which counts the next bit.
 */
#ifndef GS_INTERLEAVED_LISTS_H
#define GS_INTERLEAVED_LISTS_H

#include "common/formats/keys.h"
#include "common/random.h" /* GS_HOST_DEVICE */
#include "sort/types/limits.h"

#include <stdbool.h>

/* How a merge step finds the least head; this is the difference between the engines of engine.h. */
enum gs_list_merge { GS_LIST_MERGE_ATOMICMIN, GS_LIST_MERGE_REDUCTION, GS_LIST_MERGE_HYBRID };

/* Words behind the lists that a merge may use for state shared by its threads: the scratch lists
 * are no longer needed then. */
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

/* The word where the scratch lists begin: a multiple of L, so that they have the same banks as the
 * lists, and of four, so that neighbouring words may be read as one. */
GS_HOST_DEVICE static inline uint32_t gs_lists_scratch(uint32_t n, uint32_t lists)
{
    return (gs_lists_rows(n, lists) * lists + 3) / 4 * 4;
}

/* Words of lists and scratch, or of lists and the state of a merge, whichever is more. */
GS_HOST_DEVICE static inline uint32_t gs_lists_words(uint32_t n, uint32_t lists)
{
    uint32_t scratch = gs_lists_rows(n, lists) / 2 * lists;
    return gs_lists_scratch(n, lists) +
           (scratch > GS_LISTS_STATE_WORDS ? scratch : GS_LISTS_STATE_WORDS);
}

/* Keys that fit into `bytes` with their scratch lists, for any number of lists: six bytes a key,
 * rounded down to whole rows of the largest number of lists. */
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

/* The number of keys in the list that have the mask's bit set. */
GS_HOST_DEVICE static inline uint32_t gs_list_count(const struct gs_list *list, gs_key mask)
{
    uint32_t ones = 0;
    for (uint32_t i = 0; i < list->length; i++)
        ones += (list->words[list->first + i * list->lists] & mask) != 0;
    return ones;
}

/* Where a pass reads and writes, as word indices; the step may be negative. */
struct gs_list_walk {
    uint32_t from; /* the next key to read */
    uint32_t stay; /* where the next key that stays goes */
    uint32_t move; /* where the next key that moves to scratch goes */
    uint32_t step;
    bool keeps_ones;
    uint32_t next_ones;
};

/* Write one key to its place, without a branch. */
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

/* Keys read before the first of them is written, so that loads do not wait for stores. */
enum { GS_LIST_AHEAD = 4 };

/* Copy the keys that moved to scratch back, behind those that stayed. */
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

/* One pass: keys with a zero in mask's bit before those with a one, of which there are `ones`.
 * Returns the number of keys with a one in next_mask's bit. */
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

/* Sort one list by the bits of `varying`; its keys agree in all other bits. Touches only the list's
 * own words and scratch words. */
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
