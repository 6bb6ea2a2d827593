/* merge_cut.c -- cut sorted inputs at common keys into segments, one after another.
 * SPDX-License-Identifier: MIT
 *
 * Look the same number of keys ahead in each span. The least key seen there is the next common key,
 * and all keys below it lie within that distance. If there are none, some span begins with that
 * very key: then all its copies are taken; if many, they are a segment that needs no sorting.
 *
 * Where most spans have no keys below the common key, because their ranges follow one another or
 * they are small beside a large one, segments would be a few keys each, for a look at all spans.
 * Then a larger common key is searched for, by doubling and then halving its distance.
 */
#include "sort/merge/merge_cut.h"

#include <stdlib.h>

/* A segment below 1 / ROOM_PART_MIN of the room is widened, if possible to at least 1 /
 * ROOM_PART. */
#define ROOM_PART_MIN 8
#define ROOM_PART     2

enum gs_status gs_cut_open(struct gs_cut *cut, const struct gs_codec *codec,
                           const struct gs_span *spans, size_t span_count, bool reverse,
                           uint64_t room, struct gs_error *err)
{
    *cut = (struct gs_cut){.spans = spans,
                           .codec = codec,
                           .mask = reverse ? GS_KEY_MAX : 0,
                           .taken = calloc(span_count + 1, sizeof *cut->taken),
                           .heads = calloc(span_count + 1, sizeof *cut->heads),
                           .active = calloc(span_count + 1, sizeof *cut->active),
                           .below = calloc(span_count + 1, sizeof *cut->below),
                           .trial = calloc(span_count + 1, sizeof *cut->trial),
                           .room = room > span_count ? room : span_count};
    if (cut->taken == NULL || cut->heads == NULL || cut->active == NULL || cut->below == NULL ||
        cut->trial == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu inputs", span_count);
    for (size_t i = 0; i < span_count; i++) {
        if (spans[i].count == 0)
            continue;
        cut->heads[i] = gs_span_key(&spans[i], codec, 0) ^ cut->mask;
        cut->active[cut->actives++] = i;
    }
    return GS_OK;
}

void gs_cut_close(struct gs_cut *cut)
{
    free(cut->taken);
    free(cut->heads);
    free(cut->active);
    free(cut->below);
    free(cut->trial);
    *cut = (struct gs_cut){.taken = NULL};
}

/* Key i of a span behind those that were taken, ascending. */
static gs_key key_at(const struct gs_cut *cut, size_t span, uint64_t i)
{
    return gs_span_key(&cut->spans[span], cut->codec, cut->taken[span] + i) ^ cut->mask;
}

/* The number of a span's keys <= bound, or < bound if `below`, among `count` of them from `from`
 * on. */
static uint64_t count_up_to(const struct gs_cut *cut, size_t span, uint64_t from, uint64_t count,
                            gs_key bound, bool below)
{
    uint64_t first = 0;
    while (count > 0) {
        uint64_t half = count / 2;
        gs_key key = key_at(cut, span, from + first + half);
        if (below ? key < bound : key <= bound) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

/* The same for <=, where few are expected: gallops 1, 2, 4, ... keys ahead first. */
static uint64_t count_run(const struct gs_cut *cut, size_t span, uint64_t from, uint64_t count,
                          gs_key bound)
{
    uint64_t ahead = 1;
    while (ahead < count && key_at(cut, span, from + ahead - 1) <= bound)
        ahead *= 2;
    uint64_t first = ahead / 2; /* these are all in the run, or there are none */
    uint64_t end = ahead < count ? ahead : count;
    return first + count_up_to(cut, span, from + first, end - first, bound, false);
}

/* Append the parts, whose lengths are in ->below, and cut them off their spans. Drop the spans that
 * have nothing left. */
static void take_parts(struct gs_cut *cut, struct gs_segment *segment)
{
    size_t kept = 0;
    for (size_t i = 0; i < cut->actives; i++) {
        size_t span = cut->active[i];
        uint64_t count = cut->below[i];
        if (count > 0) {
            segment->parts[segment->part_count++] =
                (struct gs_part){.span = span, .first = cut->taken[span], .count = count};
            segment->count += count;
            cut->taken[span] += count;
            if (cut->taken[span] == cut->spans[span].count)
                continue;
            cut->heads[span] = key_at(cut, span, 0);
        }
        cut->active[kept++] = span;
    }
    cut->actives = kept;
}

/* The least key `look` keys ahead in any span that is longer; false if none is. */
static bool find_bound(const struct gs_cut *cut, uint64_t look, gs_key *bound)
{
    bool found = false;
    for (size_t i = 0; i < cut->actives; i++) {
        const struct gs_span *span = &cut->spans[cut->active[i]];
        uint64_t taken = cut->taken[cut->active[i]];
        if (span->count - taken <= look)
            continue;
        gs_key key = key_at(cut, cut->active[i], look - 1);
        if (!found || key < *bound)
            *bound = key;
        found = true;
    }
    return found;
}

/* Count each span's keys below `bound` (all if not bounded), at most `look`, to ->below; their
 * sum. */
static uint64_t look_below(struct gs_cut *cut, uint64_t look, bool bounded, gs_key bound)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < cut->actives; i++) {
        const struct gs_span *span = &cut->spans[cut->active[i]];
        uint64_t taken = cut->taken[cut->active[i]];
        uint64_t left = span->count - taken < look ? span->count - taken : look;
        cut->below[i] = bounded ? count_up_to(cut, cut->active[i], 0, left, bound, true) : left;
        sum += cut->below[i];
    }
    return sum;
}

/* Count each span's keys up to `last` into ->trial, knowing that the first ->below of them are.
 * Returns their sum; once it exceeds `most`, counting may stop early. */
static uint64_t count_through(struct gs_cut *cut, gs_key last, uint64_t most)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < cut->actives && sum <= most; i++) {
        size_t at = cut->active[i];
        uint64_t known = cut->below[i];
        cut->trial[i] = known;
        if (known > 0 || cut->heads[at] <= last)
            cut->trial[i] +=
                count_run(cut, at, known, cut->spans[at].count - cut->taken[at] - known, last);
        sum += cut->trial[i];
    }
    return sum;
}

