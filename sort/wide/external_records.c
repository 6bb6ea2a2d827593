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
 *
 * A record may change while it is in a mapped file, between its tag and the copy that is written:
 * then it is in a wrong bin. So the outermost records of neighbouring groups are compared.
 */
#include "sort/bin/cache_sort.h"
#include "sort/check/check_records.h"
#include "sort/external/external.h"
#include "sort/external/external_level.h"
#include "sort/external/external_plan.h"
#include "sort/external/external_sorter.h"
#include "sort/split/sort_samples.h"
#include "sort/tags/number.h"
#include "sort/tags/whole_tags.h"
#include "sort/wide/record_calls.h"

#include "common/formats/record_copy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define UNDER_WAY 24 /* records that are under way while one is copied */

/* Memory that makes another thread worth while: each takes about a third of it, to sort bins. */
#define THREAD_BYTES ((uint64_t)14 << 20)

/* Records that go through temporary files. */
struct record_entries {
    struct gs_entries entries;   /* the first member */
    struct gs_options input;     /* of the input, */
    struct gs_options kept;      /* and of what is in temporary files */
    struct gs_numbered numbered; /* if that has numbers */
    bool sums;                   /* sum up what is read */
    struct gs_tag_part part;     /* a group of bins */
    char *first, *last;          /* records: the outermost of a group, */
    char *written;               /* and the last one before */
    bool any;                    /* is there one before? */
    uint64_t end;                /* of what the group has written; last is in front of it */
};

/* Passes on what a group writes. */
struct relay {
    struct gs_sink sink; /* the first member */
    struct record_entries *records;
    struct gs_external_sorter *sorter;
};

/* Their sort is one, so that they may change while it runs. */
static struct record_entries *records_of(const struct gs_entries *entries)
{
    return (struct record_entries *)entries;
}

static const struct gs_tags *tags_of(const struct gs_tagger *tagger)
{
    return (const struct gs_tags *)tagger; /* its first member */
}

/* Of what a level splits. */
static const struct gs_options *options_of(const struct record_entries *records,
                                           const struct gs_level *level)
{
    return level->of_bin ? &records->kept : &records->input;
}

static void plan_records(const struct gs_entries *entries, uint64_t count, struct gs_plan *plan)
{
    gs_tag_sort_plan(plan, &records_of(entries)->kept, count);
}

/* Does so much memory serve so many, by one thread? */
static bool serves(const struct gs_entries *entries, uint64_t mebibytes, uint64_t count)
{
    const struct gs_external_plan plan = gs_external_plan(entries, 1, mebibytes << 20, count);
    return gs_external_plan_fits(&plan, entries, count);
}

