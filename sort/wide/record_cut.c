/* record_cut.c -- cut inputs of sorted records at common places into segments, one after another.
 * SPDX-License-Identifier: MIT
 *
 * Look the same number of records ahead in each span. The least record seen there is the common
 * place, and all records before it lie within that distance. Equal records of several spans may be
 * cut apart, since the place is one record of one span: so there is always something to take.
 * Under unique they may not. If there is nothing before the place then, all records with its keys
 * are taken: only the first of them will be kept.
 *
 * How far to look is what gave segments of a good size before: far, where the ranges of inputs
 * follow one another.
 */
#include "sort/wide/record_cut.h"

#include <stdlib.h>
#include <string.h>

/* Look further next time if a segment has less than 1 / ROOM_PART of the room. */
#define ROOM_PART 4

enum gs_status gs_record_cut_open(struct gs_record_cut *cut, const struct gs_options *options,
                                  const struct gs_span *spans, size_t span_count, uint64_t room,
                                  struct gs_error *err)
{
    struct gs_format format = options->records->format;
    format.stable = format.stable || options->unique;
    *cut = (struct gs_record_cut){.spans = spans,
                                  .span_count = span_count,
                                  .reverse = options->reverse,
                                  .unique = options->unique,
                                  .taken = calloc(span_count + 1, sizeof *cut->taken),
                                  .active = calloc(span_count + 1, sizeof *cut->active),
                                  .counts = calloc(span_count + 1, sizeof *cut->counts),
                                  .room = room > 2 * span_count ? room : 2 * span_count};
    gs_record_order_init(&cut->order, &format);
    cut->bound = malloc(format.record_bytes);
    if (cut->taken == NULL || cut->active == NULL || cut->counts == NULL || cut->bound == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %zu inputs", span_count);
    for (size_t i = 0; i < span_count; i++)
        if (spans[i].count > 0)
            cut->active[cut->actives++] = i;
    return GS_OK;
}

void gs_record_cut_close(struct gs_record_cut *cut)
{
    free(cut->taken);
    free(cut->active);
    free(cut->counts);
    free(cut->bound);
    *cut = (struct gs_record_cut){.taken = NULL};
}

/* Record i of a span behind those that were taken. */
static const char *record_at(const struct gs_record_cut *cut, size_t span, uint64_t i)
{
    return (const char *)cut->spans[span].keys +
           (cut->taken[span] + i) * cut->order.format.record_bytes;
}

static uint64_t records_left(const struct gs_record_cut *cut, size_t span)
{
    return cut->spans[span].count - cut->taken[span];
}

/* The order of two records in the inputs. */
static int compare(const struct gs_record_cut *cut, const char *a, const char *b)
{
    int sign = gs_record_compare(&cut->order, a, b);
    return cut->reverse ? -sign : sign;
}

/* The number of a span's records before `bound`, among `count` from `from` on; equal: and of those
 * equal to it. */
static uint64_t count_before(const struct gs_record_cut *cut, size_t span, uint64_t from,
                             uint64_t count, const char *bound, bool equal)
{
    uint64_t first = 0;
    while (count > 0) {
        uint64_t half = count / 2;
        int sign = compare(cut, record_at(cut, span, from + first + half), bound);
        if (sign < 0 || (equal && sign == 0)) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

/* The same, equal ones included, where few are expected: gallops 1, 2, 4, ... records ahead. */
static uint64_t count_run(const struct gs_record_cut *cut, size_t span, const char *bound)
{
    const uint64_t left = records_left(cut, span);
    uint64_t ahead = 1;
    while (ahead < left && compare(cut, record_at(cut, span, ahead - 1), bound) <= 0)
        ahead *= 2;
    const uint64_t first = ahead / 2; /* these are all in the run, or there are none */
    const uint64_t end = ahead < left ? ahead : left;
    return first + count_before(cut, span, first, end - first, bound, true);
}

/* The first span whose record `look` ahead is the least; false if none is longer. */
static bool find_bound(const struct gs_record_cut *cut, uint64_t look, size_t *bound)
{
    bool found = false;
    for (size_t i = 0; i < cut->actives; i++) {
        const size_t span = cut->active[i];
        if (records_left(cut, span) <= look)
            continue;
        if (!found || compare(cut, record_at(cut, span, look), record_at(cut, *bound, look)) < 0)
            *bound = span;
        found = true;
    }
    return found;
}

/* Count each span's records before the one that is `look` ahead of the first, by places, to
 * ->counts; their sum. */
static uint64_t look_before(struct gs_record_cut *cut, uint64_t look, size_t bound, bool bounded)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < cut->actives; i++) {
        const size_t span = cut->active[i];
        const uint64_t left = records_left(cut, span);
        uint64_t count = left < look ? left : look;
        if (bounded && (span != bound || cut->unique))
            count = count_before(cut, span, 0, count, record_at(cut, bound, look),
                                 span < bound && !cut->unique);
        cut->counts[i] = count;
        sum += count;
    }
    return sum;
}

/* Count each span's records up to one that none comes before, to ->counts. */
static void count_equal(struct gs_record_cut *cut, const char *bound)
{
    for (size_t i = 0; i < cut->actives; i++)
        cut->counts[i] = count_run(cut, cut->active[i], bound);
}

/* Append the parts, whose lengths are in ->counts, and cut them off their spans. Drop the spans
 * that have nothing left. */
static void take_parts(struct gs_record_cut *cut, struct gs_record_segment *segment)
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

static void give_bound(const struct gs_record_cut *cut, struct gs_record_bound *bound)
{
    bound->exists = cut->bounded;
    bound->closed = cut->closed;
    if (cut->bounded)
        memcpy(bound->record, cut->bound, cut->order.format.record_bytes);
}

/* Does record a come before b, or, unless under unique `strictly`, is equal to it? */
static bool is_before(const struct gs_record_cut *cut, const char *a, const char *b, bool strictly)
{
    const int sign = compare(cut, a, b);
    return sign < 0 || (sign == 0 && !(cut->unique && strictly));
}

bool gs_record_cut_holds(const struct gs_record_cut *cut, const struct gs_record_segment *segment,
                         const char *first, const char *last)
{
    const struct gs_record_bound *low = &segment->bounds[0];
    const struct gs_record_bound *high = &segment->bounds[1];
    return (!low->exists || is_before(cut, low->record, first, low->closed)) &&
           (!high->exists || is_before(cut, last, high->record, !high->closed));
}

void gs_record_cut_next(struct gs_record_cut *cut, struct gs_record_segment *segment)
{
    size_t bound = 0;
    bool bounded;
    uint64_t sum;
    const uint64_t least = cut->room / cut->actives;
    uint64_t look = cut->look > least ? cut->look : least;
    segment->part_count = 0;
    segment->count = 0;
    segment->position = cut->position;
    segment->index = cut->segments;
    give_bound(cut, &segment->bounds[0]);
    for (;; look = look / 2 > least ? look / 2 : least) {
        bounded = find_bound(cut, look, &bound);
        sum = look_before(cut, look, bound, bounded);
        if (sum <= cut->room)
            break;
    }
    cut->look = sum < cut->room / ROOM_PART && 2 * look <= cut->room ? 2 * look : look;
    cut->bounded = bounded;
    cut->closed = sum == 0;
    if (bounded)
        memcpy(cut->bound, record_at(cut, bound, look), cut->order.format.record_bytes);
    give_bound(cut, &segment->bounds[1]);
    if (sum == 0)
        count_equal(cut, cut->bound);
    take_parts(cut, segment);
    cut->position += segment->count;
    cut->segments++;
}
