/* runs.c -- runs of records in order: in memory while that has room, else in temporary files.
 * SPDX-License-Identifier: MIT
 */
#include "sort/files/runs.h"

#include "common/files/file.h"
#include "common/files/late_error.h"
#include "common/files/spill.h"
#include "common/memory/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t bytes_of(const struct gs_runs *runs, const struct gs_run *run)
{
    return run->span.count * gs_record_bytes(runs->options);
}

static void drop(const struct gs_runs *runs, struct gs_run *run)
{
    if (run->fd < 0)
        return;
    if (run->span.keys != NULL)
        munmap((void *)(uintptr_t)run->span.keys, bytes_of(runs, run));
    close(run->fd);
    run->fd = -1;
}

enum gs_status gs_runs_begin(struct gs_runs *runs, bool other, uint64_t most, struct gs_error *err)
{
    char **room = &runs->rooms[runs->room ^ other];
    if (*room == NULL)
        *room = gs_pages_alloc(runs->room_bytes);
    if (*room == NULL)
        return gs_fail(err, GS_ERR_MEMORY, 0, "not enough memory for runs");
    const uint64_t at = other ? 0 : runs->used;
    runs->most = most < runs->room_bytes - at ? most : runs->room_bytes - at;
    runs->next = (struct gs_run){.span = {.keys = *room + at, .name = "temporary file"}, .fd = -1};
    return GS_OK;
}

/* The run has no more room in memory: from now on it is in a temporary file. */
static enum gs_status leave_memory(struct gs_runs *runs, const char *directory,
                                   struct gs_error *err)
{
    struct gs_run *run = &runs->next;
    run->fd = gs_spill_create(directory);
    if (run->fd < 0)
        return gs_fail(err, GS_ERR_OUTPUT, errno,
                       "%s: cannot create a temporary file; -T or TMPDIR names another directory",
                       directory);
    const void *records = run->span.keys;
    run->span.keys = NULL;
    return gs_file_write_full(run->fd, records, bytes_of(runs, run), directory, err);
}

enum gs_status gs_runs_append(struct gs_runs *runs, const void *records, uint64_t count,
                              struct gs_error *err)
{
    enum gs_status st = GS_OK;
    struct gs_run *run = &runs->next;
    const char *directory = runs->directories[runs->count % runs->directory_count];
    const uint64_t bytes = count * gs_record_bytes(runs->options);
    if (runs->options->verify) {
        struct gs_look look;
        gs_width(runs->options)->look(runs->options, records, count, NULL, &look);
        run->fingerprint += look.fingerprint;
    }
    if (run->fd < 0 && bytes_of(runs, run) + bytes > runs->most)
        GS_TRY(leave_memory(runs, directory, err));
    if (run->fd >= 0)
        GS_TRY(gs_file_write_full(run->fd, records, bytes, directory, err));
    else
        memcpy((char *)(uintptr_t)run->span.keys + bytes_of(runs, run), records, bytes);
    run->span.count += count;
cleanup:
    return st;
}

/* A mapping is private: FUSE may refuse others. */
static enum gs_status map(struct gs_runs *runs, struct gs_run *run, struct gs_error *err)
{
    const uint64_t bytes = bytes_of(runs, run);
    const int lost = gs_late_error_settle(run->fd);
    if (lost != 0)
        return gs_fail(err, GS_ERR_OUTPUT, lost, "a temporary file: write failed");
    void *mapping = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, run->fd, 0);
    if (mapping == MAP_FAILED)
        return gs_fail(err, GS_ERR_MEMORY, errno, "cannot map a temporary file");
    gs_pages_advise(mapping, bytes, MADV_SEQUENTIAL);
    run->span.keys = mapping;
    runs->temporary_bytes += bytes;
    return GS_OK;
}

enum gs_status gs_runs_end(struct gs_runs *runs, size_t first, struct gs_error *err)
{
    struct gs_run *run = &runs->next;
    enum gs_status st = run->fd >= 0 ? map(runs, run, err) : GS_OK;
    if (st != GS_OK)
        return st;
    if (first < runs->count) { /* merged: all that is left of the room's */
        runs->used = 0;
        gs_pages_free(runs->rooms[runs->room], runs->room_bytes);
        runs->rooms[runs->room] = NULL;
        runs->room ^= 1;
        runs->files = first + (run->fd >= 0);
    }
    for (size_t i = first; i < runs->count; i++)
        drop(runs, &runs->list[i]);
    runs->used += run->fd < 0 ? bytes_of(runs, run) : 0;
    runs->count = first;
    runs->list[runs->count++] = *run;
    run->fd = -1;
    return GS_OK;
}

bool gs_runs_are_full(struct gs_runs *runs, size_t *first, uint64_t *most)
{
    if (runs->count == 0)
        return false;
    const struct gs_run *last = &runs->list[runs->count - 1];
    const uint64_t bytes = bytes_of(runs, last);
    const uint64_t left = bytes < runs->room_bytes ? runs->room_bytes - bytes : 0;
    if (runs->count == runs->files + 1 && last->fd >= 0)
        runs->files++; /* it had no room, and nothing to be merged with */
    const bool many = runs->files > GS_RUNS_MAX / 2;
    *first = many ? 0 : runs->files;
    *most = many ? 0 : left < runs->room_bytes / 2 ? left : runs->room_bytes / 2;
    return many || runs->count == GS_RUNS_MAX ||
           (runs->count > runs->files && (last->fd >= 0 || runs->used + bytes > runs->room_bytes));
}

enum gs_status gs_runs_check(const struct gs_runs *runs, size_t first, struct gs_error *err)
{
    for (size_t i = first; i < runs->count; i++) {
        const struct gs_run *run = &runs->list[i];
        struct gs_look look = {.fingerprint = run->fingerprint};
        const int lost = run->fd >= 0 ? gs_late_error(run->fd) : 0;
        if (lost != 0)
            return gs_fail(err, GS_ERR_OUTPUT, lost, "a temporary file: write failed");
        if (runs->options->verify)
            gs_width(runs->options)
                ->look(runs->options, run->span.keys, run->span.count, NULL, &look);
        if (look.fingerprint != run->fingerprint)
            return gs_fail(err, GS_ERR_VERIFY, 0, "a temporary file is not what was written to it");
    }
    return GS_OK;
}

void gs_runs_free(struct gs_runs *runs)
{
    drop(runs, &runs->next);
    for (size_t i = 0; i < runs->count; i++)
        drop(runs, &runs->list[i]);
    for (unsigned i = 0; i < 2; i++)
        gs_pages_free(runs->rooms[i], runs->room_bytes);
}
