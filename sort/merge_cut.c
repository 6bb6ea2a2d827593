/* merge_cut.c -- cut sorted inputs at common keys into segments, one after another.
 * SPDX-License-Identifier: MIT
 *
 * Look the same number of keys ahead in each span: the least key seen there is the next common key,
 * and all keys below it lie within that look. If there are none, the spans begin with that very
 * key: its whole run, however long, is a segment that needs no sorting.
 */
#include "sort/merge_cut.h"

#include <stdlib.h>
#include <string.h>

enum gs_status gs_cut_open(struct gs_cut *cut, const struct gs_span *spans, size_t span_count,
                           bool reverse, uint64_t room, struct gs_error *err)
{
    *cut = (struct gs_cut){.spans = spans,
                           .mask = reverse ? GS_KEY_MAX : 0,
                           .taken = calloc(span_count + 1, sizeof *cut->taken),
                           .active = calloc(span_count + 1, sizeof *cut->active),
                           .room = room > span_count ? room : span_count};
    if (cut->taken == NULL || cut->active == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu inputs", span_count);
    for (size_t i = 0; i < span_count; i++)
        if (spans[i].count > 0)
            cut->active[cut->actives++] = i;
    return GS_OK;
}

void gs_cut_close(struct gs_cut *cut)
{
    free(cut->taken);
    free(cut->active);
    *cut = (struct gs_cut){.taken = NULL};
}

/* The number of keys at most `bound` (below it, where `below`) at the start of count keys. */
static uint64_t count_up_to(const gs_key *keys, uint64_t count, gs_key mask, gs_key bound,
                            bool below)
{
    uint64_t first = 0;
    while (count > 0) {
        uint64_t half = count / 2;
        gs_key key = keys[first + half] ^ mask;
        if (below ? key < bound : key <= bound) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

/* The same for `<=`, where few are expected: look 1, 2, 4, ... keys ahead first. */
static uint64_t count_run(const gs_key *keys, uint64_t count, gs_key mask, gs_key bound)
{
    uint64_t ahead = 1;
    while (ahead < count && (keys[ahead - 1] ^ mask) <= bound)
        ahead *= 2;
    uint64_t first = ahead / 2; /* these are in the run, or it is 0 */
    uint64_t end = ahead < count ? ahead : count;
    return first + count_up_to(keys + first, end - first, mask, bound, false);
}

/* Append a part, and cut it off its span. */
static void take_part(struct gs_cut *cut, struct gs_segment *segment, size_t span, uint64_t count)
{
    if (count == 0)
        return;
    segment->parts[segment->part_count++] =
        (struct gs_part){.span = span, .first = cut->taken[span], .count = count};
    segment->count += count;
    cut->taken[span] += count;
}

/* Forget the spans that have nothing left. */
static void drop_empty(struct gs_cut *cut)
{
    size_t kept = 0;
    for (size_t i = 0; i < cut->actives; i++)
        if (cut->taken[cut->active[i]] < cut->spans[cut->active[i]].count)
            cut->active[kept++] = cut->active[i];
    cut->actives = kept;
}

/* The least key `look` keys ahead in any span that is longer; false where none is. */
static bool find_bound(const struct gs_cut *cut, uint64_t look, gs_key *bound)
{
    bool found = false;
    for (size_t i = 0; i < cut->actives; i++) {
        const struct gs_span *span = &cut->spans[cut->active[i]];
        uint64_t taken = cut->taken[cut->active[i]];
        if (span->count - taken <= look)
            continue;
        gs_key key = span->keys[taken + look - 1] ^ cut->mask;
        if (!found || key < *bound)
            *bound = key;
        found = true;
    }
    return found;
}

void gs_cut_next(struct gs_cut *cut, struct gs_segment *segment)
{
    gs_key bound = 0;
    *segment = (struct gs_segment){.parts = segment->parts,
                                   .position = cut->position,
                                   .index = cut->segments,
                                   .floor = cut->floor};
    if (cut->actives == 0)
        return;
    uint64_t look = cut->room / cut->actives;
    bool bounded = find_bound(cut, look, &bound);
    for (size_t i = 0; i < cut->actives; i++) {
        const struct gs_span *span = &cut->spans[cut->active[i]];
        uint64_t taken = cut->taken[cut->active[i]];
        uint64_t left = span->count - taken < look ? span->count - taken : look;
        take_part(cut, segment, cut->active[i],
                  bounded ? count_up_to(span->keys + taken, left, cut->mask, bound, true) : left);
    }
    segment->limit = bounded ? bound : (uint64_t)GS_KEY_MAX + 1;
    if (segment->count == 0) {
        segment->equal = true;
        segment->limit++;
        segment->key = bound ^ cut->mask;
        for (size_t i = 0; i < cut->actives; i++) {
            const struct gs_span *span = &cut->spans[cut->active[i]];
            uint64_t taken = cut->taken[cut->active[i]];
            take_part(cut, segment, cut->active[i],
                      count_run(span->keys + taken, span->count - taken, cut->mask, bound));
        }
    }
    if (segment->limit > cut->floor)
        cut->floor = segment->limit;
    cut->position += segment->count;
    cut->segments++;
    drop_empty(cut);
}
