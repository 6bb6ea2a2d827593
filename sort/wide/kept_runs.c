/* kept_runs.c -- which runs are complete on disk, for another process to go on from there.
 * SPDX-License-Identifier: MIT
 */
#include "sort/wide/kept_runs.h"

#include "common/journal.h"
#include "sort/types/types.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that a thread reads at a time. */
#define PIECE_BYTES ((uint64_t)256 << 10)

uint64_t gs_run_checksum(const void *records, uint64_t record_bytes, uint64_t first, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += gs_checksum((const char *)records + i * record_bytes, record_bytes, first + i);
    return sum;
}

/* Is the run on disk as its entry says? */
static bool is_whole(const struct gs_slices *slices, const struct gs_kept_run *run)
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
        if (records != NULL && gs_spill_read(&slices->spill, &run->place, first * bytes, records,
                                             here * bytes, &error) == GS_OK)
            sum += gs_run_checksum(records, bytes, first, here);
        else
            atomic_store(&readable, false);
        free(records);
    }
    return atomic_load(&readable) && sum == run->checksum;
}

/* The next run of the journal, if it is complete. */
static bool find_run(const struct gs_slices *slices, uint64_t count, struct gs_kept_run *run)
{
    struct gs_journal *journal = slices->journal;
    const uint64_t next = journal->next;
    size_t bytes = 0;
    void *data = gs_journal_read(journal, &bytes);
    bool found = data != NULL && bytes == sizeof *run;
    if (found)
        memcpy(run, data, bytes);
    free(data);
    found = found && run->done <= count && run->place.directory < slices->spill.count &&
            is_whole(slices, run);
    if (!found)
        journal->next = next;
    return found;
}

enum gs_status gs_kept_runs_take(struct gs_slices *slices, uint64_t count, struct gs_kept_run *last,
                                 struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_kept_run run;
    *last = (struct gs_kept_run){.done = 0};
    slices->journal->next = slices->journal->begin;
    GS_TRY(gs_spill_reopen(&slices->spill, err));
    while (find_run(slices, count, &run)) {
        GS_TRY(gs_slices_adopt(slices, &run.place, run.count, err));
        *last = run;
    }
    gs_spill_trim(&slices->spill);
cleanup:
    return st;
}

enum gs_status gs_kept_runs_add(const struct gs_slices *slices, struct gs_kept_run run,
                                struct gs_error *err)
{
    run.count = slices->runs[slices->run_count - 1].count;
    run.place = slices->runs[slices->run_count - 1].place;
    return gs_journal_write(slices->journal, &run, sizeof run, err);
}
