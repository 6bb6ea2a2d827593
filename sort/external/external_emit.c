/* external_emit.c -- load bin after bin from disk, sort it in memory and write it to the output.
 * SPDX-License-Identifier: MIT
 */
#include "sort/external/external_emit.h"
#include "sort/external/external_distribute.h"
#include "sort/keys/fingerprint.h"
#include "sort/keys/params.h"

#include "common/clock.h"

#include <stdlib.h>

/* Keys of an equality bin that are written at a time. */
#define EQUAL_KEYS GS_TILE_KEYS

/* Write out an equality bin. */
static enum gs_status write_equal(struct gs_external_sorter *sorter, gs_key key, uint64_t count,
                                  struct gs_error *err)
{
    enum gs_status st = GS_OK;
    const struct gs_codec *codec = sorter->options->codec;
    uint64_t start = gs_now_ns();
    uint64_t kept = sorter->options->unique ? 1 : count;
    const unsigned payload = gs_payload_bits(sorter->options);
    if (sorter->options->unique && sorter->last.known && (sorter->last.key ^ key) >> payload == 0)
        kept = 0;
    sorter->last = (struct gs_last_key){.key = key, .known = payload > 0};
    uint64_t block = kept < EQUAL_KEYS ? kept : EQUAL_KEYS;
    gs_key *keys = malloc((block + 1) * sizeof *keys);
    if (keys == NULL) {
        st = gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory");
        goto cleanup;
    }
    for (uint64_t i = 0; i < block; i++)
        if (codec == NULL)
            keys[i] = key;
        else
            gs_codec_store(codec, &key, (char *)keys + i * codec->record_bytes, 1);
    for (uint64_t done = 0; done < kept; done += block)
        GS_TRY(gs_external_write(&sorter->sink, keys, kept - done < block ? kept - done : block,
                                 done, err));
    sorter->position += kept;
    if (sorter->options->verify)
        sorter->expected -= gs_fingerprint(&key, 1) * (count - kept);
    gs_external_account(sorter, GS_STAGE_WRITE, start, kept, GS_KEY_BYTES);
    sorter->stats->bins++;
    sorter->stats->equality_bins++;
    sorter->stats->equality_keys += count;
cleanup:
    free(keys);
    return st;
}

/* The bin at index i in output order, which that of tags is already. */
static uint32_t bin_at(const struct gs_external_sorter *sorter, const struct gs_level *level,
                       uint32_t i)
{
    const bool reverse = sorter->options->reverse && !sorter->entries->tagged;
    return reverse ? level->splitters.count - i : i;
}

/* The number of bins from the i-th on that form a group: as many as fit into memory, at least one,
 * and an equality bin alone. *count is the group's keys. */
static uint32_t find_group(const struct gs_external_sorter *sorter, const struct gs_level *level,
                           uint32_t i, uint64_t *count)
{
    uint32_t bins = 0;
    *count = 0;
    while (i + bins < gs_level_bins(level)) {
        uint32_t bin = bin_at(sorter, level, i + bins);
        uint64_t keys = level->totals[bin];
        bool equal = keys > 0 && gs_splitters_equal(&level->splitters, bin);
        if (bins > 0 && keys > 0 && (equal || *count + keys > sorter->plan.bin_keys))
            break;
        *count += keys;
        bins++;
        if (equal)
            break;
    }
    return bins;
}

/* Have the disk read ahead the group that begins with the i-th bin, if there is one and it fits. */
static void announce_group(const struct gs_external_sorter *sorter, const struct gs_level *level,
                           uint32_t i)
{
    uint64_t count;
    uint32_t bins = find_group(sorter, level, i, &count);
    if (bins == 0 || count > sorter->plan.bin_keys)
        return;
    uint32_t first = bin_at(sorter, level, i);
    uint32_t last = bin_at(sorter, level, i + bins - 1);
    gs_level_announce(level, &sorter->spill, first < last ? first : last,
                      first < last ? last : first);
}

/* The most levels in a row that leave all of a bin together, and tell nothing new about it. */
#define IDLE_LEVELS_MAX 32

/* Has a level come any further with a bin? If never, that is told before the disk is full. */
static enum gs_status check_level(const struct gs_external_sorter *sorter,
                                  const struct gs_level *from, struct gs_level *level,
                                  uint64_t keys, uint32_t shared, struct gs_error *err)
{
    const struct gs_entries *entries = sorter->entries;
    uint32_t bin = 0;
    while (bin + 1 < gs_level_bins(level) && level->totals[bin] == 0)
        bin++;
    if (level->totals[bin] < keys || gs_splitters_equal(&level->splitters, bin) ||
        (entries->tagged && entries->shared(entries, level, bin) != shared))
        return GS_OK;
    level->idle = from->idle + 1;
    return level->idle <= IDLE_LEVELS_MAX
               ? GS_OK
               : gs_fail(err, GS_ERR_INTERNAL, 0, "a bin of %llu records cannot be split",
                         (unsigned long long)keys);
}

/* Treat a bin that is too large for memory as an input of its own, unless all of it is equal. */
static enum gs_status sort_large_bin(struct gs_external_sorter *sorter, const struct gs_level *from,
                                     uint32_t bin, struct gs_error *err)
{
    const struct gs_entries *entries = sorter->entries;
    struct gs_level *level = NULL;
    const uint32_t shared = entries->tagged ? entries->shared(entries, from, bin) : 0;
    if (shared == GS_ALL_EQUAL)
        return entries->write_equal(sorter, from, bin, err);
    enum gs_status st = gs_external_split_bin(sorter, from, bin, shared, &level, err);
    if (st == GS_OK)
        st = check_level(sorter, from, level, from->totals[bin], shared, err);
    if (st == GS_OK)
        st = gs_external_emit(sorter, level, err);
    gs_level_free(level);
    return st;
}

/* Recurses once for each nesting of bins in bins; that ends, since a level splits a bin of at least
 * two values into smaller ones, or tells that records share more of their strings. */
enum gs_status gs_external_emit(struct gs_external_sorter *sorter, const struct gs_level *level,
                                struct gs_error *err)
{
    enum gs_status st = GS_OK;
    uint32_t bins;
    for (uint32_t i = 0; i < gs_level_bins(level); i += bins) {
        uint64_t count;
        uint32_t first = bin_at(sorter, level, i);
        bins = find_group(sorter, level, i, &count);
        uint32_t last = bin_at(sorter, level, i + bins - 1);
        if (count == 0)
            continue;
        GS_TRY(gs_progress_check(sorter->progress, err));
        announce_group(sorter, level, i + bins);
        if (bins == 1 && gs_splitters_equal(&level->splitters, first)) {
            GS_TRY(write_equal(sorter, gs_splitters_low(&level->splitters, first), count, err));
            atomic_fetch_add(&sorter->progress->done, count);
        } else if (count > sorter->plan.bin_keys) {
            GS_TRY(sort_large_bin(sorter, level, first, err));
        } else {
            const uint32_t low = first < last ? first : last;
            const uint32_t high = first < last ? last : first;
            GS_TRY(gs_external_load(sorter, level, low, high, count, err));
            GS_TRY(sorter->entries->sort(sorter, level, low, high, count, err));
        }
    }
cleanup:
    return st;
}