/* Make the counts of count_through, in ->trial, the ones to take. */
static void accept(struct gs_cut *cut)
{
    uint64_t *trial = cut->trial;
    cut->trial = cut->below;
    cut->below = trial;
}

/* Find a larger last key than `last`, up to which ->below says there are only `sum` keys. */
static gs_key widen(struct gs_cut *cut, gs_key last, uint64_t sum)
{
    gs_key end = GS_KEY_MAX; /* the largest that may do */
    bool bounded = false;    /* too many keys lie beyond end */
    gs_key width = last > cut->floor ? last - cut->floor : 1;
    width = width > cut->width ? width : cut->width;
    while (sum < cut->room / ROOM_PART && last < end) {
        gs_key next = last + 1 + (end - last - 1) / 2;
        if (!bounded) { /* double the distance */
            next = width < GS_KEY_MAX - cut->floor ? cut->floor + width : GS_KEY_MAX;
            width = width < GS_KEY_MAX / 2 ? width * 2 : GS_KEY_MAX;
            if (next <= last)
                continue;
        }
        uint64_t more = count_through(cut, next, cut->room);
        if (more > cut->room) {
            bounded = true;
            end = next - 1;
            continue;
        }
        accept(cut);
        last = next;
        sum = more;
    }
    cut->width = last > cut->floor ? last - cut->floor : 1;
    return last;
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
    uint64_t sum = look_below(cut, look, bounded, bound);
    segment->last = bounded ? bound - 1 : GS_KEY_MAX; /* no key is below 0, so sum is 0 then */
    if (sum == 0) {
        segment->last = bound;
        sum = count_through(cut, bound, UINT64_MAX);
        accept(cut);
        segment->equal = sum >= cut->room / ROOM_PART_MIN;
        segment->key = bound ^ cut->mask;
    }
    if (bounded && sum < cut->room / ROOM_PART_MIN)
        segment->last = widen(cut, segment->last, sum);
    take_parts(cut, segment);
    if (segment->last >= cut->floor)
        cut->floor = segment->last + 1; /* wraps around at the end: every key is up to GS_KEY_MAX */
    cut->position += segment->count;
    cut->segments++;
}
