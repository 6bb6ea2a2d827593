/* external_manifest.c -- which chunks are complete on disk, for another run to go on from there.
 * SPDX-License-Identifier: MIT
 */
#include "sort/external/external_manifest.h"

#include "common/clock.h"
#include "common/files/journal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the input that a thread sums up at a time. */
#define SUM_BYTES ((uint64_t)256 << 10)

/* What an entry says of a chunk, in front of the totals of all bins, in this and all earlier ones.
 */
struct chunk_entry {
    uint64_t input, written; /* checksums of its part of the input, and of what is on disk */
    uint64_t fingerprint;    /* of what was read, as struct gs_external_sorter expects it */
    struct gs_spill_mark mark;
};

/* A chunk that an entry tells of. */
struct kept_chunk {
    struct gs_level_chunk chunk;
    struct chunk_entry entry;
    uint64_t count;   /* its keys in the input */
    uint64_t *totals; /* a part of data, */
    char *data;       /* which is the entry; owned */
};

/* What the first entry says, in front of the sample. */
struct sample_entry {
    uint32_t count, bins;
};

static size_t entry_bytes(const struct gs_level *level)
{
    return sizeof(struct chunk_entry) + gs_level_bins(level) * sizeof *level->totals;
}

uint64_t gs_manifest_sum(const struct gs_tiles *tiles, uint64_t first, uint64_t count,
                         unsigned threads)
{
    const uint64_t bytes = gs_tiles_record_bytes(tiles);
    const uint64_t piece = SUM_BYTES / bytes + 1;
    uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum) num_threads(threads)
    for (uint64_t from = 0; from < count; from += piece) {
        const uint64_t end = count - from < piece ? count : from + piece;
        for (uint64_t at = from; at < end;) {
            const struct gs_tile part = gs_tiles_part(tiles, first + at, end - at);
            sum += gs_entries_checksum(part.records, bytes, at, part.count);
            at += part.count;
        }
    }
    return sum;
}

/* Where bins start in the piece: equality bins are not there. False unless the totals are those of
 * the level and 1 to `most` keys more; a bin that has lost any would have nearly 2^64 more. */
static bool derive_starts(const struct gs_level *level, struct kept_chunk *kept, uint64_t most)
{
    uint32_t *starts = kept->chunk.starts;
    starts[0] = 0;
    most = most < UINT32_MAX ? most : UINT32_MAX;
    for (uint32_t bin = 0; bin < gs_level_bins(level); bin++) {
        const uint64_t more = kept->totals[bin] - level->totals[bin];
        if (more > most - kept->count)
            return false;
        kept->count += more;
        starts[bin + 1] =
            starts[bin] + (gs_splitters_equal(&level->splitters, bin) ? 0 : (uint32_t)more);
    }
    return kept->count > 0;
}

/* Read the next entry, of one of the `left` keys that follow. False if it cannot be one. */
static bool read_entry(const struct gs_external_sorter *sorter, const struct gs_level *level,
                       uint64_t left, struct kept_chunk *kept)
{
    const uint32_t bins = gs_level_bins(level);
    size_t bytes = 0;
    *kept = (struct kept_chunk){.data = gs_journal_read(sorter->journal, &bytes)};
    if (kept->data == NULL)
        return false;
    kept->chunk.starts = reallocarray(NULL, (size_t)bins + 1, sizeof *kept->chunk.starts);
    if (bytes != entry_bytes(level) || kept->chunk.starts == NULL)
        return false;
    memcpy(&kept->entry, kept->data, sizeof kept->entry);
    kept->totals = (uint64_t *)(void *)(kept->data + sizeof kept->entry);
    return derive_starts(level, kept, left) &&
           (kept->chunk.starts[bins] == 0 ||
            gs_spill_find(&sorter->spill, &kept->entry.mark, &kept->chunk.place));
}

/* The key of entry i of some; a record is behind its number, if it has one. */
static gs_key key_of(const struct gs_level *level, const char *entries, uint64_t i)
{
    gs_key key;
    const struct gs_tagger *tagger = level->tagger;
    if (tagger == NULL)
        return ((const gs_key *)(const void *)entries)[i];
    tagger->tag(tagger, entries + (i + 1) * level->entries->bytes - tagger->record_bytes, 0, 1,
                &key);
    return key;
}

