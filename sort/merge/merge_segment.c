/* merge_segment.c -- merge one segment of sorted inputs in cache, and hand it out.
 * SPDX-License-Identifier: MIT
 *
 * A thread copies the segment's parts together, checks the copies for order, merges them and hands
 * them to the emitter. With too many parts for that, or without the vector instructions, they are
 * sorted as a bin is. Each pair of neighbouring keys of an input is checked in the part that holds
 * the second: so disorder is never missed, even where it misled the binary search. Nor is a change
 * of the input missed: the copied keys must lie between the keys at which the segment was cut.
 */
#include "sort/merge/merge_segment.h"
#include "sort/keys/order.h"
#include "sort/keys/fingerprint.h"

#include "common/clock.h"

#include <assert.h>

static_assert(GS_SEGMENT_KEYS + GS_SEGMENT_GAPS <= GS_CACHE_SORT_SCRATCH,
              "scratch is for either method");

/* Do keys from low to high lie within the segment's bounds? Not where an input is out of order, or
 * has changed since the cut. */
static bool is_within(const struct gs_merge_shared *merge, const struct gs_segment *segment,
                      gs_key low, gs_key high)
{
    const struct gs_codec *codec = merge->codec;
    const gs_key keys[] = {low, high};
    gs_key records[] = {low, high};
    for (int i = 0; codec != NULL && i < 2; i++)
        gs_codec_store(codec, &keys[i], &records[i], 1);
    const bool reverse = merge->drive.options->reverse;
    return gs_cut_holds(&merge->drive.cut, segment, &records[reverse], &records[!reverse]);
}

/* Copy a part's keys in the order of the inputs; false: they, and the key before them, are not. */
static bool copy_part(const struct gs_merge_shared *merge, const struct gs_part *part, gs_key *to)
{
    const struct gs_cut *cut = &merge->drive.cut;
    const struct gs_span *span = &cut->spans[part->span];
    const uint64_t first = gs_cut_place(cut, part->span, part->first);
    const uint64_t last = gs_cut_place(cut, part->span, part->first + part->count - 1);
    gs_key before;
    gs_span_copy(span, merge->codec, first < last ? first : last, part->count, to);
    if (first > last)
        gs_order_reverse(to, part->count);
    if (part->first > 0)
        before = gs_span_key(span, merge->codec, gs_cut_place(cut, part->span, part->first - 1));
    return gs_first_disorder(&merge->order, to, part->count, part->first > 0 ? &before : NULL) ==
           part->count;
}

/* Copy the parts of a segment together, ascending, `gap` keys apart, and find the least and largest
 * key. False: they are out of order or out of bounds. */
static bool gather(const struct gs_merge_shared *merge, struct gs_merger *worker, uint64_t gap,
                   gs_key *low, gs_key *high)
{
    gs_key *to = worker->keys;
    *low = GS_KEY_MAX;
    *high = 0;
    for (size_t i = 0; i < worker->worker.segment.part_count; i++) {
        const struct gs_part *part = &worker->worker.segment.parts[i];
        if (!copy_part(merge, part, to))
            return false;
        if (merge->drive.options->verify)
            worker->worker.fingerprint += gs_fingerprint(to, part->count);
        if (merge->drive.options->reverse)
            gs_order_reverse(to, part->count);
        *low = to[0] < *low ? to[0] : *low;
        *high = to[part->count - 1] > *high ? to[part->count - 1] : *high;
        to += part->count + gap;
    }
    return is_within(merge, &worker->worker.segment, *low, *high);
}

static gs_key *merge_parts(const struct gs_merge_shared *merge, struct gs_merger *worker)
{
    const struct gs_segment *segment = &worker->worker.segment;
    size_t counts[GS_MERGE_RUNS_MAX];
    for (size_t i = 0; i < segment->part_count; i++)
        counts[i] = segment->parts[i].count;
    return gs_merge_runs(merge->method, worker->keys, worker->scratch, counts, segment->part_count);
}

enum gs_status gs_merge_segment(struct gs_merge_drive *drive, struct gs_merge_worker *worker)
{
    struct gs_merge_shared *merge = (struct gs_merge_shared *)drive;
    struct gs_merger *merger = (struct gs_merger *)worker;
    const struct gs_segment *segment = &worker->segment;
    gs_key low, high;
    uint64_t start = gs_now_ns();
    bool merges = merge->method != GS_MERGE_NONE && segment->part_count <= GS_MERGE_RUNS_MAX &&
                  segment->count <= GS_SEGMENT_KEYS;
    if (!gather(merge, merger, merges ? GS_MERGE_GAP : 0, &low, &high)) {
        gs_merge_fail(drive, GS_ERR_INPUT);
        return GS_ERR_INPUT;
    }
    if (low == high)
        return gs_work_emit_equal(drive->emitter, segment->index, low, segment->count,
                                  segment->position, merger->keys, &worker->work);
    gs_key *sorted = merger->keys;
    if (segment->part_count > 1)
        sorted = merges ? merge_parts(merge, merger)
                        : gs_cache_sort(merger->keys, merger->scratch, segment->count, low, high);
    uint64_t kept = gs_emit_shape(drive->emitter, sorted, segment->count);
    worker->work.sort_ns += gs_now_ns() - start;
    return gs_work_emit(drive->emitter, segment->index, sorted, kept, segment->position,
                        &worker->work);
}