static uint64_t least_mebibytes(const struct gs_entries *entries, uint64_t count)
{
    struct record_entries one = *records_of(entries);
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

/* The tags of a level, which hold all of a record where they can: then it is not fetched by a tag,
 * but restored from it. */
static void init_tags(const struct record_entries *records, struct gs_level *level,
                      const struct gs_level_sample *sample)
{
    struct gs_tags *tags = (struct gs_tags *)level->tagger;
    const struct gs_options *options = options_of(records, level);
    const struct gs_span span = {.keys = sample->entries, .count = sample->count, .name = "sample"};
    if (records->kept.index_bytes == 0 && gs_whole_tags_fit(options, 0, GS_KEY_BYTES)) {
        gs_whole_tags_init(tags, options, 0);
        level->loose_bits = GS_KEY_BITS - 8 * tags->prefix_bytes;
    } else {
        gs_tags_init(tags, options, sample->from, &span, 1);
        level->loose_bits = gs_tags_loose_bits(tags, options->unique);
    }
    tags->tagger.sums = records->sums && !level->of_bin;
}

/* Has a bin one prefix only? */
static bool is_single(const struct gs_splitters *splitters, uint32_t bin, unsigned loose)
{
    return (gs_splitters_low(splitters, bin) ^ gs_splitters_high(splitters, bin)) >> loose == 0;
}

/* Do splitters between the same keys end above the loose bits, and keep the bins of one prefix?
 * Such a bin, if it is too large, is split by what is behind its prefix; in one that is wider, the
 * same prefix would be split for ever. */
static bool suits(const struct gs_splitters *snapped, const struct gs_splitters *chosen,
                  unsigned loose)
{
    const gs_key mask = ((gs_key)1 << loose) - 1;
    uint32_t other = 0;
    for (uint32_t i = 0; i < snapped->count; i++)
        if ((snapped->splitter[i] & mask) != mask)
            return false;
    for (uint32_t bin = 0; bin <= chosen->count; bin++) {
        while (gs_splitters_high(snapped, other) < gs_splitters_low(chosen, bin))
            other++;
        if (is_single(chosen, bin, loose) && !is_single(snapped, other, loose))
            return false;
    }
    return true;
}

/* Make the search of bins cheaper, if the splitters suit then, too. The keys of the sample have no
 * loose bits. */
static void snap(struct gs_splitters *splitters, const gs_key *keys, uint32_t count, uint32_t bins,
                 unsigned loose)
{
    struct gs_splitters *chosen = malloc(sizeof *chosen);
    if (chosen == NULL)
        return; /* not an error: it takes longer */
    *chosen = *splitters;
    gs_splitters_snap(splitters, keys, count, bins);
    if (!suits(splitters, chosen, loose))
        *splitters = *chosen;
    free(chosen);
}

/* Splitters between prefixes: what tags have beside these, or under unique beside keys, must not
 * matter, so that equal records are in the same bin, and the first of them can be told. */
static enum gs_status choose(const struct gs_entries *entries, struct gs_level *level,
                             const struct gs_level_sample *sample, struct gs_error *err)
{
    const uint32_t count = sample->count + sample->even;
    struct gs_tags *tags = malloc(sizeof *tags);
    gs_key *keys = malloc((count + 1) * sizeof *keys);
    level->tagger = (struct gs_tagger *)tags;
    if (tags == NULL || keys == NULL) {
        free(keys);
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u samples", count);
    }
    init_tags(records_of(entries), level, sample);
    tags->tagger.tag(&tags->tagger, sample->entries, 0, sample->count, keys);
    const unsigned loose = level->loose_bits;
    for (uint32_t i = 0; i < sample->even; i++)
        keys[sample->count + i] = GS_KEY_MAX / sample->even * i + GS_KEY_MAX / sample->even / 2;
    for (uint32_t i = 0; i < count; i++)
        keys[i] >>= loose;
    gs_sort_samples(keys, count);
    struct gs_splitters *splitters = &level->splitters;
    gs_splitters_choose(splitters, keys, count, sample->bins);
    uint32_t used = 0;
    for (uint32_t i = 0; i < splitters->count; i++)
        splitters->splitter[i] = ((splitters->splitter[i] + 1) << loose) - 1;
    for (; used < splitters->count && splitters->splitter[used] != GS_KEY_MAX; used++)
        continue;
    gs_splitters_adopt(splitters, splitters->splitter, used);
    for (uint32_t i = 0; i < count; i++)
        keys[i] <<= loose;
    snap(splitters, keys, count, sample->bins, loose);
    free(keys);
    return GS_OK;
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
    const struct record_entries *records = records_of(entries);
    const struct gs_tiles *tiles = &input->tiles;
    const struct gs_tags *tagger = tags_of(tiles->tagger);
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

static enum gs_status relay_records(struct gs_sink *sink, const void *data, uint64_t count,
                                    uint64_t position, struct gs_error *err)
{
    const struct relay *relay = (const struct relay *)sink;
    struct record_entries *records = relay->records;
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
static enum gs_status end_group(struct record_entries *records, struct gs_external_sorter *sorter,
                                uint64_t count, struct gs_error *err)
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

static enum gs_status sort_group(struct gs_external_sorter *sorter, const struct gs_level *level,
                                 uint32_t low, uint32_t high, uint64_t count, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct record_entries *records = records_of(sorter->entries);
    const struct gs_options *kept = &records->kept;
    const struct gs_span span = {.keys = sorter->load, .count = count, .name = "temporary file"};
    struct gs_stats stats;
    struct relay relay = {.sink = {.write = relay_records, .stream = sorter->target->stream},
                          .records = records,
                          .sorter = sorter};
    (void)level, (void)low, (void)high;
    records->part.most = sorter->plan.bin_keys;
    records->part.plans[1] = sorter->group;
    if (kept->verify && kept->unique)
        sorter->expected -= gs_records_fingerprint(span.keys, sorter->entries->bytes, count);
    GS_TRY(gs_sort_records_part(kept, &records->part, &span, 1, &relay.sink, NULL, &stats, err));
    gs_external_add_stats(sorter->stats, &stats);
    if (kept->verify && kept->unique)
        sorter->expected += stats.fingerprint;
    atomic_fetch_add(&sorter->progress->done, count);
    st = end_group(records, sorter, stats.keys_out, err);
cleanup:
    return st;
}

static uint32_t shared(const struct gs_entries *entries, const struct gs_level *level, uint32_t bin)
{
    const struct record_entries *records = records_of(entries);
    const struct gs_record_order *order = options_of(records, level)->records;
    const struct gs_tags *tags = tags_of(level->tagger);
    const gs_key low = gs_splitters_low(&level->splitters, bin);
    if (!is_single(&level->splitters, bin, level->loose_bits))
        return tags->from;
    /* Where positions are wanted, equal keys are in their order already. */
    const bool by_keys = records->kept.unique || records->kept.index_bytes != 0;
    const uint32_t next = gs_tag_shared(tags, low, level->loose_bits);
    return next < (by_keys ? order->key_bytes : order->string_bytes) ? next : GS_ALL_EQUAL;
}

/* Put numbers in place of the records that have them, if these are what is wanted. */
static void take_numbers(const struct record_entries *records, char *from, uint64_t count)
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
static void keep_first(const struct record_entries *records, const char *others, uint64_t count,
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
static enum gs_status write_first(struct record_entries *records, struct gs_external_sorter *sorter,
                                  struct relay *relay, char *kept, struct gs_error *err)
{
    if (records->kept.verify)
        sorter->expected += gs_record_hash(kept, records->entries.bytes);
    take_numbers(records, kept, 1);
    return relay_records(&relay->sink, kept, 1, 0, err);
}

static enum gs_status write_equal(struct gs_external_sorter *sorter, const struct gs_level *level,
                                  uint32_t bin, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct record_entries *records = records_of(sorter->entries);
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

/* Fill in all that is known beforehand. */
static void open_records(struct record_entries *records, const struct gs_options *options,
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
                                           .choose = choose,
                                           .fetch = fetch,
                                           .sort = sort_group,
                                           .shared = shared,
                                           .write_equal = write_equal};
}

enum gs_status gs_sort_records_external(const struct gs_options *options,
                                        const struct gs_external *source, struct gs_sink *sink,
                                        struct gs_progress *progress, struct gs_stats *stats,
                                        struct gs_error *err)
{
    struct record_entries records = {.sums = options->verify || source->journal != NULL};
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
    struct record_entries records = {.sums = false};
    open_records(&records, options, memory_bytes);
    const struct gs_external_plan plan =
        gs_external_plan(&records.entries, gs_threads(options), memory_bytes, count);
    return check(&records.entries, &plan, count, false, err);
}
