/* ties.c -- put records in order whose tags' prefixes are the same.
 * SPDX-License-Identifier: MIT
 */
#include "sort/tags/ties.h"
#include "sort/bin/cache_sort.h"

#define COMPARED   24 /* records that are sorted by comparing them */
#define LEVELS_MAX 32 /* tags made again so often, one after the other; then heaps do it */

/* The order of two records behind byte `from` of their strings; of equal ones, input order. */
static bool is_before(const struct gs_wide *wide, gs_key a, gs_key b, uint32_t from)
{
    const struct gs_tags *tags = &wide->tags;
    int order =
        gs_record_compare_from(tags->order, gs_wide_tagged(wide, a), gs_wide_tagged(wide, b), from);
    if (order == 0)
        return gs_tag_index(tags, a) < gs_tag_index(tags, b);
    return tags->reverse ? order > 0 : order < 0;
}

static void sort_few(const struct gs_wide *wide, gs_key *tags, uint64_t count, uint32_t from)
{
    for (uint64_t i = 1; i < count; i++) {
        gs_key tag = tags[i];
        uint64_t at = i;
        for (; at > 0 && is_before(wide, tag, tags[at - 1], from); at--)
            tags[at] = tags[at - 1];
        tags[at] = tag;
    }
}

/* Let the tag at the top of a heap sink to its place. */
static void sink_down(const struct gs_wide *wide, gs_key *heap, uint64_t top, uint64_t count,
                      uint32_t from)
{
    gs_key tag = heap[top];
    for (uint64_t child; (child = 2 * top + 1) < count; top = child) {
        if (child + 1 < count && is_before(wide, heap[child], heap[child + 1], from))
            child++;
        if (!is_before(wide, tag, heap[child], from))
            break;
        heap[top] = heap[child];
    }
    heap[top] = tag;
}

/* Sort by comparing, in place and without recursion. */
static void sort_by_heap(const struct gs_wide *wide, gs_key *tags, uint64_t count, uint32_t from)
{
    for (uint64_t i = count / 2; i-- > 0;)
        sink_down(wide, tags, i, count, from);
    for (uint64_t end = count - 1; end > 0; end--) {
        gs_key last = tags[end];
        tags[end] = tags[0];
        tags[0] = last;
        sink_down(wide, tags, 0, end, from);
    }
}

/* How many bytes of two strings are the same from `from` on; at most `most`. */
static uint32_t same_bytes(const struct gs_record_order *order, const void *a, const void *b,
                           uint32_t from, uint32_t most)
{
    enum { BLOCK = 64 };
    uint8_t of_a[BLOCK];
    uint8_t of_b[BLOCK];
    for (uint32_t done = 0; done < most; done += BLOCK) {
        uint32_t here = most - done < BLOCK ? most - done : BLOCK;
        gs_record_string(order, a, from + done, here, of_a);
        gs_record_string(order, b, from + done, here, of_b);
        for (uint32_t i = 0; i < here; i++)
            if (of_a[i] != of_b[i])
                return done + i;
    }
    return most;
}

/* The end of the run of tags with the same prefix that begins at `first`. */
static inline uint64_t run_end(const gs_key *tags, uint64_t first, uint64_t count,
                               gs_key index_mask)
{
    uint64_t end = first + 1;
    while (end < count && (tags[end] ^ tags[first]) <= index_mask)
        end++;
    return end;
}

/* Sort records whose strings are the same up to byte `from`. */
static void sort_same(const struct gs_wide *wide, gs_key *tags, uint64_t count, uint32_t from,
                      unsigned level, gs_key *scratch)
{
    const struct gs_record_order *order = wide->tags.order;
    const uint32_t end = wide->tags.string_bytes;
    if (from >= end || count < 2)
        return;
    if (count <= COMPARED) {
        sort_few(wide, tags, count, from);
        return;
    }
    if (level == LEVELS_MAX) {
        sort_by_heap(wide, tags, count, from);
        return;
    }
    const char *first = gs_wide_tagged(wide, tags[0]);
    uint32_t same = end - from;
    for (uint64_t i = 1; i < count && same > 0; i++)
        same = same_bytes(order, first, gs_wide_tagged(wide, tags[i]), from, same);
    from += same;
    if (from >= end)
        return;
    for (uint64_t i = 0; i < count; i++)
        tags[i] = gs_tag_again(&wide->tags, gs_wide_tagged(wide, tags[i]), from, tags[i]);
    gs_key *sorted = gs_cache_sort(tags, scratch, count, 0, GS_KEY_MAX);
    if (sorted != tags)
        memcpy(tags, sorted, count * sizeof *tags);
    const gs_key index_mask = gs_tags_index_mask(&wide->tags);
    for (uint64_t i = 0, next; i < count; i = next) {
        next = run_end(tags, i, count, index_mask);
        sort_same(wide, tags + i, next - i, from + wide->tags.prefix_bytes, level + 1, scratch);
    }
}

void gs_ties_resolve(const struct gs_wide *wide, gs_key *tags, uint64_t count, gs_key *scratch)
{
    const gs_key index_mask = gs_tags_index_mask(&wide->tags);
    for (uint64_t i = 0, next; i < count; i = next) {
        next = run_end(tags, i, count, index_mask);
        if (next - i > 1)
            sort_same(wide, tags + i, next - i, gs_tag_next(&wide->tags, tags[i]), 0, scratch);
    }
}
