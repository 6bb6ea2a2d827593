/* external_records.c -- sort more records than memory may hold, through temporary files.
 * SPDX-License-Identifier: MIT
 *
 * It is the external sort of keys (external/external.c), whose keys are the records' tags: these
 * split a chunk, and the records follow them to temporary files. What is loaded is sorted as any
 * records are. In a bin that is too large, tags begin behind what all its records share.
 *
 * Each bin is in input order, chunk by chunk and within each: so equal keys stay in that order
 * where they have to. Where the output is indices, records have their numbers in front in temporary
 * files (number.h).
 */
#include "sort/wide/external_records.h"
#include "sort/bin/cache_sort.h"
#include "sort/check/check_records.h"
#include "sort/external/external.h"
#include "sort/external/external_plan.h"
#include "sort/tags/tag_sort.h"
#include "sort/tags/whole_tags.h"
#include "sort/wide/record_calls.h"

#include "common/formats/record_copy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define UNDER_WAY 24 /* records that are under way while one is copied */

/* Memory that makes another thread worth while: each takes about a third of it, to sort bins. */
#define THREAD_BYTES ((uint64_t)14 << 20)

static void plan_records(const struct gs_entries *entries, uint64_t count, struct gs_plan *plan)
{
    gs_tag_sort_plan(plan, &gs_record_entries_of(entries)->kept, count);
}

/* Does so much memory serve so many, by one thread? */
static bool serves(const struct gs_entries *entries, uint64_t mebibytes, uint64_t count)
{
    const struct gs_external_plan plan = gs_external_plan(entries, 1, mebibytes << 20, count);
    return gs_external_plan_fits(&plan, entries, count);
}

static uint64_t least_mebibytes(const struct gs_entries *entries, uint64_t count)
{
    struct gs_record_entries one = *gs_record_entries_of(entries);
    uint64_t high = 1;
    one.kept.threads = 1;
    while (high >> 32 == 0 && !serves(&one.entries, high, count))
        high *= 2;
    for (uint64_t low = high / 2; high - low > 1;) {
        const uint64_t middle = low + (high - low) / 2;
        *(serves(&one.entries, middle, count) ? &high : &low) = middle;
    }
    return high;
}

static enum gs_status check(const struct gs_entries *entries, const struct gs_external_plan *plan,
                            uint64_t count, bool more, struct gs_error *err)
{
    char number[24] = "";
    if (gs_external_plan_fits(plan, entries, count))
        return GS_OK;
    if (count > 0)
        snprintf(number, sizeof number, "%" PRIu64 " ", count);
    return gs_fail(err, GS_ERR_MEMORY, 0,
                   "%srecords of %u bytes%s take at least %" PRIu64
                   " MiB of memory to sort, and only %" PRIu64 " MiB may be used (-S)",
                   number, entries->bytes, more ? " and more" : "",
                   least_mebibytes(entries, more ? 2 * count : count), plan->memory_bytes >> 20);
}

static inline const char *input_record(const struct gs_tiles *tiles, uint64_t index)
{
    if (tiles->span_count == 1)
        return (const char *)tiles->spans->keys + index * tiles->tagger->record_bytes;
    return gs_tiles_part(tiles, index, 1).records;
}

/* Records of a bin lie far apart: those of the next tags are under way while one is copied. */
static void fetch(const struct gs_entries *entries, const struct gs_chunk_input *input,
                  const gs_key *tags, uint64_t count, char *to)
{
    const struct gs_record_entries *records = gs_record_entries_of(entries);
    const struct gs_tiles *tiles = &input->tiles;
    const struct gs_tags *tagger = gs_level_tags(tiles->tagger);
    const uint32_t bytes = tiles->tagger->record_bytes;
    const bool numbers = bytes != entries->bytes;
    if (tagger->whole) {
        gs_whole_tags_restore(tagger, tags, count, to);
        return;
    }
    for (uint64_t i = 0; i < count && i < UNDER_WAY; i++)
        gs_record_prefetch(input_record(tiles, gs_tag_index(tagger, tags[i])), bytes);
    for (uint64_t i = 0; i < count; i++, to += entries->bytes) {
        const uint64_t index = gs_tag_index(tagger, tags[i]);
        if (i + UNDER_WAY < count)
            gs_record_prefetch(input_record(tiles, gs_tag_index(tagger, tags[i + UNDER_WAY])),
                               bytes);
        if (numbers)
            gs_number_write(to, input->first + index, records->kept.reverse,
                            input_record(tiles, index), bytes);
        else
            gs_record_copy(to, input_record(tiles, index), bytes);
    }
}

/* Fill in all that is known beforehand. */
static void open_records(struct gs_record_entries *records, const struct gs_options *options,
                         uint64_t memory_bytes)
{
    const uint64_t threads = memory_bytes / THREAD_BYTES + 1;
    records->input = *options;
    records->input.memory_bytes = records->input.own.held_bytes = 0;
    records->input.index_bytes = 0;
    if (threads < gs_threads(options))
        records->input.threads = (unsigned)threads;
    records->kept = records->input;
    if (options->index_bytes != 0) {
        gs_numbered_init(&records->numbered, &records->input);
        records->kept = records->numbered.options;
        records->kept.index_bytes = options->index_bytes;
    }
    records->part = (struct gs_tag_part){.takes_numbers = options->index_bytes != 0};
    records->entries = (struct gs_entries){.bytes = gs_record_bytes(&records->kept),
                                           .input_bytes = gs_record_bytes(options),
                                           .tagged = true,
                                           .look = gs_records_look,
                                           .plan = plan_records,
                                           .check = check,
                                           .choose = gs_records_choose,
                                           .fetch = fetch,
                                           .sort = gs_records_sort_group,
                                           .shared = gs_records_shared,
                                           .write_equal = gs_records_write_equal};
}

enum gs_status gs_sort_records_external(const struct gs_options *options,
                                        const struct gs_external *source, struct gs_sink *sink,
                                        struct gs_progress *progress, struct gs_stats *stats,
                                        struct gs_error *err)
{
    struct gs_record_entries records = {.sums = options->verify || source->journal != NULL};
    open_records(&records, options, source->memory_bytes);
    const uint64_t bytes = records.entries.bytes;
    char *ends = malloc(3 * bytes);
    *stats = (struct gs_stats){0};
    if (ends == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort");
    records.first = ends;
    records.last = ends + bytes;
    records.written = ends + 2 * bytes;
    enum gs_status st =
        gs_external_sort(&records.entries, options, source, sink, progress, stats, err);
    if (stats->device_text == NULL)
        stats->device_text = gs_cache_sort_name();
    free(ends);
    return st;
}

/* It is planned as it will be, so that it is refused as it would be. */
enum gs_status gs_sort_records_check_external(const struct gs_options *options,
                                              uint64_t memory_bytes, uint64_t count,
                                              struct gs_error *err)
{
    struct gs_record_entries records = {.sums = false};
    open_records(&records, options, memory_bytes);
    const struct gs_external_plan plan =
        gs_external_plan(&records.entries, gs_threads(options), memory_bytes, count);
    return check(&records.entries, &plan, count, false, err);
}
