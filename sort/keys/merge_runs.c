/* merge_runs.c -- merge runs of keys in cache: a tree of two-way merges, with vectors.
 * SPDX-License-Identifier: MIT
 *
 * Two runs are merged by vectors (u32/merge_pair.c).
 */
#include "sort/keys/merge_runs.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The runs, and the two buffers between which merging alternates. */
struct tree {
    enum gs_merge_method method;
    gs_key *places[2];
    const size_t *counts;
    size_t offsets[GS_MERGE_RUNS_MAX];
};

static void end_run(gs_key *end)
{
    for (int i = 0; i < GS_MERGE_GAP; i++)
        end[i] = GS_KEY_MAX;
}

/* Merge the runs first .. end - 1, into places[level % 2] at the first run's offset. Returns how
 * many keys they have. Recursion is log2(GS_MERGE_RUNS_MAX) deep. */
static size_t merge_tree(const struct tree *tree, size_t first, size_t end, unsigned level)
{
    gs_key *to = tree->places[level % 2] + tree->offsets[first];
    if (end - first == 1) {
        size_t count = tree->counts[first];
        if (level % 2 != 0)
            memcpy(to, tree->places[0] + tree->offsets[first], count * sizeof *to);
        end_run(to + count);
        return count;
    }
    size_t middle = end - (end - first) / 2;
    size_t a_count = merge_tree(tree, first, middle, level + 1);
    size_t b_count = merge_tree(tree, middle, end, level + 1);
    const gs_key *from = tree->places[(level + 1) % 2];
    gs_merge_pair(tree->method, from + tree->offsets[first], a_count, from + tree->offsets[middle],
                  b_count, to);
    end_run(to + a_count + b_count);
    return a_count + b_count;
}

gs_key *gs_merge_runs(enum gs_merge_method method, gs_key *keys, gs_key *scratch,
                      const size_t *counts, size_t runs)
{
    struct tree tree = {.method = method, .places = {keys, scratch}, .counts = counts};
    assert(runs > 0 && runs <= GS_MERGE_RUNS_MAX);
    for (size_t i = 1; i < runs; i++)
        tree.offsets[i] = tree.offsets[i - 1] + counts[i - 1] + GS_MERGE_GAP;
    unsigned depth = 0;
    while ((size_t)1 << depth < runs)
        depth++;
    /* The lowest level, which holds most or all runs, is thus where they already lie. */
    merge_tree(&tree, 0, runs, depth % 2);
    return tree.places[depth % 2];
}
