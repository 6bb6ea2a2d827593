/* ties.c -- put records in order whose tags' prefixes are the same.
 * SPDX-License-Identifier: MIT
 */
#include "sort/tags/ties.h"
#include "sort/bin/cache_sort.h"
#include "sort/check/record_fingerprint.h"

#include <stdlib.h>

#define CALLED_AHEAD 16 /* records that are under way while one is looked at */
#define COMPARED     24 /* records that are sorted by comparing them */
#define LEVELS_MAX   32 /* tags made again so often, one after the other; then qsort does it */

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

/* Tags that qsort_r compares, behind byte `from` of their strings. */
struct compared {
    const struct gs_wide *wide;
    uint32_t from;
};

static int compare_tags(const void *a, const void *b, void *context)
{
    const struct compared *how = context;
    const gs_key first = *(const gs_key *)a, second = *(const gs_key *)b;
    return is_before(how->wide, second, first, how->from) -
           is_before(how->wide, first, second, how->from);
}

/* The end of the run that begins at `first` of tags that agree but for the bits of a mask. */
static inline uint64_t run_end(const gs_key *tags, uint64_t first, uint64_t count, gs_key mask)
{
    uint64_t end = first + 1;
    while (end < count && (tags[end] ^ tags[first]) <= mask)
        end++;
    return end;
}

/* Have the records of the tags from `at` on come to the cache. */
static inline void call_ahead(const struct gs_wide *wide, const gs_key *tags, uint64_t at,
                              uint64_t count)
{
    if (at + CALLED_AHEAD < count)
        __builtin_prefetch(gs_wide_tagged(wide, tags[at + CALLED_AHEAD]));
}

/* Give tags the prefixes that begin at byte `from` of their strings; the least and the largest. */
static void tag_again(const struct gs_wide *wide, gs_key *tags, uint64_t count, uint32_t from,
                      gs_key *low, gs_key *high)
{
    *low = GS_KEY_MAX;
    *high = 0;
    for (uint64_t i = 0; i < count; i++) {
        call_ahead(wide, tags, i, count);
        tags[i] = gs_tag_again(&wide->tags, gs_wide_tagged(wide, tags[i]), from, tags[i]);
        *low = tags[i] < *low ? tags[i] : *low;
        *high = tags[i] > *high ? tags[i] : *high;
    }
}

/* How many bytes the strings of all records share from byte `from` on. */
static uint32_t count_shared(const struct gs_wide *wide, const gs_key *tags, uint64_t count,
                             uint32_t from)
{
    const char *first = gs_wide_tagged(wide, tags[0]);
    uint32_t same = wide->tags.string_bytes - from;
    for (uint64_t i = 1; i < count && same > 0; i++) {
        call_ahead(wide, tags, i, count);
        same = gs_tags_same_bytes(&wide->tags, first, gs_wide_tagged(wide, tags[i]), from, same);
    }
    return same;
}

/* Sort records whose strings are the same up to byte `from`. */
static void sort_same(const struct gs_wide *wide, gs_key *tags, uint64_t count, uint32_t from,
                      unsigned level, gs_key *scratch)
{
    const gs_key index_mask = gs_tags_index_mask(&wide->tags);
    const uint32_t end = wide->tags.string_bytes;
    const uint32_t step = wide->tags.prefix_bytes;
    gs_key low, high;
    if (from >= end || count < 2)
        return;
    if (count <= COMPARED) {
        sort_few(wide, tags, count, from);
        return;
    }
    if (level == LEVELS_MAX) {
        qsort_r(tags, count, sizeof *tags, compare_tags, &(struct compared){wide, from});
        return;
    }
    tag_again(wide, tags, count, from, &low, &high);
    if ((low ^ high) <= index_mask) { /* so much is the same that there may be more */
        from += step < end - from ? step : end - from;
        from += count_shared(wide, tags, count, from);
        if (from >= end)
            return;
        tag_again(wide, tags, count, from, &low, &high);
    }
    gs_key *sorted = gs_cache_sort(tags, scratch, count, low, high);
    if (sorted != tags)
        memcpy(tags, sorted, count * sizeof *tags);
    for (uint64_t i = 0, next; i < count; i = next) {
        next = run_end(tags, i, count, index_mask);
        sort_same(wide, tags + i, next - i, from + step, level + 1, scratch);
    }
}