/* Are entries of the piece, from entry `from` on, each in its bin? */
static bool are_in_bins(const struct gs_level *level, const uint32_t *starts, uint64_t from,
                        const char *entries, uint64_t count)
{
    bool wrong = false;
    uint32_t bin = 0;
    for (uint64_t at = 0; at < count && !wrong; bin++) {
        if (starts[bin + 1] <= from + at)
            continue;
        const uint64_t left = starts[bin + 1] - from;
        const uint64_t end = left < count ? left : count;
        const gs_key low = gs_splitters_low(&level->splitters, bin);
        const gs_key high = gs_splitters_high(&level->splitters, bin);
        for (; at < end; at++) {
            const gs_key key = key_of(level, entries, at);
            wrong |= key < low || key > high;
        }
    }
    return !wrong;
}

/* Is what is on disk as it was written, and in the bins that it is said to be in? */
static bool is_whole(const struct gs_external_sorter *sorter, const struct gs_level *level,
                     const struct kept_chunk *kept)
{
    const struct gs_entries *entries = sorter->entries;
    const uint64_t count = kept->chunk.starts[gs_level_bins(level)];
    const uint64_t piece = gs_piece_entries(entries);
    uint64_t sum = 0;
    atomic_bool readable = true;
#pragma omp parallel for num_threads(sorter->threads) schedule(dynamic, 1) reduction(+ : sum)
    for (uint64_t from = 0; from < count; from += piece) {
        struct gs_error error = {.status = GS_OK};
        const uint64_t here = count - from < piece ? count - from : piece;
        char *own = malloc(here * entries->bytes);
        if (own != NULL &&
            gs_spill_read(&sorter->spill, &kept->chunk.place, from * entries->bytes, own,
                          here * entries->bytes, &error) == GS_OK &&
            are_in_bins(level, kept->chunk.starts, from, own, here))
            sum += gs_entries_checksum(own, entries->bytes, from, here);
        else
            atomic_store(&readable, false);
        free(own);
    }
    return atomic_load(&readable) && sum == kept->entry.written;
}

/* Are its records of the input, from `first` on, as they were? */
static bool is_of_input(const struct gs_external_sorter *sorter, const struct gs_tiles *tiles,
                        uint64_t first, const struct kept_chunk *kept)
{
    const struct gs_external *source = sorter->source;
    const uint64_t end = first + kept->count;
    const uint64_t sum = gs_manifest_sum(tiles, first, kept->count, sorter->threads);
    for (uint64_t at = first; at < end && source->advise != NULL;) {
        const struct gs_tile part = gs_tiles_part(tiles, at, end - at);
        source->advise(source->context, GS_USE_LATER, part.records, part.count);
        at += part.count;
    }
    return sum == kept->entry.input;
}

/* Take over the next chunk, if it is there and holds what is in the input now. */
static bool take_chunk(struct gs_external_sorter *sorter, const struct gs_tiles *tiles,
                       uint64_t keys, struct gs_level *level, uint64_t *done)
{
    struct gs_error error = {.status = GS_OK};
    struct gs_journal *journal = sorter->journal;
    struct kept_chunk kept;
    const uint64_t start = gs_now_ns();
    const uint64_t next = journal->next;
    const bool taken = read_entry(sorter, level, keys - *done, &kept) &&
                       is_whole(sorter, level, &kept) && is_of_input(sorter, tiles, *done, &kept) &&
                       gs_level_add(level, &kept.chunk, &error) == GS_OK;
    if (taken) {
        const uint64_t bytes = sorter->entries->bytes;
        const uint64_t count = kept.chunk.starts[gs_level_bins(level)];
        memcpy(level->totals, kept.totals, gs_level_bins(level) * sizeof *level->totals);
        if (count > 0)
            gs_spill_keep(&sorter->spill, &kept.chunk.place, count * bytes);
        sorter->expected += kept.entry.fingerprint;
        *done += kept.count;
        gs_external_account(sorter, GS_STAGE_READ, start, kept.count + count, bytes);
    } else {
        gs_level_chunk_free(&kept.chunk);
        journal->next = next;
        journal->refused = journal->refused || kept.data != NULL;
    }
    free(kept.data);
    return taken;
}

