/* record_splitters.c -- by what tags, and between which of them, records are split to bins.
 * SPDX-License-Identifier: MIT
 */
#include "sort/split/sort_samples.h"
#include "sort/tags/whole_tags.h"
#include "sort/wide/external_records.h"

#include <stdlib.h>

/* The tags of a level, which hold all of a record where they can: then it is not fetched by a tag,
 * but restored from it. */
static void init_tags(const struct gs_record_entries *records, struct gs_level *level,
                      const struct gs_level_sample *sample)
{
    struct gs_tags *tags = (struct gs_tags *)level->tagger;
    const struct gs_options *options = gs_entries_options(records, level);
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

/* How likely it is that two tags begin with the same 4 bytes, by a sorted sample. */
static double count_alike(const gs_key *keys, uint32_t count)
{
    uint64_t same = 0;
    for (uint32_t i = 1; i < count; i++)
        same += (keys[i] ^ keys[i - 1]) >> (GS_KEY_BITS - 32) == 0;
    return 2 * (double)same / ((double)count * count + 1);
}

/* Splitters between prefixes: what tags have beside these, or under unique beside keys, must not
 * matter, so that equal records are in the same bin, and the first of them can be told. */
enum gs_status gs_records_choose(const struct gs_entries *entries, struct gs_level *level,
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
    init_tags(gs_record_entries_of(entries), level, sample);
    tags->tagger.tag(&tags->tagger, sample->entries, 0, sample->count, keys);
    gs_sort_samples(keys, sample->count);
    level->alike = count_alike(keys, sample->count);
    const unsigned loose = level->loose_bits;
    for (uint32_t i = 0; i < sample->even; i++)
        keys[sample->count + i] = GS_KEY_MAX / sample->even * i + GS_KEY_MAX / sample->even / 2;
    if (sample->even > 0)
        gs_sort_samples(keys, count);
    gs_splitters_choose(&level->splitters, keys, count, sample->bins, loose);
    gs_splitters_snap(&level->splitters, keys, count, sample->bins, loose);
    free(keys);
    return GS_OK;
}

uint32_t gs_records_shared(const struct gs_entries *entries, const struct gs_level *level,
                           uint32_t bin)
{
    const struct gs_record_entries *records = gs_record_entries_of(entries);
    const struct gs_record_order *order = gs_entries_options(records, level)->records;
    const struct gs_tags *tags = gs_level_tags(level->tagger);
    const gs_key low = gs_splitters_low(&level->splitters, bin);
    if (!gs_splitters_single(&level->splitters, bin, level->loose_bits))
        return tags->from;
    /* Where positions are wanted, equal keys are in their order already. */
    const bool by_keys = records->kept.unique || records->kept.index_bytes != 0;
    const uint32_t next = gs_tag_shared(tags, low, level->loose_bits);
    return next < (by_keys ? order->key_bytes : order->string_bytes) ? next : GS_ALL_EQUAL;
}
