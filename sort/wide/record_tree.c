/* record_tree.c -- merge runs of sorted records by a tree of losers.
 * SPDX-License-Identifier: MIT
 *
 * Runs are leaves; at each node two met, and the node has the one that came second, while the other
 * went up. So the next record of the run that won meets only those on its way to the top [Knuth,
 * volume 3, 5.4.1]. Nearly every match is decided by the beginnings of two key strings, which lie
 * in the tree; the records are read only where those are equal.
 */
#include "sort/wide/record_tree.h"
#include "sort/tags/tags.h"

#define HEAD_BYTES 16 /* of a key string */
#define AHEAD      4  /* records of a run that are under way */

static gs_key read_head(const struct gs_record_tree *tree, const char *record)
{
    const struct gs_record_head head = gs_record_head(tree->order, record);
    const gs_key number = gs_tag_of_words(head.high, head.low);
    return tree->reverse ? ~number : number;
}

/* The order of two records whose heads are equal. */
static int compare_rest(const struct gs_record_tree *tree, const char *a, const char *b)
{
    if (tree->order->string_bytes <= HEAD_BYTES)
        return 0;
    int sign = gs_record_compare_from(tree->order, a, b, HEAD_BYTES);
    return tree->reverse ? -sign : sign;
}

/* Does a come before b, where their heads are equal? Of equal records that of the first run does.
 */
static bool wins_tie(const struct gs_record_tree *tree, size_t a, size_t b)
{
    const char *of_a = tree->runs[a].next;
    const char *of_b = tree->runs[b].next;
    if (of_a == NULL || of_b == NULL)
        return of_b == NULL && (of_a != NULL || a < b);
    int sign = compare_rest(tree, of_a, of_b);
    return sign != 0 ? sign < 0 : a < b;
}

static inline bool wins(const struct gs_record_tree *tree, const struct gs_record_head_of_run *a,
                        const struct gs_record_head_of_run *b)
{
    return a->head != b->head ? a->head < b->head : wins_tie(tree, a->run, b->run);
}

/* Play the matches of node `at`, and return who wins them: runs are nodes [count, 2 count). */
static struct gs_record_head_of_run play(struct gs_record_tree *tree, size_t at)
{
    if (at >= tree->count) {
        const size_t run = at - tree->count;
        return (struct gs_record_head_of_run){read_head(tree, tree->runs[run].next), run};
    }
    struct gs_record_head_of_run a = play(tree, 2 * at);
    struct gs_record_head_of_run b = play(tree, 2 * at + 1);
    bool first = wins(tree, &a, &b);
    tree->losers[at] = first ? b : a;
    return first ? a : b;
}

void gs_record_tree_open(struct gs_record_tree *tree)
{
    tree->losers[0] = play(tree, 1);
}

bool gs_record_tree_next(struct gs_record_tree *tree)
{
    struct gs_record_head_of_run winner = tree->losers[0];
    struct gs_record_run *run = &tree->runs[winner.run];
    const uint32_t bytes = tree->order->format.record_bytes;
    const char *before = run->next;
    const gs_key head_before = winner.head;
    run->next += bytes;
    if (run->next == run->end) {
        run->next = NULL;
        winner.head = GS_KEY_MAX;
    } else {
        __builtin_prefetch(run->next + (size_t)AHEAD * bytes + tree->order->bytes_at);
        winner.head = read_head(tree, run->next);
        if (winner.head < head_before ||
            (winner.head == head_before && compare_rest(tree, before, run->next) > 0))
            return false;
    }
    for (size_t at = (winner.run + tree->count) / 2; at > 0; at /= 2) {
        if (wins(tree, &winner, &tree->losers[at]))
            continue;
        const struct gs_record_head_of_run loser = winner;
        winner = tree->losers[at];
        tree->losers[at] = loser;
    }
    tree->losers[0] = winner;
    return true;
}
