/* external_sample.c -- sample what is split, and open the level of its bins.
 * SPDX-License-Identifier: MIT
 */
#include "sort/external/external_sample.h"
#include "sort/external/external_manifest.h"
#include "sort/keys/params.h"
#include "sort/split/select_samples.h"

#include "common/clock.h"

#include <stdlib.h>
#include <string.h>

/* Sample keys per bin: with 32 the largest bin is about 1.7 times the mean. Each sample key costs
 * an extra read of a page of the input. Beyond SAMPLES_MAX, therefore, bins get fewer sample keys
 * and are less even, and fewer of them are loaded at once. */
#define SAMPLES_PER_BIN 32
#define SAMPLES_MAX     16384

/* The most of the memory that sampled records take. */
#define SAMPLES_SHARE 16

/* Sample keys drawn before the pages that they brought in are dropped: 16 pages (LOOK_BYTES) for
 * each, 16 MiB in all, or a quarter of the memory if that is less. */
#define SAMPLES_AT_ONCE 256
#define LOOK_BYTES      ((uint64_t)64 << 10)

/* The fraction of the sample, and so about of the input, that falls into equality bins. */
static double share_equal(const struct gs_level *level, const gs_key *sample, uint32_t samples)
{
    const struct gs_splitters *splitters = &level->splitters;
    uint32_t equal = 0;
    for (uint32_t i = 0; i < samples; i++) {
        uint32_t bin = gs_splitters_bin(splitters, splitters->guide, splitters->steps, sample[i]);
        equal += gs_splitters_equal(splitters, bin);
    }
    return samples > 0 ? (double)equal / samples : 0;
}

/* Samples for so many bins of `count` entries: of records, no more than memory has room for. */
static uint32_t samples_for(const struct gs_external_sorter *sorter, uint32_t bins, uint64_t count)
{
    const uint64_t room =
        sorter->plan.memory_bytes / SAMPLES_SHARE / sorter->entries->bytes + SAMPLES_PER_BIN;
    uint64_t samples = bins < SAMPLES_MAX / SAMPLES_PER_BIN ? bins * SAMPLES_PER_BIN : SAMPLES_MAX;
    samples = samples < room || !sorter->entries->tagged ? samples : room;
    return (uint32_t)(samples < count ? samples : count);
}

static uint32_t samples_at_once(const struct gs_external_sorter *sorter)
{
    uint64_t fit = sorter->plan.memory_bytes / 4 / LOOK_BYTES;
    return fit < 1 ? 1 : fit < SAMPLES_AT_ONCE ? (uint32_t)fit : SAMPLES_AT_ONCE;
}

/* Copy the record at a position, or its key. */
static void copy_sample(const struct gs_external_sorter *sorter, const struct gs_tiles *tiles,
                        uint64_t position, uint64_t i, void *samples)
{
    const uint64_t bytes = sorter->entries->input_bytes;
    if (sorter->entries->tagged)
        memcpy((char *)samples + i * bytes, gs_tiles_part(tiles, position, 1).records, bytes);
    else
        ((gs_key *)samples)[i] = gs_tiles_key(tiles, position);
}

/* Draw the sample. Every samples_at_once keys, drop the pages around the keys drawn since the last
 * time, and no others: if there are many files, most of them had no page brought in. */
static void draw_sample(struct gs_external_sorter *sorter, const struct gs_tiles *tiles,
                        uint64_t held, void *sample, uint32_t samples)
{
    const uint32_t at_once = samples_at_once(sorter);
    const uint64_t around = LOOK_BYTES / sorter->entries->bytes + 1;
    uint64_t keys = gs_tiles_keys(tiles);
    uint64_t first = 0; /* key from which pages are to be dropped */
    gs_external_advise_spans(sorter, GS_USE_RANDOM, sorter->source->spans,
                             sorter->source->span_count);
    sorter->on_disk = gs_samples_on_disk(tiles, samples, GS_SAMPLE_SEED);
    for (uint32_t i = 0; i < samples; i++) {
        uint64_t at = gs_sample_position(i, samples, keys, GS_SAMPLE_SEED);
        if (i % at_once == 0) {
            first = at > around ? at - around : 0;
            if (sorter->on_disk)
                gs_fetch_samples(tiles, samples, GS_SAMPLE_SEED, i,
                                 samples - i < at_once ? samples - i : at_once);
        }
        copy_sample(sorter, tiles, at, i, sample);
        if (i % at_once == at_once - 1)
            gs_external_advise_keys(sorter, tiles, held, GS_USE_LATER, first, at + around - first);
    }
}

