/* kept_runs.c -- which runs are complete on disk, for another process to go on from there.
 * SPDX-License-Identifier: MIT
 */
#include "sort/wide/kept_runs.h"
#include "sort/keys/tiles.h"
#include "sort/check/record_fingerprint.h"

#include "common/files/journal.h"
#include "common/random.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that a thread reads at a time. */
#define PIECE_BYTES ((uint64_t)256 << 10)

uint64_t gs_run_checksum(const void *records, uint64_t record_bytes, uint64_t first, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += gs_random(gs_record_hash((const char *)records + i * record_bytes, record_bytes),
                         first + i);
    return sum;
}

/* The checksum of records [first, first + count) of the tiles, the first of which has number 0. */
static uint64_t sum_tiles(const struct gs_tiles *tiles, uint64_t first, uint64_t count,
                          unsigned threads)
{
    const uint64_t bytes = gs_tiles_record_bytes(tiles);
    const uint64_t piece = PIECE_BYTES / bytes + 1;
    uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum) num_threads(threads)
    for (uint64_t from = 0; from < count; from += piece) {
        const uint64_t end = count - from < piece ? count : from + piece;
        for (uint64_t at = from; at < end;) {
            const struct gs_tile part = gs_tiles_part(tiles, first + at, end - at);
            sum += gs_run_checksum(part.records, bytes, at, part.count);
            at += part.count;
        }
    }
    return sum;
}

enum gs_status gs_kept_runs_sum(const struct gs_span *spans, size_t span_count,
                                uint64_t record_bytes, unsigned threads, uint64_t *checksum,
                                struct gs_error *err)
{
    const struct gs_tagger plain = {.record_bytes = (uint32_t)record_bytes};
    struct gs_tiles tiles;
    enum gs_status st = gs_tiles_tag(&tiles, &plain, spans, span_count, err);
    if (st != GS_OK)
        return st;
    *checksum = sum_tiles(&tiles, 0, gs_tiles_keys(&tiles), threads);
    gs_tiles_free(&tiles);
    return GS_OK;
}

/* Is the run on disk as its entry says? */
static bool is_whole(const struct gs_slices *slices, const struct gs_kept_run *run,
                     const struct gs_place *place)
{
    const uint64_t bytes = gs_record_bytes(slices->options);
    const uint64_t piece = PIECE_BYTES / bytes + 1;
    uint64_t sum = 0;
    atomic_bool readable = true;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)                                   \
    num_threads(gs_threads(slices->options))
    for (uint64_t first = 0; first < run->count; first += piece) {
        struct gs_error error = {.status = GS_OK};
        uint64_t here = run->count - first < piece ? run->count - first : piece;
        char *records = malloc(here * bytes);
        if (records != NULL && gs_spill_read(&slices->spill, place, first * bytes, records,
                                             here * bytes, &error) == GS_OK)
            sum += gs_run_checksum(records, bytes, first, here);
        else
            atomic_store(&readable, false);
        free(records);
    }
    return atomic_load(&readable) && sum == run->checksum;
}

/* Is its part of the input, behind the first `done` records, as it was? */
static bool is_of_input(const struct gs_slices *slices, const struct gs_kept_run *run,
                        const struct gs_tiles *tiles, uint64_t done)
{
    const struct gs_external *source = slices->source;
    const uint64_t sum = sum_tiles(tiles, done, run->done - done, gs_threads(slices->options));
    for (uint64_t at = done; at < run->done && source->advise != NULL;) {
        const struct gs_tile part = gs_tiles_part(tiles, at, run->done - at);
        source->advise(source->context, GS_USE_LATER, part.records, part.count);
        at += part.count;
    }
    return sum == run->input;
}

/* The next run of the journal, if it is complete: of the input's records from `done` on. */
static bool find_run(const struct gs_slices *slices, const struct gs_tiles *tiles, uint64_t done,
                     struct gs_kept_run *run, struct gs_place *place)
{
    struct gs_journal *journal = slices->journal;
    const uint64_t next = journal->next;
    size_t bytes = 0;
    void *data = gs_journal_read(journal, &bytes);
    bool found = data != NULL && bytes == sizeof *run;
    if (found)
        memcpy(run, data, bytes);
    found = found && run->done > done && run->done <= gs_tiles_keys(tiles) && run->count > 0 &&
            (slices->options->unique ? run->count <= run->done - done
                                     : run->count == run->done - done) &&
            gs_spill_find(&slices->spill, &run->mark, place) && is_whole(slices, run, place) &&
            is_of_input(slices, run, tiles, done);
    if (!found) {
        journal->next = next;
        journal->refused = journal->refused || data != NULL;
    }
    free(data);
    return found;
}

enum gs_status gs_kept_runs_take(struct gs_slices *slices, uint64_t record_bytes,
                                 struct gs_kept_run *last, struct gs_error *err)
{
    const struct gs_external *source = slices->source;
    const struct gs_tagger plain = {.record_bytes = (uint32_t)record_bytes};
    enum gs_status st = GS_OK;
    struct gs_kept_run run;
    struct gs_place place;
    struct gs_tiles tiles = {.first_key = NULL};
    *last = (struct gs_kept_run){.done = 0};
    slices->journal->next = slices->journal->begin;
    GS_TRY(gs_spill_reopen(&slices->spill, source->homes, err));
    GS_TRY(gs_tiles_tag(&tiles, &plain, source->spans, source->span_count, err));
    while (find_run(slices, &tiles, last->done, &run, &place)) {
        GS_TRY(gs_slices_adopt(slices, &place, run.count, err));
        *last = run;
    }
    gs_spill_trim(&slices->spill);
cleanup:
    gs_tiles_free(&tiles);
    return st;
}

enum gs_status gs_kept_runs_add(const struct gs_slices *slices, struct gs_kept_run run,
                                struct gs_error *err)
{
    run.count = slices->runs[slices->run_count - 1].count;
    run.mark = gs_spill_mark(&slices->spill, &slices->runs[slices->run_count - 1].place);
    return gs_journal_write(slices->journal, &run, sizeof run, err);
}
