/* merge_cut.c -- cut sorted inputs at common places into segments, one after another.
 * SPDX-License-Identifier: MIT
 *
 * Look the same number of records ahead in each span. The least record seen there is the common
 * place, and all records before it lie within that distance. Of those equal to it, as many are
 * taken as there is room for, those of earlier spans first: so there is always something to take.
 * Under unique they are only taken if there is nothing before the place, and then all: only the
 * first of them will be kept.
 *
 * How far to look is what gave segments of a good size before. Where most spans have nothing before
 * the place, because their ranges follow one another, a place further on is searched for.
 */
#include "sort/merge/merge_cut.h"

#include <stdlib.h>
#include <string.h>

/* Look further next time if a segment has less than 1 / ROOM_PART of the room: by 4, inputs that
 * follow one another were written in nearly twice as many pieces. */
#define ROOM_PART 2

enum gs_status gs_cut_open(struct gs_cut *cut, const struct gs_cut_order *order,
                           const struct gs_span *spans, size_t span_count, uint64_t room,
                           struct gs_error *err)
{
    *cut = (struct gs_cut){.spans = spans,
                           .span_count = span_count,
                           .order = *order,
                           .taken = calloc(span_count + 1, sizeof *cut->taken),
                           .active = calloc(span_count + 1, sizeof *cut->active),
                           .counts = calloc(span_count + 1, sizeof *cut->counts),
                           .trial = calloc(span_count + 1, sizeof *cut->trial),
                           .further = calloc(span_count + 1, sizeof *cut->further),
                           .room = gs_cut_room(span_count, room),
                           .other = malloc(order->record_bytes),
                           .bound = malloc(order->record_bytes)};
    if (cut->taken == NULL || cut->active == NULL || cut->counts == NULL || cut->trial == NULL ||
        cut->further == NULL || cut->other == NULL || cut->bound == NULL)
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
    free(cut->counts);
    free(cut->trial);
    free(cut->further);
    free(cut->other);
    free(cut->bound);
    *cut = (struct gs_cut){.taken = NULL};
}

/* Record i of a span behind those that were taken. */
static const char *record_at(const struct gs_cut *cut, size_t span, uint64_t i)
{
    return (const char *)cut->spans[span].keys +
           gs_cut_place(cut, span, cut->taken[span] + i) * cut->order.record_bytes;
}

static uint64_t records_left(const struct gs_cut *cut, size_t span)
{
    return cut->spans[span].count - cut->taken[span];
}

/* The order of two records in the inputs. */
static int compare(const struct gs_cut *cut, const void *a, const void *b)
{
    int sign = cut->order.compare(cut->order.context, a, b);
    return cut->order.reverse ? -sign : sign;
}

/* The number of a span's records before the bound, among `count` from `from` on; equal: and of
 * those equal to it. */
static uint64_t count_before(const struct gs_cut *cut, size_t span, uint64_t from, uint64_t count,
                             bool equal)
{
    uint64_t first = 0;
    while (count > 0) {
        uint64_t half = count / 2;
        int sign = compare(cut, record_at(cut, span, from + first + half), cut->bound);
        if (sign < 0 || (equal && sign == 0)) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

/* The same for all from `from` on, where few are expected: gallops 1, 2, 4, ... records ahead. */
static uint64_t count_run(const struct gs_cut *cut, size_t span, uint64_t from, bool equal)
{
    const uint64_t left = records_left(cut, span) - from;
    uint64_t ahead = 1;
    while (ahead < left &&
           compare(cut, record_at(cut, span, from + ahead - 1), cut->bound) < (equal ? 1 : 0))
        ahead *= 2;
    const uint64_t first = ahead / 2; /* these are all in the run, or there are none */
    const uint64_t end = ahead < left ? ahead : left;
    return first + count_before(cut, span, from + first, end - first, equal);
}

/* Copy the least record `look` ahead of the first that are left to ->bound; false if no span has as
 * many. */
static bool find_bound(const struct gs_cut *cut, uint64_t look)
{
    const char *bound = NULL;
    for (size_t i = 0; i < cut->actives; i++) {
        if (records_left(cut, cut->active[i]) <= look)
            continue;
        const char *record = record_at(cut, cut->active[i], look);
        if (bound == NULL || compare(cut, record, bound) < 0)
            bound = record;
    }
    if (bound != NULL)
        memcpy(cut->bound, bound, cut->order.record_bytes);
    return bound != NULL;
}

/* Count each span's records before the bound, if there is one, and not more than `look` ahead, to
 * ->counts; their sum. */
static uint64_t look_before(struct gs_cut *cut, uint64_t look)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < cut->actives; i++) {
        const uint64_t left = records_left(cut, cut->active[i]);
        const uint64_t count = left < look ? left : look;
        cut->counts[i] = cut->bounded ? count_before(cut, cut->active[i], 0, count, false) : count;
        sum += cut->counts[i];
    }
    return sum;
}

/* Exchange the bound for the other one. */
static void swap_bounds(struct gs_cut *cut)
{
    char *other = cut->other;
    cut->other = cut->bound;
    cut->bound = other;
}

