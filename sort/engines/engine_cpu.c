/* engine_cpu.c -- the shared-memory engines on one core: same lists, same merges.
 * SPDX-License-Identifier: MIT
 *
 * What the threads of a block do in parallel is a loop here. A list is exhausted when its count of
 * keys left is 0; its head's key cannot say so, since every key may occur in the input.
 */
#include "sort/engines/engine_cpu.h"

/* Heads in a group of the hybrid merge. */
#define GROUP 8

/* The heads of all lists. */
struct heads {
    const gs_key *words;
    uint32_t lists;
    gs_key key[GS_OPTION_LISTS_MAX];    /* GS_KEY_MAX where the list is exhausted */
    uint32_t left[GS_OPTION_LISTS_MAX]; /* keys of the list not yet in the output */
    uint32_t next[GS_OPTION_LISTS_MAX]; /* word of the key after the head */
};

gs_key gs_sort_lists_cpu(gs_key *words, uint32_t n, uint32_t lists)
{
    gs_key varying = 0;
    for (uint32_t i = 0; i < n; i++)
        varying |= words[i] ^ words[0];
    for (uint32_t i = 0; i < lists; i++) {
        struct gs_list list = gs_lists_at(words, n, lists, i);
        gs_list_sort(&list, varying);
    }
    return varying;
}

/* Make the next key of a list its head. */
static void load_head(struct heads *heads, uint32_t list)
{
    heads->key[list] = GS_KEY_MAX;
    if (heads->left[list] > 0)
        heads->key[list] = heads->words[heads->next[list]];
    heads->next[list] += heads->lists;
}

static void advance(struct heads *heads, uint32_t list)
{
    heads->left[list]--;
    load_head(heads, list);
}

/* The first of `count` lists, from `from` on, whose head is `key`. */
static uint32_t find_head(const struct heads *heads, uint32_t from, uint32_t count, gs_key key)
{
    uint32_t list = from;
    while (list < from + count - 1 && (heads->left[list] == 0 || heads->key[list] != key))
        list++;
    return list;
}

static gs_key least_head(const struct heads *heads, uint32_t from, uint32_t count)
{
    gs_key least = GS_KEY_MAX;
    for (uint32_t i = from; i < from + count; i++)
        least = heads->key[i] < least ? heads->key[i] : least;
    return least;
}

/* Find the least head among all, then the first list that has it. */
static void merge_atomicmin(struct heads *heads, uint32_t n, gs_key *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = least_head(heads, 0, heads->lists);
        advance(heads, find_head(heads, 0, heads->lists, out[i]));
    }
}

/* Key and list in one number; for an exhausted list, the greatest number. */
static uint64_t pair_of(const struct heads *heads, uint32_t list)
{
    uint64_t pair = (uint64_t)heads->key[list] << 32 | list;
    return heads->left[list] > 0 ? pair : UINT64_MAX;
}

/* A knock-out tournament: in each round the first half of those left meets the second. */
static void merge_reduction(struct heads *heads, uint32_t n, gs_key *out)
{
    uint64_t pair[GS_OPTION_LISTS_MAX] = {0};
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t t = 0; t < heads->lists; t++)
            pair[t] = pair_of(heads, t);
        for (uint32_t half = heads->lists / 2; half > 0; half /= 2)
            for (uint32_t t = 0; t < half; t++)
                pair[t] = pair[t] < pair[t + half] ? pair[t] : pair[t + half];
        out[i] = (gs_key)(pair[0] >> 32);
        advance(heads, (uint32_t)pair[0]);
    }
}

/* Keep a minimum for each group; a step changes only one of them. */
static void merge_hybrid(struct heads *heads, uint32_t n, gs_key *out)
{
    const uint32_t size = heads->lists < GROUP ? heads->lists : GROUP;
    const uint32_t groups = (heads->lists + GROUP - 1) / GROUP;
    gs_key least[GS_OPTION_LISTS_MAX / GROUP] = {0};
    uint32_t left[GS_OPTION_LISTS_MAX / GROUP] = {0}; /* keys of the group's lists */
    for (uint32_t g = 0; g < groups; g++) {
        least[g] = least_head(heads, g * size, size);
        for (uint32_t t = 0; t < size; t++)
            left[g] += heads->left[g * size + t];
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t best = 0;
        for (uint32_t g = 1; g < groups; g++)
            if (left[g] > 0 && (left[best] == 0 || least[g] < least[best]))
                best = g;
        out[i] = least[best];
        advance(heads, find_head(heads, best * size, size, out[i]));
        left[best]--;
        least[best] = least_head(heads, best * size, size);
    }
}

void gs_merge_lists_cpu(enum gs_list_merge merge, const gs_key *words, uint32_t n, uint32_t lists,
                        gs_key *out)
{
    struct heads heads = {.words = words, .lists = lists};
    for (uint32_t i = 0; i < lists; i++) {
        heads.left[i] = gs_lists_length(n, lists, i);
        heads.next[i] = i;
        load_head(&heads, i);
    }
    if (merge == GS_LIST_MERGE_ATOMICMIN)
        merge_atomicmin(&heads, n, out);
    else if (merge == GS_LIST_MERGE_REDUCTION)
        merge_reduction(&heads, n, out);
    else
        merge_hybrid(&heads, n, out);
}
