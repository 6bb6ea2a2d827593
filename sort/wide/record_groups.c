/* record_groups.c -- sort bins of records that fit in memory together, and write them out.
 * SPDX-License-Identifier: MIT
 *
 * Where each bin of a group fits the cache, the tags of its records are made and sorted there, bin
 * by bin. Else the group is an input of its own, and is split once more.
 *
 * A record may change while it is in a mapped file, between its tag and the copy that is written:
 * then it is in a wrong bin. So the outermost records of each bin are looked at, and those of
 * neighbouring groups are compared.
 */
#include "sort/bin/sizes.h"
#include "sort/check/check_records.h"
#include "sort/wide/external_records.h"
#include "sort/wide/record_calls.h"

#include "common/memory/memory.h"

#include <stdlib.h>
#include <string.h>

/* Tags of 64 bits are taken where at most one in so many records begins like another one. */
#define NARROW_SHARE 4

/* Passes on what a group writes. */
struct relay {
    struct gs_sink sink; /* the first member */
    struct gs_record_entries *records;
    struct gs_external_sorter *sorter;
};

static enum gs_status relay_records(struct gs_sink *sink, const void *data, uint64_t count,
                                    uint64_t position, struct gs_error *err)
{
    const struct relay *relay = (const struct relay *)sink;
    struct gs_record_entries *records = relay->records;
    const uint64_t bytes = gs_output_bytes(&records->kept);
    if (records->kept.index_bytes == 0 && count > 0) {
        if (position == 0)
            memcpy(records->first, data, bytes);
#pragma omp critical(gs_group_end)
        if (position + count > records->end) {
            records->end = position + count;
            memcpy(records->last, (const char *)data + (count - 1) * bytes, bytes);
        }
    }
    return gs_external_write(&relay->sorter->sink, data, count, position, err);
}

/* A group is written, `count` records of it: may they follow what was there before? */
static enum gs_status end_group(struct gs_record_entries *records,
                                struct gs_external_sorter *sorter, uint64_t count,
                                struct gs_error *err)
{
    const struct gs_options *kept = &records->kept;
    sorter->position += count;
    if (records->end == 0)
        return GS_OK;
    if (records->any && !kept->verify &&
        !gs_record_follows(kept->records, records->written, records->first, kept->reverse,
                           kept->unique))
        return gs_fail(err, GS_ERR_INPUT, 0, "an input changed while it was being sorted");
    char *last = records->last;
    records->last = records->written;
    records->written = last;
    records->any = true;
    records->end = 0;
    return GS_OK;
}

/* The bins of a group that is loaded. */
struct group {
    struct gs_tag_bins bins; /* the first member */
    const struct gs_level *level;
    uint32_t low; /* the first bin */
};

static bool is_in_bin(const void *context, uint32_t bin, const void *record)
{
    const struct group *group = context;
    const struct gs_level *level = group->level;
    gs_key tag;
    level->tagger->tag(level->tagger, record, 0, 1, &tag);
    return tag >= gs_splitters_low(&level->splitters, group->low + bin) &&
           tag <= gs_splitters_high(&level->splitters, group->low + bin);
}

/* Where the bins of a group lie. */
static void fill_rows(const struct group *group, struct gs_rows *rows)
{
    const struct gs_level *level = group->level;
    uint32_t *row = rows->starts;
    uint32_t place = 0;
    for (size_t i = 0; i < level->chunk_count; i++, row += rows->stride) {
        const uint32_t *starts = level->chunks[i].starts + group->low;
        for (uint32_t b = 0; b < rows->stride; b++)
            row[b] = place + (starts[b] - starts[0]);
        place = row[rows->stride - 1];
    }
}

/* Does each bin fit the cache, and does the user leave it to us how many there are? */
static bool are_small(const struct gs_options *options, const struct gs_level *level, uint32_t low,
                      uint32_t high, uint64_t count)
{
    bool small = options->bins == 0 && options->samples == 0 && count <= UINT32_MAX;
    for (uint32_t bin = low; bin <= high; bin++)
        small = small && level->totals[bin] <= GS_CACHE_SORT_CAPACITY;
    return small;
}

/* Describe loaded bins low to high. If there is no memory, they are split once more. */
static struct gs_tag_bins *take_group(struct group *group, const struct gs_level *level,
                                      uint32_t low, uint32_t high, gs_key *loaded)
{
    struct gs_tag_bins *bins = &group->bins;
    uint64_t total = 0;
    for (uint32_t bin = 0; bin < gs_level_bins(level); bin++)
        total += level->totals[bin];
    *group = (struct group){.level = level, .low = low};
    *bins = (struct gs_tag_bins){
        .rows = {.keys = loaded, .count = level->chunk_count, .stride = high - low + 2},
        .count = high - low + 1,
        .from = gs_level_tags(level->tagger)->from,
        .narrow = level->alike * (double)total * NARROW_SHARE <= 1,
        .is_in_bin = is_in_bin,
        .context = group};
    bins->starts_bytes = bins->rows.count * bins->rows.stride * sizeof *bins->rows.starts;
    bins->rows.starts = gs_pages_alloc(bins->starts_bytes);
    if (bins->rows.starts == NULL)
        return NULL;
    fill_rows(group, &bins->rows);
    return bins;
}