/* Count each span's records before the bound, knowing that the first ->counts are, to ->trial.
 * Returns their sum; once it exceeds the room, counting stops. */
static uint64_t try_bound(const struct gs_cut *cut)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < cut->actives && sum <= cut->room; i++) {
        const uint64_t known = cut->counts[i];
        cut->trial[i] = known + count_run(cut, cut->active[i], known, false);
        sum += cut->trial[i];
    }
    return sum;
}

/* The record of a span that may be a bound further on. */
static const char *place_in(const struct gs_cut *cut, size_t span, uint64_t look)
{
    const uint64_t left = records_left(cut, span);
    return record_at(cut, span, (left < look ? left : look) - 1);
}

/* Of `count` spans in ->further keep those whose places are beyond the bound, or before it. */
static size_t keep_further(const struct gs_cut *cut, size_t count, uint64_t look, bool beyond)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const int sign = compare(cut, place_in(cut, cut->further[i], look), cut->bound);
        if (beyond ? sign > 0 : sign < 0)
            cut->further[kept++] = cut->further[i];
    }
    return kept;
}

/* Only `sum` records are before the bound: look for one with more of them, as a median is searched
 * for. Returns their number. */
static uint64_t widen(struct gs_cut *cut, uint64_t look, uint64_t sum)
{
    memcpy(cut->further, cut->active, cut->actives * sizeof *cut->further);
    size_t count = keep_further(cut, cut->actives, look, true);
    while (sum < cut->room / 2 && count > 0) {
        swap_bounds(cut);
        memcpy(cut->bound, place_in(cut, cut->further[count / 2], look), cut->order.record_bytes);
        const uint64_t more = try_bound(cut);
        const bool fits = more <= cut->room;
        count = keep_further(cut, count, look, fits);
        if (fits) {
            uint64_t *trial = cut->trial;
            cut->trial = cut->counts;
            cut->counts = trial;
            sum = more;
        } else {
            swap_bounds(cut);
        }
    }
    return sum;
}

/* Add those equal to the bound to ->counts, `most` at most, of earlier spans before later ones. */
static void count_equal(struct gs_cut *cut, uint64_t most)
{
    for (size_t i = 0; i < cut->actives && most > 0; i++) {
        const uint64_t run = count_run(cut, cut->active[i], cut->counts[i], true);
        cut->counts[i] += run < most ? run : most;
        most -= run < most ? run : most;
    }
}

/* Append the parts, whose lengths are in ->counts, and cut them off their spans. Drop the spans
 * that have nothing left. */
static void take_parts(struct gs_cut *cut, struct gs_segment *segment)
{
    size_t kept = 0;
    for (size_t i = 0; i < cut->actives; i++) {
        const size_t span = cut->active[i];
        const uint64_t count = cut->counts[i];
        if (count > 0)
            segment->parts[segment->part_count++] =
                (struct gs_part){.span = span, .first = cut->taken[span], .count = count};
        segment->count += count;
        cut->taken[span] += count;
        if (records_left(cut, span) > 0)
            cut->active[kept++] = span;
    }
    cut->actives = kept;
}

static void give_bound(const struct gs_cut *cut, struct gs_cut_bound *bound)
{
    bound->exists = cut->bounded;
    bound->closed = cut->closed;
    if (cut->bounded)
        memcpy(bound->record, cut->bound, cut->order.record_bytes);
}

/* Does record a come before b, or, unless under unique `strictly`, is equal to it? */
static bool is_before(const struct gs_cut *cut, const void *a, const void *b, bool strictly)
{
    const int sign = compare(cut, a, b);
    return sign < 0 || (sign == 0 && !(cut->order.unique && strictly));
}

bool gs_cut_holds(const struct gs_cut *cut, const struct gs_segment *segment, const void *first,
                  const void *last)
{
    const struct gs_cut_bound *low = &segment->bounds[0];
    const struct gs_cut_bound *high = &segment->bounds[1];
    return (!low->exists || is_before(cut, low->record, first, low->closed)) &&
           (!high->exists || is_before(cut, last, high->record, !high->closed));
}

void gs_cut_next(struct gs_cut *cut, struct gs_segment *segment)
{
    uint64_t sum;
    const uint64_t least = cut->room / cut->actives;
    uint64_t look = cut->look > least ? cut->look : least;
    segment->part_count = 0;
    segment->count = 0;
    segment->position = cut->position;
    segment->index = cut->segments;
    give_bound(cut, &segment->bounds[0]);
    for (;; look = look / 2 > least ? look / 2 : least) {
        cut->bounded = find_bound(cut, look);
        sum = look_before(cut, look);
        if (sum <= cut->room)
            break;
    }
    cut->look = sum < cut->room / ROOM_PART && 2 * look <= cut->room ? 2 * look : look;
    if (cut->bounded && sum < cut->room / ROOM_PART)
        sum = widen(cut, look, sum);
    cut->closed = sum == 0;
    give_bound(cut, &segment->bounds[1]);
    if (cut->bounded && (cut->closed || !cut->order.unique))
        count_equal(cut, cut->order.unique ? UINT64_MAX : cut->room - sum);
    take_parts(cut, segment);
    cut->position += segment->count;
    cut->segments++;
}
