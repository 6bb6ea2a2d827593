/* gather.c -- fetch the records of sorted tags.
 * SPDX-License-Identifier: MIT
 *
 * Each record is somewhere else, so nearly every one is a cache miss, and often one of the TLB,
 * too: those of the next records are under way while one is copied. They come to the second-level
 * cache, which takes more at once than the first.
 *
 * A record in a mapped file may have changed since its tag was made of it. So it is the copies that
 * are compared, each with the one before, and the outermost ones with the bounds of their bin.
 */
#include "sort/tags/gather.h"
#include "sort/check/check_records.h"
#include "sort/tags/number.h"
#include "sort/tags/whole_tags.h"

#include "common/formats/record_copy.h"

#define AHEAD    24 /* records that are under way */
#define GATHERED 64 /* records that are copied, then compared */

/* Is this the place of a record, by its prefix? The bits below are all 0 in the lower bound, and
 * all 1 in the upper one. */
static bool is_in_bin(const struct gs_wide *wide, uint32_t bin, const char *record)
{
    const struct gs_tagger *tagger = &wide->tags.tagger;
    const struct gs_splitters *splitters = &wide->run.splitters;
    const struct gs_tag_bins *bins = gs_wide_bins(wide);
    gs_key tag;
    if (bins != NULL)
        return bins->is_in_bin(bins->context, bin, record);
    tagger->tag(tagger, record, 0, 1, &tag);
    return tag >= gs_splitters_low(splitters, bin) && tag <= gs_splitters_high(splitters, bin);
}

/* May a copied record follow the one before it? Equal keys under stable have to come in the order
 * of the input, or else not to be equal. */
static bool follows(const struct gs_wide *wide, const gs_key *tag, const char *record)
{
    const struct gs_record_order *order = wide->tags.order;
    const bool back = order->format.stable &&
                      gs_tag_index(&wide->tags, tag[0]) < gs_tag_index(&wide->tags, tag[-1]);
    return gs_record_follows(order, record - wide->output_bytes, record, wide->options->reverse,
                             back || wide->options->unique);
}

/* Are copied records in order and, unless first, behind the one in front of them? */
static bool are_ordered(const struct gs_wide *wide, const gs_key *tags, uint64_t count, bool first,
                        const char *records)
{
    const unsigned bytes = wide->output_bytes;
    for (uint64_t i = first ? 1 : 0;; i++) {
        i = gs_records_rise(wide->tags.order, records, bytes, i, count, wide->options->reverse);
        if (i == count || !follows(wide, tags + i, records + i * bytes))
            return i == count;
    }
}

/* Copy records, a few at a time, and compare those while they are in the first-level cache. */
static bool gather_records(const struct gs_wide *wide, const gs_key *tags, uint64_t count,
                           bool first, char *to)
{
    const uint32_t bytes = wide->tags.tagger.record_bytes;
    const unsigned output_bytes = wide->output_bytes;
    for (uint64_t i = 0; i < count && i < AHEAD; i++)
        gs_record_prefetch(gs_wide_tagged(wide, tags[i]), bytes);
    for (uint64_t done = 0, end; done < count; done = end) {
        char *const copies = to + done * output_bytes;
        end = count - done < GATHERED ? count : done + GATHERED;
        for (uint64_t i = done; i < end; i++) {
            if (i + AHEAD < count)
                gs_record_prefetch(gs_wide_tagged(wide, tags[i + AHEAD]), bytes);
            gs_record_copy(to + i * output_bytes, gs_wide_tagged(wide, tags[i]), bytes);
        }
        if (!are_ordered(wide, tags + done, end - done, first && done == 0, copies))
            return false;
    }
    return true;
}

/* Take the numbers of records, which lie in memory that nobody else has. */
static void take_numbers(const struct gs_wide *wide, const gs_key *tags, uint64_t count, char *to)
{
    for (uint64_t i = 0; i < count && i < AHEAD; i++)
        gs_record_prefetch(gs_wide_tagged(wide, tags[i]), GS_NUMBER_BYTES);
    for (uint64_t i = 0; i < count; i++, to += wide->output_bytes) {
        if (i + AHEAD < count)
            gs_record_prefetch(gs_wide_tagged(wide, tags[i + AHEAD]), GS_NUMBER_BYTES);
        const uint64_t number =
            gs_number_read(gs_wide_tagged(wide, tags[i]), wide->options->reverse);
        memcpy(to, &number, wide->output_bytes);
    }
}

/* Write the indices of tags, in integers of a size that is a constant at every call: else each
 * would be a call of memcpy. */
static inline __attribute__((always_inline)) void write_indices(const struct gs_wide *wide,
                                                                const gs_key *tags, uint64_t count,
                                                                char *to, unsigned bytes)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t index = gs_tag_index(&wide->tags, tags[i]);
        memcpy(to + i * bytes, &index, bytes);
    }
}

bool gs_gather(const struct gs_wide *wide, uint32_t bin, const gs_key *tags, uint64_t count,
               bool first, char *to)
{
    const unsigned output_bytes = wide->output_bytes;
    if (count == 0)
        return true;
    if (wide->part != NULL && wide->part->takes_numbers) {
        take_numbers(wide, tags, count, to);
        return true;
    }
    if (wide->tags.whole) { /* nothing is read again, so nothing can have changed */
        gs_whole_tags_restore(&wide->tags, tags, count, to);
        return true;
    }
    if (wide->options->index_bytes == 0)
        return gather_records(wide, tags, count, first, to) && is_in_bin(wide, bin, to) &&
               is_in_bin(wide, bin, to + (count - 1) * output_bytes);
    if (output_bytes == sizeof(uint32_t))
        write_indices(wide, tags, count, to, sizeof(uint32_t));
    else
        write_indices(wide, tags, count, to, sizeof(uint64_t));
    return true;
}
