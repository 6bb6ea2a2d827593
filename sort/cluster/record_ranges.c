/* record_ranges.c -- which rank's range of the output a record belongs to that no element holds.
 * SPDX-License-Identifier: MIT
 */
#include "sort/cluster/record_ranges.h"

#include <errno.h>
#include <stdlib.h>

enum gs_status gs_record_ranges_open(struct gs_record_ranges *ranges,
                                     const struct gs_options *options, unsigned count,
                                     struct gs_error *err)
{
    struct gs_format format = options->records->format;
    format.stable = format.stable || options->unique;
    *ranges = (struct gs_record_ranges){.options = options,
                                        .count = count,
                                        .splitters = calloc(count, sizeof *ranges->splitters),
                                        .bytes = calloc(count, format.record_bytes),
                                        .lock = PTHREAD_MUTEX_INITIALIZER,
                                        .firsts = calloc(count, sizeof *ranges->firsts)};
    gs_record_order_init(&ranges->order, &format);
    if (ranges->splitters == NULL || ranges->bytes == NULL || ranges->firsts == NULL)
        return gs_fail(err, GS_ERR_MEMORY, ENOMEM, "%u ranges", count);
    return GS_OK;
}

void gs_record_ranges_close(struct gs_record_ranges *ranges)
{
    free(ranges->splitters);
    free(ranges->bytes);
    free(ranges->firsts);
    *ranges = (struct gs_record_ranges){.count = 0};
}

struct gs_placed_record gs_record_ranges_place(const struct gs_record_ranges *ranges,
                                               const char *record, uint64_t position)
{
    return (struct gs_placed_record){.head = gs_record_head(&ranges->order, record),
                                     .record = record,
                                     .rank = ranges->rank,
                                     .position = position};
}

/* By what options say alone: below, equal to or above 0. */
static int compare(const struct gs_record_ranges *ranges, const struct gs_placed_record *a,
                   const struct gs_placed_record *b)
{
    int sign;
    if (a->head.high != b->head.high)
        sign = a->head.high < b->head.high ? -1 : 1;
    else if (a->head.low != b->head.low)
        sign = a->head.low < b->head.low ? -1 : 1;
    else
        sign = gs_record_compare_from(&ranges->order, a->record, b->record, sizeof a->head);
    return ranges->options->reverse ? -sign : sign;
}

bool gs_record_ranges_before(const struct gs_record_ranges *ranges,
                             const struct gs_placed_record *a, const struct gs_placed_record *b)
{
    int sign = compare(ranges, a, b);
    if (sign != 0)
        return sign < 0;
    return a->rank != b->rank ? a->rank < b->rank : a->position < b->position;
}

/* -u: is there no record before this one, among those that this rank has seen of the same keys,
 * which a splitter has? Others need not be sent: so a heavy value does not load its range. */
static bool is_first(struct gs_record_ranges *ranges, unsigned range,
                     const struct gs_placed_record *placed)
{
    struct gs_placed_record *first = &ranges->firsts[range];
    pthread_mutex_lock(&ranges->lock);
    bool before = first->record == NULL;
    if (!before) {
        int sign = gs_record_compare(ranges->options->records, placed->record, first->record);
        sign = ranges->options->reverse ? -sign : sign;
        before = sign < 0 || (sign == 0 && placed->position < first->position);
    }
    if (before)
        *first = *placed;
    pthread_mutex_unlock(&ranges->lock);
    return before;
}

/* How many splitters are not behind a record. */
static unsigned find(const struct gs_record_ranges *ranges, const struct gs_placed_record *placed)
{
    unsigned low = 0;
    unsigned high = ranges->count - 1;
    while (low < high) {
        const unsigned middle = low + (high - low) / 2;
        const struct gs_placed_record *splitter = &ranges->splitters[middle];
        if (ranges->options->unique ? compare(ranges, placed, splitter) < 0
                                    : gs_record_ranges_before(ranges, placed, splitter))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void gs_record_ranges_find(struct gs_record_ranges *ranges, const char *records, size_t count,
                           uint64_t position, uint16_t *found)
{
    const size_t bytes = ranges->order.format.record_bytes;
    for (size_t i = 0; i < count; i++) {
        const struct gs_placed_record placed =
            gs_record_ranges_place(ranges, records + i * bytes, position + i);
        const unsigned range = find(ranges, &placed);
        const bool drop = ranges->options->unique && range > 0 &&
                          compare(ranges, &placed, &ranges->splitters[range - 1]) == 0 &&
                          !is_first(ranges, range, &placed);
        found[i] = (uint16_t)(drop ? ranges->count : range);
    }
}