/* Bytes of a sampled key, or record of the input. */
static size_t sampled_bytes(const struct gs_entries *entries)
{
    return entries->tagged ? entries->input_bytes : GS_KEY_BYTES;
}

/* A level by the sample of the journal's first entry; NULL if there is none. */
static struct gs_level *take_level(const struct gs_external_sorter *sorter)
{
    struct gs_error error = {.status = GS_OK};
    struct gs_journal *journal = sorter->journal;
    struct gs_level *level = NULL;
    struct sample_entry entry;
    size_t bytes = 0;
    char *data = gs_journal_read(journal, &bytes);
    if (data != NULL && bytes >= sizeof entry) {
        memcpy(&entry, data, sizeof entry);
        bytes -= sizeof entry;
        memmove(data, data + sizeof entry, bytes); /* where it is aligned */
        const struct gs_level_sample sample = {
            .entries = data, .count = entry.count, .bins = entry.bins};
        if (bytes == entry.count * sampled_bytes(sorter->entries) && entry.bins >= 1 &&
            entry.bins <= GS_BINS_MAX)
            level = gs_level_make(sorter->entries, &sample, false, &error);
    }
    journal->refused = journal->refused || (data != NULL && level == NULL);
    free(data);
    return level;
}

enum gs_status gs_manifest_take(struct gs_external_sorter *sorter, const struct gs_tiles *tiles,
                                uint64_t keys, struct gs_level **level, uint64_t *done,
                                struct gs_error *err)
{
    struct gs_journal *journal = sorter->journal;
    *done = 0;
    journal->taken = 0;
    journal->next = journal->begin;
    enum gs_status st = gs_spill_reopen(&sorter->spill, sorter->source->homes, err);
    if (st != GS_OK)
        return st;
    *level = take_level(sorter);
    while (*level != NULL && take_chunk(sorter, tiles, keys, *level, done))
        journal->taken++;
    if (journal->taken == 0) {
        gs_level_free(*level);
        *level = NULL;
    }
    gs_spill_trim(&sorter->spill);
    return GS_OK;
}

enum gs_status gs_manifest_begin(const struct gs_external_sorter *sorter,
                                 const struct gs_level_sample *sample, struct gs_error *err)
{
    struct gs_journal *journal = sorter->journal;
    const struct sample_entry entry = {.count = sample->count, .bins = sample->bins};
    const size_t bytes = sample->count * sampled_bytes(sorter->entries);
    char *data = malloc(sizeof entry + bytes);
    if (data == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u samples", sample->count);
    memcpy(data, &entry, sizeof entry);
    memcpy(data + sizeof entry, sample->entries, bytes);
    journal->next = journal->begin;
    enum gs_status st = gs_journal_write(journal, data, sizeof entry + bytes, err);
    free(data);
    return st;
}

enum gs_status gs_manifest_add(const struct gs_external_sorter *sorter,
                               const struct gs_level *level, struct gs_error *err)
{
    const struct gs_level_chunk *chunk = &level->chunks[level->chunk_count - 1];
    const struct chunk_entry entry = {.input = sorter->writer.input.sum,
                                      .written = atomic_load(&sorter->writer.sum),
                                      .fingerprint = sorter->chunk_fingerprint,
                                      .mark = gs_spill_mark(&sorter->spill, &chunk->place)};
    char *data = malloc(entry_bytes(level));
    if (data == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins",
                       gs_level_bins(level));
    memcpy(data, &entry, sizeof entry);
    memcpy(data + sizeof entry, level->totals, gs_level_bins(level) * sizeof *level->totals);
    enum gs_status st = gs_journal_write(sorter->journal, data, entry_bytes(level), err);
    free(data);
    return st;
}