/* Check that the disk has room for what will be written, by the sample. */
static enum gs_status check_room(struct gs_external_sorter *sorter, const struct gs_level *level,
                                 const struct gs_level_sample *sample, uint64_t keys,
                                 struct gs_error *err)
{
    const bool known = sorter->source->read == NULL && !sorter->entries->tagged;
    const double share = known ? share_equal(level, sample->entries, sample->count) : 0;
    const struct gs_combining *combining = sorter->source->combining;
    uint64_t spilled = keys > sorter->plan.kept_keys ? keys - sorter->plan.kept_keys : 0;
    if (combining != NULL && combining->keys < spilled / 2)
        spilled = 2 * combining->keys;
    const double bytes = (double)(spilled * sorter->entries->bytes) * (1 - share);
    return gs_spill_check(&sorter->spill, (uint64_t)bytes, sorter->source->output_device,
                          sorter->source->output_bytes, err);
}

enum gs_status gs_external_open_level(struct gs_external_sorter *sorter,
                                      const struct gs_tiles *tiles, uint64_t held,
                                      struct gs_level **level, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint64_t keys = gs_tiles_keys(tiles);
    const uint32_t samples = samples_for(sorter, sorter->plan.bins, keys);
    struct gs_level_sample sample = {.count = samples,
                                     .even = sorter->source->read == NULL ? 0 : samples,
                                     .bins = sorter->plan.bins};
    const uint64_t bytes = sorter->entries->tagged ? sorter->entries->bytes : GS_KEY_BYTES;
    uint64_t start = gs_now_ns();
    sample.entries = calloc((size_t)samples + sample.even + 1, bytes);
    if (sample.entries == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u samples", samples);
        goto cleanup;
    }
    draw_sample(sorter, tiles, held, sample.entries, samples);
    gs_external_account(sorter, GS_STAGE_SELECT_SAMPLES, start, samples, bytes);
    start = gs_now_ns();
    *level = gs_level_make(sorter->entries, &sample, false, err);
    if (*level == NULL) {
        st = GS_ERR_MEMORY;
        goto cleanup;
    }
    gs_external_account(sorter, GS_STAGE_SORT_SAMPLES, start, samples, 2 * bytes);
    sorter->stats->samples += samples;
    GS_TRY(check_room(sorter, *level, &sample, keys, err));
    if (sorter->journal != NULL)
        st = gs_manifest_begin(sorter, &sample, err);
cleanup:
    free(sample.entries);
    return st;
}

enum gs_status gs_external_open_bin(struct gs_external_sorter *sorter, const struct gs_level *from,
                                    uint32_t bin, uint32_t shared, struct gs_level **level,
                                    struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const uint64_t keys = from->totals[bin];
    const uint32_t bins = gs_external_bins(&sorter->plan, sorter->entries, keys);
    struct gs_level_sample sample = {
        .count = samples_for(sorter, bins, keys), .bins = bins, .from = shared};
    sample.entries = calloc(sample.count, sorter->entries->bytes);
    if (sample.entries == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u samples", sample.count);
        goto cleanup;
    }
    GS_TRY(gs_level_sample(from, &sorter->spill, bin, sample.count, sample.entries, err));
    *level = gs_level_make(sorter->entries, &sample, true, err);
    st = *level != NULL ? GS_OK : GS_ERR_MEMORY;
cleanup:
    free(sample.entries);
    return st;
}