enum gs_status gs_records_sort_group(struct gs_external_sorter *sorter,
                                     const struct gs_level *level, uint32_t low, uint32_t high,
                                     uint64_t count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_record_entries *records = gs_record_entries_of(sorter->entries);
    const struct gs_options *kept = &records->kept;
    const struct gs_span span = {.keys = sorter->load, .count = count, .name = "temporary file"};
    struct gs_stats stats;
    struct relay relay = {.sink = {.write = relay_records, .stream = sorter->target->stream},
                          .records = records,
                          .sorter = sorter};
    struct group group = {.level = level};
    records->part.most = sorter->plan.bin_keys;
    records->part.plans[1] = sorter->group;
    records->part.bins = NULL;
    if (are_small(kept, level, low, high, count))
        records->part.bins = take_group(&group, level, low, high, sorter->load);
    if (kept->verify && kept->unique)
        sorter->expected -= gs_records_fingerprint(span.keys, sorter->entries->bytes, count);
    GS_TRY(gs_sort_records_part(kept, &records->part, &span, 1, &relay.sink, NULL, &stats, err));
    gs_external_add_stats(sorter->stats, &stats);
    if (kept->verify && kept->unique)
        sorter->expected += stats.fingerprint;
    atomic_fetch_add(&sorter->progress->done, count);
    st = end_group(records, sorter, stats.keys_out, err);
cleanup:
    gs_pages_free(group.bins.rows.starts, group.bins.starts_bytes);
    return st;
}

/* Put numbers in place of the records that have them, if these are what is wanted. */
static void take_numbers(const struct gs_record_entries *records, char *from, uint64_t count)
{
    const unsigned bytes = records->kept.index_bytes;
    char *to = from;
    for (uint64_t i = 0; i < count && bytes != 0; i++) {
        const uint64_t number = gs_number_read(from, records->kept.reverse);
        memcpy(to, &number, bytes);
        from += records->entries.bytes;
        to += bytes;
    }
}

/* Of records with equal keys, keep the one in memory or, if it comes before that, one of `count`
 * others. */
static void keep_first(const struct gs_record_entries *records, const char *others, uint64_t count,
                       char *kept)
{
    const struct gs_options *options = &records->kept;
    for (uint64_t i = 0; i < count; i++, others += records->entries.bytes) {
        const int sign = gs_record_compare(options->records, others, kept);
        if (options->reverse ? sign > 0 : sign < 0)
            memcpy(kept, others, records->entries.bytes);
    }
}

/* The one that is kept of all that were equal. */
static enum gs_status write_first(struct gs_record_entries *records,
                                  struct gs_external_sorter *sorter, struct relay *relay,
                                  char *kept, struct gs_error *err)
{
    if (records->kept.verify)
        sorter->expected += gs_record_hash(kept, records->entries.bytes);
    take_numbers(records, kept, 1);
    return relay_records(&relay->sink, kept, 1, 0, err);
}

enum gs_status gs_records_write_equal(struct gs_external_sorter *sorter,
                                      const struct gs_level *level, uint32_t bin,
                                      struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_record_entries *records = gs_record_entries_of(sorter->entries);
    const struct gs_options *options = &records->kept;
    const uint64_t bytes = sorter->entries->bytes;
    uint64_t done = 0;
    struct relay relay = {.sink = {.write = relay_records}, .records = records, .sorter = sorter};
    char *first = malloc(bytes);
    if (first == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory to sort");
    GS_TRY(gs_external_need(&sorter->load, gs_external_load_bytes(sorter), err));
    for (size_t chunk = 0; chunk < level->chunk_count; chunk++) {
        const uint32_t piece = gs_level_piece_keys(level, chunk, bin, bin);
        for (uint32_t from = 0, here; from < piece; from += here, done += here) {
            here = piece - from < sorter->plan.bin_keys ? piece - from
                                                        : (uint32_t)sorter->plan.bin_keys;
            GS_TRY(gs_level_read(level, &sorter->spill, chunk, bin, from, here, sorter->load, err));
            if (!options->unique) {
                take_numbers(records, (char *)sorter->load, here);
                GS_TRY(relay_records(&relay.sink, sorter->load, here, done, err));
                continue;
            }
            if (options->verify)
                sorter->expected -= gs_records_fingerprint(sorter->load, bytes, here);
            if (done == 0)
                memcpy(first, sorter->load, bytes);
            keep_first(records, (const char *)sorter->load, here, first);
        }
    }
    if (options->unique)
        GS_TRY(write_first(records, sorter, &relay, first, err));
    atomic_fetch_add(&sorter->progress->done, done);
    sorter->stats->bins++;
    st = end_group(records, sorter, options->unique ? 1 : done, err);
cleanup:
    free(first);
    return st;
}
