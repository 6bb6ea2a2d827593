/* runs.h -- runs of records in order: in memory while that has room, else in temporary files.
 * SPDX-License-Identifier: MIT
 *
 * Runs lie one behind the other in a room. When it is nearly full, they are merged into one in
 * another room, or, if that would be more than half of it, in a temporary file.
 */
#ifndef GS_RUNS_H
#define GS_RUNS_H

#include "sort/sort.h"

/* So many are merged at a time. */
#define GS_RUNS_MAX 128

struct gs_run {
    struct gs_span span;
    uint64_t fingerprint; /* of what was written, under options->verify */
    int fd;               /* of the temporary file that is mapped there, or -1 */
};

struct gs_runs {
    const struct gs_options *options; /* of the records */
    const char *const *directories;
    size_t directory_count;
    uint64_t room_bytes;
    char *rooms[2]; /* or NULL */
    unsigned room;  /* which of them is in use, */
    uint64_t used;  /* and how much of it */
    uint64_t most;  /* bytes that the room may have of the run that is being written */
    struct gs_run list[GS_RUNS_MAX];
    size_t count;
    size_t files; /* the first ones are each of a room and more, in temporary files */
    uint64_t temporary_bytes;
    struct gs_run next; /* the one that is being written */
};

/* Begin a run in the room, or in the other one, where it may take so much. */
enum gs_status gs_runs_begin(struct gs_runs *runs, bool other, uint64_t most, struct gs_error *err);

/* Append records to it. */
enum gs_status gs_runs_append(struct gs_runs *runs, const void *records, uint64_t count,
                              struct gs_error *err);

/* It is complete: it takes the place of those from `first` on. */
enum gs_status gs_runs_end(struct gs_runs *runs, size_t first, struct gs_error *err);

/* Are runs what was written? To be asked before they are merged, under options->verify, and, for
 * what disks tell late, behind that. */
enum gs_status gs_runs_check(const struct gs_runs *runs, size_t first, struct gs_error *err);

/* Has the room none for another run as large as the last one? Then those from *first on are to be
 * merged, and may have *most bytes in memory. */
bool gs_runs_are_full(struct gs_runs *runs, size_t *first, uint64_t *most);

void gs_runs_free(struct gs_runs *runs);

#endif