/* Keep the first of records with the same keys, of those whose tags are in order. Returns how many
 * are left. */
static uint64_t drop_same_keys(const struct gs_wide *wide, gs_key *tags, uint64_t count)
{
    uint64_t kept = 1;
    for (uint64_t i = 1; i < count; i++) {
        const gs_key tag = tags[i];
        call_ahead(wide, tags, i, count);
        if (!gs_record_same_keys(wide->tags.order, gs_wide_tagged(wide, tags[kept - 1]),
                                 gs_wide_tagged(wide, tag)))
            tags[kept++] = tag;
    }
    return kept;
}

/* Of records with the same keys, find the one that stays: the first of those with the least
 * prefix. */
static gs_key first_of(const struct gs_wide *wide, const gs_key *tags, uint64_t count)
{
    const uint32_t from = gs_tag_next(&wide->tags, tags[0]);
    if (from >= wide->tags.string_bytes)
        return tags[0];
    const uint64_t end = run_end(tags, 0, count, gs_tags_index_mask(&wide->tags));
    gs_key first = tags[0];
    for (uint64_t i = 1; i < end; i++) {
        call_ahead(wide, tags, i, end);
        if (is_before(wide, tags[i], first, from))
            first = tags[i];
    }
    return first;
}

/* The same of two that are the same up to here, but not all of whose strings tags have told. */
static inline void call_tied_ahead(const struct gs_wide *wide, const gs_key *tags, uint64_t at,
                                   uint64_t count, gs_key mask)
{
    if (at + CALLED_AHEAD + 1 >= count)
        return;
    const gs_key *ahead = tags + at + CALLED_AHEAD;
    if ((ahead[0] ^ ahead[1]) <= mask &&
        gs_tag_next(&wide->tags, ahead[0]) < wide->tags.string_bytes) {
        __builtin_prefetch(gs_wide_tagged(wide, ahead[0]));
        __builtin_prefetch(gs_wide_tagged(wide, ahead[1]));
    }
}

void gs_ties_resolve(const struct gs_wide *wide, gs_key *tags, uint64_t count, gs_key *scratch)
{
    const gs_key index_mask = gs_tags_index_mask(&wide->tags);
    if (wide->tags.whole)
        return; /* tags have told all */
    for (uint64_t i = 0, next; i < count; i = next) {
        call_tied_ahead(wide, tags, i, count, index_mask);
        next = run_end(tags, i, count, index_mask);
        if (next - i > 1)
            sort_same(wide, tags + i, next - i, gs_tag_next(&wide->tags, tags[i]), 0, scratch);
    }
}

/* The fingerprint of the records of tags, under verify. */
static uint64_t fingerprint(const struct gs_wide *wide, const gs_key *tags, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count && wide->options->verify; i++) {
        call_ahead(wide, tags, i, count);
        sum += gs_record_hash(gs_wide_tagged(wide, tags[i]), wide->tags.tagger.record_bytes);
    }
    return sum;
}

uint64_t gs_ties_unique(struct gs_wide *wide, gs_key *tags, uint64_t count, gs_key *scratch)
{
    const gs_key mask = ((gs_key)1 << gs_tags_loose_bits(&wide->tags, true)) - 1;
    uint64_t kept = 0;
    uint64_t dropped = 0;
    for (uint64_t i = 0, next; i < count; i = next) {
        uint64_t left = 1;
        next = run_end(tags, i, count, mask);
        if (next - i > 1) {
            dropped += fingerprint(wide, tags + i, next - i);
            if (gs_tag_tells_keys(&wide->tags, tags[i])) {
                tags[i] = first_of(wide, tags + i, next - i);
            } else {
                gs_ties_resolve(wide, tags + i, next - i, scratch);
                left = drop_same_keys(wide, tags + i, next - i);
            }
            dropped -= fingerprint(wide, tags + i, left);
        }
        tags[kept] = tags[i];
        if (left > 1) /* seldom: most are spared the call */
            memmove(tags + kept, tags + i, left * sizeof *tags);
        kept += left;
    }
    gs_emit_drop(&wide->run.emitter, dropped);
    return kept;
}
