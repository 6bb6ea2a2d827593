/* external_manifest.c -- which chunks are complete on disk, for another run to go on from there.
 * SPDX-License-Identifier: MIT
 */
#include "sort/external/external_manifest.h"
#include "sort/keys/params.h"

#include "common/clock.h"
#include "common/journal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The entry of a chunk. Behind it are the totals of all bins, equality bins too, of this and all
 * earlier chunks, and the chunk's starts. */
struct entry {
    uint64_t done;        /* keys of the input in this and all earlier chunks, */
    uint64_t fingerprint; /* and their fingerprint */
    uint64_t checksum;    /* of the chunk's keys on disk */
    struct gs_place place;
};

static size_t totals_bytes(const struct gs_level *level)
{
    return gs_level_bins(level) * sizeof *level->totals;
}

static size_t starts_bytes(const struct gs_level *level)
{
    return ((size_t)gs_level_bins(level) + 1) * sizeof *level->chunks->starts;
}

/* Sum up what is on disk of a chunk, as the writer did. False if that cannot be read. */
static bool sum_chunk(const struct gs_external_sorter *sorter, const struct gs_level_chunk *chunk,
                      uint32_t bins, uint64_t *checksum)
{
    const uint64_t count = chunk->starts[bins];
    uint64_t sum = 0;
    atomic_bool readable = true;
#pragma omp parallel for num_threads(sorter->threads) schedule(dynamic, 1) reduction(+ : sum)
    for (uint64_t from = 0; from < count; from += GS_PIECE_KEYS) {
        struct gs_error error = {.status = GS_OK};
        size_t bytes = (count - from < GS_PIECE_KEYS ? count - from : GS_PIECE_KEYS) * GS_KEY_BYTES;
        gs_key *own = malloc(bytes);
        if (own != NULL && gs_spill_read(&sorter->spill, &chunk->place, from * GS_KEY_BYTES, own,
                                         bytes, &error) == GS_OK)
            sum += gs_checksum(own, bytes, from);
        else
            atomic_store(&readable, false);
        free(own);
    }
    *checksum = sum;
    return atomic_load(&readable);
}

/* Take over the next chunk, if it is complete. */
static bool take_chunk(struct gs_external_sorter *sorter, uint64_t keys, struct gs_level *level,
                       uint64_t *done)
{
    struct gs_error error = {.status = GS_OK};
    struct gs_journal *journal = sorter->journal;
    const uint64_t start = gs_now_ns();
    const uint64_t next = journal->next;
    size_t bytes = 0;
    uint64_t checksum;
    struct entry entry = {.done = 0};
    char *data = gs_journal_read(journal, &bytes);
    struct gs_level_chunk chunk = {.starts = malloc(starts_bytes(level))};
    bool taken = data != NULL && chunk.starts != NULL &&
                 bytes == sizeof entry + totals_bytes(level) + starts_bytes(level);
    if (taken) {
        memcpy(&entry, data, sizeof entry);
        memcpy(chunk.starts, data + sizeof entry + totals_bytes(level), starts_bytes(level));
        chunk.place = entry.place;
        taken = entry.done <= keys && entry.place.directory < sorter->spill.count &&
                sum_chunk(sorter, &chunk, gs_level_bins(level), &checksum) &&
                checksum == entry.checksum && gs_level_add(level, &chunk, &error) == GS_OK;
    }
    if (taken) {
        uint64_t count = chunk.starts[gs_level_bins(level)];
        memcpy(level->totals, data + sizeof entry, totals_bytes(level));
        if (count > 0)
            gs_spill_keep(&sorter->spill, &entry.place, count * GS_KEY_BYTES);
        sorter->expected = entry.fingerprint;
        *done = entry.done;
        gs_external_account(sorter, GS_STAGE_READ, start, count, GS_KEY_BYTES);
    } else {
        gs_level_chunk_free(&chunk);
        journal->next = next;
    }
    free(data);
    return taken;
}

enum gs_status gs_manifest_take(struct gs_external_sorter *sorter, uint64_t keys,
                                struct gs_level **level, uint64_t *done, struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_journal *journal = sorter->journal;
    struct gs_splitters *splitters = NULL;
    size_t bytes = 0;
    *done = 0;
    journal->next = journal->begin;
    GS_TRY(gs_spill_reopen(&sorter->spill, err));
    splitters = gs_journal_read(journal, &bytes);
    if (splitters != NULL && bytes == sizeof *splitters) {
        *level = gs_level_make_with(splitters, err);
        if (*level == NULL) {
            st = GS_ERR_MEMORY;
            goto cleanup;
        }
        while (take_chunk(sorter, keys, *level, done))
            sorter->taken++;
        if (sorter->taken == 0) {
            gs_level_free(*level);
            *level = NULL;
        }
    }
    gs_spill_trim(&sorter->spill);
cleanup:
    free(splitters);
    return st;
}

enum gs_status gs_manifest_begin(const struct gs_external_sorter *sorter,
                                 const struct gs_level *level, struct gs_error *err)
{
    struct gs_journal *journal = sorter->journal;
    journal->next = journal->begin;
    return gs_journal_write(journal, &level->splitters, sizeof level->splitters, err);
}

enum gs_status gs_manifest_add(const struct gs_external_sorter *sorter,
                               const struct gs_level *level, uint64_t checksum,
                               struct gs_error *err)
{
    const struct gs_level_chunk *chunk = &level->chunks[level->chunk_count - 1];
    const size_t bytes = sizeof(struct entry) + totals_bytes(level) + starts_bytes(level);
    struct entry entry = {
        .fingerprint = sorter->expected, .checksum = checksum, .place = chunk->place};
    char *data = malloc(bytes);
    if (data == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for %u bins",
                       gs_level_bins(level));
    for (uint32_t bin = 0; bin < gs_level_bins(level); bin++)
        entry.done += level->totals[bin];
    memcpy(data, &entry, sizeof entry);
    memcpy(data + sizeof entry, level->totals, totals_bytes(level));
    memcpy(data + sizeof entry + totals_bytes(level), chunk->starts, starts_bytes(level));
    enum gs_status st = gs_journal_write(sorter->journal, data, bytes, err);
    free(data);
    return st;
}
